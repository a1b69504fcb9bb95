"""Parts of a machine with the loads on it: bodies, flywheels, fluids and elastic bodies in moving frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbconcord.model.body import Inertia
from mbconcord.model.expressions import ZERO
from mbconcord.model.system import System

from .body import BodyTerms, terms, turning, wheels
from .forces import Frames, at_nodes, forces
from .medium import MediumTerms, medium
from .native import Parts

if TYPE_CHECKING:
    from .soft import Bent

#: Inertia of a section, and of the frame of an elastic body.
NOTHING = Inertia(ZERO)


def parts(system: System, frames: Frames) -> Parts:
    """Build the parts of a system without masses on its elements, with its bodies' frames."""
    loads, efforts = forces(system, frames)
    fall = system.gravity_vector
    bodies: list[BodyTerms] = []
    rotors: list[BodyTerms] = []
    fluids: dict[str, MediumTerms] = {}
    bent: list[Bent] = []
    sections: dict[str, list[BodyTerms]] = {}
    for name, frame, load in at_nodes(system, frames):
        sections.setdefault(name, []).append(terms(name, NOTHING, frame, fall, [load]))
    for body in system.bodies:
        frame = frames[body.name]
        on_body = [load for load in loads if load[0] == body.name]
        if body.modes and body.modes.coordinates:
            from .soft import Bent, soft  # not before: few bodies are elastic

            at_origin = terms(body.name, NOTHING, frame, fall, on_body)
            bent.append(Bent(soft(body, frame, fall), (at_origin, *sections.get(body.name, ()))))
            continue
        bodies.append(terms(body.name, body.inertia, frame, fall, on_body))
        rotors += wheels(body, frame, fall)
        if body.added_inertia:
            fluids[body.name] = medium(body.name, body.added_inertia, frame)
    names = system.coordinate_names
    turned = {armature.name: turning(armature, names) for armature in system.armatures}
    return Parts(names, frames, bodies, rotors, fluids, efforts, bent, turned)
