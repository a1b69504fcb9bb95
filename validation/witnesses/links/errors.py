"""Rounding errors of a recursion's floats against exact arithmetic, link by link.

Bounds of single numbers grow by |cos| + |sin| at every rotation of axes and become useless after some hundred links.
Lengths of vectors do not: therefore a bound of ‖δx‖ is propagated for each vector x of a link's memory. A step y = f(x)
gives

    ‖δy‖ ≤ Σ ‖∂y/∂x‖₂ ‖δx‖ + ‖rounding of the step itself‖

to first order, the matrix norms at the floats, the rounding by running error bounds of the step alone, with exact
operands except the numbers of the link, which were rounded before. All links of a kind are one batch.

The scale of a force along a joint is the length of the vector of which it is a component: Σ ‖∂force/∂x‖₂ ‖x‖.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mbconcord.kernels.links.loop import Layout, PythonLoop, plan_levels
from mbconcord.model.expressions import Expression, jacobian, symbol
from mbconcord.model.expressions.bounds import FACTOR, run_bounds
from mbconcord.model.expressions.levels import Levels, run_levels
from mbconcord.model.recursion import ACCELERATION, AMOUNT, RATE, LinkKind, Recursion, RecursionStep, carrier, own
from mbconcord.records import dataclass

Array = NDArray[np.float64]
MOTION = tuple(x.data for x in (AMOUNT, RATE, ACCELERATION))
OWN, CARRIER, FORCE = "own", "carrier", "force"


@dataclass(frozen=True)
class LinkInputs:
    """Inputs of a recursion at one state, with error bounds.

    Attributes
    ----------
    numbers, number_errors (L, width) : numbers of the links, such as masses, and their error bounds
    ground, ground_errors (S,) : memory of the fixed frame, such as gravity, and its error bounds
    motions, motion_errors (3, M) : shifts and angles, rates, accelerations, and their error bounds
    """

    numbers: Array
    number_errors: Array
    ground: Array
    ground_errors: Array
    motions: Array
    motion_errors: Array


class Errors:
    """Forces of a recursion with bounds of their errors, at one state after another."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.loop = PythonLoop(layout)
        recursion = layout.recursion
        self.steps = [
            [_Spread(recursion, kind, kind.steps[turn]) for kind in recursion.kinds]
            for turn in range(len(recursion.inward))
        ]

    def __call__(self, given: LinkInputs) -> tuple[Array, Array, Array]:
        """Compute the forces along the coordinates, their error bounds, and their scales, (C,) each."""
        links, turns = len(self.layout.recursion.links), len(self.layout.recursion.inward)
        inputs: list[list[Sequence[float]]] = [[()] * links for _ in range(turns)]

        def watch(turn: int, link: int, operands: Sequence[float]) -> None:
            inputs[turn][link] = operands

        forces = self.loop(given.numbers, given.ground, [x[None, :] for x in given.motions], watch)[0]
        return forces, *self._follow(given, inputs, forces.size)

    def _follow(self, given: LinkInputs, inputs: list[list[Sequence[float]]], count: int) -> tuple[Array, Array]:
        """Return error bounds (C,) of the forces, propagated through vectors of links pass by pass, and scales (C,)."""
        recursion, layout = self.layout.recursion, self.layout
        names = [*recursion.vectors]
        memory = np.zeros((len(recursion.links) + 1, len(names)))
        off = dict(zip(recursion.slots, given.ground_errors, strict=True))
        memory[-1] = [np.linalg.norm([off[slot] for slot in recursion.vectors[name]]) for name in names]
        found, scales = np.zeros((2, count))
        for turn, inward in enumerate(recursion.inward):
            norms, rounding, sizes = self._norms(given, turn, inputs[turn])
            order = range(len(recursion.links))
            for i in order[::-1] if inward else order:
                link = recursion.links[i]
                spread = self.steps[turn][link.kind]
                errors = np.concatenate([memory[i], memory[layout.carriers[i]]])
                after = norms[i] @ errors + rounding[i]
                memory[i][spread.own] = after[: len(spread.own)]
                memory[layout.carriers[i]][spread.carrier] = after[len(spread.own) : spread.vectors]
                if spread.force and link.coordinate is not None:
                    found[link.coordinate] = after[-1]
                    scales[link.coordinate] = norms[i][-1] @ sizes[i]
        return found * FACTOR, scales

    def _norms(self, given: LinkInputs, turn: int, inputs: list[Sequence[float]]) -> tuple[list[Array], ...]:
        """Compute for each link norms of a step's derivatives (results, operands), its own rounding (results,), and
        lengths of its inputs (operands,).
        """
        layout, links = self.layout, len(inputs)
        norms: list[Array] = [np.empty(0)] * links
        rounding: list[Array] = [np.empty(0)] * links
        sizes: list[Array] = [np.empty(0)] * links
        for kind, spread in enumerate(self.steps[turn]):
            places = np.flatnonzero(layout.kinds == kind)
            if not len(places):
                continue
            operands = np.array([inputs[i] for i in places]).T
            off = {f"number {k}": given.number_errors[places, k] for k in range(spread.numbers)}
            off |= dict(zip(MOTION, given.motion_errors[:, layout.columns[places]], strict=True))
            found = spread.evaluate(operands, off)
            for k, i in enumerate(places.tolist()):
                norms[i], rounding[i], sizes[i] = (x[k] for x in found)
        return norms, rounding, sizes


class _Spread:
    """Propagation of errors by a step: derivatives of its vectors by its operands, and its own rounding."""

    def __init__(self, recursion: Recursion, kind: LinkKind, step: RecursionStep) -> None:
        self.recursion, self.kind, self.step = recursion, kind, step
        self.numbers = kind.numbers
        self.inputs = recursion.inputs(kind)
        names = [*recursion.vectors]
        self.own = [i for i, name in enumerate(names) if self._is_written(step.own, name)]
        self.carrier = [i for i, name in enumerate(names) if self._is_written(step.carrier, name)]
        self.vectors = len(self.own) + len(self.carrier)
        self.force = step.force is not None

    def _is_written(self, targets: object, name: str) -> bool:
        slots = self.recursion.vectors[name]
        there = [slot in targets for slot in slots]  # type: ignore[operator]
        assert all(there) or not any(there), f"a part of {name} is written"
        return all(there)

    @cached_property
    def results(self) -> list[tuple[int, ...]]:
        """Places among the step's results of the components of each vector that it writes; then of the force."""
        names = [*self.recursion.vectors]
        places = {(OWN, slot): i for i, slot in enumerate(self.step.own)}
        places |= {(CARRIER, slot): len(places) + i for i, slot in enumerate(self.step.carrier)}
        written = [(OWN, names[i]) for i in self.own] + [(CARRIER, names[i]) for i in self.carrier]
        found = [tuple(places[whose, s] for s in self.recursion.vectors[name]) for whose, name in written]
        return [*found, (len(places),)] if self.force else found

    @cached_property
    def operands(self) -> list[tuple[str, ...]]:
        """Names of the components of each vector in the link's memory, then in its carrier's."""
        vectors = self.recursion.vectors.values()
        return [tuple(whose(s).data for s in slots) for whose in (own, carrier) for slots in vectors]

    @cached_property
    def rounding(self) -> Levels:
        """Plan that evaluates the step's results, with their rounding."""
        return plan_levels([*self.step.results])

    @cached_property
    def slopes(self) -> tuple[Levels, list[tuple[int, int, int, int, int]]]:
        """Plan that evaluates nonzero derivatives, and their places: vectors of result and operand, components."""
        where = [(a, column) for a, names in enumerate(self.operands) for column in range(len(names))]
        memory = [symbol(name) for names in self.operands for name in names]
        slopes = jacobian(self.step.results, memory)
        found: list[Expression] = []
        places: list[tuple[int, int, int, int, int]] = []
        for b, components in enumerate(self.results):
            for row, component in enumerate(components):
                for (a, column), slope in zip(where, slopes[component], strict=True):
                    if slope:
                        places.append((b, a, row, column, len(found)))
                        found.append(slope)
        return plan_levels(found), places

    def evaluate(self, operands: Array, off: dict[str, Array]) -> tuple[Array, Array, Array]:
        """Compute norms (k, results, operands), roundings (k, results) and operands' lengths (k, operands) of k links.

        ``operands`` (inputs, k) are the inputs of the links' steps, ``off`` the errors of numbers and motions in them.
        """
        values = dict(zip(self.inputs, operands, strict=True))
        count = operands.shape[1]
        known = {name: off[name] for name in self.rounding.symbols if name in off}
        _, own_rounding = run_bounds(self.rounding, {x: values[x] for x in self.rounding.symbols}, known)
        own_rounding = np.broadcast_to(own_rounding, (len(own_rounding), count))
        rounding = np.stack(
            [np.linalg.norm(own_rounding[list(components)], axis=0) for components in self.results], axis=1
        )
        plan, places = self.slopes
        slopes = run_levels(plan, {x: values[x] for x in plan.symbols})
        blocks: dict[tuple[int, int], Array] = {}
        for b, a, row, column, place in places:
            shape = (count, len(self.results[b]), len(self.operands[a]))
            blocks.setdefault((b, a), np.zeros(shape))[:, row, column] = slopes[place]
        norms = np.zeros((count, len(self.results), len(self.operands)))
        for (b, a), block in blocks.items():
            norms[:, b, a] = np.linalg.norm(block, 2, axis=(1, 2))
        sizes = [np.linalg.norm([values[name] for name in names], axis=0) for names in self.operands]
        return norms, rounding, np.stack(sizes, axis=1)
