"""A derivation as LaTeX: one ``align*`` environment per stage and quantity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.expressions import Expression, symbol, to_latex
from mbconcord.model.expressions.latex import latex_name
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

#: Canonical quantities in the notation of the documentation.
SYMBOLS = {
    "M": "M",
    "h": "h",
    "gravity": r"Q^{\mathrm{g}}",
    "applied": r"Q^{\mathrm{a}}",
    "inverse_dynamics": r"\tau",
    "acceleration": r"\ddot q",
    "effort": "u",
    "Π": r"\Pi",
    "γ": r"\gamma",
    "γ̃": r"\tilde\gamma",
}


def latex(derivation: Derivation, quantities: dict[str, Nested], stated: LabelledEquations | None = None) -> str:
    """Write environments for a document that loads amsmath, with the ``stated`` equations last."""
    return "\n".join(_lines(derivation, quantities, stated)) + "\n"


def _lines(derivation: Derivation, quantities: dict[str, Nested], stated: LabelledEquations | None) -> Iterator[str]:
    groups = list(listing(derivation, quantities))
    write = tell_apart(derivation, groups, latex_name)
    for group in groups:
        yield f"% {group.title}"
        if group.stage is not None and group.stage.written:
            yield from environment(line.latex for line in group.stage.written)
        else:
            yield from align((_write_left_side(line, write), _right(line, write)) for line in group.lines)
    if stated is not None:
        yield from (f"% {line}" for line in (EQUATIONS, *legend(stated)))
        labels = stated.labels

        def write_name(name: str) -> str:
            return write_left_side(labels[name]) if name in labels else write(name)

        yield from environment(balance(equation, write_name) for equation in stated.balances)


def balance(equation: BalanceLine, symbol: Callable[[str], str]) -> str:
    """Write an equation, to be aligned at its sign; ``symbol`` gives the LaTeX of a name."""

    def factor(x: Expression) -> str:
        formula = to_latex(x, symbol=symbol)
        return rf"\left({formula}\right)" if x.op == "add" else formula

    return " &= ".join(side(terms, factor, r" \, ", {}) for terms in (equation.left, equation.right))


def _write_left_side(line: ListingLine, write: PaperName) -> str:
    return write_left_side(line.element) if line.element else write(line.label)


def _right(line: ListingLine, write: PaperName) -> str:
    given = line.names.get(line.expression)
    return write(given) if given else to_latex(line.expression, line.names, write)


def align(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Write equations under each other."""
    yield from environment(f"{a} &= {b}" for a, b in rows)


def environment(lines: Iterable[str]) -> Iterator[str]:
    """Write lines under each other, each aligned at its ``&``."""
    yield r"\begin{align*}"
    yield " \\\\\n".join(f"  {line}" for line in lines)
    yield r"\end{align*}"


def write_left_side(element: ScalarElement) -> str:
    """Write the left side of an element's equation."""
    letter = SYMBOLS.get(element.quantity) or name(element.quantity)
    if not element.indices:
        return letter
    indices = ",".join(name(index) for index in element.indices)
    return f"{{{letter}}}_{{{indices}}}"


def name(identifier: str) -> str:
    """Write an identifier as the LaTeX symbol of that name."""
    return to_latex(symbol(identifier))
