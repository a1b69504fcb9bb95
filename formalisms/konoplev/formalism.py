"""Konoplev's formalism: the canonical quantities from the aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import ClassVar

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation, Nested, Obstacle
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation, complete
from mbconcord.model.expressions import Operations
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.lazy import Lazy, LazySequence
from mbconcord.model.notation.listing import Listing
from mbconcord.model.notation.section import Section
from mbconcord.model.state import State
from mbconcord.model.system import System

from .aggregates import Aggregates, aggregates, places
from .arithmetic import Arithmetic, Batch, Symbolic
from .body import Axes
from .canonical import canonical, canonical_arrays, nodes
from .chains import FAMILIES, chain
from .constraints.cut import cut_joints_refused
from .constraints.motion import constrained_motion
from .constraints.rows import rows_of
from .counts import in_words, operations_of, section
from .decomposition import divided
from .diagnose import indefinite_medium, singular_angles
from .mechanism import Road, mechanism
from .native import indices, native
from .tiers.lists import tiers
from .tiers.parallelism import LOADS, loads_table
from .tiers.stages import stages


class Konoplev(Formalism):
    """Konoplev's aggregates: A(q) q'' + B(q, q') q' = Q.

    Parameters
    ----------
    split : bool
        Give every elementary transformation a body of its own, as the end of §4 does.
    axes : "body", "central" or "principal"
        Frames of the bodies' aggregates; a body with medium or flywheels keeps its own frame.
    """

    name: ClassVar[str] = "konoplev"
    title: ClassVar[str] = "Konoplev's aggregates"
    reference: ClassVar[str] = "Konoplev 1989, eqs. (1.1)-(4.8)"
    takes: ClassVar[frozenset[str]] = OPEN_TREES | {
        "bushings",
        "torsions",
        "flywheels",
        "added_inertia",
        "armatures",
    }

    def __init__(self, split: bool = False, axes: Axes = "central") -> None:
        self.split, self.axes = split, axes

    def roads(self, system: System) -> tuple[Road, ...]:
        """Which joints are native pairs and which are split with fictitious bodies."""
        return mechanism(system, self.split).roads

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """The road of every joint."""
        return tuple(Diagnostic("note", f"bodies/{road.body}", road.words) for road in self.roads(system))

    def derive(self, system: System) -> Derivation:
        """M = A(q), h = b with the flywheels' inertia, gravity and applied of Q."""
        self.require(system)
        whole = self.aggregates(system, Symbolic())
        quantities: dict[str, Nested] = {name: nodes(value) for name, value in canonical(whole).items()}
        return Derivation(
            self.name, system, quantities, LazySequence(lambda: stages(whole, system.names)), native(whole),
            self.notes(system), indices=indices(whole),
        )  # fmt: skip

    def evaluate(self, system: System, states: Sequence[State]) -> Evaluation:
        """Numbers at once: the same aggregates run on arrays over the states.

        Diagnostics name the joint and the coordinate of singular angles, and added inertia that makes M singular.
        """
        self.require(system)
        whole = self.aggregates(system, Batch(system, states))
        quantities = canonical_arrays(whole, len(states))
        findings = (*singular_angles(whole, states), *indefinite_medium(whole, quantities["M"]))
        return complete(Evaluation(self.name, quantities, findings), system, states)

    def listing(self, system: System) -> Listing:
        """The same equations as the paper prints them: tiers of named scalars over the names of earlier tiers.

        Of a model with constraints with the tiers of D, and the equations with multipliers, (4.6)-(4.8).
        """
        self.require_constraints(system)
        return tiers(self.name, mechanism(system, self.split), self.axes)

    def sections(self, derivation: Derivation) -> tuple[Section, ...]:
        """Loads of the tiers (item 4 of the paper), and what A and b cost beside its count (item 5)."""
        loads = loads_table(self.listing(derivation.system).stages)
        return (Section(f"Tiers of {self.name}", table=loads, note=f"{LOADS} {in_words(derivation)}"),)

    def appendix(self) -> tuple[Section, ...]:
        """Operations of chains of m = 1…8 revolute joints beside the paper's."""
        return (section(self.name, counted),)

    def divide(self, system: System, groups: Mapping[str, Sequence[str]]) -> Derivation:
        """Item 7 of the paper: A and B by blocks of the groups."""
        return divided(self.derive(system), groups)

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """Why it gives no motion with the constraints: the open tree's obstacles, and cut joints of other kinds."""
        return (*self.obstacles(system.opened()), *cut_joints_refused(system))

    def derive_closed(self, system: System) -> Derivation:
        """The open tree's equations with the constraints beside them, natively: ``D`` (m×n) and ``γ̃`` (m).

        ``M q'' + h = gravity + applied + Dᵀ λ``, ``D q'' + γ̃ = 0``; ``γ`` holds D q' + γ of (4.8).
        """
        return self._closed(system)

    def _closed(self, system: System, tree: Derivation | None = None) -> Derivation:
        self.require_constraints(system)
        tree = tree or self.derive(system.opened())
        moving = places(mechanism(system, self.split), Symbolic())
        rows, names = rows_of(system.lumped(), moving), system.coordinate_names
        closing: dict[str, Nested] = {
            "D": nodes(tuple(tuple(row.D.get(name, 0) for name in names) for row in rows)),
            "γ": nodes(tuple(row.speed for row in rows)),
            "γ̃": nodes(tuple(row.rest for row in rows)),
        }
        native = Lazy({}) | tree.native | closing
        return replace(tree, system=system, native=native, notes=(), rows=tuple(row.name for row in rows))

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion:
        """Accelerations, multipliers and reactions of a system with constraints at states, (4.7), (4.8)."""
        self.require_constraints(system)
        return constrained_motion(self.name, self.aggregates(system, Batch(system, states)), states)

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion, Derivation]:
        """The motion by the aggregates of arrays, and the equations, which are derived."""
        return self.constrained_motion(system, states), self._closed(system, tree)

    def aggregates(self, system: System, arithmetic: Arithmetic) -> Aggregates:
        """The aggregates of a model in an arithmetic."""
        return aggregates(mechanism(system, self.split), arithmetic, self.axes)


@cache
def counted(m: int, kind: str) -> Operations:
    """Operations of A (upper triangle) and b of a chain of m links, derived when it is first asked for."""
    return operations_of(Konoplev(axes=FAMILIES[kind].axes).derive(chain(m, kind)))
