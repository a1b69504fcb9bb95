"""One formalism's constrained motion: by its own solution, and by one with bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..bounds import PARTS, ROWS, BoundedEquations
from ..matching import reorder
from ..motion import Array
from ..solutions import Bounded, BoundedMotion, bounded_motion
from ..uncertainty import Inputs


@dataclass(frozen=True)
class SolvedMotion:
    """Motion with constraints by one witness at N states of n coordinates.

    Attributes
    ----------
    own : as the formalism solves it
    solution : the one compared: with bounds if available, else the formalism's own
    bounds : the same equations solved with bounds; None if they are not given as expressions
    equations : these expressions as a program
    """

    own: ConstrainedMotion
    solution: ConstrainedMotion
    bounds: BoundedMotion | None = None
    equations: BoundedEquations | None = None

    @property
    def silent(self) -> Array:
        """At which states (N,) the equations are numbers, and their solution has no bound: they decide nothing."""
        if self.bounds is None:
            return np.zeros(len(self.own.acceleration), dtype=bool)
        return self.bounds.sound & ~(self.bounds.clear & self.bounds.acceleration.has_bound.all(axis=1))

    def reorder(self, order: Sequence[int], name: str) -> SolvedMotion:
        """Reorder the coordinates, under a new name; rows stay as they are."""
        columns = list(order)

        def motion(x: ConstrainedMotion) -> ConstrainedMotion:
            tree, acceleration = reorder(x.tree, columns, name), x.acceleration[:, columns]
            return replace(x, tree=tree, acceleration=acceleration, reactions=x.reactions[:, columns])

        found = self.bounds and replace(
            self.bounds, acceleration=self.bounds.acceleration[:, columns], reactions=self.bounds.reactions[:, columns]
        )
        return replace(self, own=motion(self.own), bounds=found, solution=motion(self.solution))


def motion_of(
    formalism: Formalism, system: System, states: Sequence[State], given: Inputs,
    room: Mapping[str, Array] | None = None, tree: Derivation | None = None,
) -> SolvedMotion:  # fmt: skip
    """Return the motion by a formalism that has no obstacle; whatever it raises is passed on.

    Parameters
    ----------
    formalism, system, states
    given : the numbers with their uncertainty
    room : quantity -> what is added to its bounds
    tree : what it has derived of the open tree already

    Raises
    ------
    ValueError
        It gives no motion, or one that is no numbers of the right shape.
    """
    solved, derivation = formalism.solve_closed(system, states, tree)
    own = _check_arrays(solved, len(states), len(system.coordinates))
    if derivation is None:
        return SolvedMotion(own, own)
    equations = BoundedEquations(derivation, PARTS)
    q = equations.own(given)
    absent = [name for name in (*PARTS, *ROWS) if name not in q]
    if absent:
        raise ValueError(f"its equations with constraints lack {', '.join(absent)}")
    extra = room or {}
    q = {name: Bounded(x.values, x.bounds + extra.get(name, 0.0)) for name, x in q.items()}
    found = bounded_motion(q)
    return SolvedMotion(own, _merge_numbers(own, q, found), found, equations)


def _check_arrays(found: ConstrainedMotion | None, count: int, n: int) -> ConstrainedMotion:
    """Convert the motion to arrays of floats."""
    if found is None:
        raise ValueError("it declares no obstacle and gives no motion")
    shapes = {"acceleration": (count, n), "reactions": (count, n), "rank": (count,)}
    arrays = {name: np.array(getattr(found, name), dtype=float) for name in shapes}
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has the shape {arrays[name].shape}, not {shape}")
    return replace(found, **arrays)  # type: ignore[arg-type]


def _merge_numbers(own: ConstrainedMotion, q: Mapping[str, Bounded], found: BoundedMotion) -> ConstrainedMotion:
    """Return the solution with bounds, else the formalism's own; NaN if the equations have none."""

    def numbers(x: Bounded, other: Array) -> Array:
        return np.where(x.has_bound, x.values, np.where(found.sound[:, None], other, np.nan))

    return replace(
        own,
        tree=Evaluation(own.tree.formalism, {name: q[name].values for name in PARTS}),
        acceleration=numbers(found.acceleration, own.acceleration),
        reactions=numbers(found.reactions, own.reactions),
        rank=np.where(found.clear, found.rank, own.rank),
    )
