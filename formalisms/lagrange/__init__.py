"""Lagrange's equations of the second kind: Golomazdin & Dmitrochenko 2022, eqs. (1) and (15).

Kinetic and potential energy of bodies, flywheels and surrounding fluid, and their derivatives.

Golomazdin & Dmitrochenko 2022, eq. (14); the fluid is Kirchhoff's: Lamb 1932, art. 118, 121.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import FrameCoincidence, Point, State, System
from mbconcord.model.derivation import Derivation, LazySequence, Nested, Obstacle, Stage
from mbconcord.model.evaluation import ConstrainedMotion, at_states, evaluate_derivation
from mbconcord.model.expressions import HALF, ONE, TIME, ZERO, Expression, directional, gradient, jacobian, rate, symbol
from mbconcord.model.expressions.calculus import made_of
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.functions import define
from mbconcord.model.kinematics import PointMotion
from mbconcord.model.naming import Named, Namer
from mbconcord.model.numbers import bind_states, largest_ranks

from . import elastic, joined
from .forces import applied_forces
from .kinematics import Part, dot, moving_parts
from .paths import frames, point_motions

if TYPE_CHECKING:
    from .closure import Closure


# The intermediates of the derivation by name, in the paper's order; parts have their labels (body 2, wheel 2f1).


from mbconcord.model import AddedInertia, Armature, Inertia
from mbconcord.model.expressions import pullback
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .kinematics import Frame, apply, cross, plus, times


@dataclass(frozen=True, slots=True)
class Kinetic:
    """Kinetic energy of a body by eq. (14), with its origin's velocity in the body's axes; or of fluid.

    Attributes
    ----------
    energy : T = ½ m u·u + u·(ω × s) + ½ ω·J ω (J), s = mρ_c, J the tensor about the origin; for fluid ½ VᵀΛV
    moving : ω × s (kg m/s), which is ∂T/∂u without the part m u; for fluid the whole ∂T/∂u
    turning : J ω + s × u (kg m²/s), which is ∂T/∂ω, the angular momentum about the origin
    """

    energy: Expression
    moving: Vector
    turning: Vector


def kinetic(frame: Frame, inertia: Inertia) -> Kinetic:
    """Compute the kinetic energy of a body."""
    s = times(inertia.mass, inertia.centre)
    xx, yy, zz, xy, xz, yz = inertia.tensor_about_origin()
    moving = cross(frame.w, s)
    spin = apply(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), frame.w)
    square = dot(frame.u, frame.u)
    energy = HALF * (inertia.mass * square + dot(frame.w, spin)) + dot(frame.u, moving)
    return Kinetic(energy, moving, plus(spin, cross(s, frame.u)) if any(s) else spin)


def fluid(frame: Frame, added: AddedInertia) -> Kinetic:
    """Compute the kinetic energy ½ VᵀΛV of an ideal fluid, V = (u; ω); its impulse (P; H) = ΛV is the slope by V."""
    velocity = (*frame.u, *frame.w)
    px, py, pz, hx, hy, hz = (sum((a * b for a, b in zip(row, velocity, strict=True)), ZERO) for row in added.rows)
    impulse, turning = (px, py, pz), (hx, hy, hz)
    return Kinetic(HALF * (dot(frame.u, impulse) + dot(frame.w, turning)), impulse, turning)


def rotor_energy(armature: Armature) -> Expression:
    """Compute the energy ½ a (Σ c_i q'_i)² of an armature (J), with ∂/∂q' equal to a c (cᵀ q') and ∂/∂q to zero."""
    turning = sum((c * rate(name) for name, c in armature.coefficients.items()), ZERO)
    return HALF * (armature.inertia * (turning * turning))


def potential(frame: Frame, inertia: Inertia, g: Vector) -> Expression:
    """Compute the potential energy -m g·(r + Aρ_c) of eq. (14), g the acceleration of gravity in world axes (J)."""
    first_moment = plus(times(inertia.mass, frame.r), apply(frame.A, times(inertia.mass, inertia.centre)))
    return -dot(g, first_moment)


def kinetic_slopes(
    parts: Iterable[Part],
    energies: Sequence[Mapping[str, Kinetic]],
    variables: Sequence[Expression],
    deformed: Iterable[Expression] = (),
) -> list[Expression]:
    """Compute ∂T/∂x of the whole kinetic energy for rates and coordinates x, in one backward sweep.

    A shift adds δ to the velocity of all bodies it carries; eq. (13) squared: |u + δ|² = |u|² + 2 u·δ + δ·δ. The parts
    ½ m |u|² of (14) are therefore, with M the mass carried by a shift,

        Σ ½ m |u|² = Σ M (u·δ + ½ δ·δ)    over the shifts,    ∂/∂u = M δ ,  ∂/∂δ = M (u + δ) .

    Thus no vector that is only rotated is squared: the derivative of its square by the angle would be a difference of
    two equal products, with large rounding in fast systems. (The energy of a fluid depends on the direction of u, and
    does contain such squares.)

    ``energies`` are mappings by the parts' labels. ``deformed`` are energies of elastic bodies without ½ m |u|², and
    of armatures; they are differentiated directly.
    """
    outputs: list[Expression] = [*deformed]
    weights: list[Expression] = [ONE] * len(outputs)

    def add(velocity: Vector, slope: Vector) -> None:
        outputs.extend(velocity)
        weights.extend(slope)

    for part in parts:
        frame, mass = part.frame, part.carried
        for shift in frame.shifts:
            add(shift.before, times(mass, shift.added))
            add(shift.added, times(mass, shift.end_velocity))
        for own in (kinetics[part.label] for kinetics in energies if part.label in kinetics):
            add(frame.u, own.moving)
            add(frame.w, own.turning)
    return pullback(outputs, weights, variables)


def stages(
    parts: Iterable[Part],
    kinetics: Mapping[str, Kinetic],
    fluids: Mapping[str, Kinetic],
    potentials: Mapping[str, Expression],
    momenta: Iterable[Named],
    forces: Iterable[Named],
    taken: Collection[str],
) -> tuple[Stage, ...]:
    """List transformations, velocities, momenta, energies and forces as stages; ``taken`` are names of the model."""
    groups: dict[str, tuple[str, list[Named]]] = {
        "transformations": ("orientation A and origin r in world axes, eqs. (11)-(12)", []),
        "velocities": ("velocity v of the origin and angular velocity w in body axes, eq. (13)", []),
        "momenta": ("w × s with s = mρ_c, and angular momentum K about the origin, eq. (14)", []),
        "medium": ("impulse P and moment of impulse H of the fluid, (P; H) = Λ(v; w), body axes", []),
        "energies": ("kinetic and potential energy, eq. (14), and the fluid's TΛ", []),
        "generalized momenta": ("p = ∂T/∂q', eq. (15)", [(f"p_{name}", value) for name, value in momenta]),
        "forces": ("length, its rate, and force of the bipolar elements", list(forces)),
    }
    for part in parts:
        k, frame = part.label, part.frame
        for i, row in enumerate(frame.A, 1):
            groups["transformations"][1].extend((f"A{k}_{i}{j}", value) for j, value in enumerate(row, 1))
        groups["transformations"][1].extend(components(f"r{k}", frame.r))
        groups["velocities"][1].extend((*components(f"v{k}", frame.u), *components(f"w{k}", frame.w)))
        if k in kinetics:
            own = kinetics[k]
            groups["momenta"][1].extend((*components(f"ws{k}", own.moving), *components(f"K{k}", own.turning)))
            groups["energies"][1].extend(((f"T{k}", own.energy), (f"Π{k}", potentials[k])))
        if k in fluids:
            around = fluids[k]
            groups["medium"][1].extend((*components(f"P{k}", around.moving), *components(f"H{k}", around.turning)))
            groups["energies"][1].append((f"TΛ{k}", around.energy))
    namer = Namer(taken, is_long)
    made = [Stage(name, title, namer.assignments(items)) for name, (title, items) in groups.items()]
    return tuple(stage for stage in made if stage.assignments)


def components(name: str, vector: Sequence[Expression]) -> Iterator[Named]:
    """Yield a vector's components with their names."""
    return zip((f"{name}_x", f"{name}_y", f"{name}_z"), vector, strict=True)


def is_long(x: Expression) -> bool:
    """Return True if an expression is worth a name: not z1, cos(z1) or a number."""
    return not x.constant and (x.op in ("add", "mul") or any(arg.args for arg in x.args))


class Lagrange(Formalism):
    """d/dt ∂T/∂q' - ∂T/∂q = -∂Π/∂q + Q, differentiated on the graph and never expanded.

    With p = ∂T/∂q' the equations split as eq. (15) does: M = ∂p/∂q', and h = dp/dt - ∂T/∂q where q'' = 0. T depends on
    q and q' through velocities alone, so one backward sweep gives p and ∂T/∂q together; one forward sweep each gives M
    and dp/dt. For deep machines M uses joined bodies (:mod:`.joined`).

    A flywheel is one more rigid body in T and Π; its angle ψ(t) is a known function of time as in eq. (11). An
    ideal fluid at rest far away adds ½ VᵀΛV to T, V = (velocity of the origin; ω) in body axes, and no weight
    (Kirchhoff; Lamb, Hydrodynamics, 1932, art. 118). An armature adds ½ a (cᵀq')².
    """

    name = "lagrange"
    title = "Lagrange's equations of the second kind"
    reference = "Golomazdin & Dmitrochenko 2022, eqs. (1)-(2), (10)-(15)"
    takes = OPEN_TREES | {
        "bushings", "torsions", "flywheels", "added_inertia", "elastic_modes", "armatures", "follower_forces",
        "mapped_motion",
    }  # fmt: skip

    def derive(self, system: System) -> Derivation:
        """Derive the equations of motion; natively T, Π, L, and the origins ``r`` of bodies (12), world axes (m).

        Identities: T = ½ q'ᵀ M q' without prescribed motion and flywheels; p is the gradient of T by q';
        gravity = -∂Π/∂q.
        """
        self.require(system)
        given, system = system, system.lump_masses()
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

    def motions(self, system: System, points: Sequence[Point]) -> tuple[PointMotion, ...]:
        """Return the motion of points, from A and r of (12) and their derivatives by q, q' and time."""
        self.require(system)
        return point_motions(system, points)

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List the obstacles to solving a system with constraints: those of the open tree and of cut joints."""
        from . import closure  # not before: most models have no constraints

        cuts = (c for c in system.constraints if isinstance(c, FrameCoincidence))
        found = (o for c in cuts for o in closure.obstacle(c))
        return (*self.obstacles(system.open_loops()), *found)

    def derive_closed(self, system: System) -> Derivation:
        """Derive equations of the open tree and of the constraints, with native ``D`` (m×n), ``γ̃`` (m), ``γ`` (m).

        M q'' + h = gravity + applied + Dᵀ λ, D q'' + γ̃ = 0: d/dt ∂T/∂q' - ∂T/∂q = Q + Σ λ_k ∂f_k/∂q
        is eq. (1) with multipliers (Lagrange, Mécanique analytique, part 2, section IV).
        Native ``γ`` is the whole rate D q' + γ of the constraints f, not its term γ alone. Identity: D = ∂f/∂q.
        """
        return self._close_tree(system)[0]

    def _close_tree(self, system: System, tree: Derivation | None = None) -> tuple[Derivation, Closure]:
        from .closure import closure  # not before: most models have no constraints

        self.require_constraints(system)
        tree, found = tree or self.derive(system.open_loops()), closure(system)
        closing: dict[str, Nested] = {"D": found.D, "γ": tuple(row.speed for row in found.rows), "γ̃": found.rest}
        names = tuple(row.name for row in found.rows)
        return replace(tree, system=system, native={**tree.native, **closing}, rows=names), found

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion:
        """Solve for accelerations, multipliers and reactions of a system with constraints, eq. (1) with multipliers."""
        return _solve_states(*self._close_tree(system), states)

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion, Derivation]:
        """Return the constrained motion, and the derivation of the equations from which it was solved."""
        derivation, found = self._close_tree(system, tree)
        return _solve_states(derivation, found, states), derivation


def _solve_states(derivation: Derivation, found: Closure, states: Sequence[State]) -> ConstrainedMotion:
    """Evaluate the equations and the rows at states, and solve them."""
    from . import multipliers  # not before: most models have no constraints

    system = derivation.system
    states = bind_states(system, states)
    tree, count = evaluate_derivation(derivation, states), len(states)
    m, names = len(found.rows), system.coordinate_names
    columns = (
        [x for row in found.D for x in row],
        [made_of(x) if row.formula else ZERO for row, line in zip(found.rows, found.D, strict=True) for x in line],
        found.rest,
        [row.speed for row in found.rows],
        [row.position if row.position is not None else ZERO for row in found.rows],
        [row.facing for row in found.rows],
        [rate(name) for name in names],
    )
    D, made, rest, speed, position, facing, rates = (
        at_states(define(column, system.functions), states.values, count) for column in columns
    )
    D, made = (x.reshape(count, m, len(names)) for x in (D, made))
    factors = multipliers.level_formulas(D, made, [row.formula for row in found.rows])
    numbers = multipliers.Numbers(D, factors, rest, speed, position, facing, largest_ranks(states))
    return multipliers.constrained_motion(tree, found.rows, numbers, rates)


def mass_matrix(system: System, p: Sequence[Expression], v: Sequence[Expression]) -> tuple[tuple[Expression, ...], ...]:
    """Compute M = ∂p/∂q', of eq. (15).

    Of the equal elements ∂p_i/∂q'_j and ∂p_j/∂q'_i, the one with p of the outer coordinate is used: p depends only on
    bodies that both coordinates move, not on bodies between them and the fixed frame.
    """
    rows = jacobian(p, v)
    outward: list[str] = []
    for body in system.bodies:
        outward += [name for et in body.joint for name in et.moving]  # of a map's: where they move the last body
        outward += body.modal
    place = {name: k for k, name in enumerate(outward)}
    places = [place[name] for name in system.coordinate_names]
    n = len(places)
    return tuple(tuple(rows[i][j] if places[i] >= places[j] else rows[j][i] for j in range(n)) for i in range(n))
