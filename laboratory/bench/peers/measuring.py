"""Interleaved measurements: works run in turn, repeatedly, so that disturbances affect all alike."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from statistics import median

#: How often every work has its turn.
ROUNDS = 7
#: Seconds of a turn.
TURN = 0.02


def in_turn(works: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """Measure processor seconds of every work in every round, after an uncounted run.

    Each work repeats until its turn is full, so that none begins with caches filled by another.
    """
    often = {}
    for name, work in works.items():
        work()
        often[name] = max(1, round(TURN / max(_seconds(work, 1), 1e-6)))
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(_seconds(work, often[name]))
    return times


def _seconds(work: Callable[[], object], often: int) -> float:
    begun = time.process_time()
    for _ in range(often):
        work()
    return (time.process_time() - begun) / often


def ratio(slow: list[float], fast: list[float]) -> float:
    """Return the ratio of times: the median over rounds."""
    return median(a / b for a, b in zip(slow, fast, strict=True))


@contextmanager
def pin_processor() -> Iterator[None]:
    """Run on one processor, if the system allows it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
