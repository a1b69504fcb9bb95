"""Inverse dynamics of a system by steps of links, as a function of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.model import System
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import Expression, undefined_functions
from mbconcord.model.numbers import define
from mbconcord.model.recursion import Recursion

from .loop import Array, Layout, PythonLoop, plan_levels, values_of
from .machine import MachineLoop

#: What runs the loop over links.
LOOPS: Final[dict[str, Callable[..., PythonLoop | MachineLoop]]] = {
    "numpy": PythonLoop,
    "python": PythonLoop,
    "llvm": MachineLoop,
}


class LinkFunction:
    """``f(q, v, a, t, parameters) -> forces`` (n, C) by a recursion.

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
        """Compute them at states with equal parameters."""
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
        """Return numbers of the links, cached for the last values."""
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


def require_formulas(outputs: Sequence[Expression]) -> None:
    """Refuse functions without a formula, by name."""
    missing = sorted(undefined_functions(outputs))
    if missing:
        remedy = "give it one in the model, a Function with a formula"
        raise NumbersError([error(f"functions/{name}", "it has no formula, so no numbers", remedy) for name in missing])
