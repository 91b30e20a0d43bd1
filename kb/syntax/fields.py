"""Reserved frontmatter fields, read with their places. Knows the shapes of values, not what they mean."""

from dataclasses import dataclass, field

from kb.diagnostics import Fault, Span
from kb.model.entity import Name
from kb.syntax.front_matter import FrontMatter, Mapping, Scalar, split_front_matter
from kb.syntax.source import Source, iter_encoding_faults

#: What YAML calls "nothing".
_NULLS = ("", "~", "null", "Null", "NULL")


@dataclass
class Fields:
    """The reserved fields of one file; wrong shapes become faults."""

    source: Source
    mapping: Mapping
    faults: list[Fault] = field(default_factory=list)

    def text(self, key: str) -> Name | None:
        """Give a text field, ``None`` where it is missing or empty."""
        node = self.mapping.get(key)
        if node is None:
            return None
        if not isinstance(node, Scalar):
            self._wrong(node.start, node.end, key, "one text", f"{key}: text")
            return None
        if node.is_plain and node.text in _NULLS:
            return None
        return self._name(node)

    def texts(self, key: str) -> tuple[Name, ...]:
        """Give a list of texts; a single text is a list of one."""
        node = self.mapping.get(key)
        if node is None:
            return ()
        if isinstance(node, Scalar):
            return () if node.is_plain and node.text in _NULLS else (self._name(node),)
        if isinstance(node, Mapping):
            self._wrong(node.start, node.end, key, "a list of texts", f"{key}: [one, two]")
            return ()
        names = []
        for item in node.items:
            if isinstance(item, Scalar):
                if not (item.is_plain and item.text in _NULLS):
                    names.append(self._name(item))
            elif isinstance(item, Mapping) and len(item.entries) == 1 and isinstance(item.entries[0][1], Scalar):
                pair, value = item.entries[0]
                hint = f"write {pair.text}:{value.text} without the blank, or put it in quotes"
                self._wrong(item.start, item.end, key, "a list of texts", hint, is_hint=True)
            else:
                self._wrong(item.start, item.end, key, "a list of texts", f"{key}: [one, two]")
        return tuple(names)

    def others(self, reserved: frozenset[str]) -> tuple[tuple[str, str], ...]:
        """Give the author's own text fields."""
        return tuple(
            (key.text, value.text)
            for key, value in self.mapping.entries
            if key.text not in reserved and isinstance(value, Scalar)
        )

    def span(self, name: Name | None) -> Span:
        """Give a field's place, the file's beginning where it has none."""
        return name.span if name else Span(1, 1, 1)

    def _name(self, node: Scalar) -> Name:
        return Name(node.text, self.source.span(node.start, node.end))

    def _wrong(self, start: int, end: int, key: str, wanted: str, hint: str, is_hint: bool = False) -> None:
        self.faults.append(Fault("KB204", start, end, f'"{key}" must be {wanted}', hint if is_hint else f"write {hint}"))


def open_fields(source: Source) -> tuple[FrontMatter, Fields, list[Fault]]:
    """Split a file and find everything that is wrong with it before its fields are read."""
    front = split_front_matter(source.text)
    faults = [*iter_encoding_faults(source), *front.faults]
    return front, Fields(source, front.fields or Mapping((), 0, 0)), faults

