"""Uncertainty of the numbers with which equations are evaluated.

A float given for a state is exact. A parameter's value is a rational, which is rounded once, or a formula, which is
computed in floats. The exact value of a printed number is within half a unit of its last digit, that of a number
converted between formats within 4 ulp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.coordinate import Parameter
from mbconcord.model.expressions import Expression, substitute, symbol, symbols, topological
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.levels import Levels, levels
from mbconcord.model.expressions.program import program
from mbconcord.model.expressions.traversal import generations
from mbconcord.model.functions import Definitions
from mbconcord.model.naming import Namer
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.rows import PARTS, rewritten

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
#: Digits of singles: 24 bits.
SINGLE = 7.2
#: What a program has computed may be zero where it is smaller: the cosine of 90 degrees is 6.1e-17.
NOISE = 1e-12


@dataclass(frozen=True)
class Inputs:
    """Values of every symbol of a system at N states, and bounds of their distance from the exact numbers.

    Attributes
    ----------
    values : symbol name -> (N,)
    bounds : symbol name -> (N,)
        Error bounds (N,); zero where the float is exact.
    numbers : rational in the equations -> its error bound; None: exact
    certain : whether all numbers are exact, so that more digits are meaningful
    """

    values: Mapping[str, Array]
    bounds: Mapping[str, Array]
    numbers: Numbers | None = None
    certain: bool = False

    @property
    def count(self) -> int:
        """Number of states."""
        return len(self.values["t"])

    def run(self, plan: Levels) -> tuple[Array, Array]:
        """Evaluate a program: values and bounds (m, N); see :func:`.run_bounds`."""
        return run_bounds(plan, self.values, self.bounds, find_uncertainties(plan, self.numbers))


def find_uncertainties(plan: Levels, numbers: Numbers | None) -> dict[Fraction, float]:
    """Return the uncertainties of the rationals in a program."""
    return {x: numbers(x) for x in plan.exact if x is not None} if numbers else {}


def inputs(
    system: System, states: Sequence[State], uncertain: Mapping[str, Any] | None = None, numbers: Numbers | None = None
) -> Inputs:
    """Compute the inputs of a system at states.

    Parameters
    ----------
    system
    states : with a value for every parameter; an :class:`.Instance` has the numbers already
    uncertain : name of a parameter, ``q``, ``q'``, ``q''`` or ``t`` -> uncertainty of the given number, for all states
        or (N,); its effect on parameters with formulas is added to their uncertainty
    numbers : function that returns the uncertainty of a number in the equations or in formulas of parameters

    Raises
    ------
    NumbersError
        A parameter has no value, a name is unknown or a number is not finite, as for an :class:`.Instance`.
    """
    values = bind_states(system, states).values
    known = dict(uncertain or {})
    bounds = {name: np.zeros(len(states)) + known.get(name, 0.0) for name in values}
    pending = _formulas(system, states)
    definitions = Definitions(system.functions)
    for ready in generations({n: symbols([formula]) - {n} for n, (formula, _) in pending.items()}):
        formulas, given = zip(*(pending[n] for n in ready), strict=True)
        plan = levels(program(definitions.apply(formulas)))
        computed, off = run_bounds(plan, values, bounds, find_uncertainties(plan, numbers))
        for name, mask, own, error in zip(ready, given, computed, off, strict=True):
            bounds[name] += np.where(mask, 0.0, error + np.abs(own - values[name]))
    return Inputs(values, bounds, numbers, not known and numbers is None)


def _formulas(system: System, states: Sequence[State]) -> dict[str, tuple[Expression, NDArray[np.bool_]]]:
    """Map each parameter with a formula to this formula and to the states (mask) at which another value is given."""
    waiting = [(p.name, p.value, [p.name in s.parameters for s in states]) for p in system.parameters]
    for c in system.coordinates:
        waiting.append((c.name, c.position, [c.name in s.q for s in states]))
        waiting.append((f"{c.name}'", c.velocity, [c.name in s.v for s in states]))
    return {name: (x, np.array(given)) for name, x, given in waiting if x is not None and not all(given)}


def half_unit(text: str) -> float:
    """Return half a unit of the last digit of a decimal: 0.005 for ``0.31``; 0 for ``1/3``, which is exact."""
    return 0.0 if "/" in text else 0.5 * 10.0 ** int(Decimal(text.strip()).as_tuple().exponent)


def conversion_error(value: float | Fraction) -> float:
    """Return 4 ulp of a number; 0 for whole numbers and their halves, which are exact in formulas (½ m v², 2 x)."""
    if (2 * Fraction(value)).denominator == 1:
        return 0.0
    return CONVERTED_ULPS * float(np.spacing(abs(float(value))))


def foreign(value: float | Fraction) -> float:
    """Return the uncertainty of a number perhaps printed by another program: half a unit of a rounded last digit.

    0.70710678 represents √2/2 and anything else with these digits; 0.31 is exact.
    """
    off = conversion_error(value)
    return off + half_unit(f"1e{_last_place(Fraction(value))}") if is_rounded(value) else off


def is_rounded(value: float | Fraction) -> bool:
    """Return True if the number of digits of a number suggests that its printing rounded it."""
    digits = significant(Fraction(value))
    return bool(conversion_error(value)) and digits is not None and FEWEST <= digits <= MOST


def generation_error(value: float | Fraction) -> float:
    """Return the uncertainty of a number in Universal Mechanism's generated equations, printed with 15 digits.

    A shorter number is exact; a longer one is the product of two printed ones; a tiny one may be zero but for rounding.
    """
    off, size = conversion_error(value), abs(float(value))
    if not off:
        return 0.0
    digits = significant(Fraction(value))
    relative = 2 * unit(MOST) if digits is None or digits >= MOST else 0.0
    return max(off + relative * size, size if size < NOISE else 0.0)


def name_digits(digits: float, more: str = "") -> str:
    """Name the digits of a file's numbers, with ``more`` in brackets, or say that it has single precision."""
    if digits == SINGLE:
        return f"single precision{f' ({more[2:]})' if more else ''}"
    return f"the digits printed ({digits}{more})"


def unit(digits: int) -> float:
    """Return one unit of the last of ``digits`` significant digits, relative to the leading digit: 10^(1 - digits)."""
    return 10.0 ** (1 - digits)


def significant(value: Fraction) -> int | None:
    """Count the significant decimal digits of a non-integer; None if its decimals do not end."""
    place = _last_place(value)
    return None if place is None else len(str(abs(int(value / Fraction(10) ** place))))


def _last_place(value: Fraction) -> int | None:
    """Return the power of ten of the last digit of a non-integer, or None."""
    rest, powers = value.denominator, []
    for factor in (2, 5):
        power = 0
        while rest % factor == 0:
            rest, power = rest // factor, power + 1
        powers.append(power)
    return None if rest > 1 else -max(powers)


def converted_room(size: Scales) -> dict[str, Array]:
    """Return tolerances for numbers converted between formats: quantity -> a few ulp of its terms' size."""
    terms = {"M": size.contributions, **size.rows}
    return {name: CONVERTED_ULPS * EPSILON * x for name, x in terms.items()}


def with_named_numbers(system: System) -> System:
    """Replace each number that was rounded when printed by a new parameter, except in directions."""
    used: dict[Expression, None] = {}
    parts = {name: getattr(system, name) for name in PARTS}

    def note_nodes(x: Expression) -> Expression:
        used.update(dict.fromkeys(topological([x])))
        return x

    for part in parts.values():
        rewritten(part, note_nodes)
    numbers = [node for node in used if node.op == "num" and is_rounded(node.data)]
    if not numbers:
        return system
    namer = Namer(system.names)
    names = {node: symbol(namer.fresh(f"printed{i}")) for i, node in enumerate(numbers, 1)}
    new = {name: rewritten(part, lambda x: substitute([x], names)[0]) for name, part in parts.items()}
    own = tuple(Parameter(names[node].data, node) for node in numbers)
    return replace(system, parameters=(*system.parameters, *own), **new)
