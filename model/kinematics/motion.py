"""Motion of a frame whose origin is a point of a body, as a formalism derives it by its own kinematics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbconcord.records import dataclass

from ..expressions import ZERO, Expression
from ..transformation import Vector

#: Six rows of n entries: those of the velocity above those of the angular velocity.
Jacobian = tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class PointMotion:
    """Motion of a frame with the axes of a body and its origin at a point of it; all in world axes, SI.

    Attributes
    ----------
    R : 3×3
        Columns are the body's axes.
    r, v, w : position and velocity of the point, angular velocity of the body
    J : 6×n
        ∂v/∂q' above ∂w/∂q', in the order of the model's coordinates.
    a0, e0 : acceleration of the point and angular acceleration where q'' = 0
    """

    R: tuple[Vector, Vector, Vector]
    r: Vector
    v: Vector
    w: Vector
    J: Jacobian
    a0: Vector
    e0: Vector


def jacobian_of(
    names: Sequence[str], linear: Mapping[str, Sequence[Expression]], angular: Mapping[str, Sequence[Expression]]
) -> Jacobian:
    """Lay out columns by coordinate as the rows of J; a coordinate without a column has zeros."""
    none = (ZERO, ZERO, ZERO)
    return tuple(tuple(part.get(name, none)[i] for name in names) for part in (linear, angular) for i in range(3))
