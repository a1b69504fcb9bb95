"""The equations of a checked model as MathML: in full where they are small, else over intermediates."""

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
from .equations.listing import Element, Group, Line, choose, elements, listing
from .equations.mathml import left, right

#: Operands of all formulas together up to which they are shown in full, without intermediates.
FULL = 700
#: Operands up to which SymPy is asked for closed forms.
SIMPLIFIED = 2500
#: Most lines per group, and operands per line, of what is shown over intermediates.
LINES_PER_GROUP, OPERANDS = 10, 120

#: Relative difference up to which a simplified formula has the value of its original.
SAME = 1e-9

SHOWN = ("M", "h", "gravity", "applied")


@dataclass(frozen=True)
class Shown:
    """Equations of one formalism: (title, lines of MathML, how many were left out) per group."""

    formalism: str
    full: bool
    simplified: bool
    groups: tuple[tuple[str, tuple[Markup, ...], int], ...]

    @property
    def left_out(self) -> int:
        """Lines that are not shown."""
        return sum(count for _, _, count in self.groups)


def formulas(evidence: Evidence) -> Shown | None:
    """The equations by the first formalism that derived them; None when none did."""
    for witness in evidence.witnesses:
        derivation = witness.derivation
        if derivation is not None and any(name in derivation.quantities for name in SHOWN):
            return _shown(derivation, evidence.states)
    return None


def _shown(derivation: Derivation, states: Sequence[State]) -> Shown:
    names = [name for name in SHOWN if name in derivation.quantities]
    quantities = choose(derivation, names)
    scalars = [x for value in quantities.values() for x in flatten(value)]
    shorter = simplified(derivation, scalars, states) if _size(scalars) <= SIMPLIFIED else {}
    if _size(shorter.get(x, x) for x in scalars) <= FULL:
        groups = [
            (name, tuple(_full(derivation, name, value, shorter)), 0) for name, value in quantities.items()
        ]
        return Shown(derivation.formalism, True, bool(shorter), tuple(groups))
    return Shown(derivation.formalism, False, False, tuple(_limited(listing(derivation, quantities))))


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


def _limited(groups: Iterable[Group]) -> Iterator[tuple[str, tuple[Markup, ...], int]]:
    for group in groups:
        lines = [line for line in group.lines if _short(line)][:LINES_PER_GROUP]
        yield group.title, tuple(_equation(*_sides(line)) for line in lines), len(group.lines) - len(lines)


def _short(line: Line) -> bool:
    def below(node: Expression) -> tuple[Expression, ...]:
        return () if node in line.names else node.args

    return written_size(line.expression, below) <= OPERANDS


def _sides(line: Line) -> tuple[str, str]:
    return left(line.element or Element(line.label, (), line.expression)), right(line)


def _equation(first: str, second: str) -> Markup:
    return Markup(f"<math>{first}<mo>=</mo>{second}</math>")
