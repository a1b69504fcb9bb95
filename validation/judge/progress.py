"""Progress of a long computation, for listeners: the command line is one on a terminal.

Nothing depends on it: the computation does not know whether there is a listener.
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
def listen(listener: Listener | None) -> Iterator[None]:
    """Send progress inside to this listener, or to nobody."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def deaf() -> None:
    """Silence progress from here on, in a process forked from one with a listener."""
    _listener.set(None)


def count_progress(what: str, items: Iterable[Item], name: Callable[[Item], str] = str) -> Iterator[Item]:
    """Yield the items in sequence, reporting each in turn."""
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
    """Report one item of a count; without one, its end."""
    listener = _listener.get()
    if listener is not None:
        listener(what, number, of, name)
