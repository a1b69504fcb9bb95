"""Results of a form of the equations of motion, and its conversion to relative coordinates."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model.derivation import Nested
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.records import dataclass, field

from ..linkage import Coefficients, Linkage
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
