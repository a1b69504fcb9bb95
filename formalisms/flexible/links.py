"""The elastic link of (1): its inertia and velocity-dependent forces, for given modal coordinates and rates.

Rows of a table belong to links; links with fewer modes than others have columns of zeros, which the recursion leaves
out. The displacement is linear in q^e, and the inertia has all powers of q^e (``full``) or is that of the undeformed
link (``frozen``: cheaper, and not conservative).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from mbconcord.model.expressions import ZERO, Expression
from mbconcord.records import dataclass

from .tree import Link
from .vectors import Array, Scalars, axial, blocks, cross, dot, join_arrays, scale, skew, times, transpose, unit


@dataclass(frozen=True, slots=True)
class Shapes:
    """Shape integrals of all links: m, S_k, P_kl (k, l = 0 … N, then the products), I_s, D, R_ee, K_e, D_e."""

    modes: int
    products: Products
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
    """J_rr (6×6), J_re (6×N), J_ee (N×N), and the velocity-dependent forces C_r (6), C_e (N)."""

    rr: Array
    re: Array
    ee: Array
    r: Array
    e: Array


def most(links: Sequence[Link]) -> int:
    """Return the largest number of modes of any link."""
    return max((len(link.names) for link in links), default=0)


@dataclass(frozen=True, slots=True)
class Products:
    """Products q_a q_b that displace points: ``first`` and ``second`` (rows, P, N), 0 or 1, select q_a and q_b."""

    first: Array
    second: Array

    @property
    def count(self) -> int:
        """Number P of products."""
        return int(self.first.shape[1])

    def fields(self, q: Array) -> Array:
        """Return modal coordinates and their products (…, N + P)."""
        if not self.count:
            return q
        a, b = self._expand_selectors(q)
        return join_arrays([q, times(a, q) * times(b, q)], -1)

    def slopes(self, q: Array) -> Array:
        """Differentiate the products by the modal coordinates (…, N + P, N)."""
        a, b = self._expand_selectors(q)
        own = a * times(b, q)[..., None] + b * times(a, q)[..., None]
        n = q.shape[-1]
        unit = np.broadcast_to(np.eye(n, dtype=int), (*own.shape[:-2], n, n))
        return np.concatenate([unit + 0 * own[..., :1, :], own], axis=-2)

    def bias(self, v: Array) -> Array:
        """Return second derivatives of ``fields`` by time at q̈^e = 0 (…, N + P): zeros, then 2 q̇_a q̇_b."""
        a, b = self._expand_selectors(v)
        return join_arrays([0 * v, 2 * times(a, v) * times(b, v)], -1)

    def take_rows(self, rows: Array) -> Products:
        """Select rows of the table; the row -1 gives no products."""
        return Products(*(np.concatenate([x, 0 * x[:1]])[rows] for x in (self.first, self.second)))

    def _expand_selectors(self, q: Array) -> tuple[Array, Array]:
        """Reshape the selectors to broadcast with values that have an axis of states."""
        shape = (len(self.first), *[1] * (q.ndim - 2), *self.first.shape[1:])
        return self.first.reshape(shape), self.second.reshape(shape)


def products_of(links: Sequence[Link]) -> Products:
    """Collect the products of modal coordinates of all links."""
    n = most(links)
    count = max((len(link.modes.products) for link in links if link.modes), default=0)
    both = np.zeros((2, len(links), count, n), dtype=int)
    for j, link in enumerate(links):
        for k, pair in enumerate(link.modes.products if link.modes else ()):
            for side, name in zip(both, pair, strict=True):
                side[j, k, link.names.index(name)] = 1
    return Products(both[0], both[1])


Row = TypeVar("Row")


def place_rows(rows: Sequence[Row], own: int, n: int, count: int, blank: Row) -> list[Row]:
    """Pad a link's ``own`` rows of modes to n, and its rows of products to ``count``, with ``blank`` rows."""
    modal, rest = list(rows[:own]), list(rows[own:])
    return [*modal, *[blank] * (n - own), *rest, *[blank] * (count - len(rest))]


def pad_matrix(rows: Sequence[Sequence[Expression]], height: int, width: int) -> list[Expression]:
    """Pad a matrix with zero rows and columns, and flatten it."""
    whole = [[*row, *[ZERO] * (width - len(row))] for row in rows]
    whole += [[ZERO] * width] * (height - len(whole))
    return [x for row in whole for x in row]


def shapes_of(links: Sequence[Link], scalars: Scalars) -> Shapes:
    """Evaluate the shape integrals of the links in the given arithmetic."""
    n, products = most(links), products_of(links)
    w = n + products.count
    first, second, sections, coupling, twisting, stiffness, damping = ([] for _ in range(7))
    for link in links:
        modes = link.modes
        own = place_rows(modes.first_moments if modes else (), len(link.names), n, products.count, (ZERO,) * 3)
        first.append(pad_matrix([link.first, *own], w + 1, 3))
        second.append(_second(link, n, products.count))
        inertia, mixed, turned = (modes.section_inertia if modes else ()) or ((), (), ())
        sections.append(pad_matrix(inertia, 3, 3))
        coupling.append(pad_matrix(mixed, 3, n))
        twisting.append(pad_matrix(turned, n, n))
        stiffness.append(pad_matrix(modes.stiffness if modes else (), n, n))
        damping.append(pad_matrix(modes.damping if modes else (), n, n))
    return Shapes(
        n,
        products,
        scalars.table([[link.mass] for link in links]),
        scalars.table(first, w + 1, 3),
        scalars.table(second, w + 1, w + 1, 9),
        scalars.table(sections, 3, 3),
        scalars.table(coupling, 3, n),
        scalars.table(twisting, n, n),
        scalars.table(stiffness, n, n),
        scalars.table(damping, n, n),
    )


def _second(link: Link, n: int, count: int) -> list[Expression]:
    """Return the elements of all P_kl of a link, block after block, padded with zeros."""
    given = link.modes.second_moments if link.modes else ()
    order = [0, *place_rows(range(1, len(given)), len(link.names), n, count, -1)]
    flat: list[Expression] = []
    for k in order:
        for m in order:
            block = link.second if k == m == 0 else given[k][m] if min(k, m) >= 0 and given else ()
            flat += pad_matrix(block, 3, 3)
    return flat


def inertias(shapes: Shapes, q: Array, v: Array, spin: Array, frozen: bool) -> Inertias:
    """Compute the inertia blocks of every link for q^e, q̇^e (…, N) and ω (…, 3)."""
    n, pairs = shapes.modes, shapes.products
    one = 1 + shapes.first[..., :1, 0] * 0
    q = q * 0 if frozen else q
    bar = join_arrays([one, pairs.fields(q)], -1) if n else one
    W = (bar[..., None, None, :] @ shapes.second)[..., 0, :]
    Q = (bar[..., None, :] @ W)[..., 0, :]
    W, Q = W.reshape(*W.shape[:-1], 3, 3), Q.reshape(*Q.shape[:-1], 3, 3)
    s = (bar[..., None, :] @ shapes.first)[..., 0, :]
    about = _tensor(Q)
    static = skew(s)
    rr = blocks(scale(unit(shapes.mass), shapes.mass, 2), -static, static, about + shapes.sections)
    pull = cross(spin, cross(spin, s))
    gyro = cross(spin, times(about, spin)) + cross(spin, times(shapes.sections, spin))
    if not n:
        empty = np.zeros((*rr.shape[:-2], 6, 0), dtype=rr.dtype)
        return Inertias(rr, empty, empty[..., :0, :], join_arrays([pull, gyro], -1), empty[..., 0, :])
    rates, w = v, n + pairs.count
    slopes = pairs.slopes(q) if pairs.count else None
    if slopes is not None:
        v = times(slopes, v)
    A = transpose(shapes.first[..., 1:, :])
    arms = -transpose(axial(W[..., 1:, :, :]))
    re = np.concatenate(np.broadcast_arrays(A + 0 * arms, arms), axis=-2)
    ee = _traces(shapes.second[..., 1:, 1:, :])
    E = (v[..., None, :] @ W[..., 1:, :, :].reshape(*W.shape[:-3], w, 9))[..., 0, :]
    E = E.reshape(*E.shape[:-1], 3, 3)
    r = join_arrays(
        [
            pull + 2 * cross(spin, times(A, v)),
            gyro + 2 * times(_tensor(E), spin) + cross(spin, times(shapes.coupling, rates)),
        ],
        -1,
    )
    mixed = (v[..., None, None, :] @ shapes.second[..., 1:, 1:, :])[..., 0, :]
    mixed = axial(mixed.reshape(*mixed.shape[:-1], 3, 3))
    own = W[..., 1:, :, :]
    turn = spin[..., None, :]
    e = -dot(turn, times(_tensor(own), turn + 0 * own[..., 0])) - 2 * dot(turn, mixed)
    if slopes is not None:
        pull = pairs.bias(rates * 0 if frozen else rates)
        r, e = r + times(re, pull), times(transpose(slopes), e + times(ee, pull))
        re, ee = re @ slopes, transpose(slopes) @ ee @ slopes
    sections = np.concatenate([shapes.coupling * 0, shapes.coupling], axis=-2)
    return Inertias(rr, re + sections, ee + shapes.twisting, r, e)


def _tensor(Q: Array) -> Array:
    """Return tr(Q) E - Q without cancellation on the diagonal, where thin links have small differences."""
    x, y, z = (Q[..., i, i] for i in range(3))
    xy, xz, yx, yz, zx, zy = (-Q[..., i, k] for i in range(3) for k in range(3) if i != k)
    return np.stack([y + z, xy, xz, yx, z + x, yz, zx, zy, x + y], axis=-1).reshape(Q.shape)


def _traces(P: Array) -> Array:
    """Return tr P_kl of flat blocks."""
    return P[..., 0] + P[..., 4] + P[..., 8]
