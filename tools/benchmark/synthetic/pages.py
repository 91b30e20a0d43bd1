"""The text of entity files, whole or as they were at an earlier commit. Pure."""

from collections.abc import Callable, Iterable

from .sources import SourceText
from .statements import Line, Page
from .times import DAYS

#: Says whether a line stands in the file yet.
Standing = Callable[[Line], bool]

CONFIGURATION = """\
kb: 1
name: Synthetic {count}
freshness: 0
relations:
  supplies: {{inverse: supplied-by, from: [company], to: [company, product]}}
facts:
  headcount: {{value: number}}
  deadline: {{value: date}}
  remark: {{}}
"""


def format_page(page: Page, stands: Standing = lambda line: True) -> str:
    """Write an entity's file with those lines that stand in it."""
    parts = [_front_matter(page), page.summary + "\n"]
    cited: dict[str, SourceText] = {}
    for heading, lines in (("Relations", page.relations), ("Facts", page.facts)):
        standing = [line for line in lines if stands(line)]
        if standing:
            items = "\n".join(f"{line.text} ^{line.id}{line.sub_items}" for line in standing)
            parts.append(f"## {heading}\n\n{items}\n")
            cited |= {source.id: source for line in standing for source in line.sources}
    parts += _footnotes(cited.values())
    return "\n".join(parts)


def _front_matter(page: Page) -> str:
    member = page.member
    lines = ["---", f"id: {member.id}", f"type: {member.type}", f"name: {member.name}"]
    for field, values in (
        ("aliases", [f'"{alias}"' if "," in alias else alias for alias in member.aliases]),
        ("keys", member.keys),
        ("distinct_from", member.distinct_from),
    ):
        if values:
            lines.append(f"{field}: [{', '.join(values)}]")
    if member.merged_into:
        lines.append(f"merged_into: {member.merged_into}")
    return "\n".join((*lines, "---", ""))


def _footnotes(cited: Iterable[SourceText]) -> list[str]:
    return [
        f"[^{source.id}]: [{source.title}, {DAYS[source.day]}](../../../{source.path})\n"
        for source in cited
    ]
