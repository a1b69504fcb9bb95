"""The models of the set with their states, chosen independently of the formalisms.

A process that tries changes of formalisms alone has them before its forks; one with another change makes them anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from mbconcord.model import System
from mbconcord.model.numbers import Instance, bind_states
from mbconcord.model.state import State
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.states import draw

from .machines import FIXTURES, MADE, machine

SEED: Final = 0
STATES: Final = 2


@dataclass(frozen=True)
class Posed:
    """A model at its states.

    Attributes
    ----------
    given : the model as it is read
    system : with what was drawn of it
    tree : without constraints
    states, at : where its results are compared
    fits : whether it has constraints, and the states satisfy them
    """

    given: System
    system: System
    tree: System
    states: Sequence[State]
    at: Instance
    fits: bool


def pose(given: System) -> Posed:
    """Pose a model at random states, or at states that satisfy its constraints."""
    if not given.constraints:
        drawn = draw(given, STATES, SEED)
        at = bind_states(drawn.system, drawn.states)
        return Posed(given, drawn.system, drawn.system, drawn.states, at, False)
    closed = closed_states(given, STATES, SEED)
    tree = closed.system.open_loops()
    at = bind_states(tree, closed.states)
    return Posed(given, closed.system, tree, closed.states, at, closed.assembly is not None)


@cache
def load_model(name: str) -> Posed:
    """Return a model of the set."""
    return pose(machine(name))


def all_known() -> None:
    """Make all on which formalisms are tried."""
    for name in (*FIXTURES, *MADE):
        load_model(name)
