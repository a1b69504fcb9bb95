"""One measured number and its claimed limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any


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
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)
