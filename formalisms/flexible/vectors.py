"""Vectors and matrices as the last axes of arrays; 6-vectors are [linear; angular].

Preceding axes, over links and states, are broadcast in every function. Empty matrices do not occur: callers leave out
matrices without columns.

The two arithmetics of the recursion: nodes of the expression graph, and floats over a batch of states.

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


def times(matrix: Array, vector: Array) -> Array:
    """Multiply matrix (…, n, m) by vector (…, m)."""
    return (matrix @ vector[..., None])[..., 0]


def transpose(matrix: Array) -> Array:
    """Transpose the last two axes (…, m, n)."""
    return np.swapaxes(matrix, -1, -2)


def dot(a: Array, b: Array) -> Array:
    """Return a · b (…); for graph nodes without leading axes the result is a node."""
    return (a[..., None, :] @ b[..., :, None])[..., 0, 0][()]


def outer(a: Array, b: Array) -> Array:
    """Return a bᵀ."""
    return a[..., :, None] * b[..., None, :]


def cross(a: Array, b: Array) -> Array:
    """Return a × b."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack(np.broadcast_arrays(y * w - z * v, z * u - x * w, x * v - y * u), axis=-1)


def skew(w: Array) -> Array:
    """Return ŵ: ŵ u = w × u."""
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    o = x * 0
    return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=-1).reshape(*w.shape[:-1], 3, 3)


def axial(m: Array) -> Array:
    """Return ax(M)_a = ε_abc M_bc; ax(a bᵀ) = a × b."""
    return np.stack([m[..., 1, 2] - m[..., 2, 1], m[..., 2, 0] - m[..., 0, 2], m[..., 0, 1] - m[..., 1, 0]], axis=-1)


def scale(array: Array, factor: Array, axes: int = 1) -> Array:
    """Multiply an array by a factor with axes of links and states alone; the array has ``axes`` axes more."""
    return array * np.asarray(factor)[(...,) + (None,) * axes]


def unit(like: Array) -> Array:
    """Return the unit matrix E (…, 3, 3) in the arithmetic of an array (…)."""
    o = like * 0
    e = o + 1
    return np.stack([e, o, o, o, e, o, o, o, e], axis=-1).reshape(*np.shape(like), 3, 3)


def join_arrays(parts: list[Array], axis: int) -> Array:
    """Join arrays along one of the last axes (negative), broadcasting those with one state for all."""
    ahead = np.broadcast_shapes(*(p.shape[:axis] for p in parts))
    behind = [p.shape[axis:] for p in parts]
    return np.concatenate([np.broadcast_to(p, (*ahead, *own)) for p, own in zip(parts, behind, strict=True)], axis=axis)


def blocks(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Assemble the matrix [a b; c d]."""
    ahead = np.broadcast_shapes(*(x.shape[:-2] for x in (a, b, c, d)))
    a, b, c, d = (np.broadcast_to(x, (*ahead, *x.shape[-2:])) for x in (a, b, c, d))
    return np.concatenate([np.concatenate([a, b], axis=-1), np.concatenate([c, d], axis=-1)], axis=-2)


def symmetrize(m: Array) -> Array:
    """Return ½ (M + Mᵀ), so that round-off does not destroy symmetry in the recursion."""
    return (m + np.swapaxes(m, -1, -2)) / 2


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
