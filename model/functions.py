"""Functions of a model: calls of those with a formula are replaced by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .coordinate import Function
from .diagnostics import NumbersError, error
from .expressions import Expression, derivative, substitute, symbol, undefined_functions
from .expressions.calculus import rebuild
from .expressions.traversal import Below, count_nodes
from .limits import DEFINED_OPERATIONS, format_names
from .order import in_order


def define(outputs: Iterable[Expression], functions: Iterable[Function]) -> list[Expression]:
    """Replace every call of a function that has a formula by it (derivatives too).

    Raises
    ------
    NumbersError
        Functions are defined by each other in a cycle, or grow beyond the limit when they are put into one another.
    """
    roots, formulas = list(outputs), [f for f in functions if f.formula is not None]
    if not formulas or undefined_functions(roots).isdisjoint(f.name for f in formulas):
        return roots  # one walk is a quarter of what it costs to know it of every node
    return Definitions(formulas).apply(roots)


def _no_cycle(formulas: Mapping[str, Function]) -> None:
    """Refuse functions that need themselves: take away those that need none of the rest until none is left."""
    needs = {name: undefined_functions([f.formula]) for name, f in formulas.items() if f.formula}
    left = needs.keys() - set(in_order(needs))
    if left:
        message = f"functions are defined by each other in a cycle: {format_names(sorted(left))}"
        raise NumbersError(error("functions", message))


class Definitions:
    """Substitution of formulas for calls, each different call once; without recursion.

    One for many formulas of a model costs less than :func:`define` for each of them.
    """

    def __init__(self, functions: Iterable[Function]) -> None:
        self.formulas = {f.name: f for f in functions if f.formula is not None}
        self.called = Below(lambda node: node.op == "call" and node.data[0] in self.formulas)
        self.most = 0
        self.sound = False
        self.made: dict[Expression, Expression] = {}
        self.bodies: dict[Expression, Expression] = {}
        self.derived: dict[tuple[str, tuple[int, ...]], Expression] = {}

    def apply(self, outputs: Iterable[Expression]) -> list[Expression]:
        """Expand calls of functions that have a formula; see :func:`define`."""
        roots = list(outputs)
        if not self.formulas or not self.called.any(roots):
            return roots
        if not self.sound:
            _no_cycle(self.formulas)
            self.sound = True
        self.most = len(self.made) + self.called.count + DEFINED_OPERATIONS
        return self._expand_calls(roots)

    def _expand_calls(self, roots: list[Expression]) -> list[Expression]:
        made = self.made
        pending = [node for node in reversed(roots) if self._changes(node)]
        while pending:
            node = pending[-1]
            if node in made:
                pending.pop()
            elif waiting := [arg for arg in node.args if arg not in made and self._changes(arg)]:
                pending += reversed(waiting)
            elif node.op == "call" and node.data[0] in self.formulas:
                body = self._body(node)
                if body in made or not self._changes(body):
                    made[pending.pop()] = made[body]
                else:
                    pending.append(body)
            else:
                made[pending.pop()] = rebuild(node, [made[arg] for arg in node.args])
        return [made[root] for root in roots]

    def _changes(self, node: Expression) -> bool:
        """Return True if a node must be rebuilt; otherwise keep it with all below it."""
        if self.called.is_at_or_below(node):
            return True
        self.made[node] = node
        return False

    def _body(self, node: Expression) -> Expression:
        """Insert a call's arguments into its formula, and leave calls of other functions in it."""
        body = self.bodies.get(node)
        if body is None:
            name, orders = node.data
            if len(self.made) > self.most:
                raise _too_large(name)
            arguments = map(symbol, self.formulas[name].arguments)
            given = (self.made[arg] for arg in node.args)
            formula = self._derivative(name, orders)
            body = self.bodies[node] = substitute([formula], dict(zip(arguments, given, strict=True)))[0]
        return body

    def _derivative(self, name: str, orders: tuple[int, ...]) -> Expression:
        """Differentiate a formula, one argument after the other."""
        found = self.derived.get((name, orders))
        if found is None:
            function = self.formulas[name]
            found = function.formula
            assert found is not None
            for argument, order in zip(function.arguments, orders, strict=True):
                for _ in range(order):
                    found = derivative(found, symbol(argument))
                    if count_nodes(found, DEFINED_OPERATIONS) >= DEFINED_OPERATIONS:
                        raise _too_large(name)
            self.derived[name, orders] = found
        return found


def _too_large(name: str) -> NumbersError:
    message = f"more than {DEFINED_OPERATIONS:,} operations once its formula and those in it are put in"
    return NumbersError(error(f"functions/{name}", message, "write it with fewer functions within functions"))
