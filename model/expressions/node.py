"""The nodes of the expression graph: immutable, hash-consed, with numbers as exact rationals.

Equal subexpressions are one object, so ``is`` (and ``==``) decides structural equality and sharing is free. The
operations that make nodes, with their local simplifications, are in :mod:`.algebra`; readable mathematics uses the
operators of :class:`Expression`. Floats appear only when a graph is evaluated (:mod:`.evaluate`). This module does not
import those that are built on it: they register the operators and the printer here (:func:`operators`,
:func:`writing`).

The table of nodes holds them weakly: unused nodes are freed, unless a process asks for less (:func:`forget_nodes`). It
is not locked; build graphs in one thread at a time.
"""

from __future__ import annotations

import math
import re
import weakref
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from typing import Any, Final, Union

from ..limits import COUNT_DIGITS, NUMBER_BITS

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
    """Meaningless expression: division by zero, a function of the wrong arity, NaN."""


class RangeError(ExpressionError):
    """A number beyond the range of floats."""


class Expression:
    """One node of the graph. Make nodes with operators and the functions of the package, never directly.

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
        True if this node contains no symbol and no undefined function.
    """

    __slots__ = ("__weakref__", "args", "constant", "data", "op", "rank")

    op: str
    args: tuple[Expression, ...]
    data: Any
    rank: int
    constant: bool

    def __add__(self, other: Scalar) -> Expression:
        return _add(self, other if other.__class__ is Expression else as_expression(other))

    def __radd__(self, other: Scalar) -> Expression:
        return _add(as_expression(other), self)

    def __sub__(self, other: Scalar) -> Expression:
        return _subtract(self, other if other.__class__ is Expression else as_expression(other))

    def __rsub__(self, other: Scalar) -> Expression:
        return _subtract(as_expression(other), self)

    def __mul__(self, other: Scalar) -> Expression:
        return _mul(self, other if other.__class__ is Expression else as_expression(other))

    def __rmul__(self, other: Scalar) -> Expression:
        return _mul(as_expression(other), self)

    def __truediv__(self, other: Scalar) -> Expression:
        return _div(self, as_expression(other))

    def __rtruediv__(self, other: Scalar) -> Expression:
        return _div(as_expression(other), self)

    def __pow__(self, other: Scalar) -> Expression:
        return _power(self, as_expression(other))

    def __rpow__(self, other: Scalar) -> Expression:
        return _power(as_expression(other), self)

    def __neg__(self) -> Expression:
        return _neg(self)

    def __pos__(self) -> Expression:
        return self

    def __bool__(self) -> bool:
        """Return True unless this is the number zero (so ``if x`` skips structural zeros)."""
        return self is not ZERO

    def __str__(self) -> str:
        return _full_text(self)

    def __repr__(self) -> str:
        return f"<{_short_text(self)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        found: tuple[Any, ...] = import_module(f"{__package__}.exchange").reduce_node(self)
        return found

    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: object) -> Expression:
        return self

    @property
    def value(self) -> Fraction:
        """The exact value of a number node; :class:`ExpressionError` for any other node."""
        if self.op is not NUM:
            raise ExpressionError(f"{self!r} is not a number")
        value: Fraction = self.data
        return value


Operation = Callable[[Expression, Expression], Expression]

_add: Operation
_subtract: Operation
_mul: Operation
_div: Operation
_power: Operation
_neg: Callable[[Expression], Expression]
_full_text: Callable[[Expression], str]
_short_text: Callable[[Expression], str]


def operators(
    *,
    add: Operation,
    subtract: Operation,
    mul: Operation,
    div: Operation,
    power: Operation,
    neg: Callable[[Expression], Expression],
) -> None:
    """Register the functions for the operators of :class:`Expression`; :mod:`.algebra`, built on nodes, calls this."""
    global _add, _subtract, _mul, _div, _power, _neg
    _add, _subtract, _mul, _div, _power, _neg = add, subtract, mul, div, power, neg


def writing(*, full: Callable[[Expression], str], short: Callable[[Expression], str]) -> None:
    """Register the function by which ``str`` and ``repr`` write a node; :mod:`.text` calls this."""
    global _full_text, _short_text
    _full_text, _short_text = full, short


class NodeEntry(weakref.ref[Expression]):
    """Weak entry of a table of nodes, with its place, so that it can be removed."""

    __slots__ = ("key", "table")
    key: Hashable
    table: dict[Any, NodeEntry]


def _forget(entry: Any) -> None:
    if entry.table.get(entry.key) is entry:
        del entry.table[entry.key]


_at_its_end: Callable[[Any], None] | None = _forget


def forget_nodes(on: bool) -> None:
    """Choose whether new nodes leave their table when they are no longer used.

    A process that makes one graph and ends saves time if nodes stay. Earlier nodes that are freed are made anew when
    needed; their operands stay.
    """
    global _at_its_end
    _at_its_end = _forget if on else None


#: A table of nodes: what a node is made of -> the node.
Table = dict[Any, NodeEntry]

_leaves: Table = {}
_numbers: Table = {}
_others: Table = {}

OP_RANK: Final = {op: i * 0x1F3D5B79 + 17 for i, op in enumerate((NUM, PI, SYM, NEG, ADD, MUL, POW, FUN, CALL))}


@lru_cache(maxsize=4096)
def _text_rank(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big")


def new(
    table: Table, key: Hashable, op: str, args: tuple[Expression, ...], data: Any, constant: bool, rank: int
) -> Expression:
    """Make a new node and enter it in its table."""
    node = Expression.__new__(Expression)
    node.op = op
    node.args = args
    node.data = data
    node.constant = constant
    node.rank = rank
    entry = table[key] = NodeEntry(node, _at_its_end)
    entry.key = key
    entry.table = table
    return node


def intern(op: str, args: tuple[Expression, ...], data: Any) -> Expression:
    """Return the node with exactly these operands and data; a general way, for kinds of nodes that are made rarely."""
    key = (op, args, data)
    entry = _others.get(key)
    node = entry() if entry is not None else None
    if node is None:
        rank = hash((OP_RANK[op], *[arg.rank for arg in args], _text_rank(repr(data))))
        constant = op is not CALL and all(arg.constant for arg in args)
        node = new(_others, key, op, args, data, constant, rank)
    return node


def _leaf(op: str, data: str | None) -> Expression:
    entry = _leaves.get((op, data))
    node = entry() if entry is not None else None
    if node is None:
        rank = hash((OP_RANK[op], _text_rank(repr(data))))
        node = new(_leaves, (op, data), op, (), data, op is PI, rank)
    return node


def number(value: int | Fraction | str) -> Expression:
    """Make an exact number: an integer, a fraction, or a decimal text such as ``"2.4e-06"``.

    Raises
    ------
    ExpressionError
        The text is not a number, or the number has thousands of digits.
    """
    if isinstance(value, str):
        value = _read_short(value) if len(value) <= SHORT else _read_number(value)
    key = (value.numerator, value.denominator)
    entry = _numbers.get(key)
    node = entry() if entry is not None else None
    if node is None:
        if max(key[0].bit_length(), key[1].bit_length()) > NUMBER_BITS:
            raise ExpressionError(f"a number has more than {NUMBER_BITS:,} bits")
        rank = hash((OP_RANK[NUM], _text_rank(f"{key[0]}/{key[1]}")))
        data = value if value.__class__ is Fraction else Fraction(*key)
        node = new(_numbers, key, NUM, (), data, True, rank)
    return node


#: A decimal with its power of ten, or a fraction: what Python takes for digits beside these is none.
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?)\s*")


def _read_number(text: str) -> Fraction:
    match = _NUMBER.fullmatch(text) if len(text) <= NUMBER_BITS else None
    power = match[1] or "0" if match else "0"
    if len(text) > NUMBER_BITS or len(power) > COUNT_DIGITS or abs(int(power)) > NUMBER_BITS:
        raise ExpressionError(f"{text[:40]} has too many digits")
    try:
        if match is not None:
            return Fraction(text)
    except (ValueError, ZeroDivisionError):  # more digits than Python makes an integer of; p/0
        pass
    raise ExpressionError(f"{text[:40]!r} is not a number")


#: Texts of numbers that are so short are kept: files repeat them, a robot a hundred thousand times.
SHORT: Final = 24
_read_short = lru_cache(maxsize=4096)(_read_number)


def symbol(name: str) -> Expression:
    """Make a named quantity: parameter ``m1``, coordinate ``z1``, its rate ``z1'``, time ``t``."""
    if not name:
        raise ExpressionError("a symbol needs a name")
    return _leaf(SYM, name)


def rate(name: str, order: int = 1) -> Expression:
    """Return the symbol of a coordinate's time derivative: ``z1'`` (order 1), ``z1''`` (order 2)."""
    return symbol(name + "'" * order)


def as_expression(value: Scalar | str) -> Expression:
    """Convert a number to an expression. A float means its printed decimal (0.1 is one tenth)."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ExpressionError(f"{value} is not a number")
        return number(float.__repr__(value))
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
PI_NODE: Final = _leaf(PI, None)
TIME: Final = symbol("t")
