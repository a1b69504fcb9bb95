"""Forces in joints: what the inward pass transmits, at the origin and in the axes of each body.

Regrouped masses do the same work but burden other joints, so the links keep the masses that they have.
"""

from __future__ import annotations

from mbconcord.model import System
from mbconcord.model.expressions import Expression
from mbconcord.model.joint_forces import jointed

from .equations import Equations
from .scalars import Graph
from .tree import Place
from .vectors import Vector, apply, cross, minus, transposed


def joint_forces(system: System) -> tuple[tuple[Expression, ...], ...]:
    """Force (N) and moment (N m) about the origin of each moving body's frame, in its axes, over q'': k×6.

    With r and T the origin and the orientation of the body's frame in its link: f_b = Tᵀ f, n_b = Tᵀ (n - r × f).
    """
    own = Equations(system, Graph(), regroup=False)
    found = []
    for name in jointed(system):
        place = own.tree.places[name]
        transmitted = own.transmitted[place.link]
        force, moment = transmitted or (own.still, own.still)
        about = minus(moment, cross(place.shift, force))
        found.append((*_in_body(place, force), *_in_body(place, about)))
    return tuple(found)


def _in_body(place: Place, v: Vector) -> Vector:
    """Components in the axes of the body's frame of a vector in those of its link."""
    return apply(transposed(place.turn), v) if place.turn else v
