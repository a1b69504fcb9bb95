"""Where a long computation is, for who listens: the command line does on a terminal, nobody else.

Nothing depends on it: who counts does not know whether anybody listens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
#: Called with what is counted, the number of the one that begins, how many there are (0: it is over), and its name.
Listener: TypeAlias = Callable[[str, int, int, str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def told(listener: Listener | None) -> Iterator[None]:
    """Inside, this one listens, or nobody does."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def deaf() -> None:
    """Nobody listens from here on: of a process that was forked from one in which somebody did."""
    _listener.set(None)


def counted(what: str, items: Iterable[Item], name: Callable[[Item], str] = str) -> Iterator[Item]:
    """The items one after the other, each told when it is its turn."""
    listener = _listener.get()
    if listener is None:
        yield from items
        return
    every = list(items)
    try:
        for number, item in enumerate(every, 1):
            listener(what, number, len(every), name(item))
            yield item
    finally:
        listener(what, 0, 0, "")


def tell(what: str, number: int, of: int, name: str) -> None:
    """Tell of one thing that counts itself; of none: it is over."""
    listener = _listener.get()
    if listener is not None:
        listener(what, number, of, name)
