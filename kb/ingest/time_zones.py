"""A calendar's local times → offsets. A zone that nobody knows gives none, never a guess.

In this order: a name of the tz database, the calendar's own VTIMEZONE, a name that Windows uses. The last two are read by
``icalendar``, which is imported when such a zone is met: it is slow to import, and most calendars need neither.
"""

import re
import warnings as python_warnings
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from kb.ingest.content_lines import Component

_NAME = re.compile(
    r"(?:UTC|GMT|Etc/(?:UTC|GMT[+-]?\d{0,2})|(?!posix|right)[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_+-]+){1,2})"
)
_RULE = re.compile(r"RRULE:(?>(?:[^\r\n]*?;)?FREQ=YEARLY(?=;|\Z))[^\r\n]*+", re.I)
_MAX_LINES = 400


class TimeZones:
    """The zones of one calendar, each made when it is first asked for."""

    def __init__(self, calendar: Component) -> None:
        self._own = {
            part.value("TZID"): part for part in calendar.parts if part.name == "VTIMEZONE"
        }
        self._made: dict[str, tzinfo | None] = {}

    def offset(self, name: str, at: datetime) -> timedelta | None:
        """Give the offset from UTC of a local time in a zone; ``None`` where the zone is not known."""
        if name not in self._made:
            self._made[name] = self._make(name)
        zone = self._made[name]
        if zone is None:
            return None
        try:
            return at.replace(tzinfo=zone).utcoffset()
        except (ValueError, OverflowError, TypeError, AttributeError, IndexError):
            return None

    def _make(self, name: str) -> tzinfo | None:
        if _NAME.fullmatch(name):
            try:
                return ZoneInfo(name)
            except (ValueError, OSError, KeyError):
                pass
        if name in self._own:
            return _zone_of(self._own[name])
        return _windows_zone(name)


def _zone_of(component: Component) -> tzinfo | None:
    """Read a VTIMEZONE. A rule that is not yearly is refused: to follow it could take for ever."""
    rules = [line for line in component.raw if line[:5].upper() == "RRULE"]
    if len(component.raw) > _MAX_LINES or not all(_RULE.fullmatch(rule.strip()) for rule in rules):
        return None
    if any(
        word in rule.upper()
        for rule in rules
        for word in ("BYHOUR", "BYMINUTE", "BYSECOND", "BYSETPOS")
    ):
        return None
    from icalendar import Timezone

    text = (
        "\r\n".join([*component.raw, *([] if component.is_closed else ["END:VTIMEZONE"])]) + "\r\n"
    )
    try:
        with python_warnings.catch_warnings():
            python_warnings.simplefilter("ignore")
            made = Timezone.from_ical(text)
            zone = made.to_tz(lookup_tzid=False) if isinstance(made, Timezone) else None
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        OverflowError,
        AssertionError,
    ):
        return None
    return zone if isinstance(zone, tzinfo) else None


def _windows_zone(name: str) -> tzinfo | None:
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    known = WINDOWS_TO_OLSON.get(name)
    try:
        return ZoneInfo(known) if known else None
    except (ValueError, OSError, KeyError):
        return None
