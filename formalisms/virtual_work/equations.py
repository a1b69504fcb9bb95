"""Pogorelov's direct method: the equations of motion from the principle of virtual work.

Golomazdin & Dmitrochenko 2022, eqs. (3)-(9), after Pogorelov 1997.

Every body i has the possible displacements ``δr_i = D_i δq`` of its mass centre and
``δπ_i = B_i δq`` of its orientation (4), together ``Φ_i = [D_i; B_i]``; its accelerations are
``w_i = Φ_i q'' + W'_i``. Newton-Euler of the body, ``M_i (Φ_i q'' + W'_i) + K_i = G_i + R_i``, and the ideal
reactions ``Σ Φ_iᵀ R_i = 0`` (5) leave (9)::

    M = Σ Φ_iᵀ M_i Φ_i ,   k = Σ Φ_iᵀ (M_i W'_i + K_i) ,   Q = Σ Φ_iᵀ G_i

Rows of translations are in world axes, rows of rotations in the body's axes. Φ and W' grow outwards along the
joints by sums and vector products; nothing is differentiated but prescribed motions with respect to time.

Flywheels are further bodies (:mod:`.body`); an ideal fluid adds Kirchhoff's terms (:mod:`.medium`). Points of an
elastic body have possible displacements along its modes beside those of its frame (:mod:`.soft`); what acts at its
nodes acts on bodies without mass, the sections there (:mod:`.sections`).
"""

from __future__ import annotations

from typing import ClassVar

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation, Nested
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.system import System

from .body import BodyTerms
from .medium import MediumTerms
from .parts import parts
from .sections import kinematics
from .stages import stages
from .sums import acting, inertial, row, together


class VirtualWork(Formalism):
    """Pogorelov's direct method."""

    name: ClassVar[str] = "virtual_work"
    title: ClassVar[str] = "Principle of virtual work (Pogorelov's direct method)"
    reference: ClassVar[str] = "Golomazdin & Dmitrochenko 2022, eqs. (3)-(9), after Pogorelov"
    takes: ClassVar[frozenset[str]] = OPEN_TREES | {"bushings", "flywheels", "added_inertia", "elastic_modes"}

    def derive(self, system: System) -> Derivation:
        """M, h, gravity and applied by (9); natively what :mod:`.native` names, M_i*, k_i and Q_i among it."""
        self.require(system)
        whole = system.lumped()
        made, names = parts(whole, kinematics(whole)), system.coordinate_names
        moving: list[BodyTerms | MediumTerms] = [*made.solids, *made.fluids.values()]
        rigid = [inertial(part, names) for part in moving]
        inertia = together([*rigid, *(part.inertial(names) for part in made.bent)])
        shares = [*map(acting, made.solids), *(part.acting() for part in made.bent)]
        quantities: dict[str, Nested] = {
            "M": inertia.square(names),
            "h": row([inertia.k], names),
            "gravity": row([share.gravity for share in shares], names),
            "applied": row([*(share.applied for share in shares), *made.along], names),
        }
        named = tuple(stages(made.solids, made.fluids.values(), system.names))
        return Derivation(self.name, system, quantities, named, made.native(), indices=made.indices())
