"""A random tree whose joints turn rotors, alone and together."""

from __future__ import annotations

from dataclasses import replace

from mbconcord.model import Armature, System
from mbconcord.model.expressions import as_expression, number, symbol

from .drives import driven
from .trees import random_system

#: Seed and number of bodies of the tree.
TREE = (11, 5)


def geared() -> System:
    """Rotors of one joint, two on one of them; of two joints that a tendon joins; of three; one joint is driven."""
    tree = random_system(*TREE)
    first, second, *_, last = tree.coordinate_names
    armatures = (
        Armature("motor", number("0.02"), {last: number(7)}),
        Armature("second motor", number("0.3"), {last: as_expression(-2)}),
        Armature("driven motor", number("0.05"), {second: number(3)}),
        Armature("tendon", number("0.4"), {first: number("1.5"), last: as_expression(-3)}),
        Armature("differential", number("0.7"), {second: number(2), last: number("0.5"), first: number(1)}),
    )
    return driven(replace(tree, armatures=armatures), {second: as_expression(2) - symbol(f"{last}'")})
