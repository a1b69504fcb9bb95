"""Poses, velocities, accelerations and Jacobians of bodies' frames, by each formalism's own kinematics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.kinematics import KINDS, MACHINE, KinematicQuantity, read_kinematics
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses.evaluated import choose_places
from mbconcord.validation.witnesses.kinematics import (
    evaluate_kinematics,
    has_motions,
    hide_unknown,
    judge_kinematics,
)  # fmt: skip


@dataclass(frozen=True)
class Kinematics:
    """Kinematic quantities (N, …) of a system at N states by name, and their comparisons with witnesses."""

    asked: Mapping[str, KinematicQuantity]
    values: Mapping[str, Array]
    comparisons: tuple[Comparison, ...] = ()

    @property
    def is_accelerated(self) -> bool:
        """True if a requested quantity depends on the motion's accelerations."""
        return any(x.is_accelerated for x in self.asked.values())


def kinematics(
    system: System, by: Formalism, states: Sequence[State], asked: Mapping[str, KinematicQuantity],
    acceleration: Array | None = None, witness: bool = True,
) -> Kinematics:  # fmt: skip
    """Compute kinematic quantities at N states by one formalism, and compare them with witnesses.

    Parameters
    ----------
    system, by, states, asked
    acceleration (N, n) : of the motion; None: that of the states. If it is NaN, accelerations of points are, too
    witness : whether to compare the numbers with the model's fields and all other formalisms, at up to five states

    Raises
    ------
    FormalismError
        The formalism has no kinematics of points; the message names formalisms that have.
    """
    if not asked:
        return Kinematics({}, {})
    tree = system.open_loops()
    known: NDArray[np.bool_] = np.ones(len(states), dtype=bool)
    names = system.coordinate_names
    if acceleration is not None:
        known = np.asarray(np.isfinite(acceleration).all(axis=1))
        rows = (dict(zip(names, row, strict=True)) for row in np.where(known[:, None], acceleration, 0.0).tolist())
        states = [replace(state, a=a) for state, a in zip(states, rows, strict=True)]
    others = require_motions(by, tree, next(iter(asked)))
    own = evaluate_kinematics(tree, [by], Instance(tree, states), asked)[by.name]
    hide_unknown(own, asked, known)
    numbers = {name: x for name, (x, _) in own.items()}
    if not witness:
        return Kinematics(asked, numbers)
    places = choose_places(len(states))
    some = Instance(tree, [states[i] for i in places])
    found = {by.name: {name: (x[places], off[places]) for name, (x, off) in own.items()}}
    found |= evaluate_kinematics(tree, others, some, asked)
    judged = judge_kinematics(tree, some.states, asked, found, known[places])
    return Kinematics(asked, numbers, tuple(c for c in judged if c.a == by.name))


def require_motions(by: Formalism, tree: System, name: str) -> list[Formalism]:
    """Refuse a formalism that has no motions of points of a tree; return the other formalisms that have them.

    Raises
    ------
    FormalismError
        The formalism has none; the message has the quantity's name, and formalisms that have them.
    """
    by.require(tree)
    others = [x for x in list_able(tree) if x.name != by.name]
    if not has_motions(by):
        remedy = f"take {', '.join(other.name for other in others)}"
        raise FormalismError(error(f"quantities/{name}", f"{by.name} has no motions of points", remedy))
    return others


def list_able(tree: System) -> list[Formalism]:
    """List the formalisms that have motions of points and take a tree."""
    every = map(registry.formalism, registry.names())
    return [x for x in every if has_motions(x) and not x.obstacles(tree)]


def read_along(system: System, names: Iterable[str]) -> dict[str, KinematicQuantity]:
    """Parse names of kinematic quantities that are requested along a motion; return them by name.

    Raises
    ------
    NumbersError
        A name is unknown. FormalismError: no formalism has motions of points of this model.
    """
    asked = [*names]
    found = read_kinematics(system, asked)
    known = (*MACHINE, *(f"{kind}(BODY)" for kind in KINDS))
    unknown = [
        error(f"quantities/{n}", "there is none along a motion", among(n, known)) for n in asked if n not in found
    ]
    if unknown:
        raise NumbersError(unknown)
    if found and not list_able(system.open_loops()):
        raise FormalismError(
            error(f"quantities/{asked[0]}", "no formalism has motions of points of this model", "leave it out")
        )
    return found


def kinematics_along(
    system: System, states: Sequence[State], by: Formalism, asked: Mapping[str, KinematicQuantity], witness: bool
) -> tuple[dict[str, Array], tuple[Diagnostic, ...], tuple[Comparison, ...]]:
    """Return columns of kinematic quantities along a motion, a note on the formalism, comparisons at some rows.

    They are computed by the formalism of the motion if it has motions of points, else by the first that has.
    """
    able = list_able(system.open_loops())
    each = next((x for x in able if x.name == by.name), able[0])
    a = np.array([[state.a[name] for name in system.coordinate_names] for state in states])
    found = kinematics(system, each, states, asked, a.reshape(len(states), -1), witness)
    columns: dict[str, Array] = {}
    for name, x in asked.items():
        labels = [f"{name}[{', '.join(entry)}]" if entry else name for entry in x.entries(system)]
        columns |= dict(zip(labels, found.values[name].reshape(len(states), -1).T, strict=True))
    return columns, (Diagnostic("note", "quantities", f"by {each.name}, of the motion of the rows"),), found.comparisons
