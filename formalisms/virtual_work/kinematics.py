"""Motion of frames of bodies and of sections at nodes of elastic ones, and modal weights.

Φ and W' accumulate outwards along the joints, eq. (4). Bending and torsion carry the sections of elastic bodies.

A node is at ρ = r0 + Φ q in the body's axes, its section rotated by Exp(θ), θ = Ψ q. The possible displacements of the
section gain a column for each mode, Φ_k of the node and J(θ) Ψ_k of the rotation; accelerations at q'' = 0 gain
2 ω × Φ q' (origin) and ω × J θ' + d/dt(J) θ' (rotation).

Modal coordinates are weights: δr of a point contains Σ φ_k δw_k, w_k modal coordinates or products of two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import factorial

from mbconcord.model import Body, ElasticModes, ElasticNode, Point, System
from mbconcord.model.elastic import Matrix
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, as_expression, cos, derivative, rate, sin, symbol
from mbconcord.model.transformation import ElementaryTransformation, Prescribed
from mbconcord.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Weights:
    """Factors of the displacements of an elastic body's points other than r0.

    ``q``, ``v``: modal coordinates and products, and their rates; ``bias``: second rates at q'' = 0; ``slopes``:
    derivatives by each modal coordinate.
    """

    q: list[Expression]
    v: list[Expression]
    bias: list[Expression]
    slopes: list[list[Expression]]


def weights(modes: ElasticModes) -> Weights:
    """Build the weights of modes and of the products that move points."""
    names, pairs, two = modes.coordinates, modes.products, as_expression(2)
    slopes = [
        [ONE if name == n else ZERO for n in names]
        + [(symbol(b) if name == a else ZERO) + (symbol(a) if name == b else ZERO) for a, b in pairs]
        for name in names
    ]
    return Weights(
        [*map(symbol, names), *(symbol(a) * symbol(b) for a, b in pairs)],
        [*map(rate, names), *(rate(a) * symbol(b) + symbol(a) * rate(b) for a, b in pairs)],
        [*(ZERO for _ in names), *(two * rate(a) * rate(b) for a, b in pairs)],
        slopes,
    )


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


#: Terms of the series of a turn by the square of its angle: exact in floats up to 5 rad.
TERMS = 17


def section(frame: Kinematics, body: Body, node: ElasticNode) -> Kinematics:
    """Compute the frame of a node's section from the frame of its body."""
    assert body.modes is not None
    names = body.modes.coordinates
    q, v, own = [symbol(name) for name in names], [rate(name) for name in names], weights(body.modes)
    columns = [to_world(frame.A, plus(*_weight_columns(node.translation, slopes))) for slopes in own.slopes]
    moved = frame.shift_to(to_world(frame.A, plus(node.position, *_weight_columns(node.translation, own.q))))
    slide = to_world(frame.A, plus(*_weight_columns(node.translation, own.v)))
    pulled = to_world(frame.A, plus(*_weight_columns(node.translation, own.bias)))
    moved = replace(
        moved,
        v=plus(moved.v, slide),
        w=plus(moved.w, times(as_expression(2), cross(frame.omega, slide)), pulled),
        D={**moved.D, **dict(zip(names, columns, strict=True))},
        B={**moved.B, **dict.fromkeys(names, NONE)},
    )
    return _rotate_section(moved, names, node, q, v)


def _rotate_section(
    frame: Kinematics, names: Sequence[str], node: ElasticNode, q: Sequence[Expression], v: Sequence[Expression]
) -> Kinematics:
    """Return the frame rotated by Exp(θ) about its origin, with the angular motion and columns of B that this adds."""
    theta, dtheta = plus(*_weight_columns(node.rotation, q)), plus(*_weight_columns(node.rotation, v))
    used = [k for k in range(3) if any(node.rotation[k])]
    columns = [_column(node.rotation, k) for k in range(len(names))]
    if len(used) <= 1:
        axis = tuple(ONE if k in used else ZERO for k in range(3))
        A = rotate_axes(frame.A, (axis[0], axis[1], axis[2]), sum(theta, ZERO)) if used else frame.A
        swept, growth = columns, NONE
    else:
        x = dot(theta, theta)
        c, b, a = (_series(x, n) for n in (1, 2, 3))
        A_columns = [_rodrigues(theta, c, b, e) for e in ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))]
        rows = zip(*(to_world(frame.A, column) for column in A_columns), strict=True)
        A = tuple(tuple(row) for row in rows)  # type: ignore[assignment]
        swept = [_rodrigues(theta, b, a, column) for column in columns]
        growth = _growth(theta, dtheta, x, a)
    spin = to_world(frame.A, plus(*(times(rate_, own) for rate_, own in zip(v, swept, strict=True))))
    return replace(
        frame,
        A=A,
        omega=plus(frame.omega, spin),
        epsilon=plus(frame.epsilon, cross(frame.omega, spin), to_world(frame.A, growth)),
        B={**frame.B, **{n: to_world(frame.A, own) for n, own in zip(names, swept, strict=True)}},
    )


def _rodrigues(theta: Triple, first: Expression, second: Expression, a: Triple) -> Triple:
    """Compute a + first θ × a + second θ × (θ × a)."""
    once = cross(theta, a)
    return plus(a, times(first, once), times(second, cross(theta, once)))


def _growth(theta: Triple, dtheta: Triple, x: Expression, a: Expression) -> Triple:
    """Compute d/dt(J) θ' with J = E + b θ̂ + a θ̂², b and a series in x = θ·θ, x' = 2 θ·θ'."""
    once, dx = cross(theta, dtheta), 2 * dot(theta, dtheta)
    db, da = (dx * _slope(x, n) for n in (2, 3))
    return plus(times(db, once), times(da, cross(theta, once)), times(a, cross(dtheta, once)))


def _series(x: Expression, n: int) -> Expression:
    """Sum Σ (-x)^k/(2k + n)!: sin θ/θ, (1 - cos θ)/θ², (θ - sin θ)/θ³ for n = 1, 2, 3."""
    return _horner(x, [Fraction((-1) ** k, factorial(2 * k + n)) for k in range(TERMS)])


def _slope(x: Expression, n: int) -> Expression:
    """Return the derivative of :func:`_series` by x."""
    return _horner(x, [Fraction((-1) ** k * k, factorial(2 * k + n)) for k in range(1, TERMS)])


def _horner(x: Expression, coefficients: Sequence[Fraction]) -> Expression:
    value: Expression = ZERO
    for c in reversed(coefficients):
        value = as_expression(c) + x * value
    return value


def _column(rows: Matrix, k: int) -> Triple:
    return rows[0][k], rows[1][k], rows[2][k]


def _weight_columns(rows: Matrix, values: Sequence[Expression]) -> list[Triple]:
    """Return the N columns of a 3×N matrix, each multiplied by its value."""
    return [times(value, _column(rows, k)) for k, value in enumerate(values)]


def kinematics(system: System) -> dict[str | None, Kinematics]:
    """Compute the motion of every body's frame, from the fixed frame (None) outwards."""
    frames: dict[str | None, Kinematics] = {None: Kinematics()}
    for body in system.bodies:
        frame = carrier(system, body, frames)
        for et in body.joint:
            frame = frame.apply_transformation(et)
        frames[body.name] = frame
    return frames


def carrier(system: System, body: Body, frames: Mapping[str | None, Kinematics]) -> Kinematics:
    """Return the frame that carries a body: that of its parent, or of a section at a node of the parent."""
    frame = frames[body.parent]
    if body.parent_node is None:
        return frame
    parent = system.body(body.parent or "")
    assert parent.modes is not None
    return section(frame, parent, next(n for n in parent.modes.nodes if n.name == body.parent_node))


def node_at(system: System, point: Point) -> ElasticNode | None:
    """Return the node of an elastic body at a point; None if the body is rigid, or at the origin, or without node."""
    body = system.body(point.body) if point.body is not None else None
    if body is None or body.modes is None or not any(point.position):
        return None
    return next((n for n in body.modes.nodes if n.position == point.position), None)
