"""Lagrange's equations of the second kind: seed 004, eqs. (1) and (15)."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import (
    ONE,
    TIME,
    ZERO,
    Expression,
    directional,
    gradient,
    jacobian,
    rate,
    symbol,
)
from mbconcord.model.features import OPEN_TREES

from .energies import kinetic, kinetic_slopes, potential
from .forces import applied_forces
from .kinematics import frames
from .stages import stages


class Lagrange(Formalism):
    """d/dt ∂T/∂q' - ∂T/∂q = -∂Π/∂q + Q, differentiated on the graph and never expanded.

    With p = ∂T/∂q' the equations split as eq. (15) does: M = ∂p/∂q', and h = dp/dt - ∂T/∂q where q'' = 0.
    T depends on q and q' through velocities alone, so one backward sweep gives p and ∂T/∂q together; one
    forward sweep each gives M and dp/dt.
    """

    name = "lagrange"
    title = "Lagrange's equations of the second kind"
    reference = "Golomazdin, Dmitrochenko 2022, eqs. (1)-(2), (10)-(15)"
    takes = OPEN_TREES

    def derive(self, system: System) -> Derivation:
        """Equations of motion.

        Identities: T = ½ q'ᵀ M q' without prescribed motion; p is the gradient of T by q'; gravity = -∂Π/∂q.
        """
        self.require(system)
        given, system = system, system.lumped()
        q = [symbol(name) for name in system.coordinate_names]
        v = [rate(name) for name in system.coordinate_names]
        bodies = system.bodies
        of_body = frames(bodies)
        heavy = [body for body in bodies if not body.inertia.is_zero]
        kinetics = {b.name: kinetic(of_body[b.name], b.inertia) for b in heavy}
        potentials = {b.name: potential(of_body[b.name], b.inertia, system.gravity_vector) for b in heavy}
        T = sum((part.energy for part in kinetics.values()), ZERO)
        Π = sum(potentials.values(), ZERO)

        slopes = kinetic_slopes(bodies, of_body, kinetics, [*v, *q])
        p, slopes = slopes[: len(v)], slopes[len(v) :]
        M = mass_matrix(system, p, v)
        p_rate = directional(p, {TIME: ONE, **dict(zip(q, v, strict=True))})
        h = tuple(a - b for a, b in zip(p_rate, slopes, strict=True))
        gravity = tuple(-slope for slope in gradient(Π, q))
        applied, forces = applied_forces(system, of_body)

        momenta = zip(system.coordinate_names, p, strict=True)
        taken = {
            *system.coordinate_names,
            *(p.name for p in system.parameters),
            *(f.name for f in system.functions),
        }
        return Derivation(
            self.name,
            given,
            {"M": M, "h": h, "gravity": gravity, "applied": applied},
            stages(bodies, of_body, kinetics, potentials, momenta, forces, taken),
            {"T": T, "Π": Π, "L": T - Π},
        )


def mass_matrix(
    system: System, p: Sequence[Expression], v: Sequence[Expression]
) -> tuple[tuple[Expression, ...], ...]:
    """M = ∂p/∂q', of eq. (15).

    Of the two equal elements the one is taken whose momentum belongs to the outer coordinate: it is made of
    the bodies that both coordinates move, and of nothing between them and the fixed frame.
    """
    rows = jacobian(p, v)
    outward = [name for body in system.bodies for name in body.coordinates]
    place = {name: k for k, name in enumerate(outward)}
    places = [place[name] for name in system.coordinate_names]
    n = len(places)
    return tuple(
        tuple(rows[i][j] if places[i] >= places[j] else rows[j][i] for j in range(n)) for i in range(n)
    )
