"""What was probably meant by a text that is no EDTF date or interval, as the faults that say so.

Each function returns None where it has nothing to say. A hint offers a spelling of the whole only
if that spelling reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kb.model.time import Date
from kb.syntax.edtf_dates import (
    LONGEST,
    YEARS,
    TimeFault,
    fault_at,
    read_date,
    reads,
    whole_fault,
)

ANY_DATE = "write a date such as 2015, 2015-12 or 2015-12-31"
ANY_TIME = f"{ANY_DATE}, or an interval such as 2015/2018 or 2015/.."
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
NOW_WORDS = ("now", "today", "present", "ongoing", "current")
NOW = "|".join(NOW_WORDS)  #: as a pattern


def explain_date(text: str) -> TimeFault:
    """Explain a text that has not the shape of a date."""
    for explain in _DATE_EXPLANATIONS:
        if fault := explain(text):
            return fault
    if reads(text):
        return whole_fault(text, "an interval, where one date is wanted", ANY_DATE)
    return whole_fault(text, "not a date", ANY_DATE)


def explain_interval(text: str, fault: TimeFault) -> TimeFault:
    """Explain the whole of a text with at most one slash, or else pass on what is wrong inside."""
    if len(text) <= 2 * LONGEST + 1:
        for explain in (_explain_range, _explain_period, _explain_spaces):
            if meant := explain(text):
                return meant
    if fault.hint == ANY_DATE:
        return TimeFault(fault.offset, fault.length, "not a date or interval", ANY_TIME)
    return fault


def explain_slashes(text: str) -> TimeFault:
    """Explain a text with several slashes."""
    if len(text) <= LONGEST and (fault := _explain_numeric_date(text)):
        return fault
    second = text.index("/", text.index("/") + 1)
    return TimeFault(second, 1, "an interval has one slash", ANY_TIME)


def explain_end(left: str, right: str) -> TimeFault | None:
    """Explain the right side of an interval where the left one helps: `2015/now`, `2015/18`."""
    if right.lower() in NOW_WORDS:
        return whole_fault(right, f'"{right}" is not a date', f"write {left}/..")
    if re.fullmatch(r"[0-9]{1,2}", right):
        shortened = f"{right:0>2}"
        options = (f"{left}-{shortened}", f"{left}/{left[:-2]}{shortened}")
        if good := [option for option in options if reads(option)]:
            return whole_fault(
                right, f'"{right}" is not a whole date', f"write {' or '.join(good)}"
            )
    return None


def _explain_emptiness(text: str) -> TimeFault | None:
    if not text.strip():
        return whole_fault(text, "the date is empty", ANY_TIME)
    if re.fullmatch(r"XXXX(-XX){0,2}", text):
        return whole_fault(text, "no digit of the date is known", "leave the date out")
    return None


def _explain_clock_time(text: str) -> TimeFault | None:
    """Explain a date with a time of day: a space for the T, no offset, or another offset style."""
    found = re.fullmatch(
        r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?P<between>[Tt_]| +)(?P<time>[0-9].*)", text
    )
    if not found:
        return None
    clock = re.fullmatch(
        r"(?P<hour>[0-9]{1,2})(?P<rest>(?::[0-9]{2}){1,2}(?:[.,][0-9]+)?) ?"
        r"(?P<offset>(?:[Zz]|UTC|GMT)?|(?P<hours>[+-][0-9]{2})(?::?(?P<minutes>[0-9]{2}))?)",
        found["time"],
    )
    if not clock:
        return fault_at(
            found,
            "time",
            "not a time of day",
            "write hours and minutes, as in 14:00Z or 14:00:30+02:00",
        )
    offset = f"{clock['hours']}:{clock['minutes'] or '00'}" if clock["hours"] else "Z"
    better = f"{found['date']}T{clock['hour']:0>2}{clock['rest']}{offset}"
    if isinstance(read := read_date(better), TimeFault):
        in_date = read.offset < found.end("date")
        return read if in_date else fault_at(found, "time", read.message, read.hint)
    if found["between"] != "T":
        hint = f"write {better}"
        if not clock["offset"]:
            hint = f"write {better}, or with an offset such as +02:00 in place of Z"
        return fault_at(found, "between", "a T stands between date and time", hint)
    if not clock["offset"]:
        return fault_at(
            found, "time", "a time needs its offset", "add Z or an offset such as +02:00"
        )
    return fault_at(found, "time", "not a time of day with its offset", f"write {better}")


def _explain_numeric_date(text: str) -> TimeFault | None:
    """Explain 12.03.2024 and 2024/03/12 in any punctuation, and 20240312."""
    if found := re.fullmatch(r"([0-9]{4})([-./]?)([0-9]{1,2})\2([0-9]{1,2})", text):
        if not found[2] and len(text) != 8:
            return None
        better = f"{found[1]}-{found[3]:0>2}-{found[4]:0>2}"
        return _respell_date(text, better)
    if found := re.fullmatch(r"([0-9]{4})-([0-9])", text):
        return _respell_date(text, f"{found[1]}-0{found[2]}")
    found = re.fullmatch(r"([0-9]{1,2})([-./])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})", text)
    if not found:
        return None
    if len(found[4]) == 2:
        return whole_fault(
            text, "the year is not clear", "write it with four digits, as in 2024-03-12"
        )
    one, two, year = f"{found[1]:0>2}", f"{found[3]:0>2}", found[4]
    options = dict.fromkeys((f"{year}-{two}-{one}", f"{year}-{one}-{two}"))
    good = [option for option in options if reads(option)]
    if not good:
        return whole_fault(text, "there is no such day", "write the day as yyyy-mm-dd")
    why = ": day and month are ambiguous" if len(good) > 1 else ""
    return whole_fault(text, "a date is written year first", f"write {' or '.join(good)}{why}")


def _explain_range(text: str) -> TimeFault | None:
    """Explain 2015-2018, 2015..2018, `2015 to 2018`, 2015-now, `since 2015` and `until 2015`."""
    if found := re.fullmatch(
        r"(.*?[0-9X][?~%]?) ?(?:\.\.+|…|--?|–|—|->|→|to|until|till) ?([0-9][0-9X]{3}.*)?", text
    ):
        return _respell(text, f"{found[1]}/{found[2] or '..'}")
    if found := re.fullmatch(rf"(.*?[0-9X]) ?(?:-|–|—|->|→|to|until|till) ?(?:{NOW})", text):
        return _respell(text, f"{found[1]}/..")
    if found := re.fullmatch(r"(?:\.\.+|…) ?([0-9].*)", text):
        return _respell(text, f"../{found[1]}")
    if found := re.fullmatch(r"(?i:(since|from|until|till|to)) +([0-9].*)", text):
        is_start = found[1].lower() in ("since", "from")
        return _respell(text, f"{found[2]}/.." if is_start else f"/{found[2]}")
    return None


def _explain_period(text: str) -> TimeFault | None:
    """Explain 2015-Q1, and 12/2024 for a month."""
    if found := re.fullmatch(r"([0-9]{4})[- ]?[Qq]([1-4])", text):
        last = 3 * int(found[2])
        return _respell(text, f"{found[1]}-{last - 2:02}/{found[1]}-{last:02}")
    if found := re.fullmatch(r"([0-9]{1,2})[./]([0-9]{4})", text):
        return _respell(text, f"{found[2]}-{found[1]:0>2}")
    return None


def _explain_words(text: str) -> TimeFault | None:
    """Explain English: `circa 2015`, `2010s`, `March 2024`, `12 March 2024`, `March 12, 2024`."""
    if found := re.fullmatch(r"(?i:circa|ca?\.?|about|around|approx\.?) *([0-9][^?~%]*)", text):
        return _respell_date(text, f"{found[1]}~")
    if found := re.fullmatch(r"([0-9]{3})0'?s", text):
        return _respell_date(text, f"{found[1]}X")
    found = re.fullmatch(
        r"(?:(?P<day>[0-9]{1,2})\.? )?(?P<month>[A-Za-z]{3,9})\.? "
        r"(?:(?P<day2>[0-9]{1,2}),? )?(?P<year>[0-9]{4})",
        text,
    )
    if not found or found["month"][:3].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(found["month"][:3].lower()) + 1
    day = found["day"] or found["day2"]
    return _respell_date(text, f"{found['year']}-{month:02}" + (f"-{day:0>2}" if day else ""))


def _explain_far_year(text: str) -> TimeFault | None:
    if found := re.fullmatch(r"(?P<year>Y?[-+]?[0-9]{5,}|Y?[-+][0-9]+)(?:[-T].*)?", text):
        return fault_at(found, "year", f"the year {found['year']} is out of range", YEARS)
    return None


def _explain_marks(text: str) -> TimeFault | None:
    """Explain marks of doubt in other places, and single digits left open (2015-1X)."""
    if re.search(r"[?~%]", text):
        bare = re.sub(r"[?~%]", "", text)
        if "T" in text and reads(bare):
            return whole_fault(text, "a date-time bears no mark of doubt", f"write {bare}")
        marks = set(re.findall(r"[?~%]", text))
        return _respell_date(text, bare + (marks.pop() if len(marks) == 1 else "%"))
    if found := re.fullmatch(r"([0-9]{4}(?:-[0-9]{2})?)-[0-9]X(?:-XX)?", text):
        return _respell_date(text, f"{found[1]}-XX")
    return None


def _explain_spelling(text: str) -> TimeFault | None:
    """Explain white space, and small letters where EDTF has capitals."""
    compact = "".join(text.split())
    for better in (compact, compact.upper(), compact.replace("u", "X")):
        if fault := _respell_date(text, better):
            return fault
    return None


def _explain_spaces(text: str) -> TimeFault | None:
    sides = [side.strip() for side in text.split("/")]
    better = "/".join(".." if side.lower() in NOW_WORDS else side for side in sides)
    return _respell(text, better) if text != "/".join(sides) else None


#: In order: the first that has something to say is heard.
_DATE_EXPLANATIONS: tuple[Callable[[str], TimeFault | None], ...] = (
    _explain_emptiness,
    _explain_marks,
    _explain_clock_time,
    _explain_numeric_date,
    _explain_words,
    _explain_far_year,
    _explain_spelling,
)


def _respell(text: str, better: str) -> TimeFault | None:
    """Offer another spelling of the whole text, if that one reads."""
    if better == text or not reads(better):
        return None
    return whole_fault(text, "not a date or interval", f"write {better}")


def _respell_date(text: str, better: str) -> TimeFault | None:
    """Offer another spelling, if that one reads as a single date."""
    if not isinstance(read_date(better), Date):
        return None
    return whole_fault(text, "not a date in the form yyyy-mm-dd", f"write {better}")
