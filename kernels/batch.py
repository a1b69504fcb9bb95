"""Many states at a time: what can be done together is one operation of NumPy over all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.expressions import Expression, compile_numpy
from mbconcord.model.expressions.levels import Levels, levels, run_levels
from mbconcord.model.expressions.program import program

from .scalar import scalar

Array = NDArray[np.float64]
#: Values of symbols, numbers or arrays (n,) -> values of the outputs (m, n); (m, 1) of numbers alone.
Run = Callable[[Mapping[str, Any]], Array]


def over_numpy(outputs: Sequence[Expression]) -> Run:
    """Of many states level by level.

    Of one state such operations would be more than what they compute: its floats, which are the same, come from
    generated code, made when it is first called.
    """
    roots, plan = _planned(outputs)

    @cache
    def of_one() -> Callable[[Any], Array]:
        return compile_numpy(roots, plan.symbols)

    def run(values: Mapping[str, Any]) -> Array:
        if any(np.ndim(values[name]) for name in plan.symbols):
            return run_levels(plan, values)
        with np.errstate(all="ignore"):
            return of_one()([float(values[name]) for name in plan.symbols])[:, None]

    return run


def one_by_one(outputs: Sequence[Expression]) -> Run:
    """State after state by :func:`.scalar.scalar`: a few microseconds for the first, and as many for each other."""
    roots, plan = _planned(outputs)
    function = scalar(roots, plan.symbols)

    def run(values: Mapping[str, Any]) -> Array:
        columns = [np.atleast_1d(np.asarray(values[name], dtype=float)) for name in plan.symbols]
        states = np.stack(np.broadcast_arrays(np.zeros(1), *columns), axis=-1)[:, 1:]
        return np.array([function(state) for state in states.tolist()]).T

    return run


def _planned(outputs: Sequence[Expression]) -> tuple[list[Expression], Levels]:
    roots = list(outputs)
    return roots, levels(program(roots))
