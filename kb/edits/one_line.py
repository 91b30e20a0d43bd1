"""Arguments that stand on one line of a file. Joining their lines would write what nobody said."""

from kb.errors import UsageError


def check_one_line(what: str, text: str, hint: str = "leave the line breaks out") -> None:
    """Refuse a text of several lines; blank ones around it do not count."""
    if len(text.strip().splitlines()) > 1:
        raise UsageError(f"{what} is one line of text", hint)
