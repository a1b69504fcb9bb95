"""Inverse dynamics of a system by steps of links, as a function of arrays.

A recursion link by link in machine code: eight states at a time, or one.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple
from functools import cached_property
from threading import Lock
from typing import Any, Final

import numpy as np

from mbconcord.model import System
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import Expression, dumps, undefined_functions
from mbconcord.model.numbers import define
from mbconcord.model.recursion import Recursion

from ..llvm.build import generator
from ..llvm.cache import Cache
from ..llvm.engine import Loaded, host, machine_code
from ..llvm.links import NAME, order, source
from ..llvm.options import WIDTHS, Options
from .loop import Array, Layout, PythonLoop, plan_levels, values_of

#: What was loaded, by its key; it stays until the process ends.
_LOADED: Final[dict[str, Any]] = {}
_LOCK: Final = Lock()


class MachineLoop:
    """Function ``f(numbers, ground, motions) -> forces`` like :class:`.loop.PythonLoop`, by machine code.

    The forces at a state do not depend on the number of states.

    Attributes
    ----------
    findings : why machine code is not kept on disk
    """

    def __init__(self, layout: Layout, fma: bool = True, accuracy: str = "compensated", width: int = 0) -> None:
        self.layout = layout
        self.findings: tuple[Diagnostic, ...] = ()
        self._given = width
        self._fma, self._accuracy = fma, accuracy
        self._functions: dict[int, Any] = {}
        self._keys: dict[int, str] = {}
        self._slots = len(layout.recursion.slots)
        self._idle: list[Array] = []  # memory of the calls that have ended
        self._function(self._width(2))

    def __call__(self, numbers: Array, ground: Array, motions: Sequence[Array]) -> Array:
        """Compute the forces along the coordinates (n, C).

        Parameters
        ----------
        numbers : (L, width), the numbers of the links
        ground : (S,) memory of the fixed frame
        motions : shifts and angles, rates, accelerations, (n, M) each
        """
        recursion, layout = self.layout.recursion, self.layout
        states, links = len(motions[0]), len(recursion.links)
        found = np.zeros((states, recursion.coordinates))
        if not states or not links:
            return found
        width = self._width(states)
        function, block = self._function(width), -(-links // width) * width
        runs, carriers, columns = self._whole
        q, v, a = (np.asarray(x, dtype=np.float64) for x in motions)
        numbers, ground = np.ascontiguousarray(numbers), np.ascontiguousarray(ground)
        work = self._memory((4 * block + (links + 1) * self._slots) * width)
        given: dict[str, int] = {
            "states": states, "motions": links, "coordinates": recursion.coordinates, "padded": block,
            "numbers": numbers.ctypes.data, "width": layout.width, "carriers": carriers.ctypes.data,
            "columns": columns.ctypes.data, "runs": runs.ctypes.data, "count": len(runs),
            "ground": ground.ctypes.data, "work": work.ctypes.data,
        }  # fmt: skip
        for name, array in (("q", q), ("v", v), ("a", a), ("f", found)):
            given |= {name: array.ctypes.data, f"{name}s": array.strides[0], f"{name}e": array.strides[1]}
        function((ctypes.c_int64 * len(given))(*order(given)))
        self._idle.append(work)
        return found

    @cached_property
    def _whole(self) -> tuple[Any, Any, Any]:
        """Runs, carriers and columns of the layout, as contiguous arrays for the machine code."""
        layout = self.layout
        return tuple(np.ascontiguousarray(x) for x in (layout.runs, layout.carriers, layout.columns))  # type: ignore[return-value]

    def _memory(self, count: int) -> Array:
        """Return ``count`` aligned doubles that no other call uses."""
        with suppress(IndexError):
            if (found := self._idle.pop()).size >= count:
                return found
        whole = np.empty(count + 7)
        return whole[-(whole.ctypes.data // 8) % 8 :]

    def _width(self, states: int) -> int:
        """Return the number of states per vector: 1 for a single state."""
        return self._given or (1 if states == 1 else WIDTHS["float64"])

    def _function(self, width: int) -> Any:
        """Return the compiled function for vectors of this width, made on first use."""
        if width not in self._functions:
            options = Options(self._fma, self._accuracy, width=width)
            self._functions[width], self._keys[width], self.findings = _function(self.layout.recursion, options)
        return self._functions[width]

    def is_marked(self, alone: bool) -> bool:
        """Return True if the machine code, for one state or for several, is cached and marked as compared."""
        return Cache.own().get(self._mark(alone)) is not None

    def mark(self, alone: bool) -> None:
        """Mark in the cache that this machine code was compared."""
        Cache.own().put(self._mark(alone), b"compared")

    def _mark(self, alone: bool) -> str:
        width = self._width(1 if alone else 2)
        self._function(width)
        return f"{self._keys[width]}.compared"


def _function(recursion: Recursion, options: Options) -> tuple[Any, str, tuple[Diagnostic, ...]]:
    """Find or compile the function for a recursion's kinds; return it, its key, and why it was not cached."""
    results = [x for kind in recursion.kinds for step in kind.steps for x in step.results]
    slots = [[list(s.own), list(s.carrier)] for kind in recursion.kinds for s in kind.steps]
    target = host()
    whole = (generator(), astuple(target), astuple(options), recursion.slots, recursion.inward, slots)
    key = hashlib.blake2b(repr((whole, dumps(results))).encode(), digest_size=32).hexdigest()
    with _LOCK:
        kept = Cache.own()
        if key not in _LOADED:
            code = kept.get(key)
            if code is None:
                code = machine_code(source(recursion, options), target)
                kept.put(key, code)
            loaded = Loaded(code, NAME)
            _LOADED[key] = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(loaded.address), loaded
        return _LOADED[key][0], key, kept.findings


#: What runs the loop over links.
LOOPS: Final[dict[str, Callable[..., PythonLoop | MachineLoop]]] = {
    "numpy": PythonLoop,
    "python": PythonLoop,
    "llvm": MachineLoop,
}


class LinkFunction:
    """Function ``f(q, v, a, t, parameters) -> forces`` (n, C) by a recursion.

    Raises
    ------
    NumbersError
        A function of the model has no formula.
    """

    def __init__(self, system: System, recursion: Recursion, backend: str, **options: Any) -> None:
        self.system = system
        self.layout = Layout(recursion, system.functions)
        self.loop = LOOPS[backend](self.layout, **options)
        self._names = system.coordinate_names
        efforts = define(recursion.efforts, system.functions)
        #: Places of the coordinates that efforts act along, and what computes these.
        self.acted = [i for i, x in enumerate(efforts) if x]
        require_formulas([*(efforts[i] for i in self.acted), *self.layout.formulas])
        self.efforts = plan_levels([efforts[i] for i in self.acted])
        self._known: tuple[dict[str, float], tuple[Array, Array]] | None = None

    def __call__(self, q: Array, v: Array, a: Array, t: Array, parameters: Mapping[str, Any]) -> Array:
        """Compute M a + h - gravity - applied (n, C).

        Parameters
        ----------
        q, v, a : (n, C)
        t : (n,)
        parameters : values by name, numbers or arrays (n,). States of equal values are computed together
        """
        found = np.empty(q.shape)
        for states, values in _groups(parameters, len(q)):
            found[states] = self._alike(q[states], v[states], a[states], t[states], values)
        return found

    def _alike(self, q: Array, v: Array, a: Array, t: Array, values: dict[str, float]) -> Array:
        """Compute the forces at states with equal values of parameters."""
        numbers, ground = self._numbers(values)
        motions = [q, v, a]
        if self.layout.driven:
            given = self.layout.evaluate_prescribed({**values, "t": t})
            motions = [
                np.concatenate([x, np.broadcast_to(y.T, (len(x), len(y)))], axis=1)
                for x, y in zip(motions, given, strict=True)
            ]
        found = self.loop(numbers, ground, motions)
        if self.acted:
            named = {**values, "t": t}
            named |= dict(zip(self._names, q.T, strict=True))
            named |= {f"{name}'": x for name, x in zip(self._names, v.T, strict=True)}
            found[:, self.acted] -= values_of(self.efforts, named).T
        return found

    def _numbers(self, values: dict[str, float]) -> tuple[Array, Array]:
        """Return the numbers of the links and the fixed frame's memory, cached for the last values of parameters."""
        if self._known is None or self._known[0] != values:
            self._known = values, self.layout.numbers(values)
        return self._known[1]


def _groups(parameters: Mapping[str, Any], count: int) -> Iterator[tuple[slice | Sequence[int], dict[str, float]]]:
    """Yield places of states with equal values of parameters, and these values."""
    several = {name: np.broadcast_to(x, (count,)) for name, x in parameters.items() if np.ndim(x)}
    plain = {name: float(x) for name, x in parameters.items() if name not in several}
    if not several:
        yield slice(None), plain
        return
    groups: dict[tuple[float, ...], list[int]] = {}
    for place, row in enumerate(np.stack(list(several.values()), axis=1).tolist()):
        groups.setdefault(tuple(row), []).append(place)
    for row, places in groups.items():
        yield places, plain | dict(zip(several, row, strict=True))


def require_formulas(outputs: Sequence[Expression], made: str = "numbers") -> None:
    """Raise NumbersError that names the functions without a formula."""
    missing = sorted(undefined_functions(outputs))
    if missing:
        remedy = "give it one in the model, a Function with a formula"
        raise NumbersError([error(f"functions/{name}", f"it has no formula, so no {made}", remedy) for name in missing])
