"""Verbatim quotes: proved against what the cited observations say."""

from collections.abc import Iterator

from kb.checks.material import Material
from kb.checks.places import note_place
from kb.diagnostics import Diagnostic
from kb.syntax.quotes import QuotedText


def check_quotes(material: Material) -> Iterator[Diagnostic]:
    """Find quotes that occur in no cited observation; one that cannot be read may hold them."""
    texts: dict[str, QuotedText] = {}
    for draft in material.iter_drafts():
        quote = draft.line.quote
        if quote is None or not draft.line.citations:
            continue
        cited = [
            material.resolution.observations.get(citation.observation)
            for citation in draft.line.citations
        ]
        readable = [one for one in cited if one is not None and not one.is_broken]
        path, place = draft.file.path, note_place(draft)
        raw = draft.file.text[place[0] + 1 : place[1] - 1]
        bodies = [texts.setdefault(one.path, QuotedText(one.body)) for one in readable]
        if len(readable) < len(cited) or any(body.holds(quote, raw) for body in bodies):
            continue
        where = ", ".join(one.path for one in readable)
        message = f"the quote does not occur in {where}"
        yield material.finding("KB404", path, material.span(path, place), message)
