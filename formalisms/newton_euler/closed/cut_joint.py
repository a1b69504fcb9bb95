"""Cut joints: their two frames, directions of sliding and axes of rotation.

The first frame is A·E(p)·C, E the joint's own transformations, and coincides with the second frame B: A·E(p) = B·C⁻¹.
The freedom in E is described by directions of its slides and axes of its turns in A or in B·C⁻¹, without coordinates p.
A constant rotation R between two turns is moved behind them: rot(n, p)·R·rot(m, r) = rot(n, p)·rot(R m, r)·R.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from mbconcord.model import Body, ElementaryTransformation, FrameCoincidence, System
from mbconcord.model.derivation import Obstacle
from mbconcord.model.expressions import Expression, cos, evaluate_float, sin, symbols
from mbconcord.model.transformation import Constant, Prescribed
from mbconcord.records import dataclass, replace

from ..tree import UNITS, rotation_about
from ..vectors import Vector, apply, cross, dot, product

Steps = tuple[ElementaryTransformation, ...]

#: Directions that differ by less are the same: decimals and constant rotations round.
PARALLEL = 1e-9


@dataclass(frozen=True, slots=True)
class CutJoint:
    """A cut joint: transformations ``before`` lead to A, ``behind`` is C; axes are numbers.

    ``slides`` are directions of translation, in A if ``slides_first``, else in B·C⁻¹. ``turns`` are the successive axes
    of rotation, each at zero coordinates.
    """

    before: Steps
    slides: tuple[Vector, ...]
    turns: tuple[Vector, ...]
    slides_first: bool
    behind: Steps


def cut_joint(constraint: FrameCoincidence) -> CutJoint:
    """Return the parts of a cut joint without obstacles."""
    steps = constraint.first.transformations
    places = [i for i, step in enumerate(steps) if step.coordinate]
    if not places:
        return CutJoint(steps, (), (), True, ())
    own = steps[places[0] : places[-1] + 1]
    slides: list[Vector] = []
    turns: list[Vector] = []
    turned, rotations = UNITS, []
    for step in own:
        if step.coordinate:
            (slides if step.is_translation else turns).append(apply(turned, step.axis))
        else:
            turned = product(turned, rotation_about(step.axis, sin(step.amount), cos(step.amount)))
            rotations.append(step)
    behind = (*rotations, *steps[places[-1] + 1 :])
    return CutJoint(steps[: places[0]], tuple(slides), tuple(turns), own[0].is_translation, behind)


def obstacles(constraint: FrameCoincidence) -> Iterator[Obstacle]:
    """Yield the reason why a cut joint has no rows without its own coordinates, if there is one."""
    steps = constraint.first.transformations
    places = [i for i, step in enumerate(steps) if step.coordinate]
    between = [step for step in steps[places[0] : places[-1]] if not step.coordinate] if places else []
    kinds = [step.kind for step in steps if step.coordinate]
    if any(step.is_translation for step in between):
        reason = "a constant shift stands between its coordinates"
    elif any(isinstance(step.motion, Prescribed) for step in between):
        reason = "a prescribed motion stands between its coordinates"
    elif symbols([step.amount for step in between]):
        reason = "a rotation by no number stands between its coordinates"
    elif kinds not in (sorted(kinds), sorted(kinds, reverse=True)):
        reason = "it slides between two turns, or turns between two slides"
    else:
        joint = cut_joint(constraint)
        if _dependent(joint.slides):
            reason = "two of its slides go one way"
        elif len(joint.turns) > 3 or any(parallel(a, b) for a, b in pairwise(joint.turns)):
            reason = "two of its turns have one axis"
        else:
            return
    yield Obstacle(
        f"constraints/{constraint.name}", "cut_joints", f"newton_euler has no rows for this cut joint: {reason}"
    )


def parallel(a: Vector, b: Vector) -> bool:
    """Return True if two directions are parallel."""
    return all(_vanishes(x) for x in cross(a, b))


def _dependent(slides: Sequence[Vector]) -> bool:
    if len(slides) == 3:
        return _vanishes(dot(cross(slides[0], slides[1]), slides[2]))
    return len(slides) > 3 or (len(slides) == 2 and parallel(*slides))


def _vanishes(x: Expression) -> bool:
    return abs(evaluate_float(x, {})) < PARALLEL


def frame_names(constraint: FrameCoincidence) -> tuple[str, str, str]:
    """Return the names of the massless bodies that stand for the frames A, B·C⁻¹ and B."""
    place = f"constraints/{constraint.name}"
    return f"{place}/first", f"{place}/second", f"{place}/cut"


def with_cut_frames(tree: System, system: System) -> System:
    """Add the frames of the cut joints to the open tree as massless bodies; a frame that moves becomes a link."""
    bodies = []
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            joint, second = cut_joint(constraint), constraint.second
            a, b, cut = frame_names(constraint)
            bodies.append(Body(a, constraint.first.body, joint.before))
            bodies.append(Body(cut, second.body, second.transformations))
            bodies.append(Body(b, cut, tuple(map(_undone, reversed(joint.behind)))))
    return replace(tree, bodies=(*tree.bodies, *bodies)) if bodies else tree


def _undone(step: ElementaryTransformation) -> ElementaryTransformation:
    motion = step.motion
    assert isinstance(motion, (Constant, Prescribed))
    back = replace(motion, value=-motion.value)
    return replace(step, motion=back)
