"""Numbers of a model and of generated equations at states, under a pairing of their coordinates.

The pairing is searched by numbers: a signed permutation of coordinates under which both sides move alike.

A model written in another format may have its coordinates in another order and some of them reversed. The search
assigns the generated coordinates one by one, keeps the few best partial assignments, and judges them at states in
which only assigned coordinates are not zero: by the entries of M among them, and by positions and orientations of
the bodies. What it proposes is judged like any other pairing, so a wrong proposal is a disagreement, never an
agreement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import flatten
from mbconcord.model.equations import GeneratedEquations, coordinate_symbol
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import symbols, topological
from mbconcord.model.numbers import parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.validation.judge.comparison import ArrayDifference, difference_of, excess
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.motion import Array
from mbconcord.validation.judge.scale import mass_matrix
from mbconcord.validation.judge.tolerances import evaluation_tolerance
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.judge.uncertainty import generation_error, inputs

from . import pairing as pairings
from .bodies import BodyPairing, in_order, match_bodies, numbers
from .generated import Generated
from .numbers import QUANTITIES, Entries, entries, generated_values, symbol_values
from .pairing import CoordinatePair, Pairing

#: Number of partial assignments that are kept, and number of states at which each is judged.
WIDTH, STATES = 24, 2
#: Number of coordinates from which on fewer partial assignments are kept, and their number then.
MANY, NARROW = 12, 8
#: Relative gap up to which two entries are the same to the search.
SAME = 1e-9

Assignment = tuple[tuple[int, int], ...]


def proposals(
    system: System, equations: GeneratedEquations, parameters: Mapping[str, float], seed: int
) -> list[Pairing]:
    """Return the best signed permutations as pairings, best first; empty if the equations have no M and no motion."""
    n = equations.count
    telling = equations.mass_matrix is not None or any(
        m.position is not None or m.orientation is not None for m in equations.bodies.values()
    )
    if n is None or not n or not telling:
        return []
    search = _PairingSearch(system, equations, parameters, seed)
    beam: list[Assignment] = [()]
    for level in range(n):
        grown = [(*kept, (j, sign)) for kept in beam for j, sign in search.candidates(level, kept)]
        if not grown:
            return []
        scores = search.scores(grown)
        order = sorted(range(len(grown)), key=lambda i: (-scores[i], _strangeness(grown[i])))
        beam = [grown[i] for i in order[: WIDTH if n < MANY else NARROW]]
    names = system.coordinate_names
    return [
        Pairing(tuple(CoordinatePair(i, names[j], sign) for i, (j, sign) in enumerate(kept)), "the numbers")
        for kept in beam
    ]


def _strangeness(assignment: Assignment) -> tuple[int, int]:
    """Return the numbers of reversed and of displaced coordinates of an assignment."""
    return sum(sign < 0 for _, sign in assignment), sum(i != j for i, (j, _) in enumerate(assignment))


class _PairingSearch:
    """Search for a pairing: candidates of partial assignments, and their scores at random positions."""

    def __init__(
        self, system: System, equations: GeneratedEquations, parameters: Mapping[str, float], seed: int
    ) -> None:
        self.system, self.equations = system, equations
        self.parameters = parameter_values(system, parameters)  # once: formulas of parameters take time
        self.names = system.coordinate_names
        self.turning = {et.coordinate for body in system.bodies for et in body.joint if not et.is_translation}
        self.angular = _angular(equations)
        random = Random(seed)
        count = equations.count or 0
        self.samples = np.array([[random.uniform(0.3, 1.2) for _ in range(count)] for _ in range(STATES)])
        empty = TreeKinematics(system, [State(parameters=self.parameters)])
        self.constants = {name: float(value[0]) for name, value in empty.values.items()}
        self.bodies = in_order(numbers(equations), empty, equations.program)

    def candidates(self, level: int, kept: Assignment) -> list[tuple[int, int]]:
        """Return number and sign of unused model coordinates that may be the generated coordinate ``level``."""
        used = {j for j, _ in kept}
        free = [j for j in range(len(self.names)) if j not in used]
        if level in self.angular:
            free = [j for j in free if self.names[j] in self.turning]
        return [(j, sign) for j in free for sign in (1, -1)]

    def scores(self, assignments: Sequence[Assignment]) -> list[int]:
        """Count the entries that agree under each assignment, all of the same length."""
        level = len(assignments[0])
        states, q = [], self.samples.copy()
        q[:, level:] = 0.0
        for assignment in assignments:
            for row in q:
                position = dict.fromkeys(self.names, 0.0)
                position |= {self.names[j]: sign * row[i] for i, (j, sign) in enumerate(assignment)}
                states.append(State(q=position, v=dict.fromkeys(self.names, 0.0), parameters=self.parameters))
        k = TreeKinematics(self.system, states)
        theirs = self._evaluate_generated(q)
        shape = (len(assignments), STATES)
        totals = np.zeros(len(assignments), dtype=int)
        if "M" in theirs:
            totals += _mass_score(theirs["M"], mass_matrix(k).reshape(*shape, len(self.names), -1), assignments)
        for number, name in self.bodies.items():
            frame = k.frame(name)
            for key, ours in (
                (f"position {number}", frame.position.reshape(*shape, 3)),
                (f"orientation {number}", np.swapaxes(frame.rotation, 1, 2).reshape(*shape, 9)),
            ):
                if key in theirs:
                    near = np.abs(ours - theirs[key]) <= SAME * (1 + np.abs(theirs[key]))
                    totals += near.sum(axis=(1, 2))
        return [int(x) for x in totals]

    def _evaluate_generated(self, q: Array) -> dict[str, Array]:
        """Evaluate M (S, n, n), positions (S, 3) and orientations (S, 9) of the generated equations."""
        groups = {}
        if self.equations.mass_matrix is not None:
            groups["M"] = list(flatten(self.equations.mass_matrix))
        for number in self.bodies:
            motion = self.equations.bodies.get(number)
            if motion is not None and motion.position is not None:
                groups[f"position {number}"] = list(motion.position)
            if motion is not None and motion.orientation is not None:
                groups[f"orientation {number}"] = list(flatten(motion.orientation))
        values = dict.fromkeys(symbols(self.equations.expressions()), 0.0) | self.constants
        values |= {coordinate_symbol(i).data: q[:, i] for i in range(q.shape[1])}
        found = {key: generated_values(roots, values, len(q)) for key, roots in groups.items()}
        if "M" in found:
            n = q.shape[1]
            found["M"] = found["M"].reshape(-1, n, n)
        return found


def _mass_score(theirs: Array, ours: Array, assignments: Sequence[Assignment]) -> Array:
    """Count the entries of M that agree on both sides, for every assignment (A,)."""
    chosen = np.array([[j for j, _ in a] for a in assignments])
    signs = np.array([[sign for _, sign in a] for a in assignments])
    level = chosen.shape[1]
    rows = np.arange(len(assignments))[:, None, None]
    picked = np.moveaxis(ours, 1, 3)[rows, chosen[:, :, None], chosen[:, None, :]]  # (A, level, level, S)
    picked = picked * (signs[:, :, None] * signs[:, None, :])[..., None]
    wanted = np.moveaxis(theirs[:, :level, :level], 0, 2)
    roots = np.sqrt(np.abs(np.einsum("iis->is", wanted)))
    size = roots[:, None, :] * roots[None, :, :] + np.abs(wanted)
    near = np.abs(picked - wanted) <= SAME * (size + 1e-300)
    return np.asarray(near.sum(axis=(1, 2, 3)))


def _angular(equations: GeneratedEquations) -> set[int]:
    """Return numbers of coordinates that appear in a sine or cosine."""
    places = {coordinate_symbol(i): i for i in range(equations.count or 0)}
    found = set()
    for node in topological(equations.expressions()):
        if node.op == "fun" and node.args[0] in places:
            found.add(places[node.args[0]])
    return found


#: Canonical quantities that generated equations can deliver.
DELIVERED = ("M", "h", "gravity", "applied", "inverse_dynamics")


@dataclass(frozen=True)
class MatchedSides:
    """The model, the equations, states, and formalisms to compare with; ``bodies`` are the user's names by number."""

    system: System
    equations: GeneratedEquations
    states: Sequence[State]
    formalisms: tuple[Formalism, ...]
    seed: int
    bodies: Mapping[int, str] | None = None

    @cached_property
    def others(self) -> Trial:
        """Trial of the formalisms at the states; without any if the equations deliver only motion."""
        delivered = self.equations.mass_matrix is not None or self.equations.residual is not None
        return trial(self.system, self.states, self.formalisms if delivered else (), count=True)

    @property
    def kinematics(self) -> TreeKinematics:
        """Validation's own kinematics at the states."""
        return self.others.kinematics

    @property
    def same_program(self) -> bool:
        """True if the model is from a file of the program that generated the equations: their numbering is equal."""
        return f"{self.equations.program}:coordinates" in self.system.metadata

    def pair(self, coordinates: Mapping[str, str] | None) -> Matched:
        """Return both sides under a pairing: as given, else by order, else by numbers if the order does not fit.

        A model of the same program is never searched: another order or sense is another machine to the program.
        """
        count = self.equations.count
        if coordinates is not None:
            return Matched(self, pairings.read_pairing(self.system, coordinates, count))
        best = Matched(self, pairings.by_order(self.system, len(self.system.coordinates) if count is None else count))
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

    sides: MatchedSides
    pairing: Pairing

    @cached_property
    def values(self) -> dict[str, Any]:
        """Values of the symbols of the generated equations at the states."""
        return symbol_values(self.sides.kinematics, self.pairing, self.sides.equations)

    @cached_property
    def bodies(self) -> BodyPairing:
        """The matching of the bodies of both sides."""
        return match_bodies(self.sides.equations, self.sides.kinematics, self.values, self.sides.bodies)

    @cached_property
    def generated_witness(self) -> Generated:
        """The generated equations in the model's coordinates, as a witness."""
        return Generated(self.sides.equations, self.pairing, self.bodies.names, self.bodies.centred)

    @cached_property
    def trial(self) -> Trial:
        """Trial of all witnesses, the generated equations first.

        Numbers in these were printed, so each is uncertain by the rounding of its digits.
        Diagnostics of solving their M for accelerations are dropped, as they are no finding about the equations.
        """
        given = inputs(self.sides.system, self.sides.states, numbers=generation_error)
        own = trial(self.sides.system, self.sides.states, [self.generated_witness], given=given)
        others = self.sides.others
        witnesses = [replace(w, diagnostics=() if w.derivation else w.diagnostics) for w in own.witnesses]
        return Trial(
            others.system, others.states, (self.generated_witness, *others.formalisms),
            (*witnesses, *others.witnesses), {**own.evaluations, **others.evaluations},
        )  # fmt: skip

    @property
    def pairs(self) -> Iterator[tuple[Evaluation, Evaluation]]:
        """Pairs of evaluations: that of the generated equations, and that of each formalism with numbers."""
        own = self.trial.evaluations.get(self.generated_witness.name)
        if own is not None:
            for name, other in self.trial.evaluations.items():
                if name != self.generated_witness.name:
                    yield own, other

    @cached_property
    def motions(self) -> dict[str, tuple[Entries, ArrayDifference]]:
        """Entries of the bodies' motion and differences of both sides, by quantity that the equations deliver."""
        k, found = self.sides.kinematics, {}
        for quantity in QUANTITIES:
            made = entries(
                quantity, k, self.sides.equations, self.bodies.names, self.values, self.pairing, self.bodies.centred
            )
            if made is not None:
                ones = np.ones(k.count)
                found[quantity] = (
                    made,
                    ArrayDifference(
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
        """Number of entries that disagree, in the bodies' motion and with the first formalism that has them."""
        differences = [difference for _, difference in self.motions.values()]
        seen: set[str] = set()
        for own, other in self.pairs:
            for quantity in DELIVERED:
                if quantity in own.quantities and quantity in other.quantities and quantity not in seen:
                    seen.add(quantity)
                    differences.append(difference_of(own, other, quantity, self.sides.others.scales))
        with np.errstate(all="ignore"):
            return sum(int(np.sum(np.any(~(excess(d) <= 1.0), axis=0))) for d in differences)
