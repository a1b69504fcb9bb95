"""Numbers of the equations at a state, in floats or in any other arithmetic; their programs are made once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mbconcord.model.expressions import FLOAT, Arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program

from ..motion.formulas import Formula

#: Solves A x = b, (r, r) and (r, k).
Solve = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Kernel:
    """Arithmetic of numbers, how it solves linear equations, and what NumPy calls its numbers."""

    arithmetic: Arithmetic
    solve: Solve
    dtype: Any


FLOATS: Final = Kernel(FLOAT, np.linalg.solve, float)


class Arrays:
    """Arrays of expressions as one program."""

    def __init__(self, formulas: Sequence[Formula]) -> None:
        self._shapes = [formula.shape for formula in formulas]
        self._program = program([x for formula in formulas for x in formula.ravel()])

    def at(self, values: Mapping[str, Any], kernel: Kernel = FLOATS) -> list[Any]:
        """Their values.

        Raises
        ------
        ExpressionError
            One has none.
        """
        found, made, first = run(self._program, values, kernel.arithmetic), [], 0
        for shape in self._shapes:
            size = int(np.prod(shape))
            made.append(np.array(found[first : first + size], dtype=kernel.dtype).reshape(shape))
            first += size
        return made
