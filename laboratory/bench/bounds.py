"""Running error bounds: accuracy of the evaluator's functions, tightness of bounds, and cost.

The constants of :data:`mbconcord.model.expressions.bounds.ACCURACY` are chosen above what is measured here: what a
library promises holds on every machine, what is measured on one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import pi
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laboratory.machines import fixture
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import System
from mbconcord.model.expressions import mpmath_arithmetic, numpy_arithmetic
from mbconcord.model.expressions.bounds import ACCURACY, U, run_bounds
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.levels import levels, run_levels
from mbconcord.model.expressions.node import POW
from mbconcord.model.expressions.program import program
from mbconcord.model.numbers import bind_states, define
from mbconcord.validation.judge.bounds import evaluate_bounded
from mbconcord.validation.judge.solutions import Bounded
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.uncertainty import inputs
from mbconcord.validation.strategies.trees import random_system

from .newton_euler import chain
from .row import BenchmarkRow, seconds

Array = NDArray[np.float64]

#: Points at which a function is measured in every range of its arguments.
POINTS = 2000
DIGITS = 40
#: Numbers of states that programs are timed at; the first is that of the claims.
STATES = (10, 100)
TREES = 200


def rows() -> Iterator[BenchmarkRow]:
    """Yield all rows."""
    for name, limit in ACCURACY.items():
        note = "the constant that bounds use"
        yield BenchmarkRow(f"error of NumPy's {name}", worst_error(name, POINTS), "u|v|", limit, note=note)
    yield from witnesses()
    yield from times("UR5", fixture("robots/ur5.mbsd"))
    yield from times("Talos", fixture("robots/talos.mbsd"))
    yield from times("chain of 30", chain(30))


# --- accuracy --------------------------------------------------------------------------------------------------


def worst_error(name: str, points: int) -> float:
    """Measure the largest error of a NumPy function in units of u |v|, in all ranges of :data:`RANGES`."""
    numpy, exact = numpy_arithmetic(), mpmath_arithmetic(DIGITS)
    own: Callable[..., Any] = numpy.power if name == POW else numpy.functions[name]
    true: Callable[..., Any] = exact.power if name == POW else exact.functions[name]
    dice, worst = np.random.default_rng(1), 0.0
    for arguments in RANGES[name]:
        places = arguments(dice, points)
        with np.errstate(all="ignore"):
            found = own(*places)
        for value, *place in zip(found.tolist(), *(x.tolist() for x in places), strict=True):
            if value and np.isfinite(value):
                off = abs(true(*map(exact.convert, place)) - value)
                worst = max(worst, float(off / (U * abs(value))))
    return worst


Arguments = Callable[[np.random.Generator, int], tuple[Array, ...]]


def _uniform(*limits: tuple[float, float]) -> Arguments:
    return lambda dice, count: tuple(dice.uniform(low, high, count) for low, high in limits)


def _sizes(*limits: tuple[float, float]) -> Arguments:
    """Draw positive numbers of all sizes."""
    return lambda dice, count: tuple(np.exp(dice.uniform(np.log(low), np.log(high), count)) for low, high in limits)


def _right_angles(dice: np.random.Generator, count: int) -> tuple[Array, ...]:
    return (dice.integers(1, 10**6, count).astype(np.float64) * (pi / 2),)


_ANGLES = (*(_uniform((-x, x)) for x in (4.0, 100.0, 1e6, 1e15, 1e22)), _sizes((1e-300, 1e-2)), _right_angles)
_UNIT = (_uniform((-1.0, 1.0)), _sizes((1e-300, 1.0)))
#: Where each function is measured.
RANGES: Mapping[str, Sequence[Arguments]] = {
    **dict.fromkeys(("sin", "cos", "tan"), _ANGLES), **dict.fromkeys(("asin", "acos"), _UNIT),
    "atan": (_uniform((-5.0, 5.0)), _sizes((1e-300, 1e300))),
    "atan2": (_uniform((-5.0, 5.0), (-5.0, 5.0)), _sizes((1e-150, 1e150), (1e-150, 1e150))),
    "sqrt": (_sizes((1e-300, 1e300)),), "exp": (_uniform((-20.0, 20.0)), _uniform((-700.0, 700.0))),
    "log": (_sizes((1e-300, 1e300)), _uniform((0.9, 1.1))),
    POW: (_uniform((0.0, 20.0), (-5.0, 5.0)), _sizes((1e-30, 1e30), (1e-3, 9.0))),
}  # fmt: skip


# --- what bounds say -------------------------------------------------------------------------------------------


def witnesses() -> Iterator[BenchmarkRow]:
    """Compare formalisms in pairs on random trees: differences per bound, and bounds per entry."""
    worst, sizes, compared = 0.0, list[float](), 0
    for seed in range(TREES):
        drawn = draw(random_system(seed, 1 + seed % 10), 3, seed)
        given = inputs(drawn.system, drawn.states)
        takers = [f for f in map(formalism, BUILT_IN) if not f.obstacles(drawn.system)]
        found = [evaluate_bounded(f.derive(drawn.system), given) for f in takers]
        for a, b in combinations(found, 2):
            for quantity in a.keys() & b.keys():
                ratio = differing(a[quantity], b[quantity])
                worst, compared = max(worst, float(ratio.max(initial=0.0))), compared + ratio.size
        sizes += [x for quantities in found for x in relative(quantities["gravity"])]
        sizes += [x for quantities in found if "M" in quantities for x in relative(quantities["M"])]
    place = f"over {TREES} random trees"
    note, claim = f"of {compared} entries", f"largest difference of two witnesses {place}"
    yield BenchmarkRow(claim, worst, "of the sum of their bounds", 1, note=note)
    claim = f"two bounds of an entry of M and gravity {place}"
    yield BenchmarkRow(claim, median(sizes), "of the entry", 1e-12, note="median")


def differing(a: Bounded, b: Bounded) -> Array:
    """Compute |a - b| relative to the sum of the bounds, for entries that have them."""
    known = a.has_bound & b.has_bound
    gap, room = np.abs(a.values - b.values)[known], (a.bounds + b.bounds)[known]
    return np.where(gap == 0, 0.0, gap / np.where(room > 0, room, np.finfo(float).tiny))


def relative(q: Bounded) -> list[float]:
    """Return two bounds over the entry, for nonzero entries."""
    some = q.has_bound & (q.values != 0)
    found: list[float] = (2 * q.bounds[some] / np.abs(q.values[some])).tolist()
    return found


# --- what bounds cost ------------------------------------------------------------------------------------------


def times(place: str, system: System, name: str = "konoplev") -> Iterator[BenchmarkRow]:
    """Time all quantities of a formalism step by step, by levels, and with bounds."""
    lines = program(define(formalism(name).derive(system).outputs(), system.functions))
    plan, states = levels(lines), draw(system, max(STATES), 1).states
    note = f"{name}, {len(lines.steps)} steps"
    time = seconds(partial(levels, lines)) * 1e3
    yield BenchmarkRow(f"{place}: grouping", time, "ms", note=f"{note}, {len(plan.groups)} groups")
    for count in STATES:
        values = bind_states(system, states[:count]).values
        one_by_one = seconds(partial(run, lines, values, numpy_arithmetic())) * 1e3
        plain = seconds(partial(run_levels, plan, values)) * 1e3
        with_bounds = seconds(partial(run_bounds, plan, values)) * 1e3
        where = f"{place}, {count} states"
        yield BenchmarkRow(f"{where}: values step by step", one_by_one, "ms", note=note)
        yield BenchmarkRow(f"{where}: values by levels", plain, "ms")
        yield BenchmarkRow(f"{where}: values and bounds by levels", with_bounds, "ms")
        limit = 1 if count == STATES[0] else None
        yield BenchmarkRow(f"{where}: with bounds over step by step", with_bounds / one_by_one, "", limit)
        yield BenchmarkRow(f"{where}: with bounds over by levels", with_bounds / plain, "")
