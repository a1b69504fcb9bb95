"""What the witness of maximal coordinates says of a trial: at the first of its states, or why it says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.state import State

from ..constraints.agreement import ACCELERATION
from ..constraints.motion import ConstrainedTrial
from ..direct.binding import bound
from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison
from ..judge.tolerances import constrained_tolerance
from ..judge.trial import REREAD, Trial
from ..second.machine import Machine, UnreadError
from ..second.poses import Array, Motion
from ..second.world import World
from .equations import Equations, equations
from .fields import CONSTRAINTS, NAME, TAKES, machine, obstacles

#: Unknowns of one system of equations: for more of them it takes longer than everything else in a check.
LARGEST, FEW = 800, 300
#: The witness, by where its bodies and poses come from.
BY_TEXT, BY_FIELDS = f"{NAME} (text)", f"{NAME} (fields)"


class SilentError(Exception):
    """Why the witness says nothing."""


def at_states(made: Trial) -> tuple[list[Equations], str]:
    """The equations at the first states of a trial, and the witness by where its poses come from.

    Raises
    ------
    SilentError
        The model has something that the witness does not take, or is too large.
    """
    system = made.original
    refused = obstacles(system)
    if refused:
        raise SilentError(refused[0].reason)
    if not system.bodies:
        raise SilentError("there are no bodies")
    size = 12 * len(system.bodies)
    if size > LARGEST:
        raise SilentError(f"{len(system.bodies)} bodies are too many: not tried (size)")
    states = _with_cuts(made)[: REREAD if size <= FEW else 1]
    machines, source = _machines(made, states)
    order = [machines[0].coordinates.index(q) for q in system.coordinate_names] if machines else []
    found = []
    for m, state in zip(machines, states, strict=False):
        motion = _motion(state.q, state.v)
        found.append(equations(World(m, motion), motion).ordered(order))
    return found, source


def _with_cuts(made: Trial) -> Sequence[State]:
    """The states, with the coordinates of cut joints where there are any."""
    return made.assembly.extended if made.assembly is not None else made.placed


def _machines(made: Trial, states: Sequence[State]) -> tuple[Sequence[Machine], str]:
    try:
        machines = made.reread
        same = set(machines[0].coordinates) == set(made.names) if machines else False
        if same:
            return machines, BY_TEXT
    except UnreadError:
        pass
    return list(_of_fields(made, states)), BY_FIELDS


def _of_fields(made: Trial, states: Sequence[State]) -> Iterator[Machine]:
    for state in states:
        formulas = bound(made.original, (state,), at_rest=True)
        try:
            yield machine(made.original, formulas)
        except NumbersError as problem:
            raise SilentError(str(problem)) from None


def _motion(q: Mapping[str, float], v: Mapping[str, float]) -> Motion:
    """Coordinates at a state, at rest accelerations; cut joints have none where the state satisfies no constraints."""
    return lambda name: (float(q.get(name, 0.0)), float(v.get(name, 0.0)), 0.0)


def inverse_dynamics(made: Trial, found: Sequence[Equations]) -> Array:
    """Efforts (S, n) that the accelerations of the states need, of the open tree."""
    return np.array([
        e.inverse_dynamics(np.array([float(s.a.get(q, 0.0)) for q in made.names]))
        for e, s in zip(found, made.states, strict=False)
    ])  # fmt: skip


def accelerations(found: Sequence[Equations]) -> Array:
    """Accelerations (S, n) of the model, with its constraints."""
    return np.array([e.accelerations() for e in found])


def held(made: Trial, motion: ConstrainedTrial) -> list[Comparison]:
    """Accelerations with constraints, of every formalism that gives them, against the witness."""
    refused = obstacles(made.original, TAKES | CONSTRAINTS)
    try:
        if refused:
            raise SilentError(refused[0].reason)
        found, name = at_states(made)
        own = accelerations(found)
    except SilentError as reason:
        return [Comparison(NAME, "", ACCELERATION, "not checked", explanation=str(reason))]
    return [
        _held(who, theirs.solution.acceleration, own, name, made, motion)
        for who, theirs in motion.motions.items()
    ]


def _held(
    who: str, theirs: Array, own: Array, name: str, made: Trial, motion: ConstrainedTrial
) -> Comparison:
    count, measure = len(own), motion.measure
    known = np.isfinite(theirs[:count]) & np.isfinite(own)
    units, cond = measure.units[:count], measure.cond[:count]
    x, y = (np.where(known, a, np.nan) * units for a in (theirs[:count], own))
    size = np.fmax(np.abs(theirs[:count] * units).max(axis=1, initial=0.0), measure.scale[:count])[:, None]
    tolerance = np.array([constrained_tolerance(c) for c in cond])
    difference = Difference(x, y, np.broadcast_to(size, x.shape), tolerance, cond, units)
    return worst(who, name, ACCELERATION, difference, made.states[:count], made.names)
