"""A model, and what another says of its motion: what is left to explain after a change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mbconcord.model.state import State
from mbconcord.model.system import System

from ..judge.kinematics import Kinematics
from ..judge.motion import Array
from .answer import Cause
from .numbers import INERTIAL, Said, explained, nothing, said, screws, units


@dataclass(frozen=True)
class Pair:
    """A model, states, and what the other says there.

    Attributes
    ----------
    names : quantities that the other delivers
    same : whether a changed model is the other; None where the other is no model
    slack : how far off the other's numbers may be, of the size of a quantity
    """

    system: System
    states: tuple[State, ...]
    other: Said
    names: tuple[str, ...]
    same: Callable[[System], bool] | None = None
    slack: float = 0.0

    @cached_property
    def units(self) -> dict[str, Array]:
        """By what quantities are divided."""
        return units(self.kinematics(self.system), self.other)

    @property
    def inertial(self) -> tuple[str, ...]:
        """The quantities that neither gravity nor forces are in."""
        return tuple(name for name in INERTIAL if name in self.names)

    def kinematics(self, system: System) -> Kinematics:
        """Of the model with a change."""
        return Kinematics(system, self.states)

    def screws(self, system: System) -> Array:
        """Of the model with a change."""
        return screws(self.kinematics(system))

    def gap(self, system: System, names: Iterable[str]) -> Array:
        """What the other says more than the model with a change, in units of one."""
        own, listed = said(system, self.states), [*names]
        parts = [(self.other.quantities[name] - own.quantities[name]) / self.units[name] for name in listed]
        return np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(1)

    def equal(self, system: System, names: Iterable[str]) -> bool:
        """Whether the model with a change says the same."""
        return nothing(self.gap(system, names), self.slack)

    def explains(self, rest: Array, gap: Array) -> bool:
        """Whether what is left of a gap is what a cause may leave."""
        return explained(rest, gap, self.slack)

    def fitting(self, causes: Iterable[Cause], system: System, names: Iterable[str]) -> list[Cause]:
        """The causes that explain what the other says otherwise than the model."""
        listed = [*names]
        before = self.gap(system, listed)
        return [cause for cause in causes if self.explains(self.gap(cause.system, listed), before)]
