"""What shapes weigh: mass (kg), centre (m) and tensor about it (kg m²), in the frame of the shape or of its body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from ..machine import Tensor, Triple, UnreadError
from ..poses import Array
from .turns import triple


@dataclass(frozen=True)
class Lump:
    """Mass, centre (3,) and tensor about it (3, 3); ``reach`` is how far from the origin its parts are."""

    mass: float
    centre: Array
    tensor: Array
    reach: float = 0.0

    def times(self, factor: float) -> Lump:
        """So many times as heavy."""
        return replace(self, mass=self.mass * factor, tensor=self.tensor * factor)

    def at(self, T: Array) -> Lump:
        """The same seen from the frame in which its own has the pose T."""
        R = T[:3, :3]
        reach = self.reach + float(np.abs(T[:3, 3]).sum())
        return Lump(self.mass, R @ self.centre + T[:3, 3], R @ self.tensor @ R.T, reach)

    @property
    def numbers(self) -> tuple[float, Triple, Tensor, float]:
        """Mass, centre, tensor and reach as they are of a body."""
        a, b, c = (triple(row) for row in self.tensor)
        return float(self.mass), triple(self.centre), (a, b, c), self.reach


NOTHING = Lump(0.0, np.zeros(3), np.zeros((3, 3)))


def gathered(lumps: Sequence[Lump]) -> Lump:
    """All of one frame as one: about the origin first, from there about the common centre."""
    mass = sum(x.mass for x in lumps)
    if not mass:
        return NOTHING
    centre = sum((x.mass * x.centre for x in lumps), np.zeros(3)) / mass
    tensor = sum((x.tensor + _point(x.mass, x.centre - centre) for x in lumps), np.zeros((3, 3)))
    return Lump(mass, centre, tensor, max(x.reach for x in lumps))


def _point(mass: float, r: Array) -> Array:
    """The tensor of a point mass at r about the origin."""
    x, y, z = r
    return mass * np.array([
        [y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y],
    ])  # fmt: skip


def _along(mass: float, axial: float, across: float, z: float = 0.0) -> Lump:
    """A body of revolution about z whose centre is at z."""
    return Lump(mass, np.array([0.0, 0.0, z]), np.diag([across, across, axial]))


def solid(kind: str, a: float, b: float, c: float) -> Lump:
    """A shape of density 1: radii or half lengths along x, y, z; radius and half height of what is round about z."""
    if kind in ("sphere", "ellipsoid"):
        b, c = (a, a) if kind == "sphere" else (b, c)
        mass = 4 / 3 * pi * a * b * c
        return Lump(mass, np.zeros(3), mass / 5 * np.diag([b * b + c * c, c * c + a * a, a * a + b * b]))
    if kind == "box":
        mass = 2 * a * 2 * b * 2 * c
        sides = (2 * b) ** 2 + (2 * c) ** 2, (2 * a) ** 2 + (2 * c) ** 2, (2 * a) ** 2 + (2 * b) ** 2
        return Lump(mass, np.zeros(3), mass / 12 * np.diag(sides))
    if kind == "cylinder":
        mass = pi * a * a * 2 * b
        return _along(mass, mass * a * a / 2, mass * (a * a / 4 + (2 * b) ** 2 / 12))
    if (
        kind == "capsule"
    ):  # a cylinder between two half balls, whose centres are 3/8 of the radius outside of its ends
        half = 2 / 3 * pi * a**3
        own = 2 / 5 * half * a * a
        across = own - half * (3 / 8 * a) ** 2
        balls = [_along(half, own, across, s * (b + 3 / 8 * a)) for s in (1, -1)]
        return gathered([solid("cylinder", a, b, 0.0), *balls])
    raise UnreadError(f"the volume of a {kind}")


def shell(kind: str, a: float, b: float, c: float) -> Lump:
    """The surface of a shape, of density 1 by area."""
    if kind == "sphere":
        mass = 4 * pi * a * a
        return _along(mass, 2 / 3 * mass * a * a, 2 / 3 * mass * a * a)
    if kind == "box":
        return gathered([
            _plate((a, b, c), normal, s) for normal in range(3) for s in (1, -1)
        ])  # fmt: skip
    if kind == "cylinder":
        disk = pi * a * a
        ends = [_along(disk, disk * a * a / 2, disk * a * a / 4, s * b) for s in (1, -1)]
        return gathered([_tube(a, b), *ends])
    if kind == "capsule":  # half spheres, whose centres are half of the radius outside of the tube's ends
        half = 2 * pi * a * a
        across = 2 / 3 * half * a * a - half * (a / 2) ** 2
        ends = [_along(half, 2 / 3 * half * a * a, across, s * (b + a / 2)) for s in (1, -1)]
        return gathered([_tube(a, b), *ends])
    raise UnreadError(f"the shell of a {kind}")


def _tube(a: float, b: float) -> Lump:
    mass = 2 * pi * a * 2 * b
    return _along(mass, mass * a * a, mass * (a * a / 2 + (2 * b) ** 2 / 12))


def _plate(halves: tuple[float, float, float], normal: int, side: int) -> Lump:
    """A side of a box."""
    i, j = (k for k in range(3) if k != normal)
    mass = 2 * halves[i] * 2 * halves[j]
    tensor = np.zeros((3, 3))
    tensor[i, i], tensor[j, j] = mass * (2 * halves[j]) ** 2 / 12, mass * (2 * halves[i]) ** 2 / 12
    tensor[normal, normal] = tensor[i, i] + tensor[j, j]
    centre = np.zeros(3)
    centre[normal] = side * halves[normal]
    return Lump(mass, centre, tensor)
