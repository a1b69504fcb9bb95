"""Forces in joints: what the inward pass transmits, at the origin and in the axes of each body.

Regrouped masses do the same work but burden other joints, so the links keep the masses that they have.
"""

from __future__ import annotations

from mbconcord.model import System
from mbconcord.model.expressions import Expression
from mbconcord.model.joint_forces import jointed

from .equations import Equations
from .inward import Wrench
from .scalars import Graph
from .vectors import Number, apply, cross, minus, transposed, triple


def joint_forces(system: System) -> tuple[tuple[Expression, ...], ...]:
    """Force (N) and moment (N m) about the origin of each moving body's frame, in its axes, over q'': k×6."""
    own = Equations(system, Graph(), regroup=False)
    return tuple(at_body(own, name, own.transmitted[own.tree.places[name].link]) for name in jointed(system))


def at_body(own: Equations, name: str, transmitted: Wrench | None) -> tuple[Number, ...]:
    """What is transmitted to a body's link, about the origin and in the axes of the body's frame: six numbers.

    With r and T the origin and the orientation of the body's frame in its link: f_b = Tᵀ f, n_b = Tᵀ (n - r × f).
    """
    place, of = own.tree.places[name], own.scalars.of
    force, moment = transmitted or (own.still, own.still)
    about = minus(moment, cross(triple(of(place.shift)), force))
    if not place.turn:
        return (*force, *about)
    rows = [triple(of(row)) for row in transposed(place.turn)]
    back = rows[0], rows[1], rows[2]
    return (*apply(back, force), *apply(back, about))
