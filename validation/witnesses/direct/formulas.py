"""Evaluator of a model's formulas as truncated power series in time, node by node, over arrays of states.

Formulas are computed in 50 digits and rounded once: nothing is lost if terms cancel, so that no tolerance for it is
needed in comparisons with these values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mbconcord.model.coordinate import Function
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.functions import define
from mbconcord.model.state import State
from mbconcord.model.system import System

from .series import (
    Array,
    Series,
    added,
    constant,
    elementary,
    exact,
    exponential,
    integrate,
    keep_constants,
    look_up,
    pi,
    piecewise,
    sign,
    sine_cosine,
    square_root,
)


class Constants:
    """Series of formulas that have no symbol but ``fixed`` ones, in 50 digits and rounded."""

    def __init__(self, fixed: Iterable[str] = ()) -> None:
        self.fixed = frozenset(fixed)
        self.exact: dict[Expression, Series] = {}
        self.floats: dict[Expression, Series] = {}
        self.rows: dict[tuple[Expression, ...], Array] = {}

    def keeps(self, node: Expression) -> bool:
        """Return True if the series of a node, whose arguments are computed, is constant."""
        if node.op == "sym":
            return node.data in self.fixed
        return node.op != "call" and all(a in self.exact for a in node.args)


class SeriesFormulas:
    """Evaluation of formulas at N states, each as a series with a given number of coefficients.

    Parameters
    ----------
    symbols : name -> series, of floats or of numbers of 50 digits
    functions : the model's functions, with their formulas
    orders : number of coefficients that are kept: 1 for values, 3 for values with two rates
    constants : where values of formulas without any symbol but ``fixed`` are kept, for evaluators at other states too
    """

    def __init__(
        self, symbols: Mapping[str, Series], functions: Sequence[Function], orders: int, count: int,
        constants: Constants | None = None,
    ) -> None:  # fmt: skip
        self.symbols, self.constants = symbols, constants or Constants()
        self.functions = {f.name: f for f in functions}
        self.orders, self.count = orders, count
        self._known: dict[Expression, Series] = {}

    def expand(self, expression: Expression) -> Series:
        """Compute the series of one formula, rounded to floats."""
        if (known := self.constants.floats.get(expression)) is not None:
            return known
        if expression.op == "num":  # most of a model is numbers
            found = constant(np.full(self.count, _float(expression.data)), self.orders)
        else:
            floats = self.exact(expression).floats()
            found = Series(tuple(np.array(np.broadcast_to(a, (self.count,))) for a in floats.c))
        if expression.op == "num" or expression in self.constants.exact:
            for a in found.c:
                a.flags.writeable = False
            self.constants.floats[expression] = found
        return found

    def exact(self, expression: Expression) -> Series:
        """Compute the series of one formula in 50 digits."""
        still, waiting = self.constants.exact, [expression]
        while waiting:
            node = waiting[-1]
            missing = [a for a in node.args if a not in self._known and a not in still]
            if node in still or node in self._known:
                waiting.pop()
            elif missing:
                waiting += missing
            else:
                rests = self.constants.keeps(node)
                known = [still[a] if a in still else self._known[a] for a in node.args]
                (still if rests else self._known)[node] = self._node(node, known)
                waiting.pop()
        return still[expression] if expression in still else self._known[expression]

    def slope(self, expression: Expression, name: str) -> Array:
        """Compute the partial derivative (N,) of a formula by a symbol, from a series where that symbol alone moves."""
        still = {own: constant(x.c[0], 2) for own, x in self.symbols.items()}
        still[name] = Series((still[name].c[0], still[name].c[1] + 1))
        return SeriesFormulas(still, tuple(self.functions.values()), 2, self.count).expand(expression).c[1]

    def value(self, expression: Expression) -> Array:
        """Compute the value of one formula (N,)."""
        return self.expand(expression).c[0]

    def values(self, expressions: Iterable[Expression]) -> Array:
        """Compute the values of k formulas (N, k)."""
        row = tuple(expressions)
        if (known := self.constants.rows.get(row)) is not None:
            return known
        found = np.ascontiguousarray(np.array([self.value(e) for e in row]).T)
        if all(e in self.constants.floats for e in row):
            found.flags.writeable = False
            self.constants.rows[row] = found
        return found

    def _node(self, node: Expression, args: list[Series]) -> Series:
        match node.op:
            case "num":
                return self._number(exact(node.data))
            case "pi":
                return self._number(pi())
            case "sym":
                if node.data not in self.symbols:
                    raise NumbersError(error("formulas", f"no value for {node.data}"))
                return self.symbols[node.data].cut(self.orders).exact()
            case "neg":
                return -args[0]
            case "add":
                return Series(tuple(map(added, args[0].c, args[1].c)))
            case "mul":
                return args[0] * args[1]
            case "pow":
                return self._power(args[0], node.args[1], args[1])
            case "fun":
                return (
                    look_up(node.data, args[0]) if isinstance(node.data, Interpolant) else FUNCTIONS[node.data](*args)
                )
            case "call":
                return self._call(node, args)
        raise NumbersError(error("formulas", f"no meaning of {node.op}"))

    def _number(self, value: Any) -> Series:
        return constant(np.full(1, exact(value), dtype=object), self.orders)  # of all states

    def _power(self, base: Series, exponent: Expression, power: Series) -> Series:
        if exponent.op == "num" and exponent.data.denominator == 1:
            n = int(exponent.data)
            total, square, left = self._number(1.0), base, abs(n)
            while left:
                total = total * square if left % 2 else total
                left //= 2
                square = square * square if left else square
            return self._number(1.0) / total if n < 0 else total
        if exponent.op == "num" and exponent.data.denominator == 2:
            root = self._power(base, exponent * 2, self._number(2 * exponent.data))
            return square_root(root)
        nothing = np.all([a == 0 for a in base.c], axis=0) & (power.c[0] > 0)  # 0 to any power, which no log gives
        return Series(tuple(np.where(nothing, 0 * base.c[0], a) for a in exponential(power * _log(base)).c))

    def _call(self, node: Expression, args: list[Series]) -> Series:
        """Evaluate a model's function or its derivative at arguments; a derivative from its series in the argument.

        For a function of several arguments, a partial derivative is that of its formula, differentiated as a graph.
        """
        name, orders = node.data
        function = self.functions.get(name)
        if function is None or function.formula is None:
            raise NumbersError(error(f"functions/{name}", "the function has no formula"))
        others = dict(self.symbols)
        if not any(orders):
            others |= dict(zip(function.arguments, args, strict=True))
            inner = SeriesFormulas(others, tuple(self.functions.values()), self.orders, self.count)
            return inner.exact(function.formula)
        if len(args) > 1:
            (formula,) = define([node], self.functions.values())
            return self.exact(formula)
        longer = self.orders + orders[0]
        x = args[0].c[0]
        one = np.full_like(x, exact(1))
        zeros = [np.zeros_like(x)] * (longer - 2)
        others = {n: constant(s.c[0], longer) for n, s in others.items()}
        others[function.arguments[0]] = Series((x, one, *zeros))
        series = SeriesFormulas(others, tuple(self.functions.values()), longer, self.count).exact(function.formula)
        for _ in range(orders[0]):
            series = series.derivative()
        return series.compose(args[0])


def _sin(x: Series) -> Series:
    return sine_cosine(x)[0]


def _cos(x: Series) -> Series:
    return sine_cosine(x)[1]


def _tan(x: Series) -> Series:
    s, c = sine_cosine(x)
    return s / c


def _log(x: Series) -> Series:
    return integrate(elementary("log"), lambda y: _one(y) / y, x)


def _asin(x: Series) -> Series:
    return integrate(elementary("asin"), lambda y: _one(y) / square_root(_one(y) - y * y), x)


def _acos(x: Series) -> Series:
    return integrate(elementary("acos"), lambda y: -(_one(y) / square_root(_one(y) - y * y)), x)


def _atan(x: Series) -> Series:
    return integrate(elementary("atan"), lambda y: _one(y) / (_one(y) + y * y), x)


def _atan2(y: Series, x: Series) -> Series:
    start = elementary("atan2")(y.c[0], x.c[0])
    if len(x.c) == 1:
        return Series((start,))
    n = len(x.c) - 1
    rate = (x.cut(n) * y.derivative() - y.cut(n) * x.derivative()) / (x.cut(n) * x.cut(n) + y.cut(n) * y.cut(n))
    return keep_constants(rate.integral(start), y, x)


def _abs(x: Series) -> Series:
    return piecewise(x, sign(x.c[0]))


def _sign(x: Series) -> Series:
    return constant(sign(x.c[0]), len(x.c))


def _one(x: Series) -> Series:
    return constant(np.ones_like(x.c[0]), len(x.c))


FUNCTIONS: dict[str, Callable[..., Series]] = {
    "sin": _sin, "cos": _cos, "tan": _tan, "asin": _asin, "acos": _acos, "atan": _atan, "atan2": _atan2,
    "sqrt": square_root, "exp": exponential, "log": _log, "abs": _abs, "sign": _sign,
}  # fmt: skip


def _float(exact: Fraction) -> float:
    """Return the float nearest to a rational number; infinite if it is out of range."""
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


#: Value, rate and half the second rate.
ORDERS = 3


def bind(
    system: System, states: Sequence[State], at_rest: bool, before: SeriesFormulas | None = None
) -> SeriesFormulas:  # fmt: skip
    """Return an evaluator of a model's formulas at states; coordinates move with q, q' and q'' (``at_rest``: q'' = 0).

    Symbols: parameters; t; every coordinate q and, as a separate series, its rate q'. ``before`` is an evaluator at
    other states, as many and with the same parameters: its constants are not computed again.
    """
    count = len(states)
    constants = before.constants if before else Constants(_list_fixed(system))
    symbols = {name: before.symbols[name] for name in constants.fixed} if before else dict[str, Series]()

    t = np.array([float(s.t) for s in states])
    symbols["t"] = Series((t, np.ones(count), np.zeros(count)))
    _parameters(system, states, symbols)
    start = SeriesFormulas(symbols, system.functions, ORDERS, count, constants)
    for c in system.coordinates:
        q = _read_values(states, "q", c.name, start.value(c.position))
        v = _read_values(states, "v", c.name, start.value(c.velocity))
        a = np.zeros(count) if at_rest else _read_values(states, "a", c.name, np.zeros(count))
        symbols[c.name] = Series((q, v, a / 2))
        symbols[c.name + "'"] = Series((v, a, np.zeros(count)))
    return SeriesFormulas(symbols, system.functions, ORDERS, count, constants)


def _list_fixed(system: System) -> set[str]:
    """Return the parameters that follow neither the time, nor others that do, nor functions."""
    given = {p.name: p.value if p.varies is None else p.varies for p in system.parameters}
    fixed = {name for name, value in given.items() if value is None}
    while more := {n for n, value in given.items() if value is not None and n not in fixed and _is_fixed(value, fixed)}:
        fixed |= more
    return fixed


def _is_fixed(formula: Expression, fixed: set[str]) -> bool:
    """Return True if a formula has no symbols but ``fixed`` ones, and no functions."""
    waiting, seen = [formula], {formula}
    while waiting:
        node = waiting.pop()
        if node.op == "call" or (node.op == "sym" and node.data not in fixed):
            return False
        waiting += (new := set(node.args) - seen)
        seen |= new
    return True


def _read_values(states: Sequence[State], group: str, name: str, otherwise: Array) -> Array:
    return np.array([float(getattr(s, group).get(name, x)) for s, x in zip(states, otherwise, strict=True)])


def _parameters(system: System, states: Sequence[State], symbols: dict[str, Series]) -> None:
    """Add values of parameters to ``symbols``: those of the states, else of the model, constants before formulas."""
    waiting: dict[str, Expression] = {}
    for p in (p for p in system.parameters if p.name not in symbols):
        if all(p.name in s.parameters for s in states):
            symbols[p.name] = _set(p.name, states, constant(np.zeros(len(states)), 1))
        elif (value := p.value if p.varies is None else p.varies) is None:
            raise NumbersError(error(f"parameters/{p.name}", "it has no value"))
        else:
            waiting[p.name] = value
    while waiting:
        formulas, left = SeriesFormulas(symbols, system.functions, ORDERS, len(states)), len(waiting)
        for name in list(waiting):
            try:
                symbols[name] = _set(name, states, formulas.exact(waiting[name]))
            except NumbersError:
                continue
            del waiting[name]
        if len(waiting) == left:
            raise NumbersError(error(f"parameters/{next(iter(waiting))}", "its value cannot be computed"))


def _set(name: str, states: Sequence[State], otherwise: Series) -> Series:
    """Return the values of a parameter as a series: those that the states have, else those of its formula."""
    given = [s.parameters.get(name) for s in states]
    if len({*given}) == 1:  # then of all states at once
        return constant(otherwise.c[0] if given[0] is None else np.array(given[:1], dtype=object), ORDERS)
    known = np.broadcast_to(otherwise.c[0], (len(states),))
    values = [x if own is None else own for own, x in zip(given, known, strict=True)]
    return constant(np.array(values, dtype=object), ORDERS)
