"""Inertia of shapes: mass (kg), centre of mass (m) and tensor about it (kg m²), in the frame of the shape."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np

from mbconcord.model import Inertia
from mbconcord.model.inertia import tensor
from mbconcord.model.transformation import vector

from .floats import Array, Pose, decimals, real


@dataclass(frozen=True)
class Lump:
    """Mass, centre (3,) and tensor about it (3, 3) in some frame."""

    mass: float
    centre: Array
    tensor: Array

    def seen(self, pose: Pose) -> Lump:
        """The same from the frame in which its own has this pose."""
        return Lump(self.mass, pose.p + pose.R @ self.centre, pose.R @ self.tensor @ pose.R.T)

    def scaled(self, factor: float) -> Lump:
        """So many times as heavy."""
        return Lump(self.mass * factor, self.centre, self.tensor * factor)


NOTHING = Lump(0.0, np.zeros(3), np.zeros((3, 3)))


def together(lumps: list[Lump]) -> Lump:
    """All in one frame as one: the parallel-axis theorem."""
    if len(lumps) == 1:
        return lumps[0]
    mass = sum(lump.mass for lump in lumps)
    if mass <= 0:
        return NOTHING
    centre = sum((lump.mass * lump.centre for lump in lumps), np.zeros(3)) / mass
    tensor = np.zeros((3, 3))
    for lump in lumps:
        d = lump.centre - centre
        tensor = tensor + lump.tensor + lump.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Lump(mass, centre, tensor)


def diagonal(mass: float, xx: float, yy: float, zz: float) -> Lump:
    """About the origin, along the axes."""
    return Lump(mass, np.zeros(3), np.diag([xx, yy, zz]))


def solid(kind: str, size: tuple[float, float, float]) -> Lump | None:
    """A shape of density 1; sizes are radii and halves of lengths. None: it has no volume."""
    a, b, c = size
    if kind == "sphere":
        m = pi * 4 / 3 * a**3
        return diagonal(m, *[0.4 * m * a * a] * 3)
    if kind == "box":
        m = 8 * a * b * c
        return diagonal(m, *(m * x / 3 for x in (b * b + c * c, a * a + c * c, a * a + b * b)))
    if kind == "ellipsoid":
        m = pi * 4 / 3 * a * b * c
        return diagonal(m, *(m * x / 5 for x in (b * b + c * c, a * a + c * c, a * a + b * b)))
    if kind == "cylinder":
        m, L = pi * a * a * 2 * b, 2 * b
        across = m * (3 * a * a + L * L) / 12
        return diagonal(m, across, across, m * a * a / 2)
    if kind == "capsule":
        return _capsule(a, 2 * b)
    return None


def _capsule(r: float, L: float) -> Lump:
    """A cylinder of the length L between half balls."""
    m, caps = pi * r * r * L, pi * 4 / 3 * r**3
    axial = m * r * r / 2 + 2 * caps * r * r / 5
    across = m * (3 * r * r + L * L) / 12 + caps * (2 * r * r / 5 + 3 * r * L / 8 + L * L / 4)
    return diagonal(m + caps, across, across, axial)


def lump_of(inertia: Inertia) -> Lump:
    """An inertia of numbers in floats."""
    centre = np.array([real(x) for x in inertia.centre])
    return Lump(real(inertia.mass), centre, np.array([[real(x) for x in r] for r in inertia.matrix()]))


def inertia_of(lump: Lump) -> Inertia:
    """The inertia with the shortest decimals of floats."""
    (mass,) = decimals([lump.mass])
    return Inertia(mass, vector(decimals(lump.centre)), tensor(decimals(six(lump.tensor))))


def six(J: Array) -> list[float]:
    """Elements xx, yy, zz, xy, xz, yz."""
    return [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
