"""Dates of synthetic knowledge bases, as they are written: days, months, years, intervals, doubtful ones."""

from datetime import date
from random import Random

#: What happens in a synthetic knowledge base happens from the first to the last of these days.
FIRST_DAY = date(2015, 1, 1).toordinal()
LAST_DAY = date(2025, 12, 31).toordinal()

#: A day as written, by its ordinal less :data:`FIRST_DAY`; some days beyond the last for what is still to come.
DAYS = [date.fromordinal(day).isoformat() for day in range(FIRST_DAY, LAST_DAY + 800)]


def draw_day(rng: Random) -> int:
    """Draw a day, as an index of :data:`DAYS`; the later ones more often, as a knowledge base grows."""
    span = LAST_DAY - FIRST_DAY
    return int(span * (1 - rng.random() ** 1.5 * 0.999))


def write_date(rng: Random, day: int) -> str:
    """Write a date as exactly as people know it: mostly the day, else the month or the year."""
    draw = rng.random()
    text = DAYS[day]
    if draw < 0.55:
        return text
    return text[:7] if draw < 0.85 else text[:4]


def write_interval(rng: Random, day: int) -> str:
    """Write when something held that began at about a day; "" where nobody knows."""
    draw = rng.random()
    if draw < 0.07:
        return ""
    start = write_date(rng, day)
    if draw < 0.50:
        return f"{start}/.."
    if draw < 0.72:
        end = DAYS[min(day + 30 + int(rng.random() * 700), len(DAYS) - 1)]
        return f"{start}/{end[: len(start)]}"
    if draw < 0.90:
        return start
    if draw < 0.93:
        return f"{start}~/.."
    if draw < 0.95:
        return f"{start}?"
    return ("/..", f"{start}/", f"/{start}", "ended", f"{start[:3]}X")[int((draw - 0.95) * 100)]


def write_chain(rng: Random, day: int, count: int) -> list[str]:
    """Write intervals of which each begins when the one before ends; the last is still open."""
    days = [day]
    for _ in range(count - 1):
        days.append(min(days[-1] + 60 + int(rng.random() * 900), LAST_DAY - FIRST_DAY))
    starts = [DAYS[one][:7] for one in days]
    return [f"{start}/{end}" for start, end in zip(starts, [*starts[1:], ".."], strict=True)]
