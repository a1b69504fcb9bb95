"""The two arithmetics of the recursion: nodes of the expression graph, and floats over a batch of states.

Every vector or matrix is an array whose last axes are those of the vector or matrix. In a table of all links the first
axis is the link; with floats, the second is the state. Constants have one state, which is broadcast to all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from mbconcord.model import System
from mbconcord.model.expressions import Expression, evaluate, numpy_arithmetic, substitute, symbol
from mbconcord.model.functions import define

#: An array of graph nodes, or of floats whose axis before its own is over states.
Array = Any


class Scalars(Protocol):
    """Operations of an arithmetic that the recursion needs in addition to + - * / and @."""

    def table(self, rows: Sequence[Sequence[Expression]], *shape: int) -> Array:
        """Evaluate formulas of the model in this arithmetic: one row for each link, reshaped to ``shape``."""

    def row(self, formulas: Sequence[Expression], *shape: int, given: Mapping[str, Array] | None = None) -> Array:
        """Evaluate one row; ``given`` are values of symbols that the model lacks."""

    def sine(self, angle: Array) -> Array:
        """Compute sines."""

    def cosine(self, angle: Array) -> Array:
        """Compute cosines."""


class Graph:
    """Arithmetic with nodes of the graph, in which the recursion gives expressions."""

    def table(self, rows: Sequence[Sequence[Expression]], *shape: int) -> Array:
        """Return the formulas themselves, (links, *shape)."""
        flat = [x for row in rows for x in row]
        return _objects(flat).reshape(len(rows), *shape)

    def row(self, formulas: Sequence[Expression], *shape: int, given: Mapping[str, Array] | None = None) -> Array:
        """Return the formulas as an array (*shape), with the given symbols substituted."""
        values = {symbol(name): value for name, value in (given or {}).items()}
        return _objects(substitute(formulas, values) if values else formulas).reshape(shape)[()]

    def sine(self, angle: Array) -> Array:
        """Make sines as nodes."""
        return _each(_sin, angle)

    def cosine(self, angle: Array) -> Array:
        """Make cosines as nodes."""
        return _each(_cos, angle)


class Batch:
    """Arithmetic with floats over states, in which the recursion gives numbers, without a graph of the equations."""

    def __init__(self, system: System, values: Mapping[str, Any]) -> None:
        self.functions, self.values = system.functions, values

    def table(self, rows: Sequence[Sequence[Expression]], *shape: int) -> Array:
        """Return the values of the formulas, (links, states or 1, *shape)."""
        flat = [x for row in rows for x in row]
        if not flat:
            return np.zeros((len(rows), 1, *shape))
        values = self._evaluate_formulas(flat, {})
        size = len(flat) // len(rows)
        return np.moveaxis(values.reshape(len(rows), size, -1), 1, 2).reshape(len(rows), -1, *shape)

    def row(self, formulas: Sequence[Expression], *shape: int, given: Mapping[str, Array] | None = None) -> Array:
        """Return the values of one row of formulas, (states or 1, *shape)."""
        if not formulas:
            return np.zeros((1, *shape))
        return self._evaluate_formulas(formulas, given or {}).T.reshape(-1, *shape)

    def _evaluate_formulas(self, formulas: Sequence[Expression], given: Mapping[str, Array]) -> Array:
        """Compute values (formulas, states or 1)."""
        found: list[Any] = [_find_known_value(x, self.values) for x in formulas]
        rest = [i for i, x in enumerate(found) if x is None]
        if rest:
            given = {**self.values, **given}
            wanted = define([formulas[i] for i in rest], self.functions)
            for i, value in zip(rest, evaluate(wanted, given, numpy_arithmetic()), strict=True):
                found[i] = np.asarray(value, dtype=float)
        counts = {x.size for x in found if type(x) is not float}
        if counts <= {1}:
            return np.array([float(x) if type(x) is float else x.item() for x in found])[:, None]
        return np.array([np.broadcast_to(x, (max(counts),)) for x in found])

    def sine(self, angle: Array) -> Array:
        """Compute sines."""
        return np.sin(angle)

    def cosine(self, angle: Array) -> Array:
        """Compute cosines."""
        return np.cos(angle)


def _objects(values: Sequence[Expression]) -> Array:
    made = np.empty(len(values), dtype=object)
    made[:] = list(values)
    return made


def _each(function: Any, angle: Array) -> Array:
    made = np.empty(np.shape(angle), dtype=object)
    for place in np.ndindex(made.shape):
        made[place] = function(angle[place])
    return made


def _sin(x: Any) -> Expression:
    from mbconcord.model.expressions import as_expression, sin

    return sin(as_expression(x))


def _cos(x: Any) -> Expression:
    from mbconcord.model.expressions import as_expression, cos

    return cos(as_expression(x))


def _find_known_value(x: Expression, values: Mapping[str, Any]) -> Any:
    """Return the value of a number or a known symbol, the usual case; None for any other expression."""
    if x.op == "num":
        return float(x.data)
    return values.get(x.data) if x.op == "sym" else None
