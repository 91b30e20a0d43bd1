"""Words of ``kb.yaml`` that mean two things, refer to missing ones, or lead in a circle, as faults."""

from collections.abc import Iterable

from kb.diagnostics import Fault
from kb.model.names import normalize_predicate
from kb.model.vocabulary import Vocabulary
from kb.syntax.front_matter import Mapping, Node, Scalar, Sequence
from kb.syntax.predicates import read_predicate

TRUE_WORDS = ("true", "yes", "on")


def check_words(node: Mapping, words: Vocabulary, faults: list[Fault]) -> None:
    """Find words of the overlay that mean two things or refer to missing ones; only what ``kb.yaml`` wrote is checked."""
    type_names = {name for word in words.types.values() for name in (word.name, *word.aliases)}
    owners = _owners(words)
    for table in ("types", "keys", "relations", "facts"):
        section = node.get(table)
        if not isinstance(section, Mapping):
            continue
        for key, value in section.entries:
            if not isinstance(value, Mapping):
                continue
            word = normalize_predicate(key.text)
            for name in ("from", "to", "types", "is"):
                _check_types(value.get(name), type_names, faults)
            if table in ("relations", "facts"):
                _check_owner(key, value, word, table, owners, faults)
    _check_type_circles(node, words, faults)


def _owners(words: Vocabulary) -> dict[tuple[str, str], set[str]]:
    """Which words claim each spelling, per section."""
    owners: dict[tuple[str, str], set[str]] = {}
    for relation in words.relations.values():
        for spelling in (
            relation.name,
            *relation.aliases,
            *((relation.inverse,) if relation.inverse else ()),
        ):
            owners.setdefault(("relations", spelling), set()).add(relation.name)
    for fact in words.facts.values():
        for spelling in (fact.name, *fact.aliases):
            owners.setdefault(("facts", spelling), set()).add(fact.name)
    return owners


def _check_types(node: Node | None, known: set[str], faults: list[Fault]) -> None:
    if node is None:
        return
    for item in node.items if isinstance(node, Sequence) else (node,):
        if isinstance(item, Scalar) and normalize_predicate(item.text) not in known:
            faults.append(
                Fault(
                    "KB905",
                    item.start,
                    item.end,
                    f'there is no type "{item.text}"',
                    nearest_word(item.text, sorted(known)),
                )
            )


def _check_owner(
    key: Scalar,
    value: Mapping,
    word: str,
    table: str,
    owners: dict[tuple[str, str], set[str]],
    faults: list[Fault],
) -> None:
    places = [(word, key), *_spellings(value)]
    for spelling, place in places:
        if read_predicate(spelling) is None:
            message = f'"{place.text}" is no word that a statement can begin with'
            hint = "use letters and digits, joined by '-'"
            faults.append(
                Fault("KB904", place.start, max(place.end, place.start + 1), message, hint)
            )
        others = owners.get((table, spelling), set()) - {word}
        if others:
            faults.append(
                Fault(
                    "KB905",
                    place.start,
                    place.end,
                    f'"{spelling}" already means {" and ".join(sorted(others))}',
                    "choose another word",
                )
            )
    if table == "relations":
        symmetric, inverse = value.get("symmetric"), value.get("inverse")
        if isinstance(symmetric, Scalar) and symmetric.text in TRUE_WORDS and inverse is not None:
            faults.append(
                Fault(
                    "KB905",
                    inverse.start,
                    inverse.end,
                    "a symmetric relation has no inverse",
                    "remove one of the two",
                )
            )


def _spellings(value: Mapping) -> list[tuple[str, Scalar]]:
    found = []
    for name in ("inverse", "aliases"):
        node = value.get(name)
        for item in node.items if isinstance(node, Sequence) else (node,):
            if isinstance(item, Scalar) and item.text:
                found.append((normalize_predicate(item.text), item))
    return found


def _check_type_circles(node: Mapping, words: Vocabulary, faults: list[Fault]) -> None:
    section = node.get("types")
    if not isinstance(section, Mapping):
        return
    for key, _ in section.entries:
        start = current = normalize_predicate(key.text)
        seen = set()
        while current in words.types and current not in seen:
            seen.add(current)
            current = words.types[current].is_a or ""
            if current == start:
                faults.append(
                    Fault(
                        "KB905",
                        key.start,
                        key.end,
                        f'the type "{key.text}" is its own wider type',
                        "mend 'is:'",
                    )
                )
                break


def nearest_word(word: str, among: Iterable[str]) -> str:
    """Say which of the known words was meant, or name them all."""
    from difflib import get_close_matches

    close = get_close_matches(word, list(among), 1)
    return f'did you mean "{close[0]}"?' if close else f"known here: {', '.join(among)}"
