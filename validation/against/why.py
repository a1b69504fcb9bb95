"""Why generated equations are not the model's: the inertia and kinematics that make them so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.features import features
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.motion import Array
from mbconcord.validation.judge.states import complete_state
from mbconcord.validation.why import Answer
from mbconcord.validation.why.numbers import INERTIAL, Said, states
from mbconcord.validation.why.search import why_not_said

from .matched import Matched, Sides

#: Printed digits that are lost where terms of a formula cancel.
LOST = 3
CONTRADICTION = "M agrees, and h follows from M (Christoffel symbols): no machine has these equations"


def why_not_generated(matched: Matched, found: Sequence[Comparison]) -> tuple[Diagnostic, ...]:
    """A note that names what makes the equations' M and h of the model's, where these disagree.

    Weights and forces are handed to the equations as the model has them: their numbers tell of no cause.
    """
    wrong = {c.quantity for c in found if c.verdict == "disagrees" and c.discrepancy is not None}
    if wrong.isdisjoint(INERTIAL):
        return ()
    program = matched.sides.equations.program
    if "M" not in wrong and _follows(matched) and any(c.quantity == "M" for c in found):
        answer = Answer(reason=CONTRADICTION)
    else:
        answer = replace(_searched(matched), names=("the model", program))
    return (Diagnostic("note", f"{program}/why", str(answer)),)


def _follows(matched: Matched) -> bool:
    """Whether h follows from M: of trees in which nothing but the coordinates moves."""
    return not any(name == "prescribed_motion" for name, _ in features(matched.sides.system))


def _searched(matched: Matched) -> Answer:
    """The search at states of ordinary size, with the parameters of those that were compared."""
    sides, parameters = matched.sides, dict(matched.sides.states[0].parameters)
    at = tuple(
        complete_state(sides.system, replace(state, parameters=parameters), sides.seed)
        for state in states(sides.system, sides.seed)
    )
    again = Matched(Sides(sides.system, sides.equations, at, (), sides.seed, sides.bodies), matched.pairing)
    numbers = again.trial.evaluations[matched.generated.name].quantities
    kept: dict[str, Array] = {
        name: numbers[name] for name in INERTIAL if name in numbers and np.isfinite(numbers[name]).all()
    }
    digits = sides.equations.digits
    return why_not_said(sides.system, at, Said(kept), 10.0 ** (LOST - digits) if digits else 0.0)
