"""Claims, and the two ways of comparing that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mbconcord.model.derivation import EFFORT
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.numbers import bind_states
from mbconcord.records import dataclass, replace

from ..judge.comparison import ArrayDifference, compare_evaluations, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.states import DrawnModel
from ..judge.tolerances import evaluation_tolerance
from ..judge.trial import Trial, trial
from ..judge.uncertainty import inputs

#: Name of validation's own mechanics where it is a witness.
PHYSICS = "physics"


@dataclass(frozen=True)
class Claim:
    """A sentence about every model, and the function that checks it on a trial."""

    name: str
    sentence: str
    check: Callable[[Trial], list[Comparison]]


def compare_against(
    made: Trial, name: str, quantity: str, x: Array, y: Array, scale: Array, witness: str = PHYSICS,
    cond: Array | None = None, tolerance: Array | None = None, bound: Array | None = None,
) -> Comparison:  # fmt: skip
    """Compare one formalism's values (N, …), with their bound if known, with those of another witness."""
    ones = np.ones(len(x))
    if tolerance is None:
        tolerance = ones * evaluation_tolerance()
    x, y = finite_on_both_sides(x, y)
    difference = ArrayDifference(x, y, scale, tolerance, ones if cond is None else cond, bound=bound)
    return worst(name, witness, quantity, difference, made.states, made.names)


def finite_on_both_sides(x: Array, y: Array) -> tuple[Array, Array]:
    """Replace values by NaN where either side has none: overflow says nothing about the claim."""
    known = np.isfinite(x) & np.isfinite(y) if x.shape == y.shape else np.array(True)
    return np.where(known, x, np.nan), np.where(known, y, np.nan)


def not_checked(name: str, quantity: str, reason: str) -> Comparison:
    """Report that a claim says nothing about this model."""
    return Comparison(name, "", quantity, "not checked", explanation=reason)


def same_after(
    made: Trial, changed: DrawnModel, what: str, factors: Mapping[str, Array] | None = None
) -> list[Comparison]:
    """Compare every formalism's results for the changed model with its own for the original.

    Parameters
    ----------
    changed : the changed model with the states that correspond, in the same order of coordinates
    what : what was done, in words
    factors : what each quantity of the original is multiplied by to be that of the changed model
    """
    found = []
    there = bind_states(changed.system, changed.states)
    numbers = inputs(changed.system, there)
    for formalism in made.formalisms:
        if formalism.name not in made.evaluations:
            continue
        other = trial(changed.system, there, [formalism], given=numbers, told=False)
        label = f"{formalism.name}, {what}"
        found += [replace(c, a=label) for c in other.failures()]
        for witness in other.witnesses:
            found += [not_checked(label, "derivation", str(o)) for o in witness.obstacles]
        for evaluation in other.evaluations.values():
            back = {key: value / factors[key] if factors else value for key, value in evaluation.quantities.items()}
            bounds = {
                key: np.abs(value / factors[key]) if factors else value for key, value in evaluation.bounds.items()
            }
            restored = Evaluation(label, back, evaluation.diagnostics, bounds)
            own = made.evaluations[formalism.name]
            found += compare_numbers(own, restored, made)
    return found


def compare_numbers(a: Evaluation, b: Evaluation, made: Trial) -> list[Comparison]:
    """Compare every quantity that one formalism delivers in two ways.

    Whether a mass matrix counts as singular may depend on rounding: accelerations and efforts of one side alone are not
    checked. Nor are values of one side where the mass matrix has no numbers: one way multiplies a zero by undefined
    lengths, the other sees that nothing depends on them.
    """
    return [
        replace(c, verdict="not checked")
        if c.verdict == "disagrees" and c.values is None and c.entry and _is_undecided(c, a, made)
        else c
        for c in compare_evaluations(a, b, made.scales, made.states, made.names)
    ]


def _is_undecided(found: Comparison, a: Evaluation, made: Trial) -> bool:
    """Return True if a one-sided number at a state says nothing about the equations."""
    if found.quantity in ("acceleration", EFFORT):  # efforts need accelerations
        return True
    masses = a.quantities["M"][[s is found.state for s in made.states]]
    return not np.isfinite(masses).all()
