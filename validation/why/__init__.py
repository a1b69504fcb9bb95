"""Why two models differ: the one fault of a catalogue that makes one of the other, and where it stands.

Kinematics first: of which coordinate the screw differs. Then inertia: what a model's bodies contribute to M, h and
the weights is linear in ten numbers of each, so the difference itself says which bodies carry it. Then gravity, then
forces. Everything is tried on numbers of validation's own; a cause is stated only where the changed model has the
other's numbers in every quantity.
"""

from .answer import Answer, Cause, Step
from .search import why

__all__ = ["Answer", "Cause", "Step", "why"]
