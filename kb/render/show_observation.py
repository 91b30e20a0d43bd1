"""An observation's page → text and JSON."""

from collections.abc import Iterator

from kb.queries.show_observation import SourcePage
from kb.render.counts import format_count
from kb.render.statements import INDENT, Json, statement_as_json, triple


def source_lines(page: SourcePage) -> Iterator[str]:
    """Give what is known of the source, its own words, and what cites it."""
    yield page.title
    seal = "sealed" if page.is_sealed else "not sealed"
    yield f"{page.id} · {page.kind or 'no kind'} · {page.path} · {seal}"
    said = [page.happened_at or "undated"]
    said += [f"said by {page.said_by}"] if page.said_by else []
    said += [f"with {', '.join(page.participants)}"] if page.participants else []
    said += [f"from {page.source}"] if page.source else []
    said += [f"repeats {', '.join(page.derived_from)}"] if page.derived_from else []
    yield " · ".join(said)
    yield ""
    yield from page.text.strip().splitlines()
    yield ""
    yield f"Cited by {format_count(len(page.statements), 'statement')}"
    yield from (f"{INDENT}{triple(view)}" for view in page.statements)


def source_as_json(page: SourcePage) -> Json:
    """Give the source with its text, and the statements that cite it."""
    return {
        "observation": page.id,
        "kind": page.kind or None,
        "title": page.title,
        "path": page.path,
        "happened_at": page.happened_at,
        "said_by": page.said_by or None,
        "participants": list(page.participants),
        "source": page.source or None,
        "derived_from": list(page.derived_from),
        "sealed": page.is_sealed,
        "text": page.text,
        "statements": [statement_as_json(view) for view in page.statements],
    }
