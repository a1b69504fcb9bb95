"""Poses of a machine's bodies in the fixed frame, and generalized weights and forces.

The generalized force of F at a point p is F·∂p/∂q; that of a moment M is M·ω_q, ω_q the axial vector of ∂R/∂q Rᵀ.

Poses are 4×4 matrices T, multiplied step by step, with first and second rates in time:

T = [R r; 0 1],  (A B)' = A' B + A B',  (A B)'' = A'' B + 2 A' B' + A B''
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .machine import SecondBushing, SecondMachine, SecondPlace, SecondStep, Steps, Triple, UnreadError

Array = NDArray[np.float64]
#: Position, rate and second rate of a coordinate.
Motion = Callable[[str], tuple[float, float, float]]


@dataclass(frozen=True)
class SecondPose:
    """A pose T (4, 4), its first and second rates, and its derivatives by coordinates (``by``)."""

    T: Array
    rate: Array
    second: Array
    by: Mapping[str, Array] = field(default_factory=dict)

    def then(self, other: SecondPose) -> SecondPose:
        """Return the pose of a frame whose pose relative to this one is ``other``."""
        by = {q: d @ other.T for q, d in self.by.items()}
        for q, d in other.by.items():
            by[q] = by.get(q, 0) + self.T @ d
        second = self.second @ other.T + 2 * self.rate @ other.rate + self.T @ other.second
        return SecondPose(self.T @ other.T, self.rate @ other.T + self.T @ other.rate, second, by)


FIXED = SecondPose(np.eye(4), np.zeros((4, 4)), np.zeros((4, 4)))


def resting(name: str) -> tuple[float, float, float]:
    """Refuse a coordinate, as the motion of steps that must have none."""
    raise UnreadError(f"the coordinate {name} where a point is fixed")


def follow(steps: Steps, motion: Motion) -> SecondPose:
    """Return the pose that steps lead to from the fixed frame."""
    found = FIXED
    for step in steps:
        found = found.then(_pose(step, motion))
    return found


def end_of(steps: Steps) -> Triple:
    """Return the point that steps without coordinates lead to."""
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


class World:
    """A machine with the poses of its bodies."""

    def __init__(self, machine: SecondMachine, motion: Motion) -> None:
        self.machine, self.index = machine, {q: i for i, q in enumerate(machine.coordinates)}
        self.poses: dict[str | None, SecondPose] = {None: FIXED}
        for solid in machine.solids:
            self.poses[solid.name] = self.poses[solid.parent].then(follow(solid.steps, motion))

    def place(self, place: SecondPlace) -> tuple[Array, Array]:
        """Return position and velocity of a point."""
        pose, at = self.poses[place.body], np.array([*place.point, 1.0])
        return (pose.T @ at)[:3], (pose.rate @ at)[:3]

    def add_force(self, total: Array, place: SecondPlace, force: Array) -> None:
        """Add the generalized forces of a force at a point to ``total`` (n,)."""
        at = np.array([*place.point, 1.0])
        for q, by in self.poses[place.body].by.items():
            total[self.index[q]] += force @ (by @ at)[:3]

    def add_moment(self, total: Array, body: str | None, moment: Array) -> None:
        """Add the generalized forces of a moment on a body, in world axes, to ``total`` (n,)."""
        pose = self.poses[body]
        for q, by in pose.by.items():
            total[self.index[q]] += moment @ axial(by[:3, :3] @ pose.T[:3, :3].T)

    def gravity(self) -> Array:
        """Return generalized forces of weight (n,)."""
        total, g = np.zeros(len(self.index)), np.array(self.machine.gravity)
        for solid in self.machine.solids:
            self.add_force(total, SecondPlace(solid.name, solid.centre), solid.mass * g)
        for element in self.machine.massive:
            for end in (element.first, element.second):
                self.add_force(total, end, element.mass / 2 * g)
        return total

    def forces(self) -> list[tuple[SecondPlace, Array, Array]]:
        """List triples of a point, the force at it and the moment on its body, in world axes."""
        found = []
        for spring in self.machine.springs:
            (p, u), (q, v) = self.place(spring.first), self.place(spring.second)
            length = float(np.linalg.norm(q - p))
            with np.errstate(all="ignore"):
                along = (q - p) / length
            force = spring.law(length, float(along @ (v - u))) * along
            found += [(spring.second, force, np.zeros(3)), (spring.first, -force, np.zeros(3))]
        for bushing in self.machine.bushings:
            found += self._wrenches(bushing)
        for load in self.machine.loads:
            axes = self.poses[load.at.body].T[:3, :3]
            push = np.array(load.force)
            found.append((load.at, axes @ push if load.follows else push, axes @ np.array(load.moment)))
        return found

    def _wrenches(self, bushing: SecondBushing) -> list[tuple[SecondPlace, Array, Array]]:
        """List the wrench of a bushing on its second body, and the opposite one on its first."""
        one, other = self.poses[bushing.first.body], self.poses[bushing.second.body]
        (p, u), (q, v) = self.place(bushing.first), self.place(bushing.second)
        R, spin = one.T[:3, :3], axial(one.rate[:3, :3] @ one.T[:3, :3].T)
        shift = np.concatenate([R.T @ (q - p), axial(R.T @ other.T[:3, :3])])
        turning = axial(other.rate[:3, :3] @ other.T[:3, :3].T) - spin
        rate = np.concatenate([R.T @ (v - u - np.cross(spin, q - p)), R.T @ turning])
        wrench = np.array(bushing.preload) - np.array(bushing.stiffness) @ shift - np.array(bushing.damping) @ rate
        force, moment = R @ wrench[:3], R @ wrench[3:]
        x, y, z = R.T @ (q - one.T[:3, 3])
        there = SecondPlace(bushing.first.body, (float(x), float(y), float(z)))
        return [(bushing.second, force, moment), (there, -force, -moment)]

    def sum_applied_forces(self) -> Array:
        """Return generalized forces of efforts, springs and loads (n,)."""
        total = np.zeros(len(self.index))
        for q, effort in self.machine.efforts.items():
            total[self.index[q]] += effort
        for place, force, moment in self.forces():
            self.add_force(total, place, force)
            self.add_moment(total, place.body, moment)
        return total


def axial(matrix: Array) -> Array:
    """Return the vector w whose cross-product matrix w× is the skew-symmetric part of a matrix."""
    return np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]) / 2
