"""Motions with constraints in floats, against those of the same equations in 50 digits, in units of their bounds.

Rigid and elastic alike: of every formalism that gives its equations as expressions the accelerations and the reactions
Dᵀ λ at one state are compared with the solution in high precision at the state on the constraints that is near it.
Their bounds hold the distance of the two, beside the rounding of the equations and of their solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..judge.evidence import Comparison
from ..judge.floats import Part, against_digits
from ..judge.solutions import Bounded
from ..judge.tolerances import REFEREE_SAME
from .agreement import ACCELERATION, REACTIONS
from .referee import exactly, on_constraints
from .witness import Motion

#: What is compared.
SOLUTION: Final = "solution in floats"
#: Steps of all programs together, beyond which it is not tried: some seconds.
MOST_STEPS: Final = 100_000


def solution_evaluation(system: System, motions: Sequence[Motion], state: State) -> list[Comparison]:
    """One comparison of each motion, whose equations are there, at its first state; not checked where that says why."""
    steps = sum(motion.equations.size for motion in motions if motion.equations)
    if steps > MOST_STEPS:
        return [_silent(motion, "not tried (size)") for motion in motions]
    try:
        values = on_constraints(system, state)
    except (ExpressionError, MbconcordError, ArithmeticError) as problem:
        return [_silent(motion, f"no exact value: {problem}") for motion in motions]
    found = []
    for motion in motions:
        assert motion.equations is not None and motion.bounds is not None
        try:
            exact = exactly(motion.equations, values)
        except (ExpressionError, MbconcordError, ArithmeticError) as problem:
            found.append(_silent(motion, f"no exact value: {problem}"))
            continue
        digits = {ACCELERATION: exact.acceleration, REACTIONS: exact.reactions}
        floats = {ACCELERATION: motion.bounds.acceleration[0], REACTIONS: motion.bounds.reactions[0]}
        parts: list[Part] = [
            (name, (motion.equations.names,), solved(x, digits[name])) for name, x in floats.items()
        ]
        found.append(against_digits(motion.own.tree.formalism, digits, parts, state, SOLUTION))
    return found


def solved(floats: Bounded, digits: Sequence[Any]) -> Bounded:
    """Floats with what the solution in 50 digits may be off by, too: of an exact zero the former alone may be less."""
    largest = max((float(abs(x)) for x in digits), default=0.0)
    return Bounded(floats.values, floats.bounds + REFEREE_SAME * largest)


def _silent(motion: Motion, reason: str) -> Comparison:
    return Comparison(motion.own.tree.formalism, "", SOLUTION, "not checked", explanation=reason)
