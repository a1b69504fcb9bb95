"""Motion of frames: a pose, its first two rates along the motion, and its derivatives by the coordinates.

Every elementary transformation is multiplied out as the matrix it is; angular velocities are read off the
skew-symmetric Ṙ Rᵀ. World axes, S states, n coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from mbconcord.model.transformation import Constant, ElementaryTransformation, Mapped, Prescribed, Variable
from mbconcord.records import dataclass, replace

from .formulas import SeriesFormulas
from .series import Array, Series

#: What moves an amount: a coordinate's number; coordinates' numbers with a map's slopes (S,) by them; None: nothing.
Moved = int | Mapping[int, Array] | None


@dataclass(frozen=True)
class FrameMotion:
    """Pose of a frame: R (S, 3, 3) with the frame's axes as columns, origin r (S, 3); rates and derivatives.

    ``dR``, ``ddR``, ``dr``, ``ddr`` are rates along the motion; ``R_q`` (S, k, 3, 3), ``r_q`` (S, k, 3) are
    derivatives by the coordinates numbered ``moved``, those between the fixed frame and this one.
    """

    R: Array
    dR: Array
    ddR: Array
    r: Array
    dr: Array
    ddr: Array
    R_q: Array
    r_q: Array
    moved: tuple[int, ...]

    @cached_property
    def spin(self) -> Array:
        """Angular velocity (S, 3): Ṙ Rᵀ = ω×."""
        return _axial(self.dR @ _t(self.R))

    @cached_property
    def spin_rate(self) -> Array:
        """Angular acceleration (S, 3): R̈ Rᵀ + Ṙ Ṙᵀ = α×."""
        return _axial(self.ddR @ _t(self.R) + self.dR @ _t(self.dR))

    @cached_property
    def turns(self) -> Array:
        """Columns of the Jacobian of the angular velocity (S, 3, k)."""
        return _axial(self.R_q @ _t(self.R)[:, None]).swapaxes(1, 2)

    @cached_property
    def moves(self) -> Array:
        """Columns of the Jacobian of the origin's velocity (S, 3, k)."""
        return self.r_q.swapaxes(1, 2)

    def point(self, at: Array) -> FrameMotion:
        """Return the parallel frame whose origin is the point ``at`` (S, 3), given in this frame and fixed in it."""
        r, dr, ddr = self.r + rotate(self.R, at), self.dr + rotate(self.dR, at), self.ddr + rotate(self.ddR, at)
        r_q = self.r_q + np.einsum("skij,sj->ski", self.R_q, at)
        return FrameMotion(self.R, self.dR, self.ddR, r, dr, ddr, self.R_q, r_q, self.moved)

    def shift(self, direction: Array, s: Series, number: Moved) -> FrameMotion:
        """Return the frame shifted by s along a unit vector in its own axes; ``number`` tells what moves s."""
        x, dx, ddx = s.c[0][:, None], s.c[1][:, None], 2 * s.c[2][:, None]
        along, rate, second = (rotate(m, direction) for m in (self.R, self.dR, self.ddR))
        slopes = _list_slopes(number)
        own = self._add_coordinates(slopes)
        r_q = own.r_q + np.einsum("skij,sj->ski", own.R_q, direction) * x[:, None]
        if number is None and not (dx.any() or ddx.any()):
            r, dr, ddr = self.r + along * x, self.dr + rate * x, self.ddr + second * x
            return FrameMotion(self.R, self.dR, self.ddR, r, dr, ddr, self.R_q, r_q, self.moved)
        for i, slope in slopes.items():
            r_q[:, own.moved.index(i)] += along * slope
        r, dr = self.r + along * x, self.dr + rate * x + along * dx
        ddr = self.ddr + second * x + 2 * rate * dx + along * ddx
        return FrameMotion(self.R, self.dR, self.ddR, r, dr, ddr, own.R_q, r_q, own.moved)

    def rotate(self, direction: Array, s: Series, number: Moved) -> FrameMotion:
        """Return the frame rotated by s about a unit vector in its own axes: R E(s), right-handed."""
        E, E1, E2 = rotation(direction, s.c[0])
        ds, dds = s.c[1][:, None, None], 2 * s.c[2][:, None, None]
        dE, ddE = E1 * ds, E2 * ds**2 + E1 * dds
        slopes = _list_slopes(number)
        own = self._add_coordinates(slopes)
        R_q = own.R_q @ E[:, None]
        for i, slope in slopes.items():
            R_q[:, own.moved.index(i)] += (self.R @ E1) * slope[..., None]
        dR, ddR = self.dR @ E + self.R @ dE, self.ddR @ E + 2 * self.dR @ dE + self.R @ ddE
        return FrameMotion(self.R @ E, dR, ddR, self.r, self.dr, self.ddr, R_q, own.r_q, own.moved)

    def _add_coordinates(self, numbers: Iterable[int]) -> FrameMotion:
        """Return the frame with room, filled with zeros, for its derivatives by more coordinates."""
        more = tuple(number for number in numbers if number not in self.moved)
        if not more:
            return self
        room, k = len(self.R), len(more)
        return replace(
            self,
            R_q=np.concatenate([self.R_q, np.zeros((room, k, 3, 3))], axis=1),
            r_q=np.concatenate([self.r_q, np.zeros((room, k, 3))], axis=1),
            moved=(*self.moved, *more),
        )


def fixed_frame(states: int) -> FrameMotion:
    """Return the motion of the fixed frame at a number of states: it rests."""
    eye, zero = np.tile(np.eye(3), (states, 1, 1)), np.zeros((states, 3))
    none = np.zeros((states, 3, 3))
    return FrameMotion(eye, none, none, zero, zero, zero, np.zeros((states, 0, 3, 3)), np.zeros((states, 0, 3)), ())


def follow_joint(
    frame: FrameMotion, joint: Sequence[ElementaryTransformation], names: Sequence[str], formulas: SeriesFormulas
) -> FrameMotion:
    """Return the frame after a joint: its transformations from left to right, each in the axes left by the last."""
    for step in joint:
        direction = formulas.values(step.axis)
        number, amount = expand_amount(step.motion, names, formulas)
        if step.kind == "translation":
            frame = frame.shift(direction, amount, number)
        else:
            frame = frame.rotate(direction, amount, number)
    return frame


def expand_amount(
    motion: Constant | Variable | Prescribed | Mapped, names: Sequence[str], formulas: SeriesFormulas
) -> tuple[Moved, Series]:
    """Return what moves a shift or angle (a coordinate's number, slopes of a map, or None), and its series in time."""
    if isinstance(motion, Variable):
        return names.index(motion.coordinate), formulas.symbols[motion.coordinate]
    if isinstance(motion, Mapped):
        slopes = {names.index(name): formulas.slope(motion.value, name) for name in motion.coordinates}
        return slopes, formulas.expand(motion.value)
    return None, formulas.expand(motion.value)


def _list_slopes(number: Moved) -> Mapping[int, Array]:
    """Return derivatives (S, 1) or (1, 1) of an amount, by number of the coordinates that move it."""
    if isinstance(number, int):
        return {number: np.ones((1, 1))}
    return {i: slope[:, None] for i, slope in (number or {}).items()}


def rotation(direction: Array, angle: Array) -> tuple[Array, Array, Array]:
    """Return Rodrigues' rotation matrix about a direction (S, 3, 3), and its first two derivatives by the angle."""
    cross = np.zeros((*direction.shape, 3))
    cross[:, (2, 0, 1), (1, 2, 0)], cross[:, (1, 2, 0), (2, 0, 1)] = direction, -direction
    twice = direction[:, :, None] * direction[:, None] - np.eye(3) * np.sum(direction**2, axis=1)[:, None, None]
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * cross + (1 - c) * twice, c * cross + s * twice, c * twice - s * cross


def _axial(matrix: Array) -> Array:
    """Return the vector w (…, 3) whose cross-product matrix w× is the skew-symmetric part of a matrix."""
    skew = matrix - _t(matrix)
    return np.ascontiguousarray(skew[..., [2, 0, 1], [1, 2, 0]]) / 2


def _t(matrix: Array) -> Array:
    return np.asarray(np.swapaxes(matrix, -1, -2))


def rotate(matrix: Array, vector: Array) -> Array:
    """Multiply matrices (N, k, k) by vectors (N, k)."""
    return np.asarray(np.einsum("sij,sj->si", matrix, vector))
