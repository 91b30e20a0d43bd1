"""Verbatim quotes: whether a text holds one. Knows nothing of statements and files."""

import unicodedata
from dataclasses import dataclass
from functools import cached_property

from kb.syntax.inline import unescape


@dataclass(frozen=True)
class QuotedText:
    """A text that is quoted, in the forms that are compared: each made once, and only when it is needed."""

    text: str

    def holds(self, quote: str, raw: str = "") -> bool:
        """Say whether it holds a quote: as it is, with white space folded, or its own Markdown unescaped.

        ``raw`` is the quote as it is written, escapes and all, where that may be another text.
        """
        wanted = _fold_space(quote)
        if quote in self.text or wanted in self._folded:
            return True
        return (bool(raw) and _fold_space(raw) in self._folded) or wanted in self._plain

    @cached_property
    def _folded(self) -> str:
        return _fold_space(self.text)

    @cached_property
    def _plain(self) -> str:
        is_plain = "\\" not in self.text and "&" not in self.text
        return self._folded if is_plain else _fold_space(unescape(self.text))


def _fold_space(text: str) -> str:
    """Make every run of white space one blank, and every letter composed."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())
