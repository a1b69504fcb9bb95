"""Drives that impose accelerations, put on the coordinates of a model at random: the mixed problem of any machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mbconcord.model.coordinate import Motion
from mbconcord.model.expressions import TIME, Expression, rate, sin, symbol
from mbconcord.model.system import System

from .choices import Choices, Seeded


def driven(system: System, accelerations: Mapping[str, Expression]) -> System:
    """The system with these accelerations imposed, by coordinate."""
    coordinates = (
        replace(c, drive=Motion(accelerations[c.name])) if c.name in accelerations else c
        for c in system.coordinates
    )
    return replace(system, coordinates=tuple(coordinates))


def randomly_driven(system: System, seed: int, every: bool = False) -> System:
    """The system with accelerations a + b sin(q) - c q' + d t imposed along some coordinates, or along every one."""
    return imposed_by(Choices(Seeded(seed)), system, every)


def imposed_by(c: Choices, system: System, every: bool = False) -> System:
    """The same of accelerations that are made of choices."""
    formulas: dict[str, Expression] = {}
    for name in system.coordinate_names:
        constant, wave, damping, growth = (
            c.decimal(-5, 5),
            c.decimal(-2, 2),
            c.decimal(-1, 1),
            c.decimal(-3, 3),
        )
        a = constant + wave * sin(symbol(name)) - damping * rate(name) + growth * TIME
        if every or c.once_in(2):
            formulas[name] = a
    return driven(system, formulas)
