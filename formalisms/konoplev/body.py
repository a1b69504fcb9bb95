"""The dynamic aggregate (2.1) of a single body: ``A V̇ + B V = F`` in quasi-velocities.

``A = Θ + Σ L_f Θ_f L_fᵀ + Λ`` and ``B = Φ(V) A + Ȧ``, where Ȧ comes from flywheels that are unbalanced or asymmetric.
A body without medium and flywheels is taken about its mass centre (E_c), where ``A = diag(m, m, m, J)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mbconcord.model.body import Body

from .flywheel import Rotor, rotor
from .mises import along_principal_axes, mises, mises_central, principal_axes
from .pair import Of
from .screw import Transfer, congruent, phi, phi_matrix
from .vectors import (
    NONE,
    Matrix,
    Vector,
    absent,
    along,
    cross,
    empty,
    minus,
    mul,
    plus,
    product,
    sub,
    summed,
    times,
    transposed,
)  # fmt: skip

#: Frame of a body's aggregate: about its origin, about its mass centre, or along the principal axes there too.
Axes = Literal["body", "central", "principal"]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What a body brings into the system.

    Attributes
    ----------
    seat : Transfer or None
        L_c: from the body's frame to the frame of the aggregate; None where they are the same.
    theta : 6×6
        Mises matrix of the body with its flywheels: what has weight.
    matrix : 6×6
        A: theta and the added inertia Λ, which has no weight.
    rate : 6×6 or None
        Ȧ.
    rotors : tuple of Rotor
    central : bool
        Whether A = diag(m, m, m, J).
    """

    seat: Transfer | None
    theta: Matrix
    matrix: Matrix
    rate: Matrix | None
    rotors: tuple[Rotor, ...]
    central: bool

    def gyroscopic(self, twist: Vector) -> Vector:
        """W = B V = Φ(V) A V + Ȧ V. In the principal central axes ``W_4 = (I66 - I55) V5 V6`` and so on."""
        if not self.central:
            turned = phi(twist, along(self.matrix, twist))
            return plus(turned, along(self.rate, twist)) if self.rate else turned
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
            moment = cross(w, along(inertia, w))
        return times(self.matrix[0][0], cross(w, v)) + moment

    def B(self, twist: Vector, skew: bool = False) -> Matrix:
        """B = Φ(V) A + Ȧ (6×6), (2.1); ``skew`` takes Φ(V) A - A Φ(V)ᵀ + Ȧ.

        Both give the same B V, because Φ(V)ᵀ V = 0; only with the second is Ȧ(q) - 2 B(q, q̇) of the system skew
        (without flywheels). The identity ``B V = gyroscopic(V)`` holds.
        """
        turn = phi_matrix(twist)
        found = product(turn, self.matrix)
        if skew:
            found = tuple(map(minus, found, product(self.matrix, transposed(turn))))
        return summed(found, self.rate) if self.rate else found

    def inertial(self, twist: Vector, bias: Vector) -> Vector:
        """W + A V̇ where q̈ = 0, ``bias`` being V̇ there, with the flywheels' I ψ̈ + J ψ̇."""
        force = plus(self.gyroscopic(twist), along(self.matrix, bias))
        return plus(force, *(rotor.reaction(twist) for rotor in self.rotors))

    def weight(self, g: Vector) -> Vector:
        """P = Θ (cᵀ g; 0), ``g`` in the axes of the aggregate."""
        return along(self.theta, g + NONE)


def aggregate(body: Body, of: Of, axes: Axes) -> Aggregate:
    """The aggregate of a body in the arithmetic of ``of``."""
    inertia = body.inertia
    if body.flywheels or body.added_inertia or axes == "body":
        rotors = tuple(rotor(wheel, of) for wheel in body.flywheels)
        theta = summed(mises(inertia, of), *(congruent(r.transfer, r.theta) for r in rotors))
        medium = body.added_inertia.rows if body.added_inertia else ()
        matrix = summed(theta, tuple(tuple(map(of, row)) for row in medium)) if medium else theta
        rates = [r.matrix_rate() for r in rotors if not r.steady]
        return Aggregate(None, theta, matrix, summed(*rates) if rates else None, rotors, False)
    turned = principal_axes(inertia) if axes == "principal" else None
    if turned:
        inertia = along_principal_axes(inertia, turned)
    centre = tuple(map(of, inertia.centre))
    seat = Transfer(centre, tuple(tuple(map(of, row)) for row in turned)) if turned else Transfer(centre)
    theta = mises_central(inertia, of)
    return Aggregate(seat if turned or not empty(centre) else None, theta, theta, None, (), True)
