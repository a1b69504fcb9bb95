"""The elements of a URDF: links with their inertias, joints with what acts in them."""

from __future__ import annotations

from collections.abc import Mapping

from mbconcord.converters.constants import Numbers
from mbconcord.converters.mimics import Mimic
from mbconcord.converters.origins import origin
from mbconcord.converters.steps import Step
from mbconcord.converters.xml_text import Element
from mbconcord.model import Inertia, Location
from mbconcord.model.expressions import ONE, Expression

from ..vocabulary import NO_STOP
from .names import Names
from .template import Template

NOWHERE = Location("", 1, 1)


def element(tag: str, attributes: Mapping[str, str], *content: Element | str) -> Element:
    """A new element."""
    return Element(tag, dict(attributes), NOWHERE, [*content])


def link(name: str, inertia: Inertia | None, numbers: Numbers, template: Template | None) -> Element:
    """A link: the tensor in its own axes about the centre of mass; without ``<inertial>`` where there is no mass."""
    own = template.element("link", name) if template else None
    made = element("link", {**(own.attributes if own else {}), "name": name})
    if inertia is not None and not inertia.is_zero:
        place = f"bodies/{name}/inertia"
        inside: list[Element] = []
        if any(inertia.centre):
            centre = numbers.texts(place, inertia.centre)
            inside.append(element("origin", {"xyz": centre, "rpy": "0 0 0"}))
        xx, yy, zz, xy, xz, yz = (numbers.text(place, x) for x in inertia.tensor)
        moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        mass = element("mass", {"value": numbers.text(place, inertia.mass)})
        made.content.append(element("inertial", {}, *inside, mass, element("inertia", moments)))
    made.content += template.beside(own) if template else ()
    return made


def joint(
    step: Step,
    name: str,
    names: Names,
    numbers: Numbers,
    damping: Mapping[str, Expression],
    mimic: Mimic | None,
    template: Template | None,
) -> Element:
    """A joint, with the limits and the friction that its own URDF gave it."""
    own = template.element("joint", name) if template else None
    beside = template.beside(own) if template else []
    place = f"bodies/{step.child}/joint"
    made = element("joint", {**(own.attributes if own else {}), "name": name, "type": _type(step, own)})
    placed = origin(step.origin, numbers, place)
    if placed:
        made.content.append(element("origin", placed))
    made.content.append(element("parent", {"link": names.body(step.parent)}))
    made.content.append(element("child", {"link": names.body(step.child)}))
    if step.axis is not None:
        made.content.append(element("axis", {"xyz": numbers.texts(place, step.axis)}))
    dynamics = own.first("dynamics") if own else None
    attributes = dict(dynamics.attributes) if dynamics is not None else {}
    if step.kind != "floating":
        attributes.pop("damping", None)
    for coordinate in step.coordinates[:1]:
        if coordinate in damping:
            attributes["damping"] = numbers.text(place, damping[coordinate])
    if attributes:
        made.content.append(element("dynamics", attributes))
    if mimic is not None:
        leader = {"joint": names.coordinate(mimic.leader)}
        if mimic.multiplier is not ONE:
            leader["multiplier"] = numbers.text(mimic.place, mimic.multiplier)
        if mimic.offset:
            leader["offset"] = numbers.text(mimic.place, mimic.offset)
        made.content.append(element("mimic", leader))
    made.content += beside
    needs = step.kind == "translation" and not any(e.tag == "limit" for e in beside)
    if needs:
        stops = {"lower": f"-{NO_STOP}", "upper": NO_STOP, "effort": NO_STOP, "velocity": NO_STOP}
        made.content.append(element("limit", stops))
    return made


def _type(step: Step, own: Element | None) -> str:
    """The type: one that turns is continuous but where its own URDF says that it has stops."""
    if step.kind == "rotation":
        said = own.attributes.get("type") if own is not None else None
        return "revolute" if said == "revolute" else "continuous"
    return "prismatic" if step.kind == "translation" else step.kind
