"""Links that lead nowhere, elsewhere, out of the root, or to several entities."""

import posixpath
from collections.abc import Iterator

from kb.checks.guesses import guess
from kb.checks.material import Material
from kb.diagnostics import Diagnostic
from kb.graph.links import Landing, LinkResolver, Target
from kb.model.entity import EntityFile
from kb.model.names import fold, stem_of
from kb.model.statement import Link, LinkForm
from kb.store.layout import relative_link
from kb.store.root import ENTITIES, OBSERVATIONS


def check_object_links(material: Material) -> Iterator[Diagnostic]:
    """Find relations whose link does not lead straight to one entity."""
    hints = _Hints(material)
    for draft in material.iter_drafts():
        if draft.line.link is not None:
            target = material.resolution.links.resolve(draft.line.link, draft.file.path)
            yield from _check_landing(material, draft.file, draft.line.link, target, hints)


def check_mentioned_links(material: Material) -> Iterator[Diagnostic]:
    """Find dangling links in values, notes and free text.

    Free text is the author's: a page that is still to be written may be linked ([[so]]), and so may whatever lies
    outside of our folders.
    """
    hints = _Hints(material)
    for file in material.resolution.files:
        for line in file.statements:
            for link in line.mentions:
                yield from _check_mention(material, file, link, hints)
        for link in file.links:
            if link.form is LinkForm.MARKDOWN:
                yield from _check_mention(material, file, link, hints)


def _check_mention(
    material: Material, file: EntityFile, link: Link, hints: "_Hints"
) -> Iterator[Diagnostic]:
    target = find_lost(material.resolution.links, link, file.path)
    if target is not None:
        yield from _check_landing(material, file, link, target, hints)


def find_lost(links: LinkResolver, link: Link, from_path: str) -> Target | None:
    """Say where a link of a value, a note or free text leads, if that is nowhere or to several; ``None`` if it is not ours."""
    is_ours = link.form is LinkForm.WIKI or _path_of(link, from_path).startswith(
        (f"{ENTITIES}/", f"{OBSERVATIONS}/")
    )
    target = links.resolve(link, from_path)
    is_lost = target.landing in (Landing.DANGLING, Landing.AMBIGUOUS)
    return target if is_ours and is_lost else None


def _check_landing(
    material: Material, file: EntityFile, link: Link, target: Target, hints: "_Hints"
) -> Iterator[Diagnostic]:
    span = material.span(file.path, (link.start, link.end))
    match target.landing:
        case Landing.STALE if target.id is not None:
            path = material.resolution.identities.files[target.id].path
            hint = f"run 'kb fmt', or link {relative_link(file.path, path)}"
            message = f'the file of "{target.id}" lies elsewhere: {path}'
            yield material.finding("KB302", file.path, span, message, hint)
        case Landing.DANGLING if not _is_unread(material, file, link):
            word = stem_of(link.target)
            what = "file" if _path_of(link, file.path).startswith(f"{OBSERVATIONS}/") else "entity"
            yield material.finding("KB301", file.path, span, f'no {what} "{word}"', hints.of(word))
        case Landing.AMBIGUOUS if len(target.candidates) > 1:
            ids = ", ".join(target.candidates)
            hint = " or ".join(f"[[{id}|{link.target}]]" for id in target.candidates[:3])
            message = f'"{link.target}" fits several entities: {ids}'
            yield material.finding("KB305", file.path, span, message, f"write {hint}")
        case Landing.OUTSIDE:
            message = f'the link leads out of the knowledge base: "{link.target}"'
            yield material.finding("KB303", file.path, span, message)
        case Landing.OBSERVATION:
            message = f'"{target.observation}" is an observation, and no entity'
            hint = f"cite it: [^{target.observation}]"
            yield material.finding("KB304", file.path, span, message, hint)
        case Landing.ELSEWHERE:
            message = f'the link is no entity\'s file: "{link.target}"'
            yield material.finding("KB304", file.path, span, message)


def _path_of(link: Link, from_path: str) -> str:
    if link.form is LinkForm.WIKI:
        return ""
    return posixpath.normpath(posixpath.join(posixpath.dirname(from_path), link.target))


def _is_unread(material: Material, file: EntityFile, link: Link) -> bool:
    """Say whether a link leads to where nothing is read, which is a finding of its own."""
    return stem_of(link.target) in material.unread_stems or material.is_unread(
        _path_of(link, file.path)
    )


class _Hints:
    """What a dangling link may have meant: an id, or a name's id. Each word is looked for once."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.known: dict[str, str] = {}
        self.ids: dict[str, str] | None = None

    def of(self, word: str) -> str:
        if word not in self.known:
            self.known[word] = self._find(word)
        return self.known[word]

    def _find(self, word: str) -> str:
        if self.ids is None:
            identities = self.material.resolution.identities
            self.ids = {id: id for id in self.material.entity_ids}
            for name, bearers in identities.iter_names():
                self.ids.setdefault(name, bearers[0])
        best = guess(fold(word), list(self.ids))
        return f'did you mean "{self.ids[best]}"?' if best is not None else ""
