"""A derivation as text: stages of named assignments, then the quantities over those names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.expressions import Expression, to_text
from mbconcord.model.notation.balance import Balance

from .balances import EQUATIONS, Equations, legend, side
from .listing import listing


def text(derivation: Derivation, quantities: dict[str, Nested], stated: Equations | None = None) -> str:
    """Lines ``name = formula``; each uses names of earlier lines only. Formulas read back as they stand.

    ``stated``: the equations over the labels of the quantities, which stand last.
    """
    return "\n\n".join(map("\n".join, _blocks(derivation, quantities, stated))) + "\n"


def _blocks(
    derivation: Derivation, quantities: dict[str, Nested], stated: Equations | None
) -> Iterator[list[str]]:
    for group in listing(derivation, quantities):
        lines = [f"{line.label} = {formula(line.expression, line.names)}" for line in group.lines]
        if group.stage is not None and group.stage.written:
            lines = [line.text for line in group.stage.written]
        yield [f"# {group.title}", *lines]
    if stated is not None:
        yield [f"# {line}" for line in (EQUATIONS, *legend(stated))] + list(map(balance, stated.balances))


def formula(expression: Expression, names: Mapping[Expression, str]) -> str:
    """The name of an expression that has one, else its formula over the names."""
    return names.get(expression) or to_text(expression, names)


def balance(equation: Balance) -> str:
    """An equation in the formula notation."""
    return " = ".join(side(terms, _factor, "*", {}) for terms in (equation.left, equation.right))


def _factor(x: Expression) -> str:
    return f"({to_text(x)})" if x.op == "add" else to_text(x)
