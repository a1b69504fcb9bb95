"""Claims, and the two ways of comparison that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import EFFORT
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.evaluation import Evaluation, evaluate_derivation
from mbconcord.model.numbers import bind_states
from mbconcord.records import dataclass, replace

from ..judge.comparison import ArrayDifference, compare_evaluations, difference_of, worst
from ..judge.evidence import Comparison
from ..judge.formalism import has_numbers
from ..judge.motion import Array
from ..judge.states import DrawnModel
from ..judge.tolerances import EPSILON, FOREIGN_ZEROS, evaluation_tolerance
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
    """Replace both values by NaN where either side is not finite: overflow says nothing about the claim."""
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
    changed : the changed model with corresponding states, coordinates in the same order
    what : the change in words
    factors : quantity -> factor by which the original's values are multiplied to be those of the changed model
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

    Whether a mass matrix counts as singular may depend on rounding: accelerations and efforts that only one side has
    are not checked. Nor are values that only one side has where the mass matrix is not finite: one way multiplies zero
    by undefined lengths, the other knows that nothing depends on them.
    """
    return [
        replace(c, verdict="not checked")
        if c.verdict == "disagrees" and c.values is None and c.entry and _is_undecided(c, a, made)
        else c
        for c in compare_evaluations(a, b, made.scales, made.states, made.names)
    ]


def _is_undecided(found: Comparison, a: Evaluation, made: Trial) -> bool:
    """Return True if a number that only one side has at a state says nothing about the equations."""
    if found.quantity in ("acceleration", EFFORT):  # efforts need accelerations
        return True
    masses = a.quantities["M"][[s is found.state for s in made.states]]
    return not np.isfinite(masses).all()


# Numbers from a formalism's own evaluation, compared with those of its equations.


DIRECTLY = (
    "Numbers that a formalism computes directly are those of the equations it derives, and so are those that are "
    "evaluated from them."
)


def directly(formalism: str) -> str:
    """Name the witness of a formalism that computes numbers directly."""
    return f"{formalism}, directly"


def name_evaluated(formalism: str) -> str:
    """Name the witness of a formalism whose equations are evaluated on request."""
    return f"{formalism}, evaluated"


def claim_direct_evaluation(made: Trial) -> list[Comparison]:
    """Compare ``Formalism.evaluate`` with the evaluated derivation, where the two are different code.

    Formalisms whose ``evaluate`` is the common evaluation of derivations share this code: only the first is compared.
    """
    found = []
    for formalism in made.formalisms:
        name = formalism.name
        if name not in made.evaluations:
            continue
        if not has_numbers(formalism):
            continue  # its numbers are those of its graph
        direct = made.direct.get(name) or formalism.evaluate(made.system, made.states)
        own = replace(direct, formalism=directly(name))
        for c in _compare_floats(made.evaluations[name], own, made):
            unsure = c.verdict == "disagrees" and c.values is not None and c.quantity not in own.bounds
            found.append(_near(made, formalism, own, c) if unsure else c)
    return [*found, *_compare_evaluated(made)]


def _compare_evaluated(made: Trial) -> list[Comparison]:
    others = [f.name for f in made.formalisms if f.name in made.derivations and not has_numbers(f)]
    name = next((one for one in others if "M" in made.derivations[one].quantities), None)
    if name is None:
        return []
    try:
        own = evaluate_derivation(made.derivations[name], made.states)
    except NumbersError as problem:  # beyond the range of floats: who asks is told
        return [not_checked(name_evaluated(name), "evaluated equations", problem.diagnostics[0].message)]
    return _compare_floats(made.evaluations[name], replace(own, formalism=name_evaluated(name)), made)


def _compare_floats(digits: Evaluation, own: Evaluation, made: Trial) -> list[Comparison]:
    """Compare a formalism's floats with its equations, possibly computed in more digits than floats have.

    If they differ, they are compared once more within the error bounds of the same equations in floats.
    """
    found = compare_numbers(digits, own, made)
    if not any(c.verdict == "disagrees" and c.quantity in digits.floats for c in found):
        return found
    wide = replace(digits, bounds={**digits.bounds, **digits.floats})
    in_floats = {c.quantity: c for c in compare_numbers(wide, own, made)}
    return [in_floats[c.quantity] if c.verdict == "disagrees" else c for c in found]


def _near(made: Trial, formalism: Formalism, own: Evaluation, found: Comparison) -> Comparison:
    """Repeat a comparison that disagrees, relative to the largest entries of the same unit.

    Small differences of long lever arms, or of large moments of inertia, lose digits in some orders of operations and
    not in others, and numbers without equations have no bounds that say so. Only entries that differ at first are
    allowed this.
    """
    difference = difference_of(made.evaluations[formalism.name], own, found.quantity, made.scales)
    turns = _turns(made)
    scale = difference.scales
    if scale.ndim == 3:
        roots = _largest(np.sqrt(np.diagonal(scale, axis1=1, axis2=2)), turns)
        scale = roots[:, :, None] * roots[:, None, :]
    else:
        scale = _largest(scale, turns)
    bound = FOREIGN_ZEROS * EPSILON * scale + (0.0 if difference.bound is None else difference.bound)
    judged = replace(difference, bound=np.nan_to_num(bound))
    return worst(found.a, found.b, found.quantity, judged, made.states, made.names)


def _largest(scale: Array, turns: Array) -> Array:
    """Return the largest scale of the coordinates of the same kind, rotations or shifts (N, n)."""
    found = np.empty_like(scale)
    for some in (turns, ~turns):
        found[:, some] = np.max(scale[:, some], axis=1, initial=0.0, keepdims=True)
    return found


def _turns(made: Trial) -> Array:
    """Select coordinates that are angles (n,)."""
    angles = made.system.angles
    return np.array([name in angles for name in made.names])
