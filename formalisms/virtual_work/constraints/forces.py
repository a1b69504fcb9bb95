"""Forces at the cuts and in the joints of a system with constraints: joints are freed, and reactions do work there.

A joint bears what the freed joint needs of the tree (:mod:`..freed`) at the accelerations that the rows admit, less the
work of the reactions on its displacements. Both are linear in λ; if an admissible change of λ changes a component, that
component is not determined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbconcord.model.constraint import FrameCoincidence, PointCoincidence, Rod
from mbconcord.model.derivation import flatten
from mbconcord.model.evaluation import Array, at_states
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.functions import define
from mbconcord.model.joint_forces import COMPONENTS, ConstrainedForces, cuts, list_jointed_bodies
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..forces import place
from ..freed import displacements, freed_kinematics, joint_forces
from ..vectors import cross, minus, plus, to_body
from .admitted import DEPENDENT
from .motion import Solution
from .row import Frames, Row
from .rows import constraint_rows

SIX = len(COMPONENTS)


def constrained_forces(system: System, states: Sequence[State], found: Sequence[Solution | None]) -> ConstrainedForces:
    """Compute the forces of the cuts on their second sides, and in the joints, from the solutions at the states."""
    tree, names = system.open_loops(), system.coordinate_names
    frames = freed_kinematics(tree)
    rows = constraint_rows(system, frames)
    acceleration = np.full((len(states), len(names)), np.nan)
    for s, solution in enumerate(found):
        if solution is not None and solution.acceleration is not None:
            acceleration[s] = solution.acceleration
    places = [own for body in list_jointed_bodies(tree) for own in displacements(body)]
    borne = [_relieve_joint(row, own) for own in places for row in rows]
    by_row = {cut.name: _across(cut, rows, tree, frames) for cut in cuts(system)}
    across = [x for columns in by_row.values() for x in columns]
    numbers = _numbers([*flatten(joint_forces(tree, frames)), *borne, *across], system, states, acceleration)
    alone, loads = numbers[:, : len(places)], numbers[:, len(places) :]
    parts = loads.reshape(len(states), -1, len(rows))
    forces = np.full(parts.shape[:2], np.nan)
    for s, solution in enumerate(found):
        if solution is not None and solution.multipliers is not None:
            forces[s] = _sum_reactions(parts[s], solution.multipliers, solution.free)
    at_joints, at_cuts = forces[:, : len(places)] + alone, forces[:, len(places) :]
    return ConstrainedForces(
        acceleration, at_cuts.reshape(len(states), -1, SIX), at_joints.reshape(len(states), -1, SIX)
    )


def _relieve_joint(row: Row, displacement: str) -> Expression:
    """Return the share of λ = 1 of a row in the reaction of a freed joint; zero if the joint carries both sides."""
    carried = [on for on in row.reactions if displacement in on.frame.D]
    return -carried[0].work(displacement) if len(carried) == 1 else ZERO


def _across(
    cut: Rod | PointCoincidence | FrameCoincidence, rows: Sequence[Row], tree: System, frames: Frames
) -> list[Expression]:
    """Express what λ = 1 of each row exerts on the second side about the cut, in its body's axes: 6 by rows."""
    body = frames[cut.second.body]
    if isinstance(cut, FrameCoincidence):
        at = body
        for step in cut.second.transformations:
            at = at.apply_transformation(step)
    else:
        at = place(tree, cut.second, frames)
    sixes = []
    for row in rows:
        six: tuple[Expression, ...] = (ZERO,) * SIX
        if row.constraint == cut.name:
            (_, on) = row.reactions
            about = plus(on.moment, cross(minus(on.frame.r, at.r), on.force))
            six = (*to_body(body.A, on.force), *to_body(body.A, about))
        sixes.append(six)
    return [x for component in zip(*sixes, strict=True) for x in component]


def _numbers(wanted: Sequence[Expression], system: System, states: Sequence[State], acceleration: Array) -> Array:
    """Evaluate (N, …) at the states with these accelerations."""
    at = bind_states(system, states)
    second = {f"{name}''": column for name, column in zip(system.coordinate_names, acceleration.T, strict=True)}
    return at_states(define(wanted, system.functions), dict(at.values) | second, len(at))


def _sum_reactions(parts: Array, multipliers: Array, free: Array) -> Array:
    """Multiply parts (p, m) by the multipliers (p,); NaN where the undetermined part ``free`` (m, r) contributes."""
    sixes = np.abs(parts) @ np.abs(free)
    for first in range(0, len(sixes), SIX):
        sixes[first : first + SIX] = sixes[first : first + SIX].max(axis=0)
    is_open = (np.abs(parts @ free) > DEPENDENT * sixes).any(axis=1)
    return np.asarray(np.where(is_open, np.nan, parts @ multipliers))
