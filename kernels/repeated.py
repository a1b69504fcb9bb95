"""One state after the other, thousands of times: generated Python first, then machine code that gives the same bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.program import program

from .llvm.build import Task, build
from .llvm.engine import missing
from .llvm.options import Options
from .scalar import Scalar, scalar

#: After so many calls machine code is made: by then Python has taken as long as LLVM takes.
CALLS: Final = 2_000
#: Of programs of fewer steps a call of NumPy's costs as much as they do.
STEPS: Final = 100
#: Nothing is rounded otherwise than in Python: the numbers do not tell which of the two computed them.
EXACT: Final = Options(fma=False, accuracy="library", width=1, reciprocals=False)


class Repeated:
    """The outputs as a function of the numbers of the inputs, as :func:`.scalar.scalar` makes it, bit for bit.

    Machine code takes over where llvmlite is installed and the function was called :data:`CALLS` times, if at that
    state it gives the same numbers; where it does not, Python goes on.

    Attributes
    ----------
    machine : whether machine code computes
    """

    def __init__(self, outputs: Sequence[Expression], inputs: Sequence[str]) -> None:
        self._outputs, self._inputs = tuple(outputs), tuple(inputs)
        self._python = scalar(self._outputs, self._inputs)
        self._run: Scalar = self._counted
        self._calls = 0
        self.machine = False

    def __call__(self, values: Sequence[float]) -> Sequence[float]:
        """The outputs; see :func:`.scalar.scalar`."""
        return self._run(values)

    def _counted(self, values: Sequence[float]) -> Sequence[float]:
        self._calls += 1
        found = self._python(values)
        if self._calls >= CALLS:
            made = self._made()
            self.machine = made is not None and np.array_equal(made(values), found, equal_nan=True)
            self._run = made if made is not None and self.machine else self._python
        return found

    def _made(self) -> Scalar | None:
        """Machine code of the same steps, where it can be made and is worth it."""
        lines = program(self._outputs)
        if len(lines.steps) < STEPS or missing():
            return None
        ufunc = build(Task(lines, (self._inputs,), (len(self._outputs),), EXACT)).ufunc

        def function(values: Sequence[float]) -> Any:
            with np.errstate(all="ignore"):
                found: NDArray[np.float64] = ufunc(np.array(values, dtype=float))
            return found

        return function
