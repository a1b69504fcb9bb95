"""How near the floats of every formalism come to their error bounds: a table of formalisms and quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbconcord.model.derivation import QUANTITIES
from mbconcord.validation.judge.evidence import Comparison


@dataclass(frozen=True)
class Rounding:
    """The largest |float - value in 50 digits| in units of its bound: 1 would be all that rounding explains.

    ``rows`` have a formalism each, with a number or None for every one of the ``quantities``.
    """

    quantities: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]


def rounding(comparisons: Sequence[Comparison]) -> Rounding | None:
    """The table; None where floats were not compared with 50 digits."""
    found: dict[str, dict[str, float]] = {}
    for c in comparisons:
        if c.rounding:
            found.setdefault(c.a, {}).update(c.rounding)
    if not found:
        return None
    there = dict.fromkeys(name for values in found.values() for name in values)
    names = (*(q for q in QUANTITIES if q in there), *(name for name in there if name not in QUANTITIES))
    return Rounding(
        names, tuple((who, tuple(values.get(name) for name in names)) for who, values in found.items())
    )
