"""РУД (24): equations whose right-hand side is M_k - Σ M_i over the adjacent links, in absolute angles."""

from __future__ import annotations

from mbconcord.model.expressions import Expression

from ..linkage import Coefficients, Linkage
from ..plane import scalars
from .equations import Equations, from_recurrent


def equations(p: Linkage) -> Equations:
    """Write all equations; the drives by summing inward, M_k = left side + Σ M_i."""
    H, h = coefficients(p)
    mass, rates = from_recurrent(p, H, h)
    left = {k: left_side(p, k) for k in p.topology.links}
    return Equations(mass, rates, p.inward(left), {"Jc": p.Jc, "Js": p.Js, "G": p.G, "L": left})


def coefficients(p: Linkage) -> tuple[Coefficients, Coefficients]:
    """Compute the coefficients of ε_i and ω_i² in equation k (24)."""
    t = p.topology
    of_epsilon = {(k, k): p.bodies[k].J for k in t.links}
    of_square: Coefficients = {}
    for k in t.links:
        for i in t.carriers(k):
            of_epsilon[k, i], of_square[k, i] = p.Jc[k, t.next_link(i, k)], p.Js[k, t.next_link(i, k)]
        for i in t.find_descendants(k):
            of_epsilon[k, i], of_square[k, i] = p.Jc[i, t.next_link(k, i)], -p.Js[i, t.next_link(k, i)]
    return of_epsilon, of_square


def left_side(p: Linkage, k: int) -> Expression:
    """Write equation k of (24).

    Σ (J^c_k,i+1 ε_i + J^s_k,i+1 ω_i²) + J_k ε_k + Σ Σ (J^c_ij ε_i - J^s_ij ω_i²) - G_k - MΔ_k: i in the chain
    of k, then j adjacent to k and i carried by j.
    """
    t, epsilon = p.topology, p.motion.epsilon
    return scalars(
        (
            *(
                p.Jc[k, t.next_link(i, k)] * epsilon[i] + p.Js[k, t.next_link(i, k)] * p.square[i]
                for i in t.carriers(k)
            ),
            p.bodies[k].J * epsilon[k],
            *(p.Jc[i, j] * epsilon[i] - p.Js[i, j] * p.square[i] for j in t.children[k] for i in t.sub[j]),
            -p.G[k],
            -p.M_difference[k],
        )
    )
