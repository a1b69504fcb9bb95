"""Equations (13)-(15) in relative coordinates: coefficients from geometry, as vectors in the plane."""

from __future__ import annotations

from ..linkage import Coefficients, Linkage
from ..plane import cross, dot, scalars
from .equations import Equations, from_relative, relative_drive


def equations(p: Linkage) -> Equations:
    """Write all equations."""
    return assemble_equations(p, *coefficients(p))


def coefficients(p: Linkage) -> tuple[Coefficients, Coefficients]:
    """Compute H_ki = Σ [J_j + m_dj (R^x_kj + R^x_ij)] (14), h_ki = -R_ik·Σ m_dj j_j (15).

    The sums are over k and the links it carries, i is in the chain of k.
    """
    t = p.topology
    Rx = {(i, j): dot(p.vector_between(i, j), p.s[j]) for j in t.links for i in t.chain[j]}  # m_dj R^x_ij
    H: Coefficients = {}
    h: Coefficients = {}
    for k in t.links:
        for i in t.chain[k]:
            H[k, i] = scalars(p.bodies[j].J + (Rx[k, j] + Rx[i, j]) for j in t.sub[k])
            h[k, i] = cross(p.vector_between(i, k), p.static_moments[k])
    return H, h


def assemble_equations(p: Linkage, H: Coefficients, h: Coefficients) -> Equations:
    """Assemble equations (13) from their coefficients."""
    drives = {k: relative_drive(p, H, h, k) for k in p.topology.links}
    return Equations(*from_relative(p, H, h), drives, {"H": H, "h": h, "G0": p.G0})
