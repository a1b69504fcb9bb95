"""Forces that are damping."""

from __future__ import annotations

from mbconcord.converters.constants import Numbers
from mbconcord.converters.mimics import linear_in
from mbconcord.model import JointEffort, System
from mbconcord.model.expressions import ZERO, Expression, rate

from ..vocabulary import DAMPING


def damping(system: System, numbers: Numbers, held: dict[str, str]) -> dict[str, Expression]:
    """The damping constant of each coordinate; of each force that is some the name it is read with goes to ``held``."""
    found: dict[str, Expression] = {}
    for force in system.forces:
        if isinstance(force, JointEffort) and force.coordinate not in found:
            formula = numbers.definitions.of([force.expression()])[0]
            constant = linear_in(numbers, formula, rate(force.coordinate))
            if constant is not None and constant[1] is ZERO and constant[0]:
                place = f"forces/{force.name}"
                found[force.coordinate] = numbers.value(place, -constant[0])
                numbers.formula(place, force.expression())
                held[place] = force.coordinate + DAMPING
    return found
