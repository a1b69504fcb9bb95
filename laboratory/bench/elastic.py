"""Elastic trees: time of the mixed problem in numbers, and its growth with the links."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

import numpy as np

from laboratory.machines import elastic_arm, elastic_chain, small_state
from mbconcord.formalisms.flexible import Flexible
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.numbers import bind_states
from mbconcord.validation.check import check

from .row import BenchmarkRow, measure_runs

#: Links of the chains, two modes each.
LENGTHS = (64, 128, 256, 512)
RUNS = 5
#: Links of the arm that is checked.
LINKS = 6


def rows() -> Iterator[BenchmarkRow]:
    """Yield all rows."""
    times = {count: _seconds(count) for count in LENGTHS}
    note = "one state, two modes a link, processor time"
    yield BenchmarkRow("chain of 512 elastic links: mixed problem solved", times[512], "s", 0.15, note=note)
    slope = float(np.polyfit(np.log([*times]), np.log([*times.values()]), 1)[0])
    yield BenchmarkRow("slope of the time over 64 … 512 links, log-log", slope, "", 1.1)
    note = "10 states, three derivations, two bending modes a link, processor time"
    yield BenchmarkRow(f"arm of {LINKS} elastic links checked by all witnesses", _measure_check(), "s", 3.0, note=note)


def _measure_check() -> float:
    check(elastic_arm(1), states=1)
    start = time.process_time()
    evidence = check(elastic_arm(LINKS))
    taken = time.process_time() - start
    if evidence.verdict == "disagrees":
        raise MbconcordError(error("bench elastic", "the witnesses of the arm disagree"))
    return taken


def _seconds(count: int) -> float:
    system = elastic_chain(count)
    state = small_state(system, 3)
    prepared = Flexible().prepare(system, [state])
    values = bind_states(system, [state]).values
    return median(measure_runs(lambda: prepared.solve_values(values, 1), RUNS, time.process_time))
