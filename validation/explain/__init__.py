"""Explanations of why two models differ: the one fault of a catalogue that turns one into the other, and its place.

Kinematics first: of which coordinate the screw differs. Then inertia: what a model's bodies contribute to M, h and
the weights is linear in ten numbers of each, so the difference itself says which bodies carry it. Then gravity, then
forces. Everything is tried on numbers of validation's own; a cause is stated only where the changed model has the
other's numbers in every quantity.
"""

from .answer import Cause, Causes, CauseStep
from .digits import read_printed
from .search import find_printed_digits, why, why_fields

__all__ = ["Cause", "CauseStep", "Causes", "find_printed_digits", "read_printed", "why", "why_fields"]
