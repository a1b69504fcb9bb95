"""Closed forms of small systems, as the literature prints them: L, M, h and Q, simplified by SymPy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mbconcord.model import MbconcordError
from mbconcord.model.derivation import Derivation, Nested, flatten, restore
from mbconcord.model.diagnostics import error
from mbconcord.model.expressions import Expression, ExpressionError
from mbconcord.model.expressions.printer import written_size
from mbconcord.model.expressions.sympy_exchange import to_sympy
from mbconcord.model.numbers import define

from .latex import align, name, write_left_side
from .listing import ScalarElement, choose, closing, elements

#: Operands of one formula, written out, and terms of its expansion, above which nothing is simplified.
OPERANDS, TERMS = 4000, 400

REMEDY = "leave --closed-form out: the intermediates keep their names; or choose with --quantity"


def write_closed_forms(derivation: Derivation, names: Sequence[str], output: str) -> Any:
    """Write simplified formulas of the chosen quantities; by default L (if available), M, h, Q, D and γ̃.

    ``Q`` is gravity + applied. The text is in the formula notation (``^`` is a power).

    Raises
    ------
    MbconcordError
        The system is too large for closed forms, or the output is code.
    """
    if output not in ("text", "latex", "json"):
        raise MbconcordError(error("--output", f"closed forms are no {output} code", "use text, latex or json"))
    quantities = _quantities(derivation, names)
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
    """Expand by SymPy with trigonometry gathered."""
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

    return str(sympy.sstr(expression)).replace("**", "^")


def _quantities(derivation: Derivation, names: Sequence[str]) -> dict[str, Nested]:
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
        rows.append((write_left_side(element), str(sympy.latex(value, symbol_names=symbols))))
    yield from align(rows)


def _too_large(quantity: str) -> MbconcordError:
    return MbconcordError(error("--closed-form", f"{quantity} of this system is too large for a closed form", REMEDY))
