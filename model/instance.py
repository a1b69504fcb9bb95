"""A model with numbers: a system at states, every symbol bound to its value once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .expressions import FLOAT, Arithmetic
from .numbers import environment
from .state import State
from .system import System

Array = NDArray[np.float64]


class Instance(Sequence[State]):
    """A system at N states.

    It is the sequence of its states and goes wherever states go; who needs numbers takes them by :func:`bound`, and
    so they are computed once, when the first asks for them, for all who look at the same states.

    Parameters
    ----------
    system, states
    arithmetic : of the numbers; :attr:`values` are floats whatever it is

    Raises
    ------
    NumbersError
        When numbers are asked for: an unknown name, a NaN or an infinity, or a parameter without value.
    """

    def __init__(self, system: System, states: Sequence[State], arithmetic: Arithmetic = FLOAT) -> None:
        self.system = system
        self.states = tuple(states)
        self.arithmetic = arithmetic

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
        """Whether the numbers are those of this system too: symbols alone have numbers, bodies and forces have none."""
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


def bound(system: System, states: Sequence[State]) -> Instance:
    """The states with their numbers: as they are where they have them, of this system or of one like it, else new."""
    if isinstance(states, Instance) and states.arithmetic is FLOAT and states.serves(system):
        return states
    return Instance(system, states)
