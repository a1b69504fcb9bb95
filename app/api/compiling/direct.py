"""Quantities as functions of plain arrays, and calls of these with a user's arrays.

In direct calls of machine code an additional result, the check, tells if all is sound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextvars import Context
from functools import partial
from math import isfinite
from typing import Any, Final

import numpy as np

from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.llvm.options import Options
from mbconcord.kernels.operands import Operand, ResultArray
from mbconcord.model.derivation import Nested, flatten
from mbconcord.model.derivatives import CHANGE
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import TIME, ZERO, Expression, number, rate, symbol, symbols
from mbconcord.model.expressions.functions import apply
from mbconcord.model.expressions.program import DIV, count_program, program
from mbconcord.model.system import System

from ..interpreted import Interpreted

#: Name of the check: a sum of squares of the numbers, of missing sound pivots, and of violations of constraints. If it
#: is below :data:`FINE`, all numbers are finite and sound.
CHECK: Final = "check"
FINE: Final = 1e60
FINE_SQUARED: Final = FINE * FINE
#: Largest number of states whose check is summed by a dot product, which for more would start several threads.
FEW: Final = 1000
#: Weights with which one missing pivot, or a gap of 1e-8 of the size of its terms, exceeds :data:`FINE`.
UNSOUND, OFF = number(10**70), number(10**76)
KINDS: Final = (np.ndarray, list, tuple)
FLOAT: Final = np.dtype(np.float64)
#: A context in which NumPy does not warn; before NumPy 2 warnings belong to threads, and no context turns them off.
SILENT: Final = Context()
CONTEXTS: Final = int(np.__version__.partition(".")[0]) > 1
if CONTEXTS:
    SILENT.run(partial(np.seterr, all="ignore"))


def run_silently(function: Callable[..., Any], *operands: Any) -> Any:
    """Call a function without NumPy's warnings, by a copy of a context in a quarter of the time of ``errstate``."""
    if CONTEXTS:
        return SILENT.copy().run(function, *operands)
    with np.errstate(all="ignore"):
        return function(*operands)


def shape(value: Nested) -> tuple[int, ...]:
    """Return the shape of a quantity or a native object: (N, N), (N,), () …"""
    return (len(value), *(shape(value[0]) if value else ())) if isinstance(value, tuple) else ()


def array_function(
    system: System,
    quantities: Mapping[str, Nested],
    define: Callable[[Iterable[Expression]], list[Expression]],
    backend: str,
    options: Options,
    values: Mapping[str, float],
    always: Sequence[str] = (),
) -> ArrayFunction:
    """Compile these quantities to a function whose operands are those of q, v, a, t, parameters that they need.

    ``values`` are the model's parameter values: a call may omit parameters if the model has all values. Operands named
    in ``always`` are included even if no formula needs them.

    Raises
    ------
    NumbersError
        A quantity has no entries, or symbols other than those of a state.
    """
    results = [ResultArray(name, shape(value)) for name, value in quantities.items()]
    empty = [error(f"quantities/{r.name}", "it has no entries here") for r in results if 0 in r.shape]
    if empty:
        raise NumbersError(empty)
    outputs = define(x for value in quantities.values() for x in flatten(value))
    operands = find_operands(system, symbols(outputs), values, always)
    return ArrayFunction(operands, results, outputs, backend, options)


def find_operands(
    system: System, used: Set[str], values: Mapping[str, float], always: Sequence[str], numbers: Sequence[str] = ()
) -> list[Operand]:  # fmt: skip
    """Return the operands that have these symbols; ``numbers`` are further ones, of one number each.

    Raises
    ------
    NumbersError
        There are symbols other than those of a state.
    """
    parameters = tuple(p.name for p in system.parameters)
    complete = all(name in values for name in parameters)
    default = np.array([values[name] for name in parameters]) if complete else None
    names = system.coordinate_names
    known = [
        Operand("q", names), Operand("v", tuple(f"{name}'" for name in names)),
        Operand("a", tuple(f"{name}''" for name in names)), Operand("t", ("t",), axis=False, default=np.zeros(())),
        Operand("parameters", parameters, default=default),
        *(Operand(f"d{x}", tuple(f"{name}{dot}{CHANGE}" for name in names)) for x, dot in (("q", ""), ("v", "'"))),
        *(Operand(x, (x,), axis=False) for x in numbers),
    ]  # fmt: skip
    if any(name.endswith(CHANGE) for name in used):
        always = (*always, "dq", "dv")
    left = used - {name for operand in known for name in operand.symbols}
    if left:
        raise NumbersError(
            [error(f"symbols/{name}", "it is no number of a state, nor a parameter") for name in sorted(left)]
        )
    operands = [operand for operand in known if operand.name in always or used & {*operand.symbols}]
    return operands or [known[0] if names else known[3]]


class DirectFunction:
    """Machine code from q, v (n, N), a, t, parameters to quantities; None if results must be examined.

    ``rates`` (N,) are used if a call gives no v.

    Attributes
    ----------
    operands, uses : those of q, v, a, t, parameters, dq and dv that the formulas contain, and their names
    operations : counts of operations of the formulas, without the check
    """

    def __init__(
        self, system: System, formulas: Mapping[str, Nested], doubts: Sequence[Expression],
        expand: Callable[[Iterable[Expression]], list[Expression]], options: Options, values: Mapping[str, float],
        witness: bool, rates: Array | None = None,
    ) -> None:  # fmt: skip
        names = system.coordinate_names
        outputs = expand(x for value in formulas.values() for x in flatten(value))
        lines = program(outputs)
        self.operations = count_program(lines, lines.outputs)
        used = {step.node.data for step in lines.steps if step.op == "sym"} | symbols(doubts)
        self._turned, self._moved = ({rate(name, k).data for name in names} & used for k in (1, 2))
        given = [symbol(name) for name in names] + [rate(name) for name in names if self._turned]
        given += [x for x in (*(rate(name, 2) for name in names), TIME) if x.data in used]
        given += [symbol(x) for x in sorted(used) if x.endswith(CHANGE)]
        divided = any(step.op in (DIV, "pow", "fun", "call") for step in lines.steps)
        shown = [x * x for x in given]
        if divided:  # squares of roots are no roots, and would not tell
            shown += [apply("abs", x) for x in outputs]
        check = sum((*shown, *doubts), ZERO)
        self.formulas: dict[str, Nested] = {**formulas, CHECK: (check,)}
        self.count = len(names)
        self._widths = (len(names), 2 * len(names))
        always = ("q", "v") if self._turned else ("q",)
        self._function = array_function(system, self.formulas, expand, "llvm", options, values, always)
        self.operands = self._function.operands
        self.uses = tuple(o.name for o in self.operands)
        self._rates = rates
        self.findings = self._function.findings
        self._run = self._function.ufunc
        self._defaults = [o.default for o in self.operands]
        self._names = [r.name for r in self._function.results[:-1]]
        self._shapes = [(i, r.shape) for i, r in enumerate(self._function.results[:-1]) if len(r.shape) != 1]
        if witness:
            whole = expand(x for value in self.formulas.values() for x in flatten(value))
            known = Interpreted(system, self.formulas, program(whole))
            operands: dict[str, Any] = {
                o.name: known.operand(o.symbols) if o.axis else known.operand(o.symbols)[:, 0] for o in self.operands
            }
            found, looked = self.evaluate(operands)
            for name, array in {**found, CHECK: looked}.items():
                known.compare("llvm", name, array, *known.array(name))

    def __call__(self, operands: Mapping[str, Any]) -> tuple[dict[str, Array], Array] | None:
        """Return the quantities by name and the check; None if the check is not below its limit."""
        found, check = self.evaluate(operands)
        flat = check.ravel()
        if len(flat) > FEW:
            sound = np.maximum.reduce(flat) < FINE  # of NaN it is not
        else:
            sound = flat.dot(flat) < FINE_SQUARED and len(flat)  # no less strict, in a third of the time
        return (found, check) if sound else None

    def evaluate(self, operands: Mapping[str, Any]) -> tuple[dict[str, Array], Array]:
        """Return the quantities by name and the check, whatever the check is."""
        *found, check = run_silently(self._run, *map(operands.get, self.uses, self._defaults))
        for i, own in self._shapes:
            x = found[i]
            found[i] = x.reshape(x.shape[:-1] + own)
        return dict(zip(self._names, found)), check

    def arrange(self, q: Any, v: Any, a: Any, t: Any, *along: Any) -> dict[str, Any] | None:
        """Return operands by name if plain arrays of one shape are given; None for any other form of states."""
        first, n = self._read(q), self.count
        if first is None:
            return None
        shape = first.shape
        if shape[-1] == n:
            second = self._rates if v is None else self._read(v, shape)
        else:
            first, second = first[..., :n], first[..., n:] if v is None else None
            shape = first.shape
        if not self._turned and second is not self._rates and second is not None:
            second = _copy_finite(second)
        found: dict[str, Any] = {"q": first, "v": second}
        if a is not None:
            third = self._read(a, shape)
            found["a"] = third if third is None or self._moved else _copy_finite(third)
        elif self._moved:
            found["a"] = np.zeros(n)
        if t is not None:
            found["t"] = float(t) if type(t) in (float, int) and isfinite(t) else None
        if along:
            found |= {f"d{name}": np.zeros(n) if x is None else self._read(x, shape) for name, x in zip("qv", along)}
        for x in found.values():
            if x is None:
                return None
        return found

    def _read(self, value: Any, like: tuple[int, ...] | None = None) -> Array | None:
        """Return an array or rows as floats (N,), (n, N), (2N,) or (n, 2N); None for any other value.

        If the shape of another array is given as ``like``, return None for any other shape.
        """
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
        if like is None:
            return value if 0 < len(shape) < 3 and shape[-1] in self._widths else None
        return value if shape == like else None


def _copy_finite(given: Array) -> Array | None:
    """Return a copy of numbers that no formula uses, to show them later; None if one is not finite."""
    kept = given.copy()
    return kept if isfinite(run_silently(np.add.reduce, kept, None)) else None


class StateColumns(Mapping[str, Any]):
    """Numbers of a call's arrays by symbol, copied on first use; the arrays must not have changed since the call.

    To detect changes, ``function`` computes ``check`` once more. If ``moved``, accelerations are among the arrays.
    """

    __slots__ = ("_columns", "_given")

    def __init__(
        self, names: Sequence[str], arrays: Mapping[str, Any], moved: bool, check: Array, function: DirectFunction
    ) -> None:
        self._given = (names, arrays, moved, check, function)
        self._columns: dict[str, Any] = {}

    def _taken(self) -> dict[str, Any]:
        if not self._columns:
            names, arrays, moved, check, function = self._given
            now = function(arrays)
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
