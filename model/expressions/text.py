"""Text of an expression in the formula grammar: :func:`parse_formula` reads it back to the same node."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from mbconcord.records import dataclass

from .algebra import is_short
from .interpolant import TABLE, Interpolant
from .node import Expression, writing
from .printer import ATOM, POWER, PRODUCT, SUM, Form, Piece, Printer, PrintStyle, written_size
from .traversal import count_nodes

#: Longer decimals are printed as fractions.
MAX_PLACES: Final = 400


def decimal(value: Fraction) -> str | None:
    """Write a nonnegative number as an exact decimal; None if it has none or only a long one.

    Very small and very large numbers have an exponent: ``2.4e-06`` is ``2.4e-6``.
    """
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return None
    places = max(twos, fives)
    if places > MAX_PLACES:
        return None
    digits = str(value.numerator * (10**places // value.denominator))
    if not places:
        short = digits.rstrip("0")
        zeros = len(digits) - len(short)
        return f"{short}e{zeros}" if zeros > 15 else digits
    if len(digits) - places < -4:
        head, tail = digits[0], digits[1:]
        return f"{head}{'.' * bool(tail)}{tail}e{len(digits) - places - 1}"
    digits = digits.rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def readable(value: Fraction) -> bool:
    """Return True if a positive number reads best as a fraction of small numbers (one half, two thirds)."""
    return value.denominator % 5 != 0 and max(value.numerator, value.denominator) <= 16


def split_fraction(value: Fraction) -> tuple[str, str]:
    """Write a positive number as a decimal over ``"1"``, or as numerator and denominator."""
    exact = None if readable(value) else decimal(value)
    return (str(value.numerator), str(value.denominator)) if exact is None else (exact, "1")


def join_factors(
    number: str, factors: Sequence[Expression], write: Callable[[str], Piece], between: Callable[[Expression], str]
) -> list[Piece]:
    """Write a coefficient and factors next to each other, with a sign before each factor but the first."""
    if number == "1" and len(factors) == 1:
        return [(factors[0], 0)]
    pieces: list[Piece] = [write(number)] if number != "1" or not factors else []
    for factor in factors:
        if pieces:
            pieces.append(between(factor))
        pieces.append((factor, PRODUCT))
    return pieces


def list_arguments(args: Sequence[Expression], comma: str) -> list[Piece]:
    """Write arguments with a sign between them."""
    pieces: list[Piece] = []
    for i, arg in enumerate(args):
        pieces += [comma] * bool(i)
        pieces.append((arg, 0))
    return pieces


class TextStyle(PrintStyle):
    """Formula grammar: ``+ - * / ^``, functions with brackets, derivatives of functions with primes."""

    flat = False

    def name(self, name: str) -> Form:  # noqa: D102
        return ATOM, [name]

    def number(self, value: Fraction) -> Form:  # noqa: D102
        sign = "-" if value < 0 else ""
        text = decimal(abs(value))
        if text is not None:
            return SUM if sign else ATOM, [sign + text]
        return SUM if sign else PRODUCT, [f"{sign}{abs(value.numerator)}/{value.denominator}"]

    def pi(self) -> Form:  # noqa: D102
        return ATOM, ["pi"]

    def product(self, coefficient: Fraction, factors: Sequence[tuple[bool, Expression]]) -> Form:  # noqa: D102
        exact, last = decimal(coefficient), ""
        if exact is None:  # 2*x/3 reads back as 2/3*x, but only when its numbers are joined
            exact, last = str(coefficient.numerator), f"/{coefficient.denominator}"
            if not is_short(coefficient):
                exact, last = exact + last, ""
        pieces: list[Piece] = [exact] if exact != "1" or factors[0][0] else []
        for divisor, factor in factors:
            if pieces:
                pieces.append("/" if divisor else "*")
            pieces.append((factor, POWER))
        return PRODUCT, [*pieces, last]

    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:  # noqa: D102
        return POWER, [(base, ATOM), "^", (exponent, ATOM)]

    def function(self, name: str, args: Sequence[Expression]) -> Form:  # noqa: D102
        return ATOM, [f"{name}(", *list_arguments(args, ", "), ")"]

    def call(self, name: str, orders: Sequence[int], args: Sequence[Expression]) -> Form:  # noqa: D102
        if len(orders) == 1:
            return self.function(name + "'" * orders[0], args)
        if any(orders):
            return self.function(f"{name}'[{','.join(map(str, orders))}]", args)
        return self.function(name, args)

    def table(self, table: Interpolant, args: Sequence[Expression]) -> Form:  # noqa: D102
        rows = [self.number(z)[1][0] for pair in zip(table.x, table.y, strict=True) for z in pair]
        ways = [w for w in (table.method, table.beyond) if w not in ("linear", "refuse")]
        return ATOM, [TABLE + "'" * table.order, "(", (args[0], 0), f", {', '.join(map(str, [*rows, *ways]))})"]

    def brackets(self, pieces: list[Piece]) -> list[Piece]:  # noqa: D102
        return ["(", *pieces, ")"]


class _ShortStyle(TextStyle):
    """Formula grammar, but tables are written by their names, without rows."""

    def table(self, table: Interpolant, args: Sequence[Expression]) -> Form:
        return PrintStyle.table(self, table, args)


def to_text(output: Expression, names: Mapping[Expression, str] | None = None) -> str:
    """Write the formula of an expression; nodes in ``names`` are printed by their name (except the output itself).

    The text is the same in every process. Without ``names``, ``parse_formula(to_text(e)) is e``. Numbers
    are exact: decimals where they end, otherwise fractions. A derivative of a function of one argument has
    primes, ``JK''(t)``; of several arguments, ``f'[1,0](x, y)`` counts the differentiations by argument.

    Raises
    ------
    ExpressionError
        The text would be longer than some ten million operands, because it repeats what the graph shares.

    Examples
    --------
    >>> from mbconcord.model.expressions import sin, symbol
    >>> m, l, z = symbol("m"), symbol("l"), symbol("z1")
    >>> to_text(-m * l**2 * (1 - sin(z)) / 3)
    '-l^2*m*(1 - sin(z1))/3'
    """
    return Printer(output, names, TextStyle()).text()


def short_text(node: Expression, limit: int = 400) -> str:
    """Write the formula of a small expression; of a large one, only its kind of node."""
    small = count_nodes(node, limit) < limit and written_size(node, lambda n: n.args) < limit
    return Printer(node, None, _ShortStyle()).text() if small else f"{node.op} of many nodes"


writing(full=to_text, short=short_text)


# Typesetting of names: ``rho_x1`` is ρ with the index x1, ``z1'`` is z with a dot and the index 1.


#: Greek letters by name.
GREEK: Final = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ",
    "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Identifier:
    """Parts of a name.

    Attributes
    ----------
    letter : str
        Main part: a letter, the name of a Greek letter, or a word.
    indices : tuple of str
        Its subscripts.
    primes : int
        Number of time derivatives.
    """

    letter: str
    indices: tuple[str, ...]
    primes: int


def identifier(name: str, whole: bool = False) -> Identifier:
    """Split a name into parts: trailing digits of its first word and every word after ``_`` are indices.

    ``whole``: it has no indices.
    """
    bare = name.rstrip("'")
    head, *rest = bare.split("_")
    match = re.fullmatch(r"(.*?)([0-9]*)", head, re.DOTALL)
    assert match is not None
    letter, digits = match.groups()
    if whole or not letter:
        letter, digits, rest = bare, "", []
    return Identifier(letter, tuple(part for part in (digits, *rest) if part), len(name) - len(bare))
