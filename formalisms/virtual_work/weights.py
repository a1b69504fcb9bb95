"""Modal coordinates as weights: δr of a point contains Σ φ_k δw_k, w_k modal coordinates or products of two."""

from __future__ import annotations

from mbconcord.model import ElasticModes
from mbconcord.model.expressions import ONE, ZERO, Expression, as_expression, rate, symbol
from mbconcord.records import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Factors of the displacements of an elastic body's points other than r0.

    ``q``, ``v``: modal coordinates and products, and their rates; ``bias``: second rates at q'' = 0; ``slopes``:
    derivatives by each modal coordinate.
    """

    q: list[Expression]
    v: list[Expression]
    bias: list[Expression]
    slopes: list[list[Expression]]


def weights(modes: ElasticModes) -> Weights:
    """Build the weights of modes and of the products that move points."""
    names, pairs, two = modes.coordinates, modes.products, as_expression(2)
    slopes = [
        [ONE if name == n else ZERO for n in names]
        + [(symbol(b) if name == a else ZERO) + (symbol(a) if name == b else ZERO) for a, b in pairs]
        for name in names
    ]
    return Weights(
        [*map(symbol, names), *(symbol(a) * symbol(b) for a, b in pairs)],
        [*map(rate, names), *(rate(a) * symbol(b) + symbol(a) * rate(b) for a, b in pairs)],
        [*(ZERO for _ in names), *(two * rate(a) * rate(b) for a, b in pairs)],
        slopes,
    )
