"""Outward pass: angular velocities, angular accelerations, accelerations of the links' origins.

Luh, Walker & Paul 1980, in link frames. Everything is written with the matrix U = [ω̇]× + [ω]×[ω]×, which
gives the acceleration a + U r of a point of the link; its products of angular velocities serve the
gyroscopic moments too.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.records import dataclass

from .links import Link
from .vectors import NEXT, Matrix, Number, Vector, add_along_axis, apply, plus


@dataclass(frozen=True, slots=True)
class Motion:
    """Motion of a link, in its own axes.

    ``w`` angular velocity (rad/s), ``dw`` angular acceleration (rad/s²), ``a`` acceleration of the origin
    (m/s²), ``u`` the matrix U.
    """

    w: Vector
    dw: Vector
    a: Vector
    u: Matrix


def angular_velocities(links: Sequence[Link], still: Vector) -> list[Vector]:
    """Compute ω of every link in its own axes: ω = Rᵀ ω_parent + e q'. ``still`` is the zero vector."""
    result: list[Vector] = []
    for link in links:
        result.append(turning(link, link.outward(result[link.parent]) if link.parent >= 0 else still))
    return result


def turning(link: Link, w: Vector) -> Vector:
    """Compute ω of a link from that of its carrier in the link's axes."""
    return add_along_axis(w, link.axis, link.rate) if link.revolute else w


def accelerate_link(link: Link, carrier: Motion, w: Vector, acceleration: Number) -> tuple[Vector, Vector]:
    """Compute a link's ω̇ and its origin's acceleration from its carrier and joint, in the link's axes.

    Revolute: ω̇ = Rᵀ ω̇_c + ω × e q' + e q'', a = Rᵀ (a_c + U_c r). Prismatic: ω̇ = Rᵀ ω̇_c,
    a = Rᵀ (a_c + U_c r) + 2 ω × e q' + e q'', with r up to the sliding origin.
    """
    dw, a = link.outward(carrier.dw), link.outward(plus(carrier.a, apply(carrier.u, link.offset)))
    if link.revolute:
        return add_along_axis(add_cross_rate(dw, w, link.axis, link.rate), link.axis, acceleration), a
    return dw, add_along_axis(add_cross_rate(a, w, link.axis, link.rate + link.rate), link.axis, acceleration)


def motions(
    links: Sequence[Link], velocities: Sequence[Vector], accelerations: Sequence[Number], base: Motion
) -> list[Motion]:
    """Compute the motions of all links from their angular velocities and the accelerations of their own joints.

    ``base`` is the motion of the fixed frame: none, or the acceleration -g to include weight in the inertial forces.
    """
    result: list[Motion] = []
    for link, w, acceleration in zip(links, velocities, accelerations, strict=True):
        carrier = result[link.parent] if link.parent >= 0 else base
        result.append(motion(link, carrier, w, acceleration))
    return result


def motion(link: Link, carrier: Motion, w: Vector, acceleration: Number) -> Motion:
    """Compute the motion of a link from its angular velocity and its carrier's motion."""
    dw, a = accelerate_link(link, carrier, w, acceleration)
    return Motion(w, dw, a, compute_acceleration_matrix(w, dw))


def resting(still: Vector, a: Vector) -> Motion:
    """Return the motion of the fixed frame with the acceleration a; ``still`` is the zero vector."""
    return Motion(still, still, a, (still, still, still))


def coasting(w: Vector, still: Vector) -> Motion:
    """Return the motion of a link with the given angular velocity and no acceleration."""
    return Motion(w, still, still, compute_acceleration_matrix(w, still))


def add_cross_rate(v: Vector, w: Vector, axis: int, rate: Number) -> Vector:
    """Return v + ω × e q' for a coordinate axis e; the part of ω along e has no effect."""
    i, k = NEXT[axis]
    result = [*v]
    result[i], result[k] = v[i] + w[k] * rate, v[k] - w[i] * rate
    return result[0], result[1], result[2]


def compute_acceleration_matrix(w: Vector, dw: Vector) -> Matrix:
    """Compute U = [ω̇]× + [ω]×[ω]×."""
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (
        (-(yy + zz), xy - dw[2], xz + dw[1]),
        (xy + dw[2], -(xx + zz), yz - dw[0]),
        (xz - dw[1], yz + dw[0], -(xx + yy)),
    )
