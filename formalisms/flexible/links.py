"""The elastic link of (1): its inertia and the forces of its velocities, of given modal coordinates and rates.

Rows of a table are links; those with fewer modes than others have columns of zeros, which the recursion leaves
out. The displacement is linear in q^e and all powers of q^e are kept (``full``), or the inertia is that of the
undeformed link (``frozen``: cheaper, and not conservative).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbconcord.model.expressions import ZERO, Expression

from .scalars import Scalars
from .tree import Link
from .vectors import Array, axial, blocks, cross, dot, joined, scaled, skew, times, trace, transposed, unit


@dataclass(frozen=True, slots=True)
class Shapes:
    """Shape integrals of all links: m, S_k, P_kl (k, l = 0 … N), I_s, D, R_ee, K_e, D_e."""

    modes: int
    mass: Array
    first: Array
    second: Array
    sections: Array
    coupling: Array
    twisting: Array
    stiffness: Array
    damping: Array


@dataclass(frozen=True, slots=True)
class Inertias:
    """J_rr (6×6), J_re (6×N), J_ee (N×N), and the forces C_r (6), C_e (N) of velocities alone."""

    rr: Array
    re: Array
    ee: Array
    r: Array
    e: Array


def most(links: Sequence[Link]) -> int:
    """The number of modes of the link that has most of them."""
    return max((len(link.names) for link in links), default=0)


def padded(rows: Sequence[Sequence[Expression]], height: int, width: int) -> list[Expression]:
    """A matrix with zeros after its rows and columns, flat."""
    whole = [[*row, *[ZERO] * (width - len(row))] for row in rows]
    whole += [[ZERO] * width] * (height - len(whole))
    return [x for row in whole for x in row]


def shapes_of(links: Sequence[Link], scalars: Scalars) -> Shapes:
    """The shape integrals of links in an arithmetic."""
    n = most(links)
    first, second, sections, coupling, twisting, stiffness, damping = ([] for _ in range(7))
    for link in links:
        modes = link.modes
        first.append(padded([link.first, *(modes.first_moments if modes else ())], n + 1, 3))
        second.append(_second(link, n))
        inertia, mixed, own = (modes.section_inertia if modes else ()) or ((), (), ())
        sections.append(padded(inertia, 3, 3))
        coupling.append(padded(mixed, 3, n))
        twisting.append(padded(own, n, n))
        stiffness.append(padded(modes.stiffness if modes else (), n, n))
        damping.append(padded(modes.damping if modes else (), n, n))
    return Shapes(
        n,
        scalars.table([[link.mass] for link in links]),
        scalars.table(first, n + 1, 3),
        scalars.table(second, n + 1, n + 1, 9),
        scalars.table(sections, 3, 3),
        scalars.table(coupling, 3, n),
        scalars.table(twisting, n, n),
        scalars.table(stiffness, n, n),
        scalars.table(damping, n, n),
    )


def _second(link: Link, n: int) -> list[Expression]:
    """P_kl of a link, the blocks one after the other."""
    given = link.modes.second_moments if link.modes else ()
    flat: list[Expression] = []
    for k in range(n + 1):
        for m in range(n + 1):
            block = link.second if k == m == 0 else given[k][m] if max(k, m) < len(given) else ()
            flat += padded(block, 3, 3)
    return flat


def inertias(shapes: Shapes, q: Array, v: Array, spin: Array, frozen: bool) -> Inertias:
    """The blocks for q^e, q̇^e (…, N) and ω (…, 3) of every link."""
    n = shapes.modes
    one = 1 + shapes.first[..., :1, 0] * 0
    q = q * 0 if frozen else q
    bar = joined([one, q], -1) if n else one
    W = (bar[..., None, None, :] @ shapes.second)[..., 0, :]
    Q = (bar[..., None, :] @ W)[..., 0, :]
    W, Q = W.reshape(*W.shape[:-1], 3, 3), Q.reshape(*Q.shape[:-1], 3, 3)
    s = (bar[..., None, :] @ shapes.first)[..., 0, :]
    about = _tensor(Q)
    static = skew(s)
    rr = blocks(scaled(unit(shapes.mass), shapes.mass, 2), -static, static, about + shapes.sections)
    pull = cross(spin, cross(spin, s))
    gyro = cross(spin, times(about, spin)) + cross(spin, times(shapes.sections, spin))
    if not n:
        empty = np.zeros((*rr.shape[:-2], 6, 0), dtype=rr.dtype)
        return Inertias(rr, empty, empty[..., :0, :], joined([pull, gyro], -1), empty[..., 0, :])
    A = transposed(shapes.first[..., 1:, :])
    arms = -transposed(axial(W[..., 1:, :, :]))
    re = np.concatenate(np.broadcast_arrays(A + 0 * arms, arms + shapes.coupling), axis=-2)
    ee = _traces(shapes.second[..., 1:, 1:, :]) + shapes.twisting
    E = (v[..., None, :] @ W[..., 1:, :, :].reshape(*W.shape[:-3], n, 9))[..., 0, :]
    E = E.reshape(*E.shape[:-1], 3, 3)
    r = joined(
        [
            pull + 2 * cross(spin, times(A, v)),
            gyro + 2 * (scaled(spin, trace(E)) - times(E, spin)) + cross(spin, times(shapes.coupling, v)),
        ],
        -1,
    )
    mixed = (v[..., None, None, :] @ shapes.second[..., 1:, 1:, :])[..., 0, :]
    mixed = axial(mixed.reshape(*mixed.shape[:-1], 3, 3))
    own = W[..., 1:, :, :]
    w = spin[..., None, :]
    e = dot(w, times(own, w + 0 * own[..., 0])) - dot(w, w) * trace(own) - 2 * dot(w, mixed)
    return Inertias(rr, re, ee, r, e)


def _tensor(Q: Array) -> Array:
    """I = tr(Q) E - Q."""
    return scaled(unit(Q[..., 0, 0]), trace(Q), 2) - Q


def _traces(P: Array) -> Array:
    """tr P_kl of flat blocks."""
    return P[..., 0] + P[..., 4] + P[..., 8]
