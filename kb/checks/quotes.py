"""Verbatim quotes: proved against what the cited observations say."""

import unicodedata
from collections.abc import Iterator

from kb.checks.material import Material
from kb.checks.places import note_place
from kb.diagnostics import Diagnostic
from kb.graph.build import Draft
from kb.model.observation import ObservationFile
from kb.syntax.inline import unescape


def check_quotes(material: Material) -> Iterator[Diagnostic]:
    """Find quotes that occur in no cited observation; one that cannot be read may hold them."""
    texts = _Texts()
    for draft in material.iter_drafts():
        quote = draft.line.quote
        if quote is None or not draft.line.citations:
            continue
        cited = [
            material.resolution.observations.get(citation.observation)
            for citation in draft.line.citations
        ]
        readable = [one for one in cited if one is not None and not one.is_broken]
        if len(readable) < len(cited) or any(texts.hold(one, quote, draft) for one in readable):
            continue
        where = ", ".join(one.path for one in readable)
        path, place = draft.file.path, note_place(draft)
        message = f"the quote does not occur in {where}"
        yield material.finding("KB404", path, material.span(path, place), message)


class _Texts:
    """The observations' texts as they are compared, each made once, and only when it is needed."""

    def __init__(self) -> None:
        self.folded: dict[str, str] = {}
        self.unescaped: dict[str, str] = {}

    def hold(self, observation: ObservationFile, quote: str, draft: Draft) -> bool:
        """Say whether a text holds a quote: as it is, with white space folded, or Markdown unescaped."""
        if quote in observation.body:
            return True
        wanted = fold_space(quote)
        if not wanted:
            return True
        folded = self.folded.get(observation.path)
        if folded is None:
            folded = self.folded[observation.path] = fold_space(observation.body)
        start, end = note_place(draft)
        if wanted in folded or fold_space(draft.file.text[start + 1 : end - 1]) in folded:
            return True
        plain = self.unescaped.get(observation.path)
        if plain is None:
            is_plain = "\\" not in observation.body and "&" not in observation.body
            plain = folded if is_plain else fold_space(unescape(observation.body))
            self.unescaped[observation.path] = plain
        return wanted in plain


def fold_space(text: str) -> str:
    """Make every run of white space one blank, and every letter composed."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())
