"""Motion with constraints by several formalisms: accelerations, reactions Dᵀ λ and rank at states that satisfy them.

Multipliers are not compared: rows of a constraint may be chosen in several ways, and where they depend on each other
λ is not unique. Accelerations, reactions on the coordinates and the rank are the same whatever the rows.

Each formalism solves its equations in a way of its own. Where it gives them as expressions they are solved here too,
with bounds: then these solutions are compared with each other, and its own one with that of its equations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, error
from mbconcord.model.expressions import RangeError
from mbconcord.model.system import System
from mbconcord.simulation.assembly import Assembly

from ..judge.evidence import Comparison, Verdict, Witness
from ..judge.floats import precisely, row_evaluation
from ..judge.motion import Array
from ..judge.uncertainty import Inputs
from .agreement import ACCELERATION, CONSTRAINED, RANK, REACTIONS, compare_motions, own_solution, review
from .distance import closed_inputs
from .measure import Measure, measured
from .referee import review as refereed
from .refereed_floats import solution_evaluation
from .witness import Motion, asked

#: What the referee solves for, by quantity.
PARTS = {ACCELERATION: "acceleration", REACTIONS: "reactions", RANK: "rank"}


@dataclass(frozen=True)
class ConstrainedTrial:
    """What the witnesses say about the motion with constraints at states that satisfy them.

    ``formalisms`` were asked. ``known`` is the measure of the system at these states, where it is known.
    """

    system: System
    assembly: Assembly
    motions: Mapping[str, Motion]
    witnesses: tuple[Witness, ...]
    failures: tuple[Comparison, ...]
    formalisms: tuple[Formalism, ...] = ()
    known: Measure | None = None

    @cached_property
    def measure(self) -> Measure:
        """What motions are judged by at the states."""
        return self.known or measured(self.system, self.assembly)

    def comparisons(self) -> list[Comparison]:
        """All pairs, quantity by quantity, and each beside its own solution; of fewer than two none is checked."""
        found = [*self.failures]
        if len(self.motions) < 2:
            who = next(iter(self.motions), "")
            reason = f"only {who} delivers it" if who else "no formalism delivers it"
            found += unchecked(f"{reason}; two are needed", who)
        if not self.motions:
            return found
        measure = self.measure
        states, names = self.assembly.states, self.system.coordinate_names
        for a, b in combinations(self.motions.items(), 2):
            found += compare_motions(a, b, measure, states, names)
        for who, motion in self.motions.items():
            if motion.bounds is not None:
                found.append(own_solution(who, motion, motion.bounds, measure, states, names))
        return [self._refereed(review(self.motions, measure, states, c)) for c in found]

    def _refereed(self, c: Comparison) -> Comparison:
        """A disagreement of witnesses that give their equations, as the referee sees it."""
        equations = {name: m.equations for name, m in self.motions.items() if m.equations}
        if c.verdict != "disagrees" or c.quantity not in PARTS or not {c.a, c.b} <= {*equations}:
            return c
        return refereed(self.system, equations, c, PARTS[c.quantity])

    def floats(self) -> list[Comparison]:
        """Floats at the first state, of each witness that has its equations as expressions.

        The rows of constraints; and the accelerations and reactions that its equations make.
        """
        state = self.assembly.states[0]
        precise = precisely(self.system, state)
        own = [m for m in self.motions.values() if m.equations]
        rows = [row_evaluation(m.equations, precise) for m in own if m.equations]
        return [*rows, *solution_evaluation(self.system, own, state)]


def unchecked(reason: str, who: str = "") -> list[Comparison]:
    """None of the quantities could be compared."""
    return [Comparison(who, "", quantity, "not checked", explanation=reason) for quantity in CONSTRAINED]


def _failed(name: str, verdict: Verdict, said: Diagnostic) -> Comparison:
    return Comparison(name, "", ACCELERATION, verdict, explanation=said.message)


def constrained_trial(
    system: System, assembly: Assembly, formalisms: Iterable[Formalism], witnesses: Iterable[Witness],
    numbers: Inputs | None = None, room: Mapping[str, Array] | None = None,
) -> ConstrainedTrial:  # fmt: skip
    """Ask each formalism for the motion with constraints.

    Parameters
    ----------
    system, assembly, formalisms
    witnesses : those of the open tree; what they derived of it is not derived again
    numbers : at the states, with their uncertainty; None: the model's own, at states near those on the constraints
    room : quantity of the open tree -> what is added to its bounds
    """
    numbers = numbers or closed_inputs(system, assembly)
    chosen = tuple(formalisms)
    motions: dict[str, Motion] = {}
    told: list[Witness] = []
    failures: list[Comparison] = []
    for formalism, witness in zip(chosen, witnesses, strict=True):
        obstacles = formalism.constraint_obstacles(system)
        said: tuple[Diagnostic, ...] = ()
        if not obstacles:
            try:
                motion = asked(formalism, system, assembly.states, numbers, room, witness.derivation)
                motions[formalism.name] = motion
                said = tuple(d for d in motion.own.diagnostics if d.severity == "error")
            except RangeError as problem:  # the model's numbers, not the formalism
                said = (Diagnostic("warning", formalism.name, str(problem)),)
                failures.append(_failed(formalism.name, "not checked", said[0]))
            except Exception as problem:  # whatever a formalism raises is evidence against it
                said = (error(formalism.name, f"{type(problem).__name__}: {problem}"),)
                failures.append(_failed(formalism.name, "disagrees", said[0]))
        findings = tuple(dict.fromkeys((*witness.diagnostics, *said)))
        told.append(replace(witness, constraint_obstacles=obstacles, diagnostics=findings))
    return ConstrainedTrial(system, assembly, motions, tuple(told), tuple(failures), chosen)
