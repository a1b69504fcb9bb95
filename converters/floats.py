"""Constant transformations in floats: poses, and floats as decimals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import ElementaryTransformation, rotation, shift
from mbconcord.model.checks.scope import is_representable
from mbconcord.model.expressions import Expression, ExpressionError, number
from mbconcord.model.expressions.evaluate import evaluate_float
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.traversal import symbols
from mbconcord.model.limits import COUNT_DIGITS
from mbconcord.model.numerals import hint
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass

# Formulas of numbers alone that stand where a number is read, such as ``pi/2``.


def number_hint(text: str) -> str:
    """Suggest a number in place of a text that is not one; empty if there is no suggestion."""
    return hint(text) or _value(text.strip())


def _value(text: str) -> str:
    if not re.search(r"[0-9]|pi", text) or re.search(rf"[0-9]{{{COUNT_DIGITS},}}|\^", text):
        return ""
    try:
        formula = parse_formula(text)
        return "" if symbols([formula]) else f"a number, no formula: write {evaluate_float(formula, {})!r}"
    except Exception:  # whatever is wrong with a text that is no formula either
        return ""


# Numbers that a person writes: in options of the command line, in files of states, parameters and settings.


class NumeralError(ValueError):
    """A text that is not a number; ``remedy`` is what was probably meant, or empty."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


def exact(text: str) -> Fraction:
    """Parse the number in a text exactly.

    Raises
    ------
    NumeralError
        The text is no finite number, or the number is beyond the range of floats (infinite, or zero though it is not).
    """
    try:
        value: Fraction = number(text).value
    except ExpressionError:
        raise NumeralError(f"{text!r:.40} is not a finite number", number_hint(text)) from None
    if not is_representable(value):
        raise NumeralError(f"{text!r:.40} is beyond the range of floats", "from 2.3e-308 to 1.7e308")
    return value


Array = NDArray[np.float64]


@dataclass(frozen=True)
class FloatPose:
    """A frame in another, in floats: rotation (3, 3), with its axes as columns, and origin (3,)."""

    R: Array
    p: Array

    def then(self, other: FloatPose) -> FloatPose:
        """Return the pose of ``other``, which is given in this frame, in the frame in which this one is given."""
        return FloatPose(self.R @ other.R, self.p + self.R @ other.p)

    def seen_from(self, other: FloatPose) -> FloatPose:
        """Return the pose of this frame in ``other``; both are given in the same frame."""
        return FloatPose(other.R.T @ self.R, other.R.T @ (self.p - other.p))


HERE = FloatPose(np.eye(3), np.zeros(3))


def compose_pose(steps: Iterable[ElementaryTransformation]) -> FloatPose:
    """Return the pose of the frame to which constant transformations lead, from left to right."""
    R, p = np.eye(3), np.zeros(3)
    for et in steps:
        amount = real(et.amount)
        axis = np.array([real(x) for x in et.axis])
        if et.is_translation:
            p = p + R @ (axis * amount)
        else:
            R = R @ rotation_about(axis, amount)
    return FloatPose(R, p)


def rotation_about(axis: Array, angle: float) -> Array:
    """Return the rotation by Rodrigues: E + sin K + (1 - cos) K² of the unit vector, K = axis ×."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K))


def decimals(values: Iterable[Any]) -> list[Expression]:
    """Convert floats to the shortest decimals that identify them."""
    return [decimal_of(float(x)) for x in values]


def real(value: Expression) -> float:
    """Evaluate a constant formula to a float."""
    return float(value.value) if value.op == "num" else float(evaluate_float(value, {}))


def decimal_of(value: float) -> Expression:
    """Convert a float to the shortest decimal that identifies it."""
    return number(repr(float(value)))


# Poses in floats as transformations.


def turned_to(R: Array) -> tuple[ElementaryTransformation, ...]:
    """Return one rotation about an axis for a rotation matrix; no rotation for the identity."""
    w, *v = quaternion(R)
    length = float(np.linalg.norm(v))
    if length < 1e-16:
        return ()
    return (rotation([decimal_of(x) for x in v], decimal_of(2 * float(np.arctan2(length, w)))),)


def quaternion(R: Array) -> Array:
    """Return the quaternion (w, x, y, z) of a rotation matrix, w ≥ 0, from its largest component."""
    trace = np.trace(R)
    squares = np.array([1 + trace, *(1 + 2 * R[i, i] - trace for i in range(3))])
    k = int(np.argmax(squares))
    q = np.empty(4)
    q[k] = np.sqrt(squares[k]) / 2
    off = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    for i in range(4):
        if i == k:
            continue
        if 0 in (i, k):
            q[i] = off[max(i, k) - 1] / (4 * q[k])
        else:
            q[i] = (R[i - 1, k - 1] + R[k - 1, i - 1]) / (4 * q[k])
    q = q / np.linalg.norm(q)
    return np.asarray(-q if q[0] < 0 else q)


def to_steps(pose: FloatPose) -> tuple[ElementaryTransformation, ...]:
    """Convert a pose in floats to transformations."""
    return (*shift(vector(decimals(pose.p))), *turned_to(pose.R))
