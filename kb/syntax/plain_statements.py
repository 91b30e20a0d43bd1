"""The statements that are one line in the form that ``kb.syntax.statement_texts`` writes: most of all that are read.

They hold no character that Markdown or the grammar gives a meaning beyond that form. One expression reads them. All
others are the reader's in ``kb.syntax.statement_lines``, which defines what a statement is; a test compares the two. They
agree, since the expression lets in

- no escape, entity or code span, and no white space but single characters of " ": texts are what they look like;
- no bracket outside the link and the citations: nothing is mentioned, no citation stands in the middle;
- no ``^`` but where a citation or the id begins;
- in a value no dash, quote or parenthesis, and none at a note's end: no note or qualifier stands elsewhere.
"""

import re
from functools import lru_cache

from kb.model.statement import Citation, Link, LinkForm, Section, StatementLine, SubItem
from kb.model.time import Interval
from kb.syntax.predicates import read_predicate
from kb.syntax.qualifiers import parse_time, read_qualifiers

#: Inside a character class: controls, all white space but " ", and what Markdown or a statement's tail begins with.
_NOT_PLAIN = r"\x00-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`\\&\[\]^"
_WORDS = rf"(?! )[^{_NOT_PLAIN}]+(?<! )"
_NAME = rf"(?! )[^{_NOT_PLAIN}#|]+(?<! )"
_VALUE = rf"(?! )[^{_NOT_PLAIN}()—\"“]+(?<! )"
_TARGET = rf"[^{_NOT_PLAIN} ()<#?%]+"
_LINK = rf"\[(?P<label>{_WORDS})\]\((?P<target>{_TARGET})\)|\[\[(?P<name>{_NAME})(?:\|(?P<shown>{_WORDS}))?\]\]"
_TAIL = (
    rf"(?: \((?P<qualifiers>[^{_NOT_PLAIN}()]+)\))?"
    rf"(?: — (?P<note>{_WORDS})(?<!\)))?"
    rf"(?P<citations>(?: \[\^[^{_NOT_PLAIN} ]+\])*)"
    r"(?: \^(?P<id>[A-Za-z0-9-]+))?"
)
#: Looked up once: a member of an enumeration is slow to find.
_RELATIONS, _MARKDOWN_LINK, _WIKI_LINK = Section.RELATIONS, LinkForm.MARKDOWN, LinkForm.WIKI
_PLAIN_RELATION = re.compile(rf"(?P<predicate>[\w-]+):: (?P<object>{_LINK}){_TAIL}")
_PLAIN_FACT = re.compile(rf"(?P<predicate>[\w-]+):: (?P<object>{_VALUE}){_TAIL}")


def read_plain_statement(
    text: str, section: Section, offset: int, start: int, sub_items: tuple[SubItem, ...]
) -> StatementLine | None:
    """Read a statement of the plain form as ``statement_lines`` does, ``None`` where it has another form."""
    if section is _RELATIONS:
        match = _PLAIN_RELATION.fullmatch(text)
        if match is None:
            return None
        word, object, label, target, name, shown, written, note, cited, id = match.groups()
        value = None
    else:
        match = _PLAIN_FACT.fullmatch(text)
        if match is None:
            return None
        word, object, written, note, cited, id = match.groups()
        value = object
    predicate = read_predicate(word)
    says = _NO_WORDS if written is None else _plain_qualifiers(written)
    if predicate is None or says is None:
        return None
    # All places follow from the lengths, since nothing but single signs stands between the parts.
    end = offset + len(text)
    predicate_end = offset + len(word)
    object_start = predicate_end + 3
    object_end = object_start + len(object)
    after = object_end if written is None else object_end + len(written) + 3
    link = None
    if value is None:
        if target is None:
            link = Link(_WIKI_LINK, shown or "", name, object_start, object_end)
        else:
            link = Link(_MARKDOWN_LINK, label, target, object_start, object_end)
    if cited:
        first = end - len(cited) if id is None else end - len(cited) - len(id) - 2
        citations = _plain_citations(cited, first)
    else:
        citations = ()
    interval, confidence, by, auto, retracted, superseded_by = says
    # By position, in the order of the fields: of all values that are parsed these are made most often.
    return StatementLine(
        section,
        predicate,
        link,
        value,
        interval,
        confidence,
        by,
        auto,
        retracted,
        superseded_by,
        note,
        citations,
        id,
        sub_items,
        (),
        start,
        end,
        predicate_end,
        object_start,
        object_end,
        0 if written is None else object_end + 2,
        0 if note is None else after + 3,
    )


def _plain_citations(text: str, at: int) -> tuple[Citation, ...]:
    """Take ``" [^a] [^b]"``, which begins at a place, apart; no label holds a bracket or a blank."""
    found = []
    for label in text[3:-1].split("] [^"):
        end = at + len(label) + 4
        found.append(Citation(label, at + 1, end))
        at = end
    return tuple(found)


#: What qualifiers say, in the order of a statement's fields.
_Said = tuple[Interval | None, int | None, str | None, str | None, bool, str | None]
_SURE = re.compile("[0-9]{1,2}%")
_NO_WORDS: _Said = (None, None, None, None, False, None)


@lru_cache(maxsize=1 << 15)
def _plain_qualifiers(text: str) -> _Said | None:
    """Read a parenthesis that holds nothing but qualifiers in which nothing is wrong; ``None`` for any other.

    Only what is wrong in it is told differently in the two sections.
    """
    # Nearly all say a time, or a time and how sure it is.
    time, comma, sure = text.partition(", ")
    interval = parse_time(time)
    if isinstance(interval, Interval) and (not comma or _SURE.fullmatch(sure)):
        return (interval, int(sure[:-1]) if comma else None, None, None, False, None)
    found = read_qualifiers(text, 0, len(text), Section.RELATIONS)
    if not found.count or found.unread or found.faults:
        return None
    get = found.words.get
    is_retracted = "retracted" in found.words
    return (
        found.interval,
        found.confidence,
        get("by"),
        get("auto"),
        is_retracted,
        get("superseded_by"),
    )
