"""Rows of statements → what follows from them alone: which concern an id, which cite an observation, who is near whom.

Made from the packed rows, so that whoever made these, and in however many parts, need not make and merge lists as well.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

from kb.graph.file_form import (
    FLAGS,
    INTERVAL,
    INTERVAL_WIDTH,
    NONE,
    OBJECT,
    PREDICATE,
    RETRACTED,
    STATEMENT_WIDTH,
    SUBJECT,
    SUPERSEDED_BY,
)
from kb.graph.spells import ALWAYS, Spell, join_spells, spell_of


def pack_row_lists(sections: Mapping[str, Any]) -> dict[str, Any]:
    """Give the sections that follow from the rows of statements, their citations and intervals."""
    rows: array[int] = sections["statement"]
    subjects, objects, times, supersessions, flags = (
        rows[column::STATEMENT_WIDTH].tolist()
        for column in (SUBJECT, OBJECT, INTERVAL, SUPERSEDED_BY, FLAGS)
    )
    spells = _spells_of(sections["interval"])
    ids = len(sections["id.at"]) - 1
    about: list[list[int]] = [[] for _ in range(ids)]
    retired: list[list[int]] = [[] for _ in range(ids)]
    near: list[dict[int, Spell]] = [{} for _ in range(ids)]
    for number, (subject, object, time, superseded_by, flag) in enumerate(
        zip(subjects, objects, times, supersessions, flags, strict=True)
    ):
        about[subject].append(number)
        if object in (NONE, subject):
            continue
        about[object].append(number)
        if flag & RETRACTED or superseded_by != NONE:
            retired[subject].append(number)
            retired[object].append(number)
            continue
        spell = ALWAYS if time == NONE else spells[time]
        known = near[subject].setdefault(object, spell)
        if known is not spell:
            spell = near[subject][object] = join_spells(known, spell)
        near[object][subject] = spell
    counts = [0] * (len(sections["predicate.at"]) - 1)
    for predicate in rows[PREDICATE::STATEMENT_WIDTH]:
        counts[predicate] += 1
    others = [sorted(spells_of_id) for spells_of_id in near]
    return {
        **pack_lists("id.about", about),
        **pack_lists("id.near", others),
        "near.spell": array("q", _in_order(near, others)),
        **pack_lists("id.retired", retired),
        "id.retiring": array("I", (id for id, numbers in enumerate(retired) if numbers)),
        "id.crowded": array("I", sorted(range(ids), key=lambda id: -len(others[id]))),
        **pack_lists("seen.citing", _citing(sections)),
        "predicate.count": array("I", counts),
    }


def pack_lists(name: str, lists: Iterable[Sequence[int]]) -> dict[str, Any]:
    """Lay out lists of numbers: where each begins, and all of them one behind the other."""
    lists = list(lists)
    at = array("I", accumulate(map(len, lists), initial=0))
    return {f"{name}.at": at, name: array("I", chain.from_iterable(lists))}


def _spells_of(intervals: "array[int]") -> list[Spell]:
    return [
        spell_of(intervals[at : at + INTERVAL_WIDTH])
        for at in range(0, len(intervals), INTERVAL_WIDTH)
    ]


def _in_order(near: list[dict[int, Spell]], others: list[list[int]]) -> Iterable[int]:
    for spells, numbers in zip(near, others, strict=True):
        for number in numbers:
            yield from spells[number]


def _citing(sections: Mapping[str, Any]) -> list[list[int]]:
    citing: list[list[int]] = [[] for _ in range(len(sections["seen.at"]) - 1)]
    cited, starts = sections["statement.cited"].tolist(), sections["statement.cited.at"].tolist()
    start = 0
    for number, end in enumerate(starts[1:]):
        for observation in cited[start:end]:
            citing[observation].append(number)
        start = end
    return citing
