"""Elastic trees: how fast the mixed problem is solved in numbers, and how the time grows with the links."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from statistics import median

from mbconcord.formalisms.flexible import Flexible
from mbconcord.model.instance import bound

from ..models.elastic import elastic_chain, small_state
from .row import Row

#: Links of the chains, two modes each.
LENGTHS = (64, 128, 256, 512)
RUNS = 5


def rows() -> Iterator[Row]:
    """All rows."""
    times = {count: _seconds(count) for count in LENGTHS}
    note = "one state, two modes a link, processor time"
    yield Row("chain of 512 elastic links: mixed problem solved", times[512], "s", 0.15, note=note)
    yield Row("slope of the time over 64 … 512 links, log-log", _slope(times), "", 1.1)


def _seconds(count: int) -> float:
    system = elastic_chain(count)
    state = small_state(system, 3)
    prepared = Flexible().prepared(system, [state])
    values = bound(system, [state]).values
    found = []
    for _ in range(RUNS + 1):
        start = time.process_time()
        prepared.of(values, 1)
        found.append(time.process_time() - start)
    return median(found[1:])


def _slope(times: dict[int, float]) -> float:
    """Least squares of log time over log links."""
    x, y = ([math.log(v) for v in part] for part in (times, times.values()))
    mean = sum(x) / len(x)
    return sum((a - mean) * b for a, b in zip(x, y, strict=True)) / sum((a - mean) ** 2 for a in x)
