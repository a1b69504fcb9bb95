"""Builders of elastic bodies: Euler–Bernoulli beams with their shape integrals."""

from .beam import Mode, axial, beam, bending, torsion
from .sections import Section, rectangular, round_section, tubular
from .shapes import ClampedFree, Polynomial, Shape, Sine, power, static

__all__ = [
    "ClampedFree", "Mode", "Polynomial", "Section", "Shape", "Sine", "axial", "beam", "bending", "power",
    "rectangular", "round_section", "static", "torsion", "tubular",
]  # fmt: skip
