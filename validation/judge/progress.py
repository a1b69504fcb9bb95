"""Progress of a long computation, for listeners: the command line is one on a terminal.

Nothing depends on it: the computation does not know whether there is a listener.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

Item = TypeVar("Item")
#: Called with what is counted, the number of the one that begins, how many there are (0: it is over), and its name.
Listener: TypeAlias = Callable[[str, int, int, str], None]


class OutOfTimeError(Exception):
    """Error: the time limit of a search has passed."""


_deadline: ContextVar[float] = ContextVar("deadline", default=math.inf)
_untried: ContextVar[list[int] | None] = ContextVar("untried", default=None)
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listen(listener: Listener | None) -> Iterator[None]:
    """Send progress reports from inside this context to the listener; None: to nobody."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def find_listener() -> Listener | None:
    """Return the listener that receives progress reports in this context; None: nobody listens."""
    return _listener.get()


@contextmanager
def limit_time(seconds: float | None) -> Iterator[None]:
    """Stop the computation inside this context at its first checkpoint after these seconds; None: never."""
    before = _deadline.set(math.inf if seconds is None else time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(before)


def checkpoint() -> None:
    """Raise :class:`OutOfTimeError` if the time limit has passed."""
    if time.monotonic() >= _deadline.get():
        raise OutOfTimeError


@contextmanager
def limit_tries(most: int | None) -> Iterator[list[int]]:
    """Let :func:`try_each` yield ``most`` items inside; None: all. Yields a list with the number left; -1: exceeded."""
    left = [0 if most is None else most]
    before = _untried.set(None if most is None else left)
    try:
        yield left
    finally:
        _untried.reset(before)


def try_each(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the candidates of a search until its limit of tries (:func:`limit_tries`) or of time is reached."""
    left = _untried.get()
    for item in items:
        checkpoint()
        if left is not None:
            left[0] = max(left[0] - 1, -1)
            if left[0] < 0:
                return
        yield item


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
    """Report to the listener, if any, that item ``number`` of ``of`` is in work."""
    listener = _listener.get()
    if listener is not None:
        listener(what, number, of, name)
