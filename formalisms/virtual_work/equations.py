"""Pogorelov's direct method: the equations of motion from the principle of virtual work.

Golomazdin & Dmitrochenko 2022, eqs. (3)-(9), after Pogorelov 1997.

Every body i has the possible displacements ``δr_i = D_i δq`` of its mass centre and
``δπ_i = B_i δq`` of its orientation (4), together ``Φ_i = [D_i; B_i]``; its accelerations are
``w_i = Φ_i q'' + W'_i``. Newton-Euler of the body, ``M_i (Φ_i q'' + W'_i) + K_i = G_i + R_i``, and the ideal
reactions ``Σ Φ_iᵀ R_i = 0`` (5) leave (9)::

    M = Σ Φ_iᵀ M_i Φ_i ,   k = Σ Φ_iᵀ (M_i W'_i + K_i) ,   Q = Σ Φ_iᵀ G_i

Rows of translations are in world axes, rows of rotations in the body's axes. Φ and W' grow outwards along the
joints by sums and vector products; nothing is differentiated but prescribed motions with respect to time.

Flywheels are further bodies (:mod:`.body`); an ideal fluid adds Kirchhoff's terms (:mod:`.medium`). Points of an
elastic body have possible displacements along its modes beside those of its frame (:mod:`.soft`); what acts at its
nodes acts on bodies without mass, the sections there (:mod:`.sections`). The inertial force -a (cᵀ q'') of an armature
does the work -a (cᵀ q'') cᵀ δq. Of deep machines the sums are gathered from the tips to the base (:mod:`.carried`).

Constraints are rows D δq = 0 of the possible displacements (:mod:`.constraints.rows`); reactions do no work on those
that every row admits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import ClassVar

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation, Nested, Obstacle
from mbconcord.model.evaluation import ConstrainedMotion, evaluate_derivation
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, ConstrainedForces, jointed
from mbconcord.model.lazy import Lazy, LazySequence
from mbconcord.model.state import State
from mbconcord.model.system import System

from . import carried
from .constraints.cut import cut_joints_refused
from .constraints.forces import constrained_forces
from .constraints.motion import constrained_motion, solutions
from .constraints.numbers import row_numbers
from .constraints.row import Row
from .constraints.rows import constraint_rows
from .freed import joint_forces
from .native import indices, native
from .parts import parts
from .sections import kinematics
from .stages import stages
from .sums import row


class VirtualWork(Formalism):
    """Pogorelov's direct method."""

    name: ClassVar[str] = "virtual_work"
    title: ClassVar[str] = "Principle of virtual work (Pogorelov's direct method)"
    reference: ClassVar[str] = "Golomazdin & Dmitrochenko 2022, eqs. (3)-(9), after Pogorelov"
    takes: ClassVar[frozenset[str]] = OPEN_TREES | {
        "bushings", "torsions", "flywheels", "added_inertia", "elastic_modes", "armatures",
    }  # fmt: skip

    def derive(self, system: System) -> Derivation:
        """M, h, gravity and applied by (9); natively what :mod:`.native` names, M_i*, k_i and Q_i among it."""
        self.require(system)
        whole = system.lumped()
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
        called = indices(whole) | {JOINT_FORCES: (jointed(system), COMPONENTS)}
        return Derivation(self.name, system, quantities, named, objects, indices=called)

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...]:
        """Forces in the joints of a tree: what virtual work of freed joints leaves to reactions and drives."""
        self.require(system)
        return joint_forces(system)

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """Why it gives no motion with the constraints: the open tree's obstacles, and cut joints of other kinds."""
        return (*self.obstacles(system.opened()), *cut_joints_refused(system))

    def derive_closed(self, system: System) -> Derivation:
        """The open tree's equations with the constraints beside them, natively: ``D`` (m×n), ``γ̃`` (m), ``γ``.

        ``M q'' + h = gravity + applied + Dᵀ λ``, ``D q'' + γ̃ = 0``; ``γ`` is D q' + γ. Identities: D = ∂γ/∂q',
        γ̃ = dγ/dt where q'' = 0.
        """
        return self._closed(system)[0]

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion:
        """Accelerations, multipliers and reactions: virtual displacements are those that the constraints admit."""
        return _solved(*self._closed(system), states)

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion, Derivation]:
        """The motion, and the equations that it solves."""
        derivation, rows = self._closed(system, tree)
        return _solved(derivation, rows, states), derivation

    def constrained_forces(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> ConstrainedForces:
        """Forces at the cuts and in the joints: virtual work of freed joints, reactions of the rows among it."""
        derivation, rows = self._closed(system, tree)
        numbers = evaluate_derivation(derivation, states)
        return constrained_forces(system, states, solutions(numbers, row_numbers(system, rows, states)))

    def _closed(self, system: System, tree: Derivation | None = None) -> tuple[Derivation, tuple[Row, ...]]:
        self.require_constraints(system)
        rows, tree = constraint_rows(system), tree or self.derive(system.opened())
        closing: dict[str, Nested] = {
            "D": tuple(tuple(row.D.get(name, ZERO) for name in system.coordinate_names) for row in rows),
            "γ": tuple(row.speed for row in rows),
            "γ̃": tuple(row.rest for row in rows),
        }
        names = tuple(row.name for row in rows)
        return replace(tree, system=system, native=Lazy({}) | tree.native | closing, rows=names), rows


def _solved(derivation: Derivation, rows: Sequence[Row], states: Sequence[State]) -> ConstrainedMotion:
    """Numbers of the equations and of the rows at states, and their solutions."""
    numbers = row_numbers(derivation.system, rows, states)
    return constrained_motion(evaluate_derivation(derivation, states), rows, numbers)
