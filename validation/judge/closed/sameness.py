"""Comparison of constraints of two models with the same open tree, at states that satisfy the constraints.

Rows may be chosen in several ways and depend on each other; independent of the choice are: which states satisfy the
constraints, which motions they admit (the row space of D), and the resulting motion and reactions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.assembly import Assembly, assemble
from mbconcord.simulation.continuation import sample

from ..comparison import ArrayDifference, worst
from ..evidence import CONSTRAINED, Comparison
from ..kinematics import TreeKinematics
from ..matching import Matching
from ..motion import Array
from ..scale import scales
from ..states import ENOUGH
from ..tolerances import CLEAR, SATISFIED, SINGULAR, constrained_tolerance
from ..trial import constrained_trial
from ..uncertainty import Numbers, conversion_error, converted_room, inputs
from .compare import Measure, compare_motions, generalize_rows, measure_closed, review
from .motion import Given, SolvedMotion, closed_inputs, distances, doubts
from .rows import Rows, RowsByConstraint, constraint_rows, find_satisfied

CONSTRAINTS, ADMITTED = "constraints", "admitted motions"
#: What is compared of two models with constraints, after the open trees, in the order in which it is shown.
OF_CONSTRAINTS = (CONSTRAINTS, ADMITTED, *CONSTRAINED)
#: A constraint of the one model may be missed at states of the other by this many times what its own are.
SLACK = 16.0
#: A state whose rates are below this, m/s and rad/s, is at rest.
RESTING = 1e-9


@dataclass(frozen=True)
class SameConstraints:
    """Result of comparing the constraints of two models.

    Attributes
    ----------
    comparisons : tuple of Comparison
    states : number of states that satisfy the constraints of both, and were compared
    """

    comparisons: tuple[Comparison, ...]
    states: int


def compare_constraints(
    first: System, second: System, ours: Sequence[State], theirs: Sequence[State], count: int,
    matching: Matching, formalisms: Sequence[Formalism], seed: int, cost: Numbers = conversion_error,
) -> SameConstraints:  # fmt: skip
    """Compare the constraints of A and B whose open trees are the same.

    States moved onto A's constraints must satisfy B's and the other way round; if both hold, the motions that the
    constraints admit are compared, and by each formalism accelerations, reactions and rank: at the states of A and at
    those of B, so that the order of the models makes no difference.

    Parameters
    ----------
    first, second : A and B, with a formula for every function
    ours, theirs : the same states, in A's and in B's names
    count : number of states that are wanted on the constraints
    matching : the pairs of coordinates
    formalisms : those that solve the constraints of both
    seed : seed of random choices in the search for states on the constraints
    cost : function that returns the possible error of a number of the models
    """
    a, kept_a = _close_states(first, ours, count, seed)
    b, kept_b = _close_states(second, theirs, count, seed)
    given = partial(inputs, numbers=cost)
    crossed = _cross(first, a, ours, kept_a, second, b, theirs, kept_b, matching, given)
    (there, room, of_a), (here, room_b, of_b) = crossed
    found = [of_a, of_b]
    both = [
        np.flatnonzero(find_satisfied(system, at.extended, more)).tolist()
        for system, at, more in ((second, there, room), (first, here, room_b))
    ]
    enough = [common if common and len(common) >= ENOUGH * count else [] for common in both]
    if not all(enough):
        reason = f"{min(map(len, both)) or 'none'} of {count} states satisfy the constraints of both"
        found += _list_unchecked(OF_CONSTRAINTS[1:], reason)
    if any(enough):
        one, other = (own.only(enough[0]).with_those_of(held.only(enough[1])) for own, held in ((a, here), (there, b)))
        found += _motions(first, one, second, other, matching.order(second), formalisms, given)
    return SameConstraints(tuple(found), min(map(len, both)))


def compare_branches(
    first: System, second: System, ours: Sequence[State], theirs: Sequence[State], matching: Matching, cost: Numbers
) -> Iterator[Comparison]:
    """Yield a disagreement if a state on one model's constraints, found from a given state, violates the other model's.

    ``ours`` and ``theirs`` are the same states, in A's and in B's names.
    """

    def close(system: System, states: Sequence[State]) -> tuple[Assembly, Sequence[State], list[int]]:
        made = assemble(system, states)
        kept = np.flatnonzero(find_satisfied(system, made.extended)).tolist()
        return made.only(kept), states, kept

    given = partial(inputs, numbers=cost)
    crossed = _cross(first, *close(first, ours), second, *close(second, theirs), matching, given)
    yield from (found for _, _, found in crossed if found.verdict == "disagrees")


def _cross(
    first: System, a: Assembly, ours: Sequence[State], kept_a: list[int],
    second: System, b: Assembly, theirs: Sequence[State], kept_b: list[int], matching: Matching, given: Given,
) -> list[tuple[Assembly, Array, Comparison]]:  # fmt: skip
    """Check states on A's constraints by B's constraints, and the other way round.

    Return for each: states in the other's names, the effect of both models' inexact numbers on gaps, the comparison.
    """
    to_b = dict(matching.pairs)
    to_a = {name: own for own, name in matching.pairs}
    found = []
    for names, system, own, kept, other, likes in (
        (("A", "B", to_b), first, a, kept_a, second, theirs), (("B", "A", to_a), second, b, kept_b, first, ours),
    ):  # fmt: skip
        renamed = [_rename_state(s, likes[i], names[2]) for i, s in zip(kept, own.states, strict=True)]
        held = assemble(other, renamed, held=True)
        room = doubts(system, own.extended, given)[0] + doubts(other, held.extended, given)[0]
        states = own.states if names[0] == "A" else held.states
        found.append((held, room, _compare_satisfied(*names[:2], own, other, held, states, room, system)))
    return found


def _close_states(system: System, states: Sequence[State], count: int, seed: int) -> tuple[Assembly, list[int]]:
    """Find at most ``count`` states on the constraints; return them and the numbers of their initial states."""
    made = sample(system, states[:count], seed)
    kept = np.flatnonzero(find_satisfied(system, made.extended))
    if len(kept) < count < len(states):
        made = sample(system, states, seed)
        kept = np.flatnonzero(find_satisfied(system, made.extended))
    numbers = kept[:count].tolist()
    return made.only(numbers), numbers


def _rename_state(state: State, like: State, names: Mapping[str, str]) -> State:
    """Return ``like`` with the position and rates of a state of the other model, in this model's names."""
    q, v = ({names[n]: x for n, x in values.items()} for values in (state.q, state.v))
    return replace(like, q=q, v=v)


def _compare_satisfied(
    one: str, other: str, own: Assembly, system: System, held: Assembly, states: Sequence[State], room: Array,
    of_one: System | None = None,
) -> Comparison:  # fmt: skip
    """Check that states that satisfy one model's constraints satisfy those of the other, given as a system.

    ``room`` (N,): effect on gaps of both models' inexact numbers; ``of_one``: the first, whose rows may vanish.
    """
    if not states:
        reason = f"no state satisfies {one}'s constraints"
        return Comparison(one, other, CONSTRAINTS, "not checked", explanation=reason)
    made = RowsByConstraint(system, held.extended)
    rows, m = made.rows, len(made.names)
    if not m:
        text = f"{other} has no constraints"
        return Comparison(one, other, CONSTRAINTS, "agrees", 0.0, SATISFIED, cond=1.0, explanation=text)
    value, size = np.concatenate([rows.gap, rows.speed], axis=1), rows.relative_gaps
    known = np.isfinite(value)  # a formula beyond the range of floats says nothing of a state
    size = np.where(known, size, 0.0)
    fastest = np.array([max(map(abs, s.v.values()), default=0.0) for s in held.extended])
    lever = np.where(np.isfinite(rows.lever), rows.lever, 0.0).max(axis=2, initial=0.0)
    whole = lever * np.fmax(fastest, RESTING)[:, None]  # rates of rounding are none beside those of the whole state
    with np.errstate(divide="ignore", invalid="ignore"):
        size[:, m:] = np.fmin(size[:, m:], np.where(known[:, m:], np.abs(rows.speed), 0.0) / whole)
    tolerance = SATISFIED + SLACK * np.fmax(own.gaps, own.rate_gaps) + room
    certain: Array = np.ones(len(states), dtype=bool)
    if of_one is not None:  # where a row may vanish, states are as far off as a root
        certain = constraint_rows(of_one, own.extended).certain
    far = np.where(certain, tolerance, np.sqrt(tolerance))[:, None]
    if (size > tolerance[:, None]).any() and not (size > far).any():
        reason = f"{one}'s states may be far from its constraints: whether a row vanishes there is open"
        return Comparison(one, other, CONSTRAINTS, "not checked", explanation=reason)
    s, i = (int(n) for n in np.unravel_index(np.argmax(size / far), size.shape))
    name, broken = made.names[i % m], bool(size[s, i] > far[s, 0])
    what = "rates" if i >= m else "positions"
    if not (known.all() or broken):
        reason = f"{other}'s constraints have no number at some states that {one}'s admit"
        return Comparison(one, other, CONSTRAINTS, "not checked", explanation=reason)
    return Comparison(
        one, other, CONSTRAINTS, "disagrees" if broken else "agrees",
        discrepancy=float(size[s, i]), tolerance=float(far[s, 0]), cond=1.0, state=states[s], entry=(name,),
        values=(0.0, float(value[s, i])),
        explanation=f"{what} that {one}'s constraints admit do not satisfy {other}'s {name}" if broken else "",
    )  # fmt: skip


def _motions(
    first: System, a: Assembly, second: System, b: Assembly, order: list[int], formalisms: Sequence[Formalism],
    given: Given,
) -> list[Comparison]:  # fmt: skip
    """Return comparisons of the admitted motions, and of each formalism's results for A and B at the same states."""
    rows, names = constraint_rows(second, b.extended), first.coordinate_names
    measure = measure_closed(first, a).only_where(rows.certain)
    size = scales(TreeKinematics(first.open_loops(), a.states))
    doubt, doubt_b = (
        doubts(system, at.extended, given, distances(system, at.extended, given))[1]
        for system, at in ((first, a), (second, b))
    )
    found = [_compare_admitted(measure, rows, order, a.states, names, doubt + doubt_b)]
    if not formalisms:
        found += _list_unchecked(CONSTRAINED, "no formalism solves the constraints of both models")
    for formalism in formalisms:
        motions: dict[str, SolvedMotion] = {}
        for which, system, assembly, columns, room in (
            ("A", first, a, list(range(len(order))), converted_room(size)), ("B", second, b, order, None),
        ):  # fmt: skip
            who = f"{which}, {formalism.name}"
            numbers = closed_inputs(system, assembly, given)
            made = constrained_trial(system, assembly, [formalism], numbers, room)
            found += [replace(failure, a=who) for failure in made.lost]
            for motion in made.motions.values():
                motions[who] = motion.reorder(columns, who)
        if len(motions) == 2:
            x, y = motions.items()
            compared = compare_motions(x, y, measure, a.states, names)
            found += [review(motions, measure, a.states, c) for c in compared]
    return found


def _compare_admitted(
    measure: Measure, rows: Rows, order: list[int], states: Sequence[State], names: Sequence[str],
    doubt: Array,
) -> Comparison:  # fmt: skip
    """Compare the projectors onto the row spaces of D, coordinates in units of √M_ii.

    ``doubt`` (N,) is the effect on D of inexact numbers of both.
    """
    units = np.empty_like(measure.units)
    units[:, order] = measure.units
    D = generalize_rows(rows, units)[0][:, :, order]
    (p, cond_a), (q, cond_b) = _projector(measure.D), _projector(D)
    cond = np.where(np.isfinite(measure.cond), np.fmax(cond_a, cond_b), np.inf)
    tolerance = np.array([constrained_tolerance(c) for c in cond]) + np.where(doubt > 0, cond * doubt, 0.0)
    return worst("A", "B", ADMITTED, ArrayDifference(p, q, np.ones_like(p), tolerance, cond), states, names)


def _projector(D: Array) -> tuple[Array, Array]:
    """Return projectors P (N, n, n) onto row spaces, and condition numbers (N,), infinite at doubtful rank."""
    _, sizes, right = np.linalg.svd(D, full_matrices=False)
    kept = sizes > SINGULAR
    clear = ((sizes < SINGULAR / CLEAR) | (sizes > SINGULAR * CLEAR)).all(axis=1)
    smallest = np.where(kept, sizes, np.inf).min(axis=1, initial=1.0)
    across = np.where(kept[:, :, None], right, 0.0)
    return np.einsum("sri,srj->sij", across, across), np.where(clear, 1 / smallest, np.inf)


def _list_unchecked(quantities: Sequence[str], reason: str) -> list[Comparison]:
    return [Comparison("A", "B", quantity, "not checked", explanation=reason) for quantity in quantities]
