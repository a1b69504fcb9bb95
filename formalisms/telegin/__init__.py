"""Telegin's equations of augmented bodies: planar linkages in eight forms, closed ones, trees in space."""

from .closed.assembly import motion
from .closed.dynamics import ClosedDynamics, ClosedLinkage
from .formalism import FORMS, Telegin

__all__ = ["FORMS", "ClosedDynamics", "ClosedLinkage", "Telegin", "motion"]
