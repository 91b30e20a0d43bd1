"""The files that an edit works on, each loaded when it is asked for. Plans only; nothing is written here."""

import os
import re
from collections.abc import Container, Iterable
from functools import cached_property
from typing import NamedTuple

from kb.diagnostics import Severity
from kb.edits.edit import FileChange
from kb.edits.footnotes import CitedSource, written_day
from kb.edits.import_ids import free_id
from kb.edits.one_line import check_utf8
from kb.errors import AmbiguousId, ErrorCode, KbError, UsageError
from kb.graph.drafts import Draft, draft_statements
from kb.graph.graph import Graph, Observation, Statement
from kb.graph.known_files import KnownPlaces, known_files
from kb.graph.links import LinkResolver, Places
from kb.knowledge_base import KnowledgeBase
from kb.load import load_file
from kb.model.entity import EntityFile
from kb.model.names import is_id
from kb.model.statement import LinkForm
from kb.model.vocabulary import Vocabulary
from kb.queries.claims import paths_claiming
from kb.queries.resolve import Tier, find_candidates, guess_spellings
from kb.queries.unread_files import UnreadFiles
from kb.store.layout import observation_path, relative_link
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.inline import format_link
from kb.syntax.source import MAX_FILE_BYTES, Source, decode

#: As in a statement's line.
_STATEMENT_ID = re.compile("[A-Za-z0-9-]+")


class Refused(KbError):
    """An edit that cannot be done as asked. The message says why, the hint what to do instead."""

    code = ErrorCode.REFUSED


class NotFound(Refused):
    """What is named is not there."""

    code = ErrorCode.NOT_FOUND


class Ambiguous(Refused):
    """What is named could be several."""

    code = ErrorCode.AMBIGUOUS


class Taken(Refused):
    """An id, a key or a place is another's."""

    code = ErrorCode.TAKEN


class InUse(Refused):
    """Something refers to what would go."""

    code = ErrorCode.IN_USE


class LeftAlone(Refused):
    """A file cannot be read, or not be changed without changing more."""

    code = ErrorCode.LEFT_ALONE


class EntityText(NamedTuple):
    """An entity's file as it is now."""

    file: EntityFile
    source: Source
    drafts: tuple[Draft, ...]  #: its statements, each with its id
    data: bytes

    def change(self, text: str) -> FileChange:
        """Give the change to another text, which can be read again."""
        check_utf8(text)
        after = Source(self.source.path, text, self.source.has_bom).encode()
        if len(after) > MAX_FILE_BYTES:
            limit = MAX_FILE_BYTES // 1024 // 1024
            raise Refused(
                f"{self.file.path} would be larger than {limit} MiB, which is not read",
                "file a long text as an observation: kb observe",
            )
        return FileChange(self.file.path, self.data, after)


class Workspace:
    """A knowledge base, as an edit sees it."""

    def __init__(self, base: KnowledgeBase) -> None:
        self.base, self.now = base, base.now
        self._redirects: dict[str, str] = {}
        self._open: dict[str, EntityText] = {}

    @property
    def root(self) -> str:
        """The folder that holds ``kb.yaml``."""
        return self.base.root

    @property
    def graph(self) -> Graph:
        """What the files say."""
        return self.base.graph

    @property
    def vocabulary(self) -> Vocabulary:
        """The words in use."""
        return self.base.vocabulary

    @cached_property
    def links(self) -> LinkResolver:
        """What links lead to."""
        return LinkResolver(self.places)

    @cached_property
    def places(self) -> Places:
        """Where files lie."""
        opened = self.base.opened
        if opened is None:
            return self.base.resolution.links.places
        files = known_files(opened.base, opened.changes)
        return KnownPlaces(files, self.graph.survivors, self.graph.ambiguous)

    @cached_property
    def unread(self) -> UnreadFiles:
        """The files that would be entities and cannot be read."""
        return UnreadFiles(self.root, self.graph)

    # -- who is meant --------------------------------------------------------------------------------------------

    def resolve(self, argument: str, what: str = "entity") -> str:
        """Read an argument as the one entity that it names: an id, a key with one bearer, a name that one bears.

        Nothing is guessed: whatever could be two is refused, with the candidates.
        """
        _check_named(argument, what)
        graph = self.graph
        candidates = find_candidates(graph, argument)
        sure = [c for c in candidates if c.tier in (Tier.ID, Tier.KEY, Tier.NAME)]
        if sure:
            best = [c for c in sure if c.tier is sure[0].tier]
            if len(best) == 1:
                if argument.strip() in graph.survivors:
                    self._redirects[argument.strip()] = best[0].id
                return best[0].id
            raise Ambiguous(
                f'"{argument}" could be any of {len(best)}: '
                + ", ".join(f"{self.name_of(c.id)} ({c.id})" for c in best),
                f"give the {what}'s id",
            )
        near = [c.id for c in candidates[:3]] or list(guess_spellings(graph, argument))
        hint = (
            f"did you mean {' or '.join(near)}? Or make it: kb new" if near else "make it: kb new"
        )
        raise NotFound(f'no {what} is "{argument}"', hint)

    @property
    def redirect_notes(self) -> list[str]:
        """What to say of the arguments that named what was merged into another."""
        return [
            f"{merged} was merged into {id}, which is meant"
            for merged, id in self._redirects.items()
        ]

    def file_id(self, argument: str, what: str = "entity") -> str:
        """Read an argument as the one file that it names: an id is that file's own, were it merged into another."""
        id = argument.strip()
        return id if self.places.path_of(id) is not None else self.resolve(argument, what)

    def name_of(self, id: str) -> str:
        """Name an entity."""
        entity = self.graph.entities.get(id)
        return entity.name if entity else id

    def type_of(self, id: str) -> str | None:
        """Name an entity's type as the vocabulary has it."""
        entity = self.graph.entities.get(id)
        return entity.type if entity else None

    def observation(self, id: str) -> Observation:
        """Give an observation by its id, which no other may claim."""
        _check_named(id, "observation")
        found = self.graph.observations.get(id)
        if found is None:
            raise NotFound(
                f'there is no observation "{id}"',
                "file the source first: kb observe; or say it here: --said TEXT",
            )
        paths = paths_claiming(self.base, id)
        if len(paths) > 1:
            raise AmbiguousId(id, paths)
        return found

    def statement(self, id: str, entities: tuple[str, ...] = ()) -> Statement:
        """Find a statement by its id, with or without ``^``; where several files have it, an entity must be named.

        ``entity/^id`` names both; of ``entities`` it is one that is about any of them. ``UsageError`` where the text can
        be no id.
        """
        named, _, bare = id.strip().rpartition("/")
        bare, owners = bare.removeprefix("^"), (named,) if named else entities
        if not _STATEMENT_ID.fullmatch(bare):
            raise UsageError(
                f'"{id}" is no statement\'s id',
                "write ^ID or ENTITY/^ID; kb facts ENTITY lists them",
            )
        found = [
            one
            for one in self.graph.of_id(bare)
            if not owners or {*owners} & {one.file_id, one.subject, one.object}
        ]
        # An id is a file's own: what merely leads to the entity that is named comes after.
        own = [one for one in found if one.file_id in owners]
        if len(own or found) == 1:
            return (own or found)[0]
        if not found:
            self._check_unread(bare)
            where = f" of {' or '.join(owners)}" if owners else ""
            raise NotFound(f"there is no statement ^{bare}{where}", "kb facts ENTITY lists them")
        files = ", ".join(sorted({one.file_id for one in found}))
        raise Ambiguous(
            f"^{bare} is the id of {len(found)} statements, of {files}",
            f"name its entity too: {found[0].file_id}/^{bare}",
        )

    def _check_unread(self, id: str) -> None:
        """Refuse to say that a statement is not there where its id stands in an entity's file that does not parse."""
        for path in self.graph.broken:
            file, data = load_file(self.root, path)
            is_there = isinstance(file, EntityFile) and re.search(rf"\^{id}(?![\w-])", file.text)
            if file.is_broken and is_there and data is not None:
                raise _broken(decode(path, data))

    # -- files ---------------------------------------------------------------------------------------------------

    def open_entity(self, id: str) -> EntityText:
        """Open the file of an entity (its own one, not its survivor's) for an edit."""
        if id not in self._open:
            path = self.places.path_of(id)
            if path is None:
                raise Ambiguous(
                    f'no single file is the entity "{id}"', "kb check says which claim it"
                )
            file, data = load_file(self.root, path)
            if data is None or not isinstance(file, EntityFile):
                raise LeftAlone(f"{path} cannot be read", "kb check says why")
            source = decode(path, data)
            if file.is_broken:
                raise _broken(source)
            if not source.is_utf8:
                raise LeftAlone(f"{path} is left alone: it is not UTF-8", "mend it first: kb check")
            drafts = tuple(draft_statements(file, self.links, self.vocabulary))
            self._open[id] = EntityText(file, source, drafts, data)
        return self._open[id]

    def cited_sources(self, ids: Iterable[str]) -> dict[str, CitedSource]:
        """Give what definitions say of observations, those left out that are not there."""
        found = (self.graph.observations.get(id) for id in ids)
        return {
            one.id: CitedSource(
                one.id,
                one.title,
                written_day(one.happened_at) if one.happened_at else "",
                one.path,
            )
            for one in found
            if one is not None
        }

    def link_text(self, from_path: str, id: str) -> str:
        """Write a link from a file to an entity, in the form that ``kb.yaml`` wants."""
        name = self.name_of(id)
        if self.base.settings.links is LinkForm.WIKI:
            return format_link(name, id, LinkForm.WIKI)
        path = self.places.path_of(id)
        if path is None:
            raise Ambiguous(f'no single file is the entity "{id}"', "kb check says which claim it")
        return format_link(name, relative_link(from_path, path))

    def is_taken(self, id: str) -> bool:
        """Say whether an id leads somewhere already: as an id, one that was merged, a file's name, an entity's name or alias.

        It would lead elsewhere from then on, and one of both an entity and an observation would hide the latter.
        """
        return (
            self.places.is_observation(id)
            or self.places.path_of(id) is not None
            or self.places.is_ambiguous(id)
            or bool(self.places.ids_of_stem(id))
            or bool(self.places.bearers(id))
        )

    def free_observation_id(self, wanted: str, day: str, others: Container[str] = ()) -> str:
        """Give the wanted id for an observation of a day (``yyyy-mm-dd``), with a number where it, or its place, is taken.

        By a file, whatever it is, or among others that are planned.
        """

        def is_taken(id: str) -> bool:
            place = os.path.join(self.root, observation_path(id, day))
            return id in others or self.is_taken(id) or not is_id(id) or os.path.lexists(place)

        return free_id(wanted, is_taken)

    def free_entity_id(self, wanted: str, others: Container[str] = ()) -> str:
        """Give the wanted entity id, with a number where it is taken, by a file or among others that are planned."""
        return free_id(
            wanted,
            lambda id: id in others or self.is_taken(id) or bool(self.unread.claiming(id)),
        )


def _broken(source: Source) -> LeftAlone:
    """Say why an entity's file does not parse, as ``kb check`` does, and where."""
    _, found = parse_entity_file(source)
    fault = next(one for one in found if one.severity is Severity.ERROR)
    place = f"{source.path}:{fault.span.line}"
    return LeftAlone(
        f"{place}: {fault.message}: the file does not parse, and is left alone", fault.hint
    )


def _check_named(argument: str, what: str) -> None:
    """Refuse a text that names nothing at all."""
    if not argument.strip():
        raise UsageError(f"no {what} is named", f"give the {what}'s id")
