"""`kb seal`: the seal as the last line of the frontmatter, and no other byte changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kb.edits.seal_observations import seal_observations
from kb.edits.workspace import Refused
from kb.errors import UsageError
from kb.knowledge_base import KnowledgeBase, open_knowledge_base
from kb.syntax.observation_file import seal_of
from tests.conftest import NOW, observation

Make = Callable[..., KnowledgeBase]
PATH = "observations/2026/01/2026-01-15-offsite.md"
ID = "2026-01-15-offsite"


def sealed(base: KnowledgeBase) -> bytes:
    done = seal_observations(base)
    assert done.sealed == (PATH,)
    again = open_knowledge_base(base.root, NOW)
    assert [seen.is_sealed for seen in again.corpus.observations] == [True]
    assert seal_observations(again).already == (PATH,)
    return (Path(base.root) / PATH).read_bytes()


def test_the_seal_is_added_as_the_last_line(make_kb: Make) -> None:
    """The seal is the last line of the frontmatter, and no other byte changes."""
    text = observation(ID, "Said.\n\n---\nmore\n")
    written = sealed(make_kb({PATH: text}))
    line = f"sha256: {seal_of(text.split('---', 2)[2][1:])}\n"
    assert written.decode() == text.replace("\n---\nSaid", f"\n{line}---\nSaid")


def test_crlf_and_bom_are_kept(make_kb: Make) -> None:
    """The seal's line takes the file's line end, and the digest is of the text with LF."""
    text = observation(ID, "Said.\nTwice.\n").replace("\n", "\r\n")
    written = sealed(make_kb({PATH: b"\xef\xbb\xbf" + text.encode()}))
    line = f"sha256: {seal_of('Said.' + chr(10) + 'Twice.' + chr(10))}\r\n"
    assert written == b"\xef\xbb\xbf" + text.replace("---\r\nSaid", f"{line}---\r\nSaid").encode()


def test_an_empty_seal_is_filled_in(make_kb: Make) -> None:
    """A field sha256 without a value gets it; no second field is added."""
    written = sealed(make_kb({PATH: observation(ID, sha256="# none yet")}))
    assert written.count(b"sha256:") == 1


@pytest.mark.parametrize(
    "text, reason",
    [
        (observation(ID, sha256="0" * 64), "not the one that was sealed"),
        (observation(ID).replace("kind: note", "kind: [note"), "does not parse"),
        (observation(ID).encode() + b"\xff", "UTF-8"),
        (f"---\n{{id: {ID}, kind: note}}\n---\nSaid.\n", "one field a line"),
    ],
)
def test_what_cannot_be_sealed_is_refused_and_left_as_it_is(
    make_kb: Make, text: str | bytes, reason: str
) -> None:
    """A broken seal is never renewed, and a file that cannot take one keeps its bytes."""
    base = make_kb({PATH: text})
    done = seal_observations(base)
    assert done.sealed == ()
    assert reason in done.refused[0].reason
    assert (Path(base.root) / PATH).read_bytes() == (
        text if isinstance(text, bytes) else text.encode()
    )


def test_only_those_named_are_sealed(make_kb: Make) -> None:
    """An observation is named by id or path; one that is not there is wrong usage."""
    other = "observations/2026/01/2026-01-16-b.md"
    base = make_kb({PATH: observation(ID), other: observation("2026-01-16-b")})
    assert seal_observations(base, ["2026-01-16-b"]).sealed == (other,)
    assert seal_observations(base, [PATH]).sealed == (PATH,)
    with pytest.raises(UsageError):
        seal_observations(base, ["2026-01-17-c"])


@pytest.mark.parametrize("config", ["kb: 1\n  bad: [\n", "kb: 99\n", "kb: 1\n<<<<<<< ours\n"])
def test_nothing_is_sealed_under_a_broken_configuration(make_kb: Make, config: str) -> None:
    """As no other edit writes under one; the file keeps its bytes."""
    base = make_kb({PATH: observation(ID)}, config)
    with pytest.raises(Refused, match=r"kb\.yaml"):
        seal_observations(base)
    assert (Path(base.root) / PATH).read_text() == observation(ID)
