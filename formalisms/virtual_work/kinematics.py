"""Motion of the bodies' frames: Φ and W' accumulate outwards along the joints, eq. (4)."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model.expressions import TIME, ZERO, Expression, derivative, rate
from mbconcord.model.transformation import ElementaryTransformation, Prescribed
from mbconcord.records import dataclass, field, replace

from .vectors import NONE, UNIT, Rows, Triple, cross, plus, rotate_axes, times, to_world


@dataclass(frozen=True, slots=True)
class Kinematics:
    """Motion of a frame; all vectors in world axes, SI.

    Attributes
    ----------
    A : 3×3
        Columns are the frame's basis vectors.
    r, v : position and velocity of the origin
    omega : angular velocity
    w, epsilon : acceleration of the origin and angular acceleration at q'' = 0 (together W')
    D, B : mappings
        ∂v/∂q' and ∂ω/∂q' of the coordinates that move the frame; other columns are zero.
    accelerating : whether coordinates accelerate: w and epsilon are then whole, Φ q'' + W'

    The identities ``v = Σ D q' + (v at q' = 0)`` and ``dv/dt = Σ D q'' + w`` hold, as do those of ω, B, ε.
    """

    A: Rows = UNIT
    r: Triple = NONE
    v: Triple = NONE
    omega: Triple = NONE
    w: Triple = NONE
    epsilon: Triple = NONE
    D: Mapping[str, Triple] = field(default_factory=dict)
    B: Mapping[str, Triple] = field(default_factory=dict)
    accelerating: bool = False

    def shift_to(self, arm: Triple) -> Kinematics:
        """Return the parallel frame whose origin is fixed in this frame at ``arm`` (world axes)."""
        if arm == NONE:
            return self
        return replace(
            self,
            r=plus(self.r, arm),
            v=plus(self.v, cross(self.omega, arm)),
            w=plus(self.w, cross(self.epsilon, arm), cross(self.omega, cross(self.omega, arm))),
            D={name: plus(column, cross(self.B[name], arm)) for name, column in self.D.items()},
        )

    def apply_transformation(self, et: ElementaryTransformation) -> Kinematics:
        """Return the frame after an elementary transformation."""
        amount, speed, bias = amounts(et, self.accelerating)
        axis = to_world(self.A, et.axis)
        own = {et.coordinate: axis} if et.coordinate else {}
        idle = {et.coordinate: NONE} if et.coordinate else {}
        if et.is_translation:
            carried = self.shift_to(times(amount, axis))
            return replace(
                carried,
                v=plus(carried.v, times(speed, axis)),
                w=plus(carried.w, times(2 * speed, cross(self.omega, axis)), times(bias, axis)),
                D={**carried.D, **own},
                B={**carried.B, **idle},
            )
        return replace(
            self,
            A=rotate_axes(self.A, et.axis, amount),
            omega=plus(self.omega, times(speed, axis)),
            epsilon=plus(self.epsilon, times(speed, cross(self.omega, axis)), times(bias, axis)),
            D={**self.D, **idle},
            B={**self.B, **own},
        )


def amounts(et: ElementaryTransformation, accelerating: bool = False) -> tuple[Expression, Expression, Expression]:
    """Return shift or angle, rate, and second rate: the part without q'', or all of it if ``accelerating``."""
    if et.coordinate:
        return et.amount, rate(et.coordinate), rate(et.coordinate, 2) if accelerating else ZERO
    if isinstance(et.motion, Prescribed):
        speed = derivative(et.amount, TIME)
        return et.amount, speed, derivative(speed, TIME)
    return et.amount, ZERO, ZERO
