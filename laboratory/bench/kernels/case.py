"""A quantity of a model as machine code, and its measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mbconcord.api.derivatives import derived_asked
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.llvm.build import BuildTask
from mbconcord.kernels.llvm.options import Options
from mbconcord.kernels.operands import Operand, ResultArray
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.expressions.program import program
from mbconcord.model.system import System

from ..row import least

STATES = 10_000


@dataclass(frozen=True)
class Case:
    """A quantity of a model, or several with ", " between, by Newton and Euler as a function of arrays."""

    name: str
    system: System
    quantity: str

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}"

    def derive(self) -> Derivation:
        """Derive what is measured."""
        return derived_asked(NewtonEuler(), self.system, self.quantity.split(", "))

    @cached_property
    def outputs(self) -> list[Expression]:
        """Computed expressions."""
        made = self.derive()
        found = {**made.native, **made.quantities}
        return [x for name in self.quantity.split(", ") for x in flatten(found[name])]

    @cached_property
    def operands(self) -> tuple[tuple[str, ...], ...]:
        """Symbols of q, v, a, as far as they are needed; robots and chains have no others."""
        names = self.system.coordinate_names
        groups = [tuple(name + order for name in names) for order in ("", "'", "''")]
        used = symbols(self.outputs)
        return tuple(group for group in groups if used & {*group})

    def function(self, options: Options | None = None) -> ArrayFunction:
        """Return a function over machine code."""
        operands = [Operand("qva"[i], group) for i, group in enumerate(self.operands)]
        return ArrayFunction(
            operands, [ResultArray(self.quantity, (len(self.outputs),))], self.outputs, "llvm", options or Options()
        )

    def states(self, order: Any = "C", dtype: Any = np.float64, count: int = STATES) -> dict[str, Any]:
        """Map operands to arrays (states, coordinates), by rows or by columns."""
        dice = np.random.default_rng(1)
        arrays = (np.asarray(dice.uniform(-3, 3, (count, len(g))), dtype, order) for g in self.operands)
        return dict(zip("qva", arrays, strict=False))

    def batch(self, order: Any, dtype: Any = np.float64, options: Options | None = None) -> float:
        """Measure nanoseconds per state."""
        function, given = self.function(options), self.states(order, dtype)
        out = np.empty((STATES, len(self.outputs)), dtype, order)
        return least(lambda: function(**given, out=out)) / STATES * 1e9

    def threads(self) -> float:
        """Return the total processor time of two threads over that of one, for twenty batches."""
        function = self.function()
        given = {name: np.tile(x, (20, 1)) for name, x in self.states().items()}
        out = np.empty((20 * STATES, len(self.outputs)))
        one, two = (least(lambda n=n: function(**given, out=out, threads=n)) for n in (1, 2))  # type: ignore[misc]
        return two / one

    def one(self) -> float:
        """Measure nanoseconds of one state in bound arrays."""
        bound = self.function().bind(**{name: x[0] for name, x in self.states(count=1).items()})

        def many() -> None:
            for _ in range(1000):
                bound()

        return least(many) / 1000 * 1e9

    def values(self, count: int) -> Mapping[str, Any]:
        """Return columns by symbol."""
        groups = zip(self.operands, self.states(count=count).values(), strict=True)
        return {name: x[:, i] for group, x in groups for i, name in enumerate(group)}

    def task(self) -> BuildTask:
        """Return the compilation task."""
        return BuildTask(program(self.outputs), self.operands, (len(self.outputs),))
