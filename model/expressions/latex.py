"""LaTeX of an expression, for a reader: sums and products without needless brackets, fractions, roots."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from .identifier import GREEK, identifier
from .node import FUN, Expression
from .printer import ATOM, POWER, PRODUCT, SUM, Form, Piece, Printer, Style, is_whole, readable
from .text import decimal

_SPECIAL = {"\\": r"\backslash ", "^": r"\hat{}", "~": r"\sim "}
_FUNCTIONS = {
    "asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "log": r"\ln",
    "atan2": r"\operatorname{atan2}", "sign": r"\operatorname{sgn}",
}  # fmt: skip
_DOTS = ("{}", r"\dot{{{}}}", r"\ddot{{{}}}", r"\dddot{{{}}}")


def _escaped(text: str) -> str:
    return re.sub(r"[\\^~#$%&_{}]", lambda m: _SPECIAL.get(m[0], "\\" + m[0]), text)


def latex_name(name: str) -> str:
    r"""LaTeX of a name: ``rho_x1`` is ``\rho_{x1}``, ``z1'`` is ``\dot{z}_{1}``."""
    parts = identifier(name)
    letter = _escaped(parts.letter)
    if parts.letter in GREEK:
        letter = "\\" + parts.letter
    elif len(parts.letter) > 1:
        letter = rf"\mathrm{{{letter}}}"
    few = parts.primes < len(_DOTS)
    text = _DOTS[parts.primes].format(letter) if few else letter
    if parts.indices:
        text += f"_{{{','.join(map(_escaped, parts.indices))}}}"
    return text if few else rf"\overset{{({parts.primes})}}{{{text}}}"


class LatexStyle(Style):
    """LaTeX mathematics."""

    flat = True

    def __init__(self, symbol: Callable[[str], str]) -> None:
        self.symbol = symbol

    def name(self, name: str) -> Form:  # noqa: D102
        return ATOM, [self.symbol(name)]

    def number(self, value: Fraction) -> Form:  # noqa: D102
        sign = "-" if value < 0 else ""
        value = abs(value)
        text = decimal(value)
        if text is None or readable(value):
            if value.denominator != 1:
                return SUM if sign else PRODUCT, [rf"{sign}\frac{{{value.numerator}}}{{{value.denominator}}}"]
            text = text or str(value.numerator)
        if "e" in text:
            digits, exponent = text.split("e")
            return SUM if sign else PRODUCT, [rf"{sign}{digits} \cdot 10^{{{exponent}}}"]
        return SUM if sign else ATOM, [sign + text]

    def pi(self) -> Form:  # noqa: D102
        return ATOM, [r"\pi"]

    def sum(self, terms: Sequence[tuple[bool, Expression]]) -> Form:  # noqa: D102
        pieces: list[Piece] = []
        for i, (minus, term) in enumerate(terms):
            pieces.append((" - " if minus else " + ") if i else "-" if minus else "")
            pieces.append((term, PRODUCT))
        return SUM, pieces

    def product(self, coefficient: Fraction, factors: Sequence[tuple[bool, Expression]]) -> Form:  # noqa: D102
        above, below = _split(coefficient)
        over = self._line(above, [factor for divisor, factor in factors if not divisor])
        under = self._line(below, [factor for divisor, factor in factors if divisor])
        return PRODUCT, [r"\frac{", *over, "}{", *under, "}"] if under else over or ["1"]

    def _line(self, number: Fraction, factors: Sequence[Expression]) -> list[Piece]:
        if number == 1 and len(factors) == 1:
            return [(factors[0], SUM)]
        raise AssertionError

    def power(self, base: Expression, exponent: Expression) -> Form:  # noqa: D102
        return POWER, [(base, ATOM), "^{", (exponent, 0), "}"]

    def brackets(self, pieces: list[Piece]) -> list[Piece]:  # noqa: D102
        return [r"\left(", *pieces, r"\right)"]
