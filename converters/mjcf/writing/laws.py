"""What acts along a coordinate, as constants: springs and damping, actuators, polynomials between coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mbconcord.converters.constants import Numbers
from mbconcord.converters.springs import linear, put_in
from mbconcord.model import Effort, Holonomic, System
from mbconcord.model.expressions import ZERO, Expression, derivative, rate, substitute, symbol, symbols

from ..vocabulary import CONTROL


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
        parts = linear(put_in(numbers, c.drive.value, controls), variables)
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
    formula = put_in(numbers, row.expression, ())
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
