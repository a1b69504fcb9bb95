"""Equations (13) in relative coordinates: (14)-(15), coefficients from geometry as vectors in the plane.

The coefficients as sums of J^c and J^s (16), and by the recurrences (17)-(18), too.
"""

from __future__ import annotations

from mbconcord.model.expressions import ZERO

from ..linkage import Coefficients, Linkage
from ..plane import cross, dot, scalars
from .absolute import chain_sums
from .equations import Equations, from_relative, relative_drive


def equations(p: Linkage) -> Equations:
    """Write all equations from geometry."""
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


def sum_equations(p: Linkage) -> Equations:
    """Write all equations by sums."""
    return assemble_equations(p, *sum_coefficients(p))


def sum_coefficients(p: Linkage) -> tuple[Coefficients, Coefficients]:
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


def recurrent_equations(p: Linkage) -> Equations:
    """Write all equations by recurrences."""
    return assemble_equations(p, *recurrent_coefficients(p))


def recurrent_coefficients(p: Linkage) -> tuple[Coefficients, Coefficients]:
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
