"""Positions of the bodies' frames: sections of the joints and of the bodies, from the base outwards."""

from __future__ import annotations

from .equations import Machine
from .kinematics import Kinematics, joints_of
from .scalars import Scalars
from .tree import Attachment
from .vectors import Array, times, unit


def positions(machine: Machine, scalars: Scalars) -> list[Array]:
    """Compute the origins of the bodies' frames in the axes of the base (m), in the model's order.

    ``r_j = r_i + R_i (r_A + D_j)``, ``R_j = R_i ⁱR_j``; a body's frame is fixed to its link, or to a node of it.
    """
    links, places = machine.links, [machine.tree.places[body.name] for body in machine.system.bodies]
    attachments: list[Attachment] = [*(link.at for link in links), *(place.attachment for place in places)]
    k = Kinematics(links, attachments, joints_of(links, attachments, scalars), scalars)
    section, joints = k.nodes, len(links)
    still = machine.g * 0
    frames: dict[int, tuple[Array, Array]] = {-1: (unit(still[..., 0]), still)}
    for j, link in enumerate(links):
        turn, origin = frames[link.at.link]
        frames[j] = turn @ k.turn[j], origin + times(turn, section.position[j] + k.arm[j])
    found = []
    for i, place in enumerate(places, joints):
        turn, origin = frames[place.link]
        shift = times(section.turn[i], scalars.row(place.shift, 3))
        found.append(origin + times(turn, section.position[i] + shift))
    return found
