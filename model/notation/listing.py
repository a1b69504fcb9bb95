"""A derivation as printed in a paper: named formulas, the typesetting of names, and the text after the list.

Sections that a formalism adds to a report: headings, sentences and tables, in one form for all formalisms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from mbconcord.records import dataclass, field

from ..checks.model import lines
from ..derivation import Derivation, Written
from ..diagnostics import Diagnostic
from ..evaluation import Array
from ..expressions import MINUS_ONE, ONE, ZERO, Expression, to_text
from ..expressions.latex import latex_name
from ..expressions.mathml import mathml_name
from ..transformation import Vector

# Forces in a closed planar linkage: drives, reactions of the cut joints, and what every joint of the tree bears.


@dataclass(frozen=True)
class JointReaction:
    """Reaction of a cut joint on a body at N states: point (m), force (N) and moment (N m), fixed axes (N, 3)."""

    constraint: str
    body: str
    point: Array
    force: Array
    moment: Array


@dataclass(frozen=True)
class LinkageForces:
    """Forces of a closed planar linkage at N states.

    Attributes
    ----------
    accelerations (N, n) : q'' of the model's coordinates
    drives : moments or forces of the driven coordinates (N,), in addition to the model's efforts
    bodies : names of the k bodies that coordinates of their own move
    force (N, k, 2), moment (N, k) : of the carriers on the bodies, along the axes of the plane, and about its normal at
        the bodies' origins
    axes (3, 3) : of the plane, x, y and the normal, fixed axes
    reactions : of the cut joints, on both bodies; on a ground joint, on the body alone
    diagnostics : why values are NaN
    """

    accelerations: Array
    drives: Mapping[str, Array]
    bodies: tuple[str, ...]
    force: Array
    moment: Array
    axes: Array
    reactions: tuple[JointReaction, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


# A walking machine as a formalism writes it: a hull, which is the fixed frame, and legs that hang from it.


@dataclass(frozen=True)
class Leg:
    """The bodies of a leg from the hull outwards, the last one its foot, and their coordinates."""

    bodies: tuple[str, ...]
    coordinates: tuple[str, ...]

    @property
    def foot(self) -> str:
        """Return the body that touches the ground."""
        return self.bodies[-1]


@dataclass(frozen=True)
class Walker:
    """The first moments of a walking machine.

    Attributes
    ----------
    lines : formulas of the moments of each leg about its suspension and of the machine, and the meaning of letters
    legs : legs of the machine; empty if one leg represents all
    mass, moment : of all legs: kg, and the first moment Σ m_l R_l + m̄_l about the hull's origin, kg m, in its axes
    distances : coordinates that are distances, so that none of them is negative
    meanings : letters and vectors of the lines by name, and the moments themselves, along the hull's axes
    """

    lines: tuple[Written, ...]
    legs: tuple[Leg, ...]
    mass: Expression
    moment: Vector
    distances: tuple[str, ...]
    meanings: Mapping[str, Sequence[Expression]]


@dataclass(frozen=True, slots=True)
class SectionTable:
    """Cells in rows under headings; the first ``names`` columns are names, all others numbers."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1

    @property
    def numbers(self) -> frozenset[int]:
        """The columns of numbers, counted from 0."""
        return frozenset(range(self.names, len(self.headers)))


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A heading, a sentence before a table, the table, and a note after it; empty parts are left out."""

    title: str
    about: str = ""
    table: SectionTable | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Convert the section to JSON."""
        found: dict[str, Any] = {"title": self.title, "about": self.about, "note": self.note}
        if self.table is not None:
            found |= {"headers": list(self.table.headers), "rows": [list(row) for row in self.table.rows]}
        return found


# Equations as they are written: sums of products on both sides, in the order of the source.


@dataclass(frozen=True, slots=True)
class Product:
    """A product: factors in written order; ``minus``: the product is subtracted."""

    factors: tuple[Expression, ...]
    minus: bool = False


@dataclass(frozen=True, slots=True)
class BalanceLine:
    """One equation: the sum of the products on the left is that of the products on the right.

    ``name`` names the equation: that of a coordinate or of a row. A side without products is zero.
    """

    name: str
    left: tuple[Product, ...]
    right: tuple[Product, ...]

    @property
    def residual(self) -> Expression:
        """Left side minus right side: zero where the equation holds."""
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
    """Convert terms, each given by its factors, to products without factors 1, signs outside; drop zero terms."""
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
    """Typesetting of names in a listing; this base class typesets them like all other names."""

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
        """Convert the stages and sections of a listing to JSON."""
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

    Names of assignments are symbols of the formulas, so that evaluating the assignments in order gives the numbers.
    They are checked on construction: each name is new, and each formula uses only preceding names.

    Attributes
    ----------
    notation : Notation
        How the names of the assignments are typeset.
    sections : tuple of Section
        Text and tables printed after the list.
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
