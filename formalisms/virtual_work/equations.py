"""Pogorelov's direct method: the equations of motion from the principle of virtual work.

Golomazdin & Dmitrochenko 2022, eqs. (3)-(9), after Pogorelov 1997.

Every body i has the possible displacements ``δr_i = D_i δq`` of its mass centre and
``δπ_i = B_i δq`` of its orientation (4), together ``Φ_i = [D_i; B_i]``; its accelerations are
``w_i = Φ_i q'' + W'_i``. Newton-Euler of the body, ``M_i (Φ_i q'' + W'_i) + K_i = G_i + R_i``, and the ideal
reactions ``Σ Φ_iᵀ R_i = 0`` (5) leave (9)::

    M = Σ Φ_iᵀ M_i Φ_i ,   k = Σ Φ_iᵀ (M_i W'_i + K_i) ,   Q = Σ Φ_iᵀ G_i

Rows of translations are in world axes, rows of rotations in the body's axes. Φ and W' grow outwards along the
joints by sums and vector products; nothing is differentiated but prescribed motions with respect to time.

Flywheels are further bodies (:mod:`.body`); an ideal fluid adds Kirchhoff's terms (:mod:`.medium`).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import ClassVar

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.system import System

from .body import BodyTerms, terms, wheels
from .forces import forces
from .kinematics import kinematics
from .medium import MediumTerms, medium
from .stages import rows, stages
from .vectors import dot


class VirtualWork(Formalism):
    """Pogorelov's direct method."""

    name: ClassVar[str] = "virtual_work"
    title: ClassVar[str] = "Principle of virtual work (Pogorelov's direct method)"
    reference: ClassVar[str] = "Golomazdin & Dmitrochenko 2022, eqs. (3)-(9), after Pogorelov"
    takes: ClassVar[frozenset[str]] = OPEN_TREES | {"flywheels", "added_inertia"}

    def derive(self, system: System) -> Derivation:
        """M, h, gravity and applied by (9); natively the bodies' A, r, v, Φ and W'.

        ``v = Φ q'`` (rows of translations) where nothing is prescribed, and ``w = Φ q'' + W'``.
        """
        self.require(system)
        whole = system.lumped()
        frames = kinematics(whole)
        loads, efforts = forces(whole, frames)
        fall, names = whole.gravity_vector, whole.coordinate_names
        bodies: list[BodyTerms] = []
        rotors: list[BodyTerms] = []
        fluids: list[MediumTerms] = []
        for body in whole.bodies:
            frame = frames[body.name]
            acting = [load for load in loads if load[0] == body.name]
            bodies.append(terms(body.name, body.inertia, frame, fall, acting))
            rotors += wheels(body, frame, fall)
            if body.added_inertia:
                fluids.append(medium(body.name, body.added_inertia, frame))
        solids = [*bodies, *rotors]
        mass, k = inertia_sums([*solids, *fluids], names)
        gravity, applied = force_sums(solids, names)
        for name, effort in efforts:
            applied[name] = applied[name] + effort
        quantities: dict[str, Nested] = {
            "M": tuple(
                tuple(mass[min(i, j), max(i, j)] for j in range(len(names))) for i in range(len(names))
            ),
            "h": tuple(k[name] for name in names),
            "gravity": tuple(gravity[name] for name in names),
            "applied": tuple(applied[name] for name in names),
        }
        native: dict[str, Nested] = {
            "A": tuple(b.centre.A for b in bodies),
            "r": tuple(b.centre.r for b in bodies),
            "v": tuple(b.centre.v for b in bodies),
            "Φ": tuple(tuple(rows(b, names)) for b in bodies),
            "W'": tuple(b.W[0] + b.W[1] for b in bodies),
        }
        return Derivation(self.name, system, quantities, tuple(stages(solids, fluids, system.names)), native)


Row = dict[str, Expression]


def inertia_sums(
    parts: Iterable[BodyTerms | MediumTerms], names: tuple[str, ...]
) -> tuple[dict[tuple[int, int], Expression], Row]:
    """Sums (9): the upper triangle of M, and k by coordinate."""
    index = {name: i for i, name in enumerate(names)}
    mass = {(i, j): ZERO for i, j in product(range(len(names)), repeat=2) if i <= j}
    k = dict.fromkeys(names, ZERO)
    for part in parts:
        pushed, twisted = part.bias
        columns = list(part.phi)
        for p, (name, d, b) in enumerate(columns):
            k[name] = k[name] + (dot(d, pushed) + dot(b, twisted))
            momentum, spin = part.momenta(d, b)
            for other, d2, b2 in columns[: p + 1]:
                i, j = sorted((index[name], index[other]))
                mass[i, j] = mass[i, j] + (dot(d2, momentum) + dot(b2, spin))
    return mass, k


def force_sums(bodies: Iterable[BodyTerms], names: tuple[str, ...]) -> tuple[Row, Row]:
    """Sums (9): the weight's and the loads' part of Q by coordinate."""
    gravity, applied = (dict.fromkeys(names, ZERO) for _ in range(2))
    for body in bodies:
        for name, d, b in body.phi:
            gravity[name] = gravity[name] + dot(d, body.weight)
            applied[name] = applied[name] + (dot(d, body.load[0]) + dot(b, body.load[1]))
    return gravity, applied
