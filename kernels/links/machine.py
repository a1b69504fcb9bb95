"""A recursion link after link by machine code: eight states at a time, or one."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from dataclasses import astuple
from functools import cached_property
from threading import Lock
from typing import Any, Final

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions import dumps

from ..llvm.build import generator
from ..llvm.cache import Cache
from ..llvm.engine import Loaded, host, machine_code
from ..llvm.layouts import padded
from ..llvm.links import NAME, order, source
from ..llvm.options import Options
from .numbers import Array, Layout

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

    def __init__(
        self, layout: Layout, fma: bool = True, accuracy: str = "compensated", width: int = 0
    ) -> None:
        self.layout = layout
        self.findings: tuple[Diagnostic, ...] = ()
        self._options = Options(fma, accuracy, width=width)
        self._slots = len(layout.recursion.slots)
        self._work = np.empty(0)
        self._busy = Lock()
        self._function(width or 1)

    def __call__(self, numbers: Array, ground: Array, motions: Sequence[Array]) -> Array:
        """Forces along the coordinates (n, C).

        Parameters
        ----------
        numbers : (L, width) of the links
        ground : (S,) what stands in the fixed frame
        motions : shifts and angles, rates, accelerations, (n, M) each
        """
        recursion, layout = self.layout.recursion, self.layout
        states, links = len(motions[0]), len(recursion.links)
        found = np.zeros((states, recursion.coordinates))
        if not states or not links:
            return found
        options = self._options if self._options.width else Options(
            self._options.fma, self._options.accuracy, width=1 if states == 1 else 0
        )  # fmt: skip
        vector = options.vector
        block = padded(links, vector)
        runs, carriers, columns = self._whole
        q, v, a = (np.asarray(x, dtype=np.float64) for x in motions)
        numbers, ground = np.ascontiguousarray(numbers), np.ascontiguousarray(ground)
        with self._busy:
            work = self._memory((4 * block + (links + 1) * self._slots) * vector.width)
            given: dict[str, int] = {
                "states": states, "motions": links, "coordinates": recursion.coordinates, "padded": block,
                "numbers": numbers.ctypes.data, "width": layout.width, "carriers": carriers.ctypes.data,
                "columns": columns.ctypes.data, "runs": runs.ctypes.data, "count": len(runs),
                "ground": ground.ctypes.data, "work": work,
            }  # fmt: skip
            for name, array in (("q", q), ("v", v), ("a", a), ("f", found)):
                given |= {name: array.ctypes.data, f"{name}s": array.strides[0], f"{name}e": array.strides[1]}
            self._function(options.vector.width)((ctypes.c_int64 * 24)(*order(given)))
        return found

    @cached_property
    def _whole(self) -> tuple[Any, Any, Any]:
        """Runs, carriers and columns, as they are handed over."""
        layout = self.layout
        return tuple(np.ascontiguousarray(x) for x in (layout.runs, layout.carriers, layout.columns))  # type: ignore[return-value]

    def _memory(self, count: int) -> int:
        """Address of so many doubles that a vector may stand at."""
        if self._work.size < count + 8:
            self._work = np.empty(count + 8)
        address: int = self._work.ctypes.data
        return -(-address // 64) * 64

    def _function(self, width: int) -> Any:
        options = Options(self._options.fma, self._options.accuracy, width=width)
        recursion = self.layout.recursion
        results = [x for kind in recursion.kinds for step in kind.steps for x in step.results]
        slots = [[list(s.own), list(s.carrier)] for kind in recursion.kinds for s in kind.steps]
        target = host()
        whole = (generator(), astuple(target), astuple(options), recursion.slots, recursion.inward, slots)
        text = repr((whole, dumps(results)))
        key = hashlib.blake2b(text.encode(), digest_size=32).hexdigest()
        with _LOCK:
            if key not in _LOADED:
                kept = Cache.own()
                code = kept.get(key)
                if code is None:
                    code = machine_code(source(recursion, options), target)
                    kept.put(key, code)
                self.findings = kept.findings
                loaded = Loaded(code, NAME)
                _LOADED[key] = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(loaded.address), loaded
            return _LOADED[key][0]
