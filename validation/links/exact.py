"""Whether recursions of several formalisms are the same functions: inverse dynamics in prime fields, link by link.

What floats hide in the rounding of thousands of bodies is no question here: the numbers of links, sines and cosines of
joints are values of one random point of a random field (:mod:`mbconcord.model.expressions.field`), the steps of links
are run with them, and forces along the coordinates are equal or not: inverse dynamics for all positions, rates and
accelerations, prescribed motions as they are.

The chance that different functions meet at the point grows with their degrees, which are followed the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from mbconcord.kernels.links.loop import walked
from mbconcord.kernels.links.numbers import Layout
from mbconcord.model.expressions import Expression, as_expression, cos, rate, sin, symbol
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, UNDECIDED, Plan, Sample, Size, Value
from mbconcord.model.expressions.field.sizes import Over
from mbconcord.model.expressions.node import NUM
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.system import System

from ..exact.equations import DRAWS
from ..exactness import Exactness
from .fields import Function, UnfitError, in_degrees, in_field, inputs
from .outermost import outermost

#: Operations in prime fields that ``auto`` allows: some ten seconds.
BUDGET: Final = 40_000_000
#: What stands where nothing was put, and its size.
NOTHING: Final = as_expression(0)
NO_SIZE: Final = Over(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Run:
    """A recursion, and the places of what it is run with among the outputs of a plan.

    Attributes
    ----------
    numbers : of each link
    ground : of the fixed frame
    moving : of each motion: amount, rate, acceleration, sine and cosine
    efforts : of each coordinate
    """

    layout: Layout
    numbers: list[list[int]]
    ground: list[int]
    moving: list[list[int]]
    efforts: list[int]

    def forces(self, given: Sequence[Any], steps: Sequence[Sequence[Function]], nothing: Any) -> list[Any]:
        """Forces along the coordinates, of what stands at these places; efforts are not taken off."""
        numbers, moving = ([[given[i] for i in row] for row in x] for x in (self.numbers, self.moving))
        return walked(self.layout, steps, numbers, [given[i] for i in self.ground], moving, nothing)

    def steps(self, write: Any) -> list[list[Function]]:
        """For each pass, of each kind, what ``write(results, places)`` makes of the step."""
        recursion = self.layout.recursion
        return [
            [write([*kind.steps[turn].results], inputs(recursion, kind)) for kind in recursion.kinds]
            for turn in range(len(recursion.inward))
        ]


class Links:
    """Recursions at random points.

    Parameters
    ----------
    layouts : by formalism
    system : with the author's functions, those without a formula too
    """

    def __init__(self, system: System, layouts: Mapping[str, Layout], seed: int) -> None:
        self.system, self._seed = system, seed
        asked: list[Expression] = []
        self._places: dict[Expression, int] = {}
        self._runs = {name: self._run(layout, asked) for name, layout in layouts.items()}
        self._asked = asked

    @property
    def operations(self) -> int:
        """What it takes."""
        found = 0
        for run in self._runs.values():
            recursion = run.layout.recursion
            costs = [
                sum(len(program([*step.results]).steps) for step in kind.steps) for kind in recursion.kinds
            ]
            found += sum(costs[link.kind] for link in recursion.links)
        return DRAWS * found

    def compared(self, a: str, b: str) -> Exactness:
        """Inverse dynamics of two formalisms."""
        try:
            return self._compared(a, b)
        except UnfitError as why:
            return Exactness(UNDECIDED, str(why))

    def _compared(self, a: str, b: str) -> Exactness:
        names = self.system.coordinate_names
        equal = [{one[a] == one[b] for one in patterns} for patterns in self._forces]
        found = self._sample.judged(equal, self._all, self._size(a, b))
        if found.kind == IDENTICAL:
            return Exactness(IDENTICAL, log2=found.chance.log2 if found.chance else None)
        if found.kind != DIFFERS:
            return Exactness(UNDECIDED, found.reason)
        wrong = np.array([x != y for x, y in zip(self._forces[0][0][a], self._forces[0][0][b], strict=True)])
        first = next((name for name, x in zip(names, wrong, strict=True) if x), "")
        return Exactness(DIFFERS, outermost(self.system, 2.0 * wrong[None, :]), (first,) if first else ())

    def _at(self, x: Expression, asked: list[Expression]) -> int:
        """Its number among what is asked of the plan."""
        if x not in self._places:
            self._places[x] = len(asked)
            asked.append(x)
        return self._places[x]

    def _run(self, layout: Layout, asked: list[Expression]) -> Run:
        recursion, names = layout.recursion, self.system.coordinate_names

        def at(values: Sequence[Expression]) -> list[int]:
            return [self._at(x, asked) for x in define(values, self.system.functions)]

        numbers = [at(link.numbers) for link in recursion.links]
        lines = (program([*step.results]) for kind in recursion.kinds for step in kind.steps)
        at([step.node for each in lines for step in each.steps if step.op is NUM])  # their denominators count
        ground = dict(zip(recursion.ground, at([*recursion.ground.values()]), strict=True))
        nothing = self._at(NOTHING, asked)
        motions = [(symbol(n), rate(n), rate(n, 2)) for n in names]
        motions += [link.motion for link in recursion.links if link.motion is not None]
        return Run(
            layout, numbers, [ground.get(slot, nothing) for slot in recursion.slots],
            [at((q, v, w, sin(q), cos(q))) for q, v, w in motions], at(recursion.efforts),
        )  # fmt: skip

    @cached_property
    def _sample(self) -> Sample:
        return Sample(Plan(self._asked), DRAWS, self._seed)

    @cached_property
    def _all(self) -> list[int]:
        plan = self._sample.plan
        return [plan.place[x] for x in self._asked]

    @cached_property
    def _forces(self) -> list[list[dict[str, list[Value]]]]:
        """For every point, for every choice of signs, inverse dynamics by formalism."""
        found = []
        for point, patterns in self._sample.runs:
            p = point.field.p
            steps = {name: run.steps(partial(in_field, p=p)) for name, run in self._runs.items()}
            given = ([values[i] for i in self._all] for values in patterns)
            found.append([
                {name: self._less(run, steps[name], own, p) for name, run in self._runs.items()} for own in given
            ])  # fmt: skip
        return found

    def _less(
        self, run: Run, steps: Sequence[Sequence[Function]], given: Sequence[Value], p: int
    ) -> list[Value]:
        forces = run.forces(given, steps, 0)
        return [(force - given[i]) % p for force, i in zip(forces, run.efforts, strict=True)]

    def _size(self, *names: str) -> Size:
        """Of the largest difference of two."""
        sizes = self._sample.sizes
        known, common = sizes.over_one(self._all)

        def number(x: Expression) -> Over:
            return known[self._places[x]]

        def write(results: Sequence[Expression], places: Mapping[str, int]) -> Function:
            return in_degrees(results, places, number)

        largest = NO_SIZE
        for name in names:
            run = self._runs[name]
            forces = run.forces(known, run.steps(write), NO_SIZE)
            for found in (*forces, *(known[i] for i in run.efforts)):
                largest = Over(*map(max, zip(largest, found, strict=True)))
        return sizes.made(largest._replace(norm=largest.norm + 2), common)
