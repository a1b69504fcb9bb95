"""A model of bodies in a fluid that carry flywheels."""

from __future__ import annotations

from fractions import Fraction

from mbconcord.model import (
    AddedInertia,
    Body,
    Constant,
    Coordinate,
    Flywheel,
    Gravity,
    Inertia,
    Prescribed,
    System,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import TIME, Expression, as_expression, cos, sin
from mbconcord.model.inertia import tensor
from mbconcord.model.transformation import vector

#: Rotors that one defect each makes unsteady: coordinates of the centre, then the tensor.
DEFECTS = {
    "asymmetric": ((0, 0, 1), (3, 4, 5, 0, 0, 0)),
    "skewed": ((0, 0, 1), (3, 3, 5, 0, 1, 0)),
    "unbalanced": ((0, 2, 1), (3, 3, 5, 0, 0, 0)),
}


def gyrostats() -> System:
    """A free hull in a fluid with two flywheels, a fin in the fluid on it, and a gyrostat in the air on the fin.

    The flywheels are unbalanced and of three different moments, mounted off the axes, and change their speed; three
    small ones have one defect each. Λ is full. The fin also moves by a prescribed law.
    """
    free = (
        *(translation(axis, name) for axis, name in zip("xyz", ("x", "y", "z"), strict=True)),
        *(rotation(axis, name) for axis, name in zip("xyz", ("roll", "pitch", "yaw"), strict=True)),
    )
    fin = (
        *shift(_numbers("0.8", "-0.3", "0.2")),
        rotation((1, 2, 2), Prescribed(sin(2 * TIME))),
        rotation("y", "fin"),
    )
    mast = (*shift(_numbers("-0.2", "0.5", "0.4")), rotation("x", "tilt"), translation("z", "reach"))
    bodies = (
        Body("hull", None, free, _inertia(1), _fluid(1), (
            _wheel("main", 2, 7 * TIME + cos(3 * TIME)), _wheel("side", 3, 2 * TIME * TIME - TIME),
        )),
        Body("fin", "hull", fin, _inertia(2), _fluid(2)),
        Body("mast", "fin", mast, _inertia(3), None, (
            _wheel("top", 4, sin(TIME) - 3 * TIME * TIME), *map(_rotor, DEFECTS, DEFECTS.values()),
        )),
    )  # fmt: skip
    names = ("x", "y", "z", "roll", "pitch", "yaw", "fin", "tilt", "reach")
    gravity = Gravity(as_expression(9.81), vector((1, -2, -6)))
    return System("gyrostats in a fluid", tuple(map(Coordinate, names)), gravity=gravity, bodies=bodies)


def _inertia(i: int) -> Inertia:
    """Different for every body and physical: each moment is less than the other two together."""
    moments = [Fraction(i + k, 10) + 1 for k in range(3)]
    products = [Fraction(i, 20), Fraction(-1, 5 + i), Fraction(1, 10 + i)]
    return Inertia(as_expression(Fraction(3, i)), vector(_numbers(f"0.{i}", "-0.3", f"0.{9 - i}")),
                   tensor((*moments, *products)))  # fmt: skip


def _wheel(name: str, i: int, angle: Expression) -> Flywheel:
    tilts = (
        rotation((1, -2, 2), Constant(as_expression(Fraction(i, 5)))),
        rotation("x", Constant(as_expression(Fraction(-7, 10)))),
    )
    return Flywheel(name, (*shift(_numbers("0.3", f"-0.{i}", "0.25")), *tilts), _inertia(i), angle)


def _rotor(name: str, defect: tuple[tuple[int, ...], tuple[int, ...]]) -> Flywheel:
    centre, moments = (tuple(Fraction(x, 10) for x in numbers) for numbers in defect)
    inertia = Inertia(as_expression(Fraction(1, 2)), vector(centre), tensor(moments))
    return Flywheel(name, (rotation("y", Constant(as_expression(Fraction(2, 5)))),), inertia, 5 * TIME)


def _fluid(i: int) -> AddedInertia:
    """Full and diagonally dominant: positive definite."""
    rows = [[Fraction((3 * a * b + a + b + i) % 7 - 3, 8) for b in range(6)] for a in range(6)]
    for a in range(6):
        rows[a][a] = Fraction(5 + a, 2) + i
    return AddedInertia(tuple(tuple(map(as_expression, row)) for row in rows))


def _numbers(*texts: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts))
