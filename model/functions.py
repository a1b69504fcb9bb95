"""Expansion of a model's functions: a call of a function with a formula is replaced by that formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

from mbconcord.records import fields, replace

from .coordinate import Function, Parameter
from .diagnostics import NumbersError, error
from .expressions import TIME, Expression, derivative, number, substitute, symbol, symbols, undefined_functions
from .expressions.calculus import rebuild
from .expressions.node import ADD, MUL, NEG
from .expressions.traversal import Below, count_nodes, in_order
from .limits import DEFINED_OPERATIONS, format_names
from .transformation import Constant, Prescribed

if TYPE_CHECKING:
    from .system import System


def define(outputs: Iterable[Expression], functions: Iterable[Function]) -> list[Expression]:
    """Replace every call of a function with a formula by that formula; calls of its derivatives too.

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
    """Raise NumbersError if functions are defined by each other in a cycle."""
    needs = {name: undefined_functions([f.formula]) for name, f in formulas.items() if f.formula}
    left = needs.keys() - set(in_order(needs))
    if left:
        message = f"functions are defined by each other in a cycle: {format_names(sorted(left))}"
        raise NumbersError(error("functions", message))


class Definitions:
    """Substitution of formulas for calls: each different call is expanded once, without recursion.

    One object for many formulas of a model costs less than a call of :func:`define` for each formula.
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


def hold_time(system: System, instant: float) -> tuple[System, dict[str, str]]:
    """Freeze a model at an instant (s): return a model that does not depend on time, and what was replaced.

    A function of time and parameters alone becomes a parameter with the function's name, the time itself a number. The
    mapping returned goes from the place of each change to what stood there. Functions without a formula stay.
    """
    hold = _Hold(system, instant)
    kinds = ("coordinates", "bodies", "forces", "constraints")
    parts = {kind: hold.all_in(getattr(system, kind), kind) for kind in kinds}
    called = undefined_functions(hold.left)
    named = {f.name: f for f in system.functions}
    for name in (pending := list(called)):
        used = undefined_functions([formula]) if (formula := getattr(named.get(name), "formula", None)) else set()
        pending += used - called
        called |= used
    kept = tuple(f for f in system.functions if f.name in called or f.name not in hold.replaced)
    made = tuple(Parameter(name, value) for name, value in hold.made.items())
    return replace(system, **parts, functions=kept, parameters=(*system.parameters, *made)), hold.held


class _Hold:
    """Rewriting of a model's formulas so that they do not contain the time."""

    def __init__(self, system: System, instant: float) -> None:
        self.time, self.known = number(repr(instant)), {p.name for p in system.parameters} | {TIME.data}
        self.taken = {*self.known, *system.coordinate_names}
        self.inner = Definitions(f for f in system.functions if len(f.arguments) > 1)
        self.whole = Definitions(system.functions)
        self.made: dict[str, Expression] = {}
        self.held: dict[str, str] = {}
        self.name_of: dict[Expression, str] = {}
        self.left: list[Expression] = []
        self.replaced = {f.name for f in system.functions}

    def all_in(self, value: Any, place: str) -> Any:
        """Rewrite every formula in a part of a model."""
        if isinstance(value, Expression):
            return self.formula(value, place)
        if isinstance(value, tuple):
            made = tuple(self.all_in(x, f"{place}/{getattr(x, 'name', i)}") for i, x in enumerate(value))
            return made if any(a is not b for a, b in zip(made, value, strict=True)) else value
        if not is_dataclass(value):
            return value
        new = {}
        for f in fields(value):
            old = getattr(value, f.name)
            new[f.name] = self.all_in(old, f"{place}/{f.name}" if isinstance(old, tuple) else place)
        changed = {name: x for name, x in new.items() if x is not getattr(value, name)}
        if isinstance(value, Prescribed) and TIME.data not in symbols([new["value"]]):
            return Constant(new["value"])
        part: Any = value
        return replace(part, **changed) if changed else value

    def formula(self, value: Expression, place: str) -> Expression:
        """Return the formula with numbers or parameters in place of all that depends on time alone."""
        (value,) = self.inner.apply([value])
        if TIME.data not in symbols([value]):
            self.left.append(value)
            return value
        put, stack = dict[Expression, Expression](), [value]
        while stack:
            node = stack.pop()
            if node in put or TIME.data not in symbols([node]):
                continue
            if node is TIME:
                put[node] = self.time
                self.held[place] = f"the time in {value}"
            elif node.op in (NEG, ADD, MUL) or not symbols([node]) <= self.known:
                stack += node.args
            elif undefined_functions(self.whole.apply([node])):
                self.left.append(node)
            else:
                put[node] = symbol(self.parameter(node, place))
        found = substitute([value], put)[0]
        self.left.append(found)
        return found

    def parameter(self, node: Expression, place: str) -> str:
        """Return the name of the parameter that replaces a formula of time; the same formula has the same parameter."""
        if node in self.name_of:
            return self.name_of[node]
        name = f"{place.split('/')[1]}_held"
        if node.op == "call" and node.args == (TIME,):
            name = node.data[0] + "_rate" * sum(node.data[1])
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.name_of[node], self.held[f"parameters/{name}"] = name, f"{name} = {node}"
        self.made[name] = substitute(self.whole.apply([node]), {TIME: self.time})[0]
        return name
