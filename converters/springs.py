"""Joint forces that are springs and damping: formulas that are linear in a coordinate and its rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from mbconcord.converters.constants import Numbers
from mbconcord.model import JointEffort, System
from mbconcord.model.expressions import ZERO, Expression, derivative, rate, substitute, symbol

#: What follows the names of coordinates in those of their springs and dampers.
SPRING: Final = "_spring"
DAMPING: Final = "_damping"


def linear(formula: Expression, variables: Sequence[Expression]) -> list[Expression] | None:
    """Factors of the variables and the rest of a formula that is linear in them; None where it is not."""
    factors = [derivative(formula, x) for x in variables]
    (rest,) = substitute([formula], dict.fromkeys(variables, ZERO))
    if not all(x.constant for x in (*factors, rest)):
        return None
    return [*factors, rest]


@dataclass
class Springs:
    """Stiffness, rest force and damping of coordinates that have some."""

    stiffness: dict[str, Expression] = field(default_factory=dict)
    pull: dict[str, Expression] = field(default_factory=dict)
    damping: dict[str, Expression] = field(default_factory=dict)

    @property
    def coordinates(self) -> set[str]:
        """All that have any."""
        return {*self.stiffness, *self.damping}


def springs(system: System, numbers: Numbers, held: dict[str, str]) -> Springs:
    """Joint forces that are f - k q - d q'; of each the name that it is read with goes to ``held``."""
    found = Springs()
    for force in system.forces:
        if not isinstance(force, JointEffort):
            continue
        place, name = f"forces/{force.name}", force.coordinate
        parts = linear(put_in(numbers, force.expression(), ()), (symbol(name), rate(name)))
        if parts is None:
            continue
        k, d, f = (-parts[0], -parts[1], parts[2])
        if f and not k:
            continue  # a constant force has no element
        numbers.formula(place, force.expression())
        if k:
            found.stiffness[name] = found.stiffness.get(name, ZERO) + k
            found.pull[name] = found.pull.get(name, ZERO) + f
        if d:
            found.damping[name] = found.damping.get(name, ZERO) + d
        held[place] = name + (SPRING if k else DAMPING)
    return found


def put_in(numbers: Numbers, formula: Expression, but: Sequence[str]) -> Expression:
    """A formula with the values of parameters, but for some."""
    (found,) = numbers.definitions.of([formula])
    known = {x: value for x, value in numbers.known.items() if x.data not in but and x.data != "t"}
    return substitute([found], known)[0]
