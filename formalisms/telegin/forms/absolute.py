"""Equations in absolute angles: (1)-(3), coefficients from geometry, as vectors in the plane.

Equations (6)-(9), coefficients as sums of J^c and J^s; and by the recurrences (10)-(12).
"""

from __future__ import annotations

from mbconcord.model.expressions import Expression
from mbconcord.records import dataclass

from ..linkage import Coefficients, Linkage
from ..plane import cross, dot, quarter, scalars
from .equations import Equations, Named, from_absolute


def equations(p: Linkage) -> Equations:
    """Write all equations from geometry."""
    A, B = sums(p)
    t = p.topology
    carried = {(k, i): link_coefficients(p, A, B, k, i) for k in t.links for i in t.sub[k]}
    of_epsilon = {pair: value[0] for pair, value in carried.items()}
    of_square = {pair: value[1] for pair, value in carried.items()}
    for k in t.links:
        for i in t.carriers(k):
            of_epsilon[k, i], of_square[k, i] = A[k, t.next_link(i, k)], -B[k, t.next_link(i, k)]
    drives = {k: left_side(p, A, B, k) for k in t.links}
    return Equations(*from_absolute(p, of_epsilon, of_square), drives, {"A": A, "B": B, "G": p.G})


def sums(p: Linkage) -> tuple[Coefficients, Coefficients]:
    """Compute A_km = (Σ m_dj i_j)·R_m and B_km = (Σ m_dj j_j)·R_m over k and what it carries (3)."""
    A = {(k, m): dot(p.static_moments[k], p.R[m]) for k, m in p.pairs}
    B = {(k, m): dot(quarter(p.static_moments[k]), p.R[m]) for k, m in p.pairs}
    return A, B


def link_coefficients(p: Linkage, A: Coefficients, B: Coefficients, k: int, i: int) -> tuple[Expression, Expression]:
    """Compute [J_i + m_di R^x_ki + Σ A_jj] of ε_i and [m_di R^y_ki - Σ B_jj] of ω_i², j adjacent to i, in (1)."""
    R, children = p.vector_between(k, i), p.topology.children[i]
    of_epsilon = p.bodies[i].J + dot(R, p.s[i]) + scalars(A[j, j] for j in children)
    return of_epsilon, cross(p.s[i], R) - scalars(B[j, j] for j in children)


def left_side(p: Linkage, A: Coefficients, B: Coefficients, k: int) -> Expression:
    """Write equation (1): Σ (A_k,i+1 ε_i - B_k,i+1 ω_i²) + Σ ([…] ε_i + […] ω_i² - G_i) - MΣ_k = M_k."""
    t, epsilon = p.topology, p.motion.epsilon

    def carrier(i: int) -> Expression:
        return A[k, t.next_link(i, k)] * epsilon[i] - B[k, t.next_link(i, k)] * p.square[i]

    def weigh_link(i: int) -> Expression:
        of_epsilon, of_square = link_coefficients(p, A, B, k, i)
        return of_epsilon * epsilon[i] + of_square * p.square[i] - p.G[i]

    return scalars((*map(carrier, t.carriers(k)), *map(weigh_link, t.sub[k]), -p.M_sum[k]))


@dataclass(frozen=True)
class AbsoluteCoefficients:
    """Coefficients of (6).

    A, a (equation k, carrier i): of ε_i and ω_i². B, b (carried link i, equation k): of ε_i and ω_i².
    """

    A: Coefficients
    a: Coefficients
    B: Coefficients
    b: Coefficients


def sum_equations(p: Linkage) -> Equations:
    """Write all equations by sums."""
    return assemble_equations(p, sum_coefficients(p))


def sum_coefficients(p: Linkage) -> AbsoluteCoefficients:
    """Compute eqs. (8) and (9) as they are printed."""
    t = p.topology
    carriers = [(k, i) for k in t.links for i in t.carriers(k)]
    carried = [(i, k) for k in t.links for i in t.sub[k]]

    def adjacent(J: Coefficients, i: int) -> list[Expression]:
        return [J[j, m] for m in t.children[i] for j in t.sub[m]]

    return AbsoluteCoefficients(
        {(k, i): scalars(p.Jc[j, t.next_link(i, k)] for j in t.sub[k]) for k, i in carriers},
        {(k, i): scalars(p.Js[j, t.next_link(i, k)] for j in t.sub[k]) for k, i in carriers},
        {
            (i, k): p.bodies[i].J + scalars(adjacent(p.Jc, i)) + scalars(p.Jc[i, j] for j in t.path(k, i))
            for i, k in carried
        },
        {(i, k): scalars(adjacent(p.Js, i)) - scalars(p.Js[i, j] for j in t.path(k, i)) for i, k in carried},
    )


def assemble_equations(p: Linkage, c: AbsoluteCoefficients) -> Equations:
    """Assemble equations (6) from their coefficients."""
    of_epsilon = {**c.A, **{(k, i): value for (i, k), value in c.B.items()}}
    of_square = {**c.a, **{(k, i): value for (i, k), value in c.b.items()}}
    drives = {k: left_side_of_sums(p, c, k) for k in p.topology.links}
    named: Named = {"A": c.A, "a": c.a, "B": c.B, "b": c.b, "G0": p.G0}
    return Equations(*from_absolute(p, of_epsilon, of_square), drives, named)


def left_side_of_sums(p: Linkage, c: AbsoluteCoefficients, k: int) -> Expression:
    """Write equation (6): Σ (A_ki ε_i + a_ki ω_i²) + Σ (B_ik ε_i + b_ik ω_i²) - G_0k - MΣ_k = M_k."""
    t, epsilon = p.topology, p.motion.epsilon
    return scalars(
        (
            *(c.A[k, i] * epsilon[i] + c.a[k, i] * p.square[i] for i in t.carriers(k)),
            *(c.B[i, k] * epsilon[i] + c.b[i, k] * p.square[i] for i in t.sub[k]),
            -p.G0[k],
            -p.M_sum[k],
        )
    )


def recurrent_equations(p: Linkage) -> Equations:
    """Write all equations by recurrences."""
    A, a = chain_sums(p)
    return assemble_equations(p, AbsoluteCoefficients(A, a, *carried_sums(p, A, a)))


def chain_sums(p: Linkage) -> tuple[Coefficients, Coefficients]:
    """Compute A_k,i-1 = J^c_ki + Σ A_j,i-1, a_k,i-1 = J^s_ki + Σ a_j,i-1 over the adjacent links j of k (10)."""
    t = p.topology
    A: Coefficients = {}
    a: Coefficients = {}
    for k in t.inward:
        for i in t.walk_inward(k):
            b = t.base[i]
            A[k, b] = p.Jc[k, i] + scalars(A[j, b] for j in t.children[k])
            a[k, b] = p.Js[k, i] + scalars(a[j, b] for j in t.children[k])
    return A, a


def carried_sums(p: Linkage, A: Coefficients, a: Coefficients) -> tuple[Coefficients, Coefficients]:
    """Compute B_kk = J_k + Σ A_ik, b_kk = Σ a_ik (11); B_k,i-1 = B_ki + J^c_ki, b_k,i-1 = b_ki - J^s_ki (12)."""
    t = p.topology
    B: Coefficients = {}
    b: Coefficients = {}
    for k in t.inward:
        B[k, k] = p.bodies[k].J + scalars(A[i, k] for i in t.children[k])
        b[k, k] = scalars(a[i, k] for i in t.children[k])
        for i in t.walk_inward(k):
            B[k, t.base[i]] = B[k, i] + p.Jc[k, i]
            b[k, t.base[i]] = b[k, i] - p.Js[k, i]
    return B, b
