"""Programs as functions of arrays: the first axes are states and broadcast, the last one is numbers of a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.program import program

from .llvm.build import Built, Task, build
from .llvm.options import Options
from .operands import Array, Operand, Result, columns, flattened, is_table, loop_shape
from .registry import BACKENDS
from .threads import shared

#: ``f(*operands, out=(…))`` with results whose last axis is flat.
Flat = Callable[..., Any]


class ArrayFunction:
    """A function ``f(*operands) -> results`` of arrays.

    Made by :attr:`mbconcord.Compiled.arrays`. Operands broadcast as those of NumPy's ufuncs do: q (n, N) with
    v (N,) is n states. Nothing is checked but shapes and types: what is no number gives no number, in its row.

    Attributes
    ----------
    operands : what is given, in this order
    results : what is computed
    backend : what runs it
    signature : of the ufunc, such as ``(6),(6),(6)->(6)``
    """

    def __init__(
        self, operands: Sequence[Operand], results: Sequence[Result], outputs: Sequence[Expression], backend: str,
        options: Options,
    ) -> None:  # fmt: skip
        self.operands = tuple(operands)
        self.results = tuple(results)
        self.backend = backend
        self._outputs = list(outputs)
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
            raise NumbersError(
                error("ufunc", message, "backend='llvm', which pip install 'mbconcord[jit]' brings")
            )
        return self._function("float64")

    def __call__(self, *arrays: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """The results; of one alone its array, of several a tuple.

        Parameters
        ----------
        *arrays : the operands in their order, (…, k) each, those with a default only where they differ from it; or
            tables whose columns have the symbols' names, one for each operand, or one that has them all. Arrays of
            single precision, if all that are given are, are computed in it
        out : arrays that the results are written to, as they are returned: one, or a tuple
        threads : among how many the states are shared; the numbers are the same
        **named : operands by name

        Raises
        ------
        NumbersError
            An operand is missing or is not one, a table lacks a column, or an array of ``out`` cannot take results.
        ValueError, TypeError
            As of ufuncs: shapes that do not fit, types that do not become floats.
        """
        given = self._given(arrays, named)
        own = (*arrays, *named.values())
        single = bool(own) and all(getattr(x, "dtype", None) == np.float32 for x in own)
        function = self._function("float32" if single and self.backend == "llvm" else "float64")
        outs = None if out is None else self._flat_outs(out)
        if threads > 1:
            found = shared(function, given, outs, self.operands, self.results, threads)
        else:
            found = function(*given) if outs is None else function(*given, out=outs)
        if out is not None:
            return out
        flat = found if isinstance(found, tuple) else (found,)
        shaped = tuple(x.reshape(*x.shape[:-1], *r.shape) for x, r in zip(flat, self.results, strict=True))
        return shaped if len(shaped) > 1 else shaped[0]

    def bind(self, *arrays: Array, out: Any = None, **named: Array) -> Bound:
        """These arrays, held: a call computes the results of what is in them then, as fast as it can be done.

        Parameters
        ----------
        *arrays, **named : the operands, arrays of doubles that are used as they are
        out : arrays that the results are written to; made where they are missing

        Raises
        ------
        NumbersError
            An operand is missing, or is no array of doubles.
        """
        given = self._given(arrays, named)
        for x, operand in zip(given, self.operands, strict=True):
            if not isinstance(x, np.ndarray) or x.dtype != np.float64:
                message = f"expected an array of float64, found {getattr(x, 'dtype', type(x).__name__)}"
                raise NumbersError(error(operand.name, message, "numpy.array(values, dtype=float)"))
        results = self(*given) if out is None else self(*given, out=out)
        outs = self._flat_outs(results)
        return Bound(partial(self._function("float64"), *given, out=outs), results)

    def _given(self, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        """An array for each operand; what is left out are the last ones, and those that have a value of the model."""
        left = [o for o in self.operands if o.name not in named]
        if len(arrays) == 1 and is_table(arrays[0]):
            there = set(arrays[0].columns)
            arrays = arrays * sum(o.default is None or bool(there & {*o.symbols}) for o in left)
        known = {o.name: o.default for o in left if o.default is not None}
        given = {**known, **dict(zip((o.name for o in left), arrays, strict=False)), **named}
        names = [o.name for o in self.operands]
        if len(arrays) > len(left) or set(given) != set(names):
            found = [*(str(i + 1) for i in range(len(arrays))), *named]
            message = f"expected {', '.join(names)}, found {len(found)}: {', '.join(found)}"
            raise NumbersError(error("operands", message, f"{self.signature}, each (…, k)"))
        return [
            columns(o, given[o.name]) if is_table(given[o.name]) else given[o.name] for o in self.operands
        ]

    def _flat_outs(self, out: Any) -> tuple[Array, ...]:
        outs = out if isinstance(out, tuple) else (out,)
        if len(outs) != len(self.results):
            names = ", ".join(r.name for r in self.results)
            raise NumbersError(
                error("out", f"expected {len(self.results)} arrays, of {names}; found {len(outs)}")
            )
        return tuple(flattened(x, r) for x, r in zip(outs, self.results, strict=True))

    def _function(self, dtype: str) -> Flat:
        if dtype not in self._flat:
            if self.backend == "llvm":
                built = self._built(dtype)
                self._flat[dtype] = built.ufunc
                self.findings, self.origin = built.findings, self.origin or built.origin
            else:
                self._flat[dtype] = _Slow(self, self._outputs)
        return self._flat[dtype]

    def _built(self, dtype: str) -> Built:
        operands = tuple(o.symbols if o.axis else o.symbols[0] for o in self.operands)
        lengths = tuple(prod(r.shape) for r in self.results)
        return build(Task(program(self._outputs), operands, lengths, replace(self._options, dtype=dtype)))


@dataclass(frozen=True, slots=True)
class Bound:
    """Arrays held by :meth:`ArrayFunction.bind`: ``bound()`` computes ``results`` of what is in them now."""

    run: Callable[[], Any]
    results: Any

    def __call__(self) -> Any:
        """The results, in the same arrays every time."""
        self.run()
        return self.results


class _Slow:
    """A backend of expressions over columns as a function of arrays."""

    def __init__(self, arrays: ArrayFunction, outputs: Sequence[Expression]) -> None:
        self._arrays = arrays
        self._run = BACKENDS[arrays.backend](outputs, Options())

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
        rows = self._run(values) if prod(shape) else np.empty((len(self._arrays._outputs), 0))
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
