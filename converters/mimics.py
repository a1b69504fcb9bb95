"""Constraint rows that are mimics: one coordinate is linear in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mbconcord.converters.constants import Numbers
from mbconcord.model import Holonomic, System
from mbconcord.model.expressions import (
    ONE,
    ZERO,
    Expression,
    ExpressionError,
    derivative,
    evaluate_float,
    substitute,
    symbol,
    symbols,
)

#: What follows the name of the coordinate that copies another in that of the row.
MIMIC: Final = "_mimic"


@dataclass(frozen=True, slots=True)
class Mimic:
    """A coordinate that is ``multiplier`` times the leader's and ``offset``."""

    place: str
    leader: str
    multiplier: Expression
    offset: Expression


def linear_in(
    numbers: Numbers, formula: Expression, variable: Expression
) -> tuple[Expression, Expression] | None:
    """Factor and rest of a formula that is linear in a variable: None where it is not, or moves by anything else."""
    values = {v: x for v, x in numbers.known.items() if v.data != "t"}
    (found,) = substitute([formula], values)
    factor = derivative(found, variable)
    (rest,) = substitute([found], {variable: ZERO})
    if not (factor.constant and rest.constant):
        return None
    return factor, rest


def mimics(system: System, numbers: Numbers, held: dict[str, str]) -> dict[str, Mimic]:
    """The mimics by their followers; of each row that is one the name it is read with goes to ``held``."""
    found: dict[str, Mimic] = {}
    for row in system.constraints:
        made = _mimic(row, system, numbers, found) if isinstance(row, Holonomic) else None
        if made is not None:
            follower, mimic = made
            found[follower] = mimic
            held[mimic.place] = follower + MIMIC
            assert isinstance(row, Holonomic)
            numbers.formula(mimic.place, row.expression)
    return found


def _mimic(
    row: Holonomic, system: System, numbers: Numbers, found: dict[str, Mimic]
) -> tuple[str, Mimic] | None:
    """A follower x and its mimic, of a row a x + b y + c = 0: the row is called after x, or x is the later."""
    formula = numbers.definitions.of([row.expression])[0]
    names = [n for n in system.coordinate_names if n in symbols([formula])]
    if len(names) != 2:
        return None
    one, other = map(symbol, names)
    parts = linear_in(numbers, substitute([formula], {one: ZERO})[0], other)
    more = linear_in(numbers, substitute([formula], {other: ZERO})[0], one)
    if parts is None or more is None or parts[1] is not more[1]:
        return None
    if derivative(derivative(formula, one), other) is not ZERO:
        return None
    factors = dict(zip(names, (more[0], parts[0]), strict=True))
    try:
        if not all(float(evaluate_float(x, {})) for x in factors.values()):
            return None
    except ExpressionError:
        return None
    named = [n for n in names if row.name == n + MIMIC]
    follower = next((n for n in (*named, *reversed(names)) if n not in found), None)
    if follower is None:
        return None
    (leader,) = (n for n in names if n != follower)
    a = factors[follower]
    multiplier, offset = (-x if a is ONE else -(x / a) for x in (factors[leader], parts[1]))
    return follower, Mimic(f"constraints/{row.name}", leader, multiplier, offset)
