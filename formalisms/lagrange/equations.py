"""Lagrange's equations of the second kind: Golomazdin & Dmitrochenko 2022, eqs. (1) and (15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import FrameCoincidence, State, System
from mbconcord.model.derivation import Derivation, Nested, Obstacle
from mbconcord.model.evaluation import ConstrainedMotion, at_states, evaluate_derivation
from mbconcord.model.expressions import (
    HALF,
    ONE,
    TIME,
    ZERO,
    Expression,
    directional,
    gradient,
    jacobian,
    rate,
    symbol,
)
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.functions import define
from mbconcord.model.instance import bound
from mbconcord.model.lazy import LazySequence

from . import cut_joint, elastic, joined, multipliers
from .closure import Closure, closure
from .energies import fluid, kinetic, kinetic_slopes, potential, rotor_energy
from .forces import applied_forces
from .kinematics import dot
from .parts import moving_parts
from .paths import frames
from .stages import stages


class Lagrange(Formalism):
    """d/dt ∂T/∂q' - ∂T/∂q = -∂Π/∂q + Q, differentiated on the graph and never expanded.

    With p = ∂T/∂q' the equations split as eq. (15) does: M = ∂p/∂q', and h = dp/dt - ∂T/∂q where q'' = 0.
    T depends on q and q' through velocities alone, so one backward sweep gives p and ∂T/∂q together; one
    forward sweep each gives M and dp/dt. Of deep machines M is that of bodies joined (:mod:`.joined`).

    A flywheel is one more rigid body in T and Π, its turn ψ(t) a known function of time as in eq. (11); an
    ideal fluid at rest far away adds ½ VᵀΛV to T, V = (velocity of the origin; ω) in body axes, and no weight
    (Kirchhoff; Lamb, Hydrodynamics, 1932, art. 118). An armature adds ½ a (cᵀq')².
    """

    name = "lagrange"
    title = "Lagrange's equations of the second kind"
    reference = "Golomazdin & Dmitrochenko 2022, eqs. (1)-(2), (10)-(15)"
    takes = OPEN_TREES | {"bushings", "torsions", "flywheels", "added_inertia", "elastic_modes", "armatures"}

    def derive(self, system: System) -> Derivation:
        """Equations of motion; natively T, Π, L, and ``r``, the origins of the bodies' frames (12) in world axes (m).

        Identities: T = ½ q'ᵀ M q' without prescribed motion and flywheels; p is the gradient of T by q';
        gravity = -∂Π/∂q.
        """
        self.require(system)
        given, system = system, system.lumped()
        q = [symbol(name) for name in system.coordinate_names]
        v = [rate(name) for name in system.coordinate_names]
        of_body = frames(system.bodies)
        parts = moving_parts(system.bodies, of_body)
        soft = [part for part in parts if part.modes]
        heavy = [part for part in parts if not part.inertia.is_zero and not part.modes]
        kinetics = {part.label: kinetic(part.frame, part.inertia) for part in heavy}
        fluids = {part.label: fluid(part.frame, part.medium) for part in parts if part.medium}
        potentials = {p.label: potential(p.frame, p.inertia, system.gravity_vector) for p in heavy}
        g = system.gravity_vector
        bent = {p.label: elastic.energy(p.frame, p.inertia, p.modes) for p in soft if p.modes}
        potentials |= {p.label: elastic.weight(p.frame, p.inertia, p.modes, g) for p in soft if p.modes}
        T = sum((own.energy for own in (*kinetics.values(), *fluids.values())), ZERO)
        T = sum((HALF * p.inertia.mass * dot(p.frame.u, p.frame.u) + bent[p.label] for p in soft), T)
        rotors = [rotor_energy(armature) for armature in system.armatures]
        T = sum(rotors, T)
        Π = sum(potentials.values(), ZERO)

        slopes = kinetic_slopes(parts, (kinetics, fluids), [*v, *q], (*bent.values(), *rotors))
        p, slopes = slopes[: len(v)], slopes[len(v) :]
        M = joined.mass_matrix(system, of_body) if joined.deep(system) else mass_matrix(system, p, v)
        p_rate = directional(p, {TIME: ONE, **dict(zip(q, v, strict=True))})
        h = tuple(a - b for a, b in zip(p_rate, slopes, strict=True))
        gravity = tuple(-slope for slope in gradient(Π, q))
        applied, forces = applied_forces(system, of_body)

        momenta = tuple(zip(system.coordinate_names, p, strict=True))
        bodies = tuple(body.name for body in system.bodies)
        return Derivation(
            self.name,
            given,
            {"M": M, "h": h, "gravity": gravity, "applied": applied},
            LazySequence(lambda: stages(parts, kinetics, fluids, potentials, momenta, forces, system.names)),
            {"T": T, "Π": Π, "L": T - Π, "r": tuple(of_body[name].r for name in bodies)},
            indices={"r": (bodies, ("x", "y", "z"))},
        )

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """Why it does not solve a system with constraints: the open tree's obstacles, and cut joints' own."""
        cuts = (c for c in system.constraints if isinstance(c, FrameCoincidence))
        found = (o for c in cuts for o in cut_joint.obstacle(c))
        return (*self.obstacles(system.opened()), *found)

    def derive_closed(self, system: System) -> Derivation:
        """The open tree's equations with the constraints beside them, natively: ``D`` (m×n), ``γ̃`` (m), ``γ``.

        M q'' + h = gravity + applied + Dᵀ λ, D q'' + γ̃ = 0: d/dt ∂T/∂q' - ∂T/∂q = Q + Σ λ_k ∂f_k/∂q
        is eq. (1) with multipliers (Lagrange, Mécanique analytique, part 2, section IV).
        ``γ`` is D q' + γ, the time derivative of f. Identity: D = ∂f/∂q.
        """
        return self._closed(system)[0]

    def _closed(self, system: System, tree: Derivation | None = None) -> tuple[Derivation, Closure]:
        self.require_constraints(system)
        tree, found = tree or self.derive(system.opened()), closure(system)
        closing: dict[str, Nested] = {
            "D": found.D,
            "γ": tuple(row.speed for row in found.rows),
            "γ̃": found.rest,
        }
        names = tuple(row.name for row in found.rows)
        return replace(tree, system=system, native={**tree.native, **closing}, rows=names), found

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion:
        """Accelerations, multipliers and reactions of a system with constraints, eq. (1) with multipliers."""
        return _solved(*self._closed(system), states)

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion, Derivation]:
        """The motion, and the equations that it solves."""
        derivation, found = self._closed(system, tree)
        return _solved(derivation, found, states), derivation


def _solved(derivation: Derivation, found: Closure, states: Sequence[State]) -> ConstrainedMotion:
    """Numbers of the equations and of the rows at states, and their solutions."""
    system = derivation.system
    states = bound(system, states)
    tree, count = evaluate_derivation(derivation, states), len(states)
    m, names = len(found.rows), system.coordinate_names
    columns = (
        [x for row in found.D for x in row],
        found.rest,
        [row.speed for row in found.rows],
        [row.position if row.position is not None else ZERO for row in found.rows],
        [row.facing for row in found.rows],
        [rate(name) for name in names],
    )
    D, rest, speed, position, facing, rates = (
        at_states(define(column, system.functions), states.values, count) for column in columns
    )
    numbers = multipliers.Numbers(D.reshape(count, m, len(names)), rest, speed, position, facing)
    return multipliers.constrained_motion(tree, found.rows, numbers, rates)


def mass_matrix(
    system: System, p: Sequence[Expression], v: Sequence[Expression]
) -> tuple[tuple[Expression, ...], ...]:
    """M = ∂p/∂q', of eq. (15).

    Of the two equal elements the one is taken whose momentum belongs to the outer coordinate: it is made of
    the bodies that both coordinates move, and of nothing between them and the fixed frame.
    """
    rows = jacobian(p, v)
    outward = [name for body in system.bodies for name in (*body.coordinates, *body.modal)]
    place = {name: k for k, name in enumerate(outward)}
    places = [place[name] for name in system.coordinate_names]
    n = len(places)
    return tuple(
        tuple(rows[i][j] if places[i] >= places[j] else rows[j][i] for j in range(n)) for i in range(n)
    )
