"""A mapping whose values are found when they are asked for."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

Value = TypeVar("Value")


class LazyMapping(Mapping[str, Value]):
    """Finds a value (``None``: there is none) when its key is asked for, and keeps it."""

    def __init__(
        self,
        find: Callable[[str], Value | None],
        iterate: Callable[[], Iterator[str]],
        count: Callable[[], int],
    ) -> None:
        self._find, self._iterate, self._count = find, iterate, count
        self._found: dict[str, Value | None] = {}

    def _look(self, key: str) -> Value | None:
        if key not in self._found:
            self._found[key] = self._find(key)
        return self._found[key]

    def __getitem__(self, key: str) -> Value:
        value = self._look(key)
        if value is None:
            raise KeyError(key)
        return value

    def get(self, key: str, default: Value | None = None) -> Value | None:  # type: ignore[override]
        value = self._look(key)
        return default if value is None else value

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._look(key) is not None

    def __iter__(self) -> Iterator[str]:
        return self._iterate()

    def __len__(self) -> int:
        return self._count()
