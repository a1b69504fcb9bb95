"""Moreau's time stepping of models with rigid contacts: the second road of runs that find impacts as events.

Steps have one length and no events: with M, forces and gaps at the middle of a step, gaps that are not positive there
get impulses Λ ≥ 0 so that W v' + e W v ≥ 0, one or the other zero. Positions err by a step's length times what impulses
change of the rates. All numbers are those of the direct witness (Moreau 1988, Jean 1999, equation 24).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from mbconcord.model.contact import Contact, Rope, Stop, list_rigid, split_elements
from mbconcord.model.coordinate import Motion
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ...judge.evidence import Comparison
from ...judge.motion import Array
from ..direct.formulas import bind
from ..direct.motion import FrameMotion
from ..direct.tree import DirectTree, obstacles
from .made import CLAIM, Made, silent

IMPACTS, STEPPING = "motion with impacts", "Moreau's time stepping"
#: Steps from the start to the end, and sweeps over the gaps of one.
STEPS: Final = 3000
SWEEPS: Final = 100
#: Beyond so large an error of the steps, as a part of the range of a coordinate, nothing is judged.
MOST: Final = 0.25
#: Impulses err by rounding; the motion between impacts by this part of its range.
SMOOTH: Final = 1e-3
#: Where twice as many steps err by no more than this part, it is the steps that err.
FALLS: Final = 0.7


def _along(frame: FrameMotion, n: Array, size: int) -> Array:
    """Return the derivative (size,) of the origin's position along a vector n by all coordinates."""
    row = np.zeros(size)
    row[list(frame.moved)] = n @ frame.moves[0]
    return row


def _measure(tree: DirectTree, element: Contact | Rope | Stop) -> Iterator[tuple[float, Array, float]]:
    """Yield gap, slopes W (n,) and rate of a rigid element at the state of the tree."""
    n = len(tree.names)
    if isinstance(element, Stop):
        i = tree.names.index(element.coordinate)
        x, rate = tree.f.symbols[element.coordinate].c[0][0], tree.f.symbols[element.coordinate].c[1][0]
        for end, side in ((element.lower, 1.0), (element.upper, -1.0)):
            if end is not None:
                yield side * (x - tree.f.value(end)[0]), side * np.eye(n)[i], side * rate
        return
    if isinstance(element, Rope):
        a, b = tree.locate(element.first), tree.locate(element.second)
        d = (b.r - a.r)[0]
        long = float(np.sqrt(d @ d))
        slopes = (_along(a, d, n) - _along(b, d, n)) / long
        yield tree.f.value(element.length)[0] - long, slopes, float(d @ (a.dr - b.dr)[0]) / long
        return
    assert isinstance(element, Contact)
    c, plane = tree.locate(element.first), tree.frames[element.second.body]
    own = tree.f.values(element.second.normal)[0]
    normal, d = plane.R[0] @ own, (c.r - plane.r)[0]
    slopes = _along(c, normal, n) - _along(plane, normal, n)
    slopes[list(plane.moved)] += np.cross(normal, d) @ plane.turns[0]
    gap = normal @ d - tree.f.value(element.second.offset)[0] - tree.f.value(element.first.radius)[0]
    yield gap, slopes, float(normal @ (c.dr - plane.dr)[0] + plane.dR[0] @ own @ d)


@dataclass(frozen=True)
class Stepped:
    """A motion by steps: times (N,), positions (N, n), and what impulses changed of each rate in all (n,)."""

    t: Array
    q: Array
    jumps: Array


def step_motion(system: System, start: State, until: float, steps: int = STEPS) -> Stepped:
    """Step a model without constraints from a state to an end."""
    names, elements = list(system.coordinate_names), list_rigid(split_elements(system)[0])
    e = [element.normal.e for element in elements]
    q, v = (np.array([x[name] for name in names]) for x in (start.q, start.v))
    t, h = start.t, (until - start.t) / steps
    found, jumps = [q], np.zeros(len(names))
    for k in range(steps):
        q = q + h / 2 * v
        at = State(t + (k + 0.5) * h, dict(zip(names, q, strict=True)), dict(zip(names, v, strict=True)), {},
                   start.parameters)  # fmt: skip
        tree = DirectTree(system, bind(system, [at], at_rest=True))
        M, force = tree.mass()[0], (tree.gravity() + tree.sum_applied_forces() - tree.inertial())[0]
        free = v + h * np.linalg.solve(M, force)
        rows = [(W, rate, tree.f.value(r)[0]) for x, r in zip(elements, e, strict=True)
                for gap, W, rate in _measure(tree, x) if gap <= 0]  # fmt: skip
        after = free
        if rows:
            W = np.array([row for row, _, _ in rows])
            late = np.array([rate - row @ v + min(r * rate, 0.0) for row, rate, r in rows])
            P = np.linalg.solve(M, W.T)
            impulse = _press(W @ P, W @ free + late)
            after = free + P @ impulse
            jumps += np.abs(P @ impulse)
        q, v = q + h / 2 * after, after
        found.append(q)
    return Stepped(t + h * np.arange(steps + 1), np.array(found), jumps)


def _press(A: Array, b: Array) -> Array:
    """Return Λ ≥ 0 with A Λ + b ≥ 0, one or the other zero, by sweeps over the rows."""
    found = np.zeros(len(b))
    for _ in range(SWEEPS if len(b) > 1 else 1):
        for i in range(len(b)):
            found[i] = max(0.0, found[i] - (A[i] @ found + b[i]) / A[i, i])
    return found


def check_impacts(made: Made, until: float, order: str) -> Comparison:
    """Compare the positions of a table with those of Moreau's time stepping, within the error of its steps."""
    against, system = obstacles(made.integrated), made.integrated
    reasons = {
        "a model with constraints, or with imposed accelerations, is not stepped": bool(system.constraints)
        or any(isinstance(c.drive, Motion) for c in system.coordinates),
        "impacts one after the other are not stepped": order == "sequential",
        "the run ended before its time": made.trajectory.stopped is not None,
        against[0].reason if against else "": bool(against),
    }
    for reason, holds in reasons.items():
        if holds:
            return silent(IMPACTS, reason)
    table, begun = made.trajectory, made.trajectory.found[0]
    names = table.coordinates
    first = State(begun.t, dict(zip(names, begun.q, strict=True)), dict(zip(names, begun.v, strict=True)), {},
                  made.parameters)  # fmt: skip

    def compare(steps: int) -> tuple[Array, Array, Array, Array]:
        stepped = step_motion(system, first, until, steps)
        own = np.array([np.interp(table.t, stepped.t, x) for x in stepped.q.T]).T
        reach = np.maximum(np.ptp(table.q, axis=0), np.ptp(stepped.q, axis=0))
        reach = np.maximum(reach, max(reach.max(initial=0.0) * SMOOTH, 1e-300))
        room = (stepped.t[1] - stepped.t[0]) * stepped.jumps + SMOOTH * reach
        return own, reach, room, np.abs(table.q - own)

    own, reach, room, off = compare(STEPS)
    i, j = np.unravel_index(int(np.argmax(off / room)), off.shape)
    told = Comparison(
        table.formalism, STEPPING, IMPACTS, "agrees", float(off[i, j] / reach[j]), float(room[j] / reach[j]),
        float(reach[j]), 1.0, made.states([table.found[i]])[0], (names[j],), (float(table.q[i, j]), float(own[i, j])),
        claim=CLAIM,
    )  # fmt: skip
    if room[j] > MOST * reach[j]:
        why = f"{STEPS:,} steps may err {room[j] / reach[j]:.1%} of the range of {names[j]}"
        return replace(told, verdict="not checked", explanation=why)
    if off[i, j] <= room[j]:
        return told
    finer = compare(2 * STEPS)[3]
    if finer.max() <= FALLS * off.max():
        why = f"{STEPS:,} steps err {off[i, j] / reach[j]:.1%} of the range of {names[j]}, twice as many less"
        return replace(told, verdict="not checked", explanation=why)
    return replace(told, verdict="disagrees", explanation=f"{names[j]} is off by more than the steps may err")
