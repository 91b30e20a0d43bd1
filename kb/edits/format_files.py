"""``kb fmt``: write down what is derived in entity files by the smallest edits. Never moves a line.

Statement ids, footnote definitions, the folder part of links, and links by name. A file whose edit would read
otherwise than before is left alone and reported.
"""

import difflib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kb.edits.assign_ids import AssignedId, assign_ids
from kb.edits.footnotes import (
    CitedSource,
    FootnoteEdits,
    cited_source,
    plan_footnotes,
    without_added,
)
from kb.edits.results import UNREAD, SkippedFile
from kb.edits.write_changes import write_changes
from kb.edits.writing import check_configuration
from kb.errors import UsageError
from kb.graph.build import Resolution
from kb.graph.links import Landing
from kb.knowledge_base import KnowledgeBase
from kb.model.entity import EntityFile
from kb.model.statement import Link, LinkForm, StatementLine
from kb.store.git import read_blobs, tree_blobs
from kb.store.layout import is_within, relative_link
from kb.store.references import head_commit
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.inline import format_link, quote_target
from kb.syntax.source import Source, decode
from kb.syntax.splices import Splice, apply_splices, retarget_link
from kb.syntax.statement_lines import parse_statement

_ENDS_IN_FENCE = re.compile(r"[\r\n][ \t]*(?:`{3,}|~{3,})[^\r\n]*\Z")


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """What formatting changes in one file."""

    path: str
    ids_minted: int = 0  #: statements that bore none
    ids_reminted: int = 0  #: statements that bore another's
    links_mended: int = 0  #: folder parts
    links_pinned: int = 0  #: links by name that now say the id
    footnotes_added: int = 0
    footnotes_mended: int = 0
    footnotes_removed: int = 0
    before: str = field(default="", repr=False)
    after: str = field(default="", repr=False)

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (self.before, self.after))
        lines = difflib.unified_diff(old, new, f"a/{self.path}", f"b/{self.path}")
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )


@dataclass(frozen=True, slots=True)
class Formatting:
    """What ``kb fmt`` did, or with ``check`` would do."""

    changed: tuple[FormattedFile, ...]
    skipped: tuple[SkippedFile, ...]
    unchanged: int
    is_written: bool


def format_files(
    base: KnowledgeBase, paths: Sequence[str] = (), *, check: bool = False
) -> Formatting:
    """Format entity files: all, or those named (files or folders relative to the root, with ``/``).

    ``check`` writes nothing. Paths of other files are no error, so that a hook may pass whatever changed.
    """
    check_configuration(base.root)  # ids are of the words, and links of the form, that it says
    files = _selected(base, paths)
    sources = {
        id: cited_source(seen)
        for id, seen in base.resolution.observations.items()
        if not seen.is_broken
    }
    changed: list[FormattedFile] = []
    skipped: list[SkippedFile] = []
    for file in files:
        outcome = format_file(base, file, sources)
        if isinstance(outcome, SkippedFile):
            skipped.append(outcome)
        elif outcome is not None:
            changed.append(outcome)
    unchanged = len(files) - len(changed) - len(skipped)
    if not check and changed:
        changed = _write(base, changed, skipped)
    return Formatting(tuple(changed), tuple(skipped), unchanged, is_written=not check)


def format_file(
    base: KnowledgeBase, file: EntityFile, sources: Mapping[str, CitedSource]
) -> FormattedFile | SkippedFile | None:
    """Plan one file's formatting; ``None`` where it needs none."""
    source = base.corpus.sources.get(file.path)
    if source is None:
        return SkippedFile(file.path, UNREAD)
    if file.is_broken:
        return SkippedFile(file.path, "it does not parse")
    if not source.is_utf8:
        return SkippedFile(file.path, "it is not UTF-8")
    lines, counts = _plan_lines(base, file, source)
    edited = replace_text(source, apply_splices(source.text, lines)) if lines else source
    after, footnotes = with_footnotes(
        parse_entity_file(edited)[0] if lines else file, edited, sources
    )
    if after == source.text:
        return None
    if not _reads_the_same(base.resolution, file, after):
        return SkippedFile(file.path, "its statements would read otherwise afterwards")
    return replace(
        counts,
        footnotes_added=len(footnotes.labels),
        footnotes_mended=len(footnotes.mended),
        footnotes_removed=len(footnotes.removed),
        before=source.text,
        after=after,
    )


def replace_text(source: Source, text: str) -> Source:
    """Give a source with another text."""
    return Source(source.path, text, source.has_bom, source.is_utf8)


# -- which files, and writing them -------------------------------------------------------------------------------


def _selected(base: KnowledgeBase, paths: Sequence[str]) -> list[EntityFile]:
    if not paths:
        return list(base.corpus.entities)
    known = {*base.corpus.contents, *(file.path for file in base.corpus.entities)}
    for path in paths:
        if path and not any(is_within(one, path) for one in known):
            raise UsageError(
                f"no file of the knowledge base is called {path}",
                "give a path relative to its root",
            )
    return [
        file for file in base.corpus.entities if any(is_within(file.path, path) for path in paths)
    ]


def _write(
    base: KnowledgeBase, planned: list[FormattedFile], skipped: list[SkippedFile]
) -> list[FormattedFile]:
    missed = write_changes(
        base,
        [
            (change.path, replace_text(base.corpus.sources[change.path], change.after).encode())
            for change in planned
        ],
        "fmt",
    )
    skipped += [SkippedFile(path, reason) for path, reason in missed.items()]
    return [change for change in planned if change.path not in missed]


# -- statements: ids and links -----------------------------------------------------------------------------------


def _plan_lines(
    base: KnowledgeBase, file: EntityFile, source: Source
) -> tuple[list[Splice], FormattedFile]:
    drafts = base.resolution.drafts[file.path]
    splices: list[Splice] = []
    counts = Counter[str]()
    for assigned in assign_ids(drafts, lambda: _read_head(base, file.path)):
        line = assigned.line
        edit = _id_edit(source.text, assigned)
        if edit is not None:
            counts["ids_minted" if assigned.is_missing else "ids_reminted"] += 1
            splices.append(edit)
        elif assigned.is_missing and line.link is None:
            continue  # another link in the value would change the id that it is shown under
        for link in _mendable(line):
            kind, mended = _link_edit(base, file.path, source.text, link, link is line.link)
            if mended is not None:
                counts[kind] += 1
                splices.append(mended)
    return splices, FormattedFile(
        file.path,
        counts["ids_minted"],
        counts["ids_reminted"],
        counts["links_mended"],
        counts["links_pinned"],
    )


def _id_edit(text: str, assigned: AssignedId) -> Splice | None:
    line = assigned.line
    if assigned.is_missing:
        takes_it = _takes_id(text[line.start + 1 : line.end], line, assigned.id)
        return Splice(line.end, line.end, f" ^{assigned.id}") if takes_it else None
    if assigned.is_changed and line.id is not None:
        return Splice(line.end - len(line.id), line.end, assigned.id)
    return None


def _takes_id(item: str, line: StatementLine, id: str) -> bool:
    """Whether an id written at an item's end is read as one: not after a code fence, nor in an open code span."""
    if _ENDS_IN_FENCE.search(item):
        return False
    read, _ = parse_statement(f"{item} ^{id}", line.section)
    return read is not None and read.id == id and (read.value, read.note) == (line.value, line.note)


def _mendable(line: StatementLine) -> list[Link]:
    """The links that may be changed: none inside a verbatim quote, which must stay what the source says."""
    mentions = [
        link for link in line.mentions if line.quote is None or link.start < line.note_start
    ]
    return [line.link, *mentions] if line.link is not None else mentions


def _link_edit(
    base: KnowledgeBase, path: str, text: str, link: Link, is_object: bool
) -> tuple[str, Splice | None]:
    target = base.resolution.links.resolve(link, path)
    if target.id is None:
        return "", None
    if target.landing is Landing.STALE and link.form is LinkForm.MARKDOWN:
        goal = relative_link(path, base.resolution.identities.files[target.id].path)
        return "links_mended", retarget_link(text, link, goal)
    if target.landing is Landing.BY_NAME and is_object:
        return "links_pinned", _pin(base, path, text, link, target.id)
    return "", None


def _pin(base: KnowledgeBase, path: str, text: str, link: Link, id: str) -> Splice:
    """Write a link by name as a link to the id, under the name that was written."""
    inside = text[link.start : link.end].partition("|")[0].partition("#")[2].rstrip("]\\ ")
    anchor = f"#{inside}" if inside else ""
    label = link.label or link.target
    if base.settings.links is LinkForm.WIKI:
        return Splice(link.start, link.end, format_link(label, f"{id}{anchor}", LinkForm.WIKI))
    goal = relative_link(path, base.resolution.identities.files[id].path)
    pinned = format_link(label, goal)
    if anchor:
        pinned = f"{pinned[:-1]}#{quote_target(inside)})"
    return Splice(link.start, link.end, pinned)


def _read_head(base: KnowledgeBase, path: str) -> EntityFile | None:
    """Read the last commit's version of a file."""
    commit = head_commit(base.root)
    blobs = tree_blobs(base.root, commit, (path,)) if commit else None
    found = read_blobs(base.root, tuple((blobs or {}).values()))
    return next((parse_entity_file(decode(path, data))[0] for data in found.values()), None)


# -- footnotes, and the proof that nothing else changed ----------------------------------------------------------


def with_footnotes(
    file: EntityFile, source: Source, sources: Mapping[str, CitedSource]
) -> tuple[str, FootnoteEdits]:
    """Bring a text's definitions in order; none is added where the text's end would swallow it."""
    edits = plan_footnotes(file, source, sources)
    text = apply_splices(source.text, edits.splices)
    if edits.labels:
        read, _ = parse_entity_file(replace_text(source, text))
        if not set(edits.labels) <= {footnote.label for footnote in read.footnotes}:
            edits = without_added(edits)
            text = apply_splices(source.text, edits.splices)
    return text, edits


def _reads_the_same(resolution: Resolution, file: EntityFile, after: str) -> bool:
    """Whether a new text says what the file said, ids and where links lead from apart."""
    read, _ = parse_entity_file(Source(file.path, after))
    return _meaning(resolution, file) == _meaning(resolution, read)


def _meaning(resolution: Resolution, file: EntityFile) -> tuple[object, ...]:
    head = (
        file.id,
        file.type,
        file.name,
        file.aliases,
        file.keys,
        file.merged_into,
        file.distinct_from,
        file.fields,
    )
    return (
        *head,
        file.is_broken,
        tuple(_statement_meaning(resolution, file, line) for line in file.statements),
    )


def _statement_meaning(
    resolution: Resolution, file: EntityFile, line: StatementLine
) -> tuple[object, ...]:
    def goal(link: Link) -> object:
        return resolution.links.resolve(link, file.path).id or link.target

    has_mentions = any(
        resolution.links.resolve(link, file.path).is_entity for link in line.mentions
    )
    return (
        line.section,
        line.predicate,
        goal(line.link) if line.link else None,
        None if has_mentions else (line.value, line.note),
        line.interval,
        (line.confidence, line.by, line.auto, line.retracted, line.superseded_by),
        tuple(goal(link) for link in line.mentions),
        tuple(citation.observation for citation in line.citations),
        line.sub_items,
    )
