"""Equation (6) with the coefficients by the recurrences (10)-(12)."""

from __future__ import annotations

from ..linkage import Coefficients, Linkage
from ..plane import scalars
from .absolute_sums import AbsoluteCoefficients, assemble_equations
from .equations import Equations


def equations(p: Linkage) -> Equations:
    """Write all equations."""
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
