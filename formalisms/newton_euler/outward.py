"""Outward pass: angular velocities, angular accelerations, accelerations of the links' origins.

Luh, Walker & Paul, J. Dyn. Syst. Meas. Control 102 (1980) 69-76, in link frames. Everything is written with the
matrix U = [ω̇]× + [ω]×[ω]×, which gives the acceleration a + U r of a point of the link; its products of angular
velocities serve the gyroscopic moments too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .links import Link
from .vectors import NEXT, Matrix, Number, Vector, along, apply, plus


@dataclass(frozen=True, slots=True)
class Motion:
    """How a link moves, in its own axes.

    ``w`` angular velocity (rad/s), ``dw`` angular acceleration (rad/s²), ``a`` acceleration of the origin (m/s²),
    ``u`` the matrix U.
    """

    w: Vector
    dw: Vector
    a: Vector
    u: Matrix


def angular_velocities(links: Sequence[Link], still: Vector) -> list[Vector]:
    """ω of every link in its own axes: ω = Rᵀ ω_parent + e q'. ``still`` is the zero vector."""
    result: list[Vector] = []
    for link in links:
        w = link.outward(result[link.parent]) if link.parent >= 0 else still
        result.append(along(w, link.axis, link.rate) if link.revolute else w)
    return result


def motions(
    links: Sequence[Link],
    velocities: Sequence[Vector],
    accelerations: Sequence[Number],
    still: Vector,
    base: Vector,
) -> list[Motion]:
    """Motions of all links for given joint accelerations q''.

    Parameters
    ----------
    links, velocities
        And ω of every link.
    accelerations
        Of each link's own motion; a base at rest with the acceleration ``base`` = -g makes weight an inertial force.
    still
        The zero vector.

    Notes
    -----
    Revolute: ω̇ = Rᵀ ω̇_parent + e q'' + (Rᵀ ω_parent) × e q', a = Rᵀ (a_parent + U_parent r). Prismatic: ω̇ = ω̇_parent,
    a as before with r up to the sliding origin, and e q'' + 2 ω × e q'. Luh, Walker & Paul 1980, eqs. of their
    outward recursion; with velocities and accelerations zero, a is -g in link axes.
    """
    result: list[Motion] = []
    for link, w, acceleration in zip(links, velocities, accelerations, strict=True):
        if link.parent >= 0:
            p = result[link.parent]
            dw, a = link.outward(p.dw), link.outward(plus(p.a, apply(p.u, link.offset)))
        else:
            dw, a = still, link.outward(base)
        if link.revolute:
            dw = along(swept(dw, w, link.axis, link.rate), link.axis, acceleration)
        else:
            a = along(swept(a, w, link.axis, link.rate + link.rate), link.axis, acceleration)
        result.append(Motion(w, dw, a, spread(w, dw)))
    return result


def swept(v: Vector, w: Vector, axis: int, rate: Number) -> Vector:
    """v + ω × e q' for a coordinate axis e; the part of ω along e has no effect."""
    i, k = NEXT[axis]
    result = [*v]
    result[i], result[k] = v[i] + w[k] * rate, v[k] - w[i] * rate
    return result[0], result[1], result[2]


def spread(w: Vector, dw: Vector) -> Matrix:
    """U = [ω̇]× + [ω]×[ω]×."""
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (
        (-(yy + zz), xy - dw[2], xz + dw[1]),
        (xy + dw[2], -(xx + zz), yz - dw[0]),
        (xz - dw[1], yz + dw[0], -(xx + yy)),
    )
