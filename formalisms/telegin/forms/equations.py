"""Results of a form of the equations of motion, and its conversion to relative coordinates.

Vector-matrix form (20)-(23) of РУД: H ε + h ω² - G - MΔ = S M.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mbconcord.model.derivation import Nested
from mbconcord.model.expressions import MINUS_ONE, ONE, ZERO, Expression
from mbconcord.records import dataclass, field

from ..linkage import Coefficients, Linkage, Topology
from ..plane import scalars

#: Coefficients of a form by their letter in the paper: of two indices or of one.
Named = Mapping[str, Mapping[tuple[int, int], Expression] | Mapping[int, Expression]]


@dataclass(frozen=True)
class Equations:
    """Equations of motion in the relative coordinates q of the links.

    Attributes
    ----------
    mass : coefficient of q''_i in equation k, for links of one branch
    h : terms with rates
    drives : M_k by the form's own equation
    coefficients : the form's own coefficients by letter
    native : the form's own objects by name, such as matrices
    """

    mass: Coefficients
    h: Mapping[int, Expression]
    drives: Mapping[int, Expression]
    coefficients: Named
    native: Mapping[str, Nested] = field(default_factory=dict)


def from_absolute(
    p: Linkage, of_epsilon: Coefficients, of_square: Coefficients
) -> tuple[Coefficients, Mapping[int, Expression]]:
    """Convert coefficients of ε and ω² in the equations of M_k to those of q'' and the terms with rates.

    ε_i is the sum of q'' over the chain of i, so the coefficient of q''_m is the sum over the links that m carries.
    """
    links = p.topology.links
    mass: Coefficients = {}
    for k in links:
        row = p.inward({i: of_epsilon.get((k, i), ZERO) for i in links})
        mass |= {(k, m): row[m] for m in links if row[m]}
    h = {k: scalars(of_square[k, i] * p.square[i] for i in links if (k, i) in of_square) for k in links}
    return mass, h


def from_recurrent(
    p: Linkage, of_epsilon: Coefficients, of_square: Coefficients
) -> tuple[Coefficients, Mapping[int, Expression]]:
    """Convert the coefficients of РУД, whose right-hand side is S M, by inward summation over equations.

    Mass matrix S⁻¹ H S⁻ᵀ, terms with rates S⁻¹ h ω².
    """
    links = p.topology.links
    summed: Coefficients = {}
    for i in links:
        column = p.inward({k: of_epsilon.get((k, i), ZERO) for k in links})
        summed |= {(k, i): column[k] for k in links if column[k]}
    rates = {k: scalars(of_square[k, i] * p.square[i] for i in links if (k, i) in of_square) for k in links}
    return from_absolute(p, summed, {})[0], p.inward(rates)


def from_relative(p: Linkage, H: Coefficients, h: Coefficients) -> tuple[Coefficients, Mapping[int, Expression]]:
    """Convert H_ki and h_ki of eq. (13), i in the chain of k, to the mass matrix and the terms with rates."""
    mass = {pair: value for (k, i), value in H.items() for pair in ((k, i), (i, k))}
    return mass, {k: relative_rates(p, h, k) for k in p.topology.links}


def relative_rates(p: Linkage, h: Coefficients, k: int) -> Expression:
    """Sum Σ h_ki u_i over the carriers of k, minus Σ h_ik u_i over the links it carries."""
    carriers = (h[k, i] * p.u[i] for i in p.topology.carriers(k))
    carried = (-(h[i, k] * p.u[i]) for i in p.topology.find_descendants(k))
    return scalars((*carriers, *carried))


def relative_drive(p: Linkage, H: Coefficients, h: Coefficients, k: int) -> Expression:
    """Write Σ (H_ki q''_i + h_ki u_i) + H_kk q''_k + Σ (H_ik q''_i - h_ik u_i) - G_0k - MΣ_k = M_k (13)."""
    t, a = p.topology, p.motion.acceleration
    return scalars(
        (
            *(H[k, i] * a[i] + h[k, i] * p.u[i] for i in t.carriers(k)),
            H[k, k] * a[k],
            *(H[i, k] * a[i] - h[i, k] * p.u[i] for i in t.find_descendants(k)),
            -p.G0[k],
            -p.M_sum[k],
        )
    )


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
