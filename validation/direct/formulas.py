"""Formulas of a model as series: an evaluator of its own, node by node, over arrays of states."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from mbconcord.model.coordinate import Function
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.functions import define

from .series import (
    Array,
    Series,
    constant,
    exponential,
    integrated,
    piecewise,
    sine_cosine,
    square_root,
)


class Formulas:
    """Evaluates formulas at N states, each as a series of so many coefficients.

    Parameters
    ----------
    symbols : name -> series
    functions : the model's functions, with their formulas
    orders : how many coefficients are kept: 1 for values, 3 for values with two rates
    """

    def __init__(
        self, symbols: Mapping[str, Series], functions: Sequence[Function], orders: int, count: int
    ) -> None:
        self.symbols = symbols
        self.functions = {f.name: f for f in functions}
        self.orders, self.count = orders, count
        self._known: dict[Expression, Series] = {}

    def of(self, expression: Expression) -> Series:
        """The series of one formula."""
        waiting = [expression]
        while waiting:
            node = waiting[-1]
            missing = [a for a in node.args if a not in self._known]
            if node in self._known:
                waiting.pop()
            elif missing:
                waiting += missing
            else:
                with np.errstate(all="ignore"):
                    self._known[node] = self._node(node, [self._known[a] for a in node.args])
                waiting.pop()
        return self._known[expression]

    def value(self, expression: Expression) -> Array:
        """The value of one formula (N,)."""
        return self.of(expression).c[0]

    def values(self, expressions: Iterable[Expression]) -> Array:
        """Values (N, k) of k formulas."""
        return np.stack([self.value(e) for e in expressions], axis=1)

    def _node(self, node: Expression, args: list[Series]) -> Series:
        match node.op:
            case "num":
                return self._number(_float(node.data))
            case "pi":
                return self._number(np.pi)
            case "sym":
                if node.data not in self.symbols:
                    raise NumbersError(error("formulas", f"no value for {node.data}"))
                return self.symbols[node.data].cut(self.orders)
            case "neg":
                return -args[0]
            case "add":
                return args[0] + args[1]
            case "mul":
                return args[0] * args[1]
            case "pow":
                return self._power(args[0], node.args[1], args[1])
            case "fun":
                return FUNCTIONS[node.data](*args)
            case "call":
                return self._call(node, args)
        raise NumbersError(error("formulas", f"no meaning of {node.op}"))

    def _number(self, value: float) -> Series:
        return constant(np.full(self.count, value), self.orders)

    def _power(self, base: Series, exponent: Expression, power: Series) -> Series:
        if exponent.op == "num" and exponent.data.denominator == 1:
            n = int(exponent.data)
            total = self._number(1.0)
            for _ in range(abs(n)):
                total = total * base
            return self._number(1.0) / total if n < 0 else total
        if exponent.op == "num" and exponent.data.denominator == 2:
            root = self._power(base, exponent * 2, self._number(float(2 * exponent.data)))
            return square_root(root)
        return exponential(power * _log(base))

    def _call(self, node: Expression, args: list[Series]) -> Series:
        """A function of the model: its formula at the arguments; a derivative by its series in the argument.

        A partial derivative of a function of several arguments is that of its formula on the graph.
        """
        name, orders = node.data
        function = self.functions.get(name)
        if function is None or function.formula is None:
            raise NumbersError(error(f"functions/{name}", "the function has no formula"))
        others = dict(self.symbols)
        if not any(orders):
            others |= dict(zip(function.arguments, args, strict=True))
            inner = Formulas(others, tuple(self.functions.values()), self.orders, self.count)
            return inner.of(function.formula)
        if len(args) > 1:
            (formula,) = define([node], self.functions.values())
            return self.of(formula)
        longer = self.orders + orders[0]
        x, one = args[0].c[0], np.ones(self.count)
        zeros = [np.zeros(self.count)] * (longer - 2)
        others = {n: constant(s.c[0], longer) for n, s in others.items()}
        others[function.arguments[0]] = Series((x, one, *zeros))
        series = Formulas(others, tuple(self.functions.values()), longer, self.count).of(function.formula)
        for _ in range(orders[0]):
            series = series.derivative()
        return series.at(args[0])


def _sin(x: Series) -> Series:
    return sine_cosine(x)[0]


def _cos(x: Series) -> Series:
    return sine_cosine(x)[1]


def _tan(x: Series) -> Series:
    s, c = sine_cosine(x)
    return s / c


def _log(x: Series) -> Series:
    return integrated(np.log, lambda y: _one(y) / y, x)


def _asin(x: Series) -> Series:
    return integrated(np.arcsin, lambda y: _one(y) / square_root(_one(y) - y * y), x)


def _acos(x: Series) -> Series:
    return integrated(np.arccos, lambda y: -(_one(y) / square_root(_one(y) - y * y)), x)


def _atan(x: Series) -> Series:
    return integrated(np.arctan, lambda y: _one(y) / (_one(y) + y * y), x)


def _atan2(y: Series, x: Series) -> Series:
    start = np.arctan2(y.c[0], x.c[0])
    if len(x.c) == 1:
        return Series((start,))
    n = len(x.c) - 1
    rate = (x.cut(n) * y.derivative() - y.cut(n) * x.derivative()) / (
        x.cut(n) * x.cut(n) + y.cut(n) * y.cut(n)
    )
    return rate.integral(start)


def _abs(x: Series) -> Series:
    return piecewise(x, np.sign(x.c[0]))


def _sign(x: Series) -> Series:
    return constant(np.sign(x.c[0]), len(x.c))


def _one(x: Series) -> Series:
    return constant(np.ones_like(x.c[0]), len(x.c))


FUNCTIONS: dict[str, Callable[..., Series]] = {
    "sin": _sin, "cos": _cos, "tan": _tan, "asin": _asin, "acos": _acos, "atan": _atan, "atan2": _atan2,
    "sqrt": square_root, "exp": exponential, "log": _log, "abs": _abs, "sign": _sign,
}  # fmt: skip


def _float(exact: Fraction) -> float:
    """The nearest float; infinite beyond their range."""
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
