"""Shapes of a beam clamped at ξ = 0: functions f of ξ = x/L with f(0) = 0 and f(1) = 1, and their integrals.

Integrals over 0 … 1 are exact where both functions are polynomials, closed forms where both are clamped-free or
both sines, and Gauss–Legendre sums otherwise.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Final

import numpy as np

from mbconcord.records import dataclass

from ..diagnostics import ModelError, error

#: Points of Gauss–Legendre sums of smooth functions; those that wave need more, one a radian.
POINTS: Final = 64
#: Of Newton's method, from a start that is wrong by 0.3 at most.
STEPS: Final = 8
Value = float | Fraction


class ShapeFunction(ABC):
    """A function of ξ, with its derivatives by ξ."""

    @abstractmethod
    def evaluate(self, xi: Value, order: int = 0) -> Value:
        """Evaluate f, f′ or f″ at a place."""

    @property
    def radians(self) -> float:
        """Return the phase of its waves over the length."""
        return 0.0


@dataclass(frozen=True, slots=True)
class ShapePolynomial(ShapeFunction):
    """Σ c_p ξ^p by power, exact."""

    terms: tuple[tuple[int, Fraction], ...]

    def evaluate(self, xi: Value, order: int = 0) -> Value:
        """Evaluate exactly if ξ is a fraction."""
        total: Value = Fraction(0)
        for p, c in self._differentiate(order):
            total = total + c * xi**p
        return total

    def _differentiate(self, order: int) -> list[tuple[int, Fraction]]:
        return [(p - order, c * math.perm(p, order)) for p, c in self.terms if p >= order]

    def product(self, other: ShapePolynomial, order: int, weight: int) -> Fraction:
        """Integrate ∫ ξ^weight f^(order) g^(order) dξ."""
        return sum(
            (
                a * b / (p + q + weight + 1)
                for p, a in self._differentiate(order)
                for q, b in other._differentiate(order)
            ),
            Fraction(0),
        )


def power(p: int) -> ShapePolynomial:
    """Return ξ^p: p ≥ 2 for bending, p ≥ 1 for torsion and along the axis."""
    return ShapePolynomial(((p, Fraction(1)),))


def static() -> ShapePolynomial:
    """Return the deflection line of a force at the tip, (3 ξ² - ξ³)/2."""
    return ShapePolynomial(((2, Fraction(3, 2)), (3, Fraction(-1, 2))))


@dataclass(frozen=True, slots=True)
class ClampedFree(ShapeFunction):
    """Mode k = 1, 2, … of bending of a beam that is clamped at one end and free at the other."""

    k: int

    def __post_init__(self) -> None:
        _require_mode_number(self.k)

    @property
    def beta(self) -> float:
        """Root of 1 + cos β cosh β near (k - ½)π, by Newton's method on cos β + 1/cosh β."""
        b = (self.k - 0.5) * math.pi
        for _ in range(STEPS):
            sech = 2 * math.exp(-b) / (1 + math.exp(-2 * b))
            b += (math.cos(b) + sech) / (math.sin(b) + math.tanh(b) * sech)
        return b

    @property
    def radians(self) -> float:
        """Return the phase of its waves over the length, β."""
        return self.beta

    @property
    def sigma(self) -> float:
        """(cosh β + cos β)/(sinh β + sin β)."""
        b = self.beta
        return 1 - self._left_factor(b) * math.exp(-b)

    def evaluate(self, xi: Value, order: int = 0) -> float:
        """Evaluate (-1)^(k+1)/2 [cosh z - cos z - σ (sinh z - sin z)], z = βξ, with
        1 - σ = (sin β - cos β - e^-β)/(sinh β + sin β) without cancellation.
        """
        b = self.beta
        return (0.5 if self.k % 2 else -0.5) * _bend(b, self._left_factor(b), b * float(xi), order)

    @staticmethod
    def _left_factor(b: float) -> float:
        """Return e^β (1 - σ)."""
        return 2 * (math.sin(b) - math.cos(b) - math.exp(-b)) / (1 - math.exp(-2 * b) + 2 * math.sin(b) * math.exp(-b))


def _bend(b: float, left: float, z: float, order: int) -> float:
    """Evaluate cosh z - cos z - σ (sinh z - sin z) or a derivative by z/β, left = e^β (1 - σ).

    cosh z - σ sinh z is e^-z + (1 - σ) sinh z, with sinh z times e^-β, so that high modes keep digits.
    """
    rest = left * math.exp(-b)
    grown = (math.exp(z - b) - (-1.0) ** order * math.exp(-z - b)) / 2  # e^-β sinh z or e^-β cosh z
    hyperbolic = (-1.0) ** order * math.exp(-z) + left * grown
    s, c = math.sin(z), math.cos(z)
    turning = [-c + (1 - rest) * s, s + (1 - rest) * c, c - (1 - rest) * s][order]
    return b**order * (hyperbolic + turning)


@dataclass(frozen=True, slots=True)
class TipLoaded(ShapeFunction):
    """Mode k = 1, 2, … of bending of a beam that is clamped at one end and carries a rigid body at the other.

    ``mass`` of the body is relative to the beam's own mass ρAL; ``inertia`` (about the tip, across the beam) to ρAL³.
    """

    k: int
    mass: float
    inertia: float = 0.0

    def __post_init__(self) -> None:
        _require_mode_number(self.k)

    @property
    def radians(self) -> float:
        """Return the phase of its waves over the length, β."""
        return _find_loaded(self.k, self.mass, self.inertia)[0]

    def evaluate(self, xi: Value, order: int = 0) -> float:
        """Evaluate the function or a derivative; f‴ = -β⁴ f · mass and f″ = β⁴ f′ · inertia at the tip."""
        b, left = _find_loaded(self.k, self.mass, self.inertia)
        return _bend(b, left, b * float(xi), order) / _bend(b, left, b, 0)


@cache
def _find_loaded(k: int, mass: float, inertia: float) -> tuple[float, float]:
    """Return β and e^β (1 - σ) of a loaded mode: the k-th root above Dunkerley's bound, by bisection.

    The search steps are smaller than the gaps of roots: β of the lowest two differs by a factor of 1.9 or more.
    """

    def left_over(b: float) -> float:  # the determinant of the conditions at the tip, by cosh β
        s, c, sech, t = math.sin(b), math.cos(b), 2 * math.exp(-b) / (1 + math.exp(-2 * b)), math.tanh(b)
        heavy = mass * b * (s - c * t) + inertia * b**3 * (s + c * t)
        return c + sech - heavy + mass * inertia * b**4 * (sech - c)

    b, found = 0.99 * (1 / 12.36 + mass / 3 + inertia) ** -0.25, 0
    while True:
        low, b = b, b + min(b, 5.0) / 100
        found += left_over(low) * left_over(b) <= 0
        if found == k:
            break
    for _ in range(60):
        half = (low + b) / 2
        low, b = (low, half) if left_over(low) * left_over(half) <= 0 else (half, b)
    s, c, small = math.sin(b), math.cos(b), math.exp(-b)
    over = small + c + s + mass * b * (c - s - small)
    return b, over / ((1 + small**2) / 2 + c * small + mass * b * ((1 - small**2) / 2 - s * small))


@dataclass(frozen=True, slots=True)
class Sine(ShapeFunction):
    """sin((2k-1) π ξ/2), up to the sign that makes it 1 at the tip: k = 1, 2, … of torsion and along the axis."""

    k: int

    def __post_init__(self) -> None:
        _require_mode_number(self.k)

    @property
    def number(self) -> float:
        """Return the number of its waves over the length, (2k-1) π/2."""
        return (2 * self.k - 1) * math.pi / 2

    @property
    def radians(self) -> float:
        """Return the phase of its waves over the length."""
        return self.number

    def evaluate(self, xi: Value, order: int = 0) -> float:
        """Evaluate the function or a derivative."""
        w = self.number
        return (-1.0) ** (self.k + 1) * w**order * math.sin(w * float(xi) + order * math.pi / 2)


@dataclass(frozen=True, slots=True)
class DrawnBack(ShapeFunction):
    """∫ f′ g′ dξ from the clamp to ξ: twice the axial shift of a point by bending, per length; not 1 at the tip."""

    f: ShapeFunction
    g: ShapeFunction

    @property
    def radians(self) -> float:
        """Return the phase of the waves of both functions over the length."""
        return self.f.radians + self.g.radians

    def evaluate(self, xi: Value, order: int = 0) -> float:
        """Evaluate the integral, or f′ g′."""
        if order == 1:
            return float(self.f.evaluate(xi, 1)) * float(self.g.evaluate(xi, 1))
        if order:
            raise ValueError("a drawn shape has no second derivative here")
        x = float(xi)
        return x * _sum(lambda s: float(self.f.evaluate(s * x, 1)) * float(self.g.evaluate(s * x, 1)), self.radians * x)


def draw_back(f: ShapeFunction, g: ShapeFunction) -> ShapeFunction:
    """Integrate ∫ f′ g′ dξ; a polynomial if both are."""
    if not (isinstance(f, ShapePolynomial) and isinstance(g, ShapePolynomial)):
        return DrawnBack(f, g)
    terms: dict[int, Fraction] = {}
    for p, a in f.terms:
        for q, b in g.terms:
            if p and q:
                terms[p + q - 1] = terms.get(p + q - 1, Fraction(0)) + a * b * p * q / (p + q - 1)
    return ShapePolynomial(tuple(terms.items()))


def _require_mode_number(k: int) -> None:
    if k < 1:
        raise ModelError(error("modes", f"there is no mode {k}", "they are counted from 1"))


def overlap(f: ShapeFunction, g: ShapeFunction, order: int = 0) -> Value:
    """Integrate ∫ f^(order) g^(order) dξ."""
    if isinstance(f, ShapePolynomial) and isinstance(g, ShapePolynomial):
        return f.product(g, order, 0)
    if isinstance(f, ClampedFree) and isinstance(g, ClampedFree) and order in (0, 2):
        return (f.beta**4 if order else 1.0) / 4 if f.k == g.k else Fraction(0)
    if isinstance(f, Sine) and isinstance(g, Sine) and order in (0, 1):
        return (f.number**2 if order else 1.0) / 2 if f.k == g.k else Fraction(0)
    return _sum(lambda xi: float(f.evaluate(xi, order)) * float(g.evaluate(xi, order)), f.radians + g.radians)


def moment(f: ShapeFunction, weight: int = 0) -> Value:
    """Integrate ∫ ξ^weight f dξ."""
    if isinstance(f, ShapePolynomial):
        return f.product(ShapePolynomial(((0, Fraction(1)),)), 0, weight)
    if isinstance(f, ClampedFree):
        sign = (-1.0) ** (f.k + 1)
        return sign * f.sigma / f.beta if weight == 0 else sign / f.beta**2
    return _sum(lambda xi: xi**weight * float(f.evaluate(xi)), f.radians)


@cache
def _gauss(count: int) -> tuple[list[float], list[float]]:
    at, weights = np.polynomial.legendre.leggauss(count)
    return ((1 + at) / 2).tolist(), (weights / 2).tolist()


def _sum(function: Callable[[float], float], radians: float) -> float:
    at, weights = _gauss(POINTS + int(radians))
    return math.fsum(w * function(x) for x, w in zip(at, weights, strict=True))
