"""Builders of elastic bodies: Euler–Bernoulli beams with their shape integrals."""

from .beam import CrossSection, Mode, axial, beam, bending, rectangular, round_section, torsion, tubular
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
