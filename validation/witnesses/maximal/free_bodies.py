"""Witness of maximal coordinates: its numbers at the first states of a question, or the reason for having none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.state import State
from mbconcord.model.system import System

from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import ACCELERATION, Comparison
from ...judge.tolerances import constrained_tolerance
from ...judge.trial import Trial
from ...judge.witness import Answer, Question, SilentError
from ..direct.formulas import bind
from ..second.machine import SecondMachine, UnreadError
from ..second.world import Array, Motion, World
from ..text import REREAD, place_states
from ..text import machines as reread
from .equations import MaximalEquations, equations
from .fields import CONSTRAINTS, NAME, TAKES, machine, obstacles

#: Most unknowns for which equations are solved at all, and at several states: more take longer than all else.
LARGEST, FEW = 800, 300
#: Names of the witness by the source of its bodies and poses.
BY_TEXT, BY_FIELDS = f"{NAME} (text)", f"{NAME} (fields)"


class Maximal:
    """Witness of free bodies connected by joints; its numbers, at the first states, have no error bounds."""

    name = NAME
    shares = frozenset({"reader", "direct", "second reading"})

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return the features of a model that the witness does not support."""
        return obstacles(model)

    def answer(self, question: Question) -> Answer:
        """Return inverse dynamics of the open tree, and accelerations if the model has no constraints."""
        found, name = question.once(at_states)
        own = {"inverse_dynamics": inverse_dynamics(question, found)}
        if question.closed is None:
            own["acceleration"] = accelerations(found)
        missing = ((0, len(question.states) - len(found)), (0, 0))
        padded = {name: np.pad(x, missing, constant_values=np.nan) for name, x in own.items()}
        return Answer(Evaluation(name, padded), allow=lambda _, difference: difference.first(len(found)))


def at_states(made: Question) -> tuple[list[MaximalEquations], str]:
    """Return the equations at the first states of a question, and the witness's name by the source of its poses.

    Raises
    ------
    SilentError
        The model has an unsupported feature, or is too large.
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
        found.append(equations(World(m, motion), motion).reorder(order))
    return found, source


def _with_cuts(made: Question) -> Sequence[State]:
    """Return the states, with coordinates of cut joints if they were moved onto the constraints."""
    return made.assembly.extended if made.assembly is not None else place_states(made)


def _machines(made: Question, states: Sequence[State]) -> tuple[Sequence[SecondMachine], str]:
    try:
        machines = made.once(reread)
        same = set(machines[0].coordinates) == set(made.names) if machines else False
        if same and not any(m.coarse for m in machines):  # bodies in single precision are compared by the text alone
            return machines, BY_TEXT
    except UnreadError:
        pass
    return list(_of_fields(made, states)), BY_FIELDS


def _of_fields(made: Question, states: Sequence[State]) -> Iterator[SecondMachine]:
    for state in states:
        formulas = bind(made.original, (state,), at_rest=True)
        try:
            yield machine(made.original, formulas)
        except NumbersError as problem:
            raise SilentError(str(problem)) from None


def _motion(q: Mapping[str, float], v: Mapping[str, float]) -> Motion:
    """Return a function from a coordinate's name to its position and rate (0 if unknown), and acceleration 0."""
    return lambda name: (float(q.get(name, 0.0)), float(v.get(name, 0.0)), 0.0)


def inverse_dynamics(made: Question, found: Sequence[MaximalEquations]) -> Array:
    """Compute the efforts (S, n) that give the open tree the accelerations of the states."""
    return np.array([
        e.inverse_dynamics(np.array([float(s.a.get(q, 0.0)) for q in made.names]))
        for e, s in zip(found, made.states, strict=False)
    ])  # fmt: skip


def accelerations(found: Sequence[MaximalEquations]) -> Array:
    """Compute the accelerations q'' (S, n) of the model with its constraints, from the equations at S states."""
    return np.array([e.accelerations() for e in found])


def compare_accelerations(made: Trial) -> list[Comparison]:
    """Compare every formalism's accelerations of the model with constraints with those of the witness."""
    refused = obstacles(made.original, TAKES | CONSTRAINTS)
    try:
        if refused:
            raise SilentError(refused[0].reason)
        found, name = made.once(at_states)
        own = accelerations(found)
    except SilentError as reason:
        return [Comparison(NAME, "", ACCELERATION, "not checked", explanation=str(reason))]
    return [_compare_held(who, theirs.solution.acceleration, own, name, made) for who, theirs in made.motions.items()]


def _compare_held(who: str, theirs: Array, own: Array, name: str, made: Trial) -> Comparison:
    count, measure = len(own), made.measure
    assert measure is not None
    known = np.isfinite(theirs[:count]) & np.isfinite(own)
    units, cond = measure.units[:count], measure.cond[:count]
    x, y = (np.where(known, a, np.nan) * units for a in (theirs[:count], own))
    size = np.fmax(np.abs(theirs[:count] * units).max(axis=1, initial=0.0), measure.scale[:count])[:, None]
    tolerance = np.array([constrained_tolerance(c) for c in cond])
    difference = ArrayDifference(x, y, np.broadcast_to(size, x.shape), tolerance, cond, units)
    return worst(who, name, ACCELERATION, difference, made.states[:count], made.names)
