"""Vectors and matrices as the last axes of arrays; 6-vectors are [linear; angular].

Preceding axes, over links and states, are broadcast in every function. Empty matrices do not occur: callers leave out
matrices without columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def times(matrix: Array, vector: Array) -> Array:
    """Multiply matrix (…, n, m) by vector (…, m)."""
    return (matrix @ vector[..., None])[..., 0]


def transpose(matrix: Array) -> Array:
    """Transpose the last two axes (…, m, n)."""
    return np.swapaxes(matrix, -1, -2)


def dot(a: Array, b: Array) -> Array:
    """Return a · b (…); for graph nodes without leading axes the result is a node."""
    return (a[..., None, :] @ b[..., :, None])[..., 0, 0][()]


def outer(a: Array, b: Array) -> Array:
    """Return a bᵀ."""
    return a[..., :, None] * b[..., None, :]


def cross(a: Array, b: Array) -> Array:
    """Return a × b."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack(np.broadcast_arrays(y * w - z * v, z * u - x * w, x * v - y * u), axis=-1)


def skew(w: Array) -> Array:
    """Return ŵ: ŵ u = w × u."""
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    o = x * 0
    return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=-1).reshape(*w.shape[:-1], 3, 3)


def axial(m: Array) -> Array:
    """Return ax(M)_a = ε_abc M_bc; ax(a bᵀ) = a × b."""
    return np.stack([m[..., 1, 2] - m[..., 2, 1], m[..., 2, 0] - m[..., 0, 2], m[..., 0, 1] - m[..., 1, 0]], axis=-1)


def scale(array: Array, factor: Array, axes: int = 1) -> Array:
    """Multiply an array by a factor with axes of links and states alone; the array has ``axes`` axes more."""
    return array * np.asarray(factor)[(...,) + (None,) * axes]


def unit(like: Array) -> Array:
    """Return the unit matrix E (…, 3, 3) in the arithmetic of an array (…)."""
    o = like * 0
    e = o + 1
    return np.stack([e, o, o, o, e, o, o, o, e], axis=-1).reshape(*np.shape(like), 3, 3)


def join_arrays(parts: list[Array], axis: int) -> Array:
    """Join arrays along one of the last axes (negative), broadcasting those with one state for all."""
    ahead = np.broadcast_shapes(*(p.shape[:axis] for p in parts))
    behind = [p.shape[axis:] for p in parts]
    return np.concatenate([np.broadcast_to(p, (*ahead, *own)) for p, own in zip(parts, behind, strict=True)], axis=axis)


def blocks(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Assemble the matrix [a b; c d]."""
    ahead = np.broadcast_shapes(*(x.shape[:-2] for x in (a, b, c, d)))
    a, b, c, d = (np.broadcast_to(x, (*ahead, *x.shape[-2:])) for x in (a, b, c, d))
    return np.concatenate([np.concatenate([a, b], axis=-1), np.concatenate([c, d], axis=-1)], axis=-2)


def symmetrize(m: Array) -> Array:
    """Return ½ (M + Mᵀ), so that round-off does not destroy symmetry in the recursion."""
    return (m + np.swapaxes(m, -1, -2)) / 2
