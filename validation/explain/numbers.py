"""Numbers of a model at a few states, and comparison of two models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from random import Random
from typing import Final

import numpy as np

from mbconcord.model.force import NamedPoint
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ..judge.kinematics import TreeKinematics
from ..judge.motion import Array
from ..judge.progress import checkpoint
from ..judge.scale import scales
from ..witnesses.direct.tree import direct
from .answer import Cause

#: So many states; of each M, h, gravity and applied forces are compared.
STATES: Final = 6
#: What a cause has to explain of a difference, and what of the size of a number is rounding.
EXPLAINED: Final = 1e-6
ROUNDING: Final = 1e-12
INERTIAL: Final = ("M", "h")
QUANTITIES: Final = ("M", "h", "gravity", "applied")


@dataclass(frozen=True)
class Said:
    """Quantities at N states: ``M`` (N, n, n), ``h``, ``gravity``, ``applied`` (N, n).

    ``screws`` (N, n, 6): for a unit rate of each coordinate, angular velocity and velocity at the world's origin; None
    if unknown.
    """

    quantities: dict[str, Array]
    screws: Array | None = None


def compute_numbers(system: System, states: Sequence[State], order: Sequence[int] | None = None) -> Said:
    """Compute a model's quantities; ``order``: for each coordinate of another model, its place in this one."""
    with np.errstate(all="ignore"):
        found = direct(system, states).quantities
    own = range(len(system.coordinates)) if order is None else order
    at = list(own)
    numbers = {"M": found["M"][:, at][:, :, at]}
    numbers |= {name: found[name][:, at] for name in QUANTITIES[1:]}
    return Said(numbers, screws(TreeKinematics(system, states))[:, at])


def screws(k: TreeKinematics) -> Array:
    """Return screws (N, n, 6) of the coordinates in world axes."""
    found = np.zeros((k.count, k.n, 6))
    names = k.system.coordinate_names
    for body in k.system.bodies:
        motion = k.frame(body.name)
        for name in (*body.coordinates, *body.modal):
            i = names.index(name)
            turn = motion.turning[:, :, i]
            found[:, i, :3] = turn
            found[:, i, 3:] = motion.moving[:, :, i] - np.cross(turn, motion.position)
    return found


def units(k: TreeKinematics, other: Said) -> dict[str, Array]:
    """Return for every quantity the divisor of its entries: the larger of its terms' size and the other's numbers."""
    size = scales(k)
    own = {"M": size.mass, **{name: size.rows[name] for name in QUANTITIES[1:]}}
    found = {}
    for name in other.quantities:
        both = np.concatenate([own[name], np.abs(other.quantities[name])])
        largest = np.max(both, axis=0, initial=0.0, where=np.isfinite(both))
        found[name] = np.where(largest > 0, largest, 1.0)
    return found


def states(system: System, seed: int) -> tuple[State, ...]:
    """Draw states of ordinary size: within a turn, a metre, two units of rates and accelerations."""
    random = Random(seed)
    names, found = system.coordinate_names, []
    for _ in range(STATES):
        q, v, a = ({name: round(random.uniform(-size, size), 3) for name in names} for size in (1.0, 2.0, 2.0))
        found.append(State(round(random.uniform(0.1, 1.0), 3), q, v, a))
    return tuple(found)


def is_explained(rest: Array, difference: Array, slack: float = 0.0) -> bool:
    """Return True if the rest of a scaled difference is as small as the inexactness of the numbers allows."""
    if not np.isfinite(rest).all():
        return False
    whole = np.abs(difference).max(initial=0.0)
    return bool(np.abs(rest).max(initial=0.0) <= EXPLAINED * whole + max(ROUNDING, slack))


def nothing(difference: Array, slack: float = 0.0) -> bool:
    """Return True if a scaled difference is no larger than the inexactness of the numbers."""
    return bool(np.abs(difference).max(initial=0.0) <= 100 * max(ROUNDING, slack))


@dataclass(frozen=True)
class NumberPair:
    """A model, states, and the other side's results there.

    Attributes
    ----------
    names : quantities that the other side delivers
    same : function that decides if a changed model is the same as the other; None if the other side is no model
    slack : possible error of the other side's numbers, relative to the size of a quantity
    points : named points of the other model
    """

    system: System
    states: tuple[State, ...]
    other: Said
    names: tuple[str, ...]
    same: Callable[[System], bool] | None = None
    slack: float = 0.0
    points: tuple[NamedPoint, ...] = ()

    @cached_property
    def units(self) -> dict[str, Array]:
        """Divisors that scale the quantities, by quantity."""
        return units(self.kinematics(self.system), self.other)

    @property
    def inertial(self) -> tuple[str, ...]:
        """Names of the quantities that depend neither on gravity nor on forces."""
        return tuple(name for name in INERTIAL if name in self.names)

    def kinematics(self, system: System) -> TreeKinematics:
        """Compute the kinematics of the changed model."""
        return TreeKinematics(system, self.states)

    def screws(self, system: System) -> Array:
        """Compute the screws (N, n, 6) of the changed model's coordinates."""
        return screws(self.kinematics(system))

    def gap(self, system: System, names: Iterable[str]) -> Array:
        """Return the other side's quantities less those of the changed model, scaled."""
        checkpoint()
        own, listed = compute_numbers(system, self.states), [*names]
        parts = [(self.other.quantities[name] - own.quantities[name]) / self.units[name] for name in listed]
        return np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(1)

    def between(self, system: System, name: str) -> Array:
        """Return a quantity of the changed model less that of the unchanged model, scaled."""
        own, changed = (compute_numbers(s, self.states).quantities[name] for s in (self.system, system))
        return np.asarray((changed - own) / self.units[name])

    def equal(self, system: System, names: Iterable[str]) -> bool:
        """Return True if the changed model has the other side's values of these quantities."""
        return nothing(self.gap(system, names), self.slack)

    def explains(self, rest: Array, gap: Array) -> bool:
        """Return True if a cause may leave this rest of a gap."""
        return is_explained(rest, gap, self.slack)

    def fitting(self, causes: Iterable[Cause], system: System, names: Iterable[str]) -> list[Cause]:
        """Select the causes that explain the difference of these quantities between ``system`` and the other side."""
        listed = [*names]
        before = self.gap(system, listed)
        return [cause for cause in causes if self.explains(self.gap(cause.system, listed), before)]
