"""Numbers that floats cannot hold: exact in the model, infinite or zero where it is evaluated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction

from ..diagnostics import Diagnostic, NumbersError, error
from ..expressions import Expression, topological
from .model import Model
from .scope import Scopes, formulas


def ranges(system: Model) -> list[Diagnostic]:
    """Findings about numbers of a model that are beyond the range of floats, or so small that they become zero."""
    return [d for place, values, _ in formulas(Scopes(system)) for d in _beyond(place, values)]


def require_ranges(system: Model) -> None:
    """Raise :class:`.NumbersError` where a number of the model is none as a float."""
    findings = ranges(system)
    if findings:
        raise NumbersError(findings)


def _beyond(place: str, values: Iterable[Expression]) -> Iterator[Diagnostic]:
    """Findings about the numbers in the formulas at a place."""
    for node in topological(list(values)):
        if node.op == "num" and not held(node.data):
            shown = Decimal(node.data.numerator) / Decimal(node.data.denominator)
            yield error(place, f"{shown:.3e} is beyond the range of floats", "use other units")


def held(exact: Fraction) -> bool:
    """Whether the nearest float is finite, and zero for zero alone."""
    try:
        value = float(exact)
    except OverflowError:
        return False
    return math.isfinite(value) and bool(value) == bool(exact)
