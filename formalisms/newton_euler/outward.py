"""Outward pass: poses, angular velocities, angular accelerations, accelerations of the links' origins.

Luh, Walker & Paul 1980, in link frames. All accelerations are written with the matrix U = [ω̇]× + [ω]×[ω]×, which
gives the acceleration a + U r of a point of the link; its products of angular velocities are used in gyroscopic
moments too.

World axes are rotated like any other vector, which gives positions of frames and motions of points.

Inward pass: inertial forces and moments of the links, and the loads of the joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mbconcord.model.force import Point
from mbconcord.model.kinematics import PointMotion, jacobian_of
from mbconcord.records import dataclass

from .tree import Link, Mass, Tree
from .vectors import (
    NEXT,
    Matrix,
    Number,
    Scalars,
    Vector,
    add_along_axis,
    apply,
    cross,
    minus,
    plus,
    product,
    times,
    transpose,
)


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

    ``base`` is the motion of the fixed frame: rest, or the acceleration -g to include weight in the inertial forces.
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
    """Return v + ω × e q' for a coordinate axis e; the component of ω along e is not used."""
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


#: Force (N), and moment (N m) about the link's origin, in link axes.
Wrench = tuple[Vector, Vector]


def inertial(mass: Mass, motion: Motion) -> Wrench:
    """Compute force m a + U m c and moment m c × a + J ω̇ + ω × J ω about the origin of the link's frame.

    Newton's and Euler's equations with the first moment m c need no centre of mass (which may not exist). The products
    of inertia multiply elements of U: Jxy ω̇_y - Jxy ωx ωz = -Jxy U_zx, and so on.
    """
    u, dw, a = motion.u, motion.dw, motion.a
    x, y, z = motion.w
    xx, yy, zz, xy, xz, yz = mass.tensor
    own = (
        xx * dw[0] + (zz - yy) * (y * z) - xy * u[2][0] + xz * u[1][0] + yz * (u[1][1] - u[2][2]),
        yy * dw[1] + (xx - zz) * (x * z) + xy * u[2][1] + xz * (u[2][2] - u[0][0]) - yz * u[0][1],
        zz * dw[2] + (yy - xx) * (x * y) + xy * (u[0][0] - u[1][1]) - xz * u[1][2] + yz * u[0][2],
    )
    return plus(times(a, mass.mass), apply(u, mass.moment)), plus(own, cross(mass.moment, a))


def weight(mass: Mass, g: Vector) -> Wrench:
    """Return force m g and moment m c × g, g in link axes."""
    return times(g, mass.mass), cross(mass.moment, g)


def less(wrench: Wrench, load: Wrench | None) -> Wrench:
    """Subtract an applied wrench, if there is one."""
    return wrench if load is None else (minus(wrench[0], load[0]), minus(wrench[1], load[1]))


def transmit_wrenches(links: Sequence[Link], own: Sequence[Wrench | None]) -> list[Wrench | None]:
    """Compute the wrench that each joint transmits to its link from each link's own wrench (None: zero).

    f = F + Σ R_child f_child, n = N + Σ (R_child n_child + r_child × f_child): Luh, Walker & Paul 1980,
    inward recursion.
    """
    total: list[Wrench | None] = list(own)
    for i in range(len(links) - 1, -1, -1):
        link, wrench = links[i], total[i]
        if wrench is None or link.parent < 0:
            continue
        before, passed = total[link.parent], transmit_wrench(link, wrench)
        total[link.parent] = passed if before is None else together(before, passed)
    return total


def transmit_wrench(link: Link, wrench: Wrench) -> Wrench:
    """Transform a wrench on a link to the origin and axes of its carrier."""
    f, n = link.inward(wrench[0]), link.inward(wrench[1])
    n = minus(n, cross(f, link.offset))
    return f, n


def together(a: Wrench, b: Wrench) -> Wrench:
    """Return the sum of two wrenches."""
    return plus(a[0], b[0]), plus(a[1], b[1])


def along_joint(link: Link, wrench: Wrench) -> Number:
    """Return the component along the joint's axis: n · e of a revolute, f · e of a prismatic joint."""
    force, moment = wrench
    return (moment if link.revolute else force)[link.axis]


def along_joints(links: Sequence[Link], wrenches: Sequence[Wrench | None], count: int, zero: Number) -> list[Number]:
    """Return the components of wrenches along the joints, in the order of the coordinates."""
    result = [zero] * count
    for link, wrench in zip(links, wrenches, strict=True):
        if link.coordinate is not None and wrench is not None:
            result[link.coordinate] = along_joint(link, wrench)
    return result


#: World axes as rows in the axes of a link, and the link's origin in world axes (m).
Pose = tuple[Matrix, Vector]


def base(scalars: Scalars) -> Pose:
    """Return axes and origin of the fixed frame."""
    o = scalars.zero
    e = o + 1
    return ((e, o, o), (o, e, o), (o, o, e)), (o, o, o)


def onward(link: Link, before: Pose) -> Pose:
    """Compute the pose of a link from that of its carrier."""
    axes, origin = before
    x, y, z = map(link.outward, axes)
    return (x, y, z), plus(origin, apply(axes, link.offset))


def poses_of(links: Sequence[Link], scalars: Scalars) -> dict[int, Pose]:
    """Compute the poses of all links by their index; -1 is the fixed frame."""
    poses = {-1: base(scalars)}
    for i, link in enumerate(links):
        poses[i] = onward(link, poses[link.parent])
    return poses


def positions(tree: Tree, links: Sequence[Link], bodies: Iterable[str], scalars: Scalars) -> list[Vector]:
    """Compute the origins of the bodies' frames in world axes (m), in the order of ``bodies``."""
    poses, found = poses_of(links, scalars), []
    for name in bodies:
        place = tree.places[name]
        axes, origin = poses[place.link]
        x, y, z = scalars.to_scalars(place.shift)
        found.append(plus(origin, apply(axes, (x, y, z))))
    return found


def point_motions(
    tree: Tree, links: Sequence[Link], coasting: Sequence[Motion], points: Sequence[Point], names: Sequence[str],
    scalars: Scalars,
) -> Iterator[PointMotion]:  # fmt: skip
    """Compute the motion of points in world axes from that of the links at q'' = 0, without weight.

    A joint's column of J is (e × (r - o); e) for rotation about the axis e through o, or (e; 0) for sliding along e.
    """
    poses = poses_of(links, scalars)
    o = scalars.zero
    for point in points:
        place = tree.places[point.body]
        axes, origin = poses[place.link]
        at = place.point(point.position)
        R = product(axes, place.turn) if place.turn else axes
        r = plus(origin, apply(axes, at))
        v: Vector = (o, o, o)
        linear: dict[str, Vector] = {}
        angular: dict[str, Vector] = {}
        i = place.link
        while i >= 0:
            own, (turned, start) = links[i], poses[i]
            e = transpose(turned)[own.axis]
            moved = cross(e, minus(r, start)) if own.revolute else e
            v = plus(v, times(moved, own.rate))
            if own.coordinate is not None:
                name = names[own.coordinate]
                linear[name], angular[name] = moved, e if own.revolute else (o, o, o)
            i = own.parent
        J = jacobian_of(names, linear, angular)
        if place.link < 0:
            yield PointMotion(R, r, v, v, J, v, v)
            continue
        motion = coasting[place.link]
        w, e0, a0 = (apply(axes, x) for x in (motion.w, motion.dw, plus(motion.a, apply(motion.u, at))))
        yield PointMotion(R, r, v, w, J, a0, e0)
