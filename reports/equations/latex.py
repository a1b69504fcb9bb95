"""A derivation as LaTeX: one ``align*`` environment per stage and quantity.

Closed forms of small systems, as the literature prints them: L, M, h and Q, simplified by SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mbconcord.model import MbconcordError
from mbconcord.model.derivation import Derivation, Nested, flatten, restore
from mbconcord.model.diagnostics import error
from mbconcord.model.expressions import Expression, ExpressionError, symbol, to_latex
from mbconcord.model.expressions.latex import latex_name
from mbconcord.model.expressions.printer import written_size
from mbconcord.model.expressions.sympy_exchange import to_sympy
from mbconcord.model.notation.listing import BalanceLine
from mbconcord.model.numbers import define

from .listing import (
    EQUATIONS,
    LabelledEquations,
    ListingLine,
    PaperName,
    ScalarElement,
    choose,
    closing,
    elements,
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
    """Write an equation, to be aligned at its ``=``; ``symbol`` returns the LaTeX of a name."""

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
    """Yield the lines of an environment with equations (left side, right side) under each other."""
    yield from environment(f"{a} &= {b}" for a, b in rows)


def environment(lines: Iterable[str]) -> Iterator[str]:
    """Yield an ``align*`` environment with these lines, aligned at their ``&``."""
    yield r"\begin{align*}"
    yield " \\\\\n".join(f"  {line}" for line in lines)
    yield r"\end{align*}"


def write_left_side(element: ScalarElement) -> str:
    """Write the left side of an element's equation: the symbol of its quantity with indices."""
    letter = SYMBOLS.get(element.quantity) or name(element.quantity)
    if not element.indices:
        return letter
    indices = ",".join(name(index) for index in element.indices)
    return f"{{{letter}}}_{{{indices}}}"


def name(identifier: str) -> str:
    """Write an identifier as the LaTeX symbol of that name."""
    return to_latex(symbol(identifier))


#: Operands of one formula, written out, and terms of its expansion, above which nothing is simplified.
OPERANDS, TERMS = 4000, 400

REMEDY = "leave --closed-form out: the intermediates keep their names; or choose with --quantity"


def write_closed_forms(derivation: Derivation, names: Sequence[str], output: str) -> Any:
    """Write simplified formulas of the chosen quantities; by default of L (if available), M, h, Q, D and γ̃.

    ``Q`` is gravity + applied. The text is in the formula notation (``^`` is a power).

    Raises
    ------
    MbconcordError
        The system is too large for closed forms, or the output is code.
    """
    if output not in ("text", "latex", "json"):
        raise MbconcordError(error("--output", f"closed forms are no {output} code", "use text, latex or json"))
    quantities = choose_closed(derivation, names)
    if output == "json":
        formulas = {
            quantity: restore(value, (formula(simplify(derivation, quantity, x)) for x in flatten(value)))
            for quantity, value in quantities.items()
        }
        head = {"formalism": derivation.formalism, "system": derivation.system.name}
        return head | {"coordinates": list(derivation.system.coordinate_names), "quantities": formulas}
    found = (e for quantity, value in quantities.items() for e in elements(derivation, quantity, value))
    return "\n".join(_latex(derivation, found) if output == "latex" else _text(derivation, found)) + "\n"


def simplify(derivation: Derivation, quantity: str, expression: Expression) -> Any:
    """Return an entry of a quantity as a SymPy expression, expanded and with trigonometric functions combined."""
    import sympy

    (whole,) = define([expression], derivation.system.functions)
    if written_size(whole, lambda node: node.args) > OPERANDS:
        raise _too_large(quantity)
    try:
        expanded = sympy.expand(to_sympy(whole))
    except ExpressionError:  # too deep for SymPy
        raise _too_large(quantity) from None
    if len(sympy.Add.make_args(expanded)) > TERMS:
        raise _too_large(quantity)
    return sympy.trigsimp(expanded)


def formula(expression: Any) -> str:
    """Write a SymPy expression in the formula notation."""
    import sympy

    return str(sympy.sstr(expression)).replace("**", "^").replace("Abs(", "abs(")


def choose_closed(derivation: Derivation, names: Sequence[str]) -> dict[str, Nested]:
    """Choose the quantities of closed forms by name; without names L, M, h, Q, D and γ̃."""
    given = derivation.quantities
    forces = [given[key] for key in ("gravity", "applied") if key in given]
    total = tuple(sum(row[1:], row[0]) for row in zip(*forces)) if forces else ()
    if not names:
        names = [key for key in ("L", "M", "h") if key in derivation.native or key in given] + ["Q"] * bool(forces)
        names = [*names, *closing(derivation)]
    chosen: dict[str, Nested] = {}
    for key in names:
        chosen |= {"Q": total} if key == "Q" and forces else choose(derivation, [key])
    return chosen


def _text(derivation: Derivation, found: Iterator[ScalarElement]) -> Iterator[str]:
    for element in found:
        yield f"{element.label} = {formula(simplify(derivation, element.quantity, element.expression))}"


def _latex(derivation: Derivation, found: Iterator[ScalarElement]) -> Iterator[str]:
    import sympy

    rows = []
    for element in found:
        value = simplify(derivation, element.quantity, element.expression)
        symbols = {s: name(s.name) for s in value.free_symbols}
        formula = sympy.latex(value, symbol_names=symbols, mul_symbol=r" \, ", ln_notation=True, root_notation=False)
        rows.append((write_left_side(element), str(formula)))
    yield from align(rows)


def _too_large(quantity: str) -> MbconcordError:
    return MbconcordError(error("--closed-form", f"{quantity} of this system is too large for a closed form", REMEDY))
