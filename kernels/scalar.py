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
    """The outputs as a function of the numbers of the inputs.

    Where a formula has no number (a root of a negative one, a division by zero, more than floats hold) its value is
    what NumPy makes of it, NaN or infinity, and the others are theirs. Elsewhere the two differ by the rounding of
    sines and other functions alone.

    Raises
    ------
    ExpressionError
        A symbol is not among the inputs, or a function has no formula.
    """
    return _made(tuple(outputs), tuple(inputs))


@lru_cache(maxsize=KEPT)
def _made(outputs: tuple[Expression, ...], inputs: tuple[str, ...]) -> Scalar:
    """The function: code of the same formulas is made once, however many runs ask for it."""
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
