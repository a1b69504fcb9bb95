"""Validation's own kinematics of an open tree: NumPy, world frame, a batch of N states at once.

Shares nothing with the formalisms. Beside every vector stands the sum of the absolute values of what it is
made of, which does not cancel: it is what rounding errors are proportional to.

A flywheel is a body here, welded to its carrier but for the prescribed turn ψ(t) about axis 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.body import Body
from mbconcord.model.expressions import Expression, evaluate, numpy_arithmetic, time_derivative
from mbconcord.model.features import OPEN_TREES, features
from mbconcord.model.force import Point
from mbconcord.model.functions import define
from mbconcord.model.instance import bound
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation, Prescribed, rotation

Array = NDArray[Any]

#: What these kinematics, and the physics built on them, know.
KNOWN = OPEN_TREES | {"flywheels", "added_inertia"}


@dataclass(frozen=True)
class Motion:
    """Motion of a frame (or of a point fixed in it) at N states, n coordinates.

    Attributes
    ----------
    rotation (N, 3, 3), position (N, 3) : columns of the rotation are the frame's axes in world axes
    spin, velocity (N, 3) : angular velocity, velocity of the origin; prescribed motion included
    spin_rate, acceleration (N, 3) : their rates at q'' = 0
    turning, moving (N, 3, n) : Jacobians of spin and velocity with respect to q'
    path, speed, turn_speed, shaking, turn_shaking (N,) : sums of absolute values that position, velocity, spin,
        acceleration and spin rate are made of
    lever, turns (N, n) : the same of the columns of the Jacobians
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

    def shifted(self, arm: Array) -> Motion:
        """The motion of the point at ``arm`` (N, 3) in this frame."""
        r = np.einsum("sij,sj->si", self.rotation, arm)
        length = norm(arm)
        w = self.spin
        return replace(
            self,
            position=self.position + r,
            velocity=self.velocity + np.cross(w, r),
            acceleration=self.acceleration + np.cross(self.spin_rate, r) + np.cross(w, np.cross(w, r)),
            moving=self.moving + np.cross(self.turning, r[:, :, None], axis=1),
            path=self.path + length,
            speed=self.speed + self.turn_speed * length,
            shaking=self.shaking + (self.turn_shaking + self.turn_speed**2) * length,
            lever=self.lever + self.turns * length[:, None],
        )


def fixed_frame(count: int, n: int) -> Motion:
    """The frame that does not move."""
    v, s, k = np.zeros((count, 3)), np.zeros(count), np.zeros((count, n))
    j = np.zeros((count, 3, n))
    eye = np.broadcast_to(np.eye(3), (count, 3, 3))
    return Motion(eye, v, v, v, v, v, j, j, s, s, s, s, s, k, k)


class Kinematics:
    """Motion of every body of a tree at N states, and the values of the model's expressions there."""

    def __init__(self, system: System, states: Sequence[State]) -> None:
        self.system = with_rotors(system.lumped())
        self.states = bound(system, states)
        self.values = self.states.values
        self.count, self.n = len(self.states), len(system.coordinates)
        self.q = self._coordinates("")
        self.v = self._coordinates("'")
        self.a = self._coordinates("''")
        self._frames: dict[str | None, Motion] = {None: fixed_frame(self.count, self.n)}
        for body in self.system.bodies:
            self._frames[body.name] = self._carried(body)

    def frame(self, body: str | None) -> Motion:
        """Motion of a body's frame; None is the fixed frame."""
        return self._frames[body]

    def centre(self, body: Body) -> Motion:
        """Motion of a body's centre of mass."""
        return self._frames[body.name].shifted(self.vectors(body.inertia.centre))

    def point(self, point: Point) -> Motion:
        """Motion of a point of a body."""
        return self._frames[point.body].shifted(self.vectors(point.position))

    def scalars(
        self, expressions: Iterable[Expression], extra: Mapping[str, Array] | None = None
    ) -> list[Array]:
        """Values (N,) of expressions; ``extra`` gives further symbols."""
        roots = define(expressions, self.system.functions)
        with np.errstate(all="ignore"):
            found = evaluate(roots, {**self.values, **(extra or {})}, numpy_arithmetic())
        return [np.broadcast_to(np.asarray(value), (self.count,)) for value in found]

    def vectors(self, expressions: Iterable[Expression]) -> Array:
        """Values (N, k) of k expressions."""
        return np.stack(self.scalars(expressions), axis=1)

    def tensor(self, body: Body) -> Array:
        """Inertia tensor (N, 3, 3) about the centre of mass, world axes."""
        rows = np.stack([self.vectors(row) for row in body.inertia.matrix()], axis=1)
        r = self._frames[body.name].rotation
        turned: Array = np.einsum("sij,sjk,slk->sil", r, rows, r)
        return turned

    def _coordinates(self, suffix: str) -> Array:
        columns = [self.values[name + suffix] for name in self.system.coordinate_names]
        return np.stack(columns, axis=1) if columns else np.zeros((self.count, 0))

    def _carried(self, body: Body) -> Motion:
        motion = self._frames[body.parent]
        for et in body.joint:
            motion = self._transformed(motion, et)
        return motion

    def _transformed(self, m: Motion, et: ElementaryTransformation) -> Motion:
        """The motion of the next frame: a shift or a turn by s along or about the unit vector u."""
        axis = self.vectors(et.axis)
        u = np.einsum("sij,sj->si", m.rotation, axis)
        s, ds, dds = self._amount(et)
        column = np.zeros(self.n)
        if et.coordinate is not None:
            column[self.system.coordinate_names.index(et.coordinate)] = 1.0
        along = u[:, :, None] * column
        if et.is_translation:
            m = m.shifted(axis * s[:, None])
            return replace(
                m,
                velocity=m.velocity + u * ds,
                acceleration=m.acceleration + 2 * np.cross(m.spin, u) * ds + u * dds,
                moving=m.moving + along,
                speed=m.speed + np.abs(ds[:, 0]),
                shaking=m.shaking + 2 * m.turn_speed * np.abs(ds[:, 0]) + np.abs(dds[:, 0]),
                lever=m.lever + column,
            )
        return replace(
            m,
            rotation=m.rotation @ turn(axis, s),
            spin=m.spin + u * ds,
            spin_rate=m.spin_rate + np.cross(m.spin, u) * ds + u * dds,
            turning=m.turning + along,
            turn_speed=m.turn_speed + np.abs(ds[:, 0]),
            turn_shaking=m.turn_shaking + m.turn_speed * np.abs(ds[:, 0]) + np.abs(dds[:, 0]),
            turns=m.turns + column,
        )

    def _amount(self, et: ElementaryTransformation) -> tuple[Array, Array, Array]:
        """How much (N,), its rate and its second rate at q'' = 0 (N, 1)."""
        amount = et.amount
        if et.coordinate is not None:
            s, ds, dds = self.values[et.coordinate], self.values[et.coordinate + "'"], np.zeros(self.count)
        else:
            rate = time_derivative([amount], ())[0]
            s, ds, dds = self.scalars([amount, rate, time_derivative([rate], ())[0]])
        return s, ds[:, None], dds[:, None]


def norm(vectors: Array) -> Array:
    """Euclidean norms (N,) of vectors (N, k), none of whose squares overflows or vanishes."""
    size = np.max(np.abs(vectors), axis=1, initial=0.0)
    unit = np.where((size > 0) & np.isfinite(size), size, 1.0)
    return np.asarray(unit * np.linalg.norm(vectors / unit[:, None], axis=1))


def turn(axis: Array, angle: Array) -> Array:
    """Rotation matrices (N, 3, 3) about unit vectors (N, 3): E + sin K + (1 - cos) K², K = axis ×."""
    x, y, z = axis.T
    zero = np.zeros_like(x)
    k = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
    sin, cos = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    rotation: Array = np.eye(3) + sin * k + (1 - cos) * (k @ k)
    return rotation


def with_rotors(system: System) -> System:
    """The same machine with every flywheel as a body that turns by a prescribed law.

    The flywheel's frame is the carrier's, the mounting, then Rz(ψ): the joint of a body. What ψ(t) makes is motion
    by a prescribed law, and the equations for the coordinates stay the same.
    """
    bodies: list[Body] = []
    for body in system.bodies:
        bodies.append(replace(body, flywheels=()))
        for wheel in body.flywheels:
            joint = (*wheel.mounting, rotation("z", Prescribed(wheel.angle)))
            bodies.append(Body(f"{body.name}/flywheels/{wheel.name}", body.name, joint, wheel.inertia))
    return replace(system, bodies=tuple(bodies))


def takes(system: System) -> bool:
    """Whether these kinematics and the physics built on them know everything the model uses."""
    return all(feature in KNOWN for feature, _ in features(system))
