"""Keys as they are compared, and letters that look like others."""

import pytest

from kb.graph.keys import bare_address, find_mixture, read_key_argument, tidy_key
from kb.model.vocabulary import KeyForm
from kb.syntax.vocabulary_file import built_in_vocabulary
from tests.growth import check_growth

#: What a key may hold over and over.
REPEATED = ("a", ".", "@", "\u0434", "\u0434a", "-", ":", "<", "?", "/", "a.", "\u0434.", "1-", " ")


@pytest.mark.parametrize("form", [KeyForm.EMAIL, KeyForm.DOMAIN, KeyForm.HANDLE])
@pytest.mark.parametrize("repeated", REPEATED)
def test_letters_are_compared_in_linear_time(form: KeyForm, repeated: str) -> None:
    """However long a label is, and however many there are."""
    check_growth(lambda length: find_mixture(form, f"{repeated * length}a\u0434"), 20_000)


@pytest.mark.parametrize("before", ["", "a@", "email:", "mailto:<", "github:https://github.com/", "orcid:"])  # fmt: skip
@pytest.mark.parametrize("repeated", REPEATED)
def test_keys_are_read_in_linear_time(before: str, repeated: str) -> None:
    """Whatever is given as one."""
    vocabulary = built_in_vocabulary()

    def read(length: int) -> None:
        text = f"{before}{repeated * length} x"
        kind, _, value = text.partition(":")
        read_key_argument(text, vocabulary, frozenset())
        tidy_key(kind, value, vocabulary)
        bare_address(text)

    check_growth(read, 20_000)


@pytest.mark.parametrize(
    "value, odd",
    [
        ("dan\u0430@x.example", "\u0430"),
        ("d\u0430\u043d\u0430n@x.example", "d"),
        ("\u0430b", "b"),
        ("a\u0432", "\u0432"),
        ("ab@\u0430\u0432.example", ""),
        ("\u7530\u4e2dtaro", ""),
    ],
)
def test_the_odd_letter_is_that_of_the_rarer_script(value: str, odd: str) -> None:
    """Of each label; of two scripts that are as frequent, the second one is odd."""
    assert find_mixture(KeyForm.EMAIL, value).partition(" ")[0] == (f'"{odd}"' if odd else "")


@pytest.mark.parametrize(
    "text, key",
    [
        ("a@b.example", "email:a@b.example"),
        ("a@.b.example", "email:a@.b.example"),
        ("a@b..example", "email:a@b..example"),
        ("a@b", None),
        ("a@b.", None),
        ("a@.b", None),
        ("@b.example", None),
        ("a@b@c.example", None),
    ],
)
def test_what_reads_as_a_bare_address(text: str, key: str | None) -> None:
    """One sign, something before it, and a dot within what follows."""
    found = read_key_argument(text, built_in_vocabulary(), frozenset())
    assert (found[0] if found else None) == key
