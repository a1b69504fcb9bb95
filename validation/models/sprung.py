"""Trees with springs and dampers between frames."""

from __future__ import annotations

from dataclasses import replace

from mbconcord.model import System
from mbconcord.model.force import Force

from .choices import Choices, Seeded
from .forces import random_bushing, random_torsion
from .trees import random_system


def sprung_system(seed: int, bodies: int, bushings: int = 2, torsions: int = 1) -> System:
    """The random tree of a seed with so many bushings and moments about axes: the same on every platform."""
    system, choices = random_system(seed, bodies), Choices(Seeded(seed))
    functions = list(system.functions)
    more: list[Force] = [
        *(random_bushing(choices, system.bodies, f"bushing{i}") for i in range(1, bushings + 1)),
        *(random_torsion(choices, system.bodies, functions, f"torsion{i}") for i in range(1, torsions + 1)),
    ]
    return replace(system, functions=tuple(functions), forces=(*system.forces, *more))
