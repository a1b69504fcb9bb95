"""The two arithmetics the recursions run in: nodes of the expression graph, and NumPy arrays over states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import System
from mbconcord.model.expressions import ZERO, Expression, evaluate, numpy_arithmetic, substitute, symbol
from mbconcord.model.numbers import define

from .vectors import Number


class Scalars(Protocol):
    """Operations of an arithmetic that the recursions need in addition to + - * /."""

    zero: Number
    #: Whether intermediate results are kept to be named.
    keeps: bool

    def to_scalars(self, expressions: Sequence[Expression], given: Mapping[str, Number] | None = None) -> list[Number]:
        """Evaluate expressions of the model in this arithmetic; ``given`` are values of symbols it lacks."""

    def blank(self, rows: int, columns: int) -> Any:
        """Return an array of zeros whose rows can be multiplied by a scalar."""


class Graph:
    """Arithmetic with nodes of the graph, in which recursions give expressions."""

    zero: Number = ZERO
    keeps = True

    def to_scalars(self, expressions: Sequence[Expression], given: Mapping[str, Number] | None = None) -> list[Number]:
        """Return the expressions themselves, with the given symbols substituted."""
        if not given:
            return list(expressions)
        return [*substitute(expressions, {symbol(name): value for name, value in given.items()})]

    def blank(self, rows: int, columns: int) -> Any:
        """Return an array of zero nodes."""
        return np.full((rows, columns), ZERO, dtype=object)


class Batch:
    """Arithmetic with arrays of floats over states, in which recursions give numbers, without a graph of equations."""

    keeps = False

    def __init__(self, system: System, values: Mapping[str, Any], states: int) -> None:
        self.system = system
        self.values = values
        self.states = states
        self.zero: Number = np.zeros(states)

    def to_scalars(self, expressions: Sequence[Expression], given: Mapping[str, Number] | None = None) -> list[Number]:
        """Evaluate each expression over the states, or once for all of them."""
        values = {**self.values, **given} if given else self.values
        return evaluate(define(expressions, self.system.functions), values, numpy_arithmetic())

    def blank(self, rows: int, columns: int) -> Any:
        """Return an array of zeros over the states."""
        return np.zeros((rows, columns, self.states))


def over_states(values: Sequence[Number], count: int) -> NDArray[np.float64]:
    """Stack values over states in an array (states, values)."""
    result = np.empty((count, len(values)))
    for i, value in enumerate(values):
        result[:, i] = value
    return result
