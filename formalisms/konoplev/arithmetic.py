"""The two arithmetics of the aggregates: nodes of the graph, and NumPy arrays over a batch of states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import (
    ZERO,
    Expression,
    ExpressionError,
    as_expression,
    evaluate,
    numpy_arithmetic,
    sqrt,
    substitute,
)
from mbconcord.model.functions import define
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System


class Arithmetic(Protocol):
    """Conversion of the model's expressions to scalars, and functions of scalars, that the aggregates need."""

    def to_scalar(self, expression: Expression) -> Any:
        """Convert an expression to a scalar."""

    def sqrt(self, value: Any) -> Any:
        """Compute the square root."""

    def evaluate_with(self, expression: Expression, given: Mapping[Expression, Any]) -> Any:
        """Evaluate an expression, with the given scalars for symbols that the model lacks."""


class Symbolic:
    """Arithmetic with nodes of the graph, in which aggregates come out as expressions."""

    def to_scalar(self, expression: Expression) -> Any:
        """Return the expression itself."""
        return expression

    def sqrt(self, value: Any) -> Any:
        """Compute the square root."""
        return sqrt(value)

    def evaluate_with(self, expression: Expression, given: Mapping[Expression, Any]) -> Any:
        """Evaluate an expression, with the given scalars for symbols that the model lacks."""
        return substitute([expression], {symbol: as_expression(x) for symbol, x in given.items()})[0]


class Batch:
    """Arithmetic with arrays (N,) over N states, in which aggregates come out as numbers, without a graph."""

    def __init__(self, system: System, states: Sequence[State]) -> None:
        self.system = system
        self.values = bind_states(system, states).values
        self._known: dict[Expression, Any] = {ZERO: 0}

    def to_scalar(self, expression: Expression) -> Any:
        """Evaluate an expression; the node ZERO stays a structural zero."""
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._evaluate(expression, self.values)
        return found

    def sqrt(self, value: Any) -> Any:
        """Compute the square root."""
        return np.sqrt(value)

    def evaluate_with(self, expression: Expression, given: Mapping[Expression, Any]) -> Any:
        """Evaluate an expression, with the given scalars for symbols that the model lacks."""
        more = {symbol.data: np.asarray(x, dtype=float) for symbol, x in given.items()}
        return self._evaluate(expression, {**self.values, **more})

    def _evaluate(self, expression: Expression, values: Mapping[str, Any]) -> Any:
        if expression.op == "num":
            return float(expression.data)
        if expression.op == "sym" and expression.data in values:
            return values[expression.data]
        try:
            with np.errstate(all="ignore"):
                return evaluate(define([expression], self.system.functions), values, numpy_arithmetic())[0]
        except ExpressionError as problem:
            raise NumbersError(error("konoplev", str(problem))) from None
