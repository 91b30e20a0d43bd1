"""The words of a knowledge base: types, key kinds, relations and facts, and what each admits.

Pure look-ups; reading the words from YAML is the job of ``kb.syntax.vocabulary_file``.
"""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from kb.model.names import normalize_predicate


class StatementClass(Enum):
    """What kind of knowledge a relation is. Only plain and established ones are facts."""

    PLAIN = "plain"
    ASSOCIATION = "association"
    HYPOTHESIS = "hypothesis"
    ESTABLISHED = "established"


class KeyForm(Enum):
    """How the values of a key kind are normalized before they are compared."""

    EMAIL = "email"
    DOMAIN = "domain"
    HANDLE = "handle"
    URL = "url"
    EXACT = "exact"


class TypeWord(NamedTuple):
    """An entity type, and the wider type wherever it may stand."""

    name: str
    is_a: str | None = None
    aliases: tuple[str, ...] = ()


class KeyWord(NamedTuple):
    """A kind of key."""

    name: str
    types: tuple[str, ...] = ()
    pattern: str | None = None
    normalize: KeyForm = KeyForm.EXACT


class RelationWord(NamedTuple):
    """A relation in its canonical direction."""

    name: str
    inverse: str | None = None
    symmetric: bool = False
    single: bool = False  #: one object at a time
    acyclic: bool = False  #: a hierarchy
    from_types: tuple[str, ...] = ()
    to_types: tuple[str, ...] = ()
    klass: StatementClass = StatementClass.PLAIN
    expand: bool = False  #: followed by ``search --expand`` from the subject
    expand_inverse: bool = False  #: followed from the object
    needs_note: bool = False
    aliases: tuple[str, ...] = ()
    replaced_by: str | None = None
    hints: tuple[str, ...] = ()


class FactWord(NamedTuple):
    """A fact's predicate."""

    name: str
    value: str = "text"  #: text, date, number, url
    single: bool = False
    aliases: tuple[str, ...] = ()
    replaced_by: str | None = None


class Reading(NamedTuple):
    """A predicate as the vocabulary reads it."""

    name: str  #: canonical; the word as written where it is unknown
    is_inverse: bool = False  #: the inverse was written: subject and object change places
    relation: RelationWord | None = None
    fact: FactWord | None = None

    @property
    def is_known(self) -> bool:
        """The vocabulary has the word."""
        return self.relation is not None or self.fact is not None


class Vocabulary:
    """The built-in words with those of ``kb.yaml`` laid over them."""

    def __init__(
        self,
        types: Mapping[str, TypeWord],
        keys: Mapping[str, KeyWord],
        relations: Mapping[str, RelationWord],
        facts: Mapping[str, FactWord],
    ) -> None:
        self.types, self.keys, self.relations, self.facts = types, keys, relations, facts
        self._relation_readings: dict[str, Reading] = {}
        self._fact_readings: dict[str, Reading] = {}
        self._type_names: dict[str, str] = {}
        for relation in self.relations.values():
            forward = Reading(relation.name, False, relation)
            for word in (relation.name, *relation.aliases):
                self._relation_readings.setdefault(word, forward)
            if relation.inverse:
                self._relation_readings.setdefault(
                    relation.inverse, Reading(relation.name, True, relation)
                )
        for fact in self.facts.values():
            for word in (fact.name, *fact.aliases):
                self._fact_readings.setdefault(word, Reading(fact.name, fact=fact))
        for kind in self.types.values():
            for word in (kind.name, *kind.aliases):
                self._type_names.setdefault(word, kind.name)

    def read_relation(self, predicate: str) -> Reading:
        """Read a predicate that stands in Relations."""
        return self._relation_readings.get(predicate) or Reading(predicate)

    def read_fact(self, predicate: str) -> Reading:
        """Read a predicate that stands in Facts."""
        return self._fact_readings.get(predicate) or Reading(predicate)

    def read_predicate(self, written: str) -> Reading:
        """Read a predicate argument: a relation's word first, then a fact's."""
        word = normalize_predicate(written)
        reading = self.read_relation(word)
        return reading if reading.is_known else self.read_fact(word)

    def is_symmetric(self, predicate: str) -> bool:
        """Say whether a canonical predicate means the same from both ends."""
        relation = self.relations.get(predicate)
        return relation is not None and relation.symmetric

    def inverse_of(self, predicate: str) -> str | None:
        """Name a relation read from its object; itself where it is symmetric."""
        relation = self.relations.get(predicate)
        if relation is None:
            return None
        return relation.name if relation.symmetric else relation.inverse

    def type_name(self, written: str) -> str | None:
        """Give the vocabulary's name of a type or alias, ``None`` where it has none."""
        return self._type_names.get(normalize_predicate(written))

    def read_type(self, written: str | None) -> str | None:
        """Read a type as an entity's file has it: the vocabulary's name, else as written; ``None`` where it has none."""
        return (self.type_name(written) or written) if written else None

    def is_kind_of(self, type: str | None, wanted: str) -> bool:
        """Say whether an entity of a type may stand wherever ``wanted`` may."""
        current = self.read_type(type)
        goal = self.read_type(wanted)
        seen = set()
        while current is not None and current not in seen:
            if current == goal:
                return True
            seen.add(current)
            word = self.types.get(current)
            current = word.is_a if word else None
        return False

    def admits(self, wanted: tuple[str, ...], type: str | None) -> bool:
        """Say whether a list of types (empty: any) admits an entity of a type; an untyped one is admitted."""
        return not wanted or type is None or any(self.is_kind_of(type, want) for want in wanted)
