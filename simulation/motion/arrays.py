"""Arrays of expressions as generated code: constants stand where they are, the rest is computed at one state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.kernels.repeated import Repeated
from mbconcord.model.expressions import Expression, evaluate_float
from mbconcord.model.expressions.node import NUM

from .formulas import Formula

Array = NDArray[np.float64]
#: Values of t, q and q' in this order -> the arrays.
Arrays = Callable[[Sequence[float]], Sequence[Any]]


def generated(values: Sequence[Formula], inputs: Sequence[str]) -> Arrays:
    """One function of the inputs for several arrays; each is made anew by every call."""
    moulds: list[Any] = []
    outputs: list[Any] = []
    for value in values:
        flat: list[Expression] = value.ravel().tolist()
        places = [i for i, x in enumerate(flat) if not x.constant]
        still = np.array([_number(x) if x.constant else 0.0 for x in flat]).reshape(value.shape)
        first = len(outputs)
        outputs += [flat[i] for i in places]
        whole = len(places) == len(flat)
        moulds.append((still, None if whole else np.array(places, dtype=np.intp), slice(first, len(outputs))))
    function = Repeated(outputs, inputs)

    def arrays(x: Sequence[float]) -> list[Array]:
        numbers = np.asarray(function(x))
        found = []
        for still, places, part in moulds:
            if places is None:
                found.append(numbers[part].reshape(still.shape))
            else:
                made = still.copy()
                made.ravel()[places] = numbers[part]
                found.append(made)
        return found

    return arrays


def _number(constant: Expression) -> float:
    return float(constant.data) if constant.op == NUM else evaluate_float(constant, {})
