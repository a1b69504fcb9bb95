"""A model with numbers: a system at states, every symbol bound to its value once."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from .expressions import FLOAT, Arithmetic
from .numbers import environment
from .state import State
from .system import System

Array = NDArray[np.float64]
#: Largest ranks of rows where none are known.
ANY_RANK: Final = (sys.maxsize, sys.maxsize)


class Instance(Sequence[State]):
    """A system at N states.

    It is the sequence of its states and may be passed instead of them; :func:`bind_states` computes the numbers on
    first use, shared by all who use the same states.

    Parameters
    ----------
    system, states
    arithmetic : of the numbers; :attr:`values` are floats whatever it is

    Raises
    ------
    NumbersError
        On access to numbers: an unknown name, a NaN or an infinity, or a parameter without value.
    """

    #: (N, 2), of the constraints, and of these with the drives that impose accelerations, as they are at states on the
    #: constraints beside these; None where the states are on them.
    ranks: Array | None = None

    def __init__(self, system: System, states: Sequence[State], arithmetic: Arithmetic = FLOAT) -> None:
        self.system = system
        self.states = tuple(states)
        self.arithmetic = arithmetic

    def with_ranks(self, ranks: Array) -> Instance:
        """Return the same with these :attr:`ranks`."""
        made = copy(self)
        made.ranks = ranks
        return made

    @cached_property
    def environments(self) -> tuple[Mapping[str, Any], ...]:
        """For each state the value of every symbol: parameters, ``q``, ``q'``, ``q''`` and ``t``."""
        return tuple(environment(self.system, self.states, self.arithmetic))

    @cached_property
    def values(self) -> Mapping[str, Array]:
        """The same by symbol, over the states: arrays (N,) that cannot be written to."""
        found: dict[str, Array] = {}
        for name in self.environments[0] if self.states else ():
            found[name] = np.array([e[name] for e in self.environments], dtype=float)
            found[name].flags.writeable = False
        return found

    def serves(self, system: System) -> bool:
        """Return True if the numbers are valid for this system too: only symbols matter, not bodies or forces."""
        own = self.system
        return own is system or (
            own.coordinates == system.coordinates
            and own.parameters == system.parameters
            and own.functions == system.functions
        )

    @overload
    def __getitem__(self, place: int) -> State: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[State, ...]: ...
    def __getitem__(self, place: int | slice) -> State | tuple[State, ...]:
        return self.states[place]

    def __len__(self) -> int:
        return len(self.states)


def bind_states(system: System, states: Sequence[State]) -> Instance:
    """Return the states with their numbers, reusing those of this or an equivalent system."""
    if isinstance(states, Instance) and states.arithmetic is FLOAT and states.serves(system):
        return states
    return Instance(system, states)


def largest_ranks(states: Sequence[State]) -> list[tuple[int, int]]:
    """Return the largest rank that rows may have at each state: of constraints alone, and of them with drives.

    A state with nine digits is off the constraints by its rounding. Rows that depend on each other on the constraints
    differ there by as much, so their rank is the mechanism's (:attr:`Instance.ranks`), not that of their numbers.
    """
    ranks = states.ranks if isinstance(states, Instance) else None
    if ranks is None:
        return [ANY_RANK] * len(states)
    return [(int(own), int(whole)) for own, whole in ranks]
