"""Degrees, exactly: the initial position of a rotational coordinate is written in degrees."""

from __future__ import annotations

from fractions import Fraction

from mbconcord.model.expressions import PI_NODE, Expression, number

RADIAN_PER_DEGREE = number(Fraction(1, 180)) * PI_NODE
DEGREE_PER_RADIAN = number(180) / PI_NODE


def to_radians(angle: Expression) -> Expression:
    """The angle in radians of one in degrees; :func:`to_degrees` undoes it exactly."""
    return _scaled(angle, RADIAN_PER_DEGREE, DEGREE_PER_RADIAN, PI_NODE**-1, Fraction(1, 180))


def to_degrees(angle: Expression) -> Expression:
    """The angle in degrees of one in radians; :func:`to_radians` undoes it exactly."""
    return _scaled(angle, DEGREE_PER_RADIAN, RADIAN_PER_DEGREE, PI_NODE, Fraction(180))


def _scaled(
    angle: Expression, factor: Expression, inverse: Expression, unit: Expression, per: Fraction
) -> Expression:
    """``angle * factor``; where the angle already holds the inverse factor, that is taken away instead."""
    if angle.op == "neg":
        return -_scaled(angle.args[0], factor, inverse, unit, per)
    if angle is unit:
        return number(per)
    if angle.op == "mul":
        first, second = angle.args
        if inverse in (first, second):
            return second if first is inverse else first
        if first.op == "num" and second is unit:
            return number(first.value * per)
    return angle * factor
