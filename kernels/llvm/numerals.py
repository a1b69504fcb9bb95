"""Numbers of a program that are known before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbconcord.model.expressions.arithmetic import numpy_arithmetic
from mbconcord.model.expressions.node import FUN, NUM, PI, RangeError, number
from mbconcord.model.expressions.program import Step

_OPERATIONS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
}  # fmt: skip


def constants(steps: Sequence[Step]) -> dict[int, float]:
    """Values of the steps without symbols, by place: the floats that every evaluator with NumPy's arithmetic has.

    Raises
    ------
    RangeError
        A number is beyond the range of floats.
    """
    arithmetic = numpy_arithmetic()
    table: dict[str, Any] = {**arithmetic.functions, **_OPERATIONS, "pow": arithmetic.power}
    found: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for place, step in enumerate(steps):
            if step.op is NUM:
                try:
                    found[place] = arithmetic.number(step.node.data)
                except OverflowError:
                    raise RangeError(f"{number(step.node.data)!r} is beyond the range of floats") from None
            elif step.op is PI:
                found[place] = arithmetic.pi
            elif step.node.constant:
                function = table[step.node.data if step.op is FUN else step.op]
                found[place] = function(*(found[arg] for arg in step.args))
    return {place: float(value) for place, value in found.items()}
