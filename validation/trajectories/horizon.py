"""Up to when a motion is evidence, by how fast neighbouring starts are seen to move apart.

Every step of the integrator errs by no more than its tolerance ε, relative to 1 + |y| (m, rad, and per second), and
what was erred at a time s is farther off at t by the growth of neighbouring motions between s and t. With N steps to t

    |error(t)| ≤ (N + I) ε √(2n) G(t) (1 + |y|) ,    G(t) = max over s ≤ r ≤ t of |Δ(r)| / |Δ(s)| ,

√(2n) because the test is of the root of the mean of squares; I stands for the row itself, which is interpolated within
its step. Δ is measured: motions from starts that are a small distance apart, in every coordinate and rate. Where this
leaves too few digits the evidence ends: a chaotic motion is never compared where it has forgotten its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.state import State
from mbconcord.simulation.keeping import placed

from ..judge.motion import Array
from ..judge.tolerances import APART, MOTION, MOTION_NOTICED
from .runs import Run, Runner

#: So many neighbours are followed.
NEIGHBOURS: Final = 2
#: What interpolation errs by, in steps.
INTERPOLATED: Final = 20


@dataclass(frozen=True)
class Growth:
    """How far neighbours are apart at the times (K,) of a run, by how far they were: G (K,), at least 1."""

    t: Array
    factor: Array


def growth(runner: Runner, by: Formalism, start: State, own: Run, seed: int) -> Growth:
    """How fast starts near one move apart."""
    names, random = runner.system.coordinate_names, Random(seed)
    first = own.trajectory.found[0]
    q, v = (dict(zip(names, x.tolist(), strict=True)) for x in (first.q, first.v))
    largest = np.zeros(len(own.trajectory.found))
    count = len(largest)
    for _ in range(NEIGHBOURS):
        near = replace(
            start,
            q={
                n: x + APART * random.choice((-1, 1)) * random.uniform(0.5, 1) * (1 + abs(x))
                for n, x in q.items()
            },
            v={
                n: x + APART * random.choice((-1, 1)) * random.uniform(0.5, 1) * (1 + abs(x))
                for n, x in v.items()
            },
        )
        run = runner.run(by, replace(placed(runner.system, near, (), ()).state, parameters=start.parameters))
        count = min(count, len(run.trajectory.found))
        apart = np.abs(run.y[:count] - own.y[:count]) / (1 + np.abs(own.y[:count]))
        largest = np.maximum(largest[:count], apart.max(axis=1, initial=0.0))
    return Growth(own.t[:count], factor_of(largest[:count]))


def factor_of(apart: Array) -> Array:
    """max over s ≤ r ≤ t of apart(r)/apart(s), at least 1 (K,)."""
    found, least, best = np.ones(len(apart)), np.inf, 1.0
    for i, x in enumerate(apart.tolist()):
        least = min(least, x) if x > 0 else least
        best = max(best, x / least) if np.isfinite(least) else best
        found[i] = best
    return found


def allowed(runs: Sequence[Run], spread: Growth, count: int) -> Array:
    """(N + I) ε √(2n) G of several runs together at their first rows (count,)."""
    t, n = runs[0].t[:count], runs[0].trajectory.q.shape[1]
    steps = sum((run.steps(t) + INTERPOLATED for run in runs), np.zeros(count))
    return np.asarray(steps * MOTION * np.sqrt(2.0 * max(n, 1)) * spread.factor[:count])


def within(tolerances: Array) -> int:
    """How many rows from the first on are known well enough."""
    beyond = np.flatnonzero(~(tolerances <= MOTION_NOTICED))
    return int(beyond[0]) if beyond.size else len(tolerances)
