"""The report of a benchmark: its table with the machine, as a page, between the marks of another one, and as JSON."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from .table import Row, render_table

#: Lines of a page between which a report stands.
BEGIN, END = "<!-- table -->", "<!-- end of table -->"


def render_report(rows: Sequence[Row], machine: Mapping[str, str]) -> str:
    """Render the table with what it was measured on."""
    on = ", ".join(f"{name} {value}" for name, value in machine.items())
    reached = [row.reached for row in rows]
    count = f"{reached.count(True)} figures reached, {reached.count(False)} missed"
    return f"Measured on: {on}. {count}.\n\n{render_table(rows)}"


def replace_table(page: str, text: str) -> str:
    """Put a report between the marks of a page."""
    head, _, rest = page.partition(BEGIN)
    _, mark, tail = rest.partition(END)
    if not mark:
        raise ValueError(f"the page lacks {BEGIN} … {END}")
    return f"{head}{BEGIN}\n\n{text}\n{END}{tail}"


def save(path: Path, text: str, report: dict[str, object]) -> None:
    """Write a page and the JSON beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    figures = json.dumps(report, ensure_ascii=False, indent=1)
    path.with_suffix(".json").write_text(figures + "\n", encoding="utf-8")
