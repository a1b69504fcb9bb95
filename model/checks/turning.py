"""About which axes bodies turn, whatever the coordinates: what of an inertia the motion can see.

The angular velocity of a body is a sum over the rotations between it and the fixed frame. Where all their axes are
parallel, as in a planar model, it lies along one direction n of the body, and nᵀJn is all that it sees of a tensor J.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import cos, isfinite, sin
from typing import Final

from ..expressions import Expression, ExpressionError, evaluate, symbols, undefined_functions
from ..functions import Definitions
from ..transformation import Constant, ElementaryTransformation
from .model import Model

Triple = tuple[float, float, float]
#: Sine of the angle up to which two axes are parallel.
PARALLEL: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Turning:
    """How a frame turns: not at all, about ``axis`` (a unit vector in its own axes), or ``freely``."""

    axis: Triple | None = None
    freely: bool = False


STILL, FREE = Turning(), Turning(freely=True)


class Turnings:
    """How the bodies of a system turn at given values of parameters."""

    def __init__(self, system: Model, values: Mapping[str, float]) -> None:
        self.definitions, self.values = Definitions(system.functions), values
        self.of: dict[str | None, Turning] = {None: STILL}
        for body in system.bodies:
            carrier = FREE if body.parent_node is not None else self.of[body.parent]
            self.of[body.name] = self.further(carrier, body.joint)

    def further(self, turning: Turning, joint: Iterable[ElementaryTransformation]) -> Turning:
        """How the frame at the end of a joint turns when that at its beginning turns so."""
        for et in joint:
            if turning.freely:
                return FREE
            if not et.is_translation:
                turning = self._turned(turning.axis, et)
        return turning

    def _turned(self, axis: Triple | None, et: ElementaryTransformation) -> Turning:
        x, y, z = (float(c) for c in evaluate(et.axis, {}))
        about = (x, y, z)
        if isinstance(et.motion, Constant):
            if axis is None or _parallel(axis, about):
                return Turning(axis)
            angle = self._value(et.motion.value)
            return FREE if angle is None else Turning(_rotated(axis, about, -angle))
        return Turning(about) if axis is None else Turning(axis) if _parallel(axis, about) else FREE

    def _value(self, angle: Expression) -> float | None:
        """The value of a constant angle (rad); None where the values do not determine it."""
        (formula,) = self.definitions.of([angle])
        if not symbols([formula]) <= self.values.keys() or undefined_functions([formula]):
            return None
        try:
            found = float(evaluate([formula], self.values)[0])
        except ExpressionError:
            return None
        return found if isfinite(found) else None


def _cross(a: Triple, b: Triple) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _parallel(a: Triple, b: Triple) -> bool:
    c = _cross(a, b)
    return _dot(c, c) <= PARALLEL**2


def _rotated(v: Triple, about: Triple, angle: float) -> Triple:
    """Rodrigues' formula: v cos θ + a×v sin θ + a (a·v)(1 − cos θ)."""
    c, s, along, across = cos(angle), sin(angle), _dot(about, v), _cross(about, v)
    x, y, z = (c * p + s * q + (1 - c) * along * a for p, q, a in zip(v, across, about, strict=True))
    return x, y, z
