"""One model, generated equations, and states: what both say under a pairing of coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.equations import GeneratedEquations
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.judge.comparison import Difference, difference_of, excess
from mbconcord.validation.judge.kinematics import Kinematics
from mbconcord.validation.judge.tolerances import evaluation_tolerance
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.judge.uncertainty import generated, inputs

from . import pairing as pairings
from .bodies import Bodies, match_bodies
from .find_pairing import proposals
from .numbers import QUANTITIES, Entries, entries, symbol_values
from .pairing import Pairing
from .witness import Generated

#: What of the canonical quantities generated equations can deliver.
DELIVERED = ("M", "h", "gravity", "applied", "inverse_dynamics")


@dataclass(frozen=True)
class Sides:
    """The model and the equations at states; ``formalisms`` are those to ask, ``bodies`` what is told of these."""

    system: System
    equations: GeneratedEquations
    states: Sequence[State]
    formalisms: tuple[Formalism, ...]
    seed: int
    bodies: Mapping[int, str] | None = None

    @cached_property
    def others(self) -> Trial:
        """The formalisms' trial; nobody is asked where the equations deliver nothing but motion."""
        delivered = self.equations.mass_matrix is not None or self.equations.residual is not None
        return trial(self.system, self.states, self.formalisms if delivered else (), count=True)

    @property
    def kinematics(self) -> Kinematics:
        """Validation's own kinematics at the states."""
        return self.others.kinematics

    @property
    def same_program(self) -> bool:
        """Whether the model was read from a file of the program that generated the equations: both number alike."""
        return f"{self.equations.program}:coordinates" in self.system.metadata

    def paired(self, coordinates: Mapping[str, str] | None) -> Matched:
        """Both sides under the pairing that is given, or by order, or by the numbers where order does not fit.

        A model of the same program is never searched: another order or sense is another machine to the program.
        """
        count = self.equations.count
        if coordinates is not None:
            return Matched(self, pairings.given(self.system, coordinates, count))
        best = Matched(
            self, pairings.by_order(self.system, len(self.system.coordinates) if count is None else count)
        )
        least = 0 if self.same_program else best.disagreeing
        if not least:
            return best
        parameters = self.states[0].parameters
        for proposal in proposals(self.system, self.equations, parameters, self.seed):
            candidate = Matched(self, proposal)
            if candidate.disagreeing < least:
                best, least = candidate, candidate.disagreeing
            if not least:
                break
        return best


@dataclass(frozen=True)
class Matched:
    """Both sides under one pairing of coordinates."""

    sides: Sides
    pairing: Pairing

    @cached_property
    def values(self) -> dict[str, Any]:
        """Values of the symbols of the generated equations at the states."""
        return symbol_values(self.sides.kinematics, self.pairing, self.sides.equations)

    @cached_property
    def bodies(self) -> Bodies:
        """Which body is which."""
        return match_bodies(self.sides.equations, self.sides.kinematics, self.values, self.sides.bodies)

    @cached_property
    def generated(self) -> Generated:
        """The equations as a witness."""
        return Generated(self.sides.equations, self.pairing, self.bodies.names, self.bodies.centred)

    @cached_property
    def trial(self) -> Trial:
        """All witnesses, the generated equations first.

        Its numbers were printed, and each may be what rounds to it.
        What the states make of solving their M for accelerations is no finding about generated equations.
        """
        given = inputs(self.sides.system, self.sides.states, numbers=generated(self.sides.equations.digits))
        own = trial(self.sides.system, self.sides.states, [self.generated], given=given)
        others = self.sides.others
        witnesses = [replace(w, diagnostics=() if w.derivation else w.diagnostics) for w in own.witnesses]
        return Trial(
            others.system, others.states, (self.generated, *others.formalisms),
            (*witnesses, *others.witnesses), {**own.evaluations, **others.evaluations},
        )  # fmt: skip

    @property
    def pairs(self) -> Iterator[tuple[Evaluation, Evaluation]]:
        """The generated equations with every formalism that gave numbers."""
        own = self.trial.evaluations.get(self.generated.name)
        if own is not None:
            for name, other in self.trial.evaluations.items():
                if name != self.generated.name:
                    yield own, other

    @cached_property
    def motions(self) -> dict[str, tuple[Entries, Difference]]:
        """Motion of the bodies, by quantity, where the equations deliver it."""
        k, found = self.sides.kinematics, {}
        for quantity in QUANTITIES:
            made = entries(
                quantity,
                k,
                self.sides.equations,
                self.bodies.names,
                self.values,
                self.pairing,
                self.bodies.centred,
            )
            if made is not None:
                ones = np.ones(k.count)
                found[quantity] = (
                    made,
                    Difference(
                        made.generated.values,
                        made.expected,
                        made.scale,
                        ones * evaluation_tolerance(),
                        ones,
                        bound=made.generated.bounds,
                    ),
                )
        return found

    @cached_property
    def disagreeing(self) -> int:
        """How many entries disagree, of the bodies' motion and with the first formalism that delivers them."""
        differences = [difference for _, difference in self.motions.values()]
        seen: set[str] = set()
        for own, other in self.pairs:
            for quantity in DELIVERED:
                if quantity in own.quantities and quantity in other.quantities and quantity not in seen:
                    seen.add(quantity)
                    differences.append(difference_of(own, other, quantity, self.sides.others.scales))
        with np.errstate(all="ignore"):
            return sum(int(np.sum(np.any(~(excess(d) <= 1.0), axis=0))) for d in differences)
