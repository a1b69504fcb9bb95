"""Kinetic and potential energy of bodies, flywheels and surrounding fluid, and their derivatives.

Golomazdin & Dmitrochenko 2022, eq. (14); the fluid is Kirchhoff's: Lamb 1932, art. 118, 121.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mbconcord.model import AddedInertia, Armature, Inertia
from mbconcord.model.expressions import HALF, ONE, ZERO, Expression, pullback, rate
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .kinematics import Frame, Part, apply, cross, dot, plus, times


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
