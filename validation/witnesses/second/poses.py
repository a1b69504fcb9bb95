"""Poses of frames as 4×4 matrices with two rates in time, multiplied out step by step.

T = [R r; 0 1],  (A B)' = A' B + A B',  (A B)'' = A'' B + 2 A' B' + A B''
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .machine import SecondStep, Steps, Triple, UnreadError

Array = NDArray[np.float64]
#: Position, rate and second rate of a coordinate.
Motion = Callable[[str], tuple[float, float, float]]


@dataclass(frozen=True)
class SecondPose:
    """A pose (4, 4), its rates, and its derivatives by coordinates."""

    T: Array
    rate: Array
    second: Array
    by: Mapping[str, Array] = field(default_factory=dict)

    def then(self, other: SecondPose) -> SecondPose:
        """Return the composition of this pose with another in its frame."""
        by = {q: d @ other.T for q, d in self.by.items()}
        for q, d in other.by.items():
            by[q] = by.get(q, 0) + self.T @ d
        second = self.second @ other.T + 2 * self.rate @ other.rate + self.T @ other.second
        return SecondPose(self.T @ other.T, self.rate @ other.T + self.T @ other.rate, second, by)


FIXED = SecondPose(np.eye(4), np.zeros((4, 4)), np.zeros((4, 4)))


def resting(name: str) -> tuple[float, float, float]:
    """Refuse the coordinates of steps that must have none."""
    raise UnreadError(f"the coordinate {name} where a point is fixed")


def follow(steps: Steps, motion: Motion) -> SecondPose:
    """Return the pose after steps."""
    found = FIXED
    for step in steps:
        found = found.then(_pose(step, motion))
    return found


def end_of(steps: Steps) -> Triple:
    """Return the point after steps without coordinates."""
    found = follow(steps, resting)
    if found.rate.any():
        raise UnreadError("a point that moves by itself")
    return tuple(float(x) for x in found.T[:3, 3])  # type: ignore[return-value]


def _pose(step: SecondStep, motion: Motion) -> SecondPose:
    x, dx, ddx = motion(step.coordinate) if step.coordinate else step.amount
    T, first, second = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
    if step.turn:
        u, v, w = step.axis
        K = np.array([[0.0, -w, v], [w, 0.0, -u], [-v, u, 0.0]])
        s, c = np.sin(x), np.cos(x)
        T[:3, :3] += s * K + (1 - c) * K @ K
        first[:3, :3] = c * K + s * K @ K
        second[:3, :3] = -s * K + c * K @ K
    else:
        T[:3, 3] = np.array(step.axis) * x
        first[:3, 3] = step.axis
    ddx += sum(slope * motion(name)[2] for name, slope in step.slopes.items())
    by = {step.coordinate: first} if step.coordinate else {name: slope * first for name, slope in step.slopes.items()}
    return SecondPose(T, first * dx, first * ddx + second * dx * dx, by)
