"""The two arithmetics the recursions run in: nodes of the expression graph, and NumPy arrays over states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from mbconcord.model import System
from mbconcord.model.expressions import ZERO, Expression, evaluate, numpy_arithmetic, substitute, symbol
from mbconcord.model.numbers import define

from .vectors import Number


class Scalars(Protocol):
    """What the recursions need of an arithmetic beside + - * /."""

    zero: Number
    #: Whether intermediate results are kept to be named.
    keeps: bool

    def of(
        self, expressions: Sequence[Expression], given: Mapping[str, Number] | None = None
    ) -> list[Number]:
        """Expressions of the model in this arithmetic; ``given`` are values of symbols it lacks."""

    def blank(self, rows: int, columns: int) -> Any:
        """An array of zeros; a row of it multiplies with a scalar."""


class Graph:
    """Nodes of the graph: running a recursion derives."""

    zero: Number = ZERO
    keeps = True

    def of(
        self, expressions: Sequence[Expression], given: Mapping[str, Number] | None = None
    ) -> list[Number]:
        """The expressions themselves."""
        if not given:
            return list(expressions)
        return [*substitute(expressions, {symbol(name): value for name, value in given.items()})]

    def blank(self, rows: int, columns: int) -> Any:
        """Array of nodes."""
        return np.full((rows, columns), ZERO, dtype=object)


class Batch:
    """Floats over a batch of states: running a recursion computes, without a graph of the equations."""

    keeps = False

    def __init__(self, system: System, values: Mapping[str, Any], states: int) -> None:
        self.system = system
        self.values = values
        self.states = states
        self.zero: Number = np.zeros(states)

    def of(
        self, expressions: Sequence[Expression], given: Mapping[str, Number] | None = None
    ) -> list[Number]:
        """Values, each over the states or one for all of them."""
        values = {**self.values, **given} if given else self.values
        return evaluate(define(expressions, self.system.functions), values, numpy_arithmetic())

    def blank(self, rows: int, columns: int) -> Any:
        """Array of zeros over the states."""
        return np.zeros((rows, columns, self.states))
