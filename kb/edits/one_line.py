"""Arguments that stand on one line of a file, as text. Joining their lines would write what nobody said."""

import unicodedata

from kb.errors import UsageError

#: No line that a person reads, or a tool of git shows, is longer.
_LONGEST = 64 * 1024


def check_one_line(what: str, text: str, longer: str = "") -> None:
    """Refuse a text of several lines, one that is no plain text, and one that is no line any more.

    Blank lines around it do not count. ``longer`` says what to do with a text that is longer.
    """
    check_utf8(text)
    if len(text.strip().splitlines()) > 1:
        raise UsageError(f"{what} is one line of text", longer or "leave the line breaks out")
    if len(text) > _LONGEST:
        raise UsageError(f"{what} is at most {_LONGEST} characters long", longer or "shorten it")
    for char in text.strip():
        if char != "\t" and unicodedata.category(char) == "Cc":
            message = f"{what} holds a control character (U+{ord(char):04X})"
            raise UsageError(message, "leave it out")


def check_utf8(*texts: str) -> None:
    """Refuse texts that no file can hold: of arguments in another encoding, or with half a character."""
    if any("\ud800" <= char <= "\udfff" for text in texts for char in text):
        raise UsageError("the text is not UTF-8", "convert it first")
