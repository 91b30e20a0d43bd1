"""The table of diagnostic codes: never reused, never renumbered. ``kb explain`` and the documentation print it.

By hundred: 1 syntax, 2 schema, 3 links and identity, 4 observations, time and sources, 5 git, 9 configuration.
Long because it is data: one entry a code, with the example that tests provoke it by.
"""

from dataclasses import dataclass

from kb.diagnostics import Severity
from kb.errors import UsageError

_E, _W = Severity.ERROR, Severity.WARNING


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding."""

    code: str
    name: str
    severity: Severity
    summary: str  #: what is wrong, and why it matters
    remedy: str  #: what to do
    #: what provokes it: lines of a file; those in parentheses say what lines cannot
    example: str = ""
    strict: bool = False  #: a warning that ``strict`` makes an error

    @property
    def hint(self) -> str:
        """The remedy as a hint: for findings that have none of their own."""
        return self.remedy[:1].lower() + self.remedy[1:].removesuffix(".")


_ENTRIES = (
    Code(
        "KB101",
        "unterminated-frontmatter",
        _E,
        "The file begins with '---' but the block is never closed, so nothing tells fields from text. The body is not guessed.",
        "End the block with a line that holds only '---'.",
        example="---\nid: ada",
    ),
    Code(
        "KB102",
        "no-frontmatter",
        _E,
        "A file under entities/ or observations/ does not begin with a frontmatter block.",
        "Begin it with '---', then at least 'id:', then '---'; or move the file elsewhere.",
        example="Ada is a person.",
    ),
    Code(
        "KB103",
        "yaml-syntax",
        _E,
        "The frontmatter is no YAML. The file is kept and listed, its statements are not read.",
        "Put values that hold ': ', '#' or begin with a sign such as @ or ` into double quotes.",
        example="name: Ada: a life",
    ),
    Code(
        "KB104",
        "duplicate-yaml-key",
        _E,
        "A frontmatter key stands twice. The first one counts; nothing is decided by which came last.",
        "Keep one of the two.",
        example="name: Ada\nname: Ada Lovelace",
    ),
    Code(
        "KB105",
        "yaml-anchor",
        _E,
        "The frontmatter uses an anchor, an alias or a merge key, with which a value can stand far from where it is read.",
        "Write the value out.",
        example="aliases: &names [Countess]",
    ),
    Code(
        "KB106",
        "yaml-tag",
        _E,
        "The frontmatter uses a YAML tag. Every scalar is text here, so a tag can only mislead.",
        "Remove the tag.",
        example="name: !!str Ada",
    ),
    Code(
        "KB107",
        "frontmatter-not-a-mapping",
        _E,
        "The frontmatter is a list or a single value.",
        "Write 'key: value' lines.",
        example="---\n- ada\n---",
    ),
    Code(
        "KB108",
        "frontmatter-too-large",
        _E,
        "The frontmatter is larger than 64 KiB and is not parsed.",
        "Move the text below the block.",
        example="letters: xxxxxxxxxxxxxxxxxxxx…",
    ),
    Code(
        "KB109",
        "frontmatter-too-deep",
        _E,
        "The frontmatter is nested more than 20 levels deep and is not parsed.",
        "Keep it flat.",
        example="deep: [[[[[[[[[[[[[[[[[[[[[[[[[…",
    ),
    Code(
        "KB110",
        "second-frontmatter",
        _W,
        "A second block follows the frontmatter directly. It is read as text, so its fields count for nothing.",
        "Move its fields into the first block.",
        example="---\nid: ada\n---\n---\ntype: person\n---",
    ),
    Code(
        "KB111",
        "byte-order-mark",
        _W,
        "The file begins with a byte order mark. It is read, and kept when the file is edited.",
        "Save the file as UTF-8 without BOM.",
        example="(the bytes EF BB BF before the first '---')",
    ),
    Code(
        "KB112",
        "mixed-line-ends",
        _W,
        "The file mixes CRLF and LF, or holds lone carriage returns. It is read, and each line keeps its end.",
        "Save the file with one kind of line end.",
        example="(CRLF after '---', LF after the next line)",
    ),
    Code(
        "KB113",
        "not-utf8",
        _E,
        "The file holds bytes that are no UTF-8. The rest of it is read; the bytes are kept.",
        "Save the file as UTF-8.",
        example="(the byte E9, which is é in Latin-1: Caf\\xe9)",
    ),
    Code(
        "KB114",
        "file-too-large",
        _E,
        "The file is larger than 4 MiB and is not read.",
        "Split it, or keep the source elsewhere and cite its address.",
        example="(entities/person/ada.md with 5 MiB of text)",
    ),
    Code(
        "KB115",
        "conflict-marker",
        _E,
        "The file holds the markers of an unfinished merge. Fenced code counts too, since the fence may be half of one side.",
        "Finish the merge and delete the markers.",
        example="<<<<<<< HEAD\nA mathematician.\n=======\nA poet.\n>>>>>>> theirs",
    ),
    Code(
        "KB116",
        "frontmatter-ends-with-dots",
        _E,
        "The frontmatter ends with '...', which other tools do not read as an end.",
        "End it with '---'.",
        example="---\nid: ada\n...",
    ),
    Code(
        "KB117",
        "unreadable-file",
        _E,
        "The system does not let the file or folder be read.",
        "Mend its permissions.",
        example="(a named pipe called entities/person/ada.md, or a file with mode 000)",
    ),
    Code(
        "KB120",
        "not-a-statement",
        _E,
        "An item of a statement section has no predicate, so it says nothing that can be queried.",
        "Write '- predicate:: [Name](file.md)' in Relations, '- predicate:: value' in Facts.",
        example="- Head of Partnerships",
    ),
    Code(
        "KB121",
        "one-colon",
        _E,
        "One colon stands after what looks like a predicate.",
        "Write two: 'predicate:: …'.",
        example="- title: Head of Partnerships",
    ),
    Code(
        "KB122",
        "task-box",
        _E,
        "An item of a statement section begins with a task box.",
        "Remove the box, or move the task out of the section.",
        example="- [ ] title:: Head of Partnerships",
    ),
    Code(
        "KB123",
        "bare-name",
        _E,
        "The object of a relation is a bare name. Names do not decide who is meant.",
        "Link the entity's file.",
        example="- related-to:: Bob [^2026-01-15-offsite]",
    ),
    Code(
        "KB124",
        "two-links",
        _E,
        "One item holds two objects. The first is read, the others are not.",
        "Give each its own item.",
        example="- related-to:: [Bob](bob.md), [Northpeak](../company/northpeak.md) [^2026-01-15-offsite]",
    ),
    Code(
        "KB125",
        "citation-in-the-middle",
        _E,
        "A citation stands before the end of the statement and counts for nothing.",
        "Move it to the end, before the ^id.",
        example="- title:: Head [^2026-01-15-offsite] of Partnerships [^2026-01-15-offsite]",
    ),
    Code(
        "KB126",
        "qualifier-after-note",
        _W,
        "A parenthesis of qualifiers stands after the note and is read as part of it.",
        "Move it before the ' — '.",
        example="- title:: Head of Partnerships — from now on (2026-01) [^2026-01-15-offsite]",
    ),
    Code(
        "KB127",
        "unknown-qualifier",
        _E,
        "Something in a relation's parenthesis is no qualifier, or a qualifier has an impossible value.",
        "Keep a time, 90%, 'by <entity id>', auto-high|medium|low, retracted, 'superseded by ^id'; say the rest in the note.",
        example="- related-to:: [Bob](bob.md) (distantly) [^2026-01-15-offsite]",
    ),
    Code(
        "KB128",
        "mixed-qualifiers",
        _E,
        "In a fact's parenthesis some items are qualifiers and some are not.",
        "Make all of them qualifiers, or put the value with its parenthesis into a code span.",
        example="- title:: Head of Partnerships (2026-01, acting) [^2026-01-15-offsite]",
    ),
    Code(
        "KB129",
        "parenthesis-like-a-time",
        _W,
        "A fact's parenthesis looks like a time but is none, so it is read as part of the value.",
        "Write an EDTF date, or put the value into a code span.",
        example="- title:: Head of Partnerships (15.01.2026) [^2026-01-15-offsite]",
    ),
    Code(
        "KB131",
        "text-after-link",
        _E,
        "Text between a relation's link and its note is not read.",
        "Make it a note: ' — …'.",
        example="- related-to:: [Bob](bob.md) since school [^2026-01-15-offsite]",
    ),
    Code(
        "KB132",
        "not-a-sub-item",
        _E,
        "An indented item under a statement is not of the form 'name:: text'.",
        "Write 'name:: text', or move the item to the left.",
        example="- title:: Head of Partnerships [^2026-01-15-offsite]\n  - for the time being",
    ),
    Code(
        "KB133",
        "stray-text",
        _W,
        "Text in a statement section is no statement. It is kept and not read.",
        "Make it an item, or move it above the section.",
        example="## Facts\n\nShe heads partnerships.",
    ),
    Code(
        "KB134",
        "second-section",
        _W,
        "A file has two sections of one kind. Both are read.",
        "Move the items into the first.",
        example=(
            "## Facts\n"
            "\n"
            "- title:: Head [^2026-01-15-offsite]\n"
            "\n"
            "## Facts\n"
            "\n"
            "- role:: lead [^2026-01-15-offsite]"
        ),
    ),
    Code(
        "KB135",
        "hidden-section",
        _W,
        "A heading Relations or Facts stands in a quote, a list or an HTML comment, and begins no section.",
        "Move it to the beginning of a line of its own.",
        example="> ## Facts",
    ),
    Code(
        "KB136",
        "section-in-open-fence",
        _W,
        "A code block that is never closed swallows a heading Relations or Facts.",
        "Close the code block.",
        example="```text\n## Facts",
    ),
    Code(
        "KB137",
        "missing-object",
        _E,
        "Nothing stands after the predicate.",
        "Write the link or the value after '::'.",
        example="- title::",
    ),
    Code(
        "KB138",
        "bad-predicate",
        _E,
        "What stands before '::' is no predicate: letters, marks and digits, joined by '-' or '_'.",
        "Join the words with '-'.",
        example="- job title:: Head of Partnerships [^2026-01-15-offsite]",
    ),
    Code(
        "KB139",
        "numbered-item",
        _E,
        "A numbered item stands in a statement section.",
        "Begin it with '- '.",
        example="1. title:: Head of Partnerships [^2026-01-15-offsite]",
    ),
    Code(
        "KB140",
        "repeated-qualifier",
        _E,
        "A statement has two times, two confidences or the like. The first is read.",
        "Keep one.",
        example="- title:: Head of Partnerships (2026-01, 2026-02) [^2026-01-15-offsite]",
    ),
    Code(
        "KB141",
        "section-by-another-name",
        _W,
        "Items that look like statements stand under a heading that is nearly Relations or Facts. They are not read.",
        "Write '## Relations' or '## Facts'.",
        example="## Relation\n\n- mentors:: [Bob](bob.md) [^2026-01-15-offsite]",
    ),
    Code(
        "KB142",
        "value-like-more",
        _W,
        "The end of a fact's value looks like a note or a citation, but is read as part of the value.",
        "Begin a note with ' — ' (an em dash), write a citation as [^id], or put the value into a code span.",
        example='- title:: Head - "Dana heads it." [^2026-01-15-offsite]',
    ),
    Code(
        "KB201",
        "missing-id",
        _E,
        "The file has no id. It is read under its stem.",
        "Write 'id:' with the file's stem.",
        example="---\nname: Ada\n---",
    ),
    Code(
        "KB202",
        "bad-id",
        _E,
        "An id is lower-case ASCII letters and digits in groups joined by single '-', at most 80 characters.",
        "Use the id that the hint offers, and rename the file to it.",
        example="id: Ada Lovelace",
    ),
    Code(
        "KB203",
        "id-is-not-the-stem",
        _E,
        "The id differs from the file's stem, so links to the file lead elsewhere.",
        "Rename the file, or mend the id if nothing refers to it yet.",
        example="(in ada.md)\nid: ada-lovelace",
    ),
    Code(
        "KB204",
        "bad-field",
        _E,
        "A reserved frontmatter field has the wrong shape and is not read.",
        "Write one text, or a list of texts, as the hint says.",
        example="name: [Ada, Lovelace]",
    ),
    Code(
        "KB205",
        "unknown-type",
        _W,
        "The vocabulary has no such entity type.",
        "Use a type that it has, or add it under 'types:' in kb.yaml.",
        example="type: persn",
        strict=True,
    ),
    Code(
        "KB206",
        "unknown-predicate",
        _W,
        "The vocabulary has no such predicate. The statement is read all the same.",
        "Use a word that it has, or add it to kb.yaml.",
        example="- relatd-to:: [Bob](bob.md) [^2026-01-15-offsite]",
        strict=True,
    ),
    Code(
        "KB207",
        "type-not-admitted",
        _W,
        "The relation does not admit an entity of this type at this end.",
        "Use another relation, mend the entity's type, or widen the relation in kb.yaml.",
        example="- reports-to:: [Northpeak](../company/northpeak.md) [^2026-01-15-offsite]",
        strict=True,
    ),
    Code(
        "KB208",
        "bad-key",
        _E,
        "A key is 'kind:value'; this one is not read.",
        "Write kind:value, without a blank after the colon.",
        example="keys: [dreyes]",
    ),
    Code(
        "KB209",
        "unknown-key-kind",
        _W,
        "The vocabulary has no such kind of key.",
        "Add it under 'keys:' in kb.yaml.",
        example='keys: ["mail:ada@northpeak.example"]',
        strict=True,
    ),
    Code(
        "KB210",
        "unfit-key",
        _W,
        "A key does not fit its kind (no mail address, no domain, no ORCID, not its pattern, more than the bare key, a character that nobody sees, a letter of another script) or the entity's type: shared mailboxes are no person's key, free-mail domains no company's, phone numbers nobody's.",
        "Mend or move the key.",
        example='type: person\nkeys: ["email:sales@northpeak.example"]',
        strict=True,
    ),
    Code(
        "KB211",
        "value-not-of-its-kind",
        _W,
        "The vocabulary says that this fact's value is a date, a number or a URL, and it is not.",
        "Mend the value.",
        example=(
            "(with 'pilot-start: {value: date}' in kb.yaml)\n"
            "- pilot-start:: next Monday [^2026-01-15-offsite]"
        ),
        strict=True,
    ),
    Code(
        "KB212",
        "wrong-section",
        _W,
        "A relation's word stands in Facts, or a fact's word in Relations.",
        "Move the item to the other section.",
        example="## Facts\n\n- reports-to:: Bob [^2026-01-15-offsite]",
    ),
    Code(
        "KB213",
        "note-required",
        _E,
        "The relation says nothing without a note.",
        "Say in a note ' — …' what relates the two.",
        example="- custom:: [Bob](bob.md) [^2026-01-15-offsite]",
    ),
    Code(
        "KB214",
        "bare-hypothesis",
        _W,
        "A hypothesis names neither alternatives nor a prediction, so nothing can speak against it.",
        "Add indented 'alternatives:: …' and 'prediction:: …' under it.",
        example="- possibly-caused-by:: [Bob](bob.md) [^2026-01-15-offsite]",
    ),
    Code(
        "KB215",
        "unfounded-cause",
        _E,
        "An established cause must cite an observation that a person said, and cannot be a suggestion.",
        "Cite what a person said, or write possibly-caused-by.",
        example=(
            "(the observation has no 'said_by')\n- caused-by:: [Bob](bob.md) [^2026-01-15-offsite]"
        ),
    ),
    Code(
        "KB216",
        "contested-value",
        _W,
        "Several current values of a single-valued predicate overlap in time and none supersedes the others.",
        "End one, mark it retracted or superseded, or leave the contest on record.",
        example=(
            "- title:: Head of Partnerships [^2026-01-15-offsite]\n"
            "- title:: Head of Sales [^2026-01-15-offsite]"
        ),
    ),
    Code(
        "KB217",
        "self-relation",
        _W,
        "An entity is related to itself.",
        "Mend the link.",
        example="(in ada.md)\n- related-to:: [Ada Lovelace](ada.md) [^2026-01-15-offsite]",
    ),
    Code(
        "KB218",
        "hierarchy-cycle",
        _W,
        "A relation that makes a hierarchy leads back to where it began.",
        "End or mend one of the relations in the circle.",
        example=(
            "(in ada.md)\n"
            "- reports-to:: [Bob](bob.md) [^2026-01-15-offsite]\n"
            "(in bob.md)\n"
            "- reports-to:: [Ada](ada.md) [^2026-01-15-offsite]"
        ),
        strict=True,
    ),
    Code(
        "KB219",
        "replaced-predicate",
        _W,
        "The vocabulary has replaced this predicate by another.",
        "Use the new word.",
        example=(
            "(with 'knows: {replaced_by: related-to}' in kb.yaml)\n"
            "- knows:: [Bob](bob.md) [^2026-01-15-offsite]"
        ),
    ),
    Code(
        "KB220",
        "self-hierarchy",
        _E,
        "An entity stands above itself in a hierarchy.",
        "Mend the link.",
        example="(in ada.md)\n- reports-to:: [Ada Lovelace](ada.md) [^2026-01-15-offsite]",
    ),
    Code(
        "KB221",
        "field-by-another-name",
        _W,
        "A frontmatter field is nearly one that means something. Nothing reads it.",
        "Write the field as the hint says.",
        example="alias: [Countess]",
    ),
    Code(
        "KB301",
        "dangling-link",
        _E,
        "No entity has the id or name that is linked.",
        "Mend the link, or make the entity.",
        example="- related-to:: [Northpeak](../company/north-peak.md) [^2026-01-15-offsite]",
    ),
    Code(
        "KB302",
        "stale-link",
        _W,
        "The link's folder is not where the entity's file lies. Its stem decides, so it is read.",
        "Run 'kb fmt'.",
        example=(
            "(the file is entities/company/northpeak.md)\n"
            "- related-to:: [Northpeak](northpeak.md) [^2026-01-15-offsite]"
        ),
    ),
    Code(
        "KB303",
        "link-outside",
        _E,
        "The link leads out of the knowledge base: an absolute path, a file: address, a backslash, or too many '..'.",
        "Link the entity's file by a relative path.",
        example="- related-to:: [Bob](../../../else/bob.md) [^2026-01-15-offsite]",
    ),
    Code(
        "KB304",
        "not-an-entity-link",
        _E,
        "The object of a relation must be an entity's file: not a web address, a folder or an observation.",
        "Link the entity's .md file; say an address in a fact or in the note.",
        example="- related-to:: [Bob](https://bob.example/) [^2026-01-15-offsite]",
    ),
    Code(
        "KB305",
        "ambiguous-name-link",
        _E,
        "A link by name fits several entities.",
        "Link the id: [[id|Name]].",
        example=(
            "(Bob Reed and Bob Stone both have the alias Bobby)\n"
            "- related-to:: [[Bobby]] [^2026-01-15-offsite]"
        ),
    ),
    Code(
        "KB306",
        "duplicate-id",
        _E,
        "Two files claim one id. Neither wins: the id is ambiguous.",
        "Give one of them another id and stem.",
        example="(in entities/company/ada.md and entities/person/ada.md)\nid: ada",
    ),
    Code(
        "KB307",
        "shared-key",
        _W,
        "Two entities bear one key, so they may be the same.",
        "If they are: kb merge SURVIVOR OTHER --why TEXT; if not, take the key from one: kb set ID keys KEY --remove.",
        example='(in ada.md)\nkeys: ["github:ada"]\n(in bob.md)\nkeys: ["github:Ada"]',
        strict=True,
    ),
    Code(
        "KB308",
        "shared-name",
        _W,
        "Two entities bear one name or alias; look-ups by it answer with both.",
        "If they are one: kb merge SURVIVOR OTHER --why TEXT; if not: kb distinct ONE OTHER --why TEXT.",
        example="(in ada.md)\naliases: [Bobby]\n(in bob.md)\nname: Bobby",
    ),
    Code(
        "KB309",
        "alias-is-an-id",
        _W,
        "An alias is another entity's id. The id wins.",
        "Remove the alias.",
        example="(while there is an entity bob)\naliases: [Bob]",
    ),
    Code(
        "KB310",
        "bad-redirect",
        _E,
        "'merged_into' names itself, a missing entity, or leads in a circle. Nothing is redirected.",
        "Name the surviving entity's id.",
        example="merged_into: ada-byron",
    ),
    Code(
        "KB311",
        "redirect-across-types",
        _E,
        "'merged_into' joins two entities of different types. Nothing is redirected.",
        "Mend one of the types, or the redirect.",
        example="type: person\nmerged_into: northpeak",
    ),
    Code(
        "KB312",
        "distinct-but-merged",
        _E,
        "Two entities that are judged distinct are merged. 'distinct_from' wins: the merge is not followed.",
        "Remove one of the two judgements.",
        example="merged_into: bob\ndistinct_from: [bob]",
    ),
    Code(
        "KB313",
        "unknown-distinct",
        _E,
        "'distinct_from' names no entity, or the entity itself.",
        "Mend the id.",
        example="distinct_from: [rob]",
    ),
    Code(
        "KB314",
        "path-collision",
        _E,
        "Two paths differ only in case or Unicode normal form; many systems can hold only one of them.",
        "Rename one of them.",
        example="(entities/person/ beside entities/Person/)",
    ),
    Code(
        "KB315",
        "unportable-name",
        _E,
        "The file's name cannot be held by every system.",
        "Rename it to its id.",
        example="(a file called 'ada: a life.md')",
    ),
    Code(
        "KB316",
        "symbolic-link",
        _W,
        "Symbolic links are not followed, so what lies behind this one is not read.",
        "Put the file or folder itself here.",
        example="(entities/person/ada.md is a link to /etc/passwd)",
    ),
    Code(
        "KB317",
        "duplicate-statement-id",
        _E,
        "Two statements of a file have one id. The one that it was minted for keeps it.",
        "Run 'kb fmt', which mints the other anew.",
        example=(
            "- title:: Head [^2026-01-15-offsite] ^b7h2r4tc\n"
            "- role:: lead [^2026-01-15-offsite] ^b7h2r4tc"
        ),
    ),
    Code(
        "KB318",
        "unknown-successor",
        _E,
        "'superseded by' names no statement.",
        "Name the id of the statement that took its place.",
        example="- title:: Head (superseded by ^b7h2r4tc) [^2026-01-15-offsite]",
    ),
    Code(
        "KB319",
        "unknown-speaker",
        _E,
        "'by' names no entity.",
        "Write the entity's id.",
        example="- title:: Head of Partnerships (by bobb) [^2026-01-15-offsite]",
    ),
    Code(
        "KB320",
        "id-of-both",
        _W,
        "An observation has the id of an entity, which hides it: a command that takes either reads the entity.",
        "Give one of them another id and stem; where an observation is cited, mend the citations.",
        example="(in observations/2026/01/ada.md, while there is an entity ada)\nid: ada",
    ),
    Code(
        "KB401",
        "bad-date",
        _E,
        "A date is impossible, reversed or not EDTF. The statement is read without it.",
        "Write it as the hint says.",
        example="- related-to:: [Bob](bob.md) (2026-02-30) [^2026-01-15-offsite]",
    ),
    Code(
        "KB402",
        "uncited-statement",
        _W,
        "A statement cites no observation, so nothing shows where it comes from.",
        "Cite the observation that says it: [^observation-id].",
        example="- title:: Head of Partnerships",
        strict=True,
    ),
    Code(
        "KB403",
        "missing-observation",
        _E,
        "No observation has the cited id.",
        "Mend the citation, or add the observation.",
        example="- title:: Head of Partnerships [^2026-01-16-offsite]",
    ),
    Code(
        "KB404",
        "quote-not-found",
        _E,
        "A note in double quotes is a verbatim quote, and it occurs in no cited observation.",
        "Quote what the observation says, or remove the quotation marks.",
        example=(
            "(the observation says: Dana now heads partnerships.)\n"
            '- title:: Head — "Dana heads partnerships." [^2026-01-15-offsite]'
        ),
    ),
    Code(
        "KB405",
        "unsealed-observation",
        _W,
        "The observation has no seal, so a later change to it would not be noticed.",
        "Run 'kb seal'.",
        example="---\nid: 2026-01-15-offsite\nkind: note\nhappened_at: 2026-01-15\n---\n\nSaid.",
    ),
    Code(
        "KB406",
        "broken-seal",
        _E,
        "The observation's text is not the one that was sealed.",
        "Restore the text; if the source itself was wrong, file a new observation.",
        example="sha256: 0000000000000000000000000000000000000000000000000000000000000000",
    ),
    Code(
        "KB407",
        "unknown-kind",
        _W,
        "The observation's kind is none of the format's.",
        "Use one of them; 'note' fits what fits nowhere else.",
        example="kind: meting",
    ),
    Code(
        "KB409",
        "unknown-derivation",
        _E,
        "'derived_from' names no observation, or the observation itself.",
        "Mend the id.",
        example="derived_from: [2026-01-14-offsite]",
    ),
    Code(
        "KB411",
        "bad-decision",
        _E,
        "A decision's fields are incomplete or name what does not exist, or its kind is another one: then it counts for nothing.",
        "Write 'kind: decision', 'decision:' one of the format's words, and 'about:' the ids that it is about.",
        example="kind: decision\ndecision: merge\nabout: [ada, ada-byron]",
    ),
    Code(
        "KB501",
        "sealed-text-changed",
        _E,
        "The last commit holds this observation with another seal: its text was changed after it was sealed.",
        "Restore it from git; file what is new as a new observation.",
        example="(after a commit, the body is edited and sealed anew)",
    ),
    Code(
        "KB901",
        "bad-configuration",
        _E,
        "kb.yaml does not parse or is no mapping. The built-in vocabulary is used.",
        "Mend the YAML.",
        example="kb: 1\nname: North: peak",
    ),
    Code(
        "KB902",
        "unknown-version",
        _E,
        "kb.yaml names a version of the format that this program does not read.",
        "Write 'kb: 1', or use a newer program.",
        example="kb: 2",
    ),
    Code(
        "KB903",
        "unknown-setting",
        _W,
        "kb.yaml has a setting that nothing reads.",
        "Mend its spelling or remove it.",
        example="strickt: true",
    ),
    Code(
        "KB904",
        "bad-setting",
        _E,
        "A setting in kb.yaml has a value that it cannot have, and is left out.",
        "Write a value as the hint says.",
        example="strict: perhaps",
    ),
    Code(
        "KB905",
        "vocabulary-conflict",
        _E,
        "A word of the vocabulary means two things, or refers to a word that is missing.",
        "Rename or remove one of them.",
        example="types:\n  ticket: {is: wrok}",
    ),
)

#: Every code by its number.
CATALOGUE = {entry.code: entry for entry in _ENTRIES}


def get_code(written: str) -> Code:
    """Get an entry by its code, its number or its name: ``KB301``, ``301``, ``dangling-link``."""
    word = written.strip().casefold()
    for entry in _ENTRIES:
        if word in (entry.code.casefold(), entry.code[2:], entry.name):
            return entry
    from difflib import get_close_matches

    names = [name for entry in _ENTRIES for name in (entry.name, entry.code.casefold())]
    near = [
        name.upper() if name.startswith("kb") else name for name in get_close_matches(word, names)
    ]
    hint = f"did you mean {' or '.join(near)}?" if near else "see docs/diagnostics.md for all codes"
    raise UsageError(f'there is no diagnostic code "{written}"', hint)
