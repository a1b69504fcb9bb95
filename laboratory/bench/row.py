"""One measured number and its claimed limit; times, of works in turn too, so that disturbances affect all alike."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

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


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """A claim, what was measured, and the limit (None: no limit, printed for information)."""

    claim: str
    measured: float
    unit: str
    limit: float | None = None
    at_most: bool = True
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """True if the limit is met; None without a limit."""
        if self.limit is None:
            return None
        return bool(self.measured <= self.limit if self.at_most else self.measured >= self.limit)

    def to_json(self) -> dict[str, Any]:
        """Return a mapping, with ``met``."""
        return asdict(self) | {"met": self.is_met}


def seconds(work: Callable[[], object], runs: int = 5) -> float:
    """Measure median wall time of a call over several runs, after one uncounted run."""
    return median(measure_runs(work, runs, time.perf_counter))


def least(work: Callable[[], object], runs: int = 9) -> float:
    """Measure the least processor time of a call over several runs, after one that is not counted."""
    return min(measure_runs(work, runs, time.process_time))


def measure_runs(work: Callable[[], object], runs: int, clock: Callable[[], float]) -> Iterator[float]:
    """Yield the times of several runs, after one that is not counted."""
    work()
    for _ in range(runs):
        start = clock()
        work()
        yield clock() - start
