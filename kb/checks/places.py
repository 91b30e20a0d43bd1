"""Where in a statement's line its parts stand, by character offsets."""

import re

from kb.graph.drafts import Draft

_BULLET = re.compile(r"[ \t]*[-*+][ \t]*")

Place = tuple[int, int]


def predicate_place(draft: Draft) -> Place:
    """Place the predicate as written."""
    text, line = draft.file.text, draft.line
    bullet = _BULLET.match(text, line.start)
    start = bullet.end() if bullet else line.start
    return start, start + max(len(text[start : line.predicate_end].rstrip()), 1)


def object_place(draft: Draft) -> Place:
    """Place a relation's link or a fact's value."""
    return draft.line.object_start, draft.line.object_end


def claim_place(draft: Draft) -> Place:
    """Place predicate and object: what is claimed."""
    return predicate_place(draft)[0], draft.line.object_end


def note_place(draft: Draft) -> Place:
    """Place the note, its quotation marks included."""
    line = draft.line
    end = line.citations[0].start if line.citations else id_place(draft)[0]
    return line.note_start, line.note_start + len(draft.file.text[line.note_start : end].rstrip())


def id_place(draft: Draft) -> Place:
    """Place the ``^id``; the line's end where none is written."""
    line = draft.line
    return line.end - (len(line.id) + 1 if line.id else 0), line.end


def qualifier_place(draft: Draft, pattern: str) -> Place:
    """Place the first group of a pattern in the qualifiers; the predicate where it is not found."""
    line = draft.line
    if line.qualifiers_start:
        end = line.note_start or line.end
        found = re.compile(pattern).search(draft.file.text, line.qualifiers_start, end)
        if found:
            return found.start(1), found.end(1)
    return predicate_place(draft)
