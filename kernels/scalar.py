"""One state at a time: generated Python over ``math``, which needs no arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np

from mbconcord.model.expressions import Expression, compile_numpy, scalar_source

#: Values of the inputs in their order -> values of the outputs.
Scalar = Callable[[Sequence[float]], Sequence[float]]
#: So many functions are kept.
KEPT: Final = 64


def scalar(outputs: Sequence[Expression], inputs: Sequence[str]) -> Scalar:
    """Compile the outputs to a function of the input numbers.

    If a formula has no value (a root of a negative number, a division by zero, overflow) its result is NumPy's, NaN or
    infinity, and the others are unaffected. Otherwise the two differ only by the rounding of sines and other functions.

    Raises
    ------
    ExpressionError
        A symbol is not among the inputs, or a function has no formula.
    """
    return _make_function(tuple(outputs), tuple(inputs))


@lru_cache(maxsize=KEPT)
def _make_function(outputs: tuple[Expression, ...], inputs: tuple[str, ...]) -> Scalar:
    """Return a new function; code for the same formulas is generated only once."""
    roots = list(outputs)
    namespace: dict[str, Any] = {}
    exec(compile(scalar_source(roots, inputs, "compiled"), "<generated code>", "exec"), namespace)
    compiled: Scalar = namespace["compiled"]

    @cache
    def over_numpy() -> Callable[[Any], Any]:
        return compile_numpy(roots, inputs)

    def function(values: Sequence[float]) -> Sequence[float]:
        try:
            return compiled(values)
        except (ValueError, ArithmeticError):
            with np.errstate(all="ignore"):
                found: list[float] = over_numpy()(values).tolist()
            return found

    return function
