"""Motion of the bodies' frames: Φ and W' accumulate outwards along the joints, eq. (4)."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, cos, derivative, rate, sin, symbol
from mbconcord.model.transformation import ElementaryTransformation, Prescribed
from mbconcord.records import dataclass, field, replace

Triple = tuple[Expression, Expression, Expression]
Rows = tuple[Triple, Triple, Triple]

NONE: Triple = (ZERO, ZERO, ZERO)
UNIT: Rows = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def plus(*terms: Triple) -> Triple:
    """Return the sum of vectors."""
    x, y, z = ZERO, ZERO, ZERO
    for a, b, c in terms:
        x, y, z = x + a, y + b, z + c
    return x, y, z


def minus(a: Triple, b: Triple) -> Triple:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(s: Expression, a: Triple) -> Triple:
    """Return s a."""
    return s * a[0], s * a[1], s * a[2]


def dot(a: Triple, b: Triple) -> Expression:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Triple, b: Triple) -> Triple:
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def to_world(A: Rows, a: Triple) -> Triple:
    """Return A a: from the frame's axes to those of the world."""
    return dot(A[0], a), dot(A[1], a), dot(A[2], a)


def to_body(A: Rows, a: Triple) -> Triple:
    """Return Aᵀ a: from the axes of the world to the frame's."""
    x, y, z = (A[0][k] * a[0] + A[1][k] * a[1] + A[2][k] * a[2] for k in range(3))
    return x, y, z


def rotate_axes(A: Rows, e: Triple, angle: Expression) -> Rows:
    """Return A R(e, angle), right-handed and active: eq. (10) for e = x, y, z, Rodrigues' formula otherwise."""
    c, s = cos(angle), sin(angle)
    v = ONE - c
    x, y, z = e
    columns: Rows = (
        (c + v * x * x, v * x * y + s * z, v * x * z - s * y),
        (v * x * y - s * z, c + v * y * y, v * y * z + s * x),
        (v * x * z + s * y, v * y * z - s * x, c + v * z * z),
    )
    first, second, third = (to_world(columns, row) for row in A)
    return first, second, third


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
    accelerating : True if coordinates accelerate: w and epsilon are then the whole Φ q'' + W'

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
        own = {name: times(slope, axis) for name, slope in slopes(et).items()}
        if et.is_translation:
            carried = self.shift_to(times(amount, axis))
            return replace(
                carried,
                v=plus(carried.v, times(speed, axis)),
                w=plus(carried.w, times(2 * speed, cross(self.omega, axis)), times(bias, axis)),
                D=_add_columns(carried.D, own),
                B={**dict.fromkeys(own, NONE), **carried.B},
            )
        return replace(
            self,
            A=rotate_axes(self.A, et.axis, amount),
            omega=plus(self.omega, times(speed, axis)),
            epsilon=plus(self.epsilon, times(speed, cross(self.omega, axis)), times(bias, axis)),
            D={**dict.fromkeys(own, NONE), **self.D},
            B=_add_columns(self.B, own),
        )


def slopes(et: ElementaryTransformation) -> dict[str, Expression]:
    """Return ∂ amount / ∂ q by coordinate: 1 for a transformation's own coordinate, or the derivatives of its map."""
    if et.coordinate:
        return {et.coordinate: ONE}
    return {name: derivative(et.amount, symbol(name)) for name in et.moving}


def _add_columns(before: Mapping[str, Triple], own: Mapping[str, Triple]) -> dict[str, Triple]:
    """Return both sets of columns, added where a coordinate has both: maps may share coordinates with other joints."""
    return {**before, **{name: plus(before[name], x) if name in before else x for name, x in own.items()}}


def amounts(et: ElementaryTransformation, accelerating: bool = False) -> tuple[Expression, Expression, Expression]:
    """Return shift or angle, its rate, and its second rate (without terms in q'' unless ``accelerating``)."""
    if et.coordinate:
        return et.amount, rate(et.coordinate), rate(et.coordinate, 2) if accelerating else ZERO
    if isinstance(et.motion, Prescribed):
        speed = derivative(et.amount, TIME)
        return et.amount, speed, derivative(speed, TIME)
    if et.moving:  # φ' = Σ φ_i q_i' + φ_t; φ'' at q'' = 0 is its change along q', and Σ φ_i q_i'' is added to it
        by = slopes(et)
        speed = sum((slope * rate(name) for name, slope in by.items()), derivative(et.amount, TIME))
        bias = sum((derivative(speed, symbol(name)) * rate(name) for name in by), derivative(speed, TIME))
        if accelerating:
            bias = sum((slope * rate(name, 2) for name, slope in by.items()), bias)
        return et.amount, speed, bias
    return et.amount, ZERO, ZERO
