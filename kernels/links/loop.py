"""A recursion link after link in Python: floats of one state, arrays of NumPy over several, or any other numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions import python_source
from mbconcord.model.recursion import FIXED, Step

from ..scalar import scalar
from .numbers import Array, Layout

#: Values of a step's inputs -> of its results.
Function = Callable[[Sequence[Any]], Sequence[Any]]
#: Called before each step: the pass, the link, its inputs.
Watch = Callable[[int, int, Sequence[Any]], None]


class PythonLoop:
    """``f(numbers, ground, motions) -> forces``, by generated Python for each kind of link."""

    findings: tuple[Diagnostic, ...] = ()

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def __call__(
        self, numbers: Array, ground: Array, motions: Sequence[Array], watch: Watch | None = None
    ) -> Array:
        """Forces along the coordinates (n, C).

        Parameters
        ----------
        numbers : (L, width) of the links
        ground : (S,) what stands in the fixed frame
        motions : shifts and angles, rates, accelerations, (n, M) each
        watch : told of every step
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
            forces = walked(self.layout, functions, numbers.tolist(), ground.tolist(), moving, 0.0, watch)
        result = np.empty((count, len(forces)))
        for column, force in zip(result.T, forces, strict=True):
            column[:] = force
        return result


def walked(
    layout: Layout,
    functions: Sequence[Sequence[Function]],
    numbers: Sequence[Sequence[Any]],
    ground: Sequence[Any],
    moving: Sequence[Sequence[Any]],
    nothing: Any,
    watch: Watch | None = None,
) -> list[Any]:
    """Forces along the coordinates, in whatever numbers the functions compute.

    Parameters
    ----------
    functions : for each pass, of each kind, a function of own memory, the carrier's, the motion, the numbers
    numbers : of each link, as many as its kind has or more
    ground : what stands in the fixed frame
    moving : of each motion, in the order of :attr:`.numbers.Layout.columns`, what the functions take of it
    nothing : what stands in a memory before anything is put there
    watch : told of every step
    """
    recursion = layout.recursion
    memory: list[list[Any]] = [[nothing] * len(ground) for _ in recursion.links]
    memory.append([*ground])  # the fixed frame's, at FIXED
    forces: list[Any] = [nothing] * recursion.coordinates
    columns, carriers = layout.columns.tolist(), layout.carriers.tolist()
    places = {slot: i for i, slot in enumerate(recursion.slots)}
    order = range(len(recursion.links))
    for turn, inward in enumerate(recursion.inward):
        known = [_Known(kind.steps[turn], kind.numbers, places) for kind in recursion.kinds]
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


class _Known:
    """Where the results of a step go."""

    def __init__(self, step: Step, numbers: int, places: dict[str, int]) -> None:
        self.numbers = numbers
        self.own = [places[slot] for slot in step.own]
        self.carrier = [places[slot] for slot in step.carrier]
        self.forces = step.force is not None


@cache
def _over_states(results: tuple[Any, ...], inputs: tuple[str, ...]) -> Function:
    namespace: dict[str, Any] = {}
    exec(compile(python_source(results, inputs, "compiled"), "<generated code>", "exec"), namespace)
    function: Function = namespace["compiled"]
    return function


assert FIXED == -1  # the last of the memories is the fixed frame's
