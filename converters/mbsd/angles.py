"""Degrees, exactly: the initial position of a rotational coordinate is written in degrees."""

from __future__ import annotations

from fractions import Fraction

from mbconcord.model.expressions import ONE, PI_NODE, Expression, number

PER_PI = ONE / PI_NODE


def to_radians(angle: Expression) -> Expression:
    """The angle in radians of one in degrees; :func:`to_degrees` undoes it exactly."""
    return _scaled(angle, Fraction(1, 180), PI_NODE, PER_PI)


def to_degrees(angle: Expression) -> Expression:
    """The angle in degrees of one in radians; :func:`to_radians` undoes it exactly."""
    return _scaled(angle, Fraction(180), PER_PI, PI_NODE)


def _scaled(angle: Expression, factor: Fraction, unit: Expression, inverse: Expression) -> Expression:
    """``angle * factor * unit``; where the angle holds the inverse unit, that is taken away instead."""
    if angle.op == "neg":
        return -_scaled(angle.args[0], factor, unit, inverse)
    if angle.op == "num":
        return number(angle.value * factor) * unit
    size, rest = ONE, angle
    if angle.op == "mul" and angle.args[0].op == "num":
        size, rest = angle.args
    if rest is inverse:
        rest = ONE
    elif rest.op == "mul" and inverse in rest.args:
        rest = rest.args[1] if rest.args[0] is inverse else rest.args[0]
    else:
        rest = rest * unit
    return number(size.value * factor) * rest
