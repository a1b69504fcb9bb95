"""Parts with kinetic energy: the bodies, and the flywheels on them, each of which is one more rigid body.

A flywheel's frame is its carrier's, mounted and rotated about its own z axis by the known angle ψ(t):

    T_f = T · T_mounting · T_z(ψ(t)) ,

one more product (11). It adds no coordinate: its ψ' and ψ'' enter h, and its weight enters gravity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbconcord.model import AddedInertia, Body, ElasticModes, ElementaryTransformation, Flywheel, Inertia, rotation
from mbconcord.model.expressions import Expression
from mbconcord.records import dataclass

from .kinematics import Frame


@dataclass(frozen=True, slots=True)
class Part:
    """A body or a flywheel.

    Attributes
    ----------
    label : of the body its number in the model, 2; of a flywheel on it 2f1
    frame, inertia : its motion, and its inertia in that frame
    carried : mass that its joint, or mounting, carries (kg)
    medium : added inertia of the fluid around it, or None
    modes : of an elastic body, or None
    """

    label: str
    frame: Frame
    inertia: Inertia
    carried: Expression
    medium: AddedInertia | None = None
    modes: ElasticModes | None = None


def moving_parts(bodies: Sequence[Body], frames: Mapping[str | None, Frame]) -> list[Part]:
    """List the bodies in order, each followed by its flywheels."""
    carried = carried_masses(bodies)
    found: list[Part] = []
    for k, body in enumerate(bodies, 1):
        frame = frames[body.name]
        found.append(Part(str(k), frame, body.inertia, carried[body.name], body.added_inertia, body.modes))
        for f, wheel in enumerate(body.flywheels, 1):
            turning = frame.follow(wheel_steps(wheel))
            found.append(Part(f"{k}f{f}", turning, wheel.inertia, wheel.inertia.mass))
    return found


def wheel_steps(wheel: Flywheel) -> tuple[ElementaryTransformation, ...]:
    """Return the transformations from the carrier's frame to that of a flywheel."""
    return (*wheel.mounting, rotation("z", wheel.angle))


def carried_masses(bodies: Sequence[Body]) -> dict[str, Expression]:
    """Sum the mass of each body with its flywheels and all that it carries (kg)."""
    carried: dict[str, Expression] = {}
    for body in bodies:
        carried[body.name] = sum((wheel.inertia.mass for wheel in body.flywheels), body.inertia.mass)
    for body in reversed(bodies):
        if body.parent is not None:
            carried[body.parent] += carried[body.name]
    return carried
