"""Numbers of a model at a few states, and whether two models have the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from mbconcord.model.state import State
from mbconcord.model.system import System

from ..direct.witness import direct
from ..judge.kinematics import Kinematics
from ..judge.motion import Array
from ..judge.scale import scales

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

    ``screws`` (N, n, 6): of every coordinate, angular velocity and velocity at the world's origin for a unit rate; None
    where they are not known.
    """

    quantities: dict[str, Array]
    screws: Array | None = None


def said(system: System, states: Sequence[State], order: Sequence[int] | None = None) -> Said:
    """What a model says; ``order``: the places of another's coordinates among its own."""
    with np.errstate(all="ignore"):
        found = direct(system, states).quantities
    own = range(len(system.coordinates)) if order is None else order
    at = list(own)
    numbers = {"M": found["M"][:, at][:, :, at]}
    numbers |= {name: found[name][:, at] for name in QUANTITIES[1:]}
    return Said(numbers, screws(Kinematics(system, states))[:, at])


def screws(k: Kinematics) -> Array:
    """Screws (N, n, 6) of the coordinates in world axes."""
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


def units(k: Kinematics, other: Said) -> dict[str, Array]:
    """By what to divide every quantity: what its rows are made of, and the largest numbers of the other."""
    size = scales(k)
    own = {"M": size.mass, **{name: size.rows[name] for name in QUANTITIES[1:]}}
    found = {}
    for name in other.quantities:
        both = np.concatenate([own[name], np.abs(other.quantities[name])])
        largest = np.max(both, axis=0, initial=0.0, where=np.isfinite(both))
        found[name] = np.where(largest > 0, largest, 1.0)
    return found


def states(system: System, seed: int) -> tuple[State, ...]:
    """States of ordinary size: within a turn, a metre, two units of rates and accelerations."""
    random = Random(seed)
    names, found = system.coordinate_names, []
    for _ in range(STATES):
        q, v, a = (
            {name: round(random.uniform(-size, size), 3) for name in names} for size in (1.0, 2.0, 2.0)
        )
        found.append(State(round(random.uniform(0.1, 1.0), 3), q, v, a))
    return tuple(found)


def explained(rest: Array, difference: Array, slack: float = 0.0) -> bool:
    """Whether what is left of a difference, in units of one, is what a cause may leave of numbers so far off."""
    if not np.isfinite(rest).all():
        return False
    whole = np.abs(difference).max(initial=0.0)
    return bool(np.abs(rest).max(initial=0.0) <= EXPLAINED * whole + max(ROUNDING, slack))


def nothing(difference: Array, slack: float = 0.0) -> bool:
    """Whether a difference, in units of one, is that of numbers so far off."""
    return bool(np.abs(difference).max(initial=0.0) <= 100 * max(ROUNDING, slack))
