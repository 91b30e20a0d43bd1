"""Who and what there is in a synthetic knowledge base: types, names, aliases, ids and keys."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from . import words
from .words import Ranked

#: Types and their shares, per cent.
SHARES = {
    "person": 45,
    "company": 16,
    "project": 9,
    "service": 6,
    "team": 5,
    "document": 4,
    "product": 4,
    "place": 4,
    "event": 3,
    "host": 2,
    "concept": 2,
}
#: Of persons and companies, the share with Chinese or Japanese names.
EASTERN_SHARE = 0.06
#: Of persons, those that turned out to be another one.
MERGED_SHARE = 0.005
#: How much the first of a type are linked more often than the rest.
POPULARITY = 1.0


@dataclass(slots=True)
class Member:
    """An entity to be: everything of it but its statements."""

    number: int  #: its place in the cast
    rank: int  #: its place in its type, the most popular first
    type: str
    id: str
    name: str
    aliases: tuple[str, ...]
    keys: tuple[str, ...] = ()
    merged_into: str = ""
    distinct_from: tuple[str, ...] = ()

    @property
    def folders(self) -> tuple[str, str]:
        """The folders under ``entities/`` that its file lies in: no folder grows large."""
        return self.type, self.id[:2].rstrip("-")

    @property
    def path(self) -> str:
        """Where its file lies, relative to the root."""
        return f"entities/{self.type}/{self.folders[1]}/{self.id}.md"


class Cast:
    """All members, and those of a type by popularity."""

    def __init__(self, members: list[Member]) -> None:
        self.members = members
        self.by_type: dict[str, Ranked[Member]] = {}
        for type in SHARES:
            # What was merged into another is linked by hardly anybody.
            own = [member for member in members if member.type == type and not member.merged_into]
            self.by_type[type] = Ranked(own, POPULARITY)


def make_cast(rng: Random, count: int) -> Cast:
    """Make as many members as wanted, at least one of each type."""
    taken: set[str] = set()
    bearers: dict[str, list[str]] = {}
    ranks: Counter[str] = Counter()
    members = []
    for number, type in enumerate(_types(rng, count)):
        name, aliases, latin = _NAMES.get(type, _work_name)(rng, type)
        id = _free_id(latin, taken)
        namesakes = bearers.setdefault(name.lower(), [])
        members.append(
            Member(number, ranks[type], type, id, name, aliases, distinct_from=tuple(namesakes))
        )
        namesakes.append(id)
        ranks[type] += 1
    for member in members:
        member.keys = _keys(rng, member, members)
    _merge_some(rng, members)
    return Cast(members)


def _types(rng: Random, count: int) -> list[str]:
    one_each = [*SHARES][:count]
    rest = rng.choices([*SHARES], [*SHARES.values()], k=count - len(one_each))
    return one_each + rest


def _free_id(latin: str, taken: set[str]) -> str:
    """Make an id of a name in Latin letters, with a number where others are called so."""
    plain = latin.lower().replace("ö", "o").replace(" ", "-")
    id, number = plain, 2
    while id in taken:
        id, number = f"{plain}-{number}", number + 1
    taken.add(id)
    return id


def _pick(rng: Random, items: tuple[words.Item, ...] | list[words.Item]) -> words.Item:
    return items[int(rng.random() * len(items))]


# -- names -----------------------------------------------------------------------------------------

_Named = tuple[str, tuple[str, ...], str]  #: name, aliases, name in Latin letters


def _person_name(rng: Random, _type: str) -> _Named:
    if rng.random() < EASTERN_SHARE:
        surnames, given_names, gap = _pick(
            rng,
            (
                (words.JAPANESE_SURNAMES, words.JAPANESE_GIVEN, " "),
                (words.CHINESE_SURNAMES, words.CHINESE_GIVEN, ""),
            ),
        )
        (surname, surname_read), (given, given_read) = _pick(rng, surnames), _pick(rng, given_names)
        read = f"{surname_read} {given_read}"
        return f"{surname}{gap}{given}", (read,), read
    given = _pick(rng, words.GIVEN)
    middle = "ABCDEFGHJKLMNPRSTVW"[int(rng.random() * 19)]
    surname = _pick(rng, words.SURNAME_STARTS) + _pick(rng, words.SURNAME_ENDS)
    name = f"{given} {surname}" if rng.random() < 0.4 else f"{given} {middle}. {surname}"
    draw = rng.random()
    aliases: tuple[str, ...] = ()
    if draw < 0.3:
        aliases = (f"{surname}, {name.rpartition(' ')[0]}",)
    elif draw < 0.32:
        aliases = (f"{given[0]}. {surname}",)  # borne by others too, as such names are
    return name, aliases, name.replace(".", "")


def _company_name(rng: Random, _type: str) -> _Named:
    if rng.random() < EASTERN_SHARE:
        (start, start_read), (end, end_read) = (
            _pick(rng, words.EASTERN_COMPANY_STARTS),
            _pick(rng, words.EASTERN_COMPANY_ENDS),
        )
        mark = _pick(rng, words.NAME_STARTS) + _pick(rng, words.NAME_ENDS)
        read = f"{start_read} {end_read} {mark}"
        return f"{start}{end} {mark}", (read,), read
    name = f"{_pick(rng, words.NAME_STARTS)}{_pick(rng, words.NAME_ENDS)}"
    name = f"{name} {_pick(rng, words.COMPANY_KINDS)}"
    return name, ((f"{name} Ltd",) if rng.random() < 0.2 else ()), name


def _work_name(rng: Random, type: str) -> _Named:
    kinds = {
        "team": words.TEAM_KINDS,
        "service": words.SYSTEM_KINDS,
        "host": words.SYSTEM_KINDS,
        "event": words.EVENT_KINDS,
    }.get(type, words.WORK_KINDS)
    start = f"{_pick(rng, words.NAME_STARTS)}{_pick(rng, words.NAME_ENDS)}"
    name = f"{start} {_pick(rng, kinds)}"
    if type in ("event", "document", "host"):
        name = f"{name} {int(rng.random() * 90) + 10}"
    alias = f"Project {name.title()}" if type == "project" else f"{type} {name}"
    return name, ((alias,) if rng.random() < 0.25 else ()), name


def _place_name(rng: Random, _type: str) -> _Named:
    name = _pick(rng, words.NAME_STARTS) + _pick(rng, words.NAME_ENDS)
    name = f"{_pick(rng, ('Port', 'New', 'Upper', 'Lower', 'East', 'West', 'Old', 'Saint'))} {name}"
    return name, (), name


_NAMES = {"person": _person_name, "company": _company_name, "place": _place_name}


# -- keys and judgements ---------------------------------------------------------------------------


def _keys(rng: Random, member: Member, members: list[Member]) -> tuple[str, ...]:
    id = member.id
    draw = rng.random()
    match member.type:
        case "person":
            host = members[int(rng.random() * len(members))].id
            email = f"email:{id.replace('-', '.')}@{host}.example"
            return (email, f"github:{id}") if draw < 0.3 else (email,)
        case "company":
            domain = f"domain:{id}.example"
            return (domain, f"crm:C-{member.number:06d}") if draw < 0.3 else (domain,)
        case "service":
            return (f"repo:northpeak/{id}",) if draw < 0.5 else ()
        case "host":
            return (f"host:{id}.internal.example",)
        case "document":
            return (f"url:https://files.northpeak.example/{id}",)
        case _:
            return ()


def _merge_some(rng: Random, members: list[Member]) -> None:
    """Let a few persons be an earlier one, and be the namesake of nobody."""
    named = _named_by_others(members)
    persons = [member for member in members if member.type == "person"]
    for index, member in enumerate(persons):
        is_free = not member.distinct_from and member.id not in named
        if index >= 20 and is_free and rng.random() < MERGED_SHARE:
            survivor = persons[int(rng.random() * 20)]
            if not survivor.merged_into:
                member.merged_into = survivor.id


def _named_by_others(members: Iterable[Member]) -> set[str]:
    return {other for member in members for other in member.distinct_from}
