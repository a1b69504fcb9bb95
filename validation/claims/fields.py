"""What every formalism delivers is what the fields of the model say, taken without anything the formalisms share."""

from __future__ import annotations

import numpy as np

from ..direct.witness import NAME, direct, obstacles
from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison
from ..judge.kinematics import Array
from ..judge.tolerances import evaluation_tolerance
from ..judge.trial import Trial
from .claim import finite_on_both_sides, not_checked

SENTENCE = (
    "M, h, gravity, applied and inverse dynamics are those of poses and forces written out from the fields."
)

QUANTITIES = ("M", "h", "gravity", "applied", "inverse_dynamics")


def claim(made: Trial) -> list[Comparison]:
    """Every formalism against the direct witness, which has no bounds: that side is allowed a tolerance of scale."""
    refused = obstacles(made.original)
    if refused:
        return [not_checked(NAME, "fields of the model", refused[0].reason)]
    own = direct(made.original, made.states).quantities
    return [
        _compared(made, name, quantity, own[quantity])
        for name, evaluation in made.evaluations.items()
        for quantity in QUANTITIES
        if quantity in evaluation.quantities
    ]


def _compared(made: Trial, name: str, quantity: str, own: Array) -> Comparison:
    """One quantity. M is allowed a tolerance of what its entries are sums of: small ones are differences of large."""
    evaluation = made.evaluations[name]
    scale = made.scales.contributions if quantity == "M" else made.scales.rows[quantity]
    theirs, own = finite_on_both_sides(evaluation.quantities[quantity], own)
    ones = np.ones(len(own))
    difference = Difference(
        theirs, own, scale, ones * evaluation_tolerance(), ones, None, evaluation.bounds.get(quantity)
    )
    return worst(name, NAME, quantity, difference, made.states, made.names)
