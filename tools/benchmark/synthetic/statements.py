"""What is stated of an entity of a synthetic knowledge base: its relations and facts as lines of its file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from kb.model.names import mint_statement_id

from . import words
from .cast import Cast, Member
from .predicates import ACYCLIC, CHAINED, INVERSES, RELATIONS, SAYINGS
from .sources import MOST_SAID, SourceText
from .times import DAYS, FIRST_DAY, LAST_DAY, draw_day, write_chain, write_interval
from .words import Writer

#: The number of statements of an entity is about ``exp(normal(MEAN, SPREAD))``: ten on average.
MEAN, SPREAD, MOST = 2.22, 0.55, 60
RELATION_SHARE = 2 / 3


@dataclass(slots=True)
class Line:
    """One statement: where it stands, and what it needs to be there."""

    predicate: str
    text: str  #: the list item without its id, sub-items apart
    id: str
    sub_items: str = ""
    object: Member | None = None
    sources: tuple[SourceText, ...] = ()
    needs: str = ""  #: the id of the statement of the same file that supersedes it


@dataclass(slots=True)
class Page:
    """An entity with what is stated of it."""

    member: Member
    summary: str
    relations: list[Line] = field(default_factory=list)
    facts: list[Line] = field(default_factory=list)


class Author:
    """Writes the pages of all entities, one after another."""

    def __init__(self, rng: Random, writer: Writer, cast: Cast, sources: list[SourceText]) -> None:
        self._rng, self._writer, self._cast, self._sources = rng, writer, cast, sources
        self._choices = {
            type: [choice for choice in choices for _ in range(choice[2])]
            for type, choices in RELATIONS.items()
        }

    def write_page(self, member: Member) -> Page:
        """Write all that is stated of an entity."""
        rng = self._rng
        page = Page(member, self._write_summary(member))
        draft = _Draft(self._rng, member, self._choose_sources())
        count = min(MOST, max(1, int(rng.lognormvariate(MEAN, SPREAD))))
        if member.merged_into:
            # A duplicate knows little, and nothing of which only one holds at a time.
            page.relations += self._relations(draft, 2)
            return page
        relations = 0
        for _ in range(count):
            relations += rng.random() < RELATION_SHARE
        chain = list(self._chain(draft))[:relations]
        page.relations += [*chain, *self._relations(draft, relations - len(chain))]
        page.facts += self._facts(draft, count - relations)
        for lines in (page.relations, page.facts):
            _supersede_some(rng, lines)
            lines.sort(key=lambda line: line.predicate)
        return page

    def _write_summary(self, member: Member) -> str:
        return self._writer.sentence((member.name,))

    def _choose_sources(self) -> list[SourceText]:
        """Choose the few observations that speak of an entity."""
        sources = self._sources
        if not sources:
            return []
        count = 2 + int(self._rng.random() * 4)
        return [sources[int(self._rng.random() * len(sources))] for _ in range(count)]

    # -- relations ---------------------------------------------------------------------------------

    def _relations(self, draft: "_Draft", count: int) -> Iterator[Line]:
        rng, choices = self._rng, self._choices[draft.member.type]
        for _ in range(count):
            predicate, type, _weight = choices[int(rng.random() * len(choices))]
            goal = self._goal(draft, predicate, type)
            if goal is None:
                continue
            day = draft.choose_source()
            line = draft.relation(predicate, goal, write_interval(rng, day))
            if predicate == "possibly-caused-by":
                line.sub_items = (
                    f"\n  - alternatives:: the {self._writer.word()} was late"
                    f"\n  - prediction:: the next {self._writer.word()} will be late too"
                )
            yield line

    def _goal(self, draft: "_Draft", predicate: str, type: str) -> Member | None:
        """Choose whom a relation leads to: somebody new, and no circle in a hierarchy."""
        offered = self._cast.by_type[type]
        for _ in range(4):
            goal = offered.draw(self._rng) if len(offered) else draft.member
            is_upward = (
                predicate not in ACYCLIC
                or type != draft.member.type
                or goal.rank < draft.member.rank
            )
            if goal is not draft.member and is_upward and (predicate, goal.id) not in draft.stated:
                draft.stated.add((predicate, goal.id))
                return goal
        return None

    def _chain(self, draft: "_Draft") -> Iterator[Line]:
        """State what holds one at a time: to whom somebody reports, where something lies."""
        member = draft.member
        if member.type not in CHAINED or not member.rank:
            return
        predicate, type = CHAINED[member.type]
        count = 1 + (self._rng.random() < 0.35)
        goals = []
        for _ in range(count):
            goal = self._cast.by_type[type].draw(self._rng)
            if (type != member.type or goal.rank < member.rank) and goal not in goals:
                goals.append(goal)
        if goals:
            day = draft.choose_source()
            for goal, when in zip(goals, write_chain(self._rng, day, len(goals)), strict=True):
                yield draft.relation(predicate, goal, when)

    # -- facts -------------------------------------------------------------------------------------

    def _facts(self, draft: "_Draft", count: int) -> Iterator[Line]:
        rng = self._rng
        singles = self._single_facts(draft.member)
        # At most three in a row of a fact that has one value at a time; the rest are plain.
        chain = min(count, 1 + int(rng.random() * 3)) if singles else 0
        if singles and chain:
            predicate, values = singles
            day = draft.choose_source()
            chosen = [values[int(rng.random() * len(values))] for _ in range(chain)]
            for value, when in zip(chosen, write_chain(rng, day, chain), strict=True):
                yield draft.fact(predicate, value, when)
        for _ in range(count - chain):
            day = draft.choose_source()
            draw = rng.random()
            if draw < 0.25:
                yield draft.fact("headcount", str(int(rng.random() ** 3 * 5000) + 1), DAYS[day][:7])
            elif draw < 0.4:
                yield draft.fact("deadline", DAYS[day], "")
            else:
                value = " ".join(self._writer.word() for _ in range(2 + int(rng.random() * 5)))
                yield draft.fact("remark", value, write_interval(rng, day))

    def _single_facts(self, member: Member) -> tuple[str, Sequence[str]] | None:
        if member.type == "person":
            level = words.LEVELS[int(self._rng.random() * len(words.LEVELS))]
            return "title", [f"{level} {title}" for title in words.TITLES]
        if member.type in ("project", "product", "document"):
            return "status", words.STATUSES
        return None


class _Draft:
    """One entity's page while it is written: the ids taken, what is stated, and what is cited just now."""

    def __init__(self, rng: Random, member: Member, sources: list[SourceText]) -> None:
        self._rng, self.member, self._sources = rng, member, sources
        self._ids: set[str] = set()
        self._cited: tuple[SourceText, ...] = ()
        self.stated: set[tuple[str, str]] = set()

    def choose_source(self) -> int:
        """Choose the observations that the next statement cites, and give the day of the first."""
        rng, sources = self._rng, self._sources
        if not sources:
            return draw_day(rng)
        first = sources[int(rng.random() * len(sources))]
        draw = rng.random()
        self._cited = (first,) if draw < 0.997 else ()
        if draw < 0.13:
            second = sources[int(rng.random() * len(sources))]
            self._cited = (first, second) if second is not first else (first,)
        return min(first.day, LAST_DAY - FIRST_DAY)

    def relation(self, predicate: str, goal: Member, when: str) -> Line:
        """Write a relation."""
        link = f"[{goal.name}]({_relative_link(self.member, goal)})"
        said = _say(self.member.name, predicate, goal.name)
        canonical = INVERSES.get(predicate, predicate)
        direction = "in" if predicate in INVERSES else "out"
        line = self._write(predicate, link, when, said, (canonical, direction, goal.id))
        line.object = goal
        return line

    def fact(self, predicate: str, value: str, when: str) -> Line:
        """Write a fact."""
        said = f"{predicate.capitalize()} of {self.member.name}: {value}."
        return self._write(predicate, value, when, said, (predicate, "out", value))

    def _write(
        self, predicate: str, object: str, when: str, said: str, digested: tuple[str, str, str]
    ) -> Line:
        rng = self._rng
        qualifiers = [when] if when else []
        draw = rng.random()
        if draw < 0.10:
            qualifiers.append(f"{50 + int(draw * 500)}%")
        elif draw < 0.12:
            qualifiers.append(("auto-high", "auto-medium", "auto-low")[int((draw - 0.10) * 150)])
        elif draw < 0.13 and when.endswith("/..") is False:
            qualifiers.append("retracted")
        in_parenthesis = f" ({', '.join(qualifiers)})" if qualifiers else ""
        cited = self._cited
        citations = "".join(f" [^{source.id}]" for source in cited)
        id = mint_statement_id((self.member.id, *digested, _start_of(when), ""), self._ids)
        self._ids.add(id)
        text = f"- {predicate}:: {object}{in_parenthesis}{self._note(said)}{citations}"
        return Line(predicate, text, id, sources=cited)

    def _note(self, said: str) -> str:
        """Let the first observation say it, and quote that now and then."""
        if not self._cited:
            return ""
        source = self._cited[0]
        if len(source.said) >= MOST_SAID:
            return ""
        source.said.append(said)
        source.about.append(self.member.name)
        return f' — "{said}"' if self._rng.random() < 0.5 else ""


def _supersede_some(rng: Random, lines: list[Line]) -> None:
    """Let a later statement of the same predicate supersede an earlier one, now and then."""
    last: dict[str, Line] = {}
    for line in lines:
        before = last.get(line.predicate)
        is_plain = before is not None and before.predicate in ("remark", "works-for", "supplies")
        if before is not None and is_plain and not before.needs and rng.random() < 0.1:
            head, gap, tail = before.text.partition(" (")
            qualifier = f"superseded by ^{line.id}"
            if gap:
                before.text = f"{head} ({qualifier}, {tail}"
            else:
                value, mark, rest = before.text.partition(" [^")
                value, dash, note = value.partition(" — ")
                before.text = f"{value} ({qualifier}){dash}{note}{mark}{rest}"
            before.needs = line.id
        last[line.predicate] = line


def _say(subject: str, predicate: str, object: str) -> str:
    form = SAYINGS.get(predicate)
    return (
        form.format(subject, object)
        if form
        else f"{subject} {predicate.replace('-', ' ')} {object}."
    )


def _start_of(when: str) -> str:
    """Give the start of an interval as FORMAT's digest has it."""
    start = when.partition("/")[0]
    return "" if start in ("ended", "..") else start


def _relative_link(page: Member, goal: Member) -> str:
    if page.folders == goal.folders:
        return f"{goal.id}.md"
    if page.type == goal.type:
        return f"../{goal.folders[1]}/{goal.id}.md"
    return f"../../{goal.type}/{goal.folders[1]}/{goal.id}.md"
