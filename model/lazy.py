"""Values computed on first access: quantities by name, and sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

from .expressions.traversal import Nested

T = TypeVar("T")


class Lazy(Mapping[str, Nested]):
    """A mapping whose values are computed on first use: requesting one quantity does not compute the others.

    ``known`` is what its values are checked for when they are made; None: for nothing.
    """

    known: Any = None

    def __init__(self, makers: Mapping[str, Callable[[], Nested]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, Nested] = {}

    def check_each(self, check: Callable[[str, Nested], None], known: Any) -> Lazy:
        """Return the same values, each checked on first access, against the symbols that the model knows."""

        def compute_checked(name: str) -> Nested:
            value = self[name]
            check(name, value)
            return value

        found = Lazy({name: partial(compute_checked, name) for name in self})
        found.known = known
        return found

    def __or__(self, other: Mapping[str, Nested]) -> Lazy:
        """Merge with others, which win, without computing anything."""
        return Lazy(self._makers | {name: partial(other.__getitem__, name) for name in other})

    def __getitem__(self, name: str) -> Nested:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class LazySequence(Sequence[T], Generic[T]):
    """A sequence whose elements are computed on first access."""

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._make = make

    @cached_property
    def _elements(self) -> Sequence[T]:
        return self._make()

    def __getitem__(self, place: Any) -> Any:
        return self._elements[place]

    def __len__(self) -> int:
        return len(self._elements)

    def __iter__(self) -> Iterator[T]:
        return iter(self._elements)
