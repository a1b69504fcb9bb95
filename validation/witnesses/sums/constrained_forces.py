"""Judgement of forces at cuts and in joints of closed systems: by formalisms, and by sums over the bodies.

The sums are those of trees (:mod:`.joint_forces`) with the reactions of validation's own rows among the loads. For a
formalism with joint forces of trees alone they are those of the open tree under the same reactions.

Reactions of constraints by validation's own rows, and their effect on the bodies.

A cut joint keeps six rows and coordinates of its own: massless bodies, on which all forces must balance. So the
multipliers of its six rows are the force and the moment that it transmits, found as no formalism finds them: M q'' + r
= Dᵀ λ, D q'' = -γ̃ in least squares, for all coordinates at once, with the shortest λ. Rows in units of their terms and
coordinates in √M_ii make the numbers comparable: rounding remainders are no rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import combinations

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import FrameCoincidence, PointCoincidence, Rod
from mbconcord.model.coordinate import Effort, Parameter
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import symbol
from mbconcord.model.force import JointEffort, Point, Wrench
from mbconcord.model.joint_forces import COMPONENTS, CUT_FORCES, JOINT_FORCES, cuts, list_bodies
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.assembly import Assembly

from ...judge.closed.compare import Measure, measure_closed
from ...judge.closed.rows import RowsByConstraint, frames_of, measure_lengths
from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import Comparison
from ...judge.kinematics import TreeKinematics
from ...judge.motion import Array, MotionNumbers
from ...judge.scale import line
from ...judge.tolerances import SINGULAR, USELESS, constrained_tolerance, evaluation_tolerance
from .joint_forces import (
    BODIES,
    ONE_JOINT,
    Need,
    carried_sums,
    choose_partners,
    evaluate_joint_forces,
    loads,
    name_joint,
    needs,
    select_joint,
    sums,
    takes,
    try_opening,
)

#: Singular values of the equations below this part of the largest are those of massless motions of a cut alone: those
#: of independent rows that nearly depend on each other are squares of theirs.
MASSLESS = 1e-14
#: Scales of joint forces are at least this part of the largest: times the tolerance, some forty roundings of it.
SMALLEST_PART = 0.01


@dataclass(frozen=True)
class Side:
    """Wrench of a cut on its second body per unit of the multipliers: ``force``, ``moment`` (N, 3, m), world axes.

    The wrench on the first body is the opposite one. Each acts at the body's own point of ``points``.
    """

    name: str
    bodies: tuple[str | None, str | None]
    points: tuple[MotionNumbers, MotionNumbers]
    force: Array
    moment: Array

    def needs(self, multipliers: Array) -> Iterator[Need]:
        """Yield the wrenches that balance the reactions of multipliers (N, m) on the bodies."""
        force, moment = (np.einsum("sim,sm->si", x, multipliers) for x in (self.force, self.moment))
        size = tuple(np.einsum("sm,sm->s", norms(x), np.abs(multipliers)) for x in (self.force, self.moment))
        for body, at, sign in zip(self.bodies, self.points, (1, -1), strict=True):
            if body is not None:
                yield body, at, sign * force, sign * moment, (size[0], size[1])


def norms(columns: Array) -> Array:
    """Return lengths (N, m) of columns (N, 3, m)."""
    return np.asarray(np.linalg.norm(columns, axis=1))


@dataclass(frozen=True)
class Reactions:
    """Reactions of constraints at N states, for n coordinates and m rows.

    Attributes
    ----------
    system : the closed system
    k : kinematics of the open tree with the accelerations of the solution
    measure : units, scales and condition numbers of the equations
    sides : wrenches of the cuts between bodies
    multipliers, sizes (N, m) : λ, and the largest λ that the equations allow in the worst case
    pushed (N, n) : the largest accelerations that the equations allow in the worst case
    unit (N, m) : units of the multipliers, for rows of length one
    open (N, m, r) : directions that λ leaves undetermined, in these units; surplus columns are zero
    """

    system: System
    k: TreeKinematics
    measure: Measure
    sides: tuple[Side, ...]
    multipliers: Array
    sizes: Array
    pushed: Array
    unit: Array
    open: Array


def reactions(system: System, assembly: Assembly, measure: Measure | None = None) -> Reactions:
    """Compute the reactions of a closed system at assembled states; ``measure`` is that of its equations, if known."""
    measure, made = measure or measure_closed(system, assembly), RowsByConstraint(system, assembly.extended)
    k = TreeKinematics(system.open_loops(), assembly.states)
    k.a = np.zeros_like(k.a)
    right, rows, n = -_sum_needs(k) / measure.units, made.rows, k.n
    count, m, wide = rows.D.shape
    x, z = np.zeros((count, n)), np.zeros((count, m))
    units = np.concatenate([measure.units, np.ones((count, wide - n))], axis=1)
    lengths = measure_lengths(rows.lever / units[:, None, :])
    lengths = np.where(np.isfinite(lengths), lengths, 1.0)
    D, rest = rows.D / units[:, None, :] / lengths[:, :, None], rows.rest / lengths
    free = np.zeros((count, m, m))
    for s in range(count):
        left, values, _ = np.linalg.svd(D[s])
        rank = int((values > SINGULAR).sum())
        free[s, :, : m - rank], independent = left[:, rank:], left[:, :rank]
        own = independent.T @ D[s]
        whole = np.zeros((wide + rank, wide + rank))
        whole[:n, :n], whole[:wide, wide:], whole[wide:, :wide] = measure.mass[s], -own.T, own
        sought = np.concatenate([right[s], np.zeros(wide - n), -independent.T @ rest[s]])
        found = np.linalg.lstsq(whole, sought, rcond=MASSLESS)[0]
        x[s], z[s] = found[:n], independent @ found[wide:]
    k.a = x / measure.units
    size = np.max(np.abs(np.concatenate([x, z, measure.scale[:, None]], axis=1)), axis=1)[:, None]
    return Reactions(
        system, k, measure, tuple(_sides(system, made)), z / lengths, size / lengths, size / measure.units,
        1 / lengths, free,
    )  # fmt: skip


def _sum_needs(k: TreeKinematics) -> Array:
    """Return h - gravity - applied (N, n): generalized needs of the bodies, minus efforts along coordinates."""
    found = np.zeros((k.count, k.n))
    for _, at, force, moment, _ in (*needs(k), *loads(k)):
        found += np.einsum("sij,si->sj", at.moving, force) + np.einsum("sij,si->sj", at.turning, moment)
    efforts = [(c.name, c.drive.value) for c in k.system.coordinates if isinstance(c.drive, Effort)]
    efforts += [(f.coordinate, f.expression()) for f in k.system.forces if isinstance(f, JointEffort)]
    for (name, _), value in zip(efforts, k.scalars(e for _, e in efforts), strict=True):
        found[:, k.system.coordinate_names.index(name)] -= value
    return found


def _sides(system: System, made: RowsByConstraint) -> Iterator[Side]:
    k, m = made.k, len(made.names)
    for cut in cuts(system):
        first = made.names.index(cut.name)
        force, moment = np.zeros((k.count, 3, m)), np.zeros((k.count, 3, m))
        if isinstance(cut, FrameCoincidence):
            names = frames_of(cut)
            points = k.frame(names[0]), k.frame(names[1])
            for i in range(3):
                force[:, i, first + i] = moment[:, i, first + 3 + i] = -1.0
        else:
            points = k.point(cut.first), k.point(cut.second)
            if isinstance(cut, Rod):
                force[:, :, first] = line(*points)[2]
            elif isinstance(cut, PointCoincidence):
                for i in range(3):
                    force[:, i, first + i] = -1.0
        yield Side(cut.name, (cut.first.body, cut.second.body), points, force, moment)


def with_largest_accelerations(found: Reactions) -> TreeKinematics:
    """Return the kinematics with accelerations as large as the equations allow in the worst case, for scales."""
    k = copy(found.k)
    k.a = found.pushed
    return k


@dataclass(frozen=True)
class Witnessed:
    """Forces at cuts (N, 6 c) and in joints (N, 6 k) by witness, NaN if undetermined, with pairwise comparisons.

    ``sizes`` (N, 6 k) are the largest terms of those in joints, reactions among them; None without sums.
    """

    at_cuts: Mapping[str, Array]
    at_joints: Mapping[str, Array]
    comparisons: tuple[Comparison, ...]
    sizes: Array | None = None


def compare_constrained_forces(
    system: System, assembly: Assembly, asked: Sequence[Formalism],
    trees: Mapping[str, Derivation] | None = None, measure: Measure | None = None, opened: str | None = None,
) -> Witnessed:  # fmt: skip
    """Compare formalisms' forces of a closed system at assembled states with the sums over the bodies.

    ``trees`` are existing derivations of its open tree, by name; ``measure`` is that of the system at these states, if
    known. ``opened`` is the body whose joint alone, and no cut, the first formalism without native forces opens that
    gives some (:data:`ONE_JOINT`); None: each opens all.
    """
    states, known, bodies = assembly.states, trees or {}, list_bodies(system)
    summed = takes(system.open_loops())
    at_cuts: dict[str, Array] = {}
    at_joints: dict[str, Array] = {}
    few: dict[str, Array] = {}
    failed: list[Comparison] = []
    only = {f.name: [opened] for f in asked if opened and not f.bears}
    for f in asked:
        if f.constraint_obstacles(system) or (f.name in only and (few or not summed)):
            continue
        ask = partial(f.forces_with_constraints, system, states, known.get(f.name), only.get(f.name))
        found, failure = try_opening(f, ask)
        failed += failure
        if found is not None:
            (few if f.name in only else at_joints)[f.name] = found.at_joints.reshape(len(states), -1)
        if found is not None and f.name not in only:
            at_cuts[f.name] = found.at_cuts.reshape(len(states), -1)
    one = partial(select_joint, bodies, opened or "")
    if not summed:
        return Witnessed(at_cuts, at_joints, tuple(failed))
    own = reactions(system, assembly, measure)
    unknown, sizes = _open(own), _sizes(own)
    of_trees = [f for f in asked if f.name not in {*at_joints, *few, *(c.a for c in failed)}]
    if of_trees:
        k = TreeKinematics(*_load_tree(own))
        for f in of_trees:
            if f.name in only and few:
                continue
            these, scale = (only[f.name], one(sizes[1])) if f.name in only else (bodies, sizes[1])
            x, failure = try_opening(f, partial(evaluate_joint_forces, f, k, these, scale, whole=not opened))
            failed += failure
            if x is not None and f.name in only:
                few[f.name] = np.where(one(unknown[1]), np.nan, x)
            elif x is not None:
                at_joints[f.name] = np.where(unknown[1], np.nan, x)
    at_cuts[BODIES] = np.where(unknown[0], np.nan, _cuts(own, own.multipliers))
    at_joints[BODIES] = np.where(unknown[1], np.nan, _sums(own))
    judge = partial(_judge, own=own)
    labels = [f"{cut.name} {c}" for cut in cuts(system) for c in COMPONENTS]
    joints_of = {body: [f"{body} {c}" for c in COMPONENTS] for body in bodies}
    every = [label for six in joints_of.values() for label in six]
    told = ((CUT_FORCES, at_cuts, sizes[0], labels), (JOINT_FORCES, at_joints, sizes[1], every))
    compared = [judge(a, b, what, by, size, of) for what, by, size, of in told for a, b in combinations(by, 2)]
    if few and opened:
        sixes = {**few, **{name: one(values) for name, values in choose_partners(at_joints).items()}}
        pairs = (pair for pair in combinations(sixes, 2) if pair[0] in few)
        judged = (judge(a, b, ONE_JOINT, sixes, one(sizes[1]), joints_of[opened]) for a, b in pairs)
        compared += (name_joint(c, opened) for c in judged)
    return Witnessed(at_cuts, at_joints, (*failed, *compared), sizes[1])


def _judge(
    a: str, b: str, quantity: str, by: Mapping[str, Array], size: Array, names: Sequence[str], own: Reactions
) -> Comparison:
    """Compare two witnesses' determined forces, at states with a clear rank and inertia of all moving parts."""
    cond = own.measure.cond
    tolerance = np.array([max(evaluation_tolerance(), constrained_tolerance(c)) for c in cond])
    moving = tolerance < USELESS
    clear = own.measure.clear & own.measure.regular & moving
    x, y = (np.where(clear[:, None], by[name], np.nan) for name in (a, b))
    kept = np.asarray((np.isfinite(x) | np.isfinite(y)).any(axis=0))
    if not kept.any():
        near = "every state is close to a singular position"
        why = "not determined" if clear.any() else near if moving.any() else "what moves has no inertia, or hardly any"
        return Comparison(a, b, quantity, "not checked", explanation=why if names else "there are none")
    chosen = [name for name, keep in zip(names, kept, strict=True) if keep]
    difference = ArrayDifference(x[:, kept], y[:, kept], size[:, kept], tolerance, cond)
    return worst(a, b, quantity, difference, own.k.states, chosen)


def _cuts(own: Reactions, multipliers: Array) -> Array:
    """Compute the wrenches of multipliers on the second sides of the cuts, in their bodies' axes (N, 6 c)."""
    found = [np.zeros((own.k.count, 0))]
    for side in own.sides:
        axes = own.k.frame(side.bodies[1]).rotation
        for part in (side.force, side.moment):
            found.append(np.einsum("sji,sj->si", axes, np.einsum("sim,sm->si", part, multipliers)))
    return np.concatenate(found, axis=1)


def _reacting(own: Reactions, multipliers: Array) -> tuple[Array, Array]:
    """Return the joint forces that balance the reactions of multipliers alone (N, 6 k), and their sizes."""
    return carried_sums(own.k, (need for side in own.sides for need in side.needs(multipliers)))


def _sums(own: Reactions) -> Array:
    alone, _ = sums(own.k)
    return alone + _reacting(own, own.multipliers)[0]


def _sizes(own: Reactions) -> tuple[Array, Array]:
    """Return scales of the forces at the cuts and in the joints: the largest terms of the equations."""
    _, size = sums(with_largest_accelerations(own))
    at_cuts = _cut_sizes(own, own.sizes).reshape(own.k.count, -1, 2, 3)
    for i, side in enumerate(own.sides):  # a rod's end bears no moment but that of rounding, by the force's own arms
        at_cuts[:, i, 1] += at_cuts[:, i, 0] * side.points[1].path[:, None]
    return at_cuts.reshape(own.k.count, -1), raise_sizes(size + _reacting(own, own.sizes)[1])


def raise_sizes(sizes: Array) -> Array:
    """Return scales (N, 6 k) of at least a part of the largest: solving for all forces at once rounds each like it."""
    six = sizes.reshape(len(sizes), -1, 2, 3)
    found: Array = np.maximum(six, SMALLEST_PART * six.max(axis=(1, 3), keepdims=True, initial=0.0))
    return found.reshape(sizes.shape)


def _cut_sizes(own: Reactions, multipliers: Array) -> Array:
    """Sum absolute values of the wrenches of multipliers on the second sides of the cuts (N, 6 c)."""
    found = [np.zeros((own.k.count, 0))]
    for side in own.sides:
        for part in (side.force, side.moment):
            size = np.einsum("sm,sm->s", norms(part), np.abs(multipliers))
            found.append(np.repeat(size[:, None], 3, axis=1))
    return np.concatenate(found, axis=1)


def _open(own: Reactions) -> tuple[Array, Array]:
    """Return True for components that the equations leave undetermined, at cuts (N, 6 c) and in joints (N, 6 k)."""
    limits = _cut_sizes(own, own.unit), _reacting(own, own.unit)[1]
    found = tuple(np.zeros(limit.shape, dtype=bool) for limit in limits)
    for r in range(own.open.shape[2]):
        free = own.open[:, :, r] * own.unit
        for is_open, part, limit in zip(found, (_cuts(own, free), _reacting(own, free)[0]), limits, strict=True):
            is_open |= np.abs(part) > SINGULAR * limit
    return found[0], found[1]


def _load_tree(own: Reactions) -> tuple[System, list[State]]:
    """Return the open tree with a wrench on each body at a cut, and states with its components as parameters."""
    tree, k = own.k.system, own.k
    stem = "reaction"
    while any(name.startswith(stem) for name in (*tree.names, *(f.name for f in tree.forces))):
        stem += "_"
    values: dict[str, Array] = {}
    wrenches, needed = [], [need for side in own.sides for need in side.needs(own.multipliers)]
    for i, body in enumerate(body for body in tree.bodies if any(body.name in side.bodies for side in own.sides)):
        frame, six = k.frame(body.name), np.zeros((k.count, 6))
        for name, at, force, moment, _ in needed:
            if name == body.name:
                six[:, :3] -= force
                about = moment + np.cross(at.position - frame.position, force)
                six[:, 3:] -= np.einsum("sji,sj->si", frame.rotation, about)
        names = [f"{stem}{i}{c}" for c in COMPONENTS]
        values |= dict(zip(names, six.T, strict=True))
        parts = [symbol(name) for name in names]
        wrenches.append(Wrench(f"{stem}{i}", Point(body.name), tuple(parts[:3]), tuple(parts[3:])))  # type: ignore[arg-type]
    parameters = (*tree.parameters, *map(Parameter, values))
    states = []
    for s, state in enumerate(k.states):
        own_values = {name: float(x[s]) for name, x in values.items()}
        a = dict(zip(tree.coordinate_names, map(float, k.a[s]), strict=True))
        states.append(replace(state, a=a, parameters={**state.parameters, **own_values}))
    return replace(tree, parameters=parameters, forces=(*tree.forces, *wrenches)), states
