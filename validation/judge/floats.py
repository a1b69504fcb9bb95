"""The floats of a derivation: with the bound of every one of them, and whether they are what the equations say.

A bound holds for the arithmetic that it was derived for. Whether the floats were computed by that arithmetic is a
claim of its own, :func:`float_evaluation`: at one state they must lie within their bounds of the value in 50 digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mbconcord.model.diagnostics import MbconcordError, NumbersError, error
from mbconcord.model.evaluation import Evaluation, complete
from mbconcord.model.expressions import ExpressionError, mpmath_arithmetic
from mbconcord.model.instance import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System

from .bounds import BoundedEquations
from .evidence import Comparison
from .tolerances import REFEREE_DIGITS
from .uncertainty import Inputs

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
    if "acceleration" in bounds and "acceleration" not in own:  # the solution that the bounds are of
        sound = np.isfinite(values["acceleration"]) & np.isfinite(bounds["acceleration"])
        values["acceleration"] = np.where(sound, found["acceleration"].values, values["acceleration"])
    return Evaluation(derivation.formalism, values, whole.diagnostics, bounds)


def precisely(system: System, state: State) -> Instance:
    """One state in the referee's arithmetic."""
    return Instance(system, [state], mpmath_arithmetic(REFEREE_DIGITS))


def float_evaluation(
    equations: BoundedEquations, evaluation: Evaluation, precise: Instance, number: int = 0
) -> Comparison:
    """The floats of state number so much against the same equations in 50 digits: each within its bound."""
    name, state = evaluation.formalism, precise[0]
    try:
        exact = equations.exactly(precise)
    except (ExpressionError, MbconcordError, ArithmeticError) as problem:
        return Comparison(name, "", FLOATS, "not checked", explanation=f"no exact value: {problem}")
    found = [
        _against(name, quantity, place, float(value), float(bound), exact[quantity][flat])
        for quantity in equations.derivation.quantities
        if quantity in evaluation.quantities
        for flat, (place, value, bound) in enumerate(_entries(evaluation, quantity, number, equations.names))
        if np.isfinite(value) and np.isfinite(bound)
    ]
    if not found:
        return Comparison(
            name, "", FLOATS, "not checked", explanation="no float at this state is sure to any digit"
        )
    return replace(max(found, key=lambda pair: pair[0])[1], state=state)


def _entries(
    evaluation: Evaluation, quantity: str, number: int, names: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """(names of the entry, value, bound) of a quantity at a state, in the order of its scalars."""
    values, bounds = evaluation.quantities[quantity][number], evaluation.bounds[quantity][number]
    for place in np.ndindex(values.shape):
        yield tuple(names[i] for i in place), values[place], bounds[place]


def _against(
    name: str, quantity: str, entry: tuple[str, ...], value: float, bound: float, exact: Any
) -> tuple[float, Comparison]:
    """How far beyond its bound a float is, and the comparison that says so."""
    gap = float(abs(exact - value))
    beyond = 0.0 if gap == 0 else gap / bound if bound > 0 else np.inf
    size = max(abs(value), bound) or 1.0
    said = (
        f"float evaluation: {quantity} of {name} is {value:.17g} in floats, which are sure to {bound:.1e}, and "
        f"{digits(exact)} in {EXACT}"
    )
    return beyond, Comparison(
        name, EXACT, FLOATS, "agrees" if beyond <= 1 else "disagrees",
        discrepancy=gap / size, tolerance=bound / size, scale=size, entry=entry, values=(value, float(exact)),
        explanation="" if beyond <= 1 else said,
    )  # fmt: skip


def digits(value: Any) -> str:
    """A number in high precision as text of 17 digits."""
    return str(value.context.nstr(value, 17))
