"""Expressions in JSON: an exact decimal number, a formula in a string, or a graph of shared nodes.

A number stands for exactly the decimal it shows: ``0.1`` is one tenth. What is no short decimal is a formula
(``"1/3"``, ``"m1*g"``). A formula repeats what an expression shares, so a large one is written as
``{"graph": …}``, which names every node once.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mbconcord.converters.json_text import Numeral
from mbconcord.model.diagnostics import Location, ReadError
from mbconcord.model.expressions import Expression, ExpressionError, number, to_text
from mbconcord.model.expressions.exchange import dumps, loads
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.printer import written_size
from mbconcord.model.expressions.text import decimal

#: Larger formulas (operands repeated as often as they are written) are graphs.
MAX_FORMULA = 200
#: Numbers of longer decimals are formulas or graphs.
MAX_DECIMAL = 40


def read_number(text: str) -> Expression:
    """The exact number of a decimal text."""
    return number(Fraction(text))


def read_formula(text: str, at: Location) -> Expression:
    """The expression of a formula that begins at a place of the text (of its string's quote).

    Raises
    ------
    ReadError
        With line and column inside the string.
    """
    return parse_formula(text, file=at.file, line=at.line, column=at.column + 1)


def read_graph(data: Any) -> Expression:
    """The expression of a graph.

    Raises
    ------
    ExpressionError
        The data are no graph, or one of several expressions.
    """
    outputs = loads(data)
    if len(outputs) != 1:
        raise ExpressionError(f"a graph of {len(outputs)} expressions; expected one output")
    return outputs[0]


def write_graph(value: Expression) -> Any:
    """The graph of an expression; :func:`read_graph` reads it back."""
    return dumps([value])


def write_short(value: Expression) -> Numeral | str | None:
    """A numeral or a formula: the first that is short and reads back as the same expression; None if none is."""
    if value.op == "num":
        text = decimal(abs(value.value))
        if text and len(text) <= MAX_DECIMAL:
            return Numeral(f"-{text}" if value.value < 0 else text)
    if written_size(value, lambda node: node.args) <= MAX_FORMULA:
        text = to_text(value)
        if _reads_back(text, value):
            return text
    return None


def _reads_back(text: str, value: Expression) -> bool:
    try:
        return parse_formula(text) is value
    except ReadError:
        return False
