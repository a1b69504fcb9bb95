"""Formulas that cannot be integrated, found where they stand in the model: functions that nobody gave, no numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from mbconcord.model.checks.scope import Scopes
from mbconcord.model.checks.scope import formulas as places
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import (
    Expression,
    ExpressionError,
    evaluate_float,
    topological,
    undefined_functions,
)
from mbconcord.model.system import System


class Put(Protocol):
    """What puts formulas in place of functions and numbers in place of parameters."""

    def of(self, outputs: Iterable[Expression]) -> list[Expression]:
        """The outputs in t, q and q' alone."""


def require_known(system: System, numbers: Put) -> None:
    """Refuse a model of which a formula has no number, with the place.

    Raises
    ------
    NumbersError
        A function has no formula; a constant has no number.
    """
    findings = [d for place, values, _ in places(Scopes(system)) for d in _unknown(place, values, numbers)]
    if findings:
        raise NumbersError(findings)


def _unknown(place: str, values: Iterable[Expression], numbers: Put) -> Iterator[Diagnostic]:
    if place.startswith(("functions/", "parameters/")):  # where they are used, if they are
        return
    try:
        given = numbers.of(values)
        for name in sorted(undefined_functions(given)):
            yield error(place, f"the function {name}() has no formula", f"define it: {name}(…) = …")
        for node in topological(given):
            if node.constant and node.op not in ("num", "pi"):
                evaluate_float(node, {})
    except (ExpressionError, ArithmeticError) as problem:
        yield error(
            place, f"a formula has no number: {problem}", "give the parameters values that have a meaning"
        )
