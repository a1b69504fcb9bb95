"""Presentation MathML of an expression, for the HTML report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from html import escape

from .node import FUN, NUM, SYM, Expression
from .printer import ATOM, POWER, PRODUCT, SUM, Form, Piece, Printer, PrintStyle
from .text import GREEK, identifier, join_factors, list_arguments, split_fraction

#: Invisible operators: of a function to its argument, of a product.
_APPLY = "<mo>\u2061</mo>"
_TIMES = "<mo>\u2062</mo>"
#: The same before an argument without brackets, with the thin space that no browser puts there by itself.
_APPLY_BARE = '<mo rspace=".17em">\u2061</mo>'
_CIRCULAR = frozenset({"sin", "cos", "tan"})
_FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln", "sign": "sgn"}
_DOTS = {1: "˙", 2: "¨"}


def mathml_name(name: str, whole: bool = False) -> str:
    """Write a name in MathML: ``rho_x1`` is ρ with the index x1, ``z1'`` is z with a dot and the index 1.

    ``whole``: without indices.
    """
    parts = identifier(name, whole)
    text = f"<mi>{escape(parts.letter if whole else GREEK.get(parts.letter, parts.letter))}</mi>"
    if parts.primes in _DOTS:
        text = f"<mover>{text}<mo>{_DOTS[parts.primes]}</mo></mover>"
    elif parts.primes:
        text = f"<mover>{text}<mn>({parts.primes})</mn></mover>"
    if parts.indices:
        index = "<mo>,</mo>".join(
            f"<mn>{part}</mn>" if part.isdigit() else f"<mi>{escape(GREEK.get(part, part))}</mi>"
            for part in parts.indices
        )
        text = f"<msub>{text}<mrow>{index}</mrow></msub>"
    return text


class MathmlStyle(PrintStyle):
    """Style of presentation MathML: every form is one element or a row of elements."""

    flat = True
    plus, minus, leading = "<mo>+</mo>", "<mo>−</mo>", "<mo>−</mo>"

    def __init__(self, symbol: Callable[[str], str] = mathml_name) -> None:
        self.symbol = symbol

    def name(self, name: str) -> Form:  # noqa: D102
        return ATOM, [self.symbol(name)]

    def number(self, value: Fraction) -> Form:  # noqa: D102
        sign = "<mo>−</mo>" if value < 0 else ""
        above, below = split_fraction(abs(value))
        text = _digits(above) if below == "1" else f"<mfrac>{_digits(above)}{_digits(below)}</mfrac>"
        return SUM if sign else ATOM if text.startswith("<mn>") else PRODUCT, [sign + text]

    def pi(self) -> Form:  # noqa: D102
        return ATOM, ["<mi>π</mi>"]

    def product(self, coefficient: Fraction, factors: Sequence[tuple[bool, Expression]]) -> Form:  # noqa: D102
        above, below = split_fraction(coefficient)
        divisors = [factor for divisor, factor in factors if divisor]
        upper = [factor for divisor, factor in factors if not divisor]
        if not divisors and below == "1":
            return PRODUCT, _line(above, upper)
        return PRODUCT, ["<mfrac>", *_row(_line(above, upper)), *_row(_line(below, divisors)), "</mfrac>"]

    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:  # noqa: D102
        if shown and base.op is FUN and base.data in _CIRCULAR and exponent.op is NUM and exponent.data > 0:
            head = f"<msup><mi>{base.data}</mi>"
            return POWER, [head, *_row([(exponent, 0)]), "</msup>", *_argument(base.args)]
        return POWER, ["<msup>", *_row([(base, ATOM)]), *_row([(exponent, 0)]), "</msup>"]

    def function(self, name: str, args: Sequence[Expression]) -> Form:  # noqa: D102
        if name == "sqrt":
            return ATOM, ["<msqrt>", (args[0], 0), "</msqrt>"]
        if name == "exp":
            return POWER, ["<msup><mi>e</mi>", *_row([(args[0], 0)]), "</msup>"]
        if name == "abs":
            return ATOM, ["<mrow><mo>|</mo>", (args[0], 0), "<mo>|</mo></mrow>"]
        return POWER, [f"<mi>{_FUNCTIONS.get(name, name)}</mi>", *_argument(args)]

    def call(self, name: str, orders: Sequence[int], args: Sequence[Expression]) -> Form:  # noqa: D102
        mark = f"({','.join(map(str, orders))})"
        if len(orders) == 1 and orders[0] <= 3:
            mark = "′" * orders[0]
        head = self.symbol(name)
        if any(orders):
            head = f"<msup>{head}<mo>{mark}</mo></msup>"
        return POWER, [head, _APPLY, *_bracket(args)]

    def brackets(self, pieces: list[Piece]) -> list[Piece]:  # noqa: D102
        return ["<mrow><mo>(</mo>", *pieces, "<mo>)</mo></mrow>"]


def _digits(text: str) -> str:
    digits, _, exponent = text.partition("e")
    if not exponent:
        return f"<mn>{text}</mn>"
    sign = "<mo>−</mo>" if exponent.startswith("-") else ""
    power = f"<msup><mn>10</mn><mrow>{sign}<mn>{exponent.lstrip('-')}</mn></mrow></msup>"
    return f"<mrow><mn>{digits}</mn><mo>·</mo>{power}</mrow>"


def _line(number: str, factors: Sequence[Expression]) -> list[Piece]:
    """Write a coefficient and factors next to each other."""
    return join_factors(number, factors, _digits, lambda factor: _TIMES)


def _row(pieces: list[Piece]) -> list[Piece]:
    """Wrap several elements in one."""
    return ["<mrow>", *pieces, "</mrow>"]


def _argument(args: Sequence[Expression]) -> list[Piece]:
    """Write the argument of a sine: a symbol needs no brackets."""
    if len(args) == 1 and args[0].op is SYM:
        return [_APPLY_BARE, (args[0], 0)]
    return [_APPLY, *_bracket(args)]


def _bracket(args: Sequence[Expression]) -> list[Piece]:
    return ["<mrow><mo>(</mo>", *list_arguments(args, "<mo>,</mo>"), "<mo>)</mo></mrow>"]


def to_mathml(
    output: Expression, names: Mapping[Expression, str] | None = None, symbol: Callable[[str], str] = mathml_name
) -> str:
    """Write an expression in presentation MathML: one ``mrow`` element, to be put into a ``math`` element.

    Nodes in ``names`` are printed by their name (except the output itself); ``symbol`` is MathML of a name.
    """
    return f"<mrow>{Printer(output, names, MathmlStyle(symbol)).text()}</mrow>"
