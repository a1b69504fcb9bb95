"""Links as bodies: how each is carried, and its inertia."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from mbconcord.converters.findings import Findings
from mbconcord.converters.turns import matrix
from mbconcord.converters.xml_attributes import number_in
from mbconcord.converters.xml_text import Element
from mbconcord.model import Body, ElementaryTransformation, Inertia
from mbconcord.model.body import NO_INERTIA
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.inertia import tensor

from ..vocabulary import WORLD
from .frames import axis, origin, placed
from .motions import motion
from .robot import Joint, Robot

#: In the order of the model: xx, yy, zz, xy, xz, yz.
_MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def bodies(robot: Robot, findings: Findings) -> Iterator[Body]:
    """A body for each link, behind what carries it; a root called ``world`` is the fixed frame and none."""
    fixed = robot.root if robot.root == WORLD else None
    for link in robot.outward():
        findings.locations[f"bodies/{link.name}"] = link.element.at
        if link.name == fixed:
            continue
        joint = robot.carrying.get(link.name)
        parent = None if joint is None or joint.parent == fixed else joint.parent
        moved = () if joint is None else _joint(joint, findings)
        yield Body(link.name, parent, moved, inertia(link.element, findings))


def _joint(joint: Joint, findings: Findings) -> tuple[ElementaryTransformation, ...]:
    """From the parent's frame to the joint's by its origin, and from there by its motion to the child's."""
    findings.locations[f"bodies/{joint.child}/joint"] = joint.element.at
    constant = origin(joint.element.first("origin"), findings)
    moving = motion(joint.type, joint.name, partial(axis, joint.element, findings))
    findings.locations |= {f"coordinates/{et.coordinate}": joint.element.at for et in moving}
    return (*constant, *moving)


def inertia(link: Element, findings: Findings) -> Inertia:
    """The inertia of a link: of none without ``<inertial>``.

    The tensor is about the centre of mass, in the axes of the inertial frame, elements of the matrix: R J Rᵀ in the
    link's.
    """
    element = link.first("inertial")
    if element is None:
        return NO_INERTIA
    name = link.attributes["name"]
    findings.locations[f"bodies/{name}/inertia"] = element.at
    mass_at, tensor_at = element.first("mass"), element.first("inertia")
    if mass_at is None:
        findings.refuse(element.at, f"the <inertial> of {name!r} has no <mass>", '<mass value="…"/> in kg')
    mass = None if mass_at is None else number_in(mass_at, "value", findings)
    if mass_at is not None and mass is not None and mass.value < 0:
        shown = mass_at.attributes["value"]
        findings.refuse(mass_at.at, f"the mass of {name!r} is {shown} kg", "a mass is not negative")
    moments = [ZERO] * 6
    if tensor_at is None:
        message = f"the <inertial> of {name!r} has no <inertia>"
        findings.refuse(element.at, message, "six moments in kg m²; of a point mass they are zero")
    else:
        moments = [_moment(tensor_at, key, findings) for key in _MOMENTS]
    origin_at = element.first("origin")
    centre, turns = ((ZERO, ZERO, ZERO), ()) if origin_at is None else placed(origin_at, findings)
    own = Inertia(mass or ZERO, (ZERO, ZERO, ZERO), tensor(moments))
    return replace(own.rotated(matrix(turns)) if turns else own, centre=centre)


def _moment(element: Element, key: str, findings: Findings) -> Expression:
    return number_in(element, key, findings) or ZERO
