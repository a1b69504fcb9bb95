"""Reading of formulas: text to expression graph. The grammar is formula.lark; nothing here recurses.

``+ - * / ^``, implicit products (``c_1 u``), functions with and without brackets (``sin f t``), rates ``u'``,
the length ``@`` and rate ``@'`` of a bipolar element, ``pi``, ``t``, calls of the author's functions
``JK(t)`` and their derivatives ``JK'(t)``, ``f'[0,1](t, x)``. What :func:`~.text.to_text` prints is read back
to the same node.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeAlias

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from mbconcord.records import dataclass

from ..diagnostics import Location, ReadError, error
from ..limits import COUNT_DIGITS, DERIVATIVE_ORDER, NUMBER_DIGITS, too_many
from .algebra import add, div, mul, neg, power
from .formula_errors import RESERVED, brackets, syntax_error
from .functions import CHOICES, PIECEWISE, apply, call, choose
from .grammars import Grammar, of_package
from .interpolant import BEYOND, METHODS, TABLE, Interpolant
from .node import NUM, ONE, PI_NODE, Expression, ExpressionError, number, symbol

#: A format's grammar that holds formulas is this text and its own rules.
GRAMMAR = Grammar(__package__, "formula", of_package(__package__, "formula"), start="sum")

Formula: TypeAlias = Tree[Token]
#: The number that leads a product, and what it multiplies.
Led: TypeAlias = tuple[Expression, Expression]


@dataclass(frozen=True, slots=True)
class Use:
    """One occurrence of a name in a formula. ``order`` counts the primes; ``args`` are those of a call."""

    name: str
    kind: Literal["value", "call", "length"]
    order: int
    args: tuple[Expression, ...]
    line: int
    column: int


@cache
def _parser() -> Lark:
    return GRAMMAR.parser()


def parse_formula(
    text: str, *, file: str = "-", line: int = 1, column: int = 1, functions: Collection[str] | None = None
) -> Expression:
    """Parse a formula to an expression; ``parse_formula(to_text(e)) is e``.

    Parameters
    ----------
    text : str
    file, line, column
        Where the text begins, for messages.
    functions : names, optional
        Names of functions. ``f'(x)`` is the derivative of a function, ``u'(x)`` the product of a rate and a
        bracket: names listed here are functions, others are not; without a list every such name is one.

    Raises
    ------
    ReadError
        With file, line and column, what was found and what was expected.
    """

    def shift(place: Location) -> Location:
        first = place.line == 1
        return Location(file, place.line + line - 1, place.column + (column - 1 if first else 0))

    try:
        brackets(text, file)
        try:
            tree = _parser().parse(text)
        except UnexpectedInput as problem:
            raise ReadError(syntax_error(problem, text, file, "formula")) from None
        return build(tree, file, functions)[0]
    except ReadError as problem:
        raise ReadError(
            [d.with_location(shift(d.location)) if d.location else d for d in problem.diagnostics]
        ) from None


#: How messages about formulas without a value begin.
WITHOUT_VALUE = ("division by zero", "square root of", "logarithm of")


def build(
    tree: Formula, file: str = "-", functions: Collection[str] | None = None
) -> tuple[Expression, tuple[Use, ...]]:
    """Build the expression of a parsed formula, and list every appearance of a name in it, in order.

    Raises
    ------
    ReadError
        A division by zero, a wrong number of arguments, a number out of range, a misused name.
    """
    of: dict[int, Expression] = {}
    led: dict[int, Led] = {}
    uses: list[Use] = []
    for node in tree.iter_subtrees():
        try:
            number = _led(node, of, led)
            if number is None:
                of[id(node)] = _value(node, of, uses, functions)
            else:
                led[id(node)] = number
                of[id(node)] = mul(*number)
        except ExpressionError as problem:
            place = first_token(node)
            where = Location(file, place.line or 1, place.column or 1) if place else None
            remedy = "write a formula that has a value" if str(problem).startswith(WITHOUT_VALUE) else ""
            raise ReadError(error("", f"formula: {problem}", remedy, where)) from None
    return of[id(tree)], tuple(sorted(uses, key=lambda use: (use.line, use.column)))


def _led(node: Formula, of: Mapping[int, Expression], led: Mapping[int, Led]) -> Led | None:
    """Split a product with leading numbers into one number and the rest: ``2 x y / 3`` is 2/3 times x y."""
    if node.data == "number":
        return numeral(str(node.children[0])), ONE
    first = led.get(id(node.children[0]))
    if first is None or node.data not in ("multiply", "divide", "negate"):
        return None
    number, rest = first
    if node.data == "negate":
        return neg(number), rest
    combined = mul if node.data == "multiply" else div
    factor = of[id(node.children[1])]
    if factor.op is NUM:
        return combined(number, factor), rest
    return number, combined(rest, factor)


def first_token(node: Formula | Token) -> Token | None:
    """Return the leftmost token of a subtree."""
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, Token):
            return item
        stack.extend(reversed(item.children))
    return None


def _value(node: Formula, of: dict[int, Expression], uses: list[Use], functions: Collection[str] | None) -> Expression:
    kind, children = node.data, node.children
    args = [of[id(child)] for child in children if not isinstance(child, Token)]
    if kind == "multiply":
        return mul(args[0], args[1])
    if kind == "add":
        return add(args[0], args[1])
    if kind == "subtract":
        return add(args[0], neg(args[1]))
    if kind == "divide":
        return div(args[0], args[1])
    if kind == "negate":
        return neg(args[0])
    if kind == "bracket":
        return args[0]
    if kind == "power":
        rate = _rate_before_bracket(children[0], functions)
        if rate is None:
            return power(args[0], args[1])
        return mul(rate, power(of[id(children[0].children[1])], args[1]))
    token = children[0]
    assert isinstance(token, Token)
    if kind in ("function", "applied", "applied_negated"):
        name = "log" if token == "ln" else str(token)
        return apply(name, *([neg(args[0])] if kind == "applied_negated" else args))
    if kind == "call":
        return _call(node, token, args, uses, functions)
    if kind == "choice":
        if token not in CHOICES or len(args) != 4:
            raise ExpressionError(f"found a comparison in {token}: write where(a > b, c, d)")
        return choose(args[0], str(children[2]), *args[1:])
    return _read_name(token, uses)


def is_within_limits(text: str, most: int) -> bool:
    """Return True if a decimal's mantissa has at most ``most`` characters and its exponent is at most ``most``."""
    mantissa, _, exponent = text.lower().partition("e")
    return len(mantissa) <= most and len(exponent) <= COUNT_DIGITS and abs(int(exponent or 0)) <= most


def numeral(text: str) -> Expression:
    """Parse a formula's decimal exactly, within the limits (ExpressionError)."""
    if not is_within_limits(text, NUMBER_DIGITS):
        shown = text if len(text) < 30 else text[:27] + "..."
        raise ExpressionError(f"the number {shown} is out of range")
    return number(text)


def _read_name(token: Token, uses: list[Use]) -> Expression:
    name = token.rstrip("'")
    order = len(token) - len(name)
    if name == "@":
        if order > 1:
            raise ExpressionError("found @'' where only @ and @' have a meaning")
        uses.append(Use(str(token), "length", order, (), token.line or 1, token.column or 1))
        return symbol(str(token))
    if name in RESERVED:
        if order:
            raise ExpressionError(f"found {token}: a prime stands only on coordinates, @ and functions")
        if name == "pi":
            return PI_NODE
    elif not name.isidentifier():
        raise ExpressionError(f"{name!r} is no name: letters, digits and _ make names")
    uses.append(Use(name, "value", order, (), token.line or 1, token.column or 1))
    return symbol(str(token))


def _parts(token: Token) -> tuple[str, tuple[int, ...] | int]:
    """Return the name and the orders of differentiation of a called function: ``JK''``, ``f'[0,1]``."""
    if token.type == "PARTIAL":
        name, _, listed = token.partition("'[")
        orders = listed.removesuffix("]").split(",")
        if not all(order.strip().isdecimal() for order in orders):
            raise ExpressionError(f"{token[:40]}: expected an order of differentiation per argument, as in f'[0,1](…)")
        if not all(len(order) <= COUNT_DIGITS and int(order) <= DERIVATIVE_ORDER for order in orders):
            largest = max(map(str.strip, orders), key=lambda order: (len(order), order))
            raise ExpressionError(_too_often(name, largest))
        return name, tuple(int(order) for order in orders)
    bare = token.rstrip("'")
    order = len(token) - len(bare)
    if order > DERIVATIVE_ORDER:
        raise ExpressionError(_too_often(bare, str(order)))
    return bare, order


def _too_often(name: str, order: str) -> str:
    shown = order if len(order) < 30 else f"{order[:27]}..."
    return f"{name}: {too_many(shown, 'differentiations', DERIVATIVE_ORDER)}"


def _rate_before_bracket(node: Formula | Token, functions: Collection[str] | None) -> Expression | None:
    """Return the rate u' of ``u'(…)`` if u is not a function: then this is a product."""
    if functions is None or isinstance(node, Token) or node.data != "call":
        return None
    token = node.children[0]
    assert isinstance(token, Token)
    if token.type != "CALLED" or not token.endswith("'") or token.rstrip("'") in functions:
        return None
    return symbol(str(token))


def _read_table(args: Sequence[Expression], order: int) -> Interpolant | None:
    """Read a table's rows and options after its argument; None if other names are there, as in a call of a function."""
    count = next((i for i, arg in enumerate(args) if arg.op is not NUM), len(args))
    words = [str(arg) for arg in args[count:]]
    methods, beyond = ([word for word in words if word in known] for known in (METHODS, BEYOND))
    if len(methods) + len(beyond) < len(words) or max(len(methods), len(beyond)) > 1:
        return None
    x, y = ([arg.value for arg in args[first:count:2]] for first in (0, 1))
    return Interpolant(x, y, (*methods, METHODS[0])[0], (*beyond, BEYOND[0])[0], order)


def _call(
    node: Formula, token: Token, args: Sequence[Expression], uses: list[Use], functions: Collection[str] | None
) -> Expression:
    name, orders = _parts(token)
    rate = _rate_before_bracket(node, functions)
    if rate is not None:
        if len(args) != 1:
            raise ExpressionError(f"{name} is no function, and {token} takes no arguments")
        _read_name(token, uses)
        return mul(rate, args[0])
    if name in RESERVED:
        raise ExpressionError(f"{name} is no function: write {name}*(…)")
    if name == TABLE and isinstance(orders, int) and len(args) > 1:
        table = _read_table(args[1:], orders)
        if table is not None:
            words = {(t.line, t.column) for child in node.children[2:] if (t := first_token(child))}
            uses[:] = [use for use in uses if (use.line, use.column) not in words]
            return apply(table, args[0])
    if name in PIECEWISE:
        if orders:
            raise ExpressionError(f"found {token}: {name} is no function of yours, and has no prime")
        return apply(name, *args)
    if not name.isidentifier():
        raise ExpressionError(f"{name!r} is no name: letters, digits and _ make names")
    if isinstance(orders, int):
        if orders and len(args) > 1:
            raise ExpressionError(f"{token} of {len(args)} arguments: write orders, as in {name}'[1,0](…)")
        orders = (orders,) * len(args)
    uses.append(Use(name, "call", sum(orders), tuple(args), token.line or 1, token.column or 1))
    return call(name, args, orders)
