"""Trees with springs and dampers between frames."""

from __future__ import annotations

from dataclasses import replace

from mbconcord.model import System

from .choices import Choices, Seeded
from .forces import random_bushing
from .trees import random_system


def sprung_system(seed: int, bodies: int, bushings: int = 2) -> System:
    """The random tree of a seed with so many bushings besides its other forces: the same on every platform."""
    system, choices = random_system(seed, bodies), Choices(Seeded(seed))
    more = (random_bushing(choices, system.bodies, f"bushing{i}") for i in range(1, bushings + 1))
    return replace(system, forces=(*system.forces, *more))
