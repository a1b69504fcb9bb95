"""Kinetic and potential energy of the bodies, and the generalized momenta: seed 004, eq. (14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mbconcord.model import Body, Inertia
from mbconcord.model.expressions import HALF, Expression, pullback
from mbconcord.model.transformation import Vector

from .kinematics import Frame, apply, cross, dot, plus, times


@dataclass(frozen=True, slots=True)
class Kinetic:
    """Kinetic energy of a body by eq. (14), the velocity of its origin turned into the body's axes.

    Attributes
    ----------
    energy : T = ½ m u·u + u·(ω × s) + ½ ω·J ω (J), s = mρ_c, J the tensor about the origin
    moving : ω × s (kg m/s): ∂T/∂u without the part m u
    turning : J ω + s × u (kg m²/s): ∂T/∂ω, the angular momentum about the origin
    """

    energy: Expression
    moving: Vector
    turning: Vector


def kinetic(frame: Frame, inertia: Inertia) -> Kinetic:
    """Kinetic energy of a body."""
    s = times(inertia.mass, inertia.centre)
    xx, yy, zz, xy, xz, yz = inertia.tensor_about_origin()
    moving = cross(frame.w, s)
    spin = apply(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), frame.w)
    square = dot(frame.u, frame.u)
    energy = HALF * (inertia.mass * square + dot(frame.w, spin)) + dot(frame.u, moving)
    return Kinetic(energy, moving, plus(spin, cross(s, frame.u)) if any(s) else spin)


def potential(frame: Frame, inertia: Inertia, g: Vector) -> Expression:
    """Potential energy -m g·(r + Aρ_c) of eq. (14), g the acceleration of gravity in world axes (J)."""
    first_moment = plus(times(inertia.mass, frame.r), apply(frame.A, times(inertia.mass, inertia.centre)))
    return -dot(g, first_moment)


def carried_masses(bodies: Sequence[Body]) -> dict[str, Expression]:
    """Mass of each body together with all that it carries (kg)."""
    carried = {body.name: body.inertia.mass for body in bodies}
    for body in reversed(bodies):
        if body.parent is not None:
            carried[body.parent] += carried[body.name]
    return carried


def kinetic_slopes(
    bodies: Sequence[Body],
    frames: Mapping[str | None, Frame],
    kinetics: Mapping[str, Kinetic],
    variables: Sequence[Expression],
) -> list[Expression]:
    """∂T/∂x of the whole kinetic energy for rates and coordinates x, in one backward sweep.

    A shift adds δ to the velocity of all that it carries; eq. (13) squared is |u + δ|² = |u|² + 2 u·δ + δ·δ.
    The parts ½ m |u|² of (14) are therefore, with M the mass that a shift carries,

        Σ ½ m |u|² = Σ M (u·δ + ½ δ·δ)    over the shifts,    ∂/∂u = M δ ,  ∂/∂δ = M (u + δ) .

    So nothing that is only turned stands in a square: its derivative by the angle would be the difference of
    two equal products, and their rounding large where the system is fast.
    """
    carried = carried_masses(bodies)
    outputs: list[Expression] = []
    weights: list[Expression] = []

    def add(velocity: Vector, slope: Vector) -> None:
        outputs.extend(velocity)
        weights.extend(slope)

    for body in bodies:
        frame, mass = frames[body.name], carried[body.name]
        for shift in frame.shifts:
            add(shift.before, times(mass, shift.added))
            add(shift.added, times(mass, shift.after))
        if body.name in kinetics:
            add(frame.u, kinetics[body.name].moving)
            add(frame.w, kinetics[body.name].turning)
    return pullback(outputs, weights, variables)
