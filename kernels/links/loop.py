"""A recursion link by link in Python: floats of one state, arrays of NumPy over several, or any other numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.coordinate import Function
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions import Expression, python_source
from mbconcord.model.expressions.levels import Levels, levels, run_levels
from mbconcord.model.expressions.program import program
from mbconcord.model.numbers import define
from mbconcord.model.recursion import FIXED, Recursion, RecursionStep
from mbconcord.records import dataclass

from ..registry import scalar

# A recursion with numbers: which link is carried by which, what kind it is of, and the numbers of all links.


Array = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """A recursion as arrays; the model's ``functions`` are expanded in its formulas."""

    recursion: Recursion
    functions: tuple[Function, ...] = ()

    @cached_property
    def carriers(self) -> Places:
        """Index of the carrier of each link (L,)."""
        return np.array([link.carrier for link in self.recursion.links], dtype=np.int64)

    @cached_property
    def kinds(self) -> Places:
        """Index of the kind of each link (L,)."""
        return np.array([link.kind for link in self.recursion.links], dtype=np.int64)

    @cached_property
    def columns(self) -> Places:
        """Index of the motion of each link (L,): that of its coordinate; prescribed ones follow all coordinates."""
        prescribed = iter(range(self.recursion.coordinates, len(self.recursion.links)))
        links = self.recursion.links
        return np.array(
            [next(prescribed) if link.coordinate is None else link.coordinate for link in links], dtype=np.int64
        )

    @property
    def width(self) -> int:
        """Largest number of numbers that a link has."""
        return max((len(link.numbers) for link in self.recursion.links), default=0)

    @cached_property
    def runs(self) -> Places:
        """Runs of neighbouring links of one kind (R, 3): index of the first, index after the last, kind."""
        kinds = self.kinds
        edges = [0, *(np.flatnonzero(np.diff(kinds)) + 1).tolist(), len(kinds)] if len(kinds) else [0]
        found = [(i, j, kinds[i]) for i, j in pairwise(edges)]
        return np.array(found, dtype=np.int64).reshape(-1, 3)

    def numbers(self, values: Mapping[str, Any]) -> tuple[Array, Array]:
        """Compute the numbers of the links (L, width), padded with zeros, and the fixed frame's memory (S,).

        ``values`` : name of a parameter -> its value

        Raises
        ------
        ExpressionError
            A symbol or a function has no value.
        """
        return self.tables(values_of(self.constants, values)[:, 0])

    def tables(self, found: Array) -> tuple[Array, Array]:
        """Arrange the results of :attr:`constants` as the two arrays of :meth:`numbers`."""
        links = self.recursion.links
        table = np.zeros((len(links), self.width))
        lengths = np.array([len(link.numbers) for link in links], dtype=np.int64)
        table[np.arange(self.width) < lengths[:, None]] = found[: lengths.sum()]
        ground = np.zeros(len(self.recursion.slots))
        places = {slot: i for i, slot in enumerate(self.recursion.slots)}
        ground[[places[slot] for slot in self.recursion.ground]] = found[lengths.sum() :]
        return table, ground

    def evaluate_prescribed(self, values: Mapping[str, Any]) -> Array:
        """Compute prescribed shifts and angles, rates and accelerations (3, P, n); ``values`` of t and parameters."""
        return self.motions(values_of(self.moving, values))

    def motions(self, found: Array) -> Array:
        """Arrange the results of :attr:`moving` as the array of :meth:`evaluate_prescribed`."""
        return np.moveaxis(found.reshape(-1, 3, found.shape[1]), 0, 1)

    @property
    def driven(self) -> int:
        """Number of prescribed motions."""
        return len(self.recursion.links) - self.recursion.coordinates

    @property
    def formulas(self) -> list[Expression]:
        """Formulas of all numbers, of the fixed frame's memory, and of prescribed motions."""
        return [*self._constant, *self._moving]

    @cached_property
    def _constant(self) -> list[Expression]:
        links = chain.from_iterable(link.numbers for link in self.recursion.links)
        return define([*links, *self.recursion.ground.values()], self.functions)

    @cached_property
    def _moving(self) -> list[Expression]:
        return define([x for link in self.recursion.links for x in link.motion or ()], self.functions)

    @cached_property
    def constants(self) -> Levels:
        """Plan that computes all numbers of the links, and the fixed frame's memory."""
        return plan_levels(self._constant)

    @cached_property
    def moving(self) -> Levels:
        """Plan that computes the prescribed motions, three values each."""
        return plan_levels(self._moving)


def plan_levels(outputs: list[Expression]) -> Levels:
    """Plan the computation of the outputs."""
    return levels(program(outputs))


def values_of(plan: Levels, values: Mapping[str, Any]) -> Array:
    """Compute the outputs (m, n), or (m, 1) for numbers alone."""
    return run_levels(plan, {name: values[name] for name in plan.symbols if name in values})


#: Values of a step's inputs -> of its results.
StepFunction = Callable[[Sequence[Any]], Sequence[Any]]
#: Called before each step: the pass, the link, its inputs.
Watch = Callable[[int, int, Sequence[Any]], None]


class PythonLoop:
    """Function ``f(numbers, ground, motions) -> forces``, by generated Python for each kind of link."""

    findings: tuple[Diagnostic, ...] = ()

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def __call__(self, numbers: Array, ground: Array, motions: Sequence[Array], watch: Watch | None = None) -> Array:
        """Compute the forces along the coordinates (n, C).

        Parameters
        ----------
        numbers : (L, width) of the links
        ground : (S,) memory of the fixed frame
        motions : shifts and angles, rates, accelerations, (n, M) each
        watch : called at every step
        """
        recursion = self.layout.recursion
        count = len(motions[0])
        make = scalar if count == 1 else _over_states
        columns_of = [x[0].tolist() if count == 1 else [*np.ascontiguousarray(x.T)] for x in motions]
        functions = [
            [make(tuple(kind.steps[turn].results), recursion.inputs(kind)) for kind in recursion.kinds]
            for turn in range(len(recursion.inward))
        ]
        moving = [*zip(*columns_of, strict=True)]
        with np.errstate(all="ignore"):
            forces = walk_links(self.layout, functions, numbers.tolist(), ground.tolist(), moving, 0.0, watch)
        result = np.empty((count, len(forces)))
        for column, force in zip(result.T, forces, strict=True):
            column[:] = force
        return result


def walk_links(
    layout: Layout,
    functions: Sequence[Sequence[StepFunction]],
    numbers: Sequence[Sequence[Any]],
    ground: Sequence[Any],
    moving: Sequence[Sequence[Any]],
    nothing: Any,
    watch: Watch | None = None,
) -> list[Any]:
    """Compute the forces along the coordinates, in the number type of the functions.

    Parameters
    ----------
    functions : for each pass and kind, a function of own memory, the carrier's memory, the motion, the numbers
    numbers : for each link its numbers, at least as many as its kind has
    ground : memory of the fixed frame
    moving : for each motion, in the order of :attr:`Layout.columns`, its shift or angle, rate and acceleration
    nothing : initial content of a memory
    watch : called at every step
    """
    recursion = layout.recursion
    memory: list[list[Any]] = [[nothing] * len(ground) for _ in recursion.links]
    memory.append([*ground])  # the fixed frame's, at FIXED
    forces: list[Any] = [nothing] * recursion.coordinates
    columns, carriers = layout.columns.tolist(), layout.carriers.tolist()
    places = {slot: i for i, slot in enumerate(recursion.slots)}
    order = range(len(recursion.links))
    for turn, inward in enumerate(recursion.inward):
        known = [_KnownLinks(kind.steps[turn], kind.numbers, places) for kind in recursion.kinds]
        for i in order[::-1] if inward else order:
            link = recursion.links[i]
            step = known[link.kind]
            own, carrier = memory[i], memory[carriers[i]]
            given = [*own, *carrier, *moving[columns[i]], *numbers[i][: step.numbers]]
            if watch:
                watch(turn, i, given)
            found = functions[turn][link.kind](given)
            for place, x in zip(step.own, found, strict=False):
                own[place] = x
            for place, x in zip(step.carrier, found[len(step.own) :], strict=False):
                carrier[place] = x
            if step.forces and link.coordinate is not None:
                forces[link.coordinate] = found[-1]
    return forces


class _KnownLinks:
    """Destinations of a step's results, as indices into the memories of a link and its carrier."""

    def __init__(self, step: RecursionStep, numbers: int, places: dict[str, int]) -> None:
        self.numbers = numbers
        self.own = [places[slot] for slot in step.own]
        self.carrier = [places[slot] for slot in step.carrier]
        self.forces = step.force is not None


@cache
def _over_states(results: tuple[Any, ...], inputs: tuple[str, ...]) -> StepFunction:
    namespace: dict[str, Any] = {}
    exec(compile(python_source(results, inputs, "compiled"), "<generated code>", "exec"), namespace)
    function: StepFunction = namespace["compiled"]
    return function


assert FIXED == -1  # the last of the memories is the fixed frame's
