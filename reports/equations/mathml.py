"""A derivation as presentation MathML: one ``math`` element for every line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.mathml import mathml_name, to_mathml
from mbconcord.model.notation.listing import BalanceLine

from .listing import (
    EQUATIONS,
    LabelledEquations,
    ListingLine,
    PaperName,
    ScalarElement,
    legend,
    listing,
    side,
    tell_apart,
)

#: The invisible sign of a product.
TIMES = "<mo>\u2062</mo>"
_GRAVITY, _APPLIED = "<mi mathvariant='normal'>g</mi>", "<mi mathvariant='normal'>a</mi>"
#: Canonical quantities in the notation of the documentation; others are set as names are.
SYMBOLS = {
    "gravity": ("<mi>Q</mi>", _GRAVITY),
    "applied": ("<mi>Q</mi>", _APPLIED),
    "γ̃": ("<mover><mi>γ</mi><mo>~</mo></mover>", ""),
}


def write_left_side(element: ScalarElement) -> str:
    """Write the left side of an element's equation: letter, indices, and for a force its kind."""
    letter, upper = SYMBOLS.get(element.quantity, (mathml_name(element.quantity), ""))
    if not element.indices:
        return f"<msup>{letter}{upper}</msup>" if upper else letter
    indices = f"<mrow>{'<mo>,</mo>'.join(map(mathml_name, element.indices))}</mrow>"
    if upper:
        return f"<msubsup>{letter}{indices}{upper}</msubsup>"
    return f"<msub>{letter}{indices}</msub>"


def right(line: ListingLine, write: PaperName) -> str:
    """Write the right side of a line: its expression's name, or its formula over names."""
    given = line.names.get(line.expression)
    return write(given) if given else to_mathml(line.expression, line.names, write)


def mathml(derivation: Derivation, quantities: dict[str, Nested], stated: LabelledEquations | None = None) -> str:
    """Write a fragment of HTML: headings and equations, with the ``stated`` ones over the quantities last."""
    return "\n".join(_lines(derivation, quantities, stated)) + "\n"


def _lines(derivation: Derivation, quantities: dict[str, Nested], stated: LabelledEquations | None) -> Iterator[str]:
    groups = list(listing(derivation, quantities))
    write = tell_apart(derivation, groups, mathml_name)
    for group in groups:
        yield heading(group.title)
        for line in group.lines:
            left = write_left_side(line.element) if line.element else write(line.label)
            yield equation(left, right(line, write))
    if stated is not None:
        labels = stated.labels

        def write_name(name: str) -> str:
            return write_left_side(labels[name]) if name in labels else write(name)

        yield heading(EQUATIONS)
        yield from (f"<p>{escape(line)}</p>" for line in legend(stated))
        yield from (equation(*balance(each, write_name)) for each in stated.balances)


def heading(title: str) -> str:
    """Write a heading over equations."""
    return f"<h3>{escape(title)}</h3>"


def equation(first: str, second: str) -> str:
    """Write one equation on a line of its own."""
    return f'<math display="block">{first}<mo>=</mo>{second}</math>'


def balance(given: BalanceLine, symbol: Callable[[str], str]) -> tuple[str, str]:
    """Return both sides of an equation; ``symbol`` returns the MathML of a name."""

    def factor(x: Expression) -> str:
        formula = to_mathml(x, symbol=symbol)
        return f"<mrow><mo>(</mo>{formula}<mo>)</mo></mrow>" if x.op == "add" else formula

    signs = {" + ": "<mo>+</mo>", " - ": "<mo>-</mo>", "-": "<mo>-</mo>", "0": "<mn>0</mn>"}
    first, second = (side(terms, factor, TIMES, signs) for terms in (given.left, given.right))
    return f"<mrow>{first}</mrow>", f"<mrow>{second}</mrow>"
