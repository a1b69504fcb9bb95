"""Linear and angular momentum along a motion, where they are conserved.

A rigid motion of the whole system, a twist ξ = (v, ω) about the origin in fixed axes, is admitted if some δq moves
every body with mass by it. If no weight, force or constraint has power along that δq, the momentum p·v + L·ω is
conserved (Noether): p = Σ m ṙ, L = Σ r × m ṙ + I ω. Such twists are found at states of the motion itself, by
validation's own kinematics and forces, as the null space of these conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.model.contact import list_rigid, split_elements
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import assemble_at
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.rows import constraint_rows as simulated_rows

from ...judge.closed.rows import RowsByConstraint
from ...judge.evidence import Comparison
from ...judge.kinematics import TreeKinematics, takes
from ...judge.motion import Array
from ...judge.tolerances import ADMITTED
from ...witnesses.direct.tree import direct, obstacles
from ...witnesses.motion import FormalismRun, Moved, join_starts
from ..claim import not_checked

CLAIM = "momentum"
QUANTITY = "momentum"
NAMES: Final = ("Px", "Py", "Pz", "Lx", "Ly", "Lz")
#: Rows at which twists are looked for, and at which sizes are taken.
LOOKED_AT, MEASURED_AT = 12, 5
#: Distance of two states whose momenta give a slope.
STEP: Final = 1e-6


def claim(starts: Sequence[Moved]) -> Iterator[Comparison]:
    """Check for every formalism each conserved momentum against its value at the start."""
    system = starts[0].system
    reason = _unknown(system)
    if not reason:
        twists = find_conserved_twists(starts)
        reason = "" if len(twists) else "joints to the ground, weights or forces act along every motion of the whole"
    if reason:
        yield not_checked("motion", QUANTITY, reason)
        return
    labels = tuple(map(name_twist, twists))
    for name in starts[0].runs:
        parts = []
        for moved in starts:
            run = moved.runs[name]
            states = moved.states(run)
            values = momenta(system, states) @ twists.T
            begun = np.broadcast_to(values[:1], values.shape)
            size = np.broadcast_to(_sizes(moved, run, twists), values.shape)
            parts.append((values, begun, size, moved.tolerances(run, growing=False), states))
        yield join_starts(name, "start", QUANTITY, CLAIM, parts, labels)


def _unknown(system: System) -> str:
    """Return the reason why validation cannot compute the model's momentum; empty if it can."""
    tree = system.open_loops()
    if list_rigid(split_elements(system)[0]):
        return "rigid elements press by no formula"
    if any(body.modes for body in tree.bodies):
        return "elastic bodies: their momentum is not summed here"
    if any(body.added_inertia for body in tree.bodies):
        return "a fluid takes part of the momentum"
    if not takes(tree) or obstacles(tree):
        return "validation's own kinematics do not take the model"
    return ""


def find_conserved_twists(starts: Sequence[Moved]) -> Array:
    """Find twists (k, 6), v then ω, along which momentum is conserved; the largest component of each is 1."""
    system = starts[0].system
    states = [s for moved in starts for s in _some(moved.states(next(iter(moved.runs.values()))), LOOKED_AT)]
    tree = system.open_loops()
    k = TreeKinematics(tree, states)
    length = _reach(k)
    scaled = np.diag([1.0, 1.0, 1.0, *[1.0 / length] * 3])
    forces = direct(tree, states).quantities
    resisted = _constraint_rows(system, states)
    needs = []
    for s in range(k.count):
        J, A = _field(k, s, length)
        A = A @ scaled
        found, *_ = np.linalg.lstsq(J, A, rcond=1e-12)
        needs.append(J @ found - A)
        Q = forces["gravity"][s] + forces["applied"][s]
        made = np.abs(forces["gravity"][s]) + np.abs(forces["applied"][s])
        size = float((made[:, None] * np.abs(found)).max(initial=0.0))
        needs.append((Q @ found / size if size > 0 else np.zeros(6))[None])
        needs.append(resisted[s] @ found)
    _, sizes, right = np.linalg.svd(np.concatenate(needs))
    free = right[
        np.concatenate([sizes, np.zeros(6 - len(sizes))]) <= ADMITTED * max(1.0, float(sizes.max(initial=0.0)))
    ]
    return _simple(free @ scaled)


def _field(k: TreeKinematics, s: int, length: float) -> tuple[Array, Array]:
    """Map coordinates (r, n) and twists (r, 6) to velocities of all bodies with mass."""
    J, A = [], []
    for body in k.rigid_bodies:
        (m,) = k.scalars([body.inertia.mass])
        tensor = k.tensor(body)[s]
        at = k.centre(body)
        if m[s]:
            x, y, z = at.position[s]
            J.append(at.moving[s])
            A.append(np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]]))
        if tensor.any():
            J.append(at.turning[s] * length)
            A.append(np.hstack([np.zeros((3, 3)), np.eye(3) * length]))
    if not J:
        return np.zeros((6, k.n)), np.eye(6)
    return np.concatenate(J), np.concatenate(A)


def _constraint_rows(system: System, states: Sequence[State]) -> list[Array]:
    """Return rows (m, n) of constraints and imposed accelerations at each state, each of norm 1."""
    rows = simulated_rows(system)
    extended = (
        assemble_at(RowsAtStates(rows, system, states), states, held=True).extended if rows.rows else tuple(states)
    )
    n, found = len(system.coordinates), RowsByConstraint(system, extended).rows.D
    made = []
    for D in found:
        own, other = D[:, :n], D[:, n:]
        if other.shape[1]:
            left, sizes, _ = np.linalg.svd(other)
            rank = int((sizes > 1e-9 * max(1.0, float(sizes.max(initial=0.0)))).sum())
            own = left[:, rank:].T @ own
        lengths = np.linalg.norm(own, axis=1)
        sound = lengths > 1e-9 * max(1.0, float(lengths.max(initial=0.0)))
        made.append(own[sound] / lengths[sound][:, None])
    return made


def _simple(twists: Array) -> Array:
    """Return twists that span the same space and have as many zeros as possible."""
    found = twists.copy()
    for i in range(len(found)):
        j = int(np.argmax(np.abs(found[i:]).max(axis=0) > 1e-6 * np.abs(found[i:]).max()))
        p = i + int(np.argmax(np.abs(found[i:, j])))
        found[[i, p]] = found[[p, i]]
        found[i] = found[i] / found[i, j]
        for other in range(len(found)):
            if other != i:
                found[other] = found[other] - found[other, j] * found[i]
    found = np.where(np.abs(found) > 1e-9, found, 0.0)
    return found / np.abs(found).max(axis=1, initial=0.0, keepdims=True) if len(found) else found


def name_twist(twist: Array) -> str:
    """Name a twist: ``Lz``, or ``Lz - 0.5 Px`` for an axis that misses the origin."""
    first, *others = sorted((i for i in range(6) if twist[i]), key=lambda i: -abs(twist[i]))
    sign = "-" if twist[first] < 0 else ""
    return (
        sign + NAMES[first] + "".join(f" {'-' if twist[i] < 0 else '+'} {abs(twist[i]):.4g} {NAMES[i]}" for i in others)
    )


def momenta(system: System, states: Sequence[State]) -> Array:
    """Compute p and L about the origin (K, 6), N s and N m s, by validation's own kinematics, with flywheels."""
    k = TreeKinematics(system.open_loops(), states)
    p, L = np.zeros((k.count, 3)), np.zeros((k.count, 3))
    for body in k.rigid_bodies:
        (m,) = k.scalars([body.inertia.mass])
        at = k.centre(body)
        own = m[:, None] * at.velocity
        p += own
        L += np.cross(at.position, own) + np.einsum("sij,sj->si", k.tensor(body), at.spin)
    return np.hstack([p, L])


def _sizes(moved: Moved, run: FormalismRun, twists: Array) -> Array:
    """Compute Σ |∂c/∂y_i| (1 + |y_i|) of each momentum c (k,), the largest along the motion."""
    names, states = moved.system.coordinate_names, _some(moved.states(run), MEASURED_AT)
    total = np.zeros((len(states), len(twists)))
    for name in names:
        for group in ("q", "v"):
            ends = []
            for sign in (1, -1):
                there = [_shift(s, group, name, sign * STEP) for s in states]
                ends.append(momenta(moved.system, there) @ twists.T)
            total += np.abs(ends[0] - ends[1]) / (2 * STEP)
    return np.asarray(total.max(axis=0) + np.abs(momenta(moved.system, states) @ twists.T).max(axis=0))


def _shift(state: State, group: str, name: str, by: float) -> State:
    """Change a coordinate or rate of a state by ``by`` times 1 + its size."""
    values = dict(state.q if group == "q" else state.v)
    values[name] += by * (1 + abs(values[name]))
    return replace(state, q=values) if group == "q" else replace(state, v=values)


def _some(states: Sequence[State], count: int) -> list[State]:
    """Select ``count`` states, evenly spaced."""
    return [states[i] for i in sorted({round(x) for x in np.linspace(0, len(states) - 1, count)})]


def _reach(k: TreeKinematics) -> float:
    """Return the largest distance of a body from the origin (m); 1 if all are at the origin."""
    far = [float(np.abs(k.centre(body).position).max()) for body in k.rigid_bodies]
    return max(far, default=0.0) or 1.0
