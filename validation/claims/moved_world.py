"""Where the world's origin lies, and how its axes point, changes nothing."""

from __future__ import annotations

from dataclasses import replace

from mbconcord.model.expressions import ZERO
from mbconcord.model.force import Bipolar, Bushing, Force, JointEffort, Point, Torsion
from mbconcord.model.gravity import Gravity
from mbconcord.model.system import System
from mbconcord.model.transformation import Frame, Vector

from ..judge.evidence import Comparison
from ..judge.states import Drawn
from ..judge.trial import Trial
from .claim import same_after
from .welded_bodies import ARM, ROWS, frame

SENTENCE = "Moving the whole machine and its gravity by a rigid motion of the world changes nothing."


def claim(made: Trial) -> list[Comparison]:
    """The machine, gravity, world-fixed points and forces in world axes, all moved by the same rigid motion."""
    return same_after(made, Drawn(moved(made.system), tuple(made.states)), "world moved")


def moved(system: System) -> System:
    """The system in the moved world."""
    bodies = tuple(
        replace(body, joint=(*frame(), *body.joint)) if body.parent is None else body
        for body in system.bodies
    )
    gravity = system.gravity and Gravity(system.gravity.value, turned(system.gravity.direction))
    return replace(system, bodies=bodies, gravity=gravity, forces=tuple(map(_force, system.forces)))


def turned(v: Vector) -> Vector:
    """R v."""
    x, y, z = (sum((r * c for r, c in zip(row, v, strict=True)), ZERO) for row in ROWS)
    return x, y, z


def _point(point: Point) -> Point:
    if point.body is not None:
        return point
    x, y, z = (a + p for a, p in zip(ARM, turned(point.position), strict=True))
    return Point(None, (x, y, z))


def _frame(end: Frame) -> Frame:
    return end if end.body is not None else Frame(None, (*frame(), *end.transformations))


def _force(force: Force) -> Force:
    if isinstance(force, JointEffort):
        return force
    if isinstance(force, Bipolar):
        return replace(force, first=_point(force.first), second=_point(force.second))
    if isinstance(force, (Bushing, Torsion)):
        return replace(force, first=_frame(force.first), second=_frame(force.second))
    return replace(force, point=_point(force.point), force=turned(force.force))
