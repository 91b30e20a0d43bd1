"""One statement → its canonical line, which ``kb.syntax.statement_lines`` reads back as the same statement."""

import re

from kb.model.statement import Section, StatementLine
from kb.syntax.inline import code_span, escape, format_link
from kb.syntax.qualifiers import iter_qualifiers
from kb.syntax.statement_lines import parse_statement

_FOLDED = re.compile(r"\s{2,}|[^\S ]|``")


def format_statement(statement: StatementLine, link: str | None = None) -> str:
    """Write a statement as its canonical line, bullet included, without sub-items.

    ``link`` is the object's text in a relation (its form depends on where the file lies); left out,
    the link is written from its parts. ``parse_statement`` reads the line back as the same statement:
    value and note stand as they are where that reads back, else in code spans.
    """
    head = f"{statement.predicate}:: "
    qualifiers = ", ".join(iter_qualifiers(statement))
    middle = f" ({qualifiers})" if qualifiers else ""
    tail = "".join(f" [^{citation.observation}]" for citation in statement.citations)
    tail += f" ^{statement.id}" if statement.id else ""
    objects = _object_texts(statement, link)
    notes = [f" — {note}" for note in _plain_and_code(statement.note)] if statement.note else [""]
    lines = [f"{head}{text}{middle}{note}{tail}" for text in objects for note in notes]
    for line in lines[:-1]:
        if _reads_back(statement, line):
            return f"- {line}"
    return f"- {lines[-1]}"


def _object_texts(statement: StatementLine, link: str | None) -> list[str]:
    if statement.link is None:
        return _plain_and_code(statement.value or "")
    if link is None:
        link = format_link(statement.link.label, statement.link.target, statement.link.form)
    return [link]


def _plain_and_code(text: str) -> list[str]:
    """The ways to write a text, the plain one first. Runs of white space are only safe in code."""
    is_loose = _FOLDED.search(text) is not None
    return [code_span(text)] if is_loose else [escape(text), code_span(text)]


def _reads_back(statement: StatementLine, line: str) -> bool:
    read, faults = parse_statement(line, statement.section)
    return (
        read is not None
        and not faults
        and (read.value, read.note, read.id) == (statement.value, statement.note, statement.id)
        and (read.interval, read.confidence, read.by, read.auto, read.retracted, read.superseded_by)
        == (
            statement.interval,
            statement.confidence,
            statement.by,
            statement.auto,
            statement.retracted,
            statement.superseded_by,
        )
        and [citation.observation for citation in read.citations]
        == [citation.observation for citation in statement.citations]
    )


def format_note(note: str, section: Section, *, is_qualified: bool) -> str:
    """Write a note by itself so that it reads back in a section, whatever stands before and after it.

    Behind qualifiers a date that ends it is its own; without them it could be the statement's that stands too late.
    """
    plain = _plain_and_code(note)[0]
    head = "x:: x" if section is Section.FACTS else "x:: [x](x.md)"
    qualifiers = " (90%)" if is_qualified else ""
    read, faults = parse_statement(f"{head}{qualifiers} — {plain} [^x] ^x", section)
    return plain if read and not faults and read.note == note else code_span(note)
