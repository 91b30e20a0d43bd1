"""Date headers → EDTF moments (RFC 5322, with its obsolete zones). Never guesses: what lacks a zone is a day.

Python's reader takes a missing zone for UTC and reads much that is no date.
"""

import re

from kb.ingest.texts import show
from kb.model.time import Date
from kb.syntax.edtf import parse_date

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
#: The zones of RFC 5322, 4.3. Military letters are left out: RFC 822 had their signs wrong, so that nobody knows.
_ZONES = {
    **dict.fromkeys(("ut", "utc", "gmt", "z", "-0000"), "Z"),
    **{"est": "-05:00", "edt": "-04:00", "cst": "-06:00", "cdt": "-05:00"},
    **{"mst": "-07:00", "mdt": "-06:00", "pst": "-08:00", "pdt": "-07:00"},
}
_COMMENT = re.compile(r"\([^()]*\)")
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:\.\d+)?"
_DAY_NAME = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*+\s*+[,.]?\s*+)?"
_MAIL_DATE = re.compile(
    rf"{_DAY_NAME}(?P<day>\d{{1,2}})[\s-]+(?P<month>[a-z]{{3}})[a-z]*\.?[\s-]+(?P<year>\d{{2,4}})"
    rf"(?:,?\s+{_TIME}(?:\s*(?P<zone>[+-]\d{{4}}|[a-z]{{1,5}}|[+-]\d{{2}}:\d{{2}})\b.*)?)?",
    re.I,
)
_ASCTIME = re.compile(
    rf"{_DAY_NAME}(?P<month>[a-z]{{3}})[a-z]*\s+(?P<day>\d{{1,2}}),?\s+{_TIME}\s+(?:(?P<zone>[a-z]{{3,4}}|[+-]\d{{4}})\s+)?"
    r"(?P<year>\d{4})(?:\s+(?P<zone_after>[+-]\d{4}))?",
    re.I,
)


def read_mail_date(raw: str, header: str, warnings: list[str]) -> str:
    """Read a date header as an EDTF moment, or as a day where its zone is missing; "" where it cannot be read."""
    text = " ".join(_COMMENT.sub(" ", raw[:200]).split())
    match = _MAIL_DATE.fullmatch(text) or _ASCTIME.fullmatch(text)
    if match is None:
        moment = parse_date(text)
        if isinstance(moment, Date) and "T" in text:
            return moment.text
        warnings.append(f"{header}: {show(raw)} is no date that can be read; the time is unknown")
        return ""
    parts = match.groupdict()
    month = parts["month"].lower()
    number = _MONTHS.index(month) + 1 if month in _MONTHS else 0
    day = f"{_year(parts['year']):04}-{number:02}-{int(parts['day']):02}"
    zone = (parts["zone"] or parts.get("zone_after") or "").lower()
    offset = _ZONES.get(zone, "")
    if zone[:1] in ("+", "-") and zone != "-0000":
        offset = f"{zone[:3]}:{zone[-2:]}"
    time = (
        f"T{int(parts['hour']):02}:{parts['minute']}:{parts['second'] or '00'}"
        if parts["hour"]
        else ""
    )
    if time and offset:
        # A leap second is no second of the format: the one before it is the nearest.
        moment = parse_date(f"{day}{time.replace(':60', ':59')}{offset}")
        if isinstance(moment, Date):
            return moment.text
    whole = parse_date(day)
    if not isinstance(whole, Date):
        warnings.append(f"{header}: {show(raw)} is no date of the calendar; the time is unknown")
        return ""
    why = (
        "has no time of day"
        if not time
        else "has no zone"
        if not zone
        else "has a time or zone that cannot be read"
    )
    warnings.append(f"{header}: {show(raw)} {why}: only its day is kept")
    return whole.text


def _year(text: str) -> int:
    """Read a year; RFC 5322, 4.3: two digits are of 1950 to 2049, three count from 1900."""
    year = int(text)
    if len(text) == 2:
        return year + (2000 if year < 50 else 1900)
    return year + 1900 if len(text) == 3 else year
