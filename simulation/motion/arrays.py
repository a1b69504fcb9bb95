"""Arrays of expressions as generated code: constants are in place, the rest is computed at one state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.kernels.llvm.build import BuildTask, build
from mbconcord.kernels.llvm.engine import missing
from mbconcord.kernels.llvm.options import Options
from mbconcord.kernels.scalar import Scalar, scalar
from mbconcord.model.expressions import Expression, evaluate_float
from mbconcord.model.expressions.node import NUM
from mbconcord.model.expressions.program import program

from .formulas import Formula

# One state after the other, thousands of times: generated Python first, then machine code that gives the same bits.


#: After so many calls machine code is made: by then Python has taken as long as LLVM takes.
CALLS: Final = 2_000
#: Of programs of fewer steps a call of NumPy's costs as much as they do.
STEPS: Final = 100
#: Nothing is rounded otherwise than in Python: the numbers do not tell which of the two computed them.
EXACT: Final = Options(fma=False, accuracy="library", width=1, reciprocals=False)


class Repeated:
    """The outputs as a function of the inputs' numbers, bit for bit as in :func:`.scalar.scalar`.

    Machine code takes over where llvmlite is installed and the function was called :data:`CALLS` times, if at that
    state it gives the same numbers; where it does not, Python goes on.

    Attributes
    ----------
    machine : whether machine code computes
    """

    def __init__(self, outputs: Sequence[Expression], inputs: Sequence[str]) -> None:
        self._outputs, self._inputs = tuple(outputs), tuple(inputs)
        self._python = scalar(self._outputs, self._inputs)
        self._run: Scalar = self._count_and_run
        self._calls = 0
        self.machine = False

    def __call__(self, values: Sequence[float]) -> Sequence[float]:
        """Compute the outputs; see :func:`.scalar.scalar`."""
        return self._run(values)

    def _count_and_run(self, values: Sequence[float]) -> Sequence[float]:
        self._calls += 1
        found = self._python(values)
        if self._calls >= CALLS:
            made = self._compile()
            self.machine = made is not None and np.array_equal(made(values), found, equal_nan=True)
            self._run = made if made is not None and self.machine else self._python
        return found

    def _compile(self) -> Scalar | None:
        """Compile machine code of the same steps, if possible and worthwhile."""
        lines = program(self._outputs)
        if len(lines.steps) < STEPS or missing():
            return None
        ufunc = build(BuildTask(lines, (self._inputs,), (len(self._outputs),), EXACT)).ufunc

        def function(values: Sequence[float]) -> Any:
            with np.errstate(all="ignore"):
                found: NDArray[np.float64] = ufunc(np.array(values, dtype=float))
            return found

        return function


Array = NDArray[np.float64]
#: Values of t, q and q' in this order -> the arrays.
Arrays = Callable[[Sequence[float]], Sequence[Any]]


def generate_arrays(values: Sequence[Formula], inputs: Sequence[str]) -> Arrays:
    """Generate one function of the inputs for several arrays, allocated anew by every call."""
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
