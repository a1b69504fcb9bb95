"""A derivation written down as a paper prints it: its names, how they are typeset, and what follows the list."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..checks.quantities import lines
from ..derivation import Derivation
from ..diagnostics import Diagnostic
from ..expressions import to_text
from ..expressions.latex import latex_name
from ..expressions.mathml import mathml_name
from .balance import Balance
from .section import Section


class Notation:
    """How the names of a listing are written where they cannot stand as they are. This one: as all other names."""

    #: What its stages are called together.
    stages: ClassVar[str] = "stages"

    def latex(self, name: str) -> str:
        """The name as LaTeX sets it."""
        return latex_name(name)

    def mathml(self, name: str) -> str:
        """The name as MathML."""
        return mathml_name(name)

    def code(self, name: str) -> str:
        """The name in letters of programs; what is still no identifier is made one."""
        return name

    def mapping(self, listing: Listing) -> dict[str, Any]:
        """The stages, and what follows them, as JSON."""
        stages = [
            {
                "name": stage.name,
                "title": stage.title,
                "assignments": [
                    {"name": a.name, "expression": to_text(a.expression)} for a in stage.assignments
                ],
            }
            for stage in listing.stages
        ]
        sections = [section.to_json() for section in listing.sections]
        return {self.stages: stages} | ({"sections": sections} if sections else {})


PLAIN = Notation()


@dataclass(frozen=True, slots=True)
class Listing(Derivation):
    """A derivation written down: formulas name the assignments before them, as a paper prints them.

    Such names are symbols of the formulas, so that evaluating the assignments in order gives the numbers. They are
    checked when it is made: each is new, and uses what stands before it.

    Attributes
    ----------
    notation : Notation
        How the names of the assignments are typeset.
    sections : tuple of Section
        What is printed after the list.
    balances : tuple of Balance
        The equations of motion over the names, as the paper writes them.
    unknowns : mapping
        What the equations have beside the names, the coordinates and their rates: symbol -> what it is.
    """

    notation: Notation = PLAIN
    sections: tuple[Section, ...] = ()
    balances: tuple[Balance, ...] = ()
    unknowns: Mapping[str, str] = field(default_factory=dict)

    @property
    def _named(self) -> Collection[str]:
        return {a.name for a in self.assignments}

    def _lines(self) -> Iterator[Diagnostic]:
        return lines(self.formalism, self.system, ((a.name, a.expression) for a in self.assignments))
