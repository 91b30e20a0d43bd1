"""In which commit each part of a synthetic knowledge base appears. A page grows as its sources come in.

At every commit the knowledge base is whole: what a line links and cites is there before the line, or with it.
"""

from collections.abc import Iterator
from random import Random

from .cast import Member
from .pages import format_page
from .sources import SourceText
from .statements import Line, Page

#: Of the entities that may come later than the first commit, those that do; of the observations likewise.
LATE_SHARE = 0.5


class History:
    """The commit, from 1, of each entity, observation and line."""

    def __init__(
        self, rng: Random, members: list[Member], sources: list[SourceText], commits: int
    ) -> None:
        bound = {other for member in members for other in member.distinct_from}
        bound |= {member.merged_into for member in members}
        free = [
            member.id
            for member in members
            if not (member.id in bound or member.distinct_from or member.merged_into)
        ]
        late = rng.sample(free, int(len(free) * LATE_SHARE)) if commits > 1 else []
        if commits - 1 > len(late):
            raise ValueError(
                f"{len(members)} entities make a history of at most {len(late) + 1} commits"
            )
        self._born = {id: 2 + index % (commits - 1) for index, id in enumerate(late)}
        first_late = len(sources) - int(len(sources) * LATE_SHARE)
        late_sources = max(1, len(sources) - first_late)
        self._sources = {
            source.id: 2 + (source.number - first_late) * (commits - 1) // late_sources
            for source in sources[first_late:]
            if commits > 1
        }

    def of_member(self, member: Member) -> int:
        """The commit in which an entity's file appears."""
        return self._born.get(member.id, 1)

    def of_source(self, source: SourceText) -> int:
        """The commit that adds an observation."""
        return self._sources.get(source.id, 1)

    def of_line(self, line: Line) -> int:
        """The commit at which all that a line names is there."""
        needed = [self.of_source(source) for source in line.sources]
        if line.object is not None:
            needed.append(self.of_member(line.object))
        return max(needed, default=1)

    def iter_versions(self, page: Page) -> Iterator[tuple[int, str]]:
        """Yield each version of a page with its commit, the last being the whole page."""
        born = self.of_member(page.member)
        lines = (*page.relations, *page.facts)
        at = {line.id: max(born, self.of_line(line)) for line in lines}
        # A line says by what it is superseded, so it comes no earlier than that; once again for chains of them.
        for line in reversed(lines * 2):
            if line.needs:
                at[line.id] = max(at[line.id], at[line.needs])
        for commit in sorted({born, *at.values()}):
            yield commit, format_page(page, lambda line, now=commit: at[line.id] <= now)  # type: ignore[misc]
