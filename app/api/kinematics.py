"""Poses, velocities, accelerations and Jacobians of bodies' frames, by each formalism's own kinematics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.force import Point
from mbconcord.model.instance import Instance
from mbconcord.model.kinematics import KinematicQuantity, PointMotion, express_kinematics
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses.evaluated import choose_places
from mbconcord.validation.witnesses.kinematics import hide_unknown, judge_kinematics

from .derivatives import evaluate_named


@dataclass(frozen=True)
class Kinematics:
    """Kinematic quantities (N, …) of a system at N states, and what witnesses say of them."""

    asked: Mapping[str, KinematicQuantity]
    values: Mapping[str, Array]
    comparisons: tuple[Comparison, ...] = ()

    @property
    def is_accelerated(self) -> bool:
        """True if some of them depend on the motion's accelerations."""
        return any(x.is_accelerated for x in self.asked.values())


def kinematics(
    system: System, by: Formalism, states: Sequence[State], asked: Mapping[str, KinematicQuantity],
    acceleration: Array | None = None, witness: bool = True,
) -> Kinematics:  # fmt: skip
    """Compute kinematic quantities at N states.

    Parameters
    ----------
    system, by, states, asked
    acceleration (N, n) : of the motion; None: that of the states. Where it is no number, those of points are none
    witness : whether the model's fields, and all other formalisms, judge the numbers at up to five states

    Raises
    ------
    FormalismError
        The formalism has no kinematics of points; who has.
    """
    if not asked:
        return Kinematics({}, {})
    tree = system.open_loops()
    by.require(tree)
    known: NDArray[np.bool_] = np.ones(len(states), dtype=bool)
    names = system.coordinate_names
    if acceleration is not None:
        known = np.asarray(np.isfinite(acceleration).all(axis=1))
        rows = (dict(zip(names, row, strict=True)) for row in np.where(known[:, None], acceleration, 0.0).tolist())
        states = [replace(state, a=a) for state, a in zip(states, rows, strict=True)]
    own = _evaluate(tree, by, Instance(tree, states), asked)
    if own is None:
        able = ", ".join(other.name for other in _list_able(tree, by))
        raise FormalismError(
            error(f"quantities/{next(iter(asked))}", f"{by.name} has no motions of points", f"take {able}")
        )
    hide_unknown(own, asked, known)
    if not witness:
        return Kinematics(asked, own)
    places = choose_places(len(states))
    some, found = Instance(tree, [states[i] for i in places]), {by.name: {name: x[places] for name, x in own.items()}}
    for other in _list_able(tree, by):
        found[other.name] = _evaluate(tree, other, some, asked) or {}
    return Kinematics(asked, own, tuple(judge_kinematics(tree, some.states, asked, found, known[places])))


def _list_able(tree: System, by: Formalism) -> Iterator[Formalism]:
    """Yield the other formalisms that take the tree and have motions of points."""
    for other in map(registry.formalism, registry.names()):
        if other.name != by.name and type(other).motions is not Formalism.motions and not other.obstacles(tree):
            yield other


def _evaluate(
    tree: System, by: Formalism, at: Instance, asked: Mapping[str, KinematicQuantity]
) -> dict[str, Array] | None:
    """Evaluate the quantities by a formalism; None if it has no motions of points."""

    if type(by).motions is Formalism.motions:
        return None

    def motions(points: Sequence[Point]) -> Sequence[PointMotion]:
        return by.motions(tree, points) or ()

    return evaluate_named(tree, at, express_kinematics(tree, motions, asked), by.name)
