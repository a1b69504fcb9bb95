"""What acts along a coordinate, as constants: springs and damping, actuators, polynomials between coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mbconcord.converters.constants import Numbers
from mbconcord.model import Effort, Holonomic, JointEffort, System
from mbconcord.model.expressions import ZERO, Expression, derivative, rate, substitute, symbol, symbols

from ..vocabulary import CONTROL, DAMPING, SPRING


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
        parts = linear(_put_in(numbers, force.expression(), ()), (symbol(name), rate(name)))
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


def _put_in(numbers: Numbers, formula: Expression, but: Sequence[str]) -> Expression:
    """A formula with the values of parameters, but for some."""
    (found,) = numbers.definitions.of([formula])
    known = {x: value for x, value in numbers.known.items() if x.data not in but and x.data != "t"}
    return substitute([found], known)[0]


@dataclass(frozen=True)
class Actuator:
    """gain · ctrl + b₀ + b₁ q + b₂ q' along a coordinate; ``control`` is its parameter, empty: it has none."""

    name: str
    coordinate: str
    control: str
    gain: Expression
    bias: tuple[Expression, Expression, Expression]


def actuators(system: System, numbers: Numbers, held: dict[str, str]) -> list[Actuator]:
    """Drives that are linear in controls, position and speed of their coordinate, an actuator for every control."""
    found: list[Actuator] = []
    parameters = [p.name for p in system.parameters]
    used = [symbols([c.drive.value]) for c in system.coordinates if isinstance(c.drive, Effort)]
    for c in system.coordinates:
        if not isinstance(c.drive, Effort):
            continue
        own = symbols([c.drive.value])
        controls = [
            n for n in parameters if n in own and n.endswith(CONTROL) and sum(n in u for u in used) == 1
        ]
        variables = [*map(symbol, controls), symbol(c.name), rate(c.name)]
        parts = linear(_put_in(numbers, c.drive.value, controls), variables)
        if parts is None:
            continue
        *gains, b1, b2, b0 = parts
        held[f"coordinates/{c.name}/drive"] = ""
        numbers.used |= own
        bias = (b0, b1, b2)
        if not controls:
            found.append(Actuator(f"{c.name}_drive", c.name, "", ZERO, bias))
        for i, (control, gain) in enumerate(zip(controls, gains, strict=True)):
            held[f"parameters/{control}"] = control
            shared = bias if i == 0 else (ZERO, ZERO, ZERO)
            found.append(Actuator(control.removesuffix(CONTROL), c.name, control, gain, shared))
    return found


@dataclass(frozen=True)
class Polynomial:
    """y = Σ a_k x^k, of coordinates; without x a constant."""

    name: str
    first: str
    second: str
    coefficients: tuple[Expression, ...]


def polynomials(system: System, numbers: Numbers) -> Mapping[str, Polynomial]:
    """Rows y - P(x) = 0 with P of the fourth degree at most, by name."""
    found = {}
    for row in system.constraints:
        made = _polynomial(row, system, numbers) if isinstance(row, Holonomic) else None
        if made is not None and isinstance(row, Holonomic):
            numbers.formula(f"constraints/{row.name}", row.expression)
            found[row.name] = made
    return found


def _polynomial(row: Holonomic, system: System, numbers: Numbers) -> Polynomial | None:
    formula = _put_in(numbers, row.expression, ())
    names = [n for n in system.coordinate_names if n in symbols([formula])]
    if not 1 <= len(names) <= 2:
        return None
    for first in reversed(names):
        others = [n for n in names if n != first]
        y = symbol(first)
        factor = derivative(formula, y)
        if not factor.constant or not factor:
            continue
        (rest,) = substitute([formula], {y: ZERO})
        right = -(rest / factor)
        if not others:
            return Polynomial(row.name, first, "", (right,)) if right.constant else None
        coefficients = _taylor(right, symbol(others[0]))
        if coefficients is not None:
            return Polynomial(row.name, first, others[0], coefficients)
    return None


def _taylor(formula: Expression, x: Expression) -> tuple[Expression, ...] | None:
    """Coefficients of a polynomial of the fourth degree at most; None of anything else."""
    found, factorial = [], 1
    for k in range(6):
        (at_zero,) = substitute([formula], {x: ZERO})
        if k < 5:
            found.append(at_zero / factorial)
        elif formula is not ZERO:
            return None
        formula = derivative(formula, x)
        factorial *= k + 1
    return tuple(found) if all(c.constant for c in found) else None
