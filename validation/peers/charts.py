"""Between the coordinates of a model and those of other programs, whose velocities are no rates of theirs.

A program's velocities are u = G(q) q'. Its equation M_o u' + h_o = g_o + Q_o is then, in the model's coordinates,

    M = Gᵀ M_o G ,   h = Gᵀ (h_o + M_o Ġ q') ,   gravity = Gᵀ g_o ,   applied = Gᵀ Q_o ,   u' = G q'' + Ġ q' .

Every function gives the block of one joint: what a program is given as its position, G, and Ġ q'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Block:
    """The joint of a body at a state: ``rotation`` (3, 3) and ``shift`` (3,) of its motion, G (k, k) and Ġ q' (k,)."""

    rotation: Array
    shift: Array
    G: Array
    rest: Array


def about(axis: int, angle: float) -> Array:
    """The rotation matrix of a turn about the x, y or z axis."""
    c, s = np.cos(angle), np.sin(angle)
    i, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[k, k] = c
    R[i, k], R[k, i] = -s, s
    return R


def plane(q: Array, v: Array) -> Block:
    """Shifts x, y and a turn about z; u are the velocity in the turned axes, and the rate of the turn."""
    R = about(2, q[2])
    G = R.T.copy()
    c, s = np.cos(q[2]), np.sin(q[2])
    turned = np.array([[-s, c, 0.0], [-c, -s, 0.0], [0.0, 0.0, 0.0]])
    return Block(R, np.array([q[0], q[1], 0.0]), G, v[2] * turned @ v)


def free(q: Array, v: Array, moving: bool, fixed: Array | None = None) -> Block:
    """Three shifts and the turns rz ry rx; u are the velocity of the origin and the angular velocity in turned axes.

    Parameters
    ----------
    q, v : (6,) positions and rates: x, y, z, rz, ry, rx
    moving : whether the velocity of the origin is in the turned axes, too; else it is in those of ``fixed``
    fixed : (3, 3) axes in which that velocity is counted, seen from the joint's: None: the joint's own
    """
    Rz, Ry, Rx = (about(axis, q[3 + k]) for k, axis in enumerate((2, 1, 0)))
    R = Rz @ Ry @ Rx
    x, y, z = np.eye(3)
    to_z, to_y = Rx.T @ Ry.T @ z, Rx.T @ y
    W = np.stack([to_z, to_y, x], axis=1)
    turn_z, turn_y, turn_x = v[3:]
    rest = turn_z * (-turn_x * np.cross(x, to_z) - turn_y * Rx.T @ np.cross(y, Ry.T @ z))
    rest = rest - turn_y * turn_x * np.cross(x, to_y)
    omega = W @ v[3:]
    seen = R.T if moving else np.eye(3) if fixed is None else fixed
    G = np.zeros((6, 6))
    G[:3, :3], G[3:, 3:] = seen, W
    carried = -np.cross(omega, R.T @ v[:3]) if moving else np.zeros(3)
    return Block(R, q[:3].copy(), G, np.concatenate([carried, rest]))


def in_model(G: Array, rest: Array, M: Array, h: Array, gravity: Array, applied: Array) -> dict[str, Array]:
    """M, h, gravity and applied of a program in the model's coordinates."""
    return {"M": G.T @ M @ G, "h": G.T @ (h + M @ rest), "gravity": G.T @ gravity, "applied": G.T @ applied}
