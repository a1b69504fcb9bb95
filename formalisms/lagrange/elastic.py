"""Elastic bodies: their displacements φ_k q_k are linear in modal coordinates, treated like other coordinates.

With φ_0 = r0, q_0 = 1 a point of the body is at ρ = Σ q_k φ_k in its axes, and its velocity is u + ω × ρ + Σ q'_k φ_k;
products of modal coordinates that move points count as further q_k, with the rate of the product. The energy (14)
integrated over the body needs only S_k = ∫φ_k dm and P_kl = ∫φ_k φ_lᵀ dm. A node adds one more factor to the product
(11): a shift by ρ and a rotation Exp(Ψ q), written as a unit quaternion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mbconcord.model import Body, ElasticModes, ElasticNode, Inertia, Point, System
from mbconcord.model.elastic import Matrix as Rows
from mbconcord.model.expressions import HALF, ONE, ZERO, Expression, as_expression, directional, rate, symbol
from mbconcord.model.transformation import Vector

from .kinematics import Frame, Matrix, Shift, apply, cross, dot, plus, rotation_matrix, times, transpose

#: Terms of the series of half the sine and cosine of the angle by its square: exact in floats up to 5 rad.
TERMS = 16


def energy(frame: Frame, inertia: Inertia, modes: ElasticModes) -> Expression:
    """Compute the kinetic energy of an elastic body without ½ m u·u, of eq. (14).

    ``inertia`` is that of the undeformed body, including its sections.
    """
    (q, v), modal = fields(modes), range(1, len(modes.coordinates) + 1)
    n, w = range(len(q)), frame.w
    S = [times(inertia.mass, inertia.centre), *(_vector(row) for row in modes.first_moments)]
    P = modes.second_moments
    s, ds = _sum(q, S), _sum(v, S)
    total = dot(frame.u, plus(cross(w, s), ds))
    xx, yy, zz, xy, xz, yz = inertia.tensor_about_origin()
    total += HALF * dot(w, apply(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), w))
    for k in n:
        for j in n:
            if k or j:  # ½ ∫ |ω × ρ|² of what is deformed
                bent = _trace(P[k][j]) * dot(w, w) - dot(w, apply(_matrix(P[k][j]), w))
                total += HALF * q[k] * q[j] * bent
            if j:  # ∫ (ω × ρ) · ρ'
                total += q[k] * v[j] * dot(w, _axial(P[k][j]))
            if k and j:
                total += HALF * v[k] * v[j] * _trace(P[k][j])
    if modes.section_inertia:
        _, D, R = modes.section_inertia
        for j in modal:
            total += v[j] * sum((w[a] * D[a][j - 1] for a in range(3)), ZERO)
            total += HALF * v[j] * sum((R[j - 1][k - 1] * v[k] for k in modal), ZERO)
    return total


def fields(modes: ElasticModes) -> tuple[list[Expression], list[Expression]]:
    """Return the factors 1, q_k and q_a q_b of the displacements φ_0 = r0, φ_k and φ_ab, and the factors' rates."""
    q = [symbol(name) for name in modes.coordinates] + [symbol(a) * symbol(b) for a, b in modes.products]
    v = [rate(name) for name in modes.coordinates]
    v += [rate(a) * symbol(b) + symbol(a) * rate(b) for a, b in modes.products]
    return [ONE, *q], [ZERO, *v]


def weight(frame: Frame, inertia: Inertia, modes: ElasticModes, g: Vector) -> Expression:
    """Compute the potential energy -g·(m r + A s) of a deformed body."""
    q, _ = fields(modes)
    S = [times(inertia.mass, inertia.centre), *(_vector(row) for row in modes.first_moments)]
    return -dot(g, plus(times(inertia.mass, frame.r), apply(frame.A, _sum(q, S))))


def resistance(modes: ElasticModes) -> list[Expression]:
    """Compute the modal forces -∂/∂q ½ qᵀKq - ∂/∂q' ½ q'ᵀDq' of stiffness and damping."""
    q = [symbol(name) for name in modes.coordinates]
    v = [rate(name) for name in modes.coordinates]
    n = range(len(q))
    K, D = modes.stiffness, modes.damping
    return [-sum((HALF * ((K[k][j] + K[j][k]) * q[j] + (D[k][j] + D[j][k]) * v[j]) for j in n), ZERO) for k in n]


def place(system: System, point: Point) -> Vector:
    """Return the position of a point in its body's axes; an elastic body's point must be its origin or a node."""
    body = system.body(point.body) if point.body is not None else None
    if body is None or body.modes is None or not any(point.position):
        return point.position
    node = node_at(body.modes, point)
    assert node is not None, "a point of an elastic body is its origin or a node"
    return position(body.modes, node)


def node_at(modes: ElasticModes, point: Point) -> ElasticNode | None:
    """Return the node whose undeformed position is the point's, or None."""
    return next((node for node in modes.nodes if node.position == point.position), None)


def carrier(bodies: Sequence[Body], body: Body) -> tuple[ElasticModes, ElasticNode]:
    """Return the modes of the elastic body that carries ``body`` at a node, and this node."""
    modes = next(b.modes for b in bodies if b.name == body.parent)
    assert modes is not None, "a node is one of an elastic body"
    return modes, next(node for node in modes.nodes if node.name == body.parent_node)


def position(modes: ElasticModes, node: ElasticNode) -> Vector:
    """Return the deformed position of a node: ρ = r0 + Φ q."""
    return plus(node.position, _multiply(node.translation, fields(modes)[0][1:]))


def at_node(frame: Frame, modes: ElasticModes, node: ElasticNode) -> Frame:
    """Compute the frame of a section: (11) with a shift by ρ and a rotation by Exp(Ψ q)."""
    v = fields(modes)[1][1:]
    way = position(modes, node)
    shift = Shift(frame.u, plus(cross(frame.w, way), _multiply(node.translation, v)))
    E, spin = section(modes, node)
    back = transpose(E)
    return replace(
        frame,
        A=_product(frame.A, E),
        r=frame.point(way),
        u=apply(back, shift.end_velocity),
        w=plus(apply(back, frame.w), spin),
        shifts=(*frame.shifts, shift),
    )


def section(modes: ElasticModes, node: ElasticNode) -> tuple[Matrix, Vector]:
    """Compute Exp(θ), θ = Ψ q, and EᵀdE/dt as a vector, in the section's axes."""
    q = [symbol(name) for name in modes.coordinates]
    rates = {x: rate(name) for x, name in zip(q, modes.coordinates, strict=True)}
    angle = _multiply(node.rotation, q)
    used = [k for k in range(3) if any(node.rotation[k])]
    if len(used) <= 1:  # about one axis of the body, or not at all
        axis: Vector = tuple(ONE if k in used else ZERO for k in range(3))  # type: ignore[assignment]
        return rotation_matrix(axis, sum(angle, ZERO)), _multiply(node.rotation, [*rates.values()])
    square = dot(angle, angle) / 4
    c, b = _series(square, 0), times(HALF * _series(square, 1), angle)
    dc, *db = directional([c, *b], rates)
    spin = plus(times(c, _vector(db)), times(-dc, b))
    x, y, z = plus(spin, cross(_vector(db), b))
    return _turn(c, b), (x + x, y + y, z + z)


def _series(x: Expression, first: int) -> Expression:
    """Sum Σ (-x)^k/(2k + first)!: cosine and sin φ/φ of the root φ of x."""
    value: Expression = ONE
    for k in range(TERMS, 0, -1):
        value = ONE - x * value / ((2 * k + first) * (2 * k + first - 1))
    return value


def _turn(c: Expression, b: Vector) -> Matrix:
    """Return the rotation matrix of a unit quaternion (c; b): (c² - b·b) E + 2 b bᵀ + 2 c b̃."""
    x, y, z = b
    two = as_expression(2)
    even = c * c - dot(b, b)
    return (
        (even + two * x * x, two * (x * y - c * z), two * (x * z + c * y)),
        (two * (x * y + c * z), even + two * y * y, two * (y * z - c * x)),
        (two * (x * z - c * y), two * (y * z + c * x), even + two * z * z),
    )


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = transpose(b)
    return apply(columns, a[0]), apply(columns, a[1]), apply(columns, a[2])


def _vector(values: Sequence[Expression]) -> Vector:
    x, y, z = values
    return x, y, z


def _matrix(rows: Rows) -> Matrix:
    return _vector(rows[0]), _vector(rows[1]), _vector(rows[2])


def _sum(weights: Sequence[Expression], vectors: Sequence[Vector]) -> Vector:
    total: Vector = (ZERO, ZERO, ZERO)
    for weight, own in zip(weights, vectors, strict=True):
        total = plus(total, times(weight, own))
    return total


def _multiply(rows: Rows, values: Sequence[Expression]) -> Vector:
    """Multiply a 3×N matrix by N values."""
    x, y, z = (sum((m * v for m, v in zip(row, values, strict=True)), ZERO) for row in rows)
    return x, y, z


def _trace(block: Rows) -> Expression:
    return block[0][0] + block[1][1] + block[2][2]


def _axial(block: Rows) -> Vector:
    """Return ∫ φ_k × φ_l dm from P_kl = ∫ φ_k φ_lᵀ dm."""
    return block[1][2] - block[2][1], block[2][0] - block[0][2], block[0][1] - block[1][0]
