"""Nodes of elastic links: displacement and rotation of their sections, and the effect of modal rates.

θ = Ψ q^e, R_A = Exp(θ), W_A = J_l(θ) Ψ. The coefficients of Exp and of its Jacobian are series in θ², in numbers and
in expressions: unlike quotients, they are not 0/0 for an undeformed body. Their sixteen terms are exact in floats up to
5 rad, far beyond angles for which modes linear in q^e have a meaning.

If every mode rotates the section about one axis of the link, as in plane bending, θ is an angle about that axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbconcord.records import dataclass

from .links import Products
from .scalars import Scalars
from .tree import Attachment
from .vectors import Array, cross, dot, scale, skew, times, unit

#: Terms of the series of Exp.
TERMS = 16


@dataclass(frozen=True, slots=True)
class Nodes:
    """The sections at attachments, one after the other along the first axis, in the axes of their links.

    ``position`` r_A, ``turn`` R_A, ``moves`` Φ_A and ``turns`` W_A (3×N), ``shifting`` u̇ = Φ_A q̇^e, ``turning``
    ω_e = W_A q̇^e, ``bending`` Ẇ_A q̇^e, ``drawing`` the acceleration from products of modal rates.
    """

    position: Array
    turn: Array
    moves: Array
    turns: Array
    shifting: Array
    turning: Array
    bending: Array
    drawing: Array


def nodes_of(
    attachments: Sequence[Attachment],
    position: Array,
    moves: Array,
    rotations: Array,
    q: Array,
    v: Array,
    scalars: Scalars,
    products: Products,
) -> Nodes:
    """Compute sections at attachments: r0_A (…, 3), Φ_A (…, 3, N + P), Ψ_A (…, 3, N); links' q^e, q̇^e (…, N)."""
    if not np.shape(q)[-1]:
        still = position * 0
        return Nodes(position, unit(position[..., 0]), moves, rotations, still, still, still, still)
    angle, rate = times(rotations, q), times(rotations, v)
    still = angle * 0
    turn, jacobian, bending = unit(angle[..., 0]), unit(angle[..., 0]), still + 0 * rate
    for axis, members in _kinds(attachments).items():
        at = list(members)
        if axis == "none":
            continue
        if isinstance(axis, int):
            turn[at] = _rotation_about(axis, scalars.sine(angle[at][..., axis]), scalars.cosine(angle[at][..., axis]))
        else:
            turn[at], jacobian[at], bending[at] = _exponential(angle[at], rate[at])
    moved = position + times(moves, products.fields(q))
    drawing = still
    if products.count:
        drawing = times(moves, products.bias(v))
        moves = moves @ products.slopes(q)
    turns = jacobian @ rotations
    return Nodes(moved, turn, moves, turns, times(moves, v), times(turns, v), bending, drawing)


def _kinds(attachments: Sequence[Attachment]) -> dict[Any, list[int]]:
    """Return indices of attachments grouped by the rotation of their sections: about one axis, any axis, or none."""
    found: dict[Any, list[int]] = {}
    for i, attachment in enumerate(attachments):
        rows = attachment.node.rotation if attachment.node else ()
        used = [k for k, row in enumerate(rows) if any(row)]
        kind = "none" if not used else used[0] if len(used) == 1 else "any"
        found.setdefault(kind, []).append(i)
    return found


def _rotation_about(axis: int, sine: Array, cosine: Array) -> Array:
    """Return the rotation matrix about an axis of the link."""
    o = sine * 0
    e = o + 1
    rows = {
        0: [e, o, o, o, cosine, -sine, o, sine, cosine],
        1: [cosine, o, sine, o, e, o, -sine, o, cosine],
        2: [cosine, -sine, o, sine, cosine, o, o, o, e],
    }[axis]
    return np.stack(rows, axis=-1).reshape(*np.shape(sine), 3, 3)


def _exponential(angle: Array, rate: Array) -> tuple[Array, Array, Array]:
    """Compute Exp(θ), J_l(θ), and the part d/dt J_l θ̇ of the section's angular acceleration without θ̈."""
    x = dot(angle, angle)
    hat = skew(angle)
    square = hat @ hat
    c1, c2 = series(x, 2) / 2, series(x, 3) / 6
    d1, d2 = falling(x, 4) / -12, falling(x, 5) / -60
    e = unit(x)
    turn = e + scale(hat, series(x, 1), 2) + scale(square, c1, 2)
    jacobian = e + scale(hat, c1, 2) + scale(square, c2, 2)
    across = cross(angle, rate)
    growth = dot(angle, rate)
    bending = scale(across, d1 * growth) + scale(cross(angle, across), d2 * growth) + scale(cross(rate, across), c2)
    return turn, jacobian, bending


def series(x: Array, first: int) -> Array:
    """Sum Σ (-x)^k first!/(first + 2k)!: sin θ/θ, 2 (1 - cos θ)/θ², 6 (θ - sin θ)/θ³ for first = 1, 2, 3, x = θ²."""
    value = 1 + x * 0
    for k in range(TERMS, 0, -1):
        value = 1 - x / ((first + 2 * k - 1) * (first + 2 * k)) * value
    return value


def falling(x: Array, first: int) -> Array:
    """Sum Σ (k + 1) (-x)^k first!/(first + 2k)!; derivatives of :func:`series` are multiples of it."""
    value = 1 + x * 0
    for k in range(TERMS, 0, -1):
        value = 1 - x * (k + 1) / (k * (first + 2 * k - 1) * (first + 2 * k)) * value
    return value
