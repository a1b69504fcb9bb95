"""Sections that a formalism adds to a report: headings, sentences and tables, shown independently of their author."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mbconcord.records import dataclass

from ..derivation import Written
from ..diagnostics import Diagnostic
from ..evaluation import Array
from ..expressions import Expression
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
    bodies : moved by coordinates of their own, k of them
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
    lines : the moment of each leg about its point of suspension, of the machine, and the meaning of the letters
    legs : of a machine; empty if one leg represents all
    mass, moment : of the legs together: kg, and Σ m_l R_l + m̄_l about the origin of the hull, kg m, in its axes
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
