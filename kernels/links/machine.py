"""A recursion link by link in machine code: eight states at a time, or one."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple
from functools import cached_property
from threading import Lock
from typing import Any, Final

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions import dumps
from mbconcord.model.recursion import Recursion

from ..llvm.build import generator
from ..llvm.cache import Cache
from ..llvm.engine import Loaded, host, machine_code
from ..llvm.links import NAME, order, source
from ..llvm.options import WIDTHS, Options
from .loop import Array, Layout

#: What was loaded, by its key; it stays until the process ends.
_LOADED: Final[dict[str, Any]] = {}
_LOCK: Final = Lock()


class MachineLoop:
    """``f(numbers, ground, motions) -> forces``, as :class:`.loop.PythonLoop`, by machine code.

    The numbers do not depend on how many states there are.

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
        numbers : (L, width) of the links
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
        """Runs, carriers and columns, as they are handed over."""
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
        """Return the states per vector: a single state is computed alone."""
        return self._given or (1 if states == 1 else WIDTHS["float64"])

    def _function(self, width: int) -> Any:
        """Return the function for vectors of this width."""
        if width not in self._functions:
            options = Options(self._fma, self._accuracy, width=width)
            self._functions[width], self._keys[width], self.findings = _function(self.layout.recursion, options)
        return self._functions[width]

    def is_marked(self, alone: bool) -> bool:
        """Return whether the machine code for one state, or several, is cached and marked as compared."""
        return Cache.own().get(self._mark(alone)) is not None

    def mark(self, alone: bool) -> None:
        """Keep the mark that this machine code was compared."""
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
