"""Flywheels: rotors on a body whose angle ψ(t) about axis 3 of their frame is prescribed, (2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mbconcord.model.expressions import TIME, cos, derivative, sin
from mbconcord.model.inertia import Flywheel, Inertia

from .mechanism import pairs
from .mises import mises
from .pair import Of, matrices
from .screw import Transfer, congruent, phi
from .vectors import NONE, Matrix, Vector, along, minus, plus, product, sub, times

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
        L_f: from the body's frame to the flywheel's frame, which turns with it (when ``steady``: which does not).
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
        """J_f = (Φ(V) L_f + L_f [<e3>] ψ') Θ_f f6, V the body's twist."""
        whirled = self.transfer.wrench(times(self.speed, along(SPIN, self.momentum)))
        return plus(phi(twist, self.I), whirled)

    def reaction(self, twist: Vector) -> Vector:
        """I_f ψ'' + J_f ψ', which (2.1) subtracts from the forces on the body."""
        return plus(times(self.acceleration, self.I), times(self.speed, self.J(twist)))

    def matrix_rate(self) -> Matrix:
        """Its part of Ȧ: L_f ([<e3>] Θ_f - Θ_f [<e3>]) L_fᵀ ψ'."""
        turned = tuple(
            minus(left, right)
            for left, right in zip(product(SPIN, self.theta), product(self.theta, SPIN), strict=True)
        )
        return tuple(times(self.speed, row) for row in congruent(self.transfer, turned))

    def torque(self, twist: Vector, twist_rate: Vector, g: Vector) -> Any:
        """Torque of the motor about the spin axis, f6ᵀ (Θ_f V̇_f + Φ(V_f) Θ_f V_f - P_f) (N m).

        ``twist``, ``twist_rate`` are V and V̇ of the body, ``g`` gravity in its axes. Derived for this project.
        """
        carried = self.transfer.twist(twist)
        own = plus(carried, (0, 0, 0, 0, 0, self.speed))
        turned = minus((0,) * 6, along(SPIN, carried))  # [<e3>]ᵀ L_fᵀ V
        own_rate = plus(
            self.transfer.twist(twist_rate),
            times(self.speed, turned),
            (0, 0, 0, 0, 0, self.acceleration),
        )
        weight = along(self.theta, self.transfer.twist(g + NONE)[:3] + NONE)
        inertial = plus(along(self.theta, own_rate), phi(own, along(self.theta, own)))
        return sub(inertial[5], weight[5])


def rotor(wheel: Flywheel, of: Of) -> Rotor:
    """A flywheel of the model in the arithmetic of ``of``."""
    transfer = Transfer(NONE)
    for pair in pairs(wheel.mounting, split=False):
        transfer = transfer.then(matrices(pair, of).transfer)
    speed = derivative(wheel.angle, TIME)
    steady = is_steady(wheel.inertia)
    if not steady:
        transfer = transfer.then(
            Transfer(NONE, turned_about_third(of(cos(wheel.angle)), of(sin(wheel.angle))))
        )
    return Rotor(
        wheel.name, transfer, mises(wheel.inertia, of), steady, of(speed), of(derivative(speed, TIME))
    )


def is_steady(inertia: Inertia) -> bool:
    """Whether the inertia is balanced and axisymmetric about axis 3 in its structure."""
    xx, yy, _, *products = inertia.tensor
    return not any((*inertia.centre[:2], *products)) and xx is yy


def turned_about_third(c: Any, s: Any) -> Matrix:
    """c3(ψ)."""
    return (c, sub(0, s), 0), (s, c, 0), (0, 0, 1.0)
