"""The equations of a checked model as MathML: in full for small systems, over named intermediates for larger ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.expressions import Expression, to_mathml
from mbconcord.model.expressions.printer import written_size
from mbconcord.validation.evidence import Evidence

from .equations.listing import Element, Group, Line, choose, elements, listing
from .equations.mathml import left, right

#: Operands of all formulas together up to which they are shown in full, without intermediates.
FULL = 700
#: Most lines per group and in all, and operands per line, of what is shown over intermediates.
LINES_PER_GROUP, LINES, OPERANDS = 12, 48, 120

SHOWN = ("M", "h", "gravity", "applied")


@dataclass(frozen=True)
class Shown:
    """Equations of one formalism: (title, lines of MathML, how many were left out) per group."""

    formalism: str
    full: bool
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
            return _shown(derivation)
    return None


def _shown(derivation: Derivation) -> Shown:
    names = [name for name in SHOWN if name in derivation.quantities]
    quantities = choose(derivation, names)
    scalars = [x for value in quantities.values() for x in flatten(value)]
    if sum(written_size(x, lambda node: node.args) for x in scalars) <= FULL:
        groups = [
            (name, tuple(_full(e) for e in elements(derivation, name, value)), 0)
            for name, value in quantities.items()
        ]
        return Shown(derivation.formalism, True, tuple(groups))
    return Shown(derivation.formalism, False, tuple(_limited(list(listing(derivation, quantities)))))


def _full(element: Element) -> Markup:
    return _equation(left(element), to_mathml(element.expression))


def _limited(groups: list[Group]) -> Iterator[tuple[str, tuple[Markup, ...], int]]:
    room = LINES
    for group in groups:
        lines = [line for line in group.lines if _short(line)][: min(LINES_PER_GROUP, room)]
        room -= len(lines)
        yield group.title, tuple(_equation(*_sides(line)) for line in lines), len(group.lines) - len(lines)


def _short(line: Line) -> bool:
    def below(node: Expression) -> tuple[Expression, ...]:
        return () if node in line.names else node.args

    return written_size(line.expression, below) <= OPERANDS


def _sides(line: Line) -> tuple[str, str]:
    return left(line.element or Element(line.label, (), line.expression)), right(line)


def _equation(first: str, second: str) -> Markup:
    return Markup(f"<math>{first}<mo>=</mo>{second}</math>")  # noqa: S704
