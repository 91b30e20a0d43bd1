"""The table of diagnostic codes: never reused, never renumbered. ``kb explain`` and the documentation print it.

By hundred: 1 syntax, 2 schema, 3 links and identity, 4 observations, time and sources, 5 git, 9 configuration.
"""

from dataclasses import dataclass

from kb.diagnostics import Severity

_E, _W = Severity.ERROR, Severity.WARNING


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding."""

    code: str
    name: str
    severity: Severity
    summary: str  #: what is wrong, and why it matters
    remedy: str  #: what to do
    strict: bool = False  #: a warning that ``strict`` makes an error


_ENTRIES = (
    Code("KB101", "unterminated-frontmatter", _E, "The file begins with '---' but the block is never closed, so nothing tells fields from text. The body is not guessed.", "End the block with a line that holds only '---'."),
    Code("KB102", "no-frontmatter", _E, "A file under entities/ or observations/ does not begin with a frontmatter block.", "Begin it with '---', then at least 'id:', then '---'; or move the file elsewhere."),
    Code("KB103", "yaml-syntax", _E, "The frontmatter is no YAML. The file is kept and listed, its statements are not read.", "Put values that hold ': ', '#' or begin with a sign such as @ or ` into double quotes."),
    Code("KB104", "duplicate-yaml-key", _E, "A frontmatter key stands twice. The first one counts; nothing is decided by which came last.", "Keep one of the two."),
    Code("KB105", "yaml-anchor", _E, "The frontmatter uses an anchor, an alias or a merge key, with which a value can stand far from where it is read.", "Write the value out."),
    Code("KB106", "yaml-tag", _E, "The frontmatter uses a YAML tag. Every scalar is text here, so a tag can only mislead.", "Remove the tag."),
    Code("KB107", "frontmatter-not-a-mapping", _E, "The frontmatter is a list or a single value.", "Write 'key: value' lines."),
    Code("KB108", "frontmatter-too-large", _E, "The frontmatter is larger than 64 KiB and is not parsed.", "Move the text below the block."),
    Code("KB109", "frontmatter-too-deep", _E, "The frontmatter is nested more than 20 levels deep and is not parsed.", "Keep it flat."),
    Code("KB110", "second-frontmatter", _W, "A second block follows the frontmatter directly. It is read as text, so its fields count for nothing.", "Move its fields into the first block."),
    Code("KB111", "byte-order-mark", _W, "The file begins with a byte order mark. It is read, and kept when the file is edited.", "Save the file as UTF-8 without BOM."),
    Code("KB112", "mixed-line-ends", _W, "The file mixes CRLF and LF, or holds lone carriage returns. It is read, and each line keeps its end.", "Save the file with one kind of line end."),
    Code("KB113", "not-utf8", _E, "The file holds bytes that are no UTF-8. The rest of it is read; the bytes are kept.", "Save the file as UTF-8."),
    Code("KB114", "file-too-large", _E, "The file is larger than 4 MiB and is not read.", "Split it, or keep the source elsewhere and cite its address."),
    Code("KB115", "conflict-marker", _E, "The file holds the markers of an unfinished merge. Fenced code counts too, since the fence may be half of one side.", "Finish the merge and delete the markers."),
    Code("KB116", "frontmatter-ends-with-dots", _E, "The frontmatter ends with '...', which other tools do not read as an end.", "End it with '---'."),
    Code("KB117", "unreadable-file", _E, "The system does not let the file or folder be read.", "Mend its permissions."),
    Code("KB120", "not-a-statement", _E, "An item of a statement section has no predicate, so it says nothing that can be queried.", "Write '- predicate:: [Name](file.md)' in Relations, '- predicate:: value' in Facts."),
    Code("KB121", "one-colon", _E, "One colon stands after what looks like a predicate.", "Write two: 'predicate:: …'."),
    Code("KB122", "task-box", _E, "An item of a statement section begins with a task box.", "Remove the box, or move the task out of the section."),
    Code("KB123", "bare-name", _E, "The object of a relation is a bare name. Names do not decide who is meant.", "Link the entity's file."),
    Code("KB124", "two-links", _E, "One item holds two objects. The first is read, the others are not.", "Give each its own item."),
    Code("KB125", "citation-in-the-middle", _E, "A citation stands before the end of the statement and counts for nothing.", "Move it to the end, before the ^id."),
    Code("KB126", "qualifier-after-note", _W, "A parenthesis of qualifiers stands after the note and is read as part of it.", "Move it before the ' — '."),
    Code("KB127", "unknown-qualifier", _E, "Something in a relation's parenthesis is no qualifier, or a qualifier has an impossible value.", "Keep a time, 90%, 'by <entity id>', auto-high|medium|low, retracted, 'superseded by ^id'; say the rest in the note."),
    Code("KB128", "mixed-qualifiers", _E, "In a fact's parenthesis some items are qualifiers and some are not.", "Make all of them qualifiers, or put the value with its parenthesis into a code span."),
    Code("KB129", "parenthesis-like-a-time", _W, "A fact's parenthesis looks like a time but is none, so it is read as part of the value.", "Write an EDTF date, or put the value into a code span."),
    Code("KB131", "text-after-link", _E, "Text between a relation's link and its note is not read.", "Make it a note: ' — …'."),
    Code("KB132", "not-a-sub-item", _E, "An indented item under a statement is not of the form 'name:: text'.", "Write 'name:: text', or move the item to the left."),
    Code("KB133", "stray-text", _W, "Text in a statement section is no statement. It is kept and not read.", "Make it an item, or move it above the section."),
    Code("KB134", "second-section", _W, "A file has two sections of one kind. Both are read.", "Move the items into the first."),
    Code("KB135", "hidden-section", _W, "A heading Relations or Facts stands in a quote, a list or an HTML comment, and begins no section.", "Move it to the beginning of a line of its own."),
    Code("KB136", "section-in-open-fence", _W, "A code block that is never closed swallows a heading Relations or Facts.", "Close the code block."),
    Code("KB137", "missing-object", _E, "Nothing stands after the predicate.", "Write the link or the value after '::'."),
    Code("KB138", "bad-predicate", _E, "What stands before '::' is no predicate: letters, marks and digits, joined by '-' or '_'.", "Join the words with '-'."),
    Code("KB139", "numbered-item", _E, "A numbered item stands in a statement section.", "Begin it with '- '."),
    Code("KB140", "repeated-qualifier", _E, "A statement has two times, two confidences or the like. The first is read.", "Keep one."),
    Code("KB201", "missing-id", _E, "The file has no id. It is read under its stem.", "Write 'id:' with the file's stem."),
    Code("KB202", "bad-id", _E, "An id is lower-case ASCII letters and digits in groups joined by single '-', at most 80 characters.", "Use the id that the hint offers, and rename the file to it."),
    Code("KB203", "id-is-not-the-stem", _E, "The id differs from the file's stem, so links to the file lead elsewhere.", "Rename the file, or mend the id if nothing refers to it yet."),
    Code("KB204", "bad-field", _E, "A reserved frontmatter field has the wrong shape and is not read.", "Write one text, or a list of texts, as the hint says."),
    Code("KB205", "unknown-type", _W, "The vocabulary has no such entity type.", "Use a type that it has, or add it under 'types:' in kb.yaml.", strict=True),
    Code("KB206", "unknown-predicate", _W, "The vocabulary has no such predicate. The statement is read all the same.", "Use a word that it has, or add it to kb.yaml.", strict=True),
    Code("KB207", "type-not-admitted", _W, "The relation does not admit an entity of this type at this end.", "Use another relation, mend the entity's type, or widen the relation in kb.yaml.", strict=True),
    Code("KB208", "bad-key", _E, "A key is 'kind:value'; this one is not read.", "Write kind:value, without a blank after the colon."),
    Code("KB209", "unknown-key-kind", _W, "The vocabulary has no such kind of key.", "Add it under 'keys:' in kb.yaml.", strict=True),
    Code("KB210", "unfit-key", _W, "A key does not fit its kind's pattern or the entity's type: shared mailboxes are no person's key, free-mail domains no company's, phone numbers nobody's.", "Mend or move the key.", strict=True),
    Code("KB211", "value-not-of-its-kind", _W, "The vocabulary says that this fact's value is a date, a number or a URL, and it is not.", "Mend the value.", strict=True),
    Code("KB212", "wrong-section", _W, "A relation's word stands in Facts, or a fact's word in Relations.", "Move the item to the other section."),
    Code("KB213", "note-required", _E, "The relation says nothing without a note.", "Say in a note ' — …' what relates the two."),
    Code("KB214", "bare-hypothesis", _W, "A hypothesis names neither alternatives nor a prediction, so nothing can speak against it.", "Add indented 'alternatives:: …' and 'prediction:: …' under it."),
    Code("KB215", "unfounded-cause", _E, "An established cause must cite an observation that a person said, and cannot be a suggestion.", "Cite what a person said, or write possibly-caused-by."),
    Code("KB216", "contested-value", _W, "Several current values of a single-valued predicate overlap in time and none supersedes the others.", "End one, mark it retracted or superseded, or leave the contest on record."),
    Code("KB217", "self-relation", _W, "An entity is related to itself.", "Mend the link."),
    Code("KB218", "hierarchy-cycle", _W, "A relation that makes a hierarchy leads back to where it began.", "End or mend one of the relations in the circle.", strict=True),
    Code("KB219", "replaced-predicate", _W, "The vocabulary has replaced this predicate by another.", "Use the new word."),
    Code("KB220", "self-hierarchy", _E, "An entity stands above itself in a hierarchy.", "Mend the link."),
    Code("KB301", "dangling-link", _E, "No entity has the id or name that is linked.", "Mend the link, or make the entity."),
    Code("KB302", "stale-link", _W, "The link's folder is not where the entity's file lies. Its stem decides, so it is read.", "Run 'kb fmt'."),
    Code("KB303", "link-outside", _E, "The link leads out of the knowledge base: an absolute path, a file: address, a backslash, or too many '..'.", "Link the entity's file by a relative path."),
    Code("KB304", "not-an-entity-link", _E, "The object of a relation must be an entity's file: not a web address, a folder or an observation.", "Link the entity's .md file; say an address in a fact or in the note."),
    Code("KB305", "ambiguous-name-link", _E, "A link by name fits several entities.", "Link the id: [[id|Name]]."),
    Code("KB306", "duplicate-id", _E, "Two files claim one id. Neither wins: the id is ambiguous.", "Give one of them another id and stem."),
    Code("KB307", "shared-key", _W, "Two entities bear one key, so they may be the same.", "If they are, add 'merged_into:' to one; if not, take the key from one.", strict=True),
    Code("KB308", "shared-name", _W, "Two entities bear one name or alias; look-ups by it answer with both.", "If they are one, merge them; if not, say so with 'distinct_from:'."),
    Code("KB309", "alias-is-an-id", _W, "An alias is another entity's id. The id wins.", "Remove the alias."),
    Code("KB310", "bad-redirect", _E, "'merged_into' names itself, a missing entity, or leads in a circle. Nothing is redirected.", "Name the surviving entity's id."),
    Code("KB311", "redirect-across-types", _E, "'merged_into' joins two entities of different types. Nothing is redirected.", "Mend one of the types, or the redirect."),
    Code("KB312", "distinct-but-merged", _E, "Two entities that are judged distinct are merged. 'distinct_from' wins: the merge is not followed.", "Remove one of the two judgements."),
    Code("KB313", "unknown-distinct", _E, "'distinct_from' names no entity, or the entity itself.", "Mend the id."),
    Code("KB314", "path-collision", _E, "Two paths differ only in case or Unicode normal form; many systems can hold only one of them.", "Rename one of them."),
    Code("KB315", "unportable-name", _E, "The file's name cannot be held by every system.", "Rename it to its id."),
    Code("KB316", "symbolic-link", _W, "Symbolic links are not followed, so what lies behind this one is not read.", "Put the file or folder itself here."),
    Code("KB317", "duplicate-statement-id", _E, "Two statements of a file have one id. The one that it was minted for keeps it.", "Run 'kb fmt', which mints the other anew."),
    Code("KB318", "unknown-successor", _E, "'superseded by' names no statement.", "Name the id of the statement that took its place."),
    Code("KB319", "unknown-speaker", _E, "'by' names no entity.", "Write the entity's id."),
    Code("KB401", "bad-date", _E, "A date is impossible, reversed or not EDTF. The statement is read without it.", "Write it as the hint says."),
    Code("KB402", "uncited-statement", _W, "A statement cites no observation, so nothing shows where it comes from.", "Cite the observation that says it: [^observation-id].", strict=True),
    Code("KB403", "missing-observation", _E, "No observation has the cited id.", "Mend the citation, or add the observation."),
    Code("KB404", "quote-not-found", _E, "A note in double quotes is a verbatim quote, and it occurs in no cited observation.", "Quote what the observation says, or remove the quotation marks."),
    Code("KB405", "unsealed-observation", _W, "The observation has no seal, so a later change to it would not be noticed.", "Run 'kb seal'."),
    Code("KB406", "broken-seal", _E, "The observation's text is not the one that was sealed.", "Restore the text; if the source itself was wrong, file a new observation."),
    Code("KB407", "unknown-kind", _W, "The observation's kind is none of the format's.", "Use one of them; 'note' fits what fits nowhere else."),
    Code("KB409", "unknown-derivation", _E, "'derived_from' names no observation, or the observation itself.", "Mend the id."),
    Code("KB411", "bad-decision", _E, "A decision's fields are incomplete or name what does not exist.", "Give 'decision:' one of the format's words and 'about:' the ids that it is about."),
    Code("KB501", "sealed-text-changed", _E, "The last commit holds this observation with another seal: its text was changed after it was sealed.", "Restore it from git; file what is new as a new observation."),
    Code("KB901", "bad-configuration", _E, "kb.yaml does not parse or is no mapping. The built-in vocabulary is used.", "Mend the YAML."),
    Code("KB902", "unknown-version", _E, "kb.yaml names a version of the format that this program does not read.", "Write 'kb: 1', or use a newer program."),
    Code("KB903", "unknown-setting", _W, "kb.yaml has a setting that nothing reads.", "Mend its spelling or remove it."),
    Code("KB904", "bad-setting", _E, "A setting in kb.yaml has a value that it cannot have, and is left out.", "Write a value as the hint says."),
    Code("KB905", "vocabulary-conflict", _E, "A word of the vocabulary means two things, or refers to a word that is missing.", "Rename or remove one of them."),
)

#: Every code by its number.
CATALOGUE = {entry.code: entry for entry in _ENTRIES}
