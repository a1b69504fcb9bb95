"""Inertia of shapes: mass (kg), centre of mass (m) and tensor about it (kg m²), in the frame of the geom."""

from __future__ import annotations

from math import pi

import numpy as np

from mbconcord.converters.floats import Array
from mbconcord.converters.shapes import Lump, diagonal, together

#: As parts of the largest moment: what products of inertia are not turned away, and how far moments change places.
TURNED_AWAY, UNLIKE = 4e-15, 1e-12


def shell(kind: str, size: tuple[float, float, float]) -> Lump | None:
    """The surface of a shape, of density 1 by area; None where none is known."""
    a, b, _ = size
    if kind == "sphere":
        m = 4 * pi * a * a
        return diagonal(m, *[2 / 3 * m * a * a] * 3)
    if kind == "box":
        sides = []
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            m = 4 * size[i] * size[j]
            for sign in (1.0, -1.0):
                moments, centre = np.empty(3), np.zeros(3)
                moments[i], moments[j] = m * size[j] ** 2 / 3, m * size[i] ** 2 / 3
                moments[k] = moments[i] + moments[j]
                centre[k] = sign * size[k]
                sides.append(Lump(m, centre, np.diag(moments)))
        return together(sides)
    if kind == "cylinder":
        L = 2 * b
        m, cap = 2 * pi * a * L, pi * a * a
        across = m * (a * a / 2 + L * L / 12) + 2 * cap * (a * a / 4 + L * L / 4)
        return diagonal(m + 2 * cap, across, across, m * a * a + cap * a * a)
    if kind == "capsule":
        L = 2 * b
        m, caps = 2 * pi * a * L, 4 * pi * a * a
        axial = m * a * a + caps * 2 / 3 * a * a
        across = m * (a * a / 2 + L * L / 12) + caps * (2 / 3 * a * a + a * L / 2 + L * L / 4)
        return diagonal(m + caps, across, across, axial)
    return None


def principal(tensor: Array) -> tuple[Array, Array]:
    """Moments (3,), the largest first, and axes (3, 3) as columns, as MuJoCo finds them: Jacobi's rotations.

    The order and the signs of the axes matter to those whose frames they are: so from which part of the largest moment
    on a product is turned away, and unlike moments change places, is that of MuJoCo 4.0.
    """
    size = float(np.abs(tensor).max())
    q = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(500):
        R = matrix(q)
        D = R.T @ tensor @ R
        off = abs(D[0, 1]), abs(D[0, 2]), abs(D[1, 2])
        r, c, about = (0, 1, 2) if off[0] > max(off[1:]) else (0, 2, 1) if off[1] > off[2] else (1, 2, 0)
        if abs(D[r, c]) <= TURNED_AWAY * size:
            break
        tau = (D[c, c] - D[r, r]) / (2 * D[r, c])
        t = 1 / (tau + np.sqrt(1 + tau * tau)) if tau >= 0 else -1 / (-tau + np.sqrt(1 + tau * tau))
        cosine = 1 / np.sqrt(1 + t * t)
        turn = np.zeros(4)
        half = abs(t) * cosine / np.sqrt(2 * (1 + cosine))
        turn[about + 1] = (-half if tau >= 0 else half) * (-1 if about == 1 else 1)
        turn[0] = np.sqrt(1 - turn[about + 1] ** 2)
        q = times(q, turn)
        q = q / np.linalg.norm(q)
    moments = np.diag(matrix(q).T @ tensor @ matrix(q)).copy()
    for j in (0, 1, 0):
        if moments[j] + UNLIKE * size < moments[j + 1]:
            moments[[j, j + 1]] = moments[[j + 1, j]]
            turn = np.zeros(4)
            turn[0] = turn[(j + 2) % 3 + 1] = np.sqrt(0.5)
            q = times(q, turn)
    return moments, matrix(q)


def times(p: Array, q: Array) -> Array:
    """The product of quaternions."""
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.array([w, *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def matrix(q: Array) -> Array:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )
