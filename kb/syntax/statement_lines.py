"""One list item → one statement. Pure, total and deterministic: reads from the right, never raises.

The grammar is FORMAT's ("Statements"); whatever cannot be read is a fault with its place and its fix. What
``kb.syntax.statement_texts`` writes is read back as it was.
"""

import re
from dataclasses import dataclass

from kb.diagnostics import Fault
from kb.model.statement import Citation, Link, Section, StatementLine, SubItem
from kb.syntax.edtf import TimeFault, looks_like_time
from kb.syntax.inline import (
    iter_links,
    mask,
    match_link,
    quote_target,
    unescape,
)
from kb.syntax.plain_statements import read_plain_statement
from kb.syntax.predicates import read_predicate
from kb.syntax.qualifiers import (
    QUALIFIER_HINT,
    TIME_HINT,
    Qualifiers,
    parse_time,
    read_qualifiers,
    says_a_time,
)

_ID = re.compile(r"\^([A-Za-z0-9-]+)")
_CITATION = re.compile(r"\[\^([^\[\]\s^\0]+)\]")
_ONE_COLON = re.compile(r"\s*([^\s:]+(?: [^\s:]+){0,2})\s*:(?!:)(?=\s|\[|\Z)")
_TASK = re.compile(r"\s*(\[[ xX]\])(?=\s|\Z)")
_DASH = re.compile(r"(?:^|(?<=\s))—(?=\s)")
_OTHER_DASH = re.compile(r"(?:--|–|-|―)\s")
_AND = re.compile(r"(?:and|und|&|,)\s")
#: A Markdown link but for the blanks in its target.
_LOOSE_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()<>\" ]* [^()<>\"]*)\)")
_SPACE = re.compile(r"\s*")


def parse_statement(
    text: str,
    section: Section,
    offset: int = 0,
    start: int | None = None,
    sub_items: tuple[SubItem, ...] = (),
) -> tuple[StatementLine | None, list[Fault]]:
    """Read the text of one list item, without its bullet; line ends in it are white space.

    ``offset`` is added to all positions; ``start`` is that of the bullet, left out the text's. No
    statement is given where its predicate or object cannot be read.
    """
    item_start = offset if start is None else start
    if plain := read_plain_statement(text, section, offset, item_start, sub_items):
        return plain, []
    reader = _Reader(text, section, offset)
    return reader.read(item_start, sub_items), reader.faults


@dataclass(slots=True)
class _Content:
    """What stands between the predicate and the citations."""

    link: Link | None
    value: str | None
    object_end: int
    qualifiers: Qualifiers | None
    qualifiers_start: int
    note_start: int  #: where there is no note: the end


class _Reader:
    """One item's text, its code and escapes masked, and what is wrong with it."""

    def __init__(self, text: str, section: Section, offset: int) -> None:
        self.text, self.section, self.offset = text, section, offset
        self.masked = mask(text)
        self.faults: list[Fault] = []

    def fault(self, code: str, start: int, end: int, message: str, hint: str) -> None:
        self.faults.append(Fault(code, self.offset + start, self.offset + end, message, hint))

    def read(self, item_start: int, sub_items: tuple[SubItem, ...]) -> StatementLine | None:
        text, offset = self.text, self.offset
        end = len(text.rstrip())
        sign = self.masked.find("::")
        predicate = read_predicate(text[:sign]) if sign >= 0 else None
        if predicate is None:
            self._explain_predicate(sign, end)
            return None
        start = self._skip_space(sign + 2, end)
        id, tail = self._id(start, end)
        citations, tail = self._citations(start, tail)
        reads = self._relation if self.section is Section.RELATIONS else self._fact
        content = reads(start, tail)
        if content is None:
            return None
        qualifiers, note_start = content.qualifiers or _NO_QUALIFIERS, content.note_start
        after = start if content.link is None else content.object_end
        self._report_citations(after, tail)
        words = qualifiers.words
        return StatementLine(
            section=self.section,
            predicate=predicate,
            link=content.link,
            value=content.value,
            interval=qualifiers.interval,
            confidence=qualifiers.confidence,
            by=words.get("by"),
            auto=words.get("auto"),
            retracted="retracted" in words,
            superseded_by=words.get("superseded_by"),
            note=unescape(text[note_start:tail]) or None if note_start < tail else None,
            citations=citations,
            id=id,
            sub_items=sub_items,
            mentions=tuple(iter_links(text[after:tail], offset + after)),
            start=item_start,
            end=offset + end,
            predicate_end=offset + sign,
            object_start=offset + start,
            object_end=offset + content.object_end,
            qualifiers_start=offset + content.qualifiers_start if content.qualifiers else 0,
            note_start=offset + note_start if note_start < tail else 0,
        )

    def _skip_space(self, at: int, end: int) -> int:
        match = _SPACE.match(self.text, at, end)
        return match.end() if match else at

    def _before_space(self, start: int, end: int, also: str = "") -> int:
        text = self.text
        while end > start and (text[end - 1].isspace() or text[end - 1] in also):
            end -= 1
        return end

    # -- no predicate ------------------------------------------------------------------------------

    def _explain_predicate(self, sign: int, end: int) -> None:
        text = self.text[:end]
        start = self._skip_space(0, end)
        if task := _TASK.match(self.masked):
            self.fault("KB122", start, task.end(1), "a statement is no task", "remove the box")
            return
        one = _ONE_COLON.match(self.masked, 0, end if sign < 0 else sign)
        if one and not one[1].startswith("["):
            word = "-".join(text[: one.end(1)].split())
            message = "one colon after the predicate"
            self.fault("KB121", one.end() - 1, one.end(), message, f"write two: {word}:: …")
        elif sign >= 0:
            word = text[:sign].strip()
            joined = "-".join(re.findall(r"\w+", word))
            is_word = joined != word and read_predicate(joined)
            hint = (
                f"write {joined}::" if is_word else "join words with '-': letters and digits only"
            )
            message = f'"{word}" is no predicate' if word else "the predicate is missing"
            self.fault("KB138", min(start, sign), sign if word else sign + 2, message, hint)
        else:
            is_relation = self.section is Section.RELATIONS
            what = "Relations" if is_relation else "Facts"
            form = "predicate:: [Name](file.md)" if is_relation else "predicate:: value"
            message = f"no statement: an item of {what} needs a predicate"
            self.fault("KB120", start, end, message, f"write {form}")

    # -- the tail, from the right ------------------------------------------------------------------

    def _id(self, start: int, end: int) -> tuple[str | None, int]:
        caret = self.masked.rfind("^", start, end)
        if caret < 0 or (caret > start and not self.text[caret - 1].isspace()):
            return None, end
        match = _ID.fullmatch(self.masked, caret, end)
        if match is None:
            return None, end
        return match[1], self._before_space(start, caret)

    def _citations(self, start: int, end: int) -> tuple[tuple[Citation, ...], int]:
        found: list[Citation] = []
        first, at = end, end
        while at > start and self.masked[at - 1] == "]":
            opening = self.masked.rfind("[^", start, at)
            match = _CITATION.fullmatch(self.masked, opening, at) if opening >= 0 else None
            if match is None:
                break
            found.append(Citation(match[1], self.offset + opening, self.offset + at))
            first = opening
            # Commas stand between citations; the one before the first is the text's own.
            at = self._before_space(start, opening, ",")
        return tuple(reversed(found)), self._before_space(start, first)

    def _report_citations(self, start: int, end: int) -> None:
        if self.masked.find("[^", start, end) < 0:
            return
        for match in _CITATION.finditer(self.masked, start, end):
            message = f"the citation {match[0]} stands in the middle of the statement and counts for nothing"
            self.fault("KB125", *match.span(), message, "move it to the end, before the ^id")

    # -- relations ---------------------------------------------------------------------------------

    def _relation(self, start: int, end: int) -> _Content | None:
        link = None
        if self.text.startswith(("[", "\\["), start):
            link = match_link(self.text, start, self.offset, self.masked)
        link_end = link.end - self.offset if link else end
        if link is None or link_end > end:
            self._explain_object(start, end)
            return None
        at = self._skip_space(link_end, end)
        qualifiers, opening = None, at
        if at < end and self.masked[at] == "(":
            closing = closing_parenthesis(self.masked, at, end)
            if closing is None:
                self.fault("KB131", at, end, "the parenthesis is not closed", "add ')'")
                closing = end
            qualifiers = read_qualifiers(self.text, at + 1, closing, self.section, self.offset)
            self._report_unread(qualifiers)
            at = self._skip_space(min(closing + 1, end), end)
        dash = _DASH.match(self.masked, at, end)
        note_start = self._skip_space(dash.end(), end) if dash else end
        if dash:
            self._report_late_qualifiers(qualifiers, note_start, end)
        elif at < end:
            self._explain_rest(at, end)
        return _Content(link, None, link_end, qualifiers, opening + 1, note_start)

    def _report_unread(self, qualifiers: Qualifiers) -> None:
        self.faults += qualifiers.faults
        for start, end, item in qualifiers.unread:
            message = f'"{item}" is no qualifier' if item else "a qualifier is missing"
            self.faults.append(Fault("KB127", start, end, message, QUALIFIER_HINT))

    def _explain_object(self, start: int, end: int) -> None:
        dash = _DASH.search(self.masked, start, end)
        name_end = self._before_space(start, dash.start() if dash else end)
        name = " ".join(self.text[start:name_end].split())
        if not name:
            self.fault("KB137", start, start, "the object is missing", "write a link after '::'")
            return
        if loose := _LOOSE_LINK.match(name):
            target = quote_target(loose[2])
            hint = f"write [{loose[1]}]({target})"
            self.fault("KB123", start, name_end, f"blanks in the target of {loose[0]}", hint)
            return
        # A parenthesis after it may be its qualifiers, so it is not offered as part of the name.
        short = re.split(r"[\[\]()]", name.partition(" (")[0].lstrip("[("))[0].strip() or "Name"
        hint = f"write [{short}](…/file.md) or [[{short}]]"
        self.fault("KB123", start, name_end, f'"{name}" is no link', hint)

    def _explain_rest(self, at: int, end: int) -> None:
        rest = self.text[at:end]
        link_at = end - len(rest.lstrip(",;& \t"))
        separate = "give each link an item of its own"
        if match_link(self.text, link_at, 0, self.masked):
            self.fault("KB124", at, end, "a second link: one item is one statement", separate)
        elif _AND.match(rest):
            self.fault("KB124", at, end, "one item is one statement", separate)
        elif _OTHER_DASH.match(rest):
            message = "a note begins with ' — ' (an em dash)"
            self.fault("KB131", at, end, message, "replace the dash by —")
        elif rest == "—":
            self.fault("KB131", at, end, "the note is empty", "write it, or remove the dash")
        elif bare := _BARE_CITATION.fullmatch(rest):
            message = f'"{rest}" is no citation'
            self.fault("KB131", at, end, message, f"write [^{bare.group(1)}]")
        else:
            message = f'"{rest}" after the link is not read'
            self.fault("KB131", at, end, message, "make it a note: ' — …'")

    # -- facts -------------------------------------------------------------------------------------

    def _fact(self, start: int, end: int) -> _Content | None:
        dash = _DASH.search(self.masked, start, end)
        value_end = self._before_space(start, dash.start()) if dash else end
        object_end, qualifiers = value_end, None
        opening = _opening(self.masked, start, value_end)
        if opening is not None:
            found = read_qualifiers(
                self.text, opening + 1, value_end - 1, self.section, self.offset
            )
            if found.count:
                qualifiers = found
                object_end = self._before_space(start, opening)
                self._report_mixed(found)
            else:
                self._report_time(opening, value_end)
        value = unescape(self.text[start:object_end]) if object_end > start else ""
        if not value:
            self.fault("KB137", start, start, "the value is missing", "write a value after '::'")
            return None
        self._report_more(start, object_end)
        note_start = self._skip_space(dash.end(), end) if dash else end
        if dash:
            self._report_late_qualifiers(qualifiers, note_start, end)
        return _Content(None, value, object_end, qualifiers, (opening or 0) + 1, note_start)

    def _report_mixed(self, qualifiers: Qualifiers) -> None:
        self.faults += qualifiers.faults
        for start, end, item in qualifiers.unread:
            message = f'"{item}" is no qualifier, but its neighbours are'
            hint = f"{QUALIFIER_HINT}; or put the value in a code span"
            self.faults.append(Fault("KB128", start, end, message, hint))

    def _report_more(self, start: int, end: int) -> None:
        """Report what ends a value and was probably meant as its note or citation."""
        if note := _LIKE_A_NOTE.search(self.masked, start, end):
            message = "what follows this dash looks like a note but is read as part of the value"
            hint = "replace the dash by — (an em dash), or put the value in a code span"
            self.fault("KB142", note.start(1), note.end(1), message, hint)
        elif cited := _LIKE_A_CITATION.search(self.masked, start, end):
            message = f"{cited.group()} looks like a citation but is read as part of the value"
            hint = f"write [^{cited.group(1)}], or put the value in a code span"
            self.fault("KB142", cited.start(), end, message, hint)

    def _report_time(self, opening: int, end: int) -> None:
        """A parenthesis without qualifiers is the value's own: say so where it was perhaps meant otherwise."""
        inner = self.text[opening + 1 : end - 1].strip()
        if not looks_like_time(inner) and not says_a_time(inner):
            return
        parsed = parse_time(inner)
        why, hint = "", TIME_HINT
        if isinstance(parsed, TimeFault):
            why, hint = f": {parsed.message}", parsed.hint or hint
        message = f"the parenthesis looks like a time but is read as part of the value{why}"
        self.fault("KB129", opening, end, message, f"{hint}; or put the value in a code span")

    # -- notes -------------------------------------------------------------------------------------

    def _report_late_qualifiers(
        self, qualifiers: Qualifiers | None, note_start: int, end: int
    ) -> None:
        """Report a parenthesis that ends the note and should stand before it; a date may be the note's own."""
        opening = _opening(self.masked, note_start, end)
        if opening is None:
            return
        late = read_qualifiers(self.text, opening + 1, end - 1, self.section, self.offset)
        if late.count and not late.unread and not (qualifiers and late.is_only_a_time):
            message = f"{self.text[opening:end]} stands after the note and is read as part of it"
            self.fault("KB126", opening, end, message, "move it before the ' — '")


_NO_QUALIFIERS = Qualifiers()
#: ``[2026-01-15-offsite]`` or ``[^ 2026-01-15-offsite]`` after a link.
_BARE_CITATION = re.compile(r"\[\^?[ \t]*([a-z0-9]+(?:-[a-z0-9]+)*)[ \t]*\]")
#: A quoted note after a dash that is none of ours, and a dated id in brackets at a value's end.
_LIKE_A_NOTE = re.compile(r"\s(-{1,2}|–)\s+[\"“]")
_LIKE_A_CITATION = re.compile(
    r"(?<=\s)\[\^?[ \t]*([0-9]{4}-[0-9]{2}-[0-9]{2}-[a-z0-9-]+)[ \t]*\]\Z"
)


def closing_parenthesis(masked: str, opening: int, end: int) -> int | None:
    """Give where a parenthesis closes in a masked text, ``None`` where it does not."""
    depth, at = 0, opening
    while (closing := masked.find(")", at, end)) >= 0:
        depth += masked.count("(", at, closing) - 1
        if depth == 0:
            return closing
        at = closing + 1
    return None


def _opening(masked: str, start: int, end: int) -> int | None:
    """Where the parenthesis that ends a text begins, if a blank or nothing stands before it."""
    if end <= start or masked[end - 1] != ")":
        return None
    depth, at = 0, end
    while (opening := masked.rfind("(", start, at)) >= 0:
        depth += masked.count(")", opening, at) - 1
        if depth == 0:
            return opening if opening == start or masked[opening - 1].isspace() else None
        at = opening
    return None


def parse_sub_item(text: str) -> SubItem | None:
    """Read the text of an indented item, ``name:: text``."""
    name, sign, rest = text.partition("::")
    predicate = read_predicate(name) if sign else None
    content = unescape(rest)
    return SubItem(predicate, content) if predicate and content else None
