"""Sides of equations as presentation MathML."""

from __future__ import annotations

from mbconcord.model.expressions.mathml import mathml_name, to_mathml

from .listing import Element, Line

_GRAVITY, _APPLIED = "<mi mathvariant='normal'>g</mi>", "<mi mathvariant='normal'>a</mi>"
#: Canonical quantities in the notation of the documentation; others are set as names are.
SYMBOLS = {"gravity": ("<mi>Q</mi>", _GRAVITY), "applied": ("<mi>Q</mi>", _APPLIED)}


def left(element: Element) -> str:
    """The left side of an element's equation: letter, indices, and for forces which ones."""
    letter, upper = SYMBOLS.get(element.quantity, (mathml_name(element.quantity), ""))
    if not element.indices:
        return f"<msup>{letter}{upper}</msup>" if upper else letter
    indices = f"<mrow>{'<mo>,</mo>'.join(map(mathml_name, element.indices))}</mrow>"
    if upper:
        return f"<msubsup>{letter}{indices}{upper}</msubsup>"
    return f"<msub>{letter}{indices}</msub>"


def right(line: Line) -> str:
    """The right side of a line: the name that its expression has already, or its formula over names."""
    given = line.names.get(line.expression)
    return mathml_name(given) if given else to_mathml(line.expression, line.names)
