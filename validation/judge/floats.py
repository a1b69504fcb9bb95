"""The floats of a derivation: with the bound of every one of them, and whether they are what the equations say.

A bound holds for the arithmetic that it was derived for. Whether the floats were computed by that arithmetic is a
claim of its own, :func:`float_evaluation`: at one state they must lie within their bounds of the value in 50 digits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mbconcord.model.derivation import EFFORT
from mbconcord.model.diagnostics import MbconcordError, NumbersError, error
from mbconcord.model.evaluation import Evaluation, complete
from mbconcord.model.expressions import ExpressionError, mpmath_arithmetic
from mbconcord.model.instance import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System

from .bounds import ROWS, BoundedEquations
from .evidence import Comparison
from .solutions import Bounded
from .tolerances import REFEREE_DIGITS
from .uncertainty import Inputs, inputs

#: What the comparison of floats with 50 digits is called.
FLOATS = "float evaluation"
#: The other side of it.
EXACT = f"{REFEREE_DIGITS} digits"


def measured(equations: BoundedEquations, at: Instance, given: Inputs) -> Evaluation:
    """The canonical quantities at the states, with bounds; what is missing and follows from the others is added.

    Raises
    ------
    NumbersError
        A symbol or a function has no value.
    """
    derivation = equations.derivation
    try:
        found = equations.at(given)
    except ExpressionError as problem:
        raise NumbersError(error(derivation.formalism, str(problem))) from None
    own = {name: found[name].values for name in derivation.quantities}
    whole = complete(Evaluation(derivation.formalism, own), at.system, at)
    values, bounds = (
        dict(whole.quantities),
        {name: found[name].bounds for name in whole.quantities if name in found},
    )
    for name in ("acceleration", EFFORT):
        if name in bounds and name not in own:  # the solution that the bounds are of
            sound = np.isfinite(values[name]) & np.isfinite(bounds[name])
            values[name] = np.where(sound, found[name].values, values[name])
    return Evaluation(derivation.formalism, values, whole.diagnostics, bounds)


def precisely(system: System, state: State) -> Instance:
    """One state in the referee's arithmetic."""
    return Instance(system, [state], mpmath_arithmetic(REFEREE_DIGITS))


def float_evaluation(
    equations: BoundedEquations, evaluation: Evaluation, precise: Instance, number: int = 0
) -> Comparison:
    """The floats of state number so much against the same equations in 50 digits: each within its bound."""
    n = equations.names
    return _in_floats(
        equations,
        precise,
        [
            (name, (n, n), Bounded(evaluation.quantities[name][number], evaluation.bounds[name][number]))
            for name in equations.derivation.quantities
            if name in evaluation.quantities
        ],
    )


def row_evaluation(equations: BoundedEquations, precise: Instance) -> Comparison:
    """The same of the rows of constraints, D and γ̃, at the state of ``precise``."""
    alone = BoundedEquations(equations.derivation, ())
    found = alone.own(inputs(alone.derivation.system, precise.states))
    rows = [f"row {i + 1}" for i in range(found["γ̃"].values.shape[1])]
    return _in_floats(alone, precise, [(name, (rows, alone.names), found[name][0]) for name in ROWS])


#: Name of a quantity, names of its entries along each axis, and its numbers.
Part = tuple[str, Sequence[Sequence[str]], Bounded]


def _in_floats(equations: BoundedEquations, precise: Instance, parts: Sequence[Part]) -> Comparison:
    """The float that is farthest from its value in 50 digits, by its bound."""
    who = equations.derivation.formalism
    try:
        exact = equations.exactly(precise, [name for name, _, _ in parts])
    except (ExpressionError, MbconcordError, ArithmeticError) as problem:
        return Comparison(who, "", FLOATS, "not checked", explanation=f"no exact value: {problem}")
    return against_digits(who, exact, parts, precise[0])


def against_digits(
    who: str, exact: Mapping[str, Sequence[Any]], parts: Sequence[Part], state: State, what: str = FLOATS
) -> Comparison:
    """The float that is farthest from its exact value, by its bound; ``exact``: by quantity, entry by entry."""
    farthest, worst, rounding = -1.0, None, dict[str, float]()
    for name, axes, x in parts:
        floats, bounds = (np.asarray(part, dtype=float).ravel().tolist() for part in (x.values, x.bounds))
        places = np.ndindex(x.values.shape)
        for place, value, number, bound in zip(places, exact[name], floats, bounds, strict=True):
            if math.isfinite(number) and math.isfinite(bound):
                gap = float(abs(value - number))
                beyond = 0.0 if gap == 0 else gap / bound if bound > 0 and gap == gap else np.inf  # no NaN
                rounding[name] = max(rounding.get(name, 0.0), beyond)
                if beyond > farthest:
                    farthest, worst = beyond, (name, axes, place, number, bound, value)
    if worst is None:
        reason = "no float at this state is sure to any digit"
        return Comparison(who, "", what, "not checked", explanation=reason)
    name, axes, place, number, bound, value = worst
    entry = tuple(axis[i] for axis, i in zip(axes, place, strict=False))
    found = _against(who, name, entry, number, bound, value, farthest)
    return replace(found, quantity=what, state=state, rounding=tuple(rounding.items()))


def _against(
    name: str, quantity: str, entry: tuple[str, ...], value: float, bound: float, exact: Any, beyond: float
) -> Comparison:
    """What is said of a float that is so far beyond its bound."""
    gap = float(abs(exact - value))
    size = max(abs(value), bound) or 1.0
    said = (
        f"float evaluation: {quantity} of {name} is {value:.17g} in floats, which are sure to {bound:.1e}, and "
        f"{digits(exact)} in {EXACT}"
    )
    return Comparison(
        name, EXACT, FLOATS, "agrees" if beyond <= 1 else "disagrees",
        discrepancy=gap / size, tolerance=bound / size, scale=size, entry=entry, values=(value, float(exact)),
        explanation="" if beyond <= 1 else said,
    )  # fmt: skip


def digits(value: Any) -> str:
    """A number in high precision as text of 17 digits."""
    return str(value.context.nstr(value, 17))
