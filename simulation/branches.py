"""Branches of laws between frames: angles that jump by a turn, bushings that are turned past a quarter turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.expressions import ONE, Expression, evaluate, numpy_arithmetic
from mbconcord.model.force import Bushing, Torsion
from mbconcord.model.functions import Definitions
from mbconcord.model.numbers import environment
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.turns import sum_of_turns
from mbconcord.records import dataclass

from .poses import poses, times, transpose

JUMPS: Final = "the angle @ jumps by a whole turn, as joints do not keep its axis, and the moment with it"
KEEP: Final = "end the run before, or let joints turn about its axis alone"
FALLS: Final = "it is turned past a quarter turn, where its moment falls again (it is that of the sine)"
SMALL: Final = "a bushing is for small turns; a torsion about a joint's axis is linear in its turns"
UNREACHED: Final = "no state turns it past a quarter turn: what it does there is not compared"


@dataclass(frozen=True)
class Branch:
    """Branch of a force's law.

    Attributes
    ----------
    place : that of the force
    crossed : formula of t and q that changes its sign where the law jumps or turns back, while ``beside`` is negative
    far : formula that is negative past a quarter turn
    words, remedy : what the law does there, and what to do
    """

    place: str
    crossed: Expression
    beside: Expression
    far: Expression
    words: str
    remedy: str


def branches(system: System) -> Iterator[Branch]:
    """Yield the branches of torsions whose axis joints do not keep, and of bushings that are stiff against turns."""
    of_body = poses(system)
    for force in system.forces:
        jumps = isinstance(force, Torsion) and sum_of_turns(system, force) is None
        if not jumps and not (isinstance(force, Bushing) and any(x for row in force.stiffness for x in row[3:])):
            continue
        assert isinstance(force, Bushing | Torsion)
        first, second = (of_body[end.body].follow(end.transformations).R for end in (force.first, force.second))
        T, place = times(transpose(first), second), f"forces/{force.name}"
        if jumps:
            yield Branch(place, T[1][0], T[0][0], T[0][0], JUMPS, KEEP)
        else:
            twice = T[0][0] + T[1][1] + T[2][2] - ONE  # 2 cos φ
            yield Branch(place, twice, -ONE, twice, FALLS, SMALL)


def _far(system: System, found: Sequence[Branch], states: Sequence[State]) -> list[bool]:
    """Return which laws are past a quarter turn at one of the states."""
    formulas = Definitions(system.functions).apply(branch.far for branch in found)
    if not formulas:
        return []
    seen = [evaluate(formulas, at, numpy_arithmetic()) for at in environment(system, states)]
    return [any(x < 0 for x in column) for column in np.array(seen, dtype=float).T] if seen else []


def describe_far(system: System, states: Sequence[State]) -> Iterator[Diagnostic]:
    """Warn of bushings that are past a quarter turn at one of the states."""
    found = [branch for branch in branches(system) if branch.words is FALLS]
    for branch, far in zip(found, _far(system, found, states), strict=False):
        if far:
            yield Diagnostic("warning", branch.place, branch.words, branch.remedy)


def describe_unreached(system: System, states: Sequence[State]) -> Iterator[Diagnostic]:
    """Note laws that no state takes past a quarter turn."""
    found = list(branches(system))
    for branch, far in zip(found, _far(system, found, states), strict=False):
        if not far:
            yield Diagnostic("note", branch.place, UNREACHED, "give states that do, or simulate to there")
