"""How far the numbers that equations are evaluated with may be from the numbers meant.

A float given for a state is the number it is. A parameter's value is a rational or a formula: it is rounded once,
or computed in floats. A number that was printed may be anything within half a unit of its last digit, and one that
was converted between formats anything within 4 ulp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.levels import Levels, levels
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import Definitions
from mbconcord.model.instance import bound
from mbconcord.model.order import generations
from mbconcord.model.state import State
from mbconcord.model.system import System

from .scale import Scales
from .tolerances import EPSILON

Array = NDArray[np.float64]
#: How far the number meant may be from a rational of the equations.
Numbers = Callable[[Fraction], float]

#: What a conversion between two formats may cost: shifts of inertias and angles in degrees do.
CONVERTED_ULPS = 4
#: A number of so many significant digits was rounded when it was printed: fewer are written by hand, more are all that
#: a float has, and that is 17.
FEWEST, MOST, ALL = 8, 15, 17
#: What a program has computed may be zero where it is smaller: the cosine of 90 degrees is 6.1e-17.
NOISE = 1e-12


@dataclass(frozen=True)
class Inputs:
    """Values of every symbol of a system at N states, and how far the exact numbers may be from them.

    Attributes
    ----------
    values : symbol name -> (N,)
    bounds : symbol name -> (N,)
        Zero where the float is the number.
    numbers : rational that stands in the equations -> how far the number meant may be from it; None: it is meant
    """

    values: Mapping[str, Array]
    bounds: Mapping[str, Array]
    numbers: Numbers | None = None

    @property
    def count(self) -> int:
        """Number of states."""
        return len(self.values["t"])

    def run(self, plan: Levels) -> tuple[Array, Array]:
        """Values and bounds (m, N) of a program; see :func:`.run_bounds`."""
        return run_bounds(plan, self.values, self.bounds, meant(plan, self.numbers))


def meant(plan: Levels, numbers: Numbers | None) -> dict[Fraction, float]:
    """How far the rationals of a program may be from the numbers meant."""
    return {x: numbers(x) for x in plan.exact if x is not None} if numbers else {}


def inputs(
    system: System,
    states: Sequence[State],
    uncertain: Mapping[str, Any] | None = None,
    numbers: Numbers | None = None,
) -> Inputs:
    """The inputs of a system at states.

    Parameters
    ----------
    system
    states : with a value for every parameter; an :class:`.Instance` has the numbers already
    uncertain : name of a parameter, ``q``, ``q'``, ``q''`` or ``t`` -> how far the number meant may be from the one
        given, for all states or (N,); what formulas of parameters make of it is added to theirs
    numbers : the same for numbers that stand in the equations themselves, and in formulas of parameters

    Raises
    ------
    NumbersError
        A parameter without value, an unknown name or no finite number, as for an :class:`.Instance`.
    """
    values = bound(system, states).values
    known = dict(uncertain or {})
    bounds = {name: np.zeros(len(states)) + known.get(name, 0.0) for name in values}
    pending = _formulas(system, states)
    definitions = Definitions(system.functions)
    for ready in generations({n: symbols([formula]) - {n} for n, (formula, _) in pending.items()}):
        formulas, given = zip(*(pending[n] for n in ready), strict=True)
        plan = levels(program(definitions.of(formulas)))
        computed, off = run_bounds(plan, values, bounds, meant(plan, numbers))
        for name, mask, own, error in zip(ready, given, computed, off, strict=True):
            bounds[name] += np.where(mask, 0.0, error + np.abs(own - values[name]))
    return Inputs(values, bounds, numbers)


def _formulas(system: System, states: Sequence[State]) -> dict[str, tuple[Expression, NDArray[np.bool_]]]:
    """Name -> its formula in the model, and at which states another value is given."""
    waiting = [(p.name, p.value, [p.name in s.parameters for s in states]) for p in system.parameters]
    for c in system.coordinates:
        waiting.append((c.name, c.position, [c.name in s.q for s in states]))
        waiting.append((f"{c.name}'", c.velocity, [c.name in s.v for s in states]))
    return {name: (x, np.array(given)) for name, x, given in waiting if x is not None and not all(given)}


def printed(text: str) -> float:
    """Half a unit of the last digit of a decimal number: 0.005 of ``0.31``; 0 of ``1/3``, which is itself."""
    return 0.0 if "/" in text else 0.5 * 10.0 ** int(Decimal(text.strip()).as_tuple().exponent)


def converted(value: float | Fraction) -> float:
    """4 ulp of a number; 0 of a whole number and its half, which formulas have of their own (½ m v², 2 x)."""
    if (2 * Fraction(value)).denominator == 1:
        return 0.0
    return CONVERTED_ULPS * float(np.spacing(abs(float(value))))


def foreign(value: float | Fraction) -> float:
    """The same of a number that another program may have printed: half a unit of its last digit, where it was rounded.

    0.70710678 stands for √2/2 and for whatever else has these digits; 0.31 is meant as it stands.
    """
    off = converted(value)
    return off + printed(f"1e{_last_place(Fraction(value))}") if rounded(value) else off


def rounded(value: float | Fraction) -> bool:
    """Whether a number that is not whole, nor its half, has so many digits that its printing rounded it, not more."""
    digits = significant(Fraction(value))
    return bool(converted(value)) and digits is not None and FEWEST <= digits <= MOST


def generated(digits: int) -> Numbers:
    """The same of numbers in equations that a program printed with so many significant digits at most.

    Some are products of two that were printed. One that is next to nothing may be the rounding of zero.
    """
    relative = 2 * unit(min(digits, ALL)) if digits >= FEWEST else 0.0

    def numbers(value: Fraction) -> float:
        off, size = converted(value), abs(float(value))
        return max(off + relative * size, size if size < NOISE else 0.0) if off else 0.0

    return numbers


def unit(digits: int) -> float:
    """A unit of the last of so many significant digits, relative to a number that begins with 1."""
    return 10.0 ** (1 - digits)


def significant(value: Fraction) -> int | None:
    """How many significant digits a number has that is not whole; None where they have no end."""
    place = _last_place(value)
    return None if place is None else len(str(abs(int(value / Fraction(10) ** place))))


def _last_place(value: Fraction) -> int | None:
    """The power of ten of the last digit of a number that is not whole; None where there is none."""
    rest, powers = value.denominator, []
    for factor in (2, 5):
        power = 0
        while rest % factor == 0:
            rest, power = rest // factor, power + 1
        powers.append(power)
    return None if rest > 1 else -max(powers)


def converted_room(size: Scales) -> dict[str, Array]:
    """By quantity what shifted inertias may be off by after a conversion: 4 ulp of the largest term of a sum."""
    terms = {"M": size.contributions, **size.rows}
    return {name: CONVERTED_ULPS * EPSILON * x for name, x in terms.items()}
