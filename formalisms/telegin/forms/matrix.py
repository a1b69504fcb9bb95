"""Vector-matrix form (20)-(23) of РУД: H ε + h ω² - G - MΔ = S M."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mbconcord.model.derivation import Nested
from mbconcord.model.expressions import MINUS_ONE, ONE, ZERO, Expression

from ..linkage import Coefficients, Linkage
from ..plane import scalars
from ..topology import Topology
from .equations import Equations, Named, from_recurrent

Square = tuple[tuple[Expression, ...], ...]


def equations(p: Linkage) -> Equations:
    """Write all equations; the drives by substitution from N to 1 in the upper triangular S."""
    links = p.topology.links
    H, h, S = inertia(p), centrifugal(p), distribution(p.topology)
    epsilon = [p.motion.epsilon[k] for k in links]
    square = [p.square[k] for k in links]
    left = {k: row_by(H[k - 1], epsilon) + row_by(h[k - 1], square) - p.G[k] - p.M_difference[k] for k in links}
    native: dict[str, Nested] = {"H": H, "h": h, "S": S, "G": tuple(p.G.values()), "MΔ": tuple(p.M_difference.values())}
    named: Named = {"H": entries(H), "h": entries(h), "G": p.G, "L": left}
    return Equations(*from_recurrent(p, entries(H), entries(h)), back_substitute(S, left), named, native)


def inertia(p: Linkage) -> Square:
    """Compute H (21): J_k on the diagonal; m_dk R_p cos(e_p, i_k), i in the chain of k, p next after i; symmetric."""
    t = p.topology

    def entry(k: int, i: int) -> Expression:
        if k == i:
            return p.bodies[k].J
        if i in t.chain[k]:
            return p.Jc[k, t.next_link(i, k)]
        return p.Jc[i, t.next_link(k, i)] if k in t.chain[i] else ZERO

    return square_of(t, entry)


def centrifugal(p: Linkage) -> Square:
    """Compute h (22): m_dk R_p sin(e_p, i_k) below the diagonal, which is zero; skew-symmetric."""
    t = p.topology

    def entry(k: int, i: int) -> Expression:
        if k != i and i in t.chain[k]:
            return p.Js[k, t.next_link(i, k)]
        return -p.Js[i, t.next_link(k, i)] if k != i and k in t.chain[i] else ZERO

    return square_of(t, entry)


def distribution(t: Topology) -> Square:
    """Return S (23): 1 on the diagonal, -1 where base(i) = k; upper triangular. M acts on a link, -M on its base."""
    return square_of(t, lambda k, i: ONE if k == i else MINUS_ONE if t.base[i] == k else ZERO)


def square_of(t: Topology, entry: Callable[[int, int], Expression]) -> Square:
    """Build a matrix over all links."""
    return tuple(tuple(entry(k, i) for i in t.links) for k in t.links)


def entries(matrix: Square) -> Coefficients:
    """Return nonzero entries by their indices."""
    return {(k, i): x for k, row in enumerate(matrix, 1) for i, x in enumerate(row, 1) if x}


def row_by(row: Sequence[Expression], column: Sequence[Expression]) -> Expression:
    """Return the scalar product of a row and a column, without the products with zero."""
    return scalars(a * b for a, b in zip(row, column, strict=True) if a)


def back_substitute(S: Square, right: Mapping[int, Expression]) -> dict[int, Expression]:
    """Solve S x = right for an upper triangular S with ones on the diagonal."""
    x: dict[int, Expression] = {}
    for k in tuple(right)[::-1]:
        x[k] = right[k] - scalars(S[k - 1][i - 1] * x[i] for i in x if S[k - 1][i - 1])
    return {k: x[k] for k in right}
