"""The floats of every formalism are what its equations say: within their bounds of the value in 50 digits."""

from __future__ import annotations

from ..judge.evidence import Comparison
from ..judge.floats import float_evaluation, precisely
from ..judge.trial import Trial

SENTENCE = "At one state every float lies within its error bound of the same equations in 50 digits."


def claim(made: Trial) -> list[Comparison]:
    """Every formalism's floats at the first state against its own derivation in high precision."""
    if not made.states:
        return []
    precise = precisely(made.system, made.states[0])
    return [
        float_evaluation(equations, made.evaluations[name], precise)
        for name, equations in made.equations.items()
    ]
