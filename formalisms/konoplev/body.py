"""The dynamic aggregate (2.1) of a single body: ``A V̇ + B V = F`` in quasi-velocities.

``A = Θ + Σ L_f Θ_f L_fᵀ + Λ`` and ``B = Φ(V) A + Ȧ``, where Ȧ comes from flywheels that are unbalanced or asymmetric.
A body without medium and flywheels is taken about its mass centre (E_c), where ``A = diag(m, m, m, J)``.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mbconcord.model.body import Body, Flywheel, Inertia
from mbconcord.model.expressions import TIME, as_expression, cos, derivative, evaluate_float, sin
from mbconcord.model.transformation import Vector as Triple
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass

from .mechanism import pairs
from .pair import Of, matrices
from .vectors import (
    NONE,
    Matrix,
    Transfer,
    Vector,
    absent,
    congruent,
    cross,
    empty,
    from_column_axes,
    minus,
    mul,
    phi,
    phi_matrix,
    plus,
    product,
    skew,
    sub,
    sum_matrices,
    times,
    transpose,
)  # fmt: skip

# Mises matrices: mass, static moment and inertia of a body about the origin of its frame.


def mises(inertia: Inertia, of: Of) -> Matrix:
    """Compute Θ = [[m E, m <rc>ᵀ], [m <rc>, J_o]] with J_o = J_c + m <rc> <rc>ᵀ (6×6) in the arithmetic of ``of``.

    ``Θ V`` is the momentum and the angular momentum about the origin. Equals ``L_c diag(m, m, m, J_c) L_cᵀ``.
    """
    m = of(inertia.mass)
    arm = skew(tuple(map(of, inertia.centre)))
    static = tuple(times(m, row) for row in arm)
    about = tuple(times(m, row) for row in product(arm, transpose(arm)))
    tensor = sum_matrices(tuple(tuple(map(of, row)) for row in inertia.matrix()), about)
    upper = tuple(
        (*(mul(m, x) for x in unit), *row)
        for unit, row in zip(((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)), transpose(static), strict=True)
    )
    return upper + tuple((*a, *b) for a, b in zip(static, tensor, strict=True))


def mises_central(inertia: Inertia, of: Of) -> Matrix:
    """Return diag(m, m, m, J_c): the Mises matrix about the mass centre (6×6)."""
    m = of(inertia.mass)
    upper = tuple((*(m if i == k else 0 for k in range(3)), *NONE) for i in range(3))
    return upper + tuple((*NONE, *map(of, row)) for row in inertia.matrix())


def principal_axes(inertia: Inertia) -> tuple[Triple, Triple, Triple] | None:
    """Return the rotation (3×3) whose columns are the principal axes about the mass centre, in body axes.

    None if the tensor is already diagonal or not numeric. The axes are floats: the equations are then exact only up to
    rounding.
    """
    if not any(inertia.tensor[3:]) or not all(x.constant for x in inertia.tensor):
        return None
    tensor = np.array([[evaluate_float(x, {}) for x in row] for row in inertia.matrix()])
    columns = np.linalg.eigh(tensor)[1]
    columns[:, 2] *= np.sign(np.linalg.det(columns))
    one, two, three = (vector(map(float, row)) for row in columns)
    return one, two, three


def along_principal_axes(inertia: Inertia, axes: tuple[Triple, Triple, Triple]) -> Inertia:
    """Rotate the inertia to the axes in the columns of ``axes``, where products of inertia are zero."""
    moments = (
        sum(
            (
                a * x * b
                for a, row in zip(column, inertia.matrix(), strict=True)
                for x, b in zip(row, column, strict=True)
            )
        )
        for column in zip(*axes, strict=True)
    )
    return Inertia(inertia.mass, inertia.centre, tuple(map(as_expression, moments)))  # type: ignore[arg-type]


# Flywheels: rotors on a body whose angle ψ(t) about axis 3 of their frame is prescribed, (2.1).


#: <e3>, and [<e3>] = diag(<e3>, <e3>).
E3: Matrix = ((0, -1.0, 0), (1.0, 0, 0), (0, 0, 0))
SPIN: Matrix = tuple((*row, *NONE) for row in E3) + tuple((*NONE, *row) for row in E3)


@dataclass(frozen=True, slots=True)
class Rotor:
    """A flywheel in some arithmetic.

    Attributes
    ----------
    name : str
    transfer : Transfer
        L_f: from the body's frame to the flywheel's frame; this frame spins with the flywheel unless ``steady``.
    theta : 6×6
        Θ_f in the flywheel's frame.
    steady : bool
        Balanced and axisymmetric: turning about axis 3 does not change Θ_f.
    speed, acceleration : scalars
        ψ', ψ''.
    """

    name: str
    transfer: Transfer
    theta: Matrix
    steady: bool
    speed: Any
    acceleration: Any

    @property
    def momentum(self) -> Vector:
        """Θ_f f6: the momentum screw of the unit spin, in the flywheel's frame."""
        return tuple(row[5] for row in self.theta)

    @property
    def I(self) -> Vector:  # noqa: E743
        """I_f = L_f Θ_f f6."""
        return self.transfer.wrench(self.momentum)

    def J(self, twist: Vector) -> Vector:
        """Compute J_f = (Φ(V) L_f + L_f [<e3>] ψ') Θ_f f6, V the body's twist."""
        whirled = self.transfer.wrench(times(self.speed, from_column_axes(SPIN, self.momentum)))
        return plus(phi(twist, self.I), whirled)

    def reaction(self, twist: Vector) -> Vector:
        """Compute I_f ψ'' + J_f ψ', which (2.1) subtracts from the forces on the body."""
        return plus(times(self.acceleration, self.I), times(self.speed, self.J(twist)))

    def matrix_rate(self) -> Matrix:
        """Compute the flywheel's part of Ȧ: L_f ([<e3>] Θ_f - Θ_f [<e3>]) L_fᵀ ψ'."""
        turned = tuple(
            minus(left, right) for left, right in zip(product(SPIN, self.theta), product(self.theta, SPIN), strict=True)
        )
        return tuple(times(self.speed, row) for row in congruent(self.transfer, turned))

    def torque(self, twist: Vector, twist_rate: Vector, g: Vector) -> Any:
        """Compute the motor's torque about the spin axis, f6ᵀ (Θ_f V̇_f + Φ(V_f) Θ_f V_f - P_f) (N m).

        ``twist``, ``twist_rate`` are V and V̇ of the body, ``g`` gravity in its axes. Derived for this project.
        """
        carried = self.transfer.twist(twist)
        own = plus(carried, (0, 0, 0, 0, 0, self.speed))
        turned = minus((0,) * 6, from_column_axes(SPIN, carried))  # [<e3>]ᵀ L_fᵀ V
        own_rate = plus(self.transfer.twist(twist_rate), times(self.speed, turned), (0, 0, 0, 0, 0, self.acceleration))
        weight = from_column_axes(self.theta, self.transfer.twist(g + NONE)[:3] + NONE)
        inertial = plus(from_column_axes(self.theta, own_rate), phi(own, from_column_axes(self.theta, own)))
        return sub(inertial[5], weight[5])


def rotor(wheel: Flywheel, of: Of) -> Rotor:
    """Evaluate a flywheel of the model in the arithmetic of ``of``."""
    transfer = Transfer(NONE)
    for pair in pairs(wheel.mounting, split=False):
        transfer = transfer.then(matrices(pair, of).transfer)
    speed = derivative(wheel.angle, TIME)
    steady = is_steady(wheel.inertia)
    if not steady:
        transfer = transfer.then(Transfer(NONE, turned_about_third(of(cos(wheel.angle)), of(sin(wheel.angle)))))
    return Rotor(wheel.name, transfer, mises(wheel.inertia, of), steady, of(speed), of(derivative(speed, TIME)))


def is_steady(inertia: Inertia) -> bool:
    """Return True if the inertia is structurally balanced and axisymmetric about axis 3."""
    xx, yy, _, *products = inertia.tensor
    return not any((*inertia.centre[:2], *products)) and xx is yy


def turned_about_third(c: Any, s: Any) -> Matrix:
    """Return c3(ψ)."""
    return (c, sub(0, s), 0), (s, c, 0), (0, 0, 1.0)


#: Frame of a body's aggregate: about its origin, about its mass centre, or along the principal axes there too.
Axes = Literal["body", "central", "principal"]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Contribution of a body to the system.

    Attributes
    ----------
    seat : Transfer or None
        L_c: from the body's frame to the frame of the aggregate; None where the frames are the same.
    theta : 6×6
        Mises matrix of the body with its flywheels, to which weight is proportional.
    matrix : 6×6
        A: theta plus the added inertia Λ, which has no weight.
    rate : 6×6 or None
        Ȧ; None if A is constant.
    rotors : tuple of Rotor
    central : bool
        True if A = diag(m, m, m, J).
    """

    seat: Transfer | None
    theta: Matrix
    matrix: Matrix
    rate: Matrix | None
    rotors: tuple[Rotor, ...]
    central: bool

    def gyroscopic(self, twist: Vector) -> Vector:
        """Compute W = B V = Φ(V) A V + Ȧ V. In the principal central axes ``W_4 = (I66 - I55) V5 V6`` and so on."""
        if not self.central:
            turned = phi(twist, from_column_axes(self.matrix, twist))
            return plus(turned, from_column_axes(self.rate, twist)) if self.rate else turned
        v, w = twist[:3], twist[3:]
        inertia = tuple(row[3:] for row in self.matrix[3:])
        if all(absent(inertia[i][k]) for i in range(3) for k in range(3) if i != k):
            i4, i5, i6 = (inertia[i][i] for i in range(3))
            moment: Vector = (
                mul(sub(i6, i5), mul(w[1], w[2])),
                mul(sub(i4, i6), mul(w[0], w[2])),
                mul(sub(i5, i4), mul(w[0], w[1])),
            )
        else:
            moment = cross(w, from_column_axes(inertia, w))
        return times(self.matrix[0][0], cross(w, v)) + moment

    def B(self, twist: Vector, skew: bool = False) -> Matrix:
        """Compute B = Φ(V) A + Ȧ (6×6), (2.1), or with ``skew`` Φ(V) A - A Φ(V)ᵀ + Ȧ.

        Both give the same B V, because Φ(V)ᵀ V = 0; only the second makes Ȧ(q) - 2 B(q, q̇) of the system skew (without
        flywheels). The identity ``B V = gyroscopic(V)`` holds.
        """
        turn = phi_matrix(twist)
        found = product(turn, self.matrix)
        if skew:
            found = tuple(map(minus, found, product(self.matrix, transpose(turn))))
        return sum_matrices(found, self.rate) if self.rate else found

    def inertial(self, twist: Vector, bias: Vector) -> Vector:
        """Compute W + A V̇ at q̈ = 0, where V̇ = ``bias``, plus I ψ̈ + J ψ̇ of the flywheels."""
        force = plus(self.gyroscopic(twist), from_column_axes(self.matrix, bias))
        return plus(force, *(rotor.reaction(twist) for rotor in self.rotors))

    def weight(self, g: Vector) -> Vector:
        """Compute P = Θ (cᵀ g; 0), ``g`` in the axes of the aggregate."""
        return from_column_axes(self.theta, g + NONE)


def aggregate(body: Body, of: Of, axes: Axes) -> Aggregate:
    """Compute the aggregate of a body in the arithmetic of ``of``."""
    inertia = body.inertia
    if body.flywheels or body.added_inertia or axes == "body":
        rotors = tuple(rotor(wheel, of) for wheel in body.flywheels)
        theta = sum_matrices(mises(inertia, of), *(congruent(r.transfer, r.theta) for r in rotors))
        medium = body.added_inertia.rows if body.added_inertia else ()
        matrix = sum_matrices(theta, tuple(tuple(map(of, row)) for row in medium)) if medium else theta
        rates = [r.matrix_rate() for r in rotors if not r.steady]
        return Aggregate(None, theta, matrix, sum_matrices(*rates) if rates else None, rotors, False)
    turned = principal_axes(inertia) if axes == "principal" else None
    if turned:
        inertia = along_principal_axes(inertia, turned)
    centre = tuple(map(of, inertia.centre))
    seat = Transfer(centre, tuple(tuple(map(of, row)) for row in turned)) if turned else Transfer(centre)
    theta = mises_central(inertia, of)
    return Aggregate(seat if turned or not empty(centre) else None, theta, theta, None, (), True)
