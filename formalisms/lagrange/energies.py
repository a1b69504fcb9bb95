"""Kinetic and potential energy of the bodies: seed 004, eq. (14)."""

from __future__ import annotations

from dataclasses import dataclass

from mbconcord.model import Inertia
from mbconcord.model.expressions import HALF, Expression
from mbconcord.model.transformation import Vector

from .kinematics import NOTHING, Frame, apply, cross, dot, plus, times


@dataclass(frozen=True, slots=True)
class Kinetic:
    """Kinetic energy of a body, T = ½ {v; ω}ᵀ {P; K}, and what it is made of.

    Attributes
    ----------
    energy : T (J)
    v, w : velocity of the frame's origin (m/s) and angular velocity (rad/s) that T is written in
    P, K : ∂T/∂v and ∂T/∂ω, the inertia matrix of eq. (14) times {v; ω}: momentum (kg m/s) and angular
        momentum about the origin (kg m²/s)
    """

    energy: Expression
    v: Vector
    w: Vector
    P: Vector
    K: Vector


def kinetic(frame: Frame, inertia: Inertia) -> Kinetic:
    """Kinetic energy of eq. (14), with the velocity of the origin turned into body axes.

    The matrix of (14) is [mE, -s̃; s̃, J] with s = mρ_c and J the tensor about the origin. Without s the two
    parts are independent, and the axes of the velocity need not be the body's.
    """
    s = times(inertia.mass, inertia.centre)
    xx, yy, zz, xy, xz, yz = inertia.tensor_about_origin()
    v = frame.u if any(s) else frame.v
    w = frame.w
    P = plus(times(inertia.mass, v), cross(w, s))
    K = plus(apply(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), w), cross(s, v) if any(s) else NOTHING)
    return Kinetic(HALF * (dot(v, P) + dot(w, K)), v, w, P, K)


def potential(frame: Frame, inertia: Inertia, g: Vector) -> Expression:
    """Potential energy -m g·(r + Aρ_c) of eq. (14), g the acceleration of gravity in world axes (J)."""
    first_moment = plus(times(inertia.mass, frame.r), apply(frame.A, times(inertia.mass, inertia.centre)))
    return -dot(g, first_moment)
