"""A derivation as printed in a paper: its names, their typesetting, and the text after the list."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from mbconcord.records import dataclass, field

from ..checks.quantities import lines
from ..derivation import Derivation
from ..diagnostics import Diagnostic
from ..expressions import MINUS_ONE, ONE, ZERO, Expression, to_text
from ..expressions.latex import latex_name
from ..expressions.mathml import mathml_name
from .section import ReportSection

# Equations as they are written: sums of products on both sides, in the order of the source.


@dataclass(frozen=True, slots=True)
class Product:
    """Factors in written order; ``minus``: it is subtracted."""

    factors: tuple[Expression, ...]
    minus: bool = False


@dataclass(frozen=True, slots=True)
class BalanceLine:
    """One equation: the sum of the products on the left is that of the products on the right.

    ``name`` says which one it is: of a coordinate, of a row. A side without products is zero.
    """

    name: str
    left: tuple[Product, ...]
    right: tuple[Product, ...]

    @property
    def residual(self) -> Expression:
        """Left less right: zero where the equation holds."""
        return _total(self.left) - _total(self.right)


def _total(products: Iterable[Product]) -> Expression:
    total = ZERO
    for product in products:
        value = ONE
        for factor in product.factors:
            value = value * factor
        total = total - value if product.minus else total + value
    return total


def products(*terms: Iterable[Expression], minus: bool = False) -> tuple[Product, ...]:
    """Convert each term to a product of its factors: without factors 1, with its sign outside; zeros dropped."""
    found = []
    for term in terms:
        factors, negative = [], minus
        for factor in term:
            if factor.op == "neg" or factor is MINUS_ONE:
                factor, negative = -factor, not negative
            if factor is not ONE:
                factors.append(factor)
        if ZERO not in factors:
            found.append(Product(tuple(factors) or (ONE,), negative))
    return tuple(found)


class Notation:
    """Notation for names of a listing. This one: the same as for all other names."""

    #: What its stages are called together.
    stages: ClassVar[str] = "stages"

    def latex(self, name: str) -> str:
        """Write the name in LaTeX."""
        return latex_name(name)

    def mathml(self, name: str) -> str:
        """Write the name in MathML."""
        return mathml_name(name)

    def code(self, name: str) -> str:
        """Write the name in a program's letters; a result that is not an identifier is converted to one."""
        return name

    def mapping(self, listing: Listing) -> dict[str, Any]:
        """Convert the stages and all that follows them to JSON."""
        stages = [
            {
                "name": stage.name,
                "title": stage.title,
                "assignments": [{"name": a.name, "expression": to_text(a.expression)} for a in stage.assignments],
            }
            for stage in listing.stages
        ]
        sections = [section.to_json() for section in listing.sections]
        return {self.stages: stages} | ({"sections": sections} if sections else {})


PLAIN = Notation()


@dataclass(frozen=True, slots=True)
class Listing(Derivation):
    """A derivation in printed form: formulas refer to the assignments before them.

    Such names are symbols of the formulas, so that evaluating the assignments in order gives the numbers. They are
    checked on construction: each is new, and uses only preceding ones.

    Attributes
    ----------
    notation : Notation
        How the names of the assignments are typeset.
    sections : tuple of Section
        Printed after the list.
    balances : tuple of Balance
        The equations of motion over the names, as the paper writes them.
    unknowns : mapping
        Further symbols of the equations: symbol -> its meaning.
    """

    notation: Notation = PLAIN
    sections: tuple[ReportSection, ...] = ()
    balances: tuple[BalanceLine, ...] = ()
    unknowns: Mapping[str, str] = field(default_factory=dict)

    @property
    def _assigned_names(self) -> Collection[str]:
        return {a.name for a in self.assignments}

    def _lines(self) -> Iterator[Diagnostic]:
        return lines(self.formalism, self.system, ((a.name, a.expression) for a in self.assignments))
