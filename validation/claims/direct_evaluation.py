"""Numbers that a formalism gives who asks for them are those of the equations that are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.evaluation import Evaluation, evaluate_derivation

from ..judge.comparison import difference_of, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.tolerances import EPSILON, FOREIGN_ZEROS
from ..judge.trial import Trial, has_numbers
from .claim import compare_numbers, not_checked

SENTENCE = (
    "Numbers that a formalism computes directly are those of the equations it derives, and so are those that are "
    "evaluated from them."
)


def directly(formalism: str) -> str:
    """A formalism that computes numbers directly, as a witness."""
    return f"{formalism}, directly"


def evaluated(formalism: str) -> str:
    """A formalism whose equations are evaluated for who asks for numbers, as a witness."""
    return f"{formalism}, evaluated"


def claim(made: Trial) -> list[Comparison]:
    """``Formalism.evaluate`` against the evaluated derivation, where the two are different code.

    Where it evaluates the derivation that is compared, all formalisms have one code for it: the first stands for them.
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
        for c in compare_numbers(made.evaluations[name], own, made):
            unsure = c.verdict == "disagrees" and c.values is not None and c.quantity not in own.bounds
            found.append(_near(made, formalism, own, c) if unsure else c)
    return [*found, *_evaluated(made)]


def _evaluated(made: Trial) -> list[Comparison]:
    others = [f.name for f in made.formalisms if f.name in made.derivations and not has_numbers(f)]
    name = next((one for one in others if "M" in made.derivations[one].quantities), None)
    if name is None:
        return []
    try:
        own = evaluate_derivation(made.derivations[name], made.states)
    except NumbersError as problem:  # beyond the range of floats: who asks is told
        return [not_checked(evaluated(name), "evaluated equations", problem.diagnostics[0].message)]
    return compare_numbers(made.evaluations[name], replace(own, formalism=evaluated(name)), made)


def _near(made: Trial, formalism: Formalism, own: Evaluation, found: Comparison) -> Comparison:
    """The comparison once more, beside the largest entries of the same unit.

    What is a small difference of long lever arms, or of large moments of inertia, loses digits in some orders of
    operations and not in others, and numbers without equations have no bounds that say so. Only what differs at first
    sight is allowed this.
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
    """The largest scale of the coordinates that turn, or of those that shift, in place of each (N, n)."""
    found = np.empty_like(scale)
    for some in (turns, ~turns):
        found[:, some] = np.max(scale[:, some], axis=1, initial=0.0, keepdims=True)
    return found


def _turns(made: Trial) -> Array:
    """Which coordinates are angles (n,)."""
    angles = {et.coordinate for body in made.system.bodies for et in body.joint if not et.is_translation}
    return np.array([name in angles for name in made.names])
