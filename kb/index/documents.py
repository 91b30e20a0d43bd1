"""What is indexed: one document an entity, with all that was merged into it, and one an observation. Pure."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kb.graph.build import Resolution
from kb.load import Corpus
from kb.model.entity import EntityFile
from kb.model.observation import ObservationFile
from kb.syntax.front_matter import TextHandler

_SECTION_HEADING = re.compile(r"^ {0,3}##[ \t]+(?:relations|facts)[ \t]*#*[ \t]*$", re.I | re.M)
_DIGEST_BYTES = 12


@dataclass(frozen=True)
class Document:
    """What one entity or observation says, taken apart only when it is needed."""

    key: str  #: ``e:<id>`` or ``o:<id>``
    id: str
    digest: str  #: of the bytes of its files
    _files: tuple[EntityFile, ...] = ()
    _observation: ObservationFile | None = None

    @property
    def is_entity(self) -> bool:
        """It is an entity's, not an observation's."""
        return self._observation is None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names, aliases, keys and ids, or the title and the id."""
        if self._observation is not None:
            return (self._observation.title, self._observation.id)
        found = [name for file in self._files for name in _names_of(file)]
        return tuple(dict.fromkeys(found))

    @cached_property
    def body(self) -> str:
        """The free text and what the statements say, or the observation's text."""
        if self._observation is not None:
            return self._observation.body
        return "\n\n".join(filter(None, (_text_of(file) for file in self._files)))


def list_documents(corpus: Corpus, resolution: Resolution) -> dict[str, Document]:
    """List the documents of a knowledge base by key. Files that claim one id are none; merged ones are their survivor's."""
    identities = resolution.identities
    documents = {}
    for id, file in identities.files.items():
        if id in identities.survivors:
            continue
        merged = [
            identities.files[other]
            for other in sorted(identities.merged_of(id))
            if other in identities.files
        ]
        files = (file, *merged)
        key = f"e:{id}"
        documents[key] = Document(key, id, _digest(corpus, [one.path for one in files]), files)
    for id, observation in resolution.observations.items():
        key = f"o:{id}"
        documents[key] = Document(key, id, _digest(corpus, [observation.path]), (), observation)
    return documents


def _digest(corpus: Corpus, paths: list[str]) -> str:
    whole = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for path in paths:
        # A file's id and title may be its name's.
        whole.update(path.encode("utf-8", "surrogateescape") + b"\0")
        whole.update(
            hashlib.blake2b(corpus.contents.get(path, b""), digest_size=_DIGEST_BYTES).digest()
        )
    return whole.hexdigest()


def _names_of(file: EntityFile) -> Iterator[str]:
    yield file.name
    yield from (alias.text for alias in file.aliases)
    yield from (key.text for key in file.keys)
    yield file.id


def _text_of(file: EntityFile) -> str:
    """Give the free text, then what each statement that is not retired says."""
    pieces = [_free_text(file)] if file.text else []
    for line in file.statements:
        if line.is_retired:
            continue
        said = [line.value or "", line.note or "", *(sub.text for sub in line.sub_items)]
        pieces.append(" — ".join(filter(None, said)))
    return "\n".join(filter(None, pieces))


def _free_text(file: EntityFile) -> str:
    """Cut statements, their sections' headings and footnotes out of a file's body."""
    text = file.text
    if file.is_broken:
        return text
    cuts = sorted(
        [(line.start, line.end) for line in file.statements]
        + [(note.start, note.end) for note in file.footnotes]
    )
    kept, at = [], _body_start(text)
    for start, end in cuts:
        kept.append(text[at:start])
        at = max(at, end)
    kept.append(text[at:])
    return re.sub(r"\n{3,}", "\n\n", _SECTION_HEADING.sub("", "".join(kept))).strip()


def _body_start(text: str) -> int:
    try:
        return len(text) - len(TextHandler().split(text)[1])
    except ValueError:
        return 0
