"""Derivatives of inverse and forward dynamics: by every formalism's own graph, against each other and differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from mbconcord.model.derivation import Derivation
from mbconcord.model.derivatives.dynamics import Dynamics
from mbconcord.model.derivatives.factors import Matrix
from mbconcord.model.derivatives.quantities import OF_FORWARD, OF_INVERSE
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.mixed import imposed

from ...judge.evidence import Comparison
from ...judge.tolerances import REFEREE_DIGITS
from ...judge.trial import Trial
from ..claim import not_checked
from .by_graph import accelerated, graphs, pairs
from .differences import Differences

SENTENCE = (
    "The derivatives of inverse and forward dynamics by q, q' and τ are those of every formalism, and of differences "
    "in 50 digits."
)

WHAT: Final = "derivatives"
OF_ACCELERATIONS: Final = "derivatives of accelerations"


def claim(made: Trial) -> list[Comparison]:
    """∂τ/∂q, ∂τ/∂q', ∂q''/∂q, ∂q''/∂q', M⁻¹ by all pairs; each times a direction, against central differences."""
    if not made.names:
        return [not_checked(name, WHAT, "there are no coordinates") for name in made.evaluations]
    forward = made.closed is None and not imposed(made.system)

    said = _of(made, OF_INVERSE, WHAT, [0])
    if forward:
        moving = np.flatnonzero(accelerated(made)).tolist()
        said += _of(made, OF_FORWARD, OF_ACCELERATIONS, moving[:1])
    else:
        why = "accelerations are solved with constraints, or imposed by drives"
        said += [not_checked(name, OF_ACCELERATIONS, why) for name in made.evaluations]
    return said


def _of(made: Trial, quantities: Sequence[str], what: str, places: Sequence[int]) -> list[Comparison]:
    """Some of them by pairs, and beside differences at the states of these places."""

    def matrices(derivation: Derivation) -> Mapping[str, Matrix]:
        own = Dynamics(derivation)
        return {name: getattr(own, name) for name in quantities}

    found, said = graphs(made, what, matrices)
    said += pairs(made, found, dict.fromkeys(quantities, made.names), solved=quantities is OF_FORWARD)
    for name, graph in found.items():
        for place in places:
            try:
                said += Differences(made, name, graph, place).compared(quantities)
            except (ExpressionError, ArithmeticError) as problem:
                said.append(not_checked(name, what, f"no value in {REFEREE_DIGITS} digits: {problem}"))
    return said
