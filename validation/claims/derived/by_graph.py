"""Claims derived from the equations of each formalism: by pairs, within bounds of floats and over prime fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, combinations, pairwise

import numpy as np

from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.derivatives.dynamics import Matrix
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions.field import Plan, Sample
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import Program, program
from mbconcord.model.functions import define
from mbconcord.records import dataclass, replace

from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import Comparison
from ...judge.exact.equations import DRAWS, Points, SampledScalars, sides
from ...judge.exact.proof import BUDGET, SIZE, approximate, with_proof
from ...judge.exactness import Exactness
from ...judge.motion import Array
from ...judge.solutions import Bounded
from ...judge.trial import Trial
from ...judge.uncertainty import Inputs, inputs
from ..claim import not_checked

#: Matrices of one derivation by the names of quantities.
Made = Callable[[Derivation], Mapping[str, Matrix]]


@dataclass(frozen=True)
class GraphMatrices:
    """Matrices (r×c) of one formalism as a program.

    Attributes
    ----------
    derivation
    rows : quantity -> rows of its matrix
    program, places : the program of all entries, and for each quantity the slice of its outputs
    """

    derivation: Derivation
    rows: Mapping[str, Matrix]

    @cached_property
    def program(self) -> Program:
        """Program of all entries, row by row, with the model's functions inserted."""
        scalars = [x for value in self.rows.values() for x in flatten(value)]
        return program(define(scalars, self.derivation.system.functions))

    @cached_property
    def places(self) -> dict[str, slice]:
        """The places of each quantity's scalars among the outputs."""
        ends = accumulate((sum(map(len, value)) for value in self.rows.values()), initial=0)
        return {name: slice(*pair) for name, pair in zip(self.rows, pairwise(ends), strict=True)}

    def evaluate(self, given: Inputs) -> dict[str, Bounded]:
        """Evaluate every quantity (N, r, c) with rounding bounds."""
        values, bounds = given.run(levels(self.program))
        found = {}
        for name, rows in self.rows.items():
            shape = (given.count, len(rows), len(rows[0]) if rows else 0)
            own = (np.ascontiguousarray(x[self.places[name]].T).reshape(shape) for x in (values, bounds))
            found[name] = Bounded(*own)
        return found


def graphs(made: Trial, what: str, matrices: Made) -> tuple[dict[str, GraphMatrices], list[Comparison]]:
    """Return the graphs of every formalism that gave numbers, and comparisons that explain the others."""
    found: dict[str, GraphMatrices] = {}
    said: list[Comparison] = []
    for name, derivation in made.derivations.items():
        try:
            found[name] = GraphMatrices(derivation, matrices(derivation))
        except FormalismError as problem:  # it delivers no equations of motion, or the model has none
            said.append(not_checked(name, what, problem.diagnostics[0].message))
    return found, said


def pairs(
    made: Trial, found: Mapping[str, GraphMatrices], columns: Mapping[str, Sequence[str]], solved: bool = False
) -> Iterator[Comparison]:
    """Compare every quantity by every pair of formalisms.

    Parameters
    ----------
    made, found
    columns : names of the columns of every quantity; rows are coordinates
    solved : True for quantities that need accelerations: states without these are left out, and nothing is proved
        beyond the proof for the equations
    """
    given = inputs(made.system, made.states)
    numbers = {name: own.evaluate(given) for name, own in found.items()}
    moving = find_accelerated(made)
    proof = None if solved else _Proof(made, found, columns)
    for (a, x), (b, y) in combinations(numbers.items(), 2):
        for quantity in [name for name in columns if name in x and name in y]:
            first, second = x[quantity], y[quantity]
            if solved:
                first, second = (Bounded(_where(moving, s.values), s.bounds) for s in (first, second))
            size = row_scale(first.values, second.values)
            c = entry_of(a, b, quantity, first, second, size, made, columns[quantity])
            yield proof.add_proof(c) if proof else c


def find_accelerated(made: Trial) -> Array:
    """Select states (N,) at which all formalisms that give accelerations have numbers for them."""
    known = [e.quantities["acceleration"] for e in made.evaluations.values() if "acceleration" in e.quantities]
    return np.all([np.isfinite(a).all(axis=1) for a in known], axis=0) if known else np.ones(len(made.states), bool)


def _where(states: Array, values: Array) -> Array:
    return np.asarray(np.where(states[:, None, None], values, np.nan))


def row_scale(*sides: Array) -> Array:
    """Return the largest entry of every row of any side (N, r, 1): the scale, also for entries that cancel to zero."""
    with np.errstate(all="ignore"):
        found = [np.max(np.abs(x), axis=2, initial=0.0, keepdims=True) for x in sides]
        return np.asarray(np.fmax.reduce(found))


def entry_of(
    a: str, b: str, quantity: str, x: Bounded, y: Bounded, scale: Array, made: Trial, columns: Sequence[str],
    tolerance: float = 0.0,
) -> Comparison:  # fmt: skip
    """Compare the worst entry of two matrices, named by its row and column."""
    ones = np.ones(len(x.values))
    size = np.broadcast_to(scale, x.values.shape)
    difference = ArrayDifference(x.values, y.values, size, ones * tolerance, ones, bound=x.bounds + y.bounds)
    places = [str(i) for i in range(max(x.values.shape[1:], default=0))]
    c = worst(a, b, quantity, difference, made.states, places)
    if len(c.entry) != 2:
        return c
    row, column = map(int, c.entry)
    return replace(c, entry=(made.names[row], columns[column]))


class _Proof:
    """Proof that matrices of formalisms are the same functions, within a budget of cost."""

    def __init__(self, made: Trial, found: Mapping[str, GraphMatrices], columns: Mapping[str, Sequence[str]]) -> None:
        self._system, self._names, self._columns = made.system, made.names, columns
        self._scalars: dict[str, dict[str, SampledScalars]] = {}
        if sum(len(own.program.steps) for own in found.values()) * DRAWS > BUDGET:
            return
        plan, places = Plan.of_programs(own.program for own in found.values())
        self._points = Points(Sample(plan, DRAWS, 0))
        for (name, own), outputs in zip(found.items(), places, strict=True):
            self._scalars[name] = {
                quantity: self._points.sample_steps(outputs[part]) for quantity, part in own.places.items()
            }

    @cached_property
    def _rounding_note(self) -> str:
        return approximate(self._system)

    def add_proof(self, c: Comparison) -> Comparison:
        """Add the proof result to the comparison of a pair."""
        if not self._scalars:
            return with_proof(c, SIZE, str, "")
        by = {name: own[c.quantity] for name, own in self._scalars.items() if c.quantity in own}
        entries = [(row, column) for row in self._names for column in self._columns[c.quantity]]
        found: Exactness = self._points.compare(by[c.a], by[c.b], entries)
        why = self._rounding_note if found.entry else ""
        return with_proof(c, found, lambda _: sides(by), why)
