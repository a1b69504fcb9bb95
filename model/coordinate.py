"""Generalized coordinates, parameters and functions of a system."""

from __future__ import annotations

from typing import Literal, get_args

from mbconcord.records import dataclass

from .expressions import ZERO, Expression, as_expression, symbol
from .expressions.interpolant import Interpolant

Origin = Literal["given", "default", "drawn", "input"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
#: Of values that stand in a text because somebody wanted them.
WANTED: tuple[Origin, ...] = ("given", "drawn")


@dataclass(frozen=True, slots=True)
class Effort:
    """A drive that applies a force (N) or torque (N m): a formula of q, q', t."""

    value: Expression

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_expression(self.value))


@dataclass(frozen=True, slots=True)
class Motion:
    """A drive that imposes the coordinate's acceleration: a formula of q, q', t (the mixed problem)."""

    acceleration: Expression

    def __post_init__(self) -> None:
        object.__setattr__(self, "acceleration", as_expression(self.acceleration))


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A generalized coordinate: its name, initial position (m or rad) and velocity, and its drive."""

    name: str
    position: Expression = ZERO
    velocity: Expression = ZERO
    drive: Effort | Motion | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", as_expression(self.position))
        object.__setattr__(self, "velocity", as_expression(self.velocity))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named constant: a number, a formula of other parameters, or without value.

    ``origin``: ``given`` by the author, ``default`` (generated names only), ``drawn`` by a check, or an ``input``: what
    a control gives while the machine moves, so that its value says nothing about the machine. ``normal``: the body or
    the constraint whose normal force it is, found with the motion, :mod:`.normal_forces`. ``varies``: its formula of t,
    in place of a value; equations of motion are those of each instant, as of a mass that leaves parts behind.
    """

    name: str
    value: Expression | None = None
    origin: Origin = "given"
    normal: str = ""
    varies: Expression | None = None

    def __post_init__(self) -> None:
        if self.value is not None:
            object.__setattr__(self, "value", as_expression(self.value))
        if self.varies is not None:
            object.__setattr__(self, "varies", as_expression(self.varies))


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the model's author: ``JK(t) = 0.5 + 0.1 sin(t)``, a table, or declared without a formula."""

    name: str
    arguments: tuple[str, ...]
    formula: Expression | None = None

    @property
    def table(self) -> Interpolant | None:
        """Table of the function, if its formula is just a table of its only argument; else None."""
        if self.formula is None or not isinstance(self.formula.data, Interpolant) or self.formula.data.order:
            return None
        return self.formula.data if self.formula.args == tuple(map(symbol, self.arguments)) else None
