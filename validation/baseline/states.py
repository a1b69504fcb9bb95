"""The states at which a baseline has digits: every number by the hash of its name, so that none depends on another."""

from __future__ import annotations

from typing import Final

from mbconcord.model.state import State
from mbconcord.model.system import System

from .field_point import hashed

#: How many.
STATES: Final = 2


def states(system: System) -> tuple[State, ...]:
    """States of a model: positions, rates and accelerations of -1.5 to 1.5, and values of parameters without one."""
    names = system.coordinate_names
    open_ = [p.name for p in system.parameters if p.value is None]
    return tuple(
        State(
            number(f"{k} t", positive=True),
            {name: number(f"{k} q {name}") for name in names},
            {name: number(f"{k} v {name}") for name in names},
            {name: number(f"{k} a {name}") for name in names},
            {name: number(f"{k} parameter {name}", positive=True) for name in open_},
        )
        for k in range(STATES)
    )


def number(of: str, positive: bool = False) -> float:
    """Three decimals from 0.1 to 1.5, of either sign."""
    bits = hashed(of)
    size = 100 + (bits >> 1) % 1401
    return (size if positive or bits & 1 else -size) / 1000
