"""Constant ways from one frame to another, as steps and as 4×4 matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..machine import Step, Steps, Tensor, Triple, UnreadError, X, Y, Z
from ..poses import Array, reached, resting

AXES = {"x": X, "y": Y, "z": Z}


def unit(vector: Sequence[float]) -> Triple:
    """A direction without its length."""
    x, y, z = vector
    length = math.sqrt(x * x + y * y + z * z)
    if not length:
        raise UnreadError("an axis without a direction")
    return x / length, y / length, z / length


def shift(vector: Sequence[float]) -> Steps:
    """A way straight to a point."""
    length = math.hypot(*vector)
    return (Step(False, unit(vector), (length, 0.0, 0.0)),) if length else ()


def turn(axis: Sequence[float], angle: float) -> Steps:
    """A turn about an axis."""
    return (Step(True, unit(axis), (angle, 0.0, 0.0)),) if angle else ()


def roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> Steps:
    """Turns about fixed axes: x first, then y, then z; of axes turned so far the other way round."""
    return (*turn(Z, yaw), *turn(Y, pitch), *turn(X, roll))


def quaternion(w: float, x: float, y: float, z: float) -> Steps:
    """The turn of a quaternion of any length."""
    size = math.hypot(x, y, z)
    if not size and not w:
        raise UnreadError("a quaternion that is zero")
    return turn((x, y, z), 2 * math.atan2(size, w)) if size else ()


def tilt(direction: Sequence[float]) -> Steps:
    """The smallest turn that takes z to a direction; half a turn about x to the opposite one."""
    x, y, z = unit(direction)
    if not (x or y):
        return turn(X, math.pi) if z < 0 else ()
    return turn((-y, x, 0.0), math.atan2(math.hypot(x, y), z))


def moved(kinds: str, axes: Sequence[Triple], names: Sequence[str]) -> Steps:
    """Coordinates: a shift (s) or a turn (t) along or about each axis."""
    return tuple(Step(k == "t", a, coordinate=n) for k, a, n in zip(kinds, axes, names, strict=True))


def free(names: Sequence[str]) -> Steps:
    """Shifts along x, y, z, then turns about z, y, x; three names are the turns alone."""
    kinds, axes = "sssttt"[-len(names) :], (X, Y, Z, Z, Y, X)[-len(names) :]
    return moved(kinds, axes, names)


def back(steps: Steps) -> Steps:
    """The way back: the last first, each along or about the opposite axis."""
    return tuple(replace(s, axis=(-s.axis[0], -s.axis[1], -s.axis[2])) for s in reversed(steps))


def matrix(steps: Steps) -> Array:
    """The pose (4, 4) that constant steps lead to."""
    return reached(steps, resting).T.copy()


def to(T: Array) -> Steps:
    """Steps to a pose: to its origin, then about z, y and x; what is left by each turn tells the next."""
    R = T[:3, :3]
    yaw = math.atan2(R[1, 0], R[0, 0])
    R = matrix(turn(Z, -yaw))[:3, :3] @ R
    pitch = math.atan2(-R[2, 0], R[0, 0])
    R = matrix(turn(Y, -pitch))[:3, :3] @ R
    roll = math.atan2(R[2, 1], R[2, 2])
    return (*shift([float(x) for x in T[:3, 3]]), *roll_pitch_yaw(roll, pitch, yaw))


def inverse(T: Array) -> Array:
    """The pose of the old frame in the new one."""
    found = np.eye(4)
    found[:3, :3] = T[:3, :3].T
    found[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return found


def seen(tensor: Tensor | Array, R: Array) -> Tensor:
    """A tensor in the axes in which its own are the columns of R."""
    J = R @ np.asarray(tensor) @ R.T
    a, b, c = (tuple(float(x) for x in row) for row in J)
    return a, b, c  # type: ignore[return-value]


def triple(vector: Array) -> Triple:
    """Three floats."""
    return float(vector[0]), float(vector[1]), float(vector[2])
