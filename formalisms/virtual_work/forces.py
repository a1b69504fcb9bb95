"""What acts on the bodies: loads at their points, and efforts along coordinates."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model.coordinate import Effort
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import Expression, sqrt
from mbconcord.model.force import Bipolar, JointEffort, Point, Wrench
from mbconcord.model.system import System

from .kinematics import Kinematics
from .vectors import NONE, Triple, dot, minus, times, to_world

Load = tuple[str | None, Triple, Triple, Triple]


def forces(
    system: System, frames: Mapping[str | None, Kinematics]
) -> tuple[list[Load], list[tuple[str, Expression]]]:
    """What acts on the bodies, and efforts along coordinates, which are generalized forces by themselves.

    A load: a body, an arm from its origin, a force, and a moment (in body axes; the others in world axes).
    """
    loads: list[Load] = []
    efforts = [(c.name, c.drive.value) for c in system.coordinates if isinstance(c.drive, Effort)]
    for force in system.forces:
        if isinstance(force, JointEffort):
            efforts.append((force.coordinate, force.expression()))
        elif isinstance(force, Bipolar):
            loads += bipolar(force, frames)
        else:
            moment = force.moment if isinstance(force, Wrench) else NONE
            loads.append((force.point.body, arm(force.point, frames), force.force, moment))
    return loads, efforts


def arm(point: Point, frames: Mapping[str | None, Kinematics]) -> Triple:
    """From the origin of the point's body to the point, in world axes."""
    return to_world(frames[point.body].A, point.position)


def bipolar(force: Bipolar, frames: Mapping[str | None, Kinematics]) -> list[Load]:
    """The two forces of a bipolar element: a positive one pushes its points apart."""
    arms = arm(force.first, frames), arm(force.second, frames)
    first, second = frames[force.first.body].at(arms[0]), frames[force.second.body].at(arms[1])
    apart = minus(second.r, first.r)
    length = sqrt(dot(apart, apart))
    if not length:
        raise FormalismError(
            error(f"forces/{force.name}", "its two points coincide: no line between them", "move one of them")
        )
    along = times(1 / length, apart)
    growth = dot(along, minus(second.v, first.v))
    pull = times(force.force(length, growth), along)
    return [
        (force.first.body, arms[0], minus(NONE, pull), NONE),
        (force.second.body, arms[1], pull, NONE),
    ]
