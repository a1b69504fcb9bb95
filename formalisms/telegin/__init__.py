"""Telegin's equations of augmented bodies: planar linkages in eight forms, closed ones, trees in space."""

from .assembly import motion
from .closed import ClosedDynamics, ClosedLinkage
from .formalism import FORMS, Telegin

__all__ = ["FORMS", "ClosedDynamics", "ClosedLinkage", "Telegin", "motion"]
