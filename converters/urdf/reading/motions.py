"""The coordinates of a joint: how each type moves, behind its origin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mbconcord.model import ElementaryTransformation, rotation, translation
from mbconcord.model.expressions import MINUS_ONE, ONE, ZERO, Expression
from mbconcord.model.transformation import Vector, unit_vector

from ..vocabulary import FLOATING, PLANAR


def motion(
    kind: str, name: str, axis: Callable[[], Sequence[Expression] | None]
) -> tuple[ElementaryTransformation, ...]:
    """The transformations of a joint of a type, its coordinates called after it.

    ``axis`` is asked where one matters; None: it was refused.
    """
    if kind == "fixed":
        return ()
    if kind == "floating":
        return floating(name)
    direction = axis()
    if direction is None:
        return ()
    if kind == "planar":
        return planar(name, unit_vector(direction))
    return ((translation if kind == "prismatic" else rotation)(direction, name),)


def planar(name: str, axis: Vector) -> tuple[ElementaryTransformation, ...]:
    """Shifts along R x and R y, then a turn about R z: R is the smallest turn that takes z to the axis.

    R = E + [v]× + [v]×² / (1 + z) with v = ẑ × a = (-a_y, a_x, 0); half a turn about x where the axis is -z.
    """
    x, y, z = axis
    if z is MINUS_ONE:
        first: Vector = (ONE, ZERO, ZERO)
        second: Vector = (ZERO, MINUS_ONE, ZERO)
    else:
        first = (1 - x * x / (1 + z), -(x * y) / (1 + z), -x)
        second = (-(x * y) / (1 + z), 1 - y * y / (1 + z), -y)
    along, across, turn = (name + ending for ending in PLANAR)
    return translation(first, along), translation(second, across), rotation(axis, turn)


def floating(name: str) -> tuple[ElementaryTransformation, ...]:
    """Three shifts and the turns rz ry rx; at a quarter turn about y the turns rz and rx are one."""
    along = (translation(axis, name + ending) for axis, ending in zip("xyz", FLOATING, strict=False))
    about = (rotation(axis, name + ending) for axis, ending in zip("zyx", FLOATING[3:], strict=True))
    return (*along, *about)
