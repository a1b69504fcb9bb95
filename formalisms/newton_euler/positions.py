"""Positions of the bodies' frames, from the fixed frame outwards: the world axes are rotated like any other vector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .links import Link
from .scalars import Scalars
from .tree import Tree
from .vectors import Matrix, Vector, apply, plus

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


def positions(tree: Tree, links: Sequence[Link], bodies: Iterable[str], scalars: Scalars) -> list[Vector]:
    """Compute the origins of the bodies' frames in world axes (m), in the order of ``bodies``."""
    poses = {-1: base(scalars)}
    for i, link in enumerate(links):
        poses[i] = onward(link, poses[link.parent])
    found = []
    for name in bodies:
        place = tree.places[name]
        axes, origin = poses[place.link]
        x, y, z = scalars.to_scalars(place.shift)
        found.append(plus(origin, apply(axes, (x, y, z))))
    return found
