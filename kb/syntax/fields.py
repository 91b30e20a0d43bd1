"""Reserved frontmatter fields, read with their places. Knows the shapes of values, not what they mean."""

from kb.diagnostics import WHOLE_FILE, Fault, Span
from kb.model.entity import Name
from kb.model.names import is_id
from kb.syntax.front_matter import FrontMatter, Mapping, Node, Scalar, split_front_matter
from kb.syntax.slugs import slugify
from kb.syntax.source import Source, iter_encoding_faults

#: What YAML calls "nothing".
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))


class Fields:
    """The reserved fields of one file; wrong shapes become faults."""

    __slots__ = ("_values", "faults", "mapping", "source")

    def __init__(self, source: Source, mapping: Mapping, faults: list[Fault] | None = None) -> None:
        self.source, self.mapping = source, mapping
        self.faults: list[Fault] = [] if faults is None else faults
        self._values: dict[str, Node] = {key.text: value for key, value in mapping.entries}

    def value(self, key: str) -> Node | None:
        """Give a field's node, ``None`` where it is missing."""
        return self._values.get(key)

    def scalar(self, key: str) -> Scalar | None:
        """Give a text field's node, ``None`` where it is missing or empty."""
        node = self._values.get(key)
        if node is None or _is_null(node):
            return None
        if not isinstance(node, Scalar):
            self.report_shape(node, key, "one text", f"write {key}: text")
            return None
        return node

    def text(self, key: str) -> Name | None:
        """Give a text field, ``None`` where it is missing or empty."""
        node = self.scalar(key)
        return None if node is None else self.name(node)

    def scalars(self, key: str) -> list[Scalar]:
        """Give the nodes of a list of texts; a single text is a list of one."""
        node = self._values.get(key)
        if node is None or _is_null(node):
            return []
        hint = f"write {key}: [one, two]"
        if isinstance(node, Scalar):
            return [node]
        if isinstance(node, Mapping):
            self.report_shape(node, key, "a list of texts", hint)
            return []
        found = []
        for item in node.items:
            if isinstance(item, Scalar):
                found += [] if _is_null(item) else [item]
            else:
                self.report_shape(item, key, "a list of texts", _pair_hint(item) or hint)
        return found

    def texts(self, key: str) -> tuple[Name, ...]:
        """Give a list of texts; a single text is a list of one."""
        return tuple(self.name(node) for node in self.scalars(key))

    def report_near_misses(self, reserved: frozenset[str]) -> set[str]:
        """Report fields that are nearly reserved ones: another case, another joint, one instead of many. Give what was meant."""
        all_meant = set()
        for key, _ in self.mapping.entries:
            if key.text in reserved:
                continue
            word = key.text.strip().lower().replace("-", "_").replace(" ", "_")
            meant = next(
                (near for near in (word, f"{word}s", f"{word}es") if near in reserved), None
            )
            if meant is not None:
                message = f'nothing reads the field "{key.text}"'
                self.report("KB221", key, message, f'did you mean "{meant}"?')
                all_meant.add(meant)
        return all_meant

    def others(self, reserved: frozenset[str]) -> tuple[tuple[str, str], ...]:
        """Give the author's own text fields."""
        return tuple(
            (key.text, value.text)
            for key, value in self.mapping.entries
            if key.text not in reserved and isinstance(value, Scalar)
        )

    def span(self, name: Name | None) -> Span:
        """Give a field's place, the file's beginning where it has none."""
        return name.span if name else WHOLE_FILE

    def name(self, node: Scalar) -> Name:
        """Give a node's text with its place."""
        return Name(node.text, self.source.span(node.start, node.end))

    def report(self, code: str, node: Node | None, message: str, hint: str) -> None:
        """Report something at a node, at the block's fence where there is none."""
        start, end = (node.start, node.end) if node else (0, min(3, len(self.source.text)))
        self.faults.append(Fault(code, start, end, message, hint))

    def report_shape(self, node: Node, key: str, wanted: str, hint: str) -> None:
        """Report a value of the wrong shape."""
        self.report("KB204", node, f'"{key}" must be {wanted}', hint)


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.is_plain and node.text in _NULLS


def _pair_hint(item: Node) -> str | None:
    """``[crm: C-1]`` is a mapping to YAML, and was meant as a key."""
    if isinstance(item, Mapping) and len(item.entries) == 1:
        pair, value = item.entries[0]
        if isinstance(value, Scalar):
            return f"write {pair.text}:{value.text} without the blank, or put it in quotes"
    return None


def open_fields(source: Source) -> tuple[FrontMatter, Fields, list[Fault]]:
    """Split a file and find everything that is wrong with it before its fields are read."""
    front = split_front_matter(source.text)
    faults = [*iter_encoding_faults(source), *front.faults]
    return front, Fields(source, front.fields or Mapping((), 0, 0)), faults


def read_id(fields: Fields, stem: str) -> Name:
    """Read the id; where it is missing or wrong, the stem stands in for it, and a fault says so."""
    found = len(fields.faults)
    node = fields.scalar("id")
    if node is not None and node.text == stem and is_id(stem):
        return fields.name(node)
    stand_in = stem if is_id(stem) else slugify(stem)
    if node is None:
        if len(fields.faults) == found:
            empty = fields.value("id")
            fields.report("KB201", empty, "the id is missing", f"write id: {stand_in}")
        return Name(stand_in, WHOLE_FILE)
    if not is_id(node.text):
        hint = (
            f"ids are lower-case letters, digits and single '-', at most 80: {slugify(node.text)}"
        )
        fields.report("KB202", node, f'"{node.text}" is no id', hint)
        return Name(stand_in, fields.name(node).span)
    message = f'the id "{node.text}" is not the file\'s stem "{stem}"'
    fields.report("KB203", node, message, f"rename the file to {node.text}.md")
    return fields.name(node)
