"""Numbers and formulas as UM writes them, and what of a formula no UM file seen confirms.

Fields that take formulas keep the text, empty for zero; numeric fields have one digit before the point,
``1.``, ``9.E1``, ``-4.5E1``. In formulas ``+ - * /``, brackets, ``sqr``, ``sqrt`` and ``pi`` were seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from mbconcord.model.expressions import (
    Expression,
    evaluate_float,
    number,
    substitute,
    symbol,
    symbols,
    topological,
)
from mbconcord.model.expressions.printer import ATOM, Form, Piece, Printer
from mbconcord.model.expressions.text import TextStyle

#: Whole exponents beyond this are not written out as products.
LARGEST_EXPONENT = 16


def pascal(value: Fraction | float) -> str:
    """A number of a numeric field, with all digits that tell the double: ``0``, ``1.``, ``-4.5E1``."""
    if not value:
        return "0"
    sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    assert isinstance(exponent, int)
    shown, power = "".join(map(str, digits)), len(digits) - 1 + exponent
    return f"{'-' * sign}{shown[0]}.{shown[1:]}" + (f"E{power}" if power else "")


def formula(value: Expression, names: Mapping[str, str] | None = None) -> str:
    """A formula in UM's text, empty for zero; symbols in ``names`` are renamed.

    ``value`` must be confirmed: :func:`unconfirmed` says whether it is.
    """
    if not value:
        return ""
    folded = constants_folded(value)
    replaced = {symbol(old): symbol(new) for old, new in (names or {}).items()}
    renamed = substitute([folded], replaced)[0] if replaced else folded
    return Printer(renamed, None, _Style()).text()


def unconfirmed(value: Expression) -> str | None:
    """What in a formula no UM file seen shows: a function, a power, the time; None when all is confirmed."""
    folded = constants_folded(value)
    if "t" in symbols([folded]):
        return "the time in a formula"
    for node in topological([folded]):
        if node.op == "call":
            return f"the function {node.data[0]} in a formula"
        if node.op == "fun" and node.data != "sqrt":
            return f"{node.data}() in a formula"
        if node.op == "pow" and _whole(node.args[1]) is None:
            return f"the power ^{node.args[1]} in a formula"
    return None


def constants_folded(value: Expression) -> Expression:
    """The formula with constants that UM's text cannot say, such as sin(1), replaced by their numbers."""
    replaced: dict[Expression, Expression] = {}
    for node in topological([value]):
        foreign = (node.op == "fun" and node.data != "sqrt") or (
            node.op == "pow" and _whole(node.args[1]) is None
        )
        if node.constant and foreign:
            replaced[node] = number(repr(float(evaluate_float(node, {}))))
    return substitute([value], replaced)[0] if replaced else value


def _whole(exponent: Expression) -> int | None:
    """A whole exponent that can be written as products and quotients."""
    if exponent.op != "num" or exponent.value.denominator != 1:
        return None
    n = int(exponent.value)
    return n if abs(n) <= LARGEST_EXPONENT else None


class _Style(TextStyle):
    """The formula grammar without powers: ``sqr(a)*a`` is the cube of a."""

    def power(self, base: Expression, exponent: Expression, shown: bool) -> Form:
        """A positive whole power; negative ones are quotients before they come here."""
        n = _whole(exponent)
        if n is None or n < 2:
            return super().power(base, exponent, shown)
        squares, odd = divmod(n, 2)
        pieces: list[Piece] = []
        for _ in range(squares):
            pieces += ["*"] * bool(pieces) + ["sqr(", (base, 0), ")"]
        if odd:
            pieces += ["*", (base, ATOM)]
        return (ATOM, pieces) if n == 2 else (ATOM, ["(", *pieces, ")"])
