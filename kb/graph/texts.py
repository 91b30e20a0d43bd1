"""What an entity's file says in words, for full text: its free text and what its statements say."""

import re

from kb.model.entity import EntityFile
from kb.syntax.front_matter import TextHandler

_SECTION_HEADING = re.compile(r"^ {0,3}##[ \t]+(?:relations|facts)[ \t]*#*[ \t]*$", re.I | re.M)


def text_of(file: EntityFile) -> str:
    """Give the free text, then what each statement that is not retired says."""
    pieces = [_free_text(file)] if file.text else []
    for line in file.statements:
        if line.is_retired:
            continue
        said = [line.value or "", line.note or "", *(sub.text for sub in line.sub_items)]
        pieces.append(" — ".join(filter(None, said)))
    return "\n".join(filter(None, pieces))


def _free_text(file: EntityFile) -> str:
    """Cut statements, their sections' headings and footnotes out of a file's body."""
    text = file.text
    if file.is_broken:
        return text
    cuts = sorted(
        [(line.start, line.end) for line in file.statements]
        + [(note.start, note.end) for note in file.footnotes]
    )
    kept, at = [], _body_start(text)
    for start, end in cuts:
        kept.append(text[at:start])
        at = max(at, end)
    kept.append(text[at:])
    return re.sub(r"\n{3,}", "\n\n", _SECTION_HEADING.sub("", "".join(kept))).strip()


def _body_start(text: str) -> int:
    try:
        return len(text) - len(TextHandler().split(text)[1])
    except ValueError:
        return 0
