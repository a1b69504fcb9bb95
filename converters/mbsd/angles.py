"""Degrees, exactly: the initial position of a rotational coordinate is written in degrees."""

from __future__ import annotations

from fractions import Fraction

from mbconcord.model.expressions import ONE, PI_NODE, Expression, number

# What a text need not say: default names of parameters and coordinates, and the value of gravity.


STANDARD_GRAVITY = number("9.81")
#: Stems of default names by letter: l, mu, nu instead of l, m, n keep m1 a mass.
STEMS = {"m": "mu", "n": "nu"}


def default_name(letter: str, number: int) -> str:
    """Return the default name of the numbered letter."""
    return f"{STEMS.get(letter, letter)}{number}"


PER_PI = ONE / PI_NODE


def to_radians(angle: Expression) -> Expression:
    """Convert an angle from degrees to radians; :func:`to_degrees` undoes it exactly."""
    return _scale(angle, Fraction(1, 180), PI_NODE, PER_PI)


def to_degrees(angle: Expression) -> Expression:
    """Convert an angle from radians to degrees; :func:`to_radians` undoes it exactly."""
    return _scale(angle, Fraction(180), PER_PI, PI_NODE)


def _scale(angle: Expression, factor: Fraction, unit: Expression, inverse: Expression) -> Expression:
    """Compute ``angle * factor * unit``; if the angle contains the inverse unit, remove that instead."""
    if angle.op == "neg":
        return -_scale(angle.args[0], factor, unit, inverse)
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
