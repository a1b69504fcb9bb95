"""The models of the set with the states at which their results are compared: in these no formalism has a part.

A process that tries changes of formalisms alone has them before its forks; one with another change makes them anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from mbconcord.model import System
from mbconcord.model.instance import Instance, bound
from mbconcord.model.state import State

from ..constraints.closed_states import closed_states
from ..judge.states import draw
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


def posed(given: System) -> Posed:
    """A model at states that are drawn, or that satisfy its constraints."""
    if not given.constraints:
        drawn = draw(given, STATES, SEED)
        at = bound(drawn.system, drawn.states)
        return Posed(given, drawn.system, drawn.system, drawn.states, at, False)
    closed = closed_states(given, STATES, SEED)
    tree = closed.system.opened()
    at = bound(tree, closed.states)
    return Posed(given, closed.system, tree, closed.states, at, closed.assembly is not None)


@cache
def known(name: str) -> Posed:
    """A model of the set."""
    return posed(machine(name))


def all_known() -> None:
    """Make all on which formalisms are tried."""
    for name in (*FIXTURES, *MADE):
        known(name)
