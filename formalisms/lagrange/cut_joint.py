"""Cut joints: conditions on the coordinates for two frames to coincide up to the joint's own motion.

The first frame is A·E(p), with E the joint's own transformations and p its auxiliary coordinates; at the cut
A·E(p) = B. The functions of A and B that hold for every p are the constraint functions: p is eliminated.

* Translations along some directions leave the components of r_B - r_A across them, in the axes in which they act.
* No rotation leaves the axes of A and B parallel. One, about n, leaves n of A and B parallel. Two, about n1 and
  then n2, leave the angle between n1 in A and n2 in B. Three leave nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mbconcord.model import ElementaryTransformation, FrameCoincidence
from mbconcord.model.derivation import Obstacle
from mbconcord.model.expressions import ONE, Expression, evaluate_float, sqrt
from mbconcord.model.transformation import AXES, Constant, Prescribed, Variable, Vector, X, Y, Z

from .kinematics import Frame, apply, cross, dot, times

Condition = tuple[str, Expression, Expression]
Steps = Sequence[ElementaryTransformation]

#: Directions closer to parallel than this are parallel: constant rotations and decimals round.
ROUNDING = 1e-9


def obstacle(constraint: FrameCoincidence) -> Iterator[Obstacle]:
    """Yield the reason why a cut joint's auxiliary coordinates cannot be eliminated, if there is one."""
    _, own, _ = split_cut_joint(constraint)
    slides, turns = _axes(own)
    kinds = [step.kind for step in own]
    if any(not step.coordinate for step in own):
        reason = "a constant transformation stands between its coordinates"
    elif kinds not in (sorted(kinds), sorted(kinds, reverse=True)):
        reason = "its rotations do not stand together"
    elif _dependent(slides):
        reason = "two of its translations have one direction"
    elif len(turns) > 3 or any(parallel(a, b) for a, b in pairwise(turns)):
        reason = "two of its rotations have one axis"
    else:
        return
    place = f"constraints/{constraint.name}"
    yield Obstacle(place, "cut_joints", f"lagrange does not eliminate this cut joint: {reason}")


def conditions(constraint: FrameCoincidence, of_body: Mapping[str | None, Frame]) -> Iterator[Condition]:
    """Yield (part, f, facing) of a cut joint without obstacle."""
    before, own, after = split_cut_joint(constraint)
    A = of_body[constraint.first.body].follow(before)
    B = of_body[constraint.second.body].follow((*constraint.second.transformations, *map(inverse, after[::-1])))
    slides, turns = _axes(own)
    sliding_in = A if own and own[0].is_translation else B
    apart = (A.r[0] - B.r[0], A.r[1] - B.r[1], A.r[2] - B.r[2])
    if slides:
        for i, side in enumerate(across(slides), 1):
            yield f"across {i}", dot(apply(sliding_in.A, side), apart), ONE
    else:
        for part, f in zip("xyz", apart, strict=True):
            yield part, f, ONE
    yield from _alignment(turns, A, B)


def _alignment(turns: Sequence[Vector], A: Frame, B: Frame) -> Iterator[Condition]:
    """Yield conditions on the axes of A and B if B is rotated from A about these axes in sequence."""
    if not turns:
        for part, u, w in (("x", Y, Z), ("y", Z, X), ("z", X, Y)):
            yield f"angle {part}", *_perpendicular(u, w, A, B)
    elif len(turns) == 1:
        for i, side in enumerate(across(turns), 1):
            yield f"angle {i}", *_perpendicular(turns[0], side, A, B)
    elif len(turns) == 2:
        yield "angle", dot(apply(A.A, turns[0]), apply(B.A, turns[1])) - dot(*turns), ONE


def _perpendicular(u: Vector, w: Vector, A: Frame, B: Frame) -> tuple[Expression, Expression]:
    """Return the condition that u of A and w of B are at right angles, and that u of A and of B are not opposite."""
    ahead = apply(A.A, u)
    return dot(ahead, apply(B.A, w)), dot(ahead, apply(B.A, u))


def split_cut_joint(constraint: FrameCoincidence) -> tuple[Steps, Steps, Steps]:
    """Split the first frame's transformations: before its own coordinates, from first to last of them, after."""
    steps = constraint.first.transformations
    own = [i for i, step in enumerate(steps) if step.coordinate]
    if not own:
        return steps, (), ()
    return steps[: own[0]], steps[own[0] : own[-1] + 1], steps[own[-1] + 1 :]


def inverse(step: ElementaryTransformation) -> ElementaryTransformation:
    """Invert a transformation that has no coordinate."""
    assert not isinstance(step.motion, Variable)
    motion = type(step.motion)(-step.motion.value)
    assert isinstance(motion, (Constant, Prescribed))
    return ElementaryTransformation(step.kind, step.axis, motion)


def _axes(own: Steps) -> tuple[list[Vector], list[Vector]]:
    """Return the directions of the translations, and the axes of the rotations."""
    return [s.axis for s in own if s.is_translation], [s.axis for s in own if not s.is_translation]


def across(directions: Sequence[Vector]) -> tuple[Vector, ...]:
    """Return unit vectors perpendicular to independent directions and to each other."""
    if len(directions) > 2:
        return ()
    if len(directions) == 2:
        return (unit(cross(*directions)),)
    (n,) = directions
    side = unit(cross(n, next(e for e in AXES.values() if not parallel(n, e))))
    return side, cross(n, side)


def unit(v: Vector) -> Vector:
    """Return v / |v|."""
    return times(1 / sqrt(dot(v, v)), v)


def parallel(a: Vector, b: Vector) -> bool:
    """Return True if two numeric directions are parallel."""
    return all(vanishes(x) for x in cross(a, b))


def vanishes(x: Expression) -> bool:
    """Return True if a number is zero up to rounding."""
    return abs(evaluate_float(x, {})) < ROUNDING


def _dependent(slides: Sequence[Vector]) -> bool:
    if len(slides) == 2:
        return parallel(*slides)
    return len(slides) > 3 or (len(slides) == 3 and vanishes(dot(cross(slides[0], slides[1]), slides[2])))
