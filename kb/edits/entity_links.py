"""Who links to an entity or an observation: in statements, free text, judgements and the fields of observations.

Asks the graph file which files may, and reads those. Plans nothing.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kb.edits.workspace import Workspace
from kb.graph.known_files import BaseFiles
from kb.load import load_file
from kb.model.entity import EntityFile
from kb.model.names import fold, stem_of
from kb.model.observation import ObservationFile
from kb.model.statement import Link, StatementLine
from kb.syntax.inline import iter_links
from kb.syntax.observation_file import find_links


class FoundLink(NamedTuple):
    """A link, and what it stands in."""

    link: Link
    line: StatementLine | None = None  #: ``None``: in free text
    is_verbatim: bool = False  #: inside a quote, which stays what the source says
    is_definition: bool = False  #: in the definition of a footnote


class LinkingFile(NamedTuple):
    """A file that links somewhere, with those links of it."""

    file: EntityFile | ObservationFile
    data: bytes
    links: tuple[FoundLink, ...]


def find_linking(
    workspace: Workspace, words: Iterable[str], own: str, id: str, what: str = "entity"
) -> Iterator[LinkingFile]:
    """Yield the files, the own path left out, with their links that lead to an entity's own id; by path.

    ``words`` are what such links are written with: a stem, an id, names. ``what`` may be ``observation``.
    """
    for path in _paths_asking(workspace, words):
        if path == own:
            continue
        file, data = load_file(workspace.root, path)
        if data is None or file.is_broken:
            continue
        links = tuple(
            found for found in iter_found_links(file) if _goal(workspace, found, path, what) == id
        )
        if links:
            yield LinkingFile(file, data, links)


def find_links_by_name(workspace: Workspace, id: str, name: str) -> tuple[str, ...]:
    """List the ids of the files that link to an entity by a name."""
    path = workspace.places.path_of(id) or ""
    return tuple(
        one.file.id
        for one in find_linking(workspace, (name,), path, id)
        if any(fold(found.link.target) == fold(name) for found in one.links)
    )


def find_said_by(workspace: Workspace, id: str, own: str) -> tuple[str, ...]:
    """List the ids of the files with a statement that names an entity as its speaker, once for each; not the own path."""
    found: list[str] = []
    for path in _paths_asking(workspace, (id,)):
        file, _ = load_file(workspace.root, path)
        if isinstance(file, EntityFile) and path != own:
            found += [file.id for line in file.statements if line.by == id]
    return tuple(found)


def iter_found_links(file: EntityFile | ObservationFile) -> Iterator[FoundLink]:
    """Yield the links of a file, each once, footnote definitions among them."""
    if isinstance(file, ObservationFile):
        yield from map(FoundLink, find_links(file))
        return
    seen: set[int] = set()
    for found in _iter_all(file):
        if found.link.start not in seen:
            seen.add(found.link.start)
            yield found


def _iter_all(file: EntityFile) -> Iterator[FoundLink]:
    for line in file.statements:
        if line.link is not None:
            yield FoundLink(line.link, line)
        for link in line.mentions:
            is_verbatim = line.quote is not None and link.start >= line.note_start
            yield FoundLink(link, line, is_verbatim)
    for footnote in file.footnotes:
        for link in iter_links(file.text[footnote.start : footnote.end], footnote.start):
            yield FoundLink(link, is_definition=True)
    yield from map(FoundLink, file.links)


def find_judging(workspace: Workspace, id: str) -> tuple[list[str], list[str]]:
    """List the ids of the files that redirect to an id, and of those that say that they are distinct from it."""
    redirecting, parting = [], []
    for path in _paths_judging(workspace):
        file, _ = load_file(workspace.root, path)
        if isinstance(file, EntityFile) and file.id != id:
            if file.merged_into is not None and file.merged_into.text == id:
                redirecting.append(file.id)
            if any(name.text == id for name in file.distinct_from):
                parting.append(file.id)
    return redirecting, parting


def words_for(path: str, id: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """List the words that links to a file are written with."""
    return (stem_of(path), id, *names)


def _goal(workspace: Workspace, found: FoundLink, path: str, what: str) -> str | None:
    target = workspace.links.resolve(found.link, path)
    return target.id if what == "entity" else target.observation


def _paths_asking(workspace: Workspace, words: Iterable[str]) -> list[str]:
    opened = workspace.base.opened
    if opened is None:
        corpus = workspace.base.corpus
        paths = [file.path for file in corpus.entities]
        return paths + [file.path for file in corpus.observations]
    layers = [BaseFiles(opened.base)]
    layers += [BaseFiles(opened.changes)] if opened.changes is not None else []
    folded = set(map(fold, words))
    return sorted({path for layer in layers for word in folded for path in layer.consulting(word)})


def _paths_judging(workspace: Workspace) -> list[str]:
    opened = workspace.base.opened
    if opened is None:
        return [file.path for file in workspace.base.corpus.entities]
    paths = set(BaseFiles(opened.base).judging)
    if opened.changes is not None:
        paths |= BaseFiles(opened.changes).judging
    return sorted(paths)
