"""One measured number beside the number that is claimed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """A claim, what was measured, and the limit (None: no limit, printed for information)."""

    claim: str
    measured: float
    unit: str
    limit: float | None = None
    at_most: bool = True
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the limit is met; None without a limit."""
        if self.limit is None:
            return None
        return bool(self.measured <= self.limit if self.at_most else self.measured >= self.limit)

    def to_json(self) -> dict[str, Any]:
        """As a mapping, with ``met``."""
        return asdict(self) | {"met": self.met}


def seconds(work: Callable[[], object], runs: int = 5) -> float:
    """Median wall time of a call over several runs, after one run that is not counted."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)
