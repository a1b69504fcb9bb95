"""The comparison of all witnesses: every quantity that two of them give, disagreements judged by the referee.

For any two witnesses, the result is the worst entry of a quantity over all states, judged by the error bounds of both
sides if these have some, else by a tolerance relative to the scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.mixed import list_quantities

from .comparison import ArrayDifference, difference_of, worst
from .evidence import ACCELERATION, CONSTRAINED, RANK, REACTIONS, Comparison
from .floats import precisely, row_evaluation
from .referee import review as reviewed
from .referee import review_motion, solution_evaluation
from .tolerances import evaluation_tolerance
from .trial import Trial
from .witness import Answer, Labelled, Question, SilentError, Witness

#: So many reasons of missing numbers a comparison gives; many states have as many.
MOST_REASONS = 2
#: What the referee solves for, by quantity of a motion with constraints.
PARTS = {ACCELERATION: "acceleration", REACTIONS: "reactions", RANK: "rank"}


def compare(a: Answer, b: Answer, question: Question) -> Iterator[tuple[Comparison, ArrayDifference]]:
    """Yield a comparison, and the arrays compared, of every quantity that both witnesses give for a question."""
    x, y = a.numbers, b.numbers
    said = [*dict.fromkeys(d.message for d in (*x.diagnostics, *y.diagnostics))]
    why = "; ".join(said[:MOST_REASONS] + ([f"and {len(said) - MOST_REASONS} more"] if said[MOST_REASONS:] else []))
    faults = "; ".join(f"known of it: {side.faults}" for side in (a, b) if side.faults)
    for quantity in dict.fromkeys((*QUANTITIES, *a.beside)):
        labels = a.entries.get(quantity) or b.entries.get(quantity) or question.names
        if quantity in x.quantities and quantity in y.quantities:
            difference = difference_of(x, y, quantity, question.scales)
        elif quantity in a.beside and quantity in b.beside:
            labels, difference = (a.beside[quantity].labels, _compare_labelled(a.beside[quantity], b.beside[quantity]))
        else:
            continue
        for side in (a, b):
            difference = side.allow(quantity, difference) if side.allow else difference
        states = question.states[: len(difference.a)]
        found = worst(a.name, b.name, quantity, difference, states, labels, why)
        if found.verdict == "disagrees" and faults:
            found = replace(found, explanation="; ".join(filter(None, (found.explanation, faults))))
        yield found, difference


def compare_with(made: Trial, witness: Witness, what: str) -> tuple[list[Comparison], Answer | None]:
    """Compare every formalism with another witness, and return its answer; without one ``what`` is not checked."""
    try:
        if refused := witness.obstacles(made.original):
            raise SilentError(refused[0].reason)
        found = witness.answer(made)
    except SilentError as reason:
        return [Comparison(witness.name, "", what, "not checked", explanation=str(reason))], None
    return [c for e in made.evaluations.values() for c, _ in compare(Answer(e), found, made)], found


def _compare_labelled(x: Labelled, y: Labelled) -> ArrayDifference:
    """Return the difference of a quantity that is not canonical."""
    scales = [side.scale for side in (x, y) if side.scale is not None]
    known = x.bounds is not None and y.bounds is not None
    off = [part for side in (x, y) for part in (side.room, side.bounds) if part is not None]
    ones = np.ones(len(x.values))
    return ArrayDifference(
        x.values, y.values, np.fmax.reduce(scales), ones * (0.0 if known else evaluation_tolerance()), ones,
        bound=sum(off[1:], off[0]) if off else None, certain=x.certain or y.certain,
    )  # fmt: skip


def judge_pairs(made: Trial, quantities: Sequence[str] | None = None) -> tuple[Comparison, ...]:
    """Return all comparisons of a trial, disagreements with the referee's verdict; None: all the model's quantities."""
    return tuple(refereed(made, c) if c.verdict == "disagrees" else c for c in compare_pairs(made, quantities))


def refereed(made: Trial, comparison: Comparison) -> Comparison:
    """Return the disagreement with the referee's verdict and explanation added."""
    return reviewed(made.derivations, comparison)


def compare_pairs(made: Trial, quantities: Sequence[str] | None = None) -> list[Comparison]:
    """Compare all pairs of a trial and report failed witnesses; disagreements are not yet reviewed by the referee.

    None: every quantity that the model has.
    """
    pairs = (compare(Answer(a), Answer(b), made) for a, b in made.pairs)
    wanted = list_quantities(made.system) if quantities is None else quantities
    return [*made.failures(), *(c for found in pairs for c, _ in found), *list_unwitnessed(made, wanted)]


def list_unwitnessed(made: Trial, quantities: Iterable[str]) -> Iterator[Comparison]:
    """Yield "not checked" for each quantity that has fewer than two independent witnesses."""
    for quantity in quantities:
        yield from _too_few([name for name, e in made.evaluations.items() if quantity in e.quantities], [quantity])


def _too_few(who: Sequence[str], quantities: Iterable[str]) -> Iterator[Comparison]:
    if len(who) < 2:
        reason = f"only {who[0]} delivers it" if who else "no formalism delivers it"
        yield from list_unchecked(f"{reason}; two are needed", "".join(who[:1]), quantities)


def list_unchecked(reason: str, who: str = "", quantities: Iterable[str] = CONSTRAINED) -> list[Comparison]:
    """Return comparisons that report each of the quantities as not checked, for this reason."""
    return [Comparison(who, "", quantity, "not checked", explanation=reason) for quantity in quantities]


def judge_motions(made: Trial) -> list[Comparison]:
    """Compare all constrained motions of a trial, and each with its own solution in high precision.

    Multipliers are not compared: rows of a constraint may be chosen in several ways, and λ is not unique where they
    depend on each other. Accelerations, reactions on the coordinates and the rank are the same whatever the rows.
    """
    from .closed.compare import compare_motions, own_solution, review  # not before: most models have no constraints

    found = [*made.lost, *_too_few(list(made.motions), CONSTRAINED)]
    measure = made.measure if made.motions else None
    if measure is None:
        return found
    for a, b in combinations(made.motions.items(), 2):
        found += compare_motions(a, b, measure, made.states, made.names)
    for who, motion in made.motions.items():
        if motion.bounds is not None:
            found.append(own_solution(who, motion, motion.bounds, measure, made.states, made.names))
    return [_refereed_motion(made, review(made.motions, measure, made.states, c)) for c in found]


def _refereed_motion(made: Trial, c: Comparison) -> Comparison:
    """Return a disagreement on constrained motion; with the referee's verdict, if witnesses give their equations."""
    equations = {name: m.equations for name, m in made.motions.items() if m.equations}
    if c.verdict != "disagrees" or c.quantity not in PARTS or not {c.a, c.b} <= {*equations}:
        return c
    return review_motion(made.original, equations, c, PARTS[c.quantity])


def compare_motion_floats(made: Trial) -> list[Comparison]:
    """Compare floats at one state with 50 digits, of each motion that has its equations as expressions.

    Compared are the rows of constraints, and if no row may vanish at the state, accelerations and reactions, too.
    """
    precise = precisely(made.original, made.states[0])
    own = [m for m in made.motions.values() if m.equations]
    rows = [row_evaluation(m.equations, precise) for m in own if m.equations]
    certain = np.isfinite(made.measure.cond) if made.measure is not None else np.ones(1, dtype=bool)
    s = int(np.argmax(certain)) if certain.any() else None
    return [*rows, *solution_evaluation(made.original, own, made.states[s or 0], s)]
