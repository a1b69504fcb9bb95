"""Motion of frames and points at N states, with the sizes of every vector's terms: the values of kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.records import dataclass, replace

Array = NDArray[Any]


@dataclass(frozen=True)
class MotionNumbers:
    """Motion of a frame (or of a point fixed in it) at N states, n coordinates.

    Attributes
    ----------
    rotation (N, 3, 3), position (N, 3) : columns of the rotation are the frame's axes in world axes
    spin, velocity (N, 3) : angular velocity, velocity of the origin; prescribed motion included
    spin_rate, acceleration (N, 3) : their rates at q'' = 0
    turning, moving (N, 3, n) : Jacobians of spin and velocity with respect to q'
    path, speed, turn_speed, shaking, turn_shaking (N,) : sums of the absolute values of the terms of position,
        velocity, spin, acceleration and spin rate lever, turns (N, n) : the same sums for the columns of the Jacobians
    of velocity and spin
    """

    rotation: Array
    position: Array
    spin: Array
    velocity: Array
    spin_rate: Array
    acceleration: Array
    turning: Array
    moving: Array
    path: Array
    speed: Array
    turn_speed: Array
    shaking: Array
    turn_shaking: Array
    lever: Array
    turns: Array

    def shift(self, arm: Array) -> MotionNumbers:
        """Return the motion of the point at ``arm`` (N, 3) in this frame."""
        r = rotate(self.rotation, arm)
        length = norm(arm)
        w = self.spin
        return replace(
            self,
            position=self.position + r,
            velocity=self.velocity + cross(w, r),
            acceleration=self.acceleration + cross(self.spin_rate, r) + cross(w, cross(w, r)),
            moving=self.moving + cross(self.turning, r[:, :, None]),
            path=self.path + length,
            speed=self.speed + self.turn_speed * length,
            shaking=self.shaking + (self.turn_shaking + self.turn_speed**2) * length,
            lever=self.lever + self.turns * length[:, None],
        )


def fixed_frame(count: int, n: int) -> MotionNumbers:
    """Return the fixed frame."""
    v, s, k = np.zeros((count, 3)), np.zeros(count), np.zeros((count, n))
    j = np.zeros((count, 3, n))
    eye = np.broadcast_to(np.eye(3), (count, 3, 3))
    return MotionNumbers(eye, v, v, v, v, v, j, j, s, s, s, s, s, k, k)


def rotate(matrices: Array, vectors: Array) -> Array:
    """Multiply matrices (N, k, l) by vectors (N, l)."""
    return np.asarray(np.einsum("sij,sj->si", matrices, vectors))


def cross(a: Array, b: Array) -> Array:
    """Return a × b of vectors (N, 3) or (N, 3, n), by components: five times as fast as NumPy's for few vectors."""
    parts = ((1, 2), (2, 0), (0, 1))
    return np.stack([a[:, i] * b[:, j] - a[:, j] * b[:, i] for i, j in parts], axis=1)


def norm(vectors: Array) -> Array:
    """Compute Euclidean norms (N,) of vectors (N, k) without overflow or underflow of squares."""
    size = np.max(np.abs(vectors), axis=1, initial=0.0)
    unit = np.where((size > 0) & np.isfinite(size), size, 1.0)
    return np.asarray(unit * np.linalg.norm(vectors / unit[:, None], axis=1))
