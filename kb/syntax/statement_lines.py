"""One list item ⇄ one statement. Pure, total and deterministic: reads from the right, never raises.

The grammar is FORMAT's ("Statements"); whatever cannot be read is a fault with its place and its fix.
"""

import re
from collections.abc import Iterator

from kb.diagnostics import Fault
from kb.model.names import normalize_predicate
from kb.model.statement import Citation, Link, LinkForm, Section, StatementLine, SubItem
from kb.model.time import Interval
from kb.syntax.edtf import TimeFault, looks_like_time, parse_interval
from kb.syntax.inline import code_span, escape, iter_links, mask, match_link, unescape

_ID = re.compile(r"(?:^|\s)\^([A-Za-z0-9-]+)\s*\Z")
_LAST_CITATION = re.compile(r"[\s,]*\[\^([^\]\s^]+)\]\s*\Z")
_ANY_CITATION = re.compile(r"\[\^([^\]\s^]+)\]")
_PREDICATE = re.compile(r"[^\W_]+(?:[-_]+[^\W_]+)*", re.U)
_ONE_COLON = re.compile(r"([^\s:]+(?: [^\s:]+){0,2})\s*:(?!:)(?=\s|\[|\Z)")
_TASK = re.compile(r"\[[ xX]\]\s")
_DASH = re.compile(r"(?:^|(?<=\s))—(?=\s|\Z)")
_OTHER_DASH = re.compile(r"(?:--|–|-|―)\s")
_CONFIDENCE = re.compile(r"(\d{1,3})\s*%")
_BY = re.compile(r"by\s+([a-z0-9]+(?:-[a-z0-9]+)*)")
_AUTO = re.compile(r"auto-(high|medium|low)")
_SUPERSEDED = re.compile(r"superseded\s+by\s+\^([A-Za-z0-9-]+)")
_MARK = re.compile(r"[\w]", re.U)


class _Qualifiers:
    """What a parenthesis says, gathered item by item."""

    def __init__(self) -> None:
        self.interval: Interval | None = None
        self.confidence: int | None = None
        self.by: str | None = None
        self.auto: str | None = None
        self.retracted = False
        self.superseded_by: str | None = None
        self.unread: list[tuple[int, int, str]] = []
        self.count = 0


def parse_statement(text: str, section: Section, offset: int = 0) -> tuple[StatementLine | None, list[Fault]]:
    """Read the text of one list item, without its bullet; line ends in it are white space.

    ``offset`` is added to all positions. No statement is given where its predicate or object cannot be read.
    """
    return _Reader(text, section, offset).read()


class _Reader:
    def __init__(self, text: str, section: Section, offset: int) -> None:
        self.text, self.section, self.offset = text, section, offset
        self.masked = mask(text)
        self.faults: list[Fault] = []

    def fault(self, code: str, start: int, end: int, message: str, hint: str = "") -> None:
        self.faults.append(Fault(code, self.offset + start, self.offset + end, message, hint))

    def read(self) -> tuple[StatementLine | None, list[Fault]]:
        end = len(self.text.rstrip())
        task = _TASK.match(self.text)
        if task:
            self.fault("KB122", 0, task.end() - 1, "a statement is no task", "remove the box")
            return None, self.faults
        sign = self.masked.find("::")
        if sign < 0 or not self._is_predicate(sign):
            return None, self._no_predicate(end, sign)
        predicate = normalize_predicate(self.text[:sign].strip())
        start = sign + 2
        start += len(self.text[start:end]) - len(self.text[start:end].lstrip())
        id, tail = self._id(end)
        citations, tail = self._citations(start, tail)
        reads = self._relation if self.section is Section.RELATIONS else self._fact
        body = reads(start, tail)
        if body is None:
            return None, self.faults
        link, value, object_end, qualifiers, qualifiers_start, note, note_start = body
        self._stray_citations(start, tail)
        mentions = tuple(iter_links(self.text[start if link is None else object_end : tail], self.offset + (start if link is None else object_end)))
        return (
            StatementLine(
                section=self.section,
                predicate=predicate,
                link=link,
                value=value,
                interval=qualifiers.interval,
                confidence=qualifiers.confidence,
                by=qualifiers.by,
                auto=qualifiers.auto,
                retracted=qualifiers.retracted,
                superseded_by=qualifiers.superseded_by,
                note=note,
                citations=citations,
                id=id,
                mentions=mentions,
                start=self.offset,
                end=self.offset + end,
                predicate_end=self.offset + sign,
                object_start=self.offset + start,
                object_end=self.offset + object_end,
                qualifiers_start=self.offset + qualifiers_start if qualifiers_start else 0,
                note_start=self.offset + note_start if note is not None else 0,
            ),
            self.faults,
        )

    # -- the predicate -------------------------------------------------------------------------------------------

    def _is_predicate(self, sign: int) -> bool:
        word = self.text[:sign].strip()
        return _is_predicate_word(word)

    def _no_predicate(self, end: int, sign: int) -> list[Fault]:
        text = self.text[:end]
        if sign >= 0:
            word = text[:sign].strip()
            hint = "join words with '-': letters and digits only"
            if word:
                joined = "-".join(re.findall(r"\w+", word))
                if _is_predicate_word(joined):
                    hint = f"write {joined}::"
            self.fault("KB138", 0, max(sign, 1), f'"{word}" is no predicate' if word else "the predicate is missing", hint)
            return self.faults
        one = _ONE_COLON.match(self.masked)
        if one:
            word = "-".join(text[: one.end(1)].split())
            self.fault(
                "KB121", one.end() - 1, one.end(), "one colon after the predicate", f"write two: {word}:: …"
            )
        else:
            what = "Relations" if self.section is Section.RELATIONS else "Facts"
            form = "predicate:: [Name](file.md)" if self.section is Section.RELATIONS else "predicate:: value"
            self.fault("KB120", 0, max(end, 1), f"no statement: an item of {what} needs a predicate", f"write {form}")
        return self.faults

    # -- the tail, from the right --------------------------------------------------------------------------------

    def _id(self, end: int) -> tuple[str | None, int]:
        match = _ID.search(self.masked, 0, end)
        if match is None:
            return None, end
        return match.group(1), len(self.text[: match.start()].rstrip())

    def _citations(self, start: int, end: int) -> tuple[tuple[Citation, ...], int]:
        found: list[Citation] = []
        while True:
            match = _LAST_CITATION.search(self.masked, start, end)
            if match is None:
                return tuple(reversed(found)), end
            bracket = self.masked.index("[^", match.start())
            found.append(Citation(match.group(1), self.offset + bracket, self.offset + match.end(1) + 1))
            end = len(self.text[: match.start()].rstrip())

    def _stray_citations(self, start: int, end: int) -> None:
        for match in _ANY_CITATION.finditer(self.masked, start, end):
            self.fault(
                "KB125",
                match.start(),
                match.end(),
                f"the citation {match.group()} stands in the middle of the statement and counts for nothing",
                "move it to the end, before the ^id",
            )

    # -- the object ----------------------------------------------------------------------------------------------

    def _relation(self, start: int, end: int) -> "tuple[Link | None, str | None, int, _Qualifiers, int, str | None, int] | None":
        link = match_link(self.text, start) if self.masked[start : start + 1] == "[" or self.text[start : start + 2] == "\\[" else None
        if link is None or link.end > end:
            dash = _DASH.search(self.masked, start, end)
            name = self.text[start : dash.start() if dash else end].strip()
            if name:
                hint = f"write [{name.partition(' (')[0]}](…/file.md) or [[{name.partition(' (')[0]}]]"
                self.fault("KB123", start, max(end, start + 1), f'"{name}" is no link', hint)
            else:
                self.fault("KB137", max(start - 2, 0), start, "the object is missing", "write a link after '::'")
            return None
        at = _skip_space(self.text, link.end, end)
        qualifiers, qualifiers_start = _Qualifiers(), 0
        if self.masked[at : at + 1] == "(":
            close = _close_paren(self.masked, at, end)
            if close is None:
                self.fault("KB131", at, end, "the parenthesis is not closed", "add ')'")
                close, stop = end, end
            else:
                stop = close + 1
            qualifiers_start = at + 1
            self._read_qualifiers(qualifiers, at + 1, close)
            for item_start, item_end, item in qualifiers.unread:
                self.fault("KB127", item_start, item_end, f'"{item}" is no qualifier', _QUALIFIER_HINT)
            at = _skip_space(self.text, stop, end)
        note, note_start, at = self._note(at, end)
        if note is None and at < end:
            self._text_after_link(at, end)
        elif note is not None and not qualifiers.count:
            self._qualifier_after_note(note_start, end)
        shifted = Link(link.form, link.label, link.target, link.start + self.offset, link.end + self.offset)
        return shifted, None, link.end, qualifiers, qualifiers_start, note, note_start

    def _text_after_link(self, at: int, end: int) -> None:
        if match_link(self.text, at + len(self.text[at:end]) - len(self.text[at:end].lstrip(",;& \t"))):
            self.fault("KB124", at, end, "a second link: one item is one statement", "give each link an item of its own")
        elif re.match(r"(?:and|und|&|,)\s", self.text[at:end]):
            self.fault("KB124", at, end, "one item is one statement", "give each link an item of its own")
        elif _OTHER_DASH.match(self.text[at:end]):
            self.fault("KB131", at, end, "a note begins with ' — ' (an em dash)", "replace the dash by —")
        else:
            self.fault("KB131", at, end, f'"{self.text[at:end]}" after the link is not read', "make it a note: ' — …'")

    def _fact(self, start: int, end: int) -> "tuple[Link | None, str | None, int, _Qualifiers, int, str | None, int] | None":
        dash = _DASH.search(self.masked, start, end)
        value_end = len(self.text[: dash.start()].rstrip()) if dash else end
        qualifiers, qualifiers_start = _Qualifiers(), 0
        object_end = value_end
        opening = _open_paren(self.masked, start, value_end)
        if opening is not None:
            self._read_qualifiers(qualifiers, opening + 1, value_end - 1)
            if qualifiers.count and not qualifiers.unread:
                qualifiers_start = opening + 1
                object_end = len(self.text[:opening].rstrip())
            else:
                self._unread_parenthesis(qualifiers, opening, value_end)
                if qualifiers.count:
                    qualifiers_start = opening + 1
                    object_end = len(self.text[:opening].rstrip())
                else:
                    qualifiers = _Qualifiers()
        value = unescape(self.text[start:object_end]) if object_end > start else ""
        if not value:
            self.fault("KB137", max(start - 2, 0), start, "the value is missing", "write a value after '::'")
            return None
        note, note_start, _ = self._note(dash.start(), end) if dash else (None, 0, end)
        if note is not None and not qualifiers.count:
            self._qualifier_after_note(note_start, end)
        return None, value, object_end, qualifiers, qualifiers_start, note, note_start

    def _unread_parenthesis(self, qualifiers: _Qualifiers, opening: int, end: int) -> None:
        if qualifiers.count:
            for item_start, item_end, item in qualifiers.unread:
                self.fault(
                    "KB128",
                    item_start,
                    item_end,
                    f'"{item}" is no qualifier, but its neighbours are',
                    _QUALIFIER_HINT + "; or put the value in a code span",
                )
        elif looks_like_time(self.text[opening + 1 : end - 1].strip()):
            parsed = parse_interval(self.text[opening + 1 : end - 1].strip())
            why = f": {parsed.message}" if isinstance(parsed, TimeFault) else ""
            hint = parsed.hint if isinstance(parsed, TimeFault) and parsed.hint else "write an EDTF date"
            self.fault(
                "KB129",
                opening,
                end,
                f"the parenthesis looks like a time but is read as part of the value{why}",
                f"{hint}; or put the value in a code span",
            )

    # -- qualifiers and note -------------------------------------------------------------------------------------

    def _read_qualifiers(self, into: _Qualifiers, start: int, end: int) -> None:
        at = start
        for piece in self.text[start:end].split(","):
            item = piece.strip()
            item_start = at + len(piece) - len(piece.lstrip())
            at += len(piece) + 1
            if not self._read_qualifier(into, " ".join(item.split()), item_start):
                into.unread.append((item_start, max(item_start + len(item), item_start + 1), item))
            else:
                into.count += 1

    def _read_qualifier(self, into: _Qualifiers, item: str, start: int) -> bool:
        end = start + len(item)
        if match := _CONFIDENCE.fullmatch(item):
            if int(match.group(1)) > 100:
                self.fault("KB127", start, end, f"a confidence of {item} is more than 100%")
            elif into.confidence is not None:
                self._twice(start, end, "confidence")
            else:
                into.confidence = int(match.group(1))
            return True
        if match := _BY.fullmatch(item):
            if into.by is not None:
                self._twice(start, end, "'by'")
            else:
                into.by = match.group(1)
            return True
        if match := _AUTO.fullmatch(item):
            if into.auto is not None:
                self._twice(start, end, "'auto-'")
            else:
                into.auto = match.group(1)
            return True
        if item == "retracted":
            into.retracted = True
            return True
        if match := _SUPERSEDED.fullmatch(item):
            if into.superseded_by is not None:
                self._twice(start, end, "'superseded by'")
            else:
                into.superseded_by = match.group(1)
            return True
        return self._read_time(into, item, start)

    def _read_time(self, into: _Qualifiers, item: str, start: int) -> bool:
        if not item:
            return False
        parsed = parse_interval(item)
        if isinstance(parsed, Interval):
            if into.interval is not None:
                self._twice(start, start + len(item), "time")
            else:
                into.interval = parsed
            return True
        if self.section is Section.RELATIONS and looks_like_time(item) or _is_plain_time(item):
            at = start + parsed.offset
            self.fault("KB401", at, at + max(parsed.length, 1), parsed.message, parsed.hint)
            return True
        return False

    def _twice(self, start: int, end: int, what: str) -> None:
        self.fault("KB140", start, end, f"a second {what} in one statement is not read", "keep one")

    def _note(self, at: int, end: int) -> tuple[str | None, int, int]:
        dash = _DASH.match(self.masked, at, end)
        if dash is None:
            return None, 0, at
        start = _skip_space(self.text, dash.end(), end)
        note = unescape(self.text[start:end])
        return (note or None), start, end

    def _qualifier_after_note(self, note_start: int, end: int) -> None:
        opening = _open_paren(self.masked, note_start, end)
        if opening is None:
            return
        trial = _Qualifiers()
        found = len(self.faults)
        self._read_qualifiers(trial, opening + 1, end - 1)
        del self.faults[found:]
        if trial.count and not trial.unread:
            self.fault(
                "KB126",
                opening,
                end,
                f"{self.text[opening:end]} stands after the note and is read as part of it",
                "move it before the ' — '",
            )


_QUALIFIER_HINT = (
    "qualifiers are a time, 90%, 'by <entity id>', auto-high|medium|low, retracted, 'superseded by ^id'"
)


def _is_predicate_word(word: str) -> bool:
    # Combining marks are no \w in Python's tables for some scripts: compare without them.
    if _PREDICATE.fullmatch(word):
        return True
    if word.isascii():
        return False
    import unicodedata

    return _PREDICATE.fullmatch("".join("a" if unicodedata.category(c)[0] == "M" else c for c in word)) is not None


def _is_plain_time(item: str) -> bool:
    """A fact's parenthesis with an impossible date in it was meant as a time (``2015-13``, ``1980-02-30``)."""
    return re.fullmatch(r"\d{4}-\d{1,2}(?:-\d{1,2})?(?:/(?:\d{4}(?:-\d{1,2}){0,2}|\.\.)?)?", item) is not None or (
        re.fullmatch(r"\d{4}/\d{4}", item) is not None
    )


def _skip_space(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _close_paren(masked: str, opening: int, end: int) -> int | None:
    depth = 0
    for at in range(opening, end):
        if masked[at] == "(":
            depth += 1
        elif masked[at] == ")":
            depth -= 1
            if depth == 0:
                return at
    return None


def _open_paren(masked: str, start: int, end: int) -> int | None:
    """Where the parenthesis that ends a text begins, if a blank stands before it."""
    if end <= start or masked[end - 1] != ")":
        return None
    depth = 0
    for at in range(end - 1, start - 1, -1):
        if masked[at] == ")":
            depth += 1
        elif masked[at] == "(":
            depth -= 1
            if depth == 0:
                return at if at > start and masked[at - 1].isspace() else None
    return None


def parse_sub_item(text: str) -> SubItem | None:
    """Read the text of an indented item, ``name:: text``."""
    name, sign, rest = text.partition("::")
    if not sign or not _is_predicate_word(name.strip()) or not rest.strip():
        return None
    return SubItem(normalize_predicate(name.strip()), unescape(rest))


# -- model → text ------------------------------------------------------------------------------------------------


def format_statement(statement: StatementLine, link: str | None = None) -> str:
    """Write a statement as its canonical line, bullet included, without sub-items.

    ``link`` is the object's text in a relation (its form depends on where the file lies); left out, the link is
    written from its parts. ``parse_statement`` reads the line back as the same statement.
    """
    line = f"- {statement.predicate}:: " + _format_object(statement, link)
    return line + _format_tail(statement)


def format_link(label: str, target: str, form: LinkForm = LinkForm.MARKDOWN) -> str:
    """Write a link: ``[label](target)`` with what needs it quoted or escaped, or ``[[target|label]]``."""
    if form is LinkForm.WIKI:
        plain = re.sub(r"[\[\]|\r\n]", " ", label).strip()
        return f"[[{target}|{plain}]]" if plain and plain != target else f"[[{target}]]"
    # A label is Markdown: brackets and backticks in a name would end it early.
    shown = re.sub(r"([\\\[\]`*_<])", r"\\\1", " ".join(label.split()))
    return f"[{shown}]({quote_target(target)})"


def quote_target(target: str) -> str:
    """Percent-encode what would end or change a Markdown link's target."""
    return "".join(
        "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass")) if char in ' %()<>#?"\\\t\r\n' else char
        for char in target
    )


def _format_object(statement: StatementLine, link: str | None) -> str:
    if statement.link is not None:
        return link if link is not None else format_link(
            statement.link.label, statement.link.target, statement.link.form
        )
    value = statement.value or ""
    plain = escape(value)
    return plain if _reads_back(statement, plain) else code_span(value)


def _reads_back(statement: StatementLine, plain: str) -> bool:
    """Whether a value may stand outside a code span: the line with it reads as the same value and tail."""
    line = f"{statement.predicate}:: {plain}{_format_tail(statement)}"
    read, faults = parse_statement(line, Section.FACTS)
    return (
        not faults
        and read is not None
        and read.value == statement.value
        and (read.note, read.interval, read.id) == (statement.note, statement.interval, statement.id)
        and [c.observation for c in read.citations] == [c.observation for c in statement.citations]
    )


def _format_tail(statement: StatementLine) -> str:
    pieces = []
    qualifiers = list(_iter_qualifiers(statement))
    if qualifiers:
        pieces.append(f" ({', '.join(qualifiers)})")
    if statement.note:
        pieces.append(f" — {format_note(statement.note)}")
    pieces += [f" [^{citation.observation}]" for citation in statement.citations]
    if statement.id:
        pieces.append(f" ^{statement.id}")
    return "".join(pieces)


def format_note(note: str) -> str:
    """Write a note so that nothing in it is read as a citation, an id or a code span's fence."""
    text = escape(" ".join(note.split()) if not note.isprintable() else note)
    text = re.sub(r"\[(?=\^)", r"\\[", text)
    text = re.sub(r"(^|\s)\^(?=[A-Za-z0-9-]+\s*\Z)", r"\1\\^", text)
    return text if unescape(text) == note.strip() else code_span(note)


def _iter_qualifiers(statement: StatementLine) -> Iterator[str]:
    if statement.interval is not None:
        yield statement.interval.text
    if statement.confidence is not None:
        yield f"{statement.confidence}%"
    if statement.by is not None:
        yield f"by {statement.by}"
    if statement.auto is not None:
        yield f"auto-{statement.auto}"
    if statement.retracted:
        yield "retracted"
    if statement.superseded_by is not None:
        yield f"superseded by ^{statement.superseded_by}"
