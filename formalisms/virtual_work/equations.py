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
from mbconcord.model.expressions import ZERO
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.inertia import Inertia
from mbconcord.model.system import System

from .body import BodyTerms, terms, wheels
from .forces import at_nodes, forces
from .medium import MediumTerms, medium
from .native import Parts
from .sections import kinematics
from .soft import Bent, soft
from .stages import stages
from .sums import acting, inertial, row, together

#: Inertia of a section, and of the frame of an elastic body.
NOTHING = Inertia(ZERO)


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
        frames = kinematics(whole)
        loads, efforts = forces(whole, frames)
        fall, names = whole.gravity_vector, whole.coordinate_names
        bodies: list[BodyTerms] = []
        rotors: list[BodyTerms] = []
        fluids: dict[str, MediumTerms] = {}
        bent: list[Bent] = []
        sections: dict[str, list[BodyTerms]] = {}
        for name, frame, load in at_nodes(whole, frames):
            sections.setdefault(name, []).append(terms(name, NOTHING, frame, fall, [load]))
        for body in whole.bodies:
            frame = frames[body.name]
            on_body = [load for load in loads if load[0] == body.name]
            if body.modes and body.modes.coordinates:
                at_origin = terms(body.name, NOTHING, frame, fall, on_body)
                bent.append(Bent(soft(body, frame, fall), (at_origin, *sections.get(body.name, ()))))
                continue
            bodies.append(terms(body.name, body.inertia, frame, fall, on_body))
            rotors += wheels(body, frame, fall)
            if body.added_inertia:
                fluids[body.name] = medium(body.name, body.added_inertia, frame)
        parts = Parts(names, frames, bodies, rotors, fluids, efforts, bent)
        moving: list[BodyTerms | MediumTerms] = [*parts.solids, *fluids.values()]
        rigid = [inertial(part, names) for part in moving]
        inertia = together([*rigid, *(part.inertial(names) for part in bent)])
        shares = [*map(acting, parts.solids), *(part.acting() for part in bent)]
        quantities: dict[str, Nested] = {
            "M": inertia.square(names),
            "h": row([inertia.k], names),
            "gravity": row([share.gravity for share in shares], names),
            "applied": row([*(share.applied for share in shares), *parts.along], names),
        }
        named = tuple(stages(parts.solids, fluids.values(), system.names))
        return Derivation(self.name, system, quantities, named, parts.native(), indices=parts.indices())
