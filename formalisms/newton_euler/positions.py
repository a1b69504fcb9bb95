"""Positions of the bodies' frames and motions of points, outwards; world axes are rotated like any other vector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mbconcord.model.force import Point
from mbconcord.model.kinematics import PointMotion, jacobian_of

from .links import Link
from .outward import Motion
from .scalars import Scalars
from .tree import Tree
from .vectors import Matrix, Vector, apply, cross, minus, plus, product, times, transpose

#: World axes as rows in the axes of a link, and the link's origin in world axes (m).
Pose = tuple[Matrix, Vector]


def base(scalars: Scalars) -> Pose:
    """Return the pose of the fixed frame."""
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

    A joint's column of J is its axis and the moment of it about the point: (e × (r - o); e), or (e; 0) where it slides.
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
