"""Forces at the cuts and in the joints: the inward pass of the solved motion, with the reactions.

The inward pass at the accelerations that the rows admit gives what every joint would bear alone; the wrenches of the
reactions, carried inward with the rows, are applied forces and taken off. Both are linear in the multipliers, so what
these leave open is seen component by component.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mbconcord.model import State, System
from mbconcord.model.evaluation import Array
from mbconcord.model.joint_forces import COMPONENTS, ConstrainedForces, cuts, list_jointed_bodies
from mbconcord.model.numbers import bind_states

from ..equations import Equations, at_body
from ..scalars import Batch, over_states
from ..vectors import triple
from .cut_joint import with_cut_frames
from .motion import Closed, solve_closed

SIX = len(COMPONENTS)


def constrained_forces(system: System, states: Sequence[State]) -> ConstrainedForces:
    """Compute forces at the cuts and in the joints of a closed system."""
    made, count = solve_closed(system, states), len(states)
    acceleration = np.full((count, made.D.shape[2]), np.nan)
    for s, found in enumerate(made.solutions):
        if found is not None:
            acceleration[s] = found.acceleration
    alone = _alone(made, bind_states(system, states).values, acceleration)
    borne, across = -_compute_unit_reactions(made, count), _across(made, count)
    reach = _reach(made, count)
    at_cuts, at_joints = np.full(across.shape[:2], np.nan), np.full(borne.shape[:2], np.nan)
    for s, found in enumerate(made.solutions):
        if found is not None:
            at_cuts[s] = found.gives(across[s], reach[s])
            at_joints[s] = alone[s] + found.gives(borne[s], reach[s])
    return ConstrainedForces(acceleration, at_cuts.reshape(count, -1, SIX), at_joints.reshape(count, -1, SIX))


def _alone(made: Closed, values: Mapping[str, Array], acceleration: Array) -> Array:
    """Compute the joint wrenches for the accelerations without constraint reactions (N, 6 k)."""
    count, names = len(acceleration), made.system.coordinate_names
    at = {**values, **{f"{name}''": acceleration[:, i] for i, name in enumerate(names)}}
    tree = with_cut_frames(made.system.open_loops(), made.system)
    eq = Equations(tree, Batch(made.system, at, count), regroup=False)
    wrenches = (
        at_body(eq, name, eq.joint_wrenches[eq.tree.places[name].link]) for name in list_jointed_bodies(made.system)
    )
    with np.errstate(all="ignore"):
        return over_states([x for six in wrenches for x in six], count)


def _reach(made: Closed, count: int) -> Array:
    """Compute the length scale (m) of frame positions (N,): of all links, and of frames on a link."""
    shifts = [triple(made.eq.scalars.to_scalars(place.shift)) for place in made.eq.tree.places.values()]
    found = [over_states(v, count) for v in (*(link.offset for link in made.eq.links), *shifts)]
    return np.asarray(sum((np.linalg.norm(v, axis=1) for v in found), np.zeros(count)))


def _compute_unit_reactions(made: Closed, count: int) -> Array:
    """Compute the joint wrenches caused by unit multipliers (N, 6 k, m)."""
    eq, names = made.eq, list_jointed_bodies(made.system)
    found = np.zeros((count, SIX * len(names), len(made.rows)))
    for i, row in enumerate(made.rows):
        for k, name in enumerate(names):
            wrench = row.borne.get(eq.tree.places[name].link)
            if wrench is not None:
                found[:, SIX * k : SIX * (k + 1), i] = over_states(at_body(eq, name, wrench), count)
    return found


def _across(made: Closed, count: int) -> Array:
    """Compute the wrenches of unit multipliers on the second sides of the cuts (N, 6 c, m)."""
    places = {cut.name: SIX * k for k, cut in enumerate(cuts(made.system))}
    found = np.zeros((count, SIX * len(places), len(made.rows)))
    for i, row in enumerate(made.rows):
        if row.reaction is not None:
            at = places[row.constraint]
            force, moment = row.reaction
            found[:, at : at + SIX, i] = over_states((*force, *moment), count)
    return found
