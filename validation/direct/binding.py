"""Numbers of a model at states, bound here and nowhere else: parameters, coordinates as series in time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.state import State
from mbconcord.model.system import System

from .formulas import Formulas
from .series import Array, Series, constant

#: Value, rate and half the second rate.
ORDERS = 3


def bound(system: System, states: Sequence[State], at_rest: bool) -> Formulas:
    """The formulas of a model at states; coordinates move with q, q' and q'' (``at_rest``: q'' = 0).

    Symbols: parameters; t; every coordinate q and, as a series of its own, its rate q'.
    """
    count = len(states)
    symbols: dict[str, Series] = {}

    t = np.array([float(s.t) for s in states])
    symbols["t"] = Series((t, np.ones(count), np.zeros(count)))
    _parameters(system, states, symbols)
    start = Formulas(symbols, system.functions, ORDERS, count)
    for c in system.coordinates:
        q = _chosen(states, "q", c.name, start.value(c.position))
        v = _chosen(states, "v", c.name, start.value(c.velocity))
        a = np.zeros(count) if at_rest else _chosen(states, "a", c.name, np.zeros(count))
        symbols[c.name] = Series((q, v, a / 2))
        symbols[c.name + "'"] = Series((v, a, np.zeros(count)))
    return Formulas(symbols, system.functions, ORDERS, count)


def _chosen(states: Sequence[State], group: str, name: str, otherwise: Array) -> Array:
    return np.array([float(getattr(s, group).get(name, x)) for s, x in zip(states, otherwise, strict=True)])


def _parameters(system: System, states: Sequence[State], symbols: dict[str, Series]) -> None:
    """Values of parameters: the states' own, elsewhere the model's; a formula of others waits until they are known."""
    waiting: dict[str, Expression] = {}
    for p in system.parameters:
        if all(p.name in s.parameters for s in states):
            symbols[p.name] = _set(p.name, states, np.zeros(len(states)))
        elif p.value is None:
            raise NumbersError(error(f"parameters/{p.name}", "it has no value"))
        else:
            waiting[p.name] = p.value
    while waiting:
        formulas, left = Formulas(symbols, system.functions, ORDERS, len(states)), len(waiting)
        for name in list(waiting):
            try:
                symbols[name] = _set(name, states, formulas.value(waiting[name]))
            except NumbersError:
                continue
            del waiting[name]
        if len(waiting) == left:
            raise NumbersError(error(f"parameters/{next(iter(waiting))}", "its value cannot be computed"))


def _set(name: str, states: Sequence[State], otherwise: Array) -> Series:
    values = [float(s.parameters.get(name, x)) for s, x in zip(states, otherwise, strict=True)]
    return constant(np.array(values), ORDERS)
