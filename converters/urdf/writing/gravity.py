"""Gravity of a URDF is 9.81 m/s² along -z of the fixed frame: the world of a model is turned for it."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.converters.constants import Numbers
from mbconcord.model import Constant, ElementaryTransformation, Loss, System, rotation
from mbconcord.model.expressions import MINUS_ONE, ONE, PI_NODE, ZERO, Expression, apply, number, sqrt

from ..vocabulary import GRAVITY


def gravity(system: System, numbers: Numbers, losses: list[Loss]) -> tuple[ElementaryTransformation, ...]:
    """The turn of the fixed frame after which things fall along -z, and what of gravity is lost."""
    losses += _size(system, numbers)
    if system.gravity is None:
        return ()
    x, y, z = system.gravity.direction
    if z is MINUS_ONE:
        return ()
    direction = ", ".join(map(str, (x, y, z)))
    what = f"that things fall along ({direction}) of the fixed frame"
    losses.append(Loss("gravity", what, "in a URDF they fall along -z: the fixed frame is turned"))
    if z is ONE:
        return (rotation("x", PI_NODE),)
    across = sqrt(x * x + y * y)
    angle: Expression = PI_NODE / 2 if z is ZERO else apply("atan2", across, -z)
    return (rotation((-y, x, ZERO), Constant(angle)),)


def _size(system: System, numbers: Numbers) -> Iterator[Loss]:
    reason = f"programs that read a URDF take {GRAVITY} m/s²"
    size = ZERO if system.gravity is None else numbers.value("gravity", system.gravity.value)
    if not size:
        yield Loss("gravity", "the absence of gravity", reason)
    elif size is not number(GRAVITY):
        yield Loss("gravity", f"the size {numbers.text('gravity', size)} m/s² of gravity", reason)
