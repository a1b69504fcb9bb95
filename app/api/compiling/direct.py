"""Calls whose arrays go to machine code as they are: one result more tells whether a closer look is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, Final

import numpy as np

from mbconcord.kernels.llvm.options import Options
from mbconcord.model.derivation import Nested, flatten
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import TIME, ZERO, Expression, number, rate, symbol
from mbconcord.model.expressions.count import count_program
from mbconcord.model.expressions.functions import apply
from mbconcord.model.expressions.program import DIV, program
from mbconcord.model.system import System

from ..interpreted import Interpreted
from .arrays import array_function

#: The result that tells: below :data:`FINE` all numbers are, it is a sum of squares of the numbers, of what is missing
#: where something is not sound, and of what states are off the constraints.
CHECK: Final = "check"
FINE: Final = 1e60
#: States whose check is summed by the processor's own multiply and add; of more that would take several threads.
FEW: Final = 1000
#: Weights by which one missing pivot, and a gap of 1e-8 of what it is made of, are beyond that.
UNSOUND, OFF = number(10**70), number(10**76)
KINDS: Final = (np.ndarray, list, tuple)
FLOAT: Final = np.dtype(np.float64)


class DirectFunction:
    """Machine code of a call: q, v (n, N), a, t and parameters in, quantities out; None where a closer look is needed.

    Attributes
    ----------
    uses : which of q, v, a, t and parameters the formulas have
    operations : of the formulas, without the check
    """

    def __init__(
        self, system: System, formulas: Mapping[str, Nested], doubts: Iterable[Expression],
        expand: Callable[[Iterable[Expression]], list[Expression]], options: Options, values: Mapping[str, float],
        witness: bool,
    ) -> None:  # fmt: skip
        names = system.coordinate_names
        given = [symbol(name) for name in names] + [rate(name) for name in names]
        outputs = expand(x for value in formulas.values() for x in flatten(value))
        lines = program(outputs)
        self.operations = count_program(lines, lines.outputs)
        used = {step.node.data for step in lines.steps if step.op == "sym"}
        given += [x for x in (*(rate(name, 2) for name in names), TIME) if x.data in used]
        divided = any(step.op in (DIV, "pow", "fun", "call") for step in lines.steps)
        shown = [x * x for x in given]
        if divided:  # squares of roots are no roots, and would not tell
            shown += [apply("abs", x) for x in outputs]
        check = sum((*shown, *doubts), ZERO)
        self.formulas: dict[str, Nested] = {**formulas, CHECK: (check,)}
        self.count = len(names)
        self._shape, self._widths = (len(names),), (len(names), 2 * len(names))
        self._function = array_function(system, self.formulas, expand, "llvm", options, values, ("q", "v"))
        self.uses = tuple(o.name for o in self._function.operands)
        self.findings = self._function.findings
        self._run = self._function.ufunc
        self._defaults = [o.default for o in self._function.operands]
        self._names = [r.name for r in self._function.results[:-1]]
        self._shapes = [(r.name, r.shape) for r in self._function.results[:-1] if len(r.shape) != 1]
        if witness:
            whole = expand(x for value in self.formulas.values() for x in flatten(value))
            known = Interpreted(system, self.formulas, program(whole))
            operands: dict[str, Any] = {
                o.name: known.operand(o.symbols) if o.axis else known.operand(o.symbols)[:, 0]
                for o in self._function.operands
            }
            found, looked = self.evaluate(**operands)
            for name, array in {**found, CHECK: looked}.items():
                known.compare("llvm", name, array, *known.array(name))

    def __call__(self, **operands: Any) -> tuple[dict[str, Array], Array] | None:
        """Compute the quantities by name and the check, or return None."""
        found, check = self.evaluate(**operands)
        if not check.size:
            return None
        if check.size > FEW:
            sound = np.maximum.reduce(check, axis=None) < FINE  # of NaN it is not
        else:
            flat = check.ravel()
            sound = flat.dot(flat) < FINE * FINE  # no less strict, in a third of the time
        return (found, check) if sound else None

    def evaluate(self, **operands: Any) -> tuple[dict[str, Array], Array]:
        """Compute the quantities by name and the check, whatever it is."""
        with np.errstate(all="ignore"):
            found = self._run(*map(operands.get, self.uses, self._defaults))
        by_name = dict(zip(self._names, found, strict=False))  # the last is the check
        for name, own in self._shapes:
            x = by_name[name]
            by_name[name] = x.reshape((*x.shape[:-1], *own))
        return by_name, found[-1]

    def arrange(self, q: Any, v: Any, a: Any, t: Any) -> dict[str, Any] | None:
        """Return the operands of arrays of one shape, as they were given; None for all else."""
        first, n = self._read(q), self.count
        if first is None:
            return None
        if first.shape[-1] == 2 * n:
            if v is not None:
                return None
            found: dict[str, Any] = {"q": first[..., :n], "v": first[..., n:]}
        else:
            second = self._read(v)
            if second is None or second.shape != first.shape:
                return None
            found = {"q": first, "v": second}
        if a is not None:
            third = self._read(a)
            if third is None or third.shape != found["q"].shape or not ("a" in self.uses or np.isfinite(third).all()):
                return None
            found["a"] = third
        elif "a" in self.uses:
            found["a"] = np.zeros(n)
        if t is not None:
            if type(t) not in (float, int) or not isfinite(t):
                return None
            found["t"] = float(t)
        return found

    def _read(self, value: Any) -> Array | None:
        """Return an array of floats (N,) or (n, N), (2N,) or (n, 2N) that is given as one or as rows; else None."""
        if type(value) is np.ndarray and value.dtype is FLOAT and value.shape[-1:] == self._shape and value.ndim < 3:
            return value
        if type(value) is not np.ndarray or value.dtype is not FLOAT:
            if not isinstance(value, KINDS):
                return None
            try:
                value = np.asarray(value)
            except ValueError:
                return None
            if value.dtype.kind not in "iuf":
                return None
            value = value.astype(np.float64)
        shape = value.shape
        return value if len(shape) in (1, 2) and shape[-1] in self._widths else None


class StateColumns(Mapping[str, Any]):
    """Numbers of given arrays by symbol, taken when they are asked for; the arrays must be as they were then.

    Whether they are is told by ``check``, which ``function`` computes once more. Accelerations are theirs if ``moved``.
    """

    def __init__(
        self, names: Sequence[str], arrays: Mapping[str, Any], moved: bool, check: Array, function: DirectFunction
    ) -> None:
        self._given = (names, arrays, moved, check, function)
        self._columns: dict[str, Any] = {}

    def _taken(self) -> dict[str, Any]:
        if not self._columns:
            names, arrays, moved, check, function = self._given
            now = function(**arrays)
            if now is None or not np.array_equal(now[1], check):
                message = "the arrays of states were changed after the call"
                raise NumbersError(
                    error("q", message, "give the call copies, q.copy(), where you change them in place")
                )
            for operand, marks in (("q", ""), ("v", "'"), *([("a", "''")] if moved else [])):
                columns = np.moveaxis(np.array(arrays[operand]), -1, 0)
                self._columns |= {name + marks: x for name, x in zip(names, columns, strict=True)}
            self._columns["t"] = np.array(arrays.get("t", 0.0))
        return self._columns

    def __getitem__(self, name: str) -> Any:
        return self._taken()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._taken())

    def __len__(self) -> int:
        return len(self._taken())
