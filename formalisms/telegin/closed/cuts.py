"""Conversion of constraints to cut joints of a planar linkage, and obstacles of constraints that are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mbconcord.model import System
from mbconcord.model.constraint import Constraint, Frame, FrameCoincidence, PointCoincidence
from mbconcord.model.derivation import Obstacle
from mbconcord.model.expressions import Expression, cos, sin
from mbconcord.model.transformation import Constant, ElementaryTransformation, Vector

from ..planarity import Plane, vanish
from ..plane import Pair
from ..tree import Mount, Tree
from ..vectors import NULL, E, apply, cross, plus, product, times, turn
from .parts import Cut


def obstacles(system: System, tree: Tree, plane: Plane) -> Iterator[Obstacle]:
    """Report constraints other than revolute joints about the normal of the plane."""
    yield from other_kinds(system)
    for constraint in find_unfit(system, tree, lambda slides, axis: None if slides else cross(axis, plane.n)):
        reason = "a cut joint of a planar linkage is one rotation about the normal"
        yield Obstacle(f"constraints/{constraint.name}", "cut_joints", reason)


def other_kinds(system: System) -> Iterator[Obstacle]:
    """Report constraints that are neither coinciding points nor coinciding frames: they cannot be cut joints."""
    for constraint in system.constraints:
        if not isinstance(constraint, (FrameCoincidence, PointCoincidence)):
            reason = "only coinciding points and cut joints close a planar linkage"
            yield Obstacle(f"constraints/{constraint.name}", "constraints", reason)


#: Function of (True if the joint slides, its axis in fixed axes): expressions that must vanish; None: it never fits.
Gap = Callable[[bool, Vector], Vector | tuple[Expression] | None]


def find_unfit(system: System, tree: Tree, gap: Gap) -> list[FrameCoincidence]:
    """List joints that cannot be cut: not one motion between constant frames, or expressions of ``gap`` are not 0."""
    joints = [c for c in system.constraints if isinstance(c, FrameCoincidence)]
    gaps = [_find_gap(joint, tree, gap) for joint in joints]
    fits = vanish(found or () for found in gaps)
    return [joint for joint, found, fit in zip(joints, gaps, fits, strict=True) if found is None or not fit]


def _find_gap(joint: FrameCoincidence, tree: Tree, gap: Gap) -> Vector | tuple[Expression] | None:
    if len(joint.auxiliary) != 1:
        return None
    before, own, after = split_cut_joint(joint)
    if not all(isinstance(step.motion, Constant) for step in (*before, *after)):
        return None
    mount = mount_frame(tree, Frame(joint.first.body, before))
    return gap(own.is_translation, apply(product(tree.initial[mount.link], mount.orientation), own.axis))


Steps = tuple[ElementaryTransformation, ...]


def split_cut_joint(constraint: FrameCoincidence) -> tuple[Steps, ElementaryTransformation, Steps]:
    """Split the first frame's transformations: those before the moving one, that one, the inverse of those after."""
    steps = constraint.first.transformations
    at = next(i for i, step in enumerate(steps) if step.coordinate)
    after = tuple(ElementaryTransformation(step.kind, step.axis, Constant(-step.amount)) for step in steps[:at:-1])
    return steps[:at], steps[at], after


def cut(constraint: Constraint, tree: Tree, plane: Plane) -> Cut:
    """Convert a constraint without obstacles to a cut joint."""
    if isinstance(constraint, PointCoincidence):
        ends = [
            (tree.mounts[end.body].link, tree.mounts[end.body].point(end.position))
            for end in (constraint.first, constraint.second)
        ]
    else:
        assert isinstance(constraint, FrameCoincidence)
        before, _, after = split_cut_joint(constraint)
        second = Frame(constraint.second.body, (*constraint.second.transformations, *after))
        mounts = [mount_frame(tree, frame) for frame in (Frame(constraint.first.body, before), second)]
        ends = [(mount.link, mount.position) for mount in mounts]
    (e, p), (f, q) = ends

    def project_arm(link: int, arm: Vector) -> Pair:
        return plane.project(apply(tree.initial[link], arm))

    return Cut(constraint.name, e, project_arm(e, p), f, project_arm(f, q))


def mount_frame(tree: Tree, frame: Frame) -> Mount:
    """Return the mount on a link of a frame that constant transformations place on a body."""
    mount = tree.mounts[frame.body]
    position, orientation = NULL, E
    for step in frame.transformations:
        if step.is_translation:
            position = plus(position, times(step.amount, apply(orientation, step.axis)))
        else:
            orientation = product(orientation, turn(step.axis, cos(step.amount), sin(step.amount)))
    return Mount(mount.link, mount.point(position), product(mount.orientation, orientation))
