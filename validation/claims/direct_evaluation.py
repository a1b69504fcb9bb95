"""Numbers from a formalism's own evaluation, compared with those of its equations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.evaluation import Evaluation, evaluate_derivation

from ..judge.comparison import difference_of, worst
from ..judge.evidence import Comparison
from ..judge.formalism import has_numbers
from ..judge.motion import Array
from ..judge.tolerances import EPSILON, FOREIGN_ZEROS
from ..judge.trial import Trial
from .claim import compare_numbers, not_checked

SENTENCE = (
    "Numbers that a formalism computes directly are those of the equations it derives, and so are those that are "
    "evaluated from them."
)


def directly(formalism: str) -> str:
    """Name the witness of a formalism that computes numbers directly."""
    return f"{formalism}, directly"


def name_evaluated(formalism: str) -> str:
    """Name the witness of a formalism whose equations are evaluated on request."""
    return f"{formalism}, evaluated"


def claim(made: Trial) -> list[Comparison]:
    """Compare ``Formalism.evaluate`` with the evaluated derivation, where the two are different code.

    Formalisms that evaluate the derivation share one code: the first represents them.
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

    Differences are compared once more, within the bounds of the same equations in floats.
    """
    found = compare_numbers(digits, own, made)
    if not any(c.verdict == "disagrees" and c.quantity in digits.floats for c in found):
        return found
    wide = replace(digits, bounds={**digits.bounds, **digits.floats})
    in_floats = {c.quantity: c for c in compare_numbers(wide, own, made)}
    return [in_floats[c.quantity] if c.verdict == "disagrees" else c for c in found]


def _near(made: Trial, formalism: Formalism, own: Evaluation, found: Comparison) -> Comparison:
    """Repeat the comparison relative to the largest entries of the same unit.

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
