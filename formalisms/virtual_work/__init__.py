"""Virtual work: Pogorelov's direct method, which differentiates no energy.

Golomazdin & Dmitrochenko 2022, eqs. (3)-(9), after Pogorelov 1997.

Every body i has the possible displacements ``δr_i = D_i δq`` of its mass centre and
``δπ_i = B_i δq`` of its orientation (4), together ``Φ_i = [D_i; B_i]``; its accelerations are
``w_i = Φ_i q'' + W'_i``. Newton-Euler of the body, ``M_i (Φ_i q'' + W'_i) + K_i = G_i + R_i``, and the ideal
reactions ``Σ Φ_iᵀ R_i = 0`` (5) leave (9)::

    M = Σ Φ_iᵀ M_i Φ_i ,   k = Σ Φ_iᵀ (M_i W'_i + K_i) ,   Q = Σ Φ_iᵀ G_i

Rows of translations are in world axes, rows of rotations in the body's axes. Φ and W' are computed outwards along the
joints by sums and vector products; only prescribed motions are differentiated, with respect to time.

Flywheels are further bodies (:mod:`.body`); an ideal fluid adds Kirchhoff's terms (:mod:`.medium`). Points of an
elastic body have possible displacements along its modes in addition to those of its frame (:mod:`.soft`); forces at its
nodes act on massless bodies, the sections there (:mod:`.sections`). The inertial force -a (cᵀ q'') of an armature does
the work -a (cᵀ q'') cᵀ δq. For deep machines the sums are gathered from the tips to the base (:mod:`.carried`).

Constraints are rows D δq = 0 of the possible displacements (:mod:`.constraints.rows`); reactions do no work on
displacements that every row admits.
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
from .freed import constrained_forces, joint_forces
from .native import indices, native, parts
from .sections import kinematics
from .stages import stages
from .vectors import to_world

if TYPE_CHECKING:
    from .constraints.row import Row


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
