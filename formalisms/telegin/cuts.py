"""Constraints of a system as cut joints of its planar linkage, and what cannot be one."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.model import System
from mbconcord.model.constraint import Constraint, Frame, FrameCoincidence, PointCoincidence
from mbconcord.model.derivation import Obstacle
from mbconcord.model.expressions import cos, sin
from mbconcord.model.transformation import Vector

from .loops import Cut
from .planarity import Plane, parallel
from .plane import Pair
from .tree import Mount, Tree
from .vectors import NULL, E, apply, plus, product, times, turn


def obstacles(system: System, tree: Tree, plane: Plane) -> Iterator[Obstacle]:
    """Constraints that are no revolute joints about the normal of the plane."""
    for constraint in system.constraints:
        place = f"constraints/{constraint.name}"
        if isinstance(constraint, FrameCoincidence):
            if not _revolute(constraint, tree, plane):
                reason = "a cut joint of a planar linkage ends in one rotation about the normal"
                yield Obstacle(place, "cut_joints", reason)
        elif not isinstance(constraint, PointCoincidence):
            reason = "only coinciding points and cut revolute joints close a planar linkage"
            yield Obstacle(place, "constraints", reason)


def _revolute(constraint: FrameCoincidence, tree: Tree, plane: Plane) -> bool:
    *before, last = constraint.first.transformations or (None,)
    if last is None or last.coordinate is None or last.is_translation or len(constraint.auxiliary) != 1:
        return False
    if any(step.coordinate for step in before):
        return False
    mount = _frame(tree, Frame(constraint.first.body, tuple(before)))
    return parallel(apply(product(tree.initial[mount.link], mount.orientation), last.axis), plane.n)


def cut(constraint: Constraint, tree: Tree, plane: Plane) -> Cut:
    """A constraint without obstacles as a cut joint."""
    if isinstance(constraint, PointCoincidence):
        ends = [
            (tree.mounts[end.body].link, tree.mounts[end.body].point(end.position))
            for end in (constraint.first, constraint.second)
        ]
    else:
        assert isinstance(constraint, FrameCoincidence)
        steps = constraint.first.transformations[:-1]
        mounts = [_frame(tree, frame) for frame in (Frame(constraint.first.body, steps), constraint.second)]
        ends = [(mount.link, mount.position) for mount in mounts]
    (e, p), (f, q) = ends

    def projected(link: int, arm: Vector) -> Pair:
        return plane.project(apply(tree.initial[link], arm))

    return Cut(constraint.name, e, projected(e, p), f, projected(f, q))


def _frame(tree: Tree, frame: Frame) -> Mount:
    """A frame reached by constant transformations from a body's."""
    mount = tree.mounts[frame.body]
    position, orientation = NULL, E
    for step in frame.transformations:
        if step.is_translation:
            position = plus(position, times(step.amount, apply(orientation, step.axis)))
        else:
            orientation = product(orientation, turn(step.axis, cos(step.amount), sin(step.amount)))
    return Mount(mount.link, mount.point(position), product(mount.orientation, orientation))
