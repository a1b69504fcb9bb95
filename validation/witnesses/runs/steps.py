"""Judge what steps may err: the balance of energies and work, the last state beside that of half the tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Final

import numpy as np

from mbconcord.model.expressions import compile_numpy, gradient, rate, symbol
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.keeping import place_state
from mbconcord.simulation.motion.formulas import array
from mbconcord.simulation.motion.trajectory import Trajectory, TrajectoryRow

from ...judge.evidence import Comparison
from ...judge.motion import Array
from ...judge.tolerances import APART
from .made import BALANCE, LAST, NO_ENERGIES, Made, silent

#: Where the steps may err by more than this part of the energies, the balance says nothing.
NOTHING_LEFT: Final = 0.1
#: Steps that interpolation of a row counts for.
INTERPOLATED: Final = 20
#: Rows that a neighbour has at the same times, at least; so many times what steps err may the end be off.
LEAST_ROWS: Final = 3
SURELY: Final = 100.0
HALF_TOLERANCE: Final = "half the tolerance"


def check_balance(made: Made, rows: Sequence[TrajectoryRow]) -> Iterator[Comparison]:
    """Compare H - H(0) with the work: a step may change H by Σ |∂H/∂y| (1 + |y|) ε √(2 n), and the work by ε."""
    table, energies = made.trajectory.found, made.formulas.energies
    balance = np.array([row.balance for row in table])
    if energies is None or not np.isfinite(balance).any():
        yield silent(BALANCE, NO_ENERGIES if energies is None else "no work is integrated")
        return
    names = made.trajectory.coordinates
    variables = [*map(symbol, names), *map(rate, names)]
    slopes = array(gradient(energies.hamiltonian, variables), (len(variables),)).tolist()
    y = np.hstack([made.trajectory.q, made.trajectory.v])
    at = np.vstack([made.trajectory.t, y.T])
    steep = np.abs(compile_numpy(slopes, ["t", *names, *(f"{n}'" for n in names)])(at)).T
    work = np.array([row.work for row in table])
    size = np.maximum.accumulate((steep * (1.0 + np.abs(y))).sum(axis=1) + 1.0 + np.abs(work))
    allowed = allow(made, made.trajectory.t) * size
    scale = np.maximum.accumulate([abs(row.kinetic) + abs(row.potential) + abs(row.work) for row in table])
    gap = np.abs(balance - balance[0])
    with np.errstate(all="ignore"):
        i = int(np.argmax(np.where(np.isfinite(gap), gap / allowed, np.inf)))
        off, room = (float(np.nanmax(np.where(scale > 0, x / scale, 0.0))) for x in (gap, allowed))
    told = Comparison(
        "energies", "work", BALANCE, "agrees", off, room, float(scale[i]), 1.0, made.states([table[i]])[0], (),
        (float(work[i] + balance[i] - balance[0]), float(work[i])),
    )  # fmt: skip
    if not gap[i] <= allowed[i]:
        why = f"the steps may err {allowed[i]:.2g} J at tolerance {made.trajectory.tolerance:g}"
        yield replace(told, verdict="disagrees", explanation=why)
    elif room > NOTHING_LEFT:
        how = f"{allowed.max():.2g} J of {scale.max():.3g} J"
        why = f"at tolerance {made.trajectory.tolerance:g} the steps may err {how}"
        yield replace(told, verdict="not checked", explanation=why)
    else:
        yield told


def allow(made: Made, t: Array) -> Array:
    """Return N ε √(2 n) at times: the error of N steps, without growth, relative to 1 + |y|."""
    steps = np.searchsorted(made.ends, t, side="left") + 1.0 + INTERPOLATED
    return np.asarray(steps * made.trajectory.tolerance * np.sqrt(2 * len(made.trajectory.coordinates) + 1))


def check_last(made: Made, half: Trajectory) -> Comparison:
    """Compare the last state with that of half the tolerance, as far as steps err by themselves.

    Errors grow with the divergence of neighbouring motions: beyond a limit nothing is judged.
    """
    names, last = made.trajectory.coordinates, made.trajectory.found[-1]
    x, y = (np.concatenate([row.q, row.v]) for row in (last, half.found[-1]))
    gap = np.abs(x - y) / (1.0 + np.abs(x))
    i = int(np.argmax(np.where(np.isfinite(gap), gap, np.inf)))
    entry = (*names, *(f"{n}'" for n in names))[i]
    tolerance = float(allow(made, np.array([last.t]))[0])
    told = Comparison(
        made.trajectory.formalism, HALF_TOLERANCE, LAST, "agrees", float(gap[i]), tolerance, 1.0 + abs(float(x[i])),
        1.0, made.states([last])[0], (entry,), (float(x[i]), float(y[i])),
    )  # fmt: skip
    if gap[i] <= tolerance:
        return told
    why = (
        f"with half the tolerance {entry} ends at {y[i]:.9g} in place of {x[i]:.9g}: more than "
        f"{len(made.ends):,} steps err by themselves; errors grow along this motion"
    )
    return replace(told, verdict="not checked", explanation=why)


def neighbour(system: System, start: State) -> State:
    """Return a state on the constraints near a start, apart in every coordinate and rate."""
    first = place_state(system, start, frozenset()).state
    signs = Random(0)

    def apart(group: Mapping[str, float]) -> dict[str, float]:
        return {name: x + signs.choice((-1, 1)) * APART * (1 + abs(x)) for name, x in group.items()}

    return place_state(system, replace(first, q=apart(first.q), v=apart(first.v)), frozenset()).state


def explain_last(last: Comparison, made: Made, near: Trajectory) -> Comparison:
    """Return whether the growth of the distance from a neighbour explains how far half the tolerance moves the end."""
    pairs = [(a, b) for a in made.trajectory.found for b in near.found if a.t == b.t]
    apart = [max(np.abs(x - y).max() for x, y in ((a.q, b.q), (a.v, b.v))) for a, b in pairs]
    if near.stopped is not None or len(apart) < LEAST_ROWS or not min(apart) > 0:
        return last
    growth = float((np.array(apart) / np.minimum.accumulate(apart)).max())
    explained = SURELY * growth * (last.tolerance or 0.0)
    if last.discrepancy is None or explained > NOTHING_LEFT or last.discrepancy <= explained:
        return replace(last, explanation=f"{last.explanation}: {growth:.3g}-fold at a neighbouring start")
    why = f"{last.explanation.partition(';')[0]}, and neighbouring starts move apart {growth:.3g}-fold only"
    return replace(last, verdict="disagrees", explanation=why)
