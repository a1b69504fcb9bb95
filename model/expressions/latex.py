"""LaTeX of an expression, for a reader: sums and products without needless brackets, fractions, roots."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from .node import FUN, NUM, POW, SYM, Expression
from .printer import ATOM, POWER, PRODUCT, SUM, Form, Piece, Printer, PrintStyle
from .text import GREEK, identifier, join_factors, list_arguments, split_fraction

_SPECIAL = {"\\": r"\backslash ", "^": r"\hat{}", "~": r"\sim "}
_CIRCULAR = frozenset({"sin", "cos", "tan"})
_FUNCTIONS = {
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "asin": r"\arcsin",
    "acos": r"\arccos", "atan": r"\arctan", "log": r"\ln",
    "atan2": r"\operatorname{atan2}", "sign": r"\operatorname{sgn}",
}  # fmt: skip
_DOTS = ("{}", r"\dot{{{}}}", r"\ddot{{{}}}", r"\dddot{{{}}}")


def _escape(text: str) -> str:
    text = "".join(sign if sign.isprintable() else "?" for sign in text)  # line ends and what steers
    return re.sub(r"[\\^~#$%&_{}]", lambda m: _SPECIAL.get(m[0], "\\" + m[0]), text)


def latex_name(name: str, whole: bool = False) -> str:
    r"""Write a name in LaTeX: ``rho_x1`` is ``\rho_{x1}``, ``z1'`` is ``\dot{z}_{1}``; ``whole``: without indices."""
    parts = identifier(name, whole)
    letter = _escape(parts.letter)
    if parts.letter in GREEK and not whole:
        letter = "\\" + parts.letter
    elif len(parts.letter) > 1:
        letter = rf"\mathrm{{{letter}}}"
    few = parts.primes < len(_DOTS)
    text = _DOTS[parts.primes].format(letter) if few else letter
    if parts.indices:
        text += f"_{{{','.join(map(_escape, parts.indices))}}}"
    return text if few else rf"\overset{{({parts.primes})}}{{{text}}}"


class LatexStyle(PrintStyle):
    """LaTeX mathematics."""

    flat = True

    def __init__(self, symbol: Callable[[str], str]) -> None:
        self.symbol = symbol

    def name(self, name: str) -> Form:  # noqa: D102
        return ATOM, [self.symbol(name)]

    def number(self, value: Fraction) -> Form:  # noqa: D102
        sign = "-" if value < 0 else ""
        above, below = split_fraction(abs(value))
        text = _digits(above) if below == "1" else rf"\frac{{{above}}}{{{below}}}"
        return SUM if sign else PRODUCT if "\\" in text else ATOM, [sign + text]

    def pi(self) -> Form:  # noqa: D102
        return ATOM, [r"\pi"]

    def product(self, coefficient: Fraction, factors: Sequence[tuple[bool, Expression]]) -> Form:  # noqa: D102
        above, below = split_fraction(coefficient)
        divisors = [factor for divisor, factor in factors if divisor]
        upper = [factor for divisor, factor in factors if not divisor]
        if not divisors and below == "1":
            return PRODUCT, _line(above, upper)
        return PRODUCT, [r"\frac{", *_line(above, upper), "}{", *_line(below, divisors), "}"]

    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:  # noqa: D102
        if shown and base.op is FUN and base.data in _CIRCULAR and exponent.op is NUM and exponent.data > 0:
            return POWER, [f"{_FUNCTIONS[base.data]}^{{", (exponent, 0), "}", *_argument(base.args)]
        return POWER, [(base, ATOM), "^{", (exponent, 0), "}"]

    def function(self, name: str, args: Sequence[Expression]) -> Form:  # noqa: D102
        if name == "sqrt":
            return ATOM, [r"\sqrt{", (args[0], 0), "}"]
        if name == "exp":
            return POWER, ["e^{", (args[0], 0), "}"]
        if name == "abs":
            return ATOM, [r"\left|", (args[0], 0), r"\right|"]
        return POWER, [_FUNCTIONS[name], *_argument(args)]

    def call(self, name: str, orders: Sequence[int], args: Sequence[Expression]) -> Form:  # noqa: D102
        mark = f"^{{({','.join(map(str, orders))})}}" if any(orders) else ""
        if len(orders) == 1 and orders[0] <= 3:
            mark = "'" * orders[0]
        return POWER, [self.symbol(name), mark, *_bracket(args)]

    def brackets(self, pieces: list[Piece]) -> list[Piece]:  # noqa: D102
        return [r"\left(", *pieces, r"\right)"]


def _digits(text: str) -> str:
    digits, _, exponent = text.partition("e")
    return rf"{digits} \cdot 10^{{{exponent}}}" if exponent else digits


def _times(factor: Expression) -> str:
    digit = factor.op is NUM or (factor.op is POW and factor.args[0].op is NUM)
    return r" \cdot " if digit else r" \, "


def _line(number: str, factors: Sequence[Expression]) -> list[Piece]:
    """Write a coefficient and factors next to each other."""
    return join_factors(number, factors, _digits, _times)


def _argument(args: Sequence[Expression]) -> list[Piece]:
    """Write the argument of a sine: a symbol needs no brackets."""
    return [" ", (args[0], 0)] if len(args) == 1 and args[0].op is SYM else _bracket(args)


def _bracket(args: Sequence[Expression]) -> list[Piece]:
    return [r"\left(", *list_arguments(args, ", "), r"\right)"]


def to_latex(
    output: Expression, names: Mapping[Expression, str] | None = None, symbol: Callable[[str], str] = latex_name
) -> str:
    r"""Write an expression in LaTeX, without dollar signs.

    Parameters
    ----------
    output : Expression
    names : node -> name, optional
        Nodes that are printed by their name (except the output itself).
    symbol : callable
        LaTeX of a name, of a symbol as of a node in ``names``; :func:`latex_name` by default.

    Examples
    --------
    >>> from mbconcord.model.expressions import rate, symbol
    >>> to_latex(symbol("m1") * rate("z1") ** 2 / 2)
    '\\frac{m_{1} \\, \\dot{z}_{1}^{2}}{2}'
    """
    return Printer(output, names, LatexStyle(symbol)).text()
