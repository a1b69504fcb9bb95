"""Fields of blocks: formulas where UM takes formulas, numbers where it takes numbers, and what that loses."""

from __future__ import annotations

import math
from collections.abc import Iterable

from mbconcord.model import Loss, Parameter, System
from mbconcord.model.expressions import (
    PI_NODE,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    evaluate_float,
    number,
    substitute,
    symbols,
    undefined_functions,
)
from mbconcord.model.functions import Definitions
from mbconcord.model.order import in_order

from ..document import Attribute, Block
from .names import Names
from .printer import formula, pascal, unconfirmed


class Fields:
    """Writes the values of a model into fields; each that cannot be written as it is becomes a loss."""

    def __init__(self, system: System, names: Names, losses: list[Loss]) -> None:
        self.names, self.losses = names, losses
        self._definitions = Definitions(system.functions)
        self._values = _values(system, self._definitions)

    def lose(self, place: str, what: str, reason: str) -> None:
        """Record a loss."""
        self.losses.append(Loss(place, what, reason))

    @property
    def parameters(self) -> frozenset[str]:
        """The written names of the parameters."""
        return frozenset(map(self.names.parameter, self._values))

    @property
    def known(self) -> frozenset[str]:
        """The parameters by the model's names."""
        return frozenset(self._values)

    def defined(self, value: Expression) -> Expression:
        """The formula with the author's functions written out."""
        return self._definitions.of([value])[0]

    def formula(self, place: str, value: Expression) -> str:
        """A formula of parameters; one that UM's files do not confirm is written as its number."""
        value = self.defined(value)
        reason = unconfirmed(value)
        if reason is None:
            return formula(value, self.names.parameters)
        known = self.value(value)
        self.lose(place, f"the formula {value}", f"no UM file seen has {reason}: {known!r} is written")
        return formula(number(repr(known)))

    def number(self, place: str, value: Expression, degrees: bool = False) -> str:
        """A number of a numeric field; what depends on parameters is frozen at their values."""
        value = self.defined(value)
        known = _degrees(value) if degrees else value
        if known.op == "num":
            return pascal(known.value)
        found = self.value(known)
        if symbols([value]):
            unit = "°" if degrees else ""
            reason = f"UM has a number here: frozen at {found!r}{unit}"
            self.lose(place, f"the formula {value}", reason)
        return pascal(found)

    def held(self, place: str, value: Expression) -> Expression:
        """A motion given in time as it is at t = 0, a formula of parameters."""
        start = substitute([self.defined(value)], {TIME: ZERO})[0]
        reason = "no UM file seen has a transformation given in time (tt, rt)"
        if undefined_functions([start]):
            self.lose(place, f"the motion {value}", f"{reason}: left out")
            return ZERO
        self.lose(place, f"the motion {value}", f"{reason}: it is held as it is at t = 0")
        return start

    def value(self, value: Expression) -> float:
        """The number of a formula of parameters; 0 where it has none."""
        return _number(value, self._values, self._definitions)


def _degrees(angle: Expression) -> Expression:
    """The angle in degrees, exact for fractions of pi."""
    degrees = angle * 180 / PI_NODE
    if not degrees.constant or degrees.op == "num":
        return degrees
    return number(repr(float(evaluate_float(degrees, {}))))


def ordered(parameters: Iterable[Parameter]) -> list[Parameter]:
    """The parameters in their order, each formula moved behind those that it uses."""
    named = {p.name: p for p in parameters}
    used = {name: symbols([p.value]) if p.value is not None else () for name, p in named.items()}
    return [named[name] for name in in_order(used)]


def _values(system: System, definitions: Definitions) -> dict[str, float]:
    """Values of the parameters; one without, or whose formula has none, is 0, as it is written."""
    values: dict[str, float] = {}
    for p in ordered(system.parameters):
        values[p.name] = 0.0 if p.value is None else _number(p.value, values, definitions)
    return values


def _number(value: Expression, values: dict[str, float], definitions: Definitions) -> float:
    try:
        found = float(evaluate_float(definitions.of([value])[0], values))
    except (ExpressionError, ArithmeticError):
        return 0.0
    return found if math.isfinite(found) else 0.0


def block(
    keyword: str, number: int | None, attributes: Iterable[tuple[str, str]], blocks: Iterable[Block] = ()
) -> Block:
    """A block of a generated file."""
    return Block(
        keyword, number, tuple(Attribute(key, value) for key, value in attributes), blocks=tuple(blocks)
    )


def quoted(name: str) -> str:
    """A name between quotation marks."""
    return f'"{name}"'
