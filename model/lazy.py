"""What is made when it is asked for: quantities by name, and sequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

from .expressions.nested import Nested

T = TypeVar("T")


class Lazy(Mapping[str, Nested]):
    """A mapping whose values are computed on first use: who asks for one quantity does not pay for the others.

    ``known`` is what its values are checked for when they are made; None: for nothing.
    """

    known: Any = None

    def __init__(self, makers: Mapping[str, Callable[[], Nested]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, Nested] = {}

    def checked(self, check: Callable[[str, Nested], None], known: Any) -> Lazy:
        """The same values, each checked when it is made, for what the model knows."""

        def made(name: str) -> Nested:
            value = self[name]
            check(name, value)
            return value

        found = Lazy({name: partial(made, name) for name in self})
        found.known = known
        return found

    def __or__(self, other: Mapping[str, Nested]) -> Lazy:
        """These and others, which win; nothing is made for it."""
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
    """A sequence whose elements are computed when one of them is first looked at."""

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
