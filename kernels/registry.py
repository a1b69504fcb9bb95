"""Backends that run compiled equations: one entry each.

One state at a time: generated Python over ``math``, which needs no arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

# Many states at a time by machine code.
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.diagnostics import Diagnostic, MbconcordError, among, error
from mbconcord.model.expressions import Expression, ExpressionError, compile_numpy, scalar_source
from mbconcord.model.expressions.levels import Levels, levels, run_levels
from mbconcord.model.expressions.node import SYM
from mbconcord.model.expressions.program import program

from .llvm.build import BuildTask, build
from .llvm.engine import missing
from .llvm.options import Options

#: Values of the inputs in their order -> values of the outputs.
Scalar = Callable[[Sequence[float]], Sequence[float]]
#: So many functions are kept.
KEPT: Final = 64


def scalar(outputs: Sequence[Expression], inputs: Sequence[str]) -> Scalar:
    """Compile the outputs to a function of the input numbers.

    If a formula has no value (a root of a negative number, a division by zero, overflow) its result is NumPy's, NaN or
    infinity, and the others are unaffected. Otherwise the two differ only by the rounding of sines and other functions.

    Raises
    ------
    ExpressionError
        A symbol is not among the inputs, or a function has no formula.
    """
    return _make_function(tuple(outputs), tuple(inputs))


@lru_cache(maxsize=KEPT)
def _make_function(outputs: tuple[Expression, ...], inputs: tuple[str, ...]) -> Scalar:
    """Return a new function; code for the same formulas is generated only once."""
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


class OverLLVM:
    """Function by LLVM: values of symbols, numbers or arrays (n,) -> outputs (m, n); (m, 1) for numbers alone.

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
        built = build(BuildTask(lines, (operand,), (self._count,), options)) if self._count else None
        self._ufunc = built.ufunc if built else None
        self.findings = built.findings if built else ()

    def __call__(self, values: Mapping[str, Any]) -> NDArray[np.float64]:
        """Compute the outputs."""
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


# Many states at a time: what can be done together is one operation of NumPy over all of them.


Array = NDArray[np.float64]
#: Values of symbols, numbers or arrays (n,) -> values of the outputs (m, n); (m, 1) of numbers alone.
Run = Callable[[Mapping[str, Any]], Array]


def over_numpy(outputs: Sequence[Expression]) -> Run:
    """Return a function that evaluates many states level by level.

    For one state such operations would cost more than their results: its floats, which are the same, come from
    generated code, made at the first call.
    """
    roots, plan = _plan(outputs)

    @cache
    def of_one() -> Callable[[Any], Array]:
        return compile_numpy(roots, plan.symbols)

    def run(values: Mapping[str, Any]) -> Array:
        if any(np.ndim(values[name]) for name in plan.symbols):
            return run_levels(plan, values)
        with np.errstate(all="ignore"):
            return of_one()([float(values[name]) for name in plan.symbols])[:, None]

    return run


def one_by_one(outputs: Sequence[Expression]) -> Run:
    """Return a function that evaluates state by state with :func:`.scalar.scalar`: a few microseconds for each."""
    roots, plan = _plan(outputs)
    function = scalar(roots, plan.symbols)

    def run(values: Mapping[str, Any]) -> Array:
        columns = [np.atleast_1d(np.asarray(values[name], dtype=float)) for name in plan.symbols]
        states = np.stack(np.broadcast_arrays(np.zeros(1), *columns), axis=-1)[:, 1:]
        return np.array([function(state) for state in states.tolist()]).T

    return run


def _plan(outputs: Sequence[Expression]) -> tuple[list[Expression], Levels]:
    roots = list(outputs)
    return roots, levels(program(roots))


#: Name -> what makes a :data:`.batch.Run` of expressions.
BACKENDS: Final[Mapping[str, Callable[[Sequence[Expression], Options], Run]]] = {
    "llvm": OverLLVM,
    "numpy": lambda outputs, _: over_numpy(outputs),
    "python": lambda outputs, _: one_by_one(outputs),
}
#: What is best of what is installed.
AUTO: Final = "auto"


def choose_backend(name: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """Resolve the name of a backend, and return it with notes.

    Raises
    ------
    MbconcordError
        The name is unknown; the message lists the known ones. Or a requirement is not installed.
    """
    if name not in (AUTO, *BACKENDS):
        raise MbconcordError(error("backend", f"there is no backend {name!r}", among(name, (AUTO, *BACKENDS))))
    if name not in (AUTO, "llvm"):
        return name, ()
    absent = missing()
    if not absent:
        return "llvm", ()
    remedy = "pip install 'mbconcord[jit]'"
    if name == "llvm":
        raise MbconcordError(error("backend", absent, remedy))
    return "numpy", (Diagnostic("note", "backend", f"{absent}: NumPy computes", remedy),)
