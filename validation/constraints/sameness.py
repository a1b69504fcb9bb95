"""Whether two models of the same open tree are constrained alike, at states that satisfy the constraints.

Rows may be chosen in several ways and may depend on each other; the same whatever the rows are: which states satisfy
the constraints, which motions they admit (the row space of D), and the motion and the reactions that follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import Assembly, assemble
from mbconcord.simulation.continuation import sample

from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison, Witness
from ..judge.kinematics import Kinematics
from ..judge.matching import Matching
from ..judge.motion import Array
from ..judge.scale import scales
from ..judge.tolerances import CLEAR, SATISFIED, SINGULAR, constrained_tolerance
from ..judge.uncertainty import Numbers, converted, converted_room, inputs
from .agreement import CONSTRAINED, compare_motions, review
from .closed_states import ENOUGH
from .distance import Given, closed_inputs, doubts
from .measure import Measure, generalized, measured
from .motion import constrained_trial
from .rows import RowsByConstraint, constraint_rows, satisfied
from .witness import Motion

CONSTRAINTS, ADMITTED = "constraints", "admitted motions"
#: What is compared of two models with constraints, after the open trees, in the order in which it is shown.
OF_CONSTRAINTS = (CONSTRAINTS, ADMITTED, *CONSTRAINED)
#: A constraint of the one model may be missed at states of the other by this many times what its own are.
SLACK = 16.0


@dataclass(frozen=True)
class SameConstraints:
    """What was found of the constraints of two models.

    Attributes
    ----------
    comparisons : tuple of Comparison
    states : how many states satisfy the constraints of both, and were compared
    """

    comparisons: tuple[Comparison, ...]
    states: int


def compare_constraints(
    first: System, second: System, ours: Sequence[State], theirs: Sequence[State], count: int,
    matching: Matching, formalisms: Sequence[Formalism], seed: int, cost: Numbers = converted,
) -> SameConstraints:  # fmt: skip
    """Compare the constraints of A and B whose open trees are the same.

    States put onto A's constraints must satisfy B's and the other way round; where both hold, the motions that
    they admit are compared, and by each formalism accelerations, reactions and rank.

    Parameters
    ----------
    first, second : A and B, every function defined
    ours, theirs : the same states, in A's and in B's names
    count : how many of them are wanted on the constraints
    matching : of the coordinates
    formalisms : those that solve the constraints of both
    seed : of what is drawn on the way to the constraints
    cost : how far their numbers may be from those meant
    """
    to_b = dict(matching.pairs)
    to_a = {b: a for a, b in matching.pairs}
    a, kept_a = _closed(first, ours, count, seed)
    b, kept_b = _closed(second, theirs, count, seed)
    at_b = [_named(s, theirs[i], to_b) for i, s in zip(kept_a, a.states, strict=True)]
    at_a = [_named(s, ours[i], to_a) for i, s in zip(kept_b, b.states, strict=True)]
    there, here = assemble(second, at_b, held=True), assemble(first, at_a, held=True)
    given = partial(inputs, numbers=cost)

    def doubt(system: System, at: Assembly) -> Array:
        return doubts(system, at.extended, given)[0]

    room = doubt(first, a) + doubt(second, there)
    found = [
        _satisfied("A", "B", a, second, there, a.states, room),
        _satisfied("B", "A", b, first, here, here.states, doubt(second, b) + doubt(first, here)),
    ]
    common = np.flatnonzero(satisfied(second, there.extended, room)).tolist()
    if not common or len(common) < ENOUGH * count:
        reason = f"{len(common) or 'none'} of {count} states satisfy the constraints of both"
        return SameConstraints((*found, *_unchecked(OF_CONSTRAINTS[1:], reason)), len(common))
    order = matching.order(second)
    found += _motions(first, a.only(common), second, there.only(common), order, formalisms, given)
    return SameConstraints(tuple(found), len(common))


def _closed(system: System, states: Sequence[State], count: int, seed: int) -> tuple[Assembly, list[int]]:
    """States on the constraints, at most ``count``, and the numbers of those that they were found for."""
    made = sample(system, states[:count], seed)
    kept = np.flatnonzero(satisfied(system, made.extended))
    if len(kept) < count < len(states):
        made = sample(system, states, seed)
        kept = np.flatnonzero(satisfied(system, made.extended))
    numbers = kept[:count].tolist()
    return made.only(numbers), numbers


def _named(state: State, like: State, names: Mapping[str, str]) -> State:
    """The position and rates of a state in the other model's names, all else of ``like``."""
    q, v = ({names[n]: x for n, x in values.items()} for values in (state.q, state.v))
    return replace(like, q=q, v=v)


def _satisfied(
    one: str, other: str, own: Assembly, system: System, held: Assembly, states: Sequence[State], room: Array
) -> Comparison:
    """Whether states that satisfy one model's constraints satisfy those of the other, given as a system.

    ``room`` (N,) is what the numbers of both may make of gaps.
    """
    if not states:
        reason = f"no state satisfies {one}'s constraints"
        return Comparison(one, other, CONSTRAINTS, "not checked", explanation=reason)
    made = RowsByConstraint(system, held.extended)
    rows, m = made.rows, len(made.names)
    if not m:
        text = f"{other} has no constraints"
        return Comparison(one, other, CONSTRAINTS, "agrees", 0.0, SATISFIED, cond=1.0, explanation=text)
    value, size = np.concatenate([rows.gap, rows.speed], axis=1), rows.missed
    tolerance = SATISFIED + SLACK * np.fmax(own.gaps, own.rate_gaps) + room
    s, i = (int(n) for n in np.unravel_index(np.argmax(size / tolerance[:, None]), size.shape))
    name, broken = made.names[i % m], bool(size[s, i] > tolerance[s])
    what = "rates" if i >= m else "positions"
    return Comparison(
        one, other, CONSTRAINTS, "disagrees" if broken else "agrees",
        discrepancy=float(size[s, i]), tolerance=float(tolerance[s]), cond=1.0, state=states[s], entry=(name,),
        values=(0.0, float(value[s, i])),
        explanation=f"{what} that {one}'s constraints admit do not satisfy {other}'s {name}" if broken else "",
    )  # fmt: skip


def _motions(
    first: System, a: Assembly, second: System, b: Assembly, order: list[int], formalisms: Sequence[Formalism],
    given: Given,
) -> list[Comparison]:  # fmt: skip
    """Admitted motions, and what each formalism says of A and of B at the same states."""
    measure, names = measured(first, a), first.coordinate_names
    size = scales(Kinematics(first.opened(), a.states))
    doubt = doubts(first, a.extended, given)[1] + doubts(second, b.extended, given)[1]
    found = [_admitted(measure, second, b, order, a.states, names, doubt)]
    if not formalisms:
        found += _unchecked(CONSTRAINED, "no formalism solves the constraints of both models")
    for formalism in formalisms:
        motions: dict[str, Motion] = {}
        for which, system, assembly, columns, room in (
            ("A", first, a, list(range(len(order))), converted_room(size)), ("B", second, b, order, None),
        ):  # fmt: skip
            who = f"{which}, {formalism.name}"
            witness = Witness(formalism.name, formalism.title, formalism.reference)
            numbers = closed_inputs(system, assembly, given)
            made = constrained_trial(system, assembly, [formalism], [witness], numbers, room)
            found += [replace(failure, a=who) for failure in made.failures]
            for motion in made.motions.values():
                motions[who] = motion.ordered(columns, who)
        if len(motions) == 2:
            x, y = motions.items()
            compared = compare_motions(x, y, measure, a.states, names)
            found += [review(motions, measure, a.states, c) for c in compared]
    return found


def _admitted(
    measure: Measure, second: System, b: Assembly, order: list[int], states: Sequence[State], names: Sequence[str],
    doubt: Array,
) -> Comparison:  # fmt: skip
    """The projectors onto the row spaces of D, coordinates in units of √M_ii.

    ``doubt`` (N,) is what the numbers of both may make of D.
    """
    units = np.empty_like(measure.units)
    units[:, order] = measure.units
    rows = constraint_rows(second, b.extended)
    D = generalized(rows, units)[0][:, :, order]
    (p, cond_a), (q, cond_b) = _projector(measure.D), _projector(D)
    cond = np.fmax(cond_a, cond_b)
    tolerance = np.array([constrained_tolerance(c) for c in cond]) + cond * doubt
    return worst("A", "B", ADMITTED, Difference(p, q, np.ones_like(p), tolerance, cond), states, names)


def _projector(D: Array) -> tuple[Array, Array]:
    """P (N, n, n) onto the rows' space, and the condition number (N,): infinite where the rank is in doubt."""
    _, sizes, right = np.linalg.svd(D, full_matrices=False)
    kept = sizes > SINGULAR
    clear = ((sizes < SINGULAR / CLEAR) | (sizes > SINGULAR * CLEAR)).all(axis=1)
    smallest = np.where(kept, sizes, np.inf).min(axis=1, initial=1.0)
    across = np.where(kept[:, :, None], right, 0.0)
    return np.einsum("sri,srj->sij", across, across), np.where(clear, 1 / smallest, np.inf)


def _unchecked(quantities: Sequence[str], reason: str) -> list[Comparison]:
    return [Comparison("A", "B", quantity, "not checked", explanation=reason) for quantity in quantities]
