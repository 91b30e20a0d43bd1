"""What an entity's file says in words, for full text: its free text and what its statements say."""

import re

from kb.model.entity import EntityFile
from kb.syntax.front_matter import split_block

_SECTION_HEADING = re.compile(r"^ {0,3}##[ \t]+(?:relations|facts)[ \t]*#*[ \t]*$", re.I | re.M)

_MANY_LINE_ENDS = re.compile(r"\n{3,}")


def text_of(file: EntityFile) -> str:
    """Give the free text, then what each statement that is not retired says."""
    pieces = [_free_text(file)] if file.text else []
    for line in file.statements:
        value, note = line.value, line.note
        if (value is None and note is None and not line.sub_items) or line.is_retired:
            continue
        said = [value or "", note or "", *(sub.text for sub in line.sub_items)]
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
    text = "".join(kept)
    if "##" in text:
        text = _SECTION_HEADING.sub("", text)
    if "\n\n\n" in text:
        text = _MANY_LINE_ENDS.sub("\n\n", text)
    return text.strip()


def _body_start(text: str) -> int:
    split = split_block(text)
    return len(text) - len(split[1]) if split else 0
