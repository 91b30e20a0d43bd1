"""Words into `kb.yaml`: a line each at their table's end, every other byte kept."""

import pytest

from kb.edits.add_words import add_words
from kb.edits.records import MissingWord

PEP = MissingWord("keys", "pep", "{types: [document]}")
WROTE = MissingWord("relations", "authored", "{from: [person], to: [document]}")


@pytest.mark.parametrize(
    "before, after",
    [
        ("kb: 1\n", "kb: 1\n\nkeys:\n  pep: {types: [document]}\n"),
        ("kb: 1 # v", "kb: 1 # v\n\nkeys:\n  pep: {types: [document]}\n"),
        (
            "kb: 1\nkeys: # mine\n    crm: {} # ours\n\n# end\nname: X\n",
            "kb: 1\nkeys: # mine\n    crm: {} # ours\n    pep: {types: [document]}\n\n# end\nname: X\n",
        ),
        (
            "kb: 1\r\nkeys:\r\n  crm:\r\n    types: [\r\n      company]\r\n",
            "kb: 1\r\nkeys:\r\n  crm:\r\n    types: [\r\n      company]\r\n  pep: {types: [document]}\r\n",
        ),
        ("kb: 1\nkeys: {}\n", "kb: 1\nkeys: {pep: {types: [document]}}\n"),
        ("kb: 1\nkeys: {crm: {}}\n", "kb: 1\nkeys: {crm: {}, pep: {types: [document]}}\n"),
        (
            "kb: 1\nkeys: # none\nname: X\n",
            "kb: 1\nkeys: # none\n  pep: {types: [document]}\nname: X\n",
        ),
    ],
)
def test_a_word_is_added_where_its_table_ends(before: str, after: str) -> None:
    """The file keeps its own form: remarks, line ends, indents and flow style."""
    assert (add_words(before.encode(), [PEP]) or b"").decode() == after


def test_several_tables_at_once(tmp_path: object) -> None:
    """Each table that is missing is added at the end, in the order of the format."""
    after = add_words(b"kb: 1\n", [WROTE, PEP]) or b""
    assert after == (
        b"kb: 1\n\nkeys:\n  pep: {types: [document]}\n\nrelations:\n  authored: {from: [person], to: [document]}\n"
    )


@pytest.mark.parametrize("before", ["{kb: 1}\n", "kb: [\n", "- a\n"])
def test_a_file_that_takes_no_words_is_left_alone(before: str) -> None:
    """Words are added to a block mapping only; for any other file the answer is None."""
    assert add_words(before.encode(), [PEP]) is None
