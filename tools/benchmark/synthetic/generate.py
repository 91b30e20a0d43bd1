"""Makes a synthetic knowledge base: draws everything in one order, writes each file once, commits where wanted."""

from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from .cast import Cast, Member, make_cast
from .history import History
from .pages import CONFIGURATION, format_page
from .repository import Committer
from .sources import make_sources, write_source
from .statements import Author, Page
from .words import Writer

#: How many entities of each degree a description names.
HUBS, MIDDLES, LOWS = 5, 10, 40
#: An entity of middle degree has more relations than all but this share.
MIDDLE_SHARE = 0.05


@dataclass(frozen=True)
class Example:
    """An entity to ask for."""

    id: str
    name: str
    key: str  #: "" if it has none
    path: str
    relations: int  #: statements that it is either end of


@dataclass(frozen=True)
class Description:
    """What was made: counts, and entities of each degree to ask for."""

    entities: int
    observations: int
    statements: int
    bytes: int
    hubs: tuple[Example, ...]
    middles: tuple[Example, ...]
    lows: tuple[Example, ...]

    def as_dict(self) -> dict[str, object]:
        """Give it as it is written in JSON."""
        return asdict(self)


def generate(
    root: Path, entities: int, observations: int, seed: int, commits: int = 0
) -> Description:
    """Write a knowledge base into an empty folder, with a git repository of so many commits."""
    return _Generation(root, commits).run(seed, entities, observations)


class _Generation:
    """One run: what it writes to, and what it counted."""

    def __init__(self, root: Path, commits: int) -> None:
        self._root, self._commits = root, commits
        self._committer: Committer | None = None
        self._folders: set[str] = set()
        self._relations: Counter[str] = Counter()
        self._bytes = self._statements = 0
        #: What a history of several commits commits when: versions by commit.
        self._later: dict[int, list[tuple[str, str]]] = {}

    def run(self, seed: int, entities: int, observations: int) -> Description:
        """Draw and write it all."""
        rng = Random(seed)
        writer = Writer(rng)
        cast = make_cast(rng, entities)
        sources = make_sources(rng, writer, observations)
        # A generator of its own: with or without a history, the files end up the same.
        history = History(Random(seed), cast.members, sources, self._commits or 1)
        author = Author(rng, writer, cast, sources)
        self._root.mkdir(parents=True, exist_ok=True)
        with Committer(self._root) if self._commits else nullcontext() as self._committer:
            if self._committer:
                self._committer.begin("A synthetic knowledge base")
            self._keep(1, "kb.yaml", CONFIGURATION.format(count=entities))
            for member in cast.members:
                self._keep_page(author.write_page(member), history)
            for source in sources:
                text = write_source(rng, writer, source, sources, cast)
                self._keep(history.of_source(source), source.path, text)
            for commit in sorted(self._later):
                self._commit_later(commit)
        return self._describe(cast, len(sources))

    def _keep(self, commit: int, path: str, text: str) -> None:
        """Write a file that has one version."""
        self._write(path, text)
        self._commit_at(commit, path, text)

    def _keep_page(self, page: Page, history: History) -> None:
        path = page.member.path
        self._write(path, format_page(page))
        self._statements += len(page.relations) + len(page.facts)
        for line in page.relations:
            if line.object is not None:
                self._relations.update((page.member.id, line.object.id))
        if self._committer:
            for commit, text in history.iter_versions(page):
                self._commit_at(commit, path, text)

    def _write(self, path: str, text: str) -> None:
        """Write a file of the work tree."""
        folder = path.rpartition("/")[0]
        if folder not in self._folders:
            (self._root / folder).mkdir(parents=True, exist_ok=True)
            self._folders.add(folder)
        content = text.encode()
        self._bytes += len(content)
        with open(f"{self._root}/{path}", "wb", buffering=0) as file:
            file.write(content)

    def _commit_at(self, commit: int, path: str, text: str) -> None:
        """Commit a version now if the first commit has it, else keep it for its own."""
        if self._committer and commit == 1:
            self._committer.add(path, text.encode())
        elif self._committer:
            self._later.setdefault(commit, []).append((path, text))

    def _commit_later(self, commit: int) -> None:
        assert self._committer is not None
        versions = self._later.pop(commit)
        files = ((path, text.encode()) for path, text in versions)
        self._committer.commit(f"Take in what is new ({len(versions)} files)", files)

    def _describe(self, cast: Cast, observations: int) -> Description:
        known = [member for member in cast.members if not member.merged_into]
        ranked = sorted(known, key=lambda member: (-self._relations[member.id], member.number))
        middle, low = int(len(ranked) * MIDDLE_SHARE), len(ranked) // 2
        return Description(
            entities=len(cast.members),
            observations=observations,
            statements=self._statements,
            bytes=self._bytes,
            hubs=tuple(map(self._example, ranked[:HUBS])),
            middles=tuple(map(self._example, ranked[middle : middle + MIDDLES])),
            lows=tuple(map(self._example, ranked[low : low + LOWS])),
        )

    def _example(self, member: Member) -> Example:
        key = member.keys[0] if member.keys else ""
        return Example(member.id, member.name, key, member.path, self._relations[member.id])
