"""Numbers of things in words. The one place that knows plurals."""


def format_count(number: int, noun: str) -> str:
    """Say how many: ``1 entity``, ``1,200 entities``."""
    if number == 1:
        return f"1 {noun}"
    is_changed = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{number:,} {noun[:-1]}ies" if is_changed else f"{number:,} {noun}s"
