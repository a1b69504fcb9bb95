"""Constant transformations in floats: poses, and floats as decimals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import ElementaryTransformation
from mbconcord.model.expressions import Expression, evaluate_float, number

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pose:
    """A frame in another, in floats: rotation (3, 3), columns are its axes, and origin (3,)."""

    R: Array
    p: Array

    def then(self, other: Pose) -> Pose:
        """The frame that ``other`` is in this one."""
        return Pose(self.R @ other.R, self.p + self.R @ other.p)

    def seen_from(self, other: Pose) -> Pose:
        """The same frame as it is in ``other``."""
        return Pose(other.R.T @ self.R, other.R.T @ (self.p - other.p))


HERE = Pose(np.eye(3), np.zeros(3))


def multiplied(steps: Iterable[ElementaryTransformation]) -> Pose:
    """Constant transformations as a pose."""
    R, p = np.eye(3), np.zeros(3)
    for et in steps:
        amount = real(et.amount)
        axis = np.array([real(x) for x in et.axis])
        if et.is_translation:
            p = p + R @ (axis * amount)
        else:
            R = R @ about(axis, amount)
    return Pose(R, p)


def about(axis: Array, angle: float) -> Array:
    """Rodrigues: E + sin K + (1 - cos) K² of the unit vector, K = axis ×."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K))


def decimals(values: Iterable[Any]) -> list[Expression]:
    """Floats as the shortest decimals that tell them."""
    return [decimal_of(float(x)) for x in values]


def real(value: Expression) -> float:
    """The float of a constant formula."""
    return float(value.value) if value.op == "num" else float(evaluate_float(value, {}))


def decimal_of(value: float) -> Expression:
    """A float as the shortest decimal that tells it."""
    return number(repr(float(value)))
