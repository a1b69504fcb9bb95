"""Transformations as letters: axes, and general axes as conjugations by constant rotations.

A rotation or coordinate about a general unit axis a is R E R⁻¹, where E is the same about a coordinate axis
e and the rotation R takes e to a: ``n(ψ) m(θ) z m(-θ) n(-ψ)``. A constant shift along a general axis is a
shift by its components.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mbconcord.model import Constant, ElementaryTransformation, rotation, translation
from mbconcord.model.expressions import ONE, ZERO, Expression, apply, sqrt
from mbconcord.model.transformation import AXES, Vector

SHIFTS = "ijk"
TURNS = "lmn"


def axis_index(axis: Vector) -> int | None:
    """0, 1, 2 for ±x, ±y, ±z; None for any other axis."""
    index = [i for i, part in enumerate(axis) if part]
    return index[0] if len(index) == 1 and axis[index[0]] in (ONE, -ONE) else None


def degree_letter(et: ElementaryTransformation) -> str:
    """The letter of a coordinate: of its own axis, or of that which its conjugation turns to it."""
    core = next(part for part in on_axes(et) if part.coordinate is not None)
    index = axis_index(core.axis)
    assert index is not None
    return ("uvw" if et.is_translation else "xyz")[index]


def on_axes(et: ElementaryTransformation) -> Iterator[ElementaryTransformation]:
    """Transformations along and about coordinate axes that together are the given one.

    Constant ones are along and about +x, +y, +z; a coordinate keeps the sign of its axis.
    """
    index = axis_index(et.axis)
    if et.coordinate is None and et.is_translation:
        for axis, part in zip("xyz", et.axis, strict=True):
            if part:
                yield translation(axis, et.amount * part)
    elif index is not None:
        if et.coordinate is None and et.axis[index] is not ONE:
            yield rotation("xyz"[index], -et.amount)
        else:
            yield et
    else:
        before, core = _tilt(et.axis)
        yield from (rotation(axis, Constant(angle)) for axis, angle in before)
        yield replace(et, axis=AXES[core])
        yield from (rotation(axis, Constant(-angle)) for axis, angle in reversed(before))


def _tilt(axis: Vector) -> tuple[list[tuple[str, Expression]], str]:
    """Rotations that take a coordinate axis to the given one, and which axis that is."""
    x, y, z = axis
    if z is ZERO:
        return [("z", apply("atan2", y, x))], "x"
    if y is ZERO:
        return [("y", apply("atan2", x, z))], "z"
    if x is ZERO:
        return [("x", apply("atan2", z, y))], "y"
    return [("z", apply("atan2", y, x)), ("y", apply("atan2", sqrt(x * x + y * y), z))], "z"
