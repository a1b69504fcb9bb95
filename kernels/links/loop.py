"""A recursion link after link in Python: floats of one state, arrays of NumPy over several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions import python_source
from mbconcord.model.recursion import FIXED, Kind, Recursion

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
        one = count == 1
        columns_of = [x[0].tolist() if one else [*np.ascontiguousarray(x.T)] for x in motions]
        moving = [*zip(*columns_of, strict=True)]
        memory: list[list[Any]] = [[0.0] * len(ground) for _ in recursion.links]
        memory.append(ground.tolist())  # the fixed frame's, at FIXED
        own_numbers = numbers.tolist()
        forces: list[Any] = [0.0] * recursion.coordinates
        columns, carriers = self.layout.columns.tolist(), self.layout.carriers.tolist()
        places = {slot: i for i, slot in enumerate(recursion.slots)}
        order = range(len(recursion.links))
        with np.errstate(all="ignore"):
            for turn, inward in enumerate(recursion.inward):
                known = [_Known(recursion, kind, turn, one, places) for kind in recursion.kinds]
                for i in order[::-1] if inward else order:
                    link = recursion.links[i]
                    step = known[link.kind]
                    own, carrier = memory[i], memory[carriers[i]]
                    given = [*own, *carrier, *moving[columns[i]], *own_numbers[i][: step.numbers]]
                    if watch:
                        watch(turn, i, given)
                    found = step.function(given)
                    for place, x in zip(step.own, found, strict=False):
                        own[place] = x
                    for place, x in zip(step.carrier, found[len(step.own) :], strict=False):
                        carrier[place] = x
                    if step.forces and link.coordinate is not None:
                        forces[link.coordinate] = found[-1]
        result = np.empty((count, len(forces)))
        for column, force in zip(result.T, forces, strict=True):
            column[:] = force
        return result


class _Known:
    """A step as a function, and where its results go."""

    def __init__(
        self, recursion: Recursion, kind: Kind, turn: int, one: bool, places: dict[str, int]
    ) -> None:
        step = kind.steps[turn]
        self.numbers = kind.numbers
        self.own = [places[slot] for slot in step.own]
        self.carrier = [places[slot] for slot in step.carrier]
        self.forces = step.force is not None
        results, inputs = tuple(step.results), recursion.inputs(kind)
        self.function: Function = scalar(results, inputs) if one else _over_states(results, inputs)


@cache
def _over_states(results: tuple[Any, ...], inputs: tuple[str, ...]) -> Function:
    namespace: dict[str, Any] = {}
    exec(compile(python_source(results, inputs, "compiled"), "<generated code>", "exec"), namespace)
    function: Function = namespace["compiled"]
    return function


assert FIXED == -1  # the last of the memories is the fixed frame's
