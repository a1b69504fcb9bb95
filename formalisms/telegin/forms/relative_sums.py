"""Equation (13) with the coefficients as sums of J^c and J^s (16)."""

from __future__ import annotations

from ..linkage import Coefficients, Linkage
from ..plane import scalars
from .equations import Equations
from .relative import assemble_equations


def equations(p: Linkage) -> Equations:
    """Write all equations."""
    return assemble_equations(p, *coefficients(p))


def coefficients(p: Linkage) -> tuple[Coefficients, Coefficients]:
    """Compute H_ki = Σ (J_j + Σ J^c_jm + 2 Σ J^c_jm) and h_ki = Σ Σ J^s_jm (16).

    j is k and the links it carries; m goes from after i up to k, and under the factor 2 from after k up to j.
    """
    t = p.topology
    H: Coefficients = {}
    h: Coefficients = {}
    for k in t.links:
        for i in t.chain[k]:
            H[k, i] = scalars(
                p.bodies[j].J
                + scalars(p.Jc[j, m] for m in t.path(i, k))
                + 2 * scalars(p.Jc[j, m] for m in t.path(k, j))
                for j in t.sub[k]
            )
            h[k, i] = scalars(p.Js[j, m] for j in t.sub[k] for m in t.path(i, k))
    return H, h
