"""Forces in joints: the wrenches transmitted by the inward pass, at the origin and in the axes of each body.

Regrouped masses do the same work but burden other joints, so the links keep the masses that they have.
"""

from __future__ import annotations

from mbconcord.model import System
from mbconcord.model.expressions import Expression
from mbconcord.model.joint_forces import list_jointed_bodies

from .equations import Equations
from .inward import Wrench
from .scalars import Graph
from .vectors import Number, apply, cross, minus, transpose, triple


def joint_forces(system: System) -> tuple[tuple[Expression, ...], ...]:
    """Derive force (N) and moment (N m) about the origin of each moving body's frame, in its axes, over q'': k×6."""
    own = Equations(system, Graph(), regroup=False)
    return tuple(
        at_body(own, name, own.joint_wrenches[own.tree.places[name].link]) for name in list_jointed_bodies(system)
    )


def at_body(own: Equations, name: str, transmitted: Wrench | None) -> tuple[Number, ...]:
    """Express the wrench transmitted to a body's link at the origin and in the axes of its frame: six numbers.

    With r and T the origin and the orientation of the body's frame in its link: f_b = Tᵀ f, n_b = Tᵀ (n - r × f).
    """
    place, of = own.tree.places[name], own.scalars.to_scalars
    force, moment = transmitted or (own.still, own.still)
    about = minus(moment, cross(triple(of(place.shift)), force))
    if not place.turn:
        return (*force, *about)
    rows = [triple(of(row)) for row in transpose(place.turn)]
    back = rows[0], rows[1], rows[2]
    return (*apply(back, force), *apply(back, about))
