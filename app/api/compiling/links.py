"""Inverse dynamics compiled link by link: a function of states whose time and memory grow linearly with bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.links.function import LinkFunction, MachineLoop
from mbconcord.kernels.llvm.options import Options
from mbconcord.kernels.operands import Operand, columns, is_table
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.limits import count, line
from mbconcord.model.numbers import known_values
from mbconcord.model.system import System

from ..interpreted import TURNED_OFF, Points, says_less
from ..request import refuse_places
from .compiled import Compiled
from .witness import InterpretedLinks, note_of

#: Name of the quantity that the steps of links compute.
QUANTITY: Final = "inverse_dynamics"


class CompiledLinks(Compiled):
    """Function of states that computes inverse dynamics link by link, like :class:`.Compiled` but without formulas.

    Attributes
    ----------
    operations : None, as operations are not counted
    """

    def __init__(
        self, by: Formalism, system: System, backend: str, warnings: Iterable[Diagnostic], options: Options,
        witness: bool = True,
    ) -> None:  # fmt: skip
        self.system = system
        self.formalism = by.name
        self.quantities = (QUANTITY,)
        self.backend = backend
        self.coordinates = system.coordinate_names
        self.parameters = tuple(p.name for p in system.parameters)
        self.rows = ()
        self.fixed = {}
        self.operations = None  # type: ignore[assignment]
        own = {"fma": options.fma, "accuracy": options.accuracy} if backend == "llvm" else {}
        self.function = LinkFunction(system, by.recursion(system), backend, **own)
        self.warnings = (*warnings, *self.function.loop.findings)
        self._say(note_of(self.function, backend) if witness else TURNED_OFF)
        self._pending = set() if says_less(self.witness) else {True, False}
        if backend == "llvm":  # Python of the steps is made when it is called
            self._require_compared(2)

    def _require_compared(self, count: int) -> None:
        loop, alone = self.function.loop, count == 1
        if alone in self._pending and isinstance(loop, MachineLoop) and loop.is_marked(alone):
            self._pending.discard(alone)  # it was compared when it was made
        super()._require_compared(count)

    def _compare(self, known: Points, alone: bool) -> None:
        super()._compare(known, alone)
        self._say(known.note(f"{self.backend}, link by link"))
        if isinstance(self.function.loop, MachineLoop) and not says_less(self.witness):
            self.function.loop.mark(alone)

    @cached_property
    def _reference(self) -> Points:
        return InterpretedLinks(self.function)

    def __repr__(self) -> str:
        return line(
            "Compiled", f"inverse dynamics of {self.system.name} by {self.formalism}, link by link",
            count(len(self.function.layout.recursion.links), "link"), self.backend,
        )  # fmt: skip

    def _run(self, values: Mapping[str, Any]) -> Array:
        """Compute inverse dynamics (C, n) at values of all symbols."""
        marks = [[values[name + mark] for name in self.coordinates] for mark in ("", "'", "''")]
        (states,) = np.broadcast_shapes((1,), *(np.shape(x) for x in values.values()))
        q, v, a = (np.empty((states, len(self.coordinates))) for _ in marks)
        for array, group in zip((q, v, a), marks, strict=True):
            for column, x in zip(array.T, group, strict=True):
                column[:] = x
        t = np.broadcast_to(np.asarray(values["t"], dtype=float), (states,))
        return self.function(q, v, a, t, {name: values[name] for name in self.parameters}).T

    def _arrays(self, rows: Array, n: int) -> dict[str, Array]:
        return {QUANTITY: np.broadcast_to(rows.T, (n, len(self.coordinates)))}

    def _complete(self, *_: Any) -> tuple[Diagnostic, ...]:
        return ()

    @cached_property
    def arrays(self) -> LinkArrays:  # type: ignore[override]
        """The same function for plain arrays, ``f.arrays(q, v, a=a, t=t, parameters=p)``, without checks of values."""
        return LinkArrays(self.system, self.function, self._require_compared)


class LinkArrays:
    """Function of plain arrays (…, C) that broadcast, of which only shapes are checked; returns inverse dynamics.

    :attr:`CompiledLinks.arrays` returns it: ``f(q, v, a=…, t=…, parameters=…)``. By default ``t`` (…) is 0 and
    ``parameters`` (…, P) are the model's. States with the same parameters are computed together.
    """

    def __init__(self, system: System, function: LinkFunction, require_compared: Callable[[int], None]) -> None:
        self._require_compared = require_compared
        names = system.coordinate_names
        self.operands = (
            Operand("q", names), Operand("v", tuple(f"{name}'" for name in names)),
            Operand("a", tuple(f"{name}''" for name in names)),
        )  # fmt: skip
        self._parameters = tuple(p.name for p in system.parameters)
        self._known = known_values(system)
        self._function = function

    @refuse_places
    def __call__(
        self, q: Any, v: Any = None, *, a: Any = None, t: ArrayLike = 0.0, parameters: ArrayLike | None = None,
        out: Array | None = None, threads: int = 1,
    ) -> Array:  # fmt: skip
        """Compute inverse dynamics (…, C).

        Parameters
        ----------
        q, v, a : arrays (…, C), or tables with the symbols' columns; one table may have all
        t : times (…), s
        parameters : values (…, P), in the model's order
        out : array for the result, which is returned
        threads : number of threads that share the states; the numbers are the same

        Raises
        ------
        NumbersError
            An operand is missing, or a parameter has no value.
        ValueError
            Shapes that do not fit.
        """
        given = (q, q, q) if is_table(q) and v is None else (q, v, a)
        found = [self._array(*pair) for pair in zip(self.operands, given, strict=True)]
        values = self._values(parameters)
        shapes = [x.shape[:-1] for x in found]
        shape = np.broadcast_shapes(*shapes, np.shape(t), *(np.shape(x) for x in values.values()))
        states = int(np.prod(shape, dtype=int))
        length = len(self.operands[0].symbols)
        flat = [np.broadcast_to(x, (*shape, length)).reshape(states, length) for x in found]
        times = np.broadcast_to(np.asarray(t, dtype=float), shape).reshape(states)
        several = {name: np.broadcast_to(x, shape).reshape(states) if np.ndim(x) else x for name, x in values.items()}
        forces = self._share_states(flat, times, several, states, threads).reshape(*shape, length)
        if out is None:
            return forces
        out[...] = forces
        return out

    def _share_states(self, flat: list[Array], t: Array, values: Mapping[str, Any], states: int, threads: int) -> Array:
        """Compute inverse dynamics, with blocks of states in separate threads."""
        q, v, a = flat
        self._require_compared(states)
        if threads <= 1 or states < 2 * threads:
            return self._function(q, v, a, t, values)
        edges = np.linspace(0, states, threads + 1).astype(int)
        parts = [slice(*edge) for edge in pairwise(edges)]

        def part(own: slice) -> Array:
            mine = {name: x[own] if np.ndim(x) else x for name, x in values.items()}
            return self._function(q[own], v[own], a[own], t[own], mine)

        with ThreadPoolExecutor(threads) as pool:
            return np.concatenate([*pool.map(part, parts)])

    def _array(self, operand: Operand, given: Any) -> Array:
        if given is None:
            raise NumbersError(error(operand.name, "it is missing", "give q, v and a, or a table that has them"))
        array = columns(operand, given) if is_table(given) else np.asarray(given, dtype=float)
        if not array.ndim or array.shape[-1] != len(operand.symbols):
            raise ValueError(f"{operand.name}: expected (…, {len(operand.symbols)}), found {array.shape}")
        return array

    def _values(self, parameters: ArrayLike | None) -> dict[str, Any]:
        if parameters is not None:
            array = np.asarray(parameters, dtype=float)
            if array.shape[-1:] != (len(self._parameters),):
                raise ValueError(f"parameters: expected (…, {len(self._parameters)}), found {array.shape}")
            return dict(zip(self._parameters, np.moveaxis(array, -1, 0), strict=True))
        absent = [name for name in self._parameters if name not in self._known]
        if absent:
            raise NumbersError([error(f"parameters/{name}", "has no value", "give parameters") for name in absent])
        return {name: self._known[name] for name in self._parameters}
