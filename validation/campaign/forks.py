"""Tasks on this machine, so many at a time, each in a process of its own with limits."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import wait
from typing import Any, Final, TypeVar

from . import apart

Item = TypeVar("Item")
#: How long a wait for processes may take before their time is looked at (s).
LOOK: Final = 1.0


def each(
    work: Callable[[Item], Any], items: Iterator[Item], jobs: int, *seconds: int
) -> Generator[tuple[Item, Any]]:
    """Every item with what the work gives of it, as they end; :class:`str` where it gave nothing: how it ended.

    Each may take so many ``seconds`` of the processor, where that is said, else :data:`.apart.SECONDS`. Closed before
    its end it ends the processes that work.
    """
    apart.require_forks()
    working: dict[apart.Child, Item] = {}
    try:
        while True:
            while len(working) < jobs and (item := next(items, None)) is not None:
                working[apart.begun(partial(work, item), *seconds)] = item
            if not working:
                return
            for child in _ended(working):
                yield working.pop(child), child.result()
    finally:
        for child in working:
            child.kill()
        for child in working:
            with suppress(OSError):
                child.result()


def _ended(working: dict[apart.Child, Any]) -> list[apart.Child]:
    """Those of the processes that have ended, once there are some; late ones are ended."""
    while True:
        by_pipe = {child.pipe.fileno(): child for child in working}
        ready = [by_pipe[pipe] for pipe in by_pipe.keys() & set(wait(list(by_pipe), LOOK))]
        done = [child for child in ready if child.read()]
        if done:
            return done
        for child in working:
            if child.late():
                child.kill()
