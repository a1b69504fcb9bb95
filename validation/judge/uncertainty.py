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
from mbconcord.model.instance import bound
from mbconcord.model.numbers import define
from mbconcord.model.state import State
from mbconcord.model.system import System

from .scale import Scales
from .tolerances import EPSILON

Array = NDArray[np.float64]

#: What a conversion between two formats may cost: shifts of inertias and angles in degrees do.
CONVERTED_ULPS = 4


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
    numbers: Callable[[Fraction], float] | None = None

    @property
    def count(self) -> int:
        """Number of states."""
        return len(self.values["t"])

    def run(self, plan: Levels) -> tuple[Array, Array]:
        """Values and bounds (m, N) of a program; see :func:`.run_bounds`."""
        meant = {x: self.numbers(x) for x in plan.exact if x is not None} if self.numbers else {}
        return run_bounds(plan, self.values, self.bounds, meant)


def inputs(
    system: System,
    states: Sequence[State],
    uncertain: Mapping[str, Any] | None = None,
    numbers: Callable[[Fraction], float] | None = None,
) -> Inputs:
    """The inputs of a system at states.

    Parameters
    ----------
    system
    states : with a value for every parameter; an :class:`.Instance` has the numbers already
    uncertain : name of a parameter, ``q``, ``q'``, ``q''`` or ``t`` -> how far the number meant may be from the one
        given, for all states or (N,); what formulas of parameters make of it is added to theirs
    numbers : the same for numbers that stand in the equations themselves

    Raises
    ------
    NumbersError
        A parameter without value, an unknown name or no finite number, as for an :class:`.Instance`.
    """
    values = bound(system, states).values
    known = dict(uncertain or {})
    bounds = {name: np.zeros(len(states)) + known.get(name, 0.0) for name in values}
    pending = _formulas(system, states)
    while pending:
        ready = [n for n, (formula, _) in pending.items() if not symbols([formula]) & (pending.keys() - {n})]
        formulas, given = zip(*map(pending.pop, ready), strict=True)
        computed, off = run_bounds(levels(program(define(formulas, system.functions))), values, bounds)
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


def converted_inputs(
    system: System, states: Sequence[State], uncertain: Mapping[str, Any] | None = None
) -> Inputs:
    """The inputs of a model that may have come from another format: each of its numbers is off by what that costs.

    ``uncertain`` is as for :func:`inputs`.
    """
    given = {
        p.name: converted(p.value.data)
        for p in system.parameters
        if p.value is not None and p.value.op == "num"
    }
    set_by_states = {name for s in states for name in s.parameters}
    own = {n: x for n, x in given.items() if n not in set_by_states}
    return inputs(system, states, own | dict(uncertain or {}), converted)


def converted(value: float | Fraction) -> float:
    """4 ulp of a number; 0 of a whole number and its half, which formulas have of their own (½ m v², 2 x)."""
    if (2 * Fraction(value)).denominator == 1:
        return 0.0
    return CONVERTED_ULPS * float(np.spacing(abs(float(value))))


def converted_room(size: Scales) -> dict[str, Array]:
    """By quantity what shifted inertias may be off by after a conversion: 4 ulp of the largest term of a sum."""
    terms = {"M": size.contributions, **size.rows}
    return {name: CONVERTED_ULPS * EPSILON * x for name, x in terms.items()}
