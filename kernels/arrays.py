"""Programs as functions of arrays: the first axes are states and broadcast, the last one is numbers of a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.program import program
from mbconcord.model.limits import count
from mbconcord.records import dataclass, replace

from .llvm.build import BuildTask, Built, build
from .llvm.options import Options
from .operands import PLACES, Array, Operand, ResultArray, columns, flatten_result, is_table, loop_shape, share_states
from .registry import BACKENDS
from .routine import Routine

#: ``f(*operands, out=(…))`` with results whose last axis is flat.
Flat = Callable[..., Any]


class ArrayFunction:
    """A function ``f(q, v, a=…, t=…, parameters=…) -> results`` of arrays.

    Made by :attr:`mbconcord.results.Compiled.arrays`. Operands broadcast as those of NumPy's ufuncs do: q (n, N) with v
    (N,) is n states. Only shapes and types are checked: NaN gives NaN, in its row.

    Attributes
    ----------
    operands : the input arrays: q and v by place or by name, the others by name; the ufunc takes all in this order
    results : the output arrays
    backend : name of the backend that runs the function
    signature : of the ufunc, such as ``(6),(6),(6)->(6)``
    """

    def __init__(
        self, operands: Sequence[Operand], results: Sequence[ResultArray], outputs: Sequence[Expression] | Routine,
        backend: str, options: Options,
    ) -> None:  # fmt: skip
        self.operands = tuple(operands)
        self.results = tuple(results)
        self.backend = backend
        self._outputs = outputs if isinstance(outputs, Routine) else tuple(outputs)
        self._options = options
        self._flat: dict[str, Flat] = {}
        lengths = [f"({len(o.symbols)})" if o.axis else "()" for o in self.operands]
        self.signature = f"{','.join(lengths)}->{','.join(f'({prod(r.shape)})' for r in self.results)}"
        self.findings: tuple[Diagnostic, ...] = ()
        self.origin = ""
        self._function("float64")

    def __repr__(self) -> str:
        given, found = (", ".join(x.name for x in side) for side in (self.operands, self.results))
        return f"<ArrayFunction {given} -> {found}, {self.signature}, {self.backend}>"

    @property
    def ufunc(self) -> Any:
        """The generalised ufunc of NumPy itself, for doubles; its results are flat: M is (…, N²).

        Raises
        ------
        NumbersError
            The backend is another than ``llvm``.
        """
        if self.backend != "llvm":
            message = f"{self.backend} computes, and has no function of NumPy's C interface"
            raise NumbersError(error("ufunc", message, "backend='llvm', which pip install 'mbconcord[jit]' brings"))
        return self._function("float64")

    def __call__(self, *arrays: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """Evaluate the functions; return one array, or a tuple of several.

        Parameters
        ----------
        *arrays : q and v, (…, N) each; or tables whose columns have the symbols' names, or one table that has those of
            all operands. If all arrays given are of single precision, the computation is too
        out : arrays for the results, as they are returned: one, or a tuple
        threads : number of threads that share the states; the numbers are the same
        **named : operands by name; those with a default only if they differ from it

        Raises
        ------
        NumbersError
            An operand is missing or unknown, a table lacks a column, or an array of ``out`` cannot take results.
        ValueError, TypeError
            As for ufuncs: shapes that do not fit, types that do not become floats; a third positional array.
        """
        given = self._arrange_arguments(arrays, named)
        own = (*arrays, *named.values())
        single = bool(own) and all(getattr(x, "dtype", None) == np.float32 for x in own)
        function = self._function("float32" if single and self.backend == "llvm" else "float64")
        outs = None if out is None else self._flat_outs(out)
        if threads > 1:
            found = share_states(function, given, outs, self.operands, self.results, threads)
        else:
            found = function(*given) if outs is None else function(*given, out=outs)
        if out is not None:
            return out
        flat = found if isinstance(found, tuple) else (found,)
        shaped = tuple(x.reshape(*x.shape[:-1], *r.shape) for x, r in zip(flat, self.results, strict=True))
        return shaped if len(shaped) > 1 else shaped[0]

    def bind(self, *arrays: Array, out: Any = None, **named: Array) -> Bound:
        """Bind arrays: each call computes the results of their current contents as fast as possible.

        Parameters
        ----------
        *arrays, **named : the operands, arrays of doubles that are used without copying
        out : arrays for the results; missing ones are allocated

        Raises
        ------
        NumbersError
            An operand is missing, or is not an array of doubles.
        """
        given = self._arrange_arguments(arrays, named)
        for x, operand in zip(given, self.operands, strict=True):
            if not isinstance(x, np.ndarray) or x.dtype != np.float64:
                message = f"expected an array of float64, found {getattr(x, 'dtype', type(x).__name__)}"
                raise NumbersError(error(operand.name, message, "numpy.array(values, dtype=float)"))
        operands = {o.name: x for o, x in zip(self.operands, given, strict=True)}
        results = self(**operands) if out is None else self(**operands, out=out)
        outs = self._flat_outs(results)
        return Bound(partial(self._function("float64"), *given, out=outs), results)

    def _arrange_arguments(self, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        """Return an array for each operand; operands that have a default from the model may be omitted."""
        names = [o.name for o in self.operands]
        if len(arrays) > len(PLACES):
            others = ", ".join(f"{name}=" for name in names if name not in PLACES) or "there are none here"
            found = f"found {len(arrays)} arrays by place, expected at most {len(PLACES)}: {', '.join(PLACES)}"
            raise TypeError(f"{found}; name the others: {others}")
        by_place = dict(zip(PLACES, arrays, strict=False))
        if len(arrays) == 1 and is_table(arrays[0]):
            (table,), left = arrays, [o for o in self.operands if o.name not in named]
            columns_there = set(table.columns)
            by_place = {o.name: table for o in left if o.default is None or columns_there & {*o.symbols}}
        twice = [name for name in by_place if name in named]
        if twice:
            raise TypeError(f"{twice[0]} is given twice, by place and by name; give it once")
        known = {o.name: o.default for o in self.operands if o.default is not None}
        given = {**known, **by_place, **named}
        if set(given) != set(names):
            there = [*by_place, *named]
            message = f"expected {', '.join(names)}, found {len(there)}{': ' if there else ''}{', '.join(there)}"
            raise NumbersError(error("operands", message, f"{self.signature}; all but q and v by name"))
        return [columns(o, given[o.name]) if is_table(given[o.name]) else given[o.name] for o in self.operands]

    def _flat_outs(self, out: Any) -> tuple[Array, ...]:
        outs = out if isinstance(out, tuple) else (out,)
        if len(outs) != len(self.results):
            names = ", ".join(r.name for r in self.results)
            raise NumbersError(
                error("out", f"found {len(outs)}, expected {count(len(self.results), 'array')}: {names}")
            )
        return tuple(flatten_result(x, r) for x, r in zip(outs, self.results, strict=True))

    def _function(self, dtype: str) -> Flat:
        if dtype not in self._flat:
            if self.backend == "llvm":
                built = self._build(dtype)
                self._flat[dtype] = built.ufunc
                self.findings, self.origin = built.findings, self.origin or built.origin
            else:
                self._flat[dtype] = _Slow(self, self._outputs)
        return self._flat[dtype]

    def _build(self, dtype: str) -> Built:
        operands = tuple(o.symbols if o.axis else o.symbols[0] for o in self.operands)
        lengths = tuple(prod(r.shape) for r in self.results)
        lines = self._outputs if isinstance(self._outputs, Routine) else program(self._outputs)
        return build(BuildTask(lines, operands, lengths, replace(self._options, dtype=dtype)))


@dataclass(frozen=True, slots=True)
class Bound:
    """Arrays bound by :meth:`ArrayFunction.bind`: ``bound()`` computes ``results`` from their present contents."""

    run: Callable[[], Any]
    results: Any

    def __call__(self) -> Any:
        """Compute the results of the arrays' present contents, and return them in the same arrays every time."""
        self.run()
        return self.results


class _Slow:
    """A function of arrays over a backend that takes columns of numbers by symbol."""

    def __init__(self, arrays: ArrayFunction, outputs: Sequence[Expression] | Routine) -> None:
        self._arrays = arrays
        self._count = sum(prod(r.shape) for r in arrays.results)
        make = BACKENDS[arrays.backend]
        self._run = (
            outputs.over(lambda x: make(x, Options())) if isinstance(outputs, Routine) else make(outputs, Options())
        )

    def __call__(self, *given: Any, out: tuple[Array, ...] | None = None) -> tuple[Array, ...]:
        held = [np.asarray(x, dtype=float) for x in given]
        shape = loop_shape(held, self._arrays.operands)
        values: dict[str, Array] = {}
        for x, operand in zip(held, self._arrays.operands, strict=True):
            columns = np.moveaxis(x, -1, 0) if operand.axis else [x]
            values |= {
                name: np.broadcast_to(column, shape).ravel()
                for name, column in zip(operand.symbols, columns, strict=True)
            }
        rows = self._run(values) if prod(shape) else np.empty((self._count, 0))
        rows = np.broadcast_to(rows, (len(rows), prod(shape)))
        found, first = [], 0
        for i, result in enumerate(self._arrays.results):
            last = first + prod(result.shape)
            block = rows[first:last].T.reshape(*shape, last - first)
            found.append(np.array(block) if out is None else out[i])
            if out is not None:
                out[i][...] = block
            first = last
        return tuple(found)
