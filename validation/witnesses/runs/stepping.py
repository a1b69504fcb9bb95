"""Moreau's time stepping of models with rigid contacts: the second road of runs that find impacts as events.

Steps have one length and no events: with M, forces and gaps at the middle of a step, gaps that are not positive there
get impulses Λ ≥ 0 so that W v' + e W v ≥ 0, one or the other zero. Positions err by a step's length times all changes
of the rates. All numbers are those of the direct witness (Moreau 1988, Jean 1999, equation 24).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from mbconcord.model.contact import Contact, Rope, Stop, list_rigid, split_elements
from mbconcord.model.coordinate import Motion
from mbconcord.model.limits import count as counted
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
#: Steps from the start to the end of models of three bodies, fewer of larger ones; sweeps over the gaps of a step.
STEPS: Final = 3000
LEAST: Final = 600
SWEEPS: Final = 100
#: Beyond so large an error of the steps, as a part of the range of a coordinate, nothing is judged.
MOST: Final = 0.25
#: The motion between impacts errs by this part of its range, which is no less than this (m, rad).
SMOOTH: Final = 1e-3
AT_REST: Final = 1e-9
#: Where half as many steps err so many times as much, it is the steps that err.
GROWS: Final = 1.4


def _along(frame: FrameMotion, n: Array, size: int) -> Array:
    """Return the derivative (size,) of the origin's position along a vector n by all coordinates."""
    row = np.zeros(size)
    row[list(frame.moved)] = n @ frame.moves[0]
    return row


def _measure(
    tree: DirectTree, element: Contact | Rope | Stop
) -> Iterator[tuple[float, Array, float, float, Array, Array]]:
    """Yield gap, slopes W (n,) and rate of a rigid element at the state of the tree, μ, slopes (2, n), slips (2,)."""
    n = len(tree.names)
    none = np.zeros((2, n)), np.zeros(2)
    if isinstance(element, Stop):
        row, x, rate = np.zeros(n), 0.0, 0.0
        for name, factor in element.along.items():
            (q, v, *_), slope = tree.f.symbols[name].c, tree.f.value(factor)[0]
            row[tree.names.index(name)], x, rate = slope, x + slope * q[0], rate + slope * v[0]
        for end, side in ((element.lower, 1.0), (element.upper, -1.0)):
            if end is not None:
                yield side * (x - tree.f.value(end)[0]), side * row, side * rate, 0.0, *none
        return
    if isinstance(element, Rope):
        a, b = tree.locate(element.first), tree.locate(element.second)
        d = (b.r - a.r)[0]
        long = float(np.sqrt(d @ d))
        along = d / long if long else d  # where its ends coincide it is slack
        slopes = _along(a, along, n) - _along(b, along, n)
        yield tree.f.value(element.length)[0] - long, slopes, float(along @ (a.dr - b.dr)[0]), 0.0, *none
        return
    assert isinstance(element, Contact)
    c, plane = tree.locate(element.first), tree.frames[element.second.body]
    own = tree.f.values(element.second.normal)[0]
    normal, d = plane.R[0] @ own, (c.r - plane.r)[0]
    slopes = _along(c, normal, n) - _along(plane, normal, n)
    slopes[list(plane.moved)] += np.cross(normal, d) @ plane.turns[0]
    gap = normal @ d - tree.f.value(element.second.offset)[0] - tree.f.value(element.first.radius)[0]
    mu = tree.f.value(element.friction.mu)[0] if element.friction else 0.0
    along, slip = _slip(tree, c, plane, normal, d, tree.f.value(element.first.radius)[0]) if mu else none
    yield gap, slopes, float(normal @ (c.dr - plane.dr)[0] + plane.dR[0] @ own @ d), mu, along, slip


def _slip(
    tree: DirectTree, c: FrameMotion, plane: FrameMotion, normal: Array, d: Array, radius: float
) -> tuple[Array, Array]:
    """Return slopes (2, n) and slips (2,) of a sphere about c on a plane: first where it may slip the most."""
    n = len(tree.names)
    arm = -radius * normal
    J = np.zeros((3, n))
    J[:, list(c.moved)] += c.moves[0] - _skew(arm) @ c.turns[0]
    J[:, list(plane.moved)] -= plane.moves[0] - _skew(d + arm) @ plane.turns[0]
    u = (c.dr - plane.dr)[0] + np.cross(c.spin[0], arm) - np.cross(plane.spin[0], d + arm)
    across = np.eye(3) - np.outer(normal, normal)  # where slips have one way, the second may be the normal
    ways = np.linalg.svd(across @ J)[0][:, :2].T @ across
    return ways @ J, ways @ u


def _skew(a: Array) -> Array:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@dataclass(frozen=True)
class Stepped:
    """A motion by steps: times (N,), positions (N, n), and what changed of each rate in all (n,), up and down."""

    t: Array
    q: Array
    jumps: Array


def step_motion(system: System, start: State, until: float, steps: int = STEPS) -> Stepped:
    """Step a model without constraints from a state to an end."""
    names, elements = list(system.coordinate_names), list_rigid(split_elements(system)[0])
    q, v = (np.array([x[name] for name in names]) for x in (start.q, start.v))
    t, h = start.t, (until - start.t) / steps
    found, jumps, f = [q], np.zeros(len(names)), None
    for k in range(steps):
        q = q + h / 2 * v
        at = State(t + (k + 0.5) * h, dict(zip(names, q, strict=True)), dict(zip(names, v, strict=True)), {},
                   start.parameters)  # fmt: skip
        f = bind(system, [at], at_rest=True, before=f)
        tree = DirectTree(system, f)
        M, force = tree.mass()[0], (tree.gravity() + tree.sum_applied_forces() - tree.inertial())[0]
        free = v + h * np.linalg.solve(M, force)
        rows = [(tree.f.value(x.normal.e)[0], *made) for x in elements
                for gap, *made in _measure(tree, x) if gap <= 0]  # fmt: skip
        after = free
        if rows:
            W = np.array([row for _, row, *_ in rows] + [T[i] for i in (0, 1) for *_, T, _ in rows])
            late = [rate - row @ v + min(e * rate, 0.0) for e, row, rate, *_ in rows]
            late += [(slip - T @ v)[i] for i in (0, 1) for *_, T, slip in rows]
            P = np.linalg.solve(M, W.T)
            impulse = _press(W @ P, W @ free + late, [mu for *_, mu, _, _ in rows])
            after = free + P @ impulse
        jumps += np.abs(after - v)
        q, v = q + h / 2 * after, after
        found.append(q)
    return Stepped(t + h * np.arange(steps + 1), np.array(found), jumps)


def _press(A: Array, b: Array, mu: Sequence[float]) -> Array:
    """Return impulses of k gaps, then of their first and second slips, by sweeps over the gaps.

    Λ ≥ 0 with A Λ + b ≥ 0, one or the other zero; in the plane no more than μ Λ, and so much only against the slip.
    """
    k, found = len(mu), np.zeros(len(b))
    for _ in range(SWEEPS if k > 1 or any(mu) else 1):
        before = found.copy()
        for i in range(k):
            found[i] = max(0.0, found[i] - (A[i] @ found + b[i]) / A[i, i])
            j = [k + i, 2 * k + i]
            if mu[i] and (size := A[j, j].sum()) > 0:
                wanted = found[j] - (A[j] @ found + b[j]) / (A[k + i, k + i] if not A[2 * k + i, 2 * k + i] else size)
                found[j] = wanted * min(1.0, mu[i] * found[i] / max(float(np.hypot(*wanted)), 1e-300))
        if np.array_equal(found, before):  # nor does any later sweep change a bit
            break
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
    raised = np.abs(table.q[table.t == begun.t] - begun.q).max(
        axis=0
    )  # what touches at the start is put onto its plane
    first = State(begun.t, dict(zip(names, begun.q, strict=True)), dict(zip(names, begun.v, strict=True)), {},
                  made.parameters)  # fmt: skip

    def compare(steps: int) -> tuple[Array, Array, Array, Array]:
        stepped = step_motion(system, first, until, steps)
        own = np.array([np.interp(table.t, stepped.t, x) for x in stepped.q.T]).T
        reach = np.maximum(np.ptp(table.q, axis=0), np.ptp(stepped.q, axis=0))
        reach = np.maximum(reach, max(reach.max(initial=0.0) * SMOOTH, AT_REST))
        room = (stepped.t[1] - stepped.t[0]) * stepped.jumps + SMOOTH * reach + 2 * raised
        return own, reach, room, np.abs(table.q - own)

    many = max(LEAST, STEPS * 3 // max(3, len(system.bodies)))
    own, reach, room, off = compare(many)
    i, j = np.unravel_index(int(np.argmax(off / room)), off.shape)
    told = Comparison(
        table.formalism, STEPPING, IMPACTS, "agrees", float(off[i, j] / reach[j]), float(room[j] / reach[j]),
        float(reach[j]), 1.0, made.states([table.found[i]])[0], (names[j],), (float(table.q[i, j]), float(own[i, j])),
        claim=CLAIM,
    )  # fmt: skip
    if room[j] > MOST * reach[j]:
        why = f"{counted(many, 'step')} may err {room[j] / reach[j]:.1%} of the range of {names[j]}"
        return replace(told, verdict="not checked", explanation=why)
    if off[i, j] <= room[j]:
        return told
    if compare(many // 2)[3].max() >= GROWS * off.max():
        why = f"{counted(many, 'step')} err {off[i, j] / reach[j]:.1%} of the range of {names[j]}, half as many more"
        return replace(told, verdict="not checked", explanation=why)
    return replace(told, verdict="disagrees", explanation=f"{names[j]} is off by more than the steps may err")
