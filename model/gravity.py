"""Uniform gravity."""

from __future__ import annotations

from dataclasses import dataclass

from .expressions import Expression, as_expression
from .transformation import Vector, unit_vector


@dataclass(frozen=True, slots=True)
class Gravity:
    """Uniform gravity: its magnitude (m/s²) and the direction in which things fall, in world axes."""

    value: Expression
    direction: Vector

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_expression(self.value))
        object.__setattr__(self, "direction", unit_vector(self.direction))

    @property
    def vector(self) -> Vector:
        """Acceleration of gravity in world axes (m/s²)."""
        x, y, z = self.direction
        return self.value * x, self.value * y, self.value * z
