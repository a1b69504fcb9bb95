"""The frames of a cut joint, and what is zero where it is closed: A E(p) = B S, with E its own motions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.expressions import Expression
from mbconcord.model.transformation import ElementaryTransformation, Vector
from mbconcord.simulation.poses import Matrix, Pose, times, transposed


@dataclass(frozen=True)
class CutJoint:
    """A cut joint at any position, with its own coordinates zero.

    Attributes
    ----------
    own : its own motions, from the first to the last coordinate
    first : frame of the first side before them
    body : frame of the body of the second side
    rotation, origin : of S, which leads from there to the second side of the joint
    """

    own: tuple[ElementaryTransformation, ...]
    first: Pose
    body: Pose
    rotation: Matrix
    origin: Vector

    @classmethod
    def of(cls, c: FrameCoincidence, of_body: Mapping[str | None, Pose]) -> CutJoint:
        """That of a constraint; constant transformations between its coordinates count to the second side."""
        steps = c.first.transformations
        free = [i for i, step in enumerate(steps) if step.coordinate]
        before, after = (steps[: free[0]], steps[free[-1] + 1 :]) if free else (steps, ())
        own = steps[free[0] : free[-1] + 1] if free else ()
        still = [step for step in own if not step.coordinate]
        end, S = Pose().along((*still, *after)), Pose().along(c.second.transformations)
        rotation = times(S.R, transposed(end.R))
        origin = less(S.r, turned(rotation, end.r))
        first = of_body[c.first.body].along(before)
        return cls(tuple(own), first, of_body[c.second.body], rotation, origin)

    @cached_property
    def second(self) -> Pose:
        """B S: the frame of the second side."""
        return Pose(times(self.body.R, self.rotation), self.body.shifted(self.origin).r)

    @property
    def misaligned(self) -> list[Expression] | None:
        """What is zero where its rotations bring the axes of the one side to those of the other; None: not known."""
        if any(not step.coordinate for step in self.own):
            return None
        A, B = self.first.R, self.second.R
        axes = [step.axis for step in self.own if not step.is_translation]
        if len(axes) > 2:
            return []
        if not axes:
            return [a - b for p, q in zip(A, B, strict=True) for a, b in zip(p, q, strict=True)]
        if len(axes) == 1:
            return list(less(turned(A, axes[0]), turned(B, axes[0])))
        return [dot(turned(A, axes[0]), turned(B, axes[1])) - dot(*axes)]

    @property
    def apart(self) -> list[Expression] | None:
        """The same of its translations and origins; None where it has several, or one among rotations."""
        gap = less(self.first.r, self.second.r)
        slides = [step.is_translation for step in self.own]
        if not any(slides):
            return list(gap)
        if sum(slides) > 1 or not slides[0]:
            return None
        x, y, z = turned(self.first.R, self.own[0].axis)
        return [gap[1] * z - gap[2] * y, gap[2] * x - gap[0] * z, gap[0] * y - gap[1] * x]


def dot(a: Vector, b: Vector) -> Expression:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def less(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def turned(R: Matrix, v: Vector) -> Vector:
    """R v."""
    x, y, z = (dot(row, v) for row in R)
    return x, y, z


def across(R: Matrix, v: Vector) -> Vector:
    """Rᵀ v."""
    return turned(transposed(R), v)
