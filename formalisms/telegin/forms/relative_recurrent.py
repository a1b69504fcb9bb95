"""Equation (13) with the coefficients by the recurrences (17)-(18)."""

from __future__ import annotations

from mbconcord.model.expressions import ZERO

from ..linkage import Coefficients, Linkage
from ..plane import scalars
from .absolute_recurrent import chain_sums
from .equations import Equations
from .relative import assemble_equations


def equations(p: Linkage) -> Equations:
    """Write all equations."""
    return assemble_equations(p, *coefficients(p))


def coefficients(p: Linkage) -> tuple[Coefficients, Coefficients]:
    """Compute H and h from A and a of (10).

    H_kk = J_k + Σ (H_jj + 2 A_jk) (17); H_k,i-1 = H_ki + A_k,i-1, h_k,i-1 = h_ki + a_k,i-1, h_kk = 0 (18).
    """
    t = p.topology
    A, a = chain_sums(p)
    H: Coefficients = {}
    h: Coefficients = {}
    for k in t.inward:
        H[k, k] = p.bodies[k].J + scalars(H[j, j] + 2 * A[j, k] for j in t.children[k])
        h[k, k] = ZERO
        for i in t.walk_inward(k):
            b = t.base[i]
            H[k, b] = H[k, i] + A[k, b]
            h[k, b] = h[k, i] + a[k, b]
    return H, h
