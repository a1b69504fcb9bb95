"""Telegin's equations of augmented bodies: planar linkages in eight forms, closed ones, trees in space."""

from .formalism import FORMS, Telegin

__all__ = ["FORMS", "Telegin"]
