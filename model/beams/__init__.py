"""Builders of elastic bodies: Euler–Bernoulli beams with their shape integrals."""

from .beam import Mode, axial, beam, bending, torsion
from .sections import CrossSection, rectangular, round_section, tubular
from .shapes import ClampedFree, ShapeFunction, ShapePolynomial, Sine, TipLoaded, power, static

__all__ = [
    "ClampedFree",
    "CrossSection",
    "Mode",
    "ShapeFunction",
    "ShapePolynomial",
    "Sine",
    "TipLoaded",
    "axial",
    "beam",
    "bending",
    "power",
    "rectangular",
    "round_section",
    "static",
    "torsion",
    "tubular",
]  # fmt: skip
