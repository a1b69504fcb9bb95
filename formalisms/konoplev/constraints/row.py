"""A constraint row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbconcord.records import dataclass, field

from ..vectors import Vector


@dataclass(frozen=True, slots=True)
class Row:
    """A row ``D q̇ + γ = 0`` (4.8), ``D q̈ + γ̃ = 0``.

    Attributes
    ----------
    constraint : str
        Name of the model's constraint.
    part : str
        Which of its rows; empty when it has one.
    D : mapping
        By coordinate; what is not there is zero.
    speed : scalar
        D q̇ + γ, which is zero where the rates obey the constraint.
    rest : scalar
        γ̃.
    violation : scalar or None
        f(q, t), which is zero where the constraint holds; None for a nonholonomic row.
    reactions : mapping
        Wrench R on a link of its body's frame for λ = 1, by link.
    drive : str
        Coordinate whose acceleration a drive imposes; empty for a constraint's row.
    sums : mapping
        Sums of absolute terms of the elements of D of a formula, by coordinate; empty for other rows.
    """

    constraint: str
    part: str
    D: Mapping[str, Any]
    speed: Any
    rest: Any
    violation: Any = None
    reactions: Mapping[int, Vector] = field(default_factory=dict)
    drive: str = ""
    sums: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Its place in the model."""
        return f"coordinates/{self.drive}/drive" if self.drive else f"constraints/{self.constraint}"

    @property
    def name(self) -> str:
        """``loop (x)``."""
        return f"{self.constraint} ({self.part})" if self.part else self.constraint
