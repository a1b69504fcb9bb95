"""Agreement of all formalisms over 1,000 random trees of up to ten bodies."""

from __future__ import annotations

import time
from collections.abc import Iterator

from mbconcord.model.derivation import QUANTITIES

from ..check import check
from ..evidence import Comparison
from ..generation import random_system
from ..tolerances import solution_tolerance
from .row import Row

TREES = 1000
MOST_BODIES = 10
STATES = 3
#: Relative to scale; of accelerations, per condition number of the equilibrated mass matrix.
LIMITS = dict.fromkeys(QUANTITIES, 1e-12) | {"acceleration": solution_tolerance(1.0)}


def rows() -> Iterator[Row]:
    """Worst discrepancy per quantity, disagreements, ill-conditioned cases and time."""
    start = time.perf_counter()
    worst = dict.fromkeys(QUANTITIES, 0.0)
    where = dict.fromkeys(QUANTITIES, 0)
    disagreements = unchecked = compared = 0
    for seed in range(TREES):
        evidence = check(random_system(seed, 1 + seed % MOST_BODIES), states=STATES, seed=seed)
        compared += len(evidence.comparisons)
        disagreements += sum(c.verdict == "disagrees" for c in evidence.comparisons)
        unchecked += sum(c.verdict == "not checked" for c in evidence.comparisons)
        for c in evidence.comparisons:
            if relative(c) > worst.get(c.quantity, 0.0):
                worst[c.quantity], where[c.quantity] = relative(c), seed
    seconds = time.perf_counter() - start
    for quantity in QUANTITIES:
        note = f"seed {where[quantity]}" + (", divided by cond" if quantity == "acceleration" else "")
        yield Row(
            f"{quantity}: worst discrepancy over {TREES} random trees",
            worst[quantity],
            "of scale",
            LIMITS[quantity],
            note=note,
        )
    yield Row("comparisons that disagree", disagreements, "", 0, note=f"of {compared}")
    yield Row(
        "comparisons not checked (ill-conditioned or singular)", unchecked, "", None, note=f"of {compared}"
    )
    yield Row(f"time of {TREES} checks", seconds, "s")


def relative(comparison: Comparison) -> float:
    """The discrepancy of a comparison, per condition number."""
    return (comparison.discrepancy or 0.0) / (comparison.cond or 1.0)
