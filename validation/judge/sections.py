"""Sections of elastic bodies at the attachments of other bodies: validation's own.

A section is rotated by Exp(θ); the rates of this rotation are Fréchet derivatives of the matrix exponential, computed
as exponentials of block matrices.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mbconcord.model.elastic import ElasticModes

from .motion import Array, MotionNumbers, norm

#: Squarings and terms of the exponential: 5 rad / 2⁶ to the fourteenth power is far below rounding. More are squared
#: oftener, each state for itself: every squaring doubles the rounding.
SQUARINGS, TERMS, PART = 6, 14, 5.0


def weights(modes: ElasticModes, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
    """Return modal coordinates and their products (N, w), rates, second rates at q'' = 0, slopes (N, w, n)."""
    count, n = q.shape
    names = list(modes.coordinates)
    pairs = [(names.index(a), names.index(b)) for a, b in modes.products]
    w, rates, pull = [q], [v], [np.zeros((count, n))]
    slopes = np.zeros((count, n + len(pairs), n))
    slopes[:, range(n), range(n)] = 1.0
    for k, (a, b) in enumerate(pairs, n):
        w.append((q[:, a] * q[:, b])[:, None])
        rates.append((v[:, a] * q[:, b] + q[:, a] * v[:, b])[:, None])
        pull.append((2 * v[:, a] * v[:, b])[:, None])
        slopes[:, k, a] += q[:, b]
        slopes[:, k, b] += q[:, a]
    return (*(np.concatenate(x, axis=1) for x in (w, rates, pull)), slopes)  # type: ignore[return-value]


def at_node(
    frame: MotionNumbers,
    modes: ElasticModes,
    at: Array,
    q: Array,
    v: Array,
    position: Array,
    moves: Array,
    turns: Array,
) -> MotionNumbers:
    """Compute the motion of a section: position, orientation and their rates.

    Parameters
    ----------
    frame : motion of the elastic body's frame
    modes, at, q, v : the body's modes, places of its modal coordinates among all, their values and rates (N, modes)
    position (N, 3), moves (N, 3, modes and products), turns (N, 3, modes) : undeformed position, shapes Φ and Ψ
    """
    r = frame.rotation
    own, _, pull, slopes = weights(modes, q, v)
    sizes = np.linalg.norm(moves, axis=1)
    bent, drawn = (np.einsum("si,si->s", sizes, np.abs(x)) for x in (own, pull))
    arm = position + np.einsum("sai,si->sa", moves, own)
    pulled = np.einsum("sab,sbi,si->sa", r, moves, pull)
    moves = np.einsum("sai,sin->san", moves, slopes)
    carried = frame.shift(arm)
    columns = np.einsum("sab,sbi->sai", r, moves)
    rate = np.einsum("sai,si->sa", columns, v)
    size = np.linalg.norm(moves, axis=1)
    moving, lever = carried.moving.copy(), carried.lever.copy()
    moving[:, :, at] += columns
    lever[:, at] += size
    own_speed = np.einsum("si,si->s", size, np.abs(v))
    shifted = replace(
        carried,
        velocity=carried.velocity + rate,
        acceleration=carried.acceleration + 2 * np.cross(frame.spin, rate) + pulled,
        moving=moving,
        path=carried.path + bent,
        speed=carried.speed + own_speed + frame.turn_speed * bent,
        shaking=carried.shaking + 2 * frame.turn_speed * own_speed + drawn,
        lever=lever,
    )
    angle, turning = np.einsum("sai,si->sa", turns, q), np.einsum("sai,si->sa", turns, v)
    E, first, second = _exponentials(_skew(angle), _skew(turning))
    back = np.swapaxes(E, 1, 2)
    spin = np.einsum("sab,sb->sa", r, _axial(first @ back))
    bending = np.einsum("sab,sb->sa", r, _axial(second @ back + first @ np.swapaxes(first, 1, 2)))
    jacobian = shifted.turning.copy()
    turns_size = shifted.turns.copy()
    for i, place in enumerate(at):
        one = _axial(_exponentials(_skew(angle), _skew(turns[:, :, i]))[1] @ back)
        jacobian[:, :, place] += np.einsum("sab,sb->sa", r, one)
        turns_size[:, place] += norm(turns[:, :, i])
    turn_speed = np.einsum("si,si->s", np.linalg.norm(turns, axis=1), np.abs(v))
    return replace(
        shifted,
        rotation=r @ E,
        spin=shifted.spin + spin,
        spin_rate=shifted.spin_rate + np.cross(frame.spin, spin) + bending,
        turning=jacobian,
        turn_speed=shifted.turn_speed + turn_speed,
        turn_shaking=shifted.turn_shaking + frame.turn_speed * turn_speed + turn_speed**2,
        turns=turns_size,
    )


def _skew(vectors: Array) -> Array:
    x, y, z = vectors.T
    o = np.zeros_like(x)
    return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)


def _axial(m: Array) -> Array:
    """Return the vector of the skew part of matrices (N, 3, 3)."""
    pairs = [m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]]
    return np.stack(pairs, axis=1) / 2


def _exponentials(A: Array, B: Array) -> tuple[Array, Array, Array]:
    """Compute exp(A + tB) and its first two derivatives by t at t = 0 (N, 3, 3)."""
    count = len(A)
    block = np.zeros((count, 9, 9))
    for i in range(3):
        block[:, 3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = A
    for i in range(2):
        block[:, 3 * i : 3 * i + 3, 3 * i + 3 : 3 * i + 6] = B
    far = np.max(np.abs(A), axis=(1, 2), initial=PART, where=np.isfinite(A))
    squarings = SQUARINGS + np.ceil(np.log2(far / PART)).astype(int)
    block = np.ldexp(block, -squarings[:, None, None])
    total = np.broadcast_to(np.eye(9), block.shape)
    for k in range(TERMS, 0, -1):
        total = np.eye(9) + block @ total / k
    for k in range(int(np.max(squarings, initial=0))):
        total = np.where((k < squarings)[:, None, None], total @ total, total)
    return total[:, :3, :3], total[:, :3, 3:6], 2 * total[:, :3, 6:9]
