"""The formalism: derives on nodes of the graph, computes on floats over states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import State, System
from mbconcord.model.derivation import EFFORT, Derivation, Nested
from mbconcord.model.evaluation import Array, Evaluation, complete
from mbconcord.model.expressions import ExpressionError, as_expression
from mbconcord.model.expressions.collector import no_search_for_cycles
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.instance import bound
from mbconcord.model.lazy import Lazy, LazySequence

from .equations import Equations, Machine
from .positions import positions
from .scalars import Batch, Graph
from .stages import stages

FROZEN = "frozen"


class Flexible(Formalism):
    """Recursive dynamics of trees of rigid and elastic links, in time linear in the links.

    Forms: ``full`` keeps every power of the modal coordinates; ``frozen`` takes the inertia of the undeformed
    links. They are the same equations where no body is elastic, and differ by the deformation where one is.
    """

    name = "flexible"
    title = "Generalised Newton–Euler for elastic links"
    reference = "Sargsyan, Stepanyan & Gevorgyan 2005, (1)-(5); Boyer & Khalil 1998"
    takes = OPEN_TREES | {"elastic_modes", "armatures"}
    forms = ("full", FROZEN)

    def derive(self, system: System) -> Derivation:
        """All canonical quantities, with the passes as stages.

        ``acceleration`` is by the paper's recursion, and inverse dynamics with it is zero. It is absent when a
        joint has no inertia whatever the numbers are. Natively ``r``: the origins of the bodies' frames, displaced
        by the deformation, in the axes of the base (m).

        Raises
        ------
        FormalismError
            The model has what this formalism does not take.
        """
        self.require(system)
        with no_search_for_cycles():
            graph = Graph()
            eq = Equations(Machine(system, graph), graph, self.form == FROZEN)
            quantities: dict[str, Nested] = {
                "M": tuple(map(_nodes, eq.mass_matrix)),
                "h": _nodes(eq.h),
                "gravity": _nodes(eq.gravity),
                "applied": _nodes(eq.applied),
                "inverse_dynamics": _nodes(eq.inverse_dynamics),
            }
            with suppress(ExpressionError, ZeroDivisionError):  # an inertia that is the number zero
                quantities["acceleration"] = _nodes(eq.accelerations)
                if eq.imposed:
                    quantities[EFFORT] = _nodes(eq.drives_of_all)
            native = Lazy({"r": lambda: tuple(map(_nodes, positions(eq.machine, graph)))})
            indices = {"r": (tuple(body.name for body in system.bodies), ("x", "y", "z"))}
            named = LazySequence(lambda: stages(eq, quantities))
            return Derivation(self.name, system, quantities, named, native, indices=indices)

    def evaluate(self, system: System, states: Sequence[State]) -> Evaluation:
        """Numbers by the recursion itself, without deriving: for large systems and many states."""
        self.require(system)
        count, values = len(states), bound(system, states).values
        with np.errstate(all="ignore"):
            batch = Batch(system, values)
            eq = Equations(Machine(system, batch), batch, self.form == FROZEN)
            quantities: dict[str, Array] = {
                "M": _matrix(eq.mass_matrix, count),
                "h": _rows(eq.h, count),
                "gravity": _rows(eq.gravity, count),
                "applied": _rows(eq.applied, count),
                "inverse_dynamics": _rows(eq.inverse_dynamics, count),
                "acceleration": _rows(eq.accelerations, count),
            }
            if eq.imposed:
                quantities[EFFORT] = _rows(eq.drives_of_all, count)
        return complete(Evaluation(self.name, quantities), system, states)

    def solve(self, system: System, states: Sequence[State]) -> Solution:
        """Accelerations and unknown efforts at states, in time linear in the links: the mixed problem."""
        return self.prepared(system, states).at(states)

    def prepared(self, system: System, states: Sequence[State]) -> Prepared:
        """A system whose constants are computed once, for states with the same values of parameters."""
        values = bound(system, states).values
        fixed = {p.name: values[p.name] for p in system.parameters}
        return Prepared(system, Machine(system, Batch(system, fixed)), self.form == FROZEN)


@dataclass(frozen=True)
class Solution:
    """``accelerations`` (states, coordinates), and by coordinate the ``efforts`` (states,) of imposing drives."""

    accelerations: Array
    efforts: dict[str, Array]


@dataclass(frozen=True)
class Prepared:
    """A system that waits for states."""

    system: System
    machine: Machine
    frozen: bool

    def at(self, states: Sequence[State]) -> Solution:
        """The mixed problem at states."""
        return self.of(bound(self.system, states).values, len(states))

    def of(self, values: Mapping[str, Any], count: int) -> Solution:
        """The mixed problem at ``count`` values of every symbol of the state and of every parameter."""
        with np.errstate(all="ignore"):
            eq = Equations(self.machine, Batch(self.system, values), self.frozen)
            found = _rows(eq.accelerations, count)
            drives = {name: np.broadcast_to(x, (count,)) for name, x in eq.drives.items()}
        return Solution(found, drives)


def _nodes(values: Sequence[Any]) -> tuple[Any, ...]:
    """Scalars of object arrays as expressions."""
    return tuple(as_expression(x) for x in values)


def _rows(values: Sequence[Any], states: int) -> Array:
    """Values over states as an array (states, values)."""
    result = np.empty((states, len(values)))
    for i, value in enumerate(values):
        result[:, i] = value
    return result


def _matrix(rows: Sequence[Sequence[Any]], states: int) -> Array:
    result = np.empty((states, len(rows), len(rows)))
    for i, row in enumerate(rows):
        for k, value in enumerate(row):
            result[:, i, k] = value
    return result
