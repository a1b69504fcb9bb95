"""Equations (1)-(3) in absolute angles: coefficients from geometry, as vectors in the plane."""

from __future__ import annotations

from mbconcord.model.expressions import Expression

from ..linkage import Coefficients, Linkage
from ..plane import cross, dot, quarter, scalars
from .equations import Equations, from_absolute


def equations(p: Linkage) -> Equations:
    """Write all equations."""
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
