"""Sections of beams: area, second moments of area and torsion constant, in expressions (m², m⁴)."""

from __future__ import annotations

import math

from mbconcord.records import dataclass

from ..diagnostics import ModelError, error
from ..expressions import PI_NODE, Expression, Scalar, as_expression, evaluate_float, number


@dataclass(frozen=True, slots=True)
class CrossSection:
    """A section with its centre on the axis 1 of the beam and principal axes 2, 3.

    Attributes
    ----------
    area : A
    second, third : ∫ x₃² dA and ∫ x₂² dA: second moments about the axes 2 and 3
    torsion : torsion constant J_t; the polar moment where the section is round
    """

    area: Expression
    second: Expression
    third: Expression
    torsion: Expression

    @property
    def polar(self) -> Expression:
        """Polar moment I_p = I_2 + I_3, for the rotary inertia about axis 1."""
        return self.second + self.third


def round_section(radius: Scalar) -> CrossSection:
    """Return the section of a solid round beam of radius r: A = πr², I = πr⁴/4, J_t = I_p = πr⁴/2."""
    return tubular(radius, 0)


def tubular(outer: Scalar, inner: Scalar) -> CrossSection:
    """Return the section of a tube, a ring between two radii."""
    a, b = as_expression(outer), as_expression(inner)
    if a.constant and b.constant and not 0 <= evaluate_float(b, {}) < evaluate_float(a, {}):
        found = f"a ring from {b} to {a} m has no area"
        raise ModelError(error("section", found, "the outer radius is positive and above the inner one"))
    area, fourth = PI_NODE * (a**2 - b**2), PI_NODE * (a**4 - b**4)
    return CrossSection(area, fourth / 4, fourth / 4, fourth / 2)


def rectangular(width: Scalar, height: Scalar) -> CrossSection:
    """Return a rectangular section, ``width`` along axis 2 and ``height`` along axis 3, both numbers.

    J_t by Saint-Venant's series, a ≥ b the sides: a b³ (1/3 - 64/π⁵ b/a Σ tanh(nπa/2b)/n⁵), n = 1, 3, 5, …
    """
    w, h = as_expression(width), as_expression(height)
    if not (w.constant and h.constant):
        found = f"the sides {w} and {h} of a rectangle are no numbers"
        raise ModelError(error("section", found, "the torsion constant needs them; give numbers"))
    x, y = evaluate_float(w, {}), evaluate_float(h, {})
    if not (x > 0 and y > 0):
        raise ModelError(error("section", f"a rectangle of {w} by {h} m has no area", "its sides are positive"))
    a, b = max(x, y), min(x, y)
    rest = math.fsum(math.tanh(n * math.pi * a / (2 * b)) / n**5 for n in range(1, 400, 2))
    torsion = a * b**3 * (1 / 3 - 64 / math.pi**5 * b / a * rest)
    return CrossSection(w * h, w * h**3 / 12, h * w**3 / 12, number(repr(torsion)))
