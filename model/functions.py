"""Functions of a model: where one has a formula, its calls are replaced by that."""

from __future__ import annotations

from collections.abc import Iterable

from .coordinate import Function
from .diagnostics import NumbersError, error
from .expressions import Expression, derivative, substitute, symbol, topological, unknowns


def define(outputs: Iterable[Expression], functions: Iterable[Function]) -> list[Expression]:
    """The outputs with every call of a function that has a formula replaced by it (derivatives too)."""
    formulas = {f.name: f for f in functions if f.formula is not None}
    roots = list(outputs)
    if not formulas:
        return roots
    for _ in range(len(formulas) + 1):
        calls = [node for node in unknowns(roots) if node.op == "call" and node.data[0] in formulas]
        if not calls:
            return roots
        replacements: dict[Expression, Expression] = {}
        for node in topological(calls):
            if node.op == "call" and node.data[0] in formulas:
                function = formulas[node.data[0]]
                formula = function.formula
                assert formula is not None
                for argument, order in zip(function.arguments, node.data[1], strict=True):
                    for _ in range(order):
                        formula = derivative(formula, symbol(argument))
                arguments = substitute(node.args, replacements)
                names = map(symbol, function.arguments)
                replacements[node] = substitute([formula], dict(zip(names, arguments, strict=True)))[0]
        roots = substitute(roots, replacements)
    raise NumbersError(error("functions", "functions are defined by each other in a cycle"))
