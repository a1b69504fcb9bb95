"""A walking machine as a formalism writes it: a hull, which is the fixed frame, and legs that hang from it."""

from __future__ import annotations

from dataclasses import dataclass

from ..derivation import Written
from ..expressions import Expression
from ..transformation import Vector


@dataclass(frozen=True)
class Leg:
    """The bodies of a leg from the hull outwards, the last one its foot, and their coordinates."""

    bodies: tuple[str, ...]
    coordinates: tuple[str, ...]

    @property
    def foot(self) -> str:
        """The body that stands on the ground."""
        return self.bodies[-1]


@dataclass(frozen=True)
class Walker:
    """The first moments of a walking machine.

    Attributes
    ----------
    lines : the moment of each leg about its point of suspension, of the machine, and what the letters mean
    legs : of a machine; empty where one leg was written for many
    mass, moment : of the legs together: kg, and Σ m_l R_l + m̄_l about the origin of the hull, kg m, in its axes
    distances : coordinates that are distances, so that none of them is negative
    """

    lines: tuple[Written, ...]
    legs: tuple[Leg, ...]
    mass: Expression
    moment: Vector
    distances: tuple[str, ...]
