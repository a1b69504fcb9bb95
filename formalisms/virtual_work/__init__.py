"""Virtual work: Pogorelov's direct method, which differentiates no energy.

Golomazdin & Dmitrochenko 2022, eqs. (3)-(9), after Pogorelov 1997.

Every body i has the possible displacements ``δr_i = D_i δq`` of its mass centre and
``δπ_i = B_i δq`` of its orientation (4), together ``Φ_i = [D_i; B_i]``; its accelerations are
``w_i = Φ_i q'' + W'_i``. Newton-Euler of the body, ``M_i (Φ_i q'' + W'_i) + K_i = G_i + R_i``, and the ideal
reactions ``Σ Φ_iᵀ R_i = 0`` (5) leave (9)::

    M = Σ Φ_iᵀ M_i Φ_i ,   k = Σ Φ_iᵀ (M_i W'_i + K_i) ,   Q = Σ Φ_iᵀ G_i

Rows of translations are in world axes, rows of rotations in the body's axes. Φ and W' are computed outwards along the
joints by sums and vector products; only prescribed motions are differentiated, with respect to time.

Flywheels are further bodies (:mod:`.body`); an ideal fluid adds Kirchhoff's terms (:mod:`.body`, too). Points of an
elastic body have possible displacements along its modes in addition to those of its frame (:mod:`.soft`); forces at its
nodes act on massless bodies, the sections there (:mod:`.sections`). The inertial force -a (cᵀ q'') of an armature does
the work -a (cᵀ q'') cᵀ δq. For deep machines the sums are gathered from the tips to the base (:mod:`.carried`).

Constraints are rows D δq = 0 of the possible displacements (:mod:`.constraints.rows`); reactions do no work on
displacements that every row admits.

Reactions of joints by freeing them: one more possible displacement for each direction that a joint locks.

A joint that is freed lets its body, with all bodies carried by it, be displaced along and turned about the axes of the
body's frame, at the frame's origin: six displacements that the machine does not have. Along each of them virtual work
vanishes when the reaction acts, so with columns Φ_i of the freed displacement::

    R = Σ Φ_iᵀ (M_i (Φ_i q'' + W'_i) + K_i - G_i) - Σ λ (work of the constraints' reactions for λ = 1)

the sums (9) over all bodies that it moves, in N along and in N m about the axes. Directions in which the joint moves
are freed too: there R is the effort of drives and forces. R does no work on displacements of the machine itself: (5).

With constraints, the force of a joint is R of the tree at the solved accelerations, minus the work of the constraints'
reactions on the joint's freed displacements. The latter is linear in λ; if an admissible change of λ changes a
component, that component is not determined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation, Lazy, LazySequence, Nested, Obstacle
from mbconcord.model.evaluation import ConstrainedMotion, evaluate_derivation
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.force import Point
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, ConstrainedForces, list_jointed_bodies
from mbconcord.model.kinematics import PointMotion, jacobian_of
from mbconcord.model.state import State
from mbconcord.model.system import System

from . import carried
from .body import row
from .kinematics import kinematics, to_world
from .native import indices, native, parts, stages

if TYPE_CHECKING:
    from .constraints.row import Row


from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from mbconcord.model.constraint import FrameCoincidence, PointCoincidence, Rod
from mbconcord.model.derivation import flatten
from mbconcord.model.evaluation import Array, at_states
from mbconcord.model.expressions import ONE, symbol
from mbconcord.model.functions import define
from mbconcord.model.joint_forces import cuts
from mbconcord.model.numbers import bind_states

from .body import BodyTerms, Frames, MediumTerms, place
from .carried import deep
from .kinematics import NONE, Kinematics, carrier, cross, dot, minus, plus, times, to_body

if TYPE_CHECKING:
    from .constraints.motion import Solution
    from .constraints.row import Row
    from .soft import Bent


class VirtualWork(Formalism):
    """Pogorelov's direct method."""

    name: ClassVar[str] = "virtual_work"
    title: ClassVar[str] = "Principle of virtual work (Pogorelov's direct method)"
    reference: ClassVar[str] = "Golomazdin & Dmitrochenko 2022, eqs. (3)-(9), after Pogorelov"
    takes: ClassVar[frozenset[str]] = OPEN_TREES | {
        "bushings", "torsions", "flywheels", "added_inertia", "elastic_modes", "armatures", "follower_forces",
        "mapped_motion",
    }  # fmt: skip

    def derive(self, system: System) -> Derivation:
        """Derive M, h, gravity and applied by (9); natively the quantities of :mod:`.native`, e.g. M_i*, k_i, Q_i."""
        self.require(system)
        whole = system.lump_masses()
        names, made = system.coordinate_names, cache(lambda: parts(whole, kinematics(whole)))
        inertia, acting = carried.equations(whole) if carried.deep(whole) else made().sums()
        quantities: dict[str, Nested] = {
            "M": inertia.square(names),
            "h": row([inertia.k], names),
            "gravity": row([acting.gravity], names),
            "applied": row([acting.applied], names),
        }
        named = LazySequence(lambda: tuple(stages(made().solids, made().fluids.values(), system.names)))
        objects = native(whole, made) | Lazy({JOINT_FORCES: lambda: joint_forces(system)})
        called = indices(whole) | {JOINT_FORCES: (list_jointed_bodies(system), COMPONENTS)}
        return Derivation(self.name, system, quantities, named, objects, indices=called)

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...]:
        """Derive the forces in the joints of a tree: virtual work of freed joints, balanced by reactions and drives."""
        self.require(system)
        return joint_forces(system)

    def motions(self, system: System, points: Sequence[Point]) -> tuple[PointMotion, ...]:
        """Return the motion of points, from D, B and W' of (4)."""
        self.require(system)
        frames, names = kinematics(system), system.coordinate_names
        moved = (frames[p.body].shift_to(to_world(frames[p.body].A, p.position)) for p in points)
        return tuple(PointMotion(k.A, k.r, k.v, k.omega, jacobian_of(names, k.D, k.B), k.w, k.epsilon) for k in moved)

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List the obstacles to motion with constraints: those of the open tree, and cut joints without rows here."""
        from .constraints.cut import cut_joints_refused  # not before: most models have no constraints

        return (*self.obstacles(system.open_loops()), *cut_joints_refused(system))

    def derive_closed(self, system: System) -> Derivation:
        """Derive equations of the open tree and of the constraints, with native ``D`` (m×n), ``γ̃`` (m), ``γ`` (m).

        ``M q'' + h = gravity + applied + Dᵀ λ``, ``D q'' + γ̃ = 0``; ``γ`` is D q' + γ. Identities: D = ∂γ/∂q',
        γ̃ = dγ/dt where q'' = 0.
        """
        return self._close_tree(system)[0]

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion:
        """Solve for accelerations, multipliers and reactions with the virtual displacements that constraints admit."""
        return _solve_states(*self._close_tree(system), states)

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion, Derivation]:
        """Return the constrained motion, and the derivation of the equations from which it was solved."""
        derivation, rows = self._close_tree(system, tree)
        return _solve_states(derivation, rows, states), derivation

    def constrained_forces(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> ConstrainedForces:
        """Compute forces at the cuts and in the joints: virtual work of freed joints, with reactions of the rows."""
        from .constraints.motion import row_numbers, solutions  # not before: most models have no constraints

        derivation, rows = self._close_tree(system, tree)
        numbers = evaluate_derivation(derivation, states)
        return constrained_forces(system, states, solutions(numbers, row_numbers(system, rows, states)))

    def _close_tree(self, system: System, tree: Derivation | None = None) -> tuple[Derivation, tuple[Row, ...]]:
        from .constraints.rows import constraint_rows  # not before: most models have no constraints

        self.require_constraints(system)
        rows, tree = constraint_rows(system), tree or self.derive(system.open_loops())
        closing: dict[str, Nested] = {
            "D": tuple(tuple(row.D.get(name, ZERO) for name in system.coordinate_names) for row in rows),
            "γ": tuple(row.speed for row in rows),
            "γ̃": tuple(row.rest for row in rows),
        }
        names = tuple(row.name for row in rows)
        return replace(tree, system=system, native=Lazy({}) | tree.native | closing, rows=names), rows


def _solve_states(derivation: Derivation, rows: Sequence[Row], states: Sequence[State]) -> ConstrainedMotion:
    """Evaluate the equations and the rows at states, and solve them."""
    from .constraints.motion import constrained_motion, row_numbers  # not before: most models have no constraints

    numbers = row_numbers(derivation.system, rows, states)
    return constrained_motion(evaluate_derivation(derivation, states), rows, numbers)


#: Along and about the axes of a frame: whether it turns, and which axis.
SIX = tuple((turning, axis) for turning in (False, True) for axis in range(3))
COUNT = len(SIX)


def freed_kinematics(system: System) -> dict[str | None, Kinematics]:
    """Compute the motion of every body's frame, with columns of freed joints in addition to the coordinates'."""
    moved = frozenset(list_jointed_bodies(system))
    frames: dict[str | None, Kinematics] = {None: Kinematics()}
    for body in system.bodies:
        frame = carrier(system, body, frames)
        for et in body.joint:
            frame = frame.apply_transformation(et)
        frames[body.name] = free_joint(frame, body.name) if body.name in moved else frame
    return frames


def free_joint(frame: Kinematics, name: str) -> Kinematics:
    """Return the frame with columns added for displacements along its axes and rotations about them."""
    D, B = dict(frame.D), dict(frame.B)
    for (turning, k), own in zip(SIX, displacements(name), strict=True):
        axis = frame.A[0][k], frame.A[1][k], frame.A[2][k]
        D[own], B[own] = (NONE, axis) if turning else (axis, NONE)
    return replace(frame, D=D, B=B)


def displacements(name: str) -> tuple[str, ...]:
    """Name the six displacements of a freed joint; the apostrophe rules out clashes with coordinates."""
    return tuple(f"{name}'{component}" for component in COMPONENTS)


def joint_forces(system: System, frames: Frames | None = None) -> tuple[tuple[Expression, ...], ...]:
    """Derive force (N) and moment (N m) on each moving body about its origin, in its axes, over q, q', q'', t: k×6.

    ``frames`` are the :func:`freed_kinematics` of the system, if known: masses on its elements do not change them.
    """
    whole = system.lump_masses()
    if frames is None and deep(whole):
        return carried.derive_freed_work(whole)
    made = parts(whole, frames or freed_kinematics(whole))
    works: dict[str, Expression] = {}
    names = frozenset(made.names)
    rigid: list[BodyTerms | MediumTerms] = [*made.solids, *made.fluids.values()]
    shares = (_rigid(part, names) for part in rigid), (_soft(part, names) for part in made.bent)
    for share in chain(*shares):
        for name, work in share:
            works[name] = works.get(name, ZERO) + work
    return tuple(tuple(works.get(own, ZERO) for own in displacements(name)) for name in list_jointed_bodies(system))


Share = Iterator[tuple[str, Expression]]


def _rigid(part: BodyTerms | MediumTerms, names: frozenset[str]) -> Share:
    """Yield (displacement, work) of inertia minus loads of a body, or of its fluid, for freed displacements."""
    push, twist = part.bias
    for name, d, b in part.phi:
        if name in names:
            momentum, spin = part.momenta(*(times(_second_rate(name), v) for v in (d, b)))
            push, twist = plus(push, momentum), plus(twist, spin)
    if isinstance(part, BodyTerms):
        push = minus(push, plus(part.weight, part.load[0]))
        twist = minus(twist, part.load[1])
    for name, d, b in part.phi:
        if name not in names:
            yield name, dot(d, push) + dot(b, twist)


def _soft(bent: Bent, names: frozenset[str]) -> Share:
    """Yield (displacement, work) for an elastic body; its stiffness does no work in a rigid displacement."""
    part = bent.terms
    needed = [(ONE, part.bias), (-ONE, part.weight)]
    columns = list(part.columns)
    needed += [(_second_rate(name), part.momenta(column)) for name, column in columns if name in names]
    for name, column in columns:
        if name not in names:
            yield name, sum((factor * part.work(column, forces) for factor, forces in needed), ZERO)
    for section in bent.loaded:
        for name, d, b in section.phi:
            if name not in names:
                yield name, -(dot(d, section.load[0]) + dot(b, section.load[1]))


def _second_rate(name: str) -> Expression:
    return symbol(f"{name}''")


def constrained_forces(system: System, states: Sequence[State], found: Sequence[Solution | None]) -> ConstrainedForces:
    """Compute the forces of the cuts on their second sides, and in the joints, from the solutions at the states."""
    from .constraints.rows import constraint_rows  # not before: most models have no constraints

    tree, names = system.open_loops(), system.coordinate_names
    frames = freed_kinematics(tree)
    rows = constraint_rows(system, frames)
    acceleration = np.full((len(states), len(names)), np.nan)
    for s, solution in enumerate(found):
        if solution is not None and solution.acceleration is not None:
            acceleration[s] = solution.acceleration
    places = [own for body in list_jointed_bodies(tree) for own in displacements(body)]
    borne = [_relieve_joint(row, own) for own in places for row in rows]
    by_row = {cut.name: _across(cut, rows, tree, frames) for cut in cuts(system)}
    across = [x for columns in by_row.values() for x in columns]
    numbers = _numbers([*flatten(joint_forces(tree, frames)), *borne, *across], system, states, acceleration)
    alone, loads = numbers[:, : len(places)], numbers[:, len(places) :]
    parts = loads.reshape(len(states), -1, len(rows))
    forces = np.full(parts.shape[:2], np.nan)
    for s, solution in enumerate(found):
        if solution is not None and solution.multipliers is not None:
            forces[s] = _sum_reactions(parts[s], solution.multipliers, solution.free)
    at_joints, at_cuts = forces[:, : len(places)] + alone, forces[:, len(places) :]
    return ConstrainedForces(
        acceleration, at_cuts.reshape(len(states), -1, COUNT), at_joints.reshape(len(states), -1, COUNT)
    )


def _relieve_joint(row: Row, displacement: str) -> Expression:
    """Return the effect of λ = 1 of a row on a component in a freed joint; zero unless it carries just one side."""
    carried = [on for on in row.reactions if displacement in on.frame.D]
    return -carried[0].work(displacement) if len(carried) == 1 else ZERO


def _across(
    cut: Rod | PointCoincidence | FrameCoincidence, rows: Sequence[Row], tree: System, frames: Frames
) -> list[Expression]:
    """Return the wrench of λ = 1 of each row on the second side about the cut, in its body's axes: 6×rows, flat."""
    body = frames[cut.second.body]
    if isinstance(cut, FrameCoincidence):
        at = body
        for step in cut.second.transformations:
            at = at.apply_transformation(step)
    else:
        at = place(tree, cut.second, frames)
    sixes = []
    for cut_row in rows:
        six: tuple[Expression, ...] = (ZERO,) * COUNT
        if cut_row.constraint == cut.name:
            (_, on) = cut_row.reactions
            about = plus(on.moment, cross(minus(on.frame.r, at.r), on.force))
            six = (*to_body(body.A, on.force), *to_body(body.A, about))
        sixes.append(six)
    return [x for component in zip(*sixes, strict=True) for x in component]


def _numbers(wanted: Sequence[Expression], system: System, states: Sequence[State], acceleration: Array) -> Array:
    """Evaluate expressions at N states with these accelerations (N, n); return an array (N, number of expressions)."""
    at = bind_states(system, states)
    second = {f"{name}''": column for name, column in zip(system.coordinate_names, acceleration.T, strict=True)}
    return at_states(define(wanted, system.functions), dict(at.values) | second, len(at))


def _sum_reactions(parts: Array, multipliers: Array, free: Array) -> Array:
    """Return parts (p, m) times multipliers (m,); NaN for components that undetermined λ, ``free`` (m, r), change."""
    from .constraints.motion import DEPENDENT  # not before: most models have no constraints

    sixes = np.abs(parts) @ np.abs(free)
    for first in range(0, len(sixes), COUNT):
        sixes[first : first + COUNT] = sixes[first : first + COUNT].max(axis=0)
    is_open = (np.abs(parts @ free) > DEPENDENT * sixes).any(axis=1)
    return np.asarray(np.where(is_open, np.nan, parts @ multipliers))
