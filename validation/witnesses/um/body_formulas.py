"""Motion of a model's bodies as formulas: the reference for term-by-term comparison of generated formulas.

Frames by Golomazdin & Dmitrochenko 2022, eqs. (10)-(12); everything else is differentiated from them: velocity
d r/dt, angular velocity from ω× = Rᵀ dR/dt (body axes), columns of the Jacobian and screws ∂/∂q'.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model.expressions import ONE, ZERO, Expression, cos, derivative, rate, sin, time_derivative
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation
from mbconcord.records import dataclass

from .numbers import AXES, TWIST

Vector = tuple[Expression, ...]
Matrix = tuple[Vector, ...]
IDENTITY: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


@dataclass(frozen=True)
class SymbolicFrame:
    """Rotation (columns are the body's axes) and position of a frame, world axes."""

    rotation: Matrix
    position: Vector


def frame(system: System, name: str | None, centred: bool) -> SymbolicFrame:
    """Return the frame of a body, with its origin at the centre of mass if ``centred``."""
    rotation: Matrix = IDENTITY
    position: Vector = (ZERO, ZERO, ZERO)
    for body in system.path(name):
        for et in body.joint:
            if et.is_translation:
                arm = tuple(et.amount * u for u in et.axis)
                position = tuple(p + x for p, x in zip(position, _times(rotation, arm), strict=True))
            else:
                rotation = _product(rotation, turn(et))
    if name is not None and centred:
        arm = system.body(name).inertia.centre
        position = tuple(p + x for p, x in zip(position, _times(rotation, arm), strict=True))
    return SymbolicFrame(rotation, position)


def turn(et: ElementaryTransformation) -> Matrix:
    """Return Rodrigues' formula: cos φ E + (1 - cos φ) u uᵀ + sin φ u×."""
    c, s, u = cos(et.amount), sin(et.amount), et.axis
    skew = ((ZERO, -u[2], u[1]), (u[2], ZERO, -u[0]), (-u[1], u[0], ZERO))
    return tuple(
        tuple(c * IDENTITY[i][j] + (ONE - c) * (u[i] * u[j]) + s * skew[i][j] for j in range(3)) for i in range(3)
    )


def body_formula(system: System, quantity: str, label: str, f: SymbolicFrame) -> Expression | None:
    """Return the formula of one labelled entry; None for quantities without a simple formula here."""
    names = system.coordinate_names
    if quantity == "position":
        return f.position[AXES.index(label)]
    if quantity == "orientation":
        return f.rotation[AXES.index(label[1])][AXES.index(label[0])]
    if quantity == "velocity":
        return time_derivative([f.position[AXES.index(label)]], names)[0]
    if quantity == "angular_velocity":
        return _spin(system, f)[AXES.index(label)]
    if quantity == "acceleration":
        speed = time_derivative([f.position[AXES.index(label)]], names)
        return time_derivative(speed, names)[0]
    if quantity == "angular_acceleration":
        return time_derivative([_spin(system, f)[AXES.index(label)]], names)[0]
    component, _, coordinate = label.partition(" ")
    if quantity == "jacobian":
        axis = TWIST.index(component)
        if axis < 3:
            moved = time_derivative([f.position[axis]], names)[0]
        else:
            moved = _spin(system, f)[axis - 3]
        return derivative(moved, rate(coordinate))
    if quantity == "screws":
        return screw(system, f, coordinate)[TWIST.index(component)] if coordinate in names else ZERO
    return None


def screw(system: System, f: SymbolicFrame, coordinate: str) -> Vector:
    """Compute ∂/∂q' of the velocity v - ω×r of the body's point at the world's origin, and of ω.

    World axes, 6.
    """
    turning = _times(f.rotation, [derivative(w, rate(coordinate)) for w in _spin(system, f)])
    moving = time_derivative(f.position, system.coordinate_names)
    r, columns = f.position, [derivative(v, rate(coordinate)) for v in moving]
    crossed = (
        turning[1] * r[2] - turning[2] * r[1],
        turning[2] * r[0] - turning[0] * r[2],
        turning[0] * r[1] - turning[1] * r[0],
    )
    return (*(v - x for v, x in zip(columns, crossed, strict=True)), *turning)


def _spin(system: System, f: SymbolicFrame) -> Vector:
    columns = tuple(zip(*f.rotation, strict=True))
    rates = time_derivative([x for row in f.rotation for x in row], system.coordinate_names)
    changing = tuple(tuple(rates[3 * i : 3 * i + 3]) for i in range(3))
    skew = _product(columns, changing)
    return skew[2][1], skew[0][2], skew[1][0]


def _times(rows: Matrix, column: Sequence[Expression]) -> Vector:
    return tuple(sum((a * b for a, b in zip(row, column, strict=True)), ZERO) for row in rows)


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = tuple(zip(*b, strict=True))
    return tuple(tuple(sum((x * y for x, y in zip(row, c, strict=True)), ZERO) for c in columns) for row in a)
