"""Numbers that an exported library is tested against, computed in many digits at states that are drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.kernels.c.library import Library
from mbconcord.kernels.c.trial import Known
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import ExpressionError, evaluate, mpmath_arithmetic
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.levels import levels
from mbconcord.model.numbers import environment
from mbconcord.model.system import System
from mbconcord.validation.judge.states import draw

#: States that are drawn and stored.
STATES: Final = 8
DIGITS: Final = 40
#: Functions of C libraries may be this much farther off than those that the bounds were made for.
ROOM: Final = 2.0


def known(system: System, library: Library, seed: int = 0) -> Known:
    """Results at drawn states, and how far rounding may move them; parameters without a value are drawn, too.

    Raises
    ------
    NumbersError
        There is no state at which all results have values.
    """
    drawn = draw(system, STATES, seed)
    same = drawn.states[0].parameters
    states, expected, bounds = [], [], []
    plan = levels(library.split.program)
    values: dict[str, float] = {}
    for state in drawn.states:
        values = {
            name: float(x)
            for name, x in environment(drawn.system, [replace(state, parameters=same)])[0].items()
        }
        try:
            exact = evaluate(library.outputs, values, mpmath_arithmetic(DIGITS))
            with np.errstate(all="ignore"):
                bound = ROOM * run_bounds(plan, values)[1][:, 0]
        except ExpressionError:
            continue
        if np.isfinite(bound).all():
            states.append([values[name] for name in library.symbols])
            expected.append([float(x) for x in exact])
            bounds.append(bound.tolist())
    if not states:
        message = f"at none of {STATES} drawn states have all results values that rounding leaves certain"
        raise NumbersError(error(library.name, message, "ask for fewer quantities"))
    return Known([values[name] for name in library.parameters], states, expected, bounds)
