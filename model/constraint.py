"""Constraints: rods, coinciding points and frames (cut joints), holonomic and nonholonomic rows.

Rows of a rolling body (their ``element``, :class:`.contact.Rolling`) are formulas of kinematic words: a position row,
and rows of rates whose rest is the whole slip velocity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbconcord.records import dataclass, field

from .diagnostics import ModelError, error
from .expressions import ZERO, Expression, as_expression
from .force import Point
from .transformation import Frame as Frame


@dataclass(frozen=True, slots=True)
class Rod:
    """Inextensible rod: the distance of two points is ``length`` (m). ``mass`` (kg) is lumped on the ends."""

    name: str
    first: Point
    second: Point
    length: Expression
    mass: Expression = ZERO

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", as_expression(self.length))
        object.__setattr__(self, "mass", as_expression(self.mass))


@dataclass(frozen=True, slots=True)
class PointCoincidence:
    """Two points coincide: three rows, in world axes."""

    name: str
    first: Point
    second: Point


@dataclass(frozen=True, slots=True)
class FrameCoincidence:
    """A cut joint: two frames coincide. The coordinates in ``first`` belong to the cut joint alone.

    They are auxiliary, not generalized coordinates of the system. ``second`` has no coordinates.
    """

    name: str
    first: Frame
    second: Frame

    def __post_init__(self) -> None:
        if any(et.coordinate for et in self.second.transformations):
            remedy = "put them into the first frame"
            raise ModelError(
                error(f"constraints/{self.name}", "the second frame of a closure has no coordinates", remedy)
            )

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Names of the cut joint's own coordinates."""
        return tuple(et.coordinate for et in self.first.transformations if et.coordinate)


@dataclass(frozen=True, slots=True)
class Holonomic:
    """A row f(q, t) = 0."""

    name: str
    expression: Expression
    element: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "expression", as_expression(self.expression))


@dataclass(frozen=True, slots=True)
class Nonholonomic:
    """A row Z(q, t) q' + γ(q, t) = 0: coefficients by coordinate name, and the free term γ."""

    name: str
    coefficients: Mapping[str, Expression]
    rest: Expression = ZERO
    element: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        items = {name: as_expression(value) for name, value in sorted(self.coefficients.items())}
        object.__setattr__(self, "coefficients", items)
        object.__setattr__(self, "rest", as_expression(self.rest))

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.coefficients.items()), self.rest))


Constraint = Rod | PointCoincidence | FrameCoincidence | Holonomic | Nonholonomic
