"""The expression graph: immutable, hash-consed nodes, simplified locally when they are built.

Equal subexpressions are one object, so ``is`` (and ``==``) decides structural equality and sharing is
free. Sums and products are binary and kept in a canonical order; they are never flattened, because a
partial sum that two results share is the saving this graph exists for. A sign travels outwards:
``b - a`` is the negation of ``a - b``. Numbers are exact rationals and pi is a node; floats appear
only when a graph is evaluated (:mod:`mbconcord.model.expressions.evaluate`).

Operations are module functions (:func:`add`, :func:`mul`, :func:`power`, :func:`apply`, …) and, for
readable mathematics, the operators of :class:`Expression`.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from hashlib import blake2b
from operator import attrgetter
from typing import Any, Final, Union

# Kinds of node. They are compared with `is`.
NUM: Final = "num"  # data: Fraction
PI: Final = "pi"
SYM: Final = "sym"  # data: name
NEG: Final = "neg"  # args: (a,)
ADD: Final = "add"  # args: (a, b)
MUL: Final = "mul"  # args: (a, b)
POW: Final = "pow"  # args: (a, b)
FUN: Final = "fun"  # data: one of FUNCTIONS, args: (a,) or (a, b)
CALL: Final = "call"  # data: (name, orders): partial derivative of an undefined function

#: Elementary functions and how many arguments each takes.
FUNCTIONS: Final = {
    "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2,
    "sqrt": 1, "exp": 1, "log": 1, "abs": 1, "sign": 1,
}  # fmt: skip

Scalar = Union["Expression", int, float, Fraction]


class ExpressionError(ValueError):
    """An expression that has no meaning: division by zero, a function of the wrong arity, NaN."""


class Expression:
    """One node of the graph. Make nodes with the functions of this module, never directly.

    Attributes
    ----------
    op : str
        Kind of node, one of the constants of this module.
    args : tuple of Expression
        Operands.
    data : Fraction, str, tuple or None
        Value of a number, name of a symbol or function, ``(name, orders)`` of a call.
    rank : int
        Hash of the structure, equal in every process: the canonical order of operands.
    constant : bool
        True when no symbol and no undefined function stands below this node.
    """

    __slots__ = ("__weakref__", "args", "constant", "data", "op", "rank")

    op: str
    args: tuple[Expression, ...]
    data: Any
    rank: int
    constant: bool

    def __add__(self, other: Scalar) -> Expression:
        return add(self, other if other.__class__ is Expression else as_expression(other))

    def __radd__(self, other: Scalar) -> Expression:
        return add(as_expression(other), self)

    def __sub__(self, other: Scalar) -> Expression:
        return add(self, neg(other if other.__class__ is Expression else as_expression(other)))

    def __rsub__(self, other: Scalar) -> Expression:
        return add(as_expression(other), neg(self))

    def __mul__(self, other: Scalar) -> Expression:
        return mul(self, other if other.__class__ is Expression else as_expression(other))

    def __rmul__(self, other: Scalar) -> Expression:
        return mul(as_expression(other), self)

    def __truediv__(self, other: Scalar) -> Expression:
        return div(self, as_expression(other))

    def __rtruediv__(self, other: Scalar) -> Expression:
        return div(as_expression(other), self)

    def __pow__(self, other: Scalar) -> Expression:
        return power(self, as_expression(other))

    def __rpow__(self, other: Scalar) -> Expression:
        return power(as_expression(other), self)

    def __neg__(self) -> Expression:
        return neg(self)

    def __pos__(self) -> Expression:
        return self

    def __bool__(self) -> bool:
        """Whether this is anything but the number zero (so ``if x`` skips structural zeros)."""
        return self is not ZERO

    def __str__(self) -> str:
        from .text import to_text

        return to_text(self)

    def __repr__(self) -> str:
        from .text import short_text

        return f"<{short_text(self)}>"

    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: object) -> Expression:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from .exchange import dumps, load_one

        return load_one, (dumps([self]),)

    @property
    def value(self) -> Fraction:
        """The exact value of a number node; :class:`ExpressionError` for any other node."""
        if self.op is not NUM:
            raise ExpressionError(f"{self} is not a number")
        value: Fraction = self.data
        return value


class _Entry(weakref.ref[Expression]):
    """Weak entry of the table of all nodes; knows its key, so that it can leave the table."""

    __slots__ = ("key",)
    key: tuple[Any, ...]


_nodes: dict[tuple[Any, ...], _Entry] = {}


def _forget(entry: Any) -> None:
    if _nodes.get(entry.key) is entry:
        del _nodes[entry.key]


_OP_RANK = {op: i * 0x1F3D5B79 + 17 for i, op in enumerate((NUM, PI, SYM, NEG, ADD, MUL, POW, FUN, CALL))}


def _text_rank(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big")


def _intern(op: str, args: tuple[Expression, ...], data: Any) -> Expression:
    key = (op, args, data)
    entry = _nodes.get(key)
    if entry is not None:
        node = entry()
        if node is not None:
            return node
    node = Expression.__new__(Expression)
    node.op = op
    node.args = args
    node.data = data
    if len(args) == 2 and data is None:
        a, b = args
        node.constant = a.constant and b.constant
        node.rank = hash((_OP_RANK[op], a.rank, b.rank))
    elif args:
        node.constant = op is not CALL and all([arg.constant for arg in args])
        ranks = [arg.rank for arg in args]
        if data is not None:
            ranks.append(_text_rank(repr(data)))
        node.rank = hash((_OP_RANK[op], *ranks))
    else:
        node.constant = op is NUM or op is PI
        node.rank = hash((_OP_RANK[op], _text_rank(repr(data))))
    entry = _Entry(node, _forget)
    entry.key = key
    _nodes[key] = entry
    return node


def number(value: int | Fraction | str) -> Expression:
    """Exact number: an integer, a fraction, or a decimal text such as ``"2.4e-06"``."""
    if value.__class__ is not Fraction:
        value = Fraction(value)
    return _intern(NUM, (), value)


def symbol(name: str) -> Expression:
    """Named quantity: parameter ``m1``, coordinate ``z1``, its rate ``z1'``, its acceleration ``z1''``, ``t``."""
    if not name:
        raise ExpressionError("a symbol needs a name")
    return _intern(SYM, (), name)


def as_expression(value: Scalar | str) -> Expression:
    """Expression of a number. A float means the decimal that prints it (0.1 is one tenth)."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ExpressionError(f"{value} is not a number")
        return number(repr(value))
    if isinstance(value, (int, Fraction)):
        return number(value)
    if hasattr(value, "__float__"):
        return as_expression(float(value))
    raise ExpressionError(f"{value!r} is not a number or an expression")


ZERO: Final = number(0)
ONE: Final = number(1)
MINUS_ONE: Final = number(-1)
TWO: Final = number(2)
HALF: Final = number(Fraction(1, 2))
PI_NODE: Final = _intern(PI, (), None)
TIME: Final = symbol("t")
_F0, _F1 = Fraction(0), Fraction(1)


def neg(a: Expression) -> Expression:
    """-a."""
    if a.op is NEG:
        return a.args[0]
    if a.op is NUM:
        return number(-a.data)
    return _intern(NEG, (a,), None)


def add(a: Expression, b: Expression) -> Expression:
    """a + b."""
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    a_op, b_op = a.op, b.op
    minus_a, minus_b = a_op is NEG, b_op is NEG
    x = a.args[0] if minus_a else a
    y = b.args[0] if minus_b else b
    if a_op is NUM or b_op is NUM:
        if a_op is b_op:
            return number(a.data + b.data)
        # A number inside the other sum is folded: 2 + (3 + x) = 5 + x.
        n, s, minus = (a, y, minus_b) if a_op is NUM else (b, x, minus_a)
        if s.op is ADD:
            p, r = s.args
            inner, rest = (p, r) if p.op is NUM else (r, p)
            if inner.op is NUM:
                if minus:
                    return add(number(n.data - inner.data), neg(rest))
                return add(number(n.data + inner.data), rest)
        if a_op is NUM and a.data < 0:
            minus_a, x = True, number(-a.data)
        elif b_op is NUM and b.data < 0:
            minus_b, y = True, number(-b.data)
    if x is y:
        if minus_a is not minus_b:
            return ZERO
        both = mul(TWO, x)
        return neg(both) if minus_a else both
    folded = _fold_sum(x, y, minus_a, minus_b)
    if folded is not None:
        return folded
    if x.rank > y.rank:
        x, y, minus_a, minus_b = y, x, minus_b, minus_a
    node = _intern(ADD, (x, neg(y) if minus_a is not minus_b else y), None)
    return _intern(NEG, (node,), None) if minus_a else node


def _fold_sum(x: Expression, y: Expression, minus_x: bool, minus_y: bool) -> Expression | None:
    """Sum of ±x and ±y where one step shortens it: like terms, a cancelling term, sin² + cos²."""
    x_op, y_op = x.op, y.op
    if x_op is MUL or y_op is MUL:
        cx, bx = _coefficient(x)
        cy, by = _coefficient(y)
        if bx is by:
            return mul(number((-cx if minus_x else cx) + (-cy if minus_y else cy)), bx)
    if x_op is ADD:
        rest = _cancel(x, y, minus_x, minus_y)
        if rest is not None:
            return rest
    if y_op is ADD:
        rest = _cancel(y, x, minus_y, minus_x)
        if rest is not None:
            return rest
    if x_op is POW or y_op is POW or (x_op is MUL and y_op is MUL):
        return _fold_trigonometry(x, y, minus_x, minus_y)
    return None


def _coefficient(a: Expression) -> tuple[Fraction, Expression]:
    if a.op is MUL and a.args[0].op is NUM:
        return a.args[0].data, a.args[1]
    return _F1, a


def _cancel(total: Expression, term: Expression, minus_total: bool, minus_term: bool) -> Expression | None:
    """±(p + r) ± term where the term cancels p or r."""
    p, r = total.args
    # The term cancels p when (sign of total) p = -(sign of term) term.
    opposite = term if minus_total is not minus_term else neg(term)
    if p is opposite:
        return neg(r) if minus_total else r
    if r is opposite:
        return neg(p) if minus_total else p
    return None


def _squared_trigonometry(a: Expression) -> tuple[Expression, str, Expression] | None:
    """(factor, function, argument) of factor * sin(argument)² or cos; also of (c * sin(argument))²."""
    if a.op is POW:
        base, exponent = a.args
        if exponent is not TWO:
            return None
        if base.op is FUN and (base.data == "sin" or base.data == "cos"):
            return ONE, base.data, base.args[0]
        if base.op is MUL:
            for i in (0, 1):
                f = base.args[i]
                if f.op is FUN and (f.data == "sin" or f.data == "cos"):
                    return power(base.args[1 - i], TWO), f.data, f.args[0]
    elif a.op is MUL:
        for i in (0, 1):
            f = a.args[i]
            if f.op is POW:
                found = _squared_trigonometry(f)
                if found is not None:
                    return mul(found[0], a.args[1 - i]), found[1], found[2]
    return None


def _fold_trigonometry(x: Expression, y: Expression, minus_x: bool, minus_y: bool) -> Expression | None:
    one = x if x is ONE else y if y is ONE else None
    if one is not None:  # 1 - sin² = cos²
        other, minus_other, minus_one = (y, minus_y, minus_x) if one is x else (x, minus_x, minus_y)
        found = _squared_trigonometry(other)
        if found is None or found[0] is not ONE or minus_other is minus_one:
            return None
        rest = power(apply("cos" if found[1] == "sin" else "sin", found[2]), TWO)
        return neg(rest) if minus_one else rest
    if minus_x is not minus_y:
        return None
    fx = _squared_trigonometry(x)
    if fx is None:
        return None
    fy = _squared_trigonometry(y)
    if fy is None or fx[0] is not fy[0] or fx[2] is not fy[2] or fx[1] == fy[1]:
        return None
    return neg(fx[0]) if minus_x else fx[0]


def mul(a: Expression, b: Expression) -> Expression:
    """a * b."""
    if a is ONE or b is ZERO:
        return b
    if b is ONE or a is ZERO:
        return a
    a_op, b_op = a.op, b.op
    minus = False
    if a_op is NEG:
        minus, a = True, a.args[0]
        a_op = a.op
    if b_op is NEG:
        minus, b = not minus, b.args[0]
        b_op = b.op
    if a_op is NUM or b_op is NUM:
        if a_op is b_op:
            value = a.data * b.data
            return number(-value if minus else value)
        if b_op is NUM:
            a, b, b_op = b, a, a_op
        value = a.data
        if not value:
            return ZERO
        if b_op is MUL and b.args[0].op is NUM:
            value = value * b.args[0].data
            b = b.args[1]
        if value < 0:
            value, minus = -value, not minus
        if value == _F1:
            return neg(b) if minus else b
        node = _intern(MUL, (number(value), b), None)
        return _intern(NEG, (node,), None) if minus else node
    if a is b or a_op is POW or b_op is POW:
        merged = _merge_powers(a, b)
        if merged is not None:
            return neg(merged) if minus else merged
    if a.rank > b.rank:
        a, b = b, a
    node = _intern(MUL, (a, b), None)
    return _intern(NEG, (node,), None) if minus else node


def _merge_powers(a: Expression, b: Expression) -> Expression | None:
    """x^m x^n as x^(m+n), for integers m, n."""
    base_a, m = _integer_power(a)
    base_b, n = _integer_power(b)
    if base_a is base_b:
        return power(base_a, number(m + n))
    if n == -1 and a.op is MUL:  # (x y) / x
        if a.args[0] is base_b:
            return a.args[1]
        if a.args[1] is base_b:
            return a.args[0]
    if m == -1 and b.op is MUL:
        if b.args[0] is base_a:
            return b.args[1]
        if b.args[1] is base_a:
            return b.args[0]
    return None


def _integer_power(a: Expression) -> tuple[Expression, Fraction]:
    if a.op is POW:
        exponent = a.args[1]
        if exponent.op is NUM and exponent.data.denominator == 1:
            return a.args[0], exponent.data
    return a, _F1


def div(a: Expression, b: Expression) -> Expression:
    """a / b, kept as a * b^-1."""
    if b.op is NUM:
        if not b.data:
            raise ExpressionError("division by zero")
        return mul(a, number(1 / b.data))
    if a is b:
        return ONE
    return mul(a, power(b, MINUS_ONE))


def power(a: Expression, b: Expression) -> Expression:
    """a ^ b."""
    if b.op is NUM:
        n: Fraction = b.data
        if not n:
            return ONE
        if n == _F1:
            return a
        if a.op is NUM:
            if not a.data and n < 0:
                raise ExpressionError("division by zero")
            if n.denominator == 1 and abs(n.numerator) <= 4096:
                return number(a.data**n.numerator)
            if a is ONE:
                return ONE
        if n.denominator == 1:
            if a.op is NEG:
                even = power(a.args[0], b)
                return even if n.numerator % 2 == 0 else neg(even)
            if a.op is POW and a.args[1].op is NUM and a.args[1].data.denominator == 1:
                return power(a.args[0], number(a.args[1].data * n))
            if a.op is FUN and a.data == "sqrt" and n.numerator % 2 == 0:
                return power(a.args[0], number(n / 2))
        elif n == Fraction(1, 2):
            return apply("sqrt", a)
    return _intern(POW, (a, b), None)


def _half_turns(a: Expression) -> Fraction | None:
    """The rational r with a = r·pi, if a is such a multiple."""
    if a is PI_NODE:
        return _F1
    if a.op is MUL and a.args[1] is PI_NODE and a.args[0].op is NUM:
        value: Fraction = a.args[0].data
        return value
    return _F0 if a is ZERO else None


def apply(name: str, *args: Expression) -> Expression:
    """Elementary function, one of :data:`FUNCTIONS`, of its argument(s)."""
    arity = FUNCTIONS.get(name)
    if arity is None:
        raise ExpressionError(f"unknown function {name}; known: {', '.join(FUNCTIONS)}")
    if len(args) != arity:
        raise ExpressionError(f"{name} takes {arity} argument{'s' * (arity > 1)}, not {len(args)}")
    a = args[0]
    if name in ("sin", "cos"):
        if a.op is NEG:
            return neg(apply("sin", a.args[0])) if name == "sin" else apply("cos", a.args[0])
        if a.op is NUM and a.data < 0:
            return neg(apply("sin", neg(a))) if name == "sin" else apply("cos", neg(a))
        turns = _half_turns(a)
        if turns is not None and (turns * 2).denominator == 1:
            quarter = (turns.numerator * (2 // turns.denominator) + (name == "cos")) % 4
            return (ZERO, ONE, ZERO, MINUS_ONE)[quarter]
    elif name in ("tan", "asin", "atan", "sign"):
        if a is ZERO:
            return ZERO
        if a.op is NEG:
            return neg(apply(name, a.args[0]))
        if name == "sign" and a.op is NUM:
            return ONE if a.data > 0 else MINUS_ONE
    elif name == "sqrt":
        if a.op is NUM:
            if a.data < 0:
                raise ExpressionError(f"square root of the negative number {a.data}")
            p, q = math.isqrt(a.data.numerator), math.isqrt(a.data.denominator)
            if p * p == a.data.numerator and q * q == a.data.denominator:
                return number(Fraction(p, q))
    elif name == "abs":
        if a.op is NEG:
            return apply("abs", a.args[0])
        if a.op is NUM:
            return number(abs(a.data))
    elif name == "exp" and a is ZERO:
        return ONE
    elif name == "log" and a.op is NUM:
        if a is ONE:
            return ZERO
        if a.data <= 0:
            raise ExpressionError(f"logarithm of {a.data}")
    return _intern(FUN, args, name)


def call(name: str, args: Iterable[Expression], orders: Iterable[int] | None = None) -> Expression:
    """Undefined function of its arguments, or a partial derivative of it.

    ``orders[i]`` says how often the function is differentiated with respect to its i-th argument:
    ``call("JK", [TIME], [2])`` is JK''(t).
    """
    arguments = tuple(args)
    counts = tuple(orders) if orders is not None else (0,) * len(arguments)
    if len(counts) != len(arguments) or not arguments:
        raise ExpressionError(f"{name}: one order of differentiation per argument, and at least one argument")
    return _intern(CALL, arguments, (name, counts))


def sin(a: Scalar) -> Expression:
    """Sine."""
    return apply("sin", as_expression(a))


def cos(a: Scalar) -> Expression:
    """Cosine."""
    return apply("cos", as_expression(a))


def sqrt(a: Scalar) -> Expression:
    """Square root."""
    return apply("sqrt", as_expression(a))


def rate(name: str, order: int = 1) -> Expression:
    """Symbol of a coordinate's time derivative: ``z1'`` (order 1), ``z1''`` (order 2)."""
    return symbol(name + "'" * order)


def topological(
    outputs: Iterable[Expression],
    operands: Callable[[Expression], tuple[Expression, ...]] = attrgetter("args"),
) -> list[Expression]:
    """All nodes at and below the outputs, each once, operands before their users (no recursion).

    ``operands`` says what stands below a node; it is called once for every node.
    """
    order: list[Expression] = []
    seen: set[Expression] = set()
    stack: list[tuple[Expression, Iterator[Expression]]] = []
    for output in outputs:
        if output in seen:
            continue
        seen.add(output)
        stack.append((output, iter(operands(output))))
        while stack:
            node, rest = stack[-1]
            for arg in rest:
                if arg not in seen:
                    seen.add(arg)
                    below = operands(arg)
                    if below:
                        stack.append((arg, iter(below)))
                        break
                    order.append(arg)
            else:
                stack.pop()
                order.append(node)
    return order


def count_nodes(output: Expression, limit: int | None = None) -> int:
    """Number of different nodes at and below the output; stops counting at the limit."""
    seen = {output}
    stack = [output]
    while stack and (limit is None or len(seen) < limit):
        for arg in stack.pop().args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return len(seen)


def symbols(outputs: Iterable[Expression]) -> frozenset[str]:
    """Names of the symbols at and below the outputs."""
    return frozenset(node.data for node in topological(outputs) if node.op is SYM)


def undefined_functions(outputs: Iterable[Expression]) -> frozenset[str]:
    """Names of the undefined functions at and below the outputs."""
    return frozenset(node.data[0] for node in topological(outputs) if node.op is CALL)
