"""What every formalism delivers is what the fields of the model say, taken without anything the formalisms share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbconcord.model.expressions import symbols
from mbconcord.model.instance import bound as instance

from ..direct.binding import bound
from ..direct.witness import NAME, direct, obstacles
from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.tolerances import evaluation_tolerance
from ..judge.trial import Trial
from .claim import finite_on_both_sides, not_checked

SENTENCE = (
    "M, h, gravity, applied and inverse dynamics are those of poses and forces written out from the fields."
)

QUANTITIES = ("M", "h", "gravity", "applied", "inverse_dynamics")
#: What the values of parameters, coordinates and rates are called, and what their formulas may cost in floats.
NUMBERS, OF_FORMULAS = "numbers of the model", 1e-9


def claim(made: Trial) -> list[Comparison]:
    """Every formalism against the direct witness, which has no bounds: that side is allowed a tolerance of scale."""
    refused = obstacles(made.original)
    if refused:
        return [not_checked(NAME, "fields of the model", refused[0].reason)]
    own = direct(made.original, made.states).quantities
    return misread(made) + [
        _compared(made, name, quantity, own[quantity])
        for name, evaluation in made.evaluations.items()
        for quantity in QUANTITIES
        if quantity in evaluation.quantities
    ]


def misread(made: Trial) -> list[Comparison]:
    """What is wrong with the values of symbols; nothing where they are those of the model and its states.

    Error bounds hold for the numbers that equations are evaluated with. Whether those are the model's own is asked
    here: parameters, coordinates, rates and accelerations are bound anew, without what the formalisms share.
    """
    theirs = instance(made.system, made.states).values
    series = bound(made.original, made.states, at_rest=False).symbols
    own = {name: x.c[0] for name, x in series.items()} | {f"{q}''": series[f"{q}'"].c[1] for q in made.names}
    names = sorted(own.keys() & theirs.keys())
    x, y = (np.stack([values[name] for name in names], axis=1) for values in (theirs, own))
    scale = np.fmax(np.abs(y), np.stack([_size(name, made, theirs) for name in names], axis=1))
    ones = np.ones(len(x))
    known = finite_on_both_sides(x, y)
    found = worst(
        "states", NAME, NUMBERS, Difference(*known, scale, ones * OF_FORMULAS, ones), made.states, names
    )
    return [found] if found.verdict == "disagrees" else []


def _size(name: str, made: Trial, values: Mapping[str, Array]) -> Array:
    """The largest (N,) of a symbol and of those that its formula in the model is made of."""
    formulas = {p.name: p.value for p in made.original.parameters}
    for c in made.original.coordinates:
        formulas |= {c.name: c.position, f"{c.name}'": c.velocity}
    formula = formulas.get(name)
    parts = {name, *(symbols([formula]) if formula is not None else ())} & values.keys()
    return np.asarray(np.max([np.abs(values[part]) for part in parts], axis=0))


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
