"""Right sides of generated statements to expressions; what an operand means is asked of the reader of a language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from lark import Token, Tree

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.expressions import FUNCTIONS, ONE, ZERO, Expression, ExpressionError, apply, number
from mbconcord.model.expressions.formula import within
from mbconcord.model.limits import UM_DIGITS

from .syntax import Node, first_token

#: An expression; None: what a missing file of the set would have told.
Value: TypeAlias = Expression | None
Operand = Callable[[Token], Value]


#: A number with a point or an exponent; whole ones are exact.
_DECIMAL = re.compile(r"(?<![\w.])(\d+\.\d*|\.\d+|\d+(?=[eE]))")


def digits(texts: Iterable[str]) -> int:
    """Most significant digits of a number in texts, which tells with how many their program prints."""
    found = (m[1].replace(".", "").lstrip("0") for text in texts for m in _DECIMAL.finditer(text))
    return max(map(len, found), default=0)


def place(token: Token, file: str) -> Location:
    """Where a token stands."""
    return Location(file, token.line or 1, token.column or 1)


def value(node: Node, operand: Operand, file: str) -> Value:
    """The value of a ``sum``; None as soon as an operand is not known.

    Raises
    ------
    ReadError
        A division by zero, an unknown function, a number out of range; and what ``operand`` raises.
    """
    try:
        return _sum(node, operand, file)
    except ExpressionError as problem:
        raise ReadError(error("", str(problem), location=place(first_token(node), file))) from None


def _sum(node: Node, operand: Operand, file: str) -> Value:
    total: Value = ZERO
    sign = "+"
    for child in node.children:
        if isinstance(child, Token):
            sign = str(child)
            continue
        term = _product(child, operand, file)
        if term is None or total is None:
            total = None
        else:
            total = total - term if sign == "-" else total + term
    return total


def _product(node: Node, operand: Operand, file: str) -> Value:
    total: Value = ONE
    divide = False
    for child in node.children:
        if isinstance(child, Token) and child.type in ("STAR", "SLASH"):
            divide = child.type == "SLASH"
            continue
        factor = _factor(child, operand, file)
        if factor is None or total is None:
            total = None
        else:
            total = total / factor if divide else total * factor
    return total


def _factor(node: Node | Token, operand: Operand, file: str) -> Value:
    if isinstance(node, Tree):
        if node.data == "function":
            return _function(node, operand, file)
        return _sum(node.children[-1], operand, file)  # a bracket
    if node.type == "NUMBER":
        if not within(node, UM_DIGITS):
            raise ReadError(
                error("", f"the number {node[:30]!s} is out of range", location=place(node, file))
            )
        return number(str(node))
    return operand(node)


def _function(node: Node, operand: Operand, file: str) -> Value:
    name = node.children[0]
    assert isinstance(name, Token)
    if name not in FUNCTIONS:
        known = ", ".join(FUNCTIONS)
        raise ReadError(
            error("", f"found the function {name!s}, expected one of {known}", "", place(name, file))
        )
    args = [_sum(child, operand, file) for child in node.children[1:] if isinstance(child, Tree)]
    known_args = [arg for arg in args if arg is not None]
    return apply(str(name), *known_args) if len(known_args) == len(args) else None
