"""Equations (6)-(9) in absolute angles: coefficients as sums of J^c and J^s."""

from __future__ import annotations

from mbconcord.model.expressions import Expression
from mbconcord.records import dataclass

from ..linkage import Coefficients, Linkage
from ..plane import scalars
from .equations import Equations, Named, from_absolute


@dataclass(frozen=True)
class AbsoluteCoefficients:
    """Coefficients of (6).

    A, a (equation k, carrier i): of ε_i and ω_i². B, b (carried link i, equation k): of ε_i and ω_i².
    """

    A: Coefficients
    a: Coefficients
    B: Coefficients
    b: Coefficients


def equations(p: Linkage) -> Equations:
    """Write all equations."""
    return assemble_equations(p, coefficients(p))


def coefficients(p: Linkage) -> AbsoluteCoefficients:
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
    drives = {k: left_side(p, c, k) for k in p.topology.links}
    named: Named = {"A": c.A, "a": c.a, "B": c.B, "b": c.b, "G0": p.G0}
    return Equations(*from_absolute(p, of_epsilon, of_square), drives, named)


def left_side(p: Linkage, c: AbsoluteCoefficients, k: int) -> Expression:
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
