"""Agreement of all formalisms over 1,000 random trees of up to ten bodies; what change a check notices."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

from laboratory.machines import fixture
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model.derivation import QUANTITIES
from mbconcord.validation.check import check
from mbconcord.validation.judge.agreement import compare_pairs, refereed
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.tolerances import solution_tolerance
from mbconcord.validation.judge.trial import trial
from mbconcord.validation.many.expectations import read_catalog
from mbconcord.validation.strategies.trees import random_system

from .row import BenchmarkRow

TREES = 1000
MOST_BODIES = 10
STATES = 3
#: Relative to scale; of accelerations, per condition number of the equilibrated mass matrix.
LIMITS = dict.fromkeys(QUANTITIES, 1e-12) | {"acceleration": solution_tolerance(1.0)}


def rows() -> Iterator[BenchmarkRow]:
    """Measure worst discrepancy per quantity, disagreements, ill-conditioned cases and time."""
    start = time.perf_counter()
    worst = dict.fromkeys(QUANTITIES, 0.0)
    where = dict.fromkeys(QUANTITIES, 0)
    disagreements = unchecked = compared = 0
    formalisms = [formalism(name) for name in BUILT_IN]
    for seed in range(TREES):
        drawn = draw(random_system(seed, 1 + seed % MOST_BODIES), STATES, seed)
        made = trial(drawn.system, drawn.states, formalisms)
        for found in compare_pairs(made):
            c = refereed(made, found) if found.verdict == "disagrees" else found
            compared += 1
            disagreements += c.verdict == "disagrees"
            unchecked += c.verdict == "not checked"
            if relative(c) > worst.get(c.quantity, 0.0):
                worst[c.quantity], where[c.quantity] = relative(c), seed
    seconds = time.perf_counter() - start
    for quantity in QUANTITIES:
        note = f"seed {where[quantity]}" + (", divided by cond" if quantity == "acceleration" else "")
        claim = f"{quantity}: worst discrepancy over {TREES} random trees"
        yield BenchmarkRow(claim, worst[quantity], "of scale", LIMITS[quantity], note=note)
    note, claim = f"of {compared}", "comparisons not checked (ill-conditioned or singular)"
    yield BenchmarkRow("comparisons that disagree", disagreements, "", 0, note=note)
    yield BenchmarkRow(claim, unchecked, "", None, note=note)
    yield BenchmarkRow(f"time of {TREES} checks", seconds, "s")
    yield from sensitivity()


def relative(comparison: Comparison) -> float:
    """Return the discrepancy of a comparison, divided by the condition number."""
    return (comparison.discrepancy or 0.0) / (comparison.cond or 1.0)


CHANGED = ("M", "h", "gravity")


def sensitivity() -> Iterator[BenchmarkRow]:
    """Measure for every quantity the median over the models in which it is nonzero."""
    from_on: dict[str, list[float]] = {quantity: [] for quantity in CHANGED}
    for expected in read_catalog(str(folder() / "catalog.toml")).expectations.values():
        if expected.witnesses:
            for quantity, change in measure_sensitivity(expected.file).items():
                from_on[quantity].append(change)
    for quantity, changes in from_on.items():
        note = f"median over {len(changes)} fixtures, the largest {max(changes):.1e}"
        claim = f"a check notices a relative change of {quantity} from"
        yield BenchmarkRow(claim, median(changes), "", 1e-12, note=note)


def measure_sensitivity(file: str) -> dict[str, float]:
    """Measure the smallest relative change of an entry with a disagreement, as the median over the entries."""
    evidence = check(fixture(file), file, claims=())
    found: dict[str, float] = {}
    for c in evidence.comparisons:
        if c.quantity in CHANGED and c.noticeable is not None:
            found[c.quantity] = max(found.get(c.quantity, 0.0), c.noticeable)
    return found
