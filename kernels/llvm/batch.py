"""Many states at a time by machine code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.expressions import Expression, ExpressionError
from mbconcord.model.expressions.node import SYM
from mbconcord.model.expressions.program import program

from .build import Task, build
from .options import Options


class OverLLVM:
    """Values of symbols, numbers or arrays (n,) -> values of the outputs (m, n); (m, 1) of numbers alone.

    Attributes
    ----------
    findings : why its machine code is not kept on disk
    """

    def __init__(self, outputs: Sequence[Expression], options: Options) -> None:
        lines = program(outputs)
        self._symbols = tuple(step.node.data for step in lines.steps if step.op is SYM)
        self._count = len(lines.outputs)
        # A program of numbers alone is given one that it does not use.
        operand = self._symbols or ("",)
        built = build(Task(lines, (operand,), (self._count,), options)) if self._count else None
        self._ufunc = built.ufunc if built else None
        self.findings = built.findings if built else ()

    def __call__(self, values: Mapping[str, Any]) -> NDArray[np.float64]:
        """The outputs."""
        absent = sorted(set(self._symbols) - set(values))
        if absent:
            raise ExpressionError(f"no value for {', '.join(absent)}")
        given = [values[name] for name in self._symbols] or [0.0]
        (count,) = np.broadcast_shapes((1,), *(np.shape(value) for value in given))
        block = np.empty((len(given), count))
        for row, value in zip(block, given, strict=True):
            row[:] = value
        found = np.empty((self._count, count))
        if self._ufunc is not None:
            with np.errstate(all="ignore"):
                self._ufunc(block.T, out=found.T)
        return found
