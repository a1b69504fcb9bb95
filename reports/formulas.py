"""The equations of a checked model as MathML, in full if they are small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from mbconcord.model import MbconcordError, State
from mbconcord.model.derivation import Derivation, Nested, flatten
from mbconcord.model.expressions import ZERO, Expression, ExpressionError, evaluate
from mbconcord.model.expressions.mathml import to_mathml
from mbconcord.model.expressions.printer import written_size
from mbconcord.model.numbers import define, environment
from mbconcord.records import dataclass
from mbconcord.validation.judge.evidence import Evidence

from .equations.closed import simplify as closed
from .equations.listing import ScalarElement, choose, elements
from .equations.mathml import write_left_side

#: Operands of all formulas together up to which they are shown.
FULL = 240
#: Operands up to which SymPy is asked for closed forms.
SIMPLIFIED = 2500
#: Relative difference up to which a simplified formula has the value of its original.
SAME = 1e-9

SHOWN = ("M", "h", "gravity", "applied")


@dataclass(frozen=True)
class ShownEquations:
    """Equations of one formalism: (title, lines of MathML) per group, none if they are too long to read.

    ``operands``: how many they have as they would be written.
    """

    formalism: str
    simplified: bool
    operands: int
    groups: tuple[tuple[str, tuple[Markup, ...]], ...] = ()


def formulas(evidence: Evidence, closed_forms: bool = False) -> ShownEquations | None:
    """Show the equations of the first formalism that derived them, optionally simplified by SymPy; None if none did."""
    for witness in evidence.witnesses:
        derivation = witness.derivation
        if derivation is not None and any(name in derivation.quantities for name in SHOWN):
            return _show_equations(derivation, evidence.states if closed_forms else ())
    return None


def _show_equations(derivation: Derivation, states: Sequence[State]) -> ShownEquations:
    """Show the equations; with states, closed forms are derived and tested at the first."""
    names = [name for name in SHOWN if name in derivation.quantities]
    quantities = choose(derivation, names)
    scalars = [x for value in quantities.values() for x in flatten(value)]
    asked = states and _size(scalars) <= SIMPLIFIED
    shorter = simplify_scalars(derivation, scalars, states) if asked else {}
    operands = _size(shorter.get(x, x) for x in scalars)
    if operands > FULL:
        return ShownEquations(derivation.formalism, False, operands)
    groups = ((name, tuple(_full(derivation, name, value, shorter))) for name, value in quantities.items())
    return ShownEquations(derivation.formalism, bool(shorter), operands, tuple(groups))


def _size(scalars: Iterable[Expression]) -> int:
    """Count operands of all formulas as written."""
    return sum(written_size(x, lambda node: node.args) for x in scalars)


def simplify_scalars(
    derivation: Derivation, scalars: Sequence[Expression], states: Sequence[State]
) -> dict[Expression, Expression]:
    """Simplify by SymPy; return nothing unless every form has its original's value at the first state."""
    from mbconcord.model.expressions.sympy_exchange import from_sympy

    try:
        shorter = {x: from_sympy(closed(derivation, "", x)) for x in scalars}
        values = environment(derivation.system, states[:1])[0]
        before = evaluate(define(shorter.keys(), derivation.system.functions), values)
        after = evaluate(define(shorter.values(), derivation.system.functions), values)
    except (ExpressionError, MbconcordError):
        return {}
    size = max((abs(x) for x in before), default=0.0)
    same = all(abs(x - y) <= SAME * max(abs(x), SAME * size) for x, y in zip(before, after))
    return shorter if same else {}


def _full(
    derivation: Derivation, quantity: str, value: Nested, shorter: Mapping[Expression, Expression]
) -> Iterator[Markup]:
    """Yield equations of a quantity: one if all are zero; the upper triangle of a symmetric matrix."""
    if all(x is ZERO for x in flatten(value)):
        yield _equation(write_left_side(ScalarElement(quantity, (), ZERO)), to_mathml(ZERO))
        return
    found = {e.indices: e for e in elements(derivation, quantity, value)}
    for indices, element in found.items():
        mirrored = found.get(indices[::-1]) if len(indices) == 2 else None
        order = list(found)
        below = mirrored is not None and order.index(indices) > order.index(indices[::-1])
        if not (below and mirrored is not None and mirrored.expression is element.expression):
            yield _equation(write_left_side(element), to_mathml(shorter.get(element.expression, element.expression)))


def _equation(first: str, second: str) -> Markup:
    return Markup(f"<math>{first}<mo>=</mo>{second}</math>")
