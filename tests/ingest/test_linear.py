"""What anybody may send is read in linear time: every expression of the readers, and the readers as wholes."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from itertools import accumulate, product
from random import Random
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import kb.ingest
from kb.graph import keys
from kb.ingest.calendars import read_calendar
from kb.ingest.cards import read_cards
from kb.ingest.mails import read_mail
from kb.ingest.mboxes import is_separator
from tests.growth import HARDLY_ANY, check_growth, seconds

METHODS = ("match", "fullmatch", "search", "findall", "finditer", "split", "sub")
#: Lengths of hostile texts. A linear expression needs some 0.2 ms for the last, a quadratic one above 80 ms (``HARDLY_ANY``
#: is between); one that is worse is found before it takes for ever.
LENGTHS = (20, 300, 8000)
#: Hostile texts that are tried of all that can be made of an expression's parts.
TRIED = 400
#: What an expression is stopped by.
ENDS = ("", "\x01", "\n", "x y")


class Use(NamedTuple):
    """An expression, and how the code asks it."""

    pattern: re.Pattern[Any]
    method: str

    def run(self, text: str) -> None:
        """Ask it of a text, to the end."""
        given: Any = text.encode() if isinstance(self.pattern.pattern, bytes) else text
        match self.method:
            case "sub":
                self.pattern.sub(lambda found: given[:0], given)
            case "finditer":
                list(self.pattern.finditer(given))
            case _:
                getattr(self.pattern, self.method)(given)


def iter_modules() -> Iterator[ModuleType]:
    """Yield the modules whose expressions see what a source says."""
    for one in pkgutil.iter_modules(kb.ingest.__path__):
        yield importlib.import_module(f"kb.ingest.{one.name}")
    yield keys


def iter_uses(module: ModuleType) -> Iterator[tuple[str, Use]]:
    """Yield each expression of a module with each method by which its code asks it."""
    compiled = {
        name: value for name, value in vars(module).items() if isinstance(value, re.Pattern)
    }
    asked: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        match node:
            case ast.Attribute(ast.Name(name), method) if name in compiled and method in METHODS:
                asked.setdefault(name, set()).add(method)
            case ast.Call(ast.Attribute(ast.Name("re"), method), [ast.Constant(written), *_]):
                flags = [getattr(re, one.value.attr) for one in node.keywords if one.arg == "flags"]
                use = Use(re.compile(written, *flags), method)
                if method in METHODS:
                    yield f"{module.__name__}:{node.lineno}", use
    for name, pattern in compiled.items():
        for method in sorted(asked.get(name, {"search"})):
            yield f"{module.__name__}.{name}.{method}", Use(pattern, method)
    for value in vars(module).values():
        if isinstance(value, dict):
            for key, one in value.items():
                if isinstance(one, re.Pattern):
                    yield f"{module.__name__}[{key}]", Use(one, "fullmatch")


USES = dict(use for module in iter_modules() for use in iter_uses(module))


def sample(parsed: Any, choice: int = 0) -> list[str]:
    """Give a text that a parsed expression matches, in pieces: one for each of its parts, of alternatives the chosen one."""
    pieces: list[str] = []
    for part, argument in parsed:
        match part:
            case sre.LITERAL:
                pieces.append(chr(argument))
            case sre.NOT_LITERAL:
                pieces.append("b" if argument == ord("a") else "a")
            case sre.ANY:
                pieces.append(" ")
            case sre.IN:
                pieces.append(_one_of(argument))
            case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
                least, most, inner = argument
                pieces += sample(inner, choice) * max(least, min(most, 1))
            case sre.SUBPATTERN:
                pieces += sample(argument[3], choice)
            case sre.ATOMIC_GROUP:
                pieces += sample(argument, choice)
            case sre.BRANCH:
                pieces += sample(argument[1][choice % len(argument[1])], choice)
    return pieces


def _one_of(members: list[tuple[Any, Any]]) -> str:
    """Give a character of a class."""
    is_negated = members[0][0] is sre.NEGATE
    tried = "a1 \t\n.,;:@<>()\"'=?_/-+#!\u0430\ufeff\udc80\ud800\x01\u202a\u200b"
    fit = (char for char in tried if _is_member(char, members[is_negated:]) != is_negated)
    return next(fit, "a")


def _is_member(char: str, members: list[tuple[Any, Any]]) -> bool:
    for kind, argument in members:
        match kind:
            case sre.LITERAL:
                is_in = ord(char) == argument
            case sre.RANGE:
                is_in = argument[0] <= ord(char) <= argument[1]
            case _:  # a category: space, digit or word, or what is none
                name = str(argument).removeprefix("CATEGORY_")
                sort = {"SPACE": r"\s", "DIGIT": r"\d", "WORD": r"\w"}[name.removeprefix("NOT_")]
                is_in = (re.match(sort, char) is not None) != name.startswith("NOT_")
        if is_in:
            return True
    return False


def iter_attacks(pattern: re.Pattern[Any], length: int) -> Iterator[str]:
    """Yield texts that begin as an expression wants them, go on with one of its parts over and over, and end otherwise."""
    parsed = _parser.parse(pattern.pattern, pattern.flags)
    samples = [sample(parsed, choice) for choice in range(3)]
    begun = ["", *dict.fromkeys(text for pieces in samples for text in accumulate(pieces))]
    for sizes in ((1,), range(2, 11)):
        units = dict.fromkeys(
            "".join(pieces[at : at + size])
            for pieces in samples
            for size in sizes
            for at in range(len(pieces) - size + 1)
        )
        ways = list(product(begun, {**units, "a": None, " ": None}, ENDS))
        for before, unit, end in Random(length).sample(ways, min(len(ways), TRIED)):
            yield before + unit * (length // len(unit)) + end


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_every_expression_is_linear(use: Use) -> None:
    """Whatever text goes on as an expression wants it, and does not end so, takes time as its length does."""
    for length in LENGTHS:
        for text in iter_attacks(use.pattern, length):
            taken = seconds(lambda text=text: use.run(text))  # type: ignore[misc]
            assert taken < HARDLY_ANY, (length, text[:40], text[-20:])


@pytest.mark.parametrize(
    "pattern, method",
    [
        (r"<\s*mailto:([^<>?\s]+)[^<>]*>", "findall"),
        (r"<\s*([^<>]+?)\s*>", "search"),
        (r"\s*+(?:([^<>@]*)<([^<>\s]+)>|([^<>\s]+@[^<>\s]+))\s*", "fullmatch"),
        (r"\A(.*?)\s+(?:via|par)\s+\S.*\Z", "match"),
        (r"_\$!<(.*)>!\$_", "sub"),
        (r"From .*\b(?:Mon|Tue)[a-z]*,?\s.*\d{1,2}:\d{2}.*\d{4}", "match"),
        (r"(a+)+b", "match"),
    ],
)
def test_expressions_that_are_not_linear_are_found(pattern: str, method: str) -> None:
    """The check above finds those that were here before, and one that is exponential."""
    with pytest.raises(AssertionError):
        test_every_expression_is_linear(Use(re.compile(pattern), method))


#: What a value may go on with for ever, and what it may begin with.
HOSTILE = [
    (before, unit)
    for before, units in {
        "": ("a", " ", "@", "<", "(", "(a)", '"', "\\", ",", ":", "\u0434", "<mailto:", "a@b.example, ", "Mon 1:11 "),
        "<": ("a", " ", "a "),
        "<mailto:": ("a", "?"),
        '"': ("a", "\\", "(\\\""),
        "a": (" ", "+", ".", "-owner"),
        "=?utf-8?q?": ("a", "?= =?utf-8?q?a", "=41"),
        "a=": ('"', "a;b=", "\\;"),
        "_$!<": ("a", ">!$", "_$!<"),
        "RRULE:": (";FREQ=YEARLY",),
    }.items()
    for unit in units
]  # fmt: skip
HEADERS = (
    *("From", "Sender", "To", "Cc", "Bcc", "Reply-To", "X-Original-From", "Subject", "Date"),
    *("Message-ID", "List-Post", "List-Id", "Mailing-List", "X-BeenThere", "X-Mailing-List"),
    *("Content-Type", "Content-Disposition", "Content-Transfer-Encoding", "Precedence"),
)
CARD_LINES = ("FN:", "N:", "EMAIL:", "TEL:", "REV:", "UID:", "X-ABLABEL:", "TITLE;TYPE=")
EVENT_LINES = (
    *("UID:", "DTSTART:", "DTSTART;TZID=", "RRULE:", "ATTENDEE:", "ATTENDEE;CN=", "ORGANIZER:"),
    *("DESCRIPTION:", "ATTACH:", "SUMMARY;CHARSET=utf-8;ENCODING=QUOTED-PRINTABLE:"),
)


def read_hostile_mail(value: str) -> None:
    """Read a mail each of whose headers has a value, in a list's and in an HTML body."""
    head = "\n".join(f"{name}: {value}" for name in HEADERS)
    for more in ("", "\nPrecedence: list", "\nContent-Type: text/html"):
        list(read_mail(f"X-A: b{more}\n{head}\n\n{value}\n".encode(), "a.eml"))


def read_hostile_card(value: str) -> None:
    """Read a card each of whose lines has a value."""
    lines = (f"{line}{value}" for line in CARD_LINES)
    list(read_cards("\n".join(("BEGIN:VCARD", *lines, "END:VCARD", "")).encode(), "a.vcf"))


def read_hostile_event(value: str) -> None:
    """Read an event each of whose lines has a value, and one in a zone of its own that has."""
    lines = (f"{line}{value}" for line in EVENT_LINES)
    zone = ("BEGIN:VTIMEZONE", "TZID:X", f"RRULE:{value}", "END:VTIMEZONE")
    event = ("BEGIN:VEVENT", "DTSTART;TZID=X:20261022T091400", *lines, "END:VEVENT")
    text = "\n".join(("BEGIN:VCALENDAR", *zone, *event, "END:VCALENDAR", ""))
    list(read_calendar(text.encode(), "a.ics"))


@pytest.mark.parametrize("read", [read_hostile_mail, read_hostile_card, read_hostile_event])
@pytest.mark.parametrize("before, unit", HOSTILE)
def test_every_reader_is_linear(read: Callable[[str], None], before: str, unit: str) -> None:
    """Four times the text takes some four times the time, and not sixteen times."""
    check_growth(lambda length: read(before + unit * (length // len(unit))), 12_000)


@pytest.mark.parametrize("header", ["To: x", "Cc: a@b.example", "From: x", "Subject:  x", "X-A: x"])
def test_however_many_headers_a_mail_has(header: str) -> None:
    """The same header over and over."""
    check_growth(lambda lines: list(read_mail(f"{header}\n".encode() * lines, "a.eml")), 20_000)


def test_a_line_of_a_mailbox_is_read_in_linear_time() -> None:
    """What begins as a separator and never becomes one."""
    line = b"From x " + b"Mon 1:11 " * 10_000
    assert not is_separator(line)
    assert seconds(lambda: is_separator(line)) < 10 * HARDLY_ANY
