"""The vocabulary as flat texts, for the graph file: a cold query reads no YAML."""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

from kb.model.vocabulary import (
    FactWord,
    KeyForm,
    KeyWord,
    RelationWord,
    StatementClass,
    TypeWord,
    Vocabulary,
)

#: Each table's word, with the fields that are no text: how a text of theirs is read back.
_WORDS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (TypeWord, {}),
    (KeyWord, {"normalize": KeyForm}),
    (RelationWord, {"klass": StatementClass}),
    (FactWord, {}),
)
_NOTHING, _TEXT, _YES, _NO, _LIST = "0tyn["


def pack_vocabulary(vocabulary: Vocabulary) -> list[str]:
    """Flatten a vocabulary."""
    texts: list[str] = []
    for table in (vocabulary.types, vocabulary.keys, vocabulary.relations, vocabulary.facts):
        texts.append(str(len(table)))
        for word in table.values():
            for value in word:
                texts += _pack(value)
    return texts


def unpack_vocabulary(texts: Iterable[str]) -> Vocabulary:
    """Read what ``pack_vocabulary`` gave."""
    left = iter(texts)
    tables: list[dict[str, Any]] = []
    for word, readers in _WORDS:
        table = {}
        for _ in range(int(next(left))):
            values = (
                readers[name](_unpack(left)) if name in readers else _unpack(left)
                for name in word._fields
            )
            made = word(*values)
            table[made.name] = made
        tables.append(table)
    return Vocabulary(*tables)


def _pack(value: object) -> list[str]:
    if value is None:
        return [_NOTHING]
    if isinstance(value, bool):
        return [_YES if value else _NO]
    if isinstance(value, tuple):
        return [f"{_LIST}{len(value)}", *value]
    return [_TEXT + (value.value if isinstance(value, Enum) else str(value))]


def _unpack(texts: Iterator[str]) -> object:
    text = next(texts)
    sign = text[0]
    if sign == _TEXT:
        return text[1:]
    if sign == _LIST:
        return tuple(next(texts) for _ in range(int(text[1:])))
    return None if sign == _NOTHING else sign == _YES
