"""The equations of a checked model as MathML, in full where they are small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mbconcord.model import MbconcordError, State
from mbconcord.model.derivation import Derivation, Nested, flatten
from mbconcord.model.expressions import ZERO, Expression, ExpressionError, evaluate
from mbconcord.model.expressions.mathml import to_mathml
from mbconcord.model.expressions.printer import written_size
from mbconcord.model.numbers import define, environment
from mbconcord.validation.judge.evidence import Evidence

from .equations.closed import simplified as closed
from .equations.listing import Element, choose, elements
from .equations.mathml import left

#: Operands of all formulas together up to which they are shown.
FULL = 240
#: Operands up to which SymPy is asked for closed forms.
SIMPLIFIED = 2500
#: Relative difference up to which a simplified formula has the value of its original.
SAME = 1e-9

SHOWN = ("M", "h", "gravity", "applied")


@dataclass(frozen=True)
class Shown:
    """Equations of one formalism: (title, lines of MathML) per group, none where they are too long to be read.

    ``operands``: how many they have as they would be written.
    """

    formalism: str
    simplified: bool
    operands: int
    groups: tuple[tuple[str, tuple[Markup, ...]], ...] = ()


def formulas(evidence: Evidence, closed_forms: bool = False) -> Shown | None:
    """The equations by the first formalism that derived them, on request simplified by SymPy; None when none did."""
    for witness in evidence.witnesses:
        derivation = witness.derivation
        if derivation is not None and any(name in derivation.quantities for name in SHOWN):
            return _shown(derivation, evidence.states if closed_forms else ())
    return None


def _shown(derivation: Derivation, states: Sequence[State]) -> Shown:
    """With states: closed forms are asked for, and tried at the first."""
    names = [name for name in SHOWN if name in derivation.quantities]
    quantities = choose(derivation, names)
    scalars = [x for value in quantities.values() for x in flatten(value)]
    asked = states and _size(scalars) <= SIMPLIFIED
    shorter = simplified(derivation, scalars, states) if asked else {}
    operands = _size(shorter.get(x, x) for x in scalars)
    if operands > FULL:
        return Shown(derivation.formalism, False, operands)
    groups = ((name, tuple(_full(derivation, name, value, shorter))) for name, value in quantities.items())
    return Shown(derivation.formalism, bool(shorter), operands, tuple(groups))


def _size(scalars: Iterable[Expression]) -> int:
    """Operands of all formulas as they are written."""
    return sum(written_size(x, lambda node: node.args) for x in scalars)


def simplified(
    derivation: Derivation, scalars: Sequence[Expression], states: Sequence[State]
) -> dict[Expression, Expression]:
    """SymPy's closed forms; none at all unless every one has the value of its original at the first state."""
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
    """Equations of a quantity: one for all where all are zero; of a symmetric matrix the upper triangle."""
    if all(x is ZERO for x in flatten(value)):
        yield _equation(left(Element(quantity, (), ZERO)), to_mathml(ZERO))
        return
    found = {e.indices: e for e in elements(derivation, quantity, value)}
    for indices, element in found.items():
        mirrored = found.get(indices[::-1]) if len(indices) == 2 else None
        order = list(found)
        below = mirrored is not None and order.index(indices) > order.index(indices[::-1])
        if not (below and mirrored is not None and mirrored.expression is element.expression):
            yield _equation(left(element), to_mathml(shorter.get(element.expression, element.expression)))


def _equation(first: str, second: str) -> Markup:
    return Markup(f"<math>{first}<mo>=</mo>{second}</math>")
