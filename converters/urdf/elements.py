"""The elements of a URDF: links with their inertias, joints with their forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import Final

from mbconcord.converters.carried import Carried, XmlNames, replace_unwritable
from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import Fitted, Fittings, Shape
from mbconcord.converters.joints import JointStep, Mimic, Transformations
from mbconcord.converters.poses import origin
from mbconcord.converters.xml_text import XmlElement, make_element
from mbconcord.model import Inertia, System
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.transformation import Vector, shift

from .reader import read
from .reading.robot import floating, planar
from .vocabulary import FLOATING, MOTION, NO_STOP, PLANAR, TEXT, TURNED, WORLD


class UrdfNames(XmlNames):
    """Written names of links and joints, and of additional ones."""

    def body(self, name: str | None) -> str:
        """Return the written name of a body's link; that of the root for the fixed frame."""
        return WORLD if name is None else self.bodies.get(name, name)

    def coordinate(self, name: str) -> str:
        """Return the written name of a coordinate's joint."""
        return self.coordinates.get(name, name)

    def new_link(self, name: str) -> str:
        """Return a new name, based on a wanted one, for a link that is no body of the model."""
        return self.links.fresh(replace_unwritable(name))

    def new_joint(self, name: str) -> str:
        """Return a new name, based on a wanted one, for a joint without a coordinate."""
        return self.joints.fresh(replace_unwritable(name))


# The URDF that a model was read from: written again if unchanged, else used for contents outside of the dynamics.


class UrdfTemplate(Carried):
    """The URDF document kept with a model, with access to its links and joints."""

    @classmethod
    def from_system(cls, system: System) -> UrdfTemplate | None:
        """Return the template in a model's metadata; None if missing or unreadable."""
        return cls.from_metadata(system, TEXT, read)

    def says(self, system: System) -> bool:
        """Return True if the text describes this model, including its name if it has one."""
        return self.document.root.attributes.get("name", system.name) == system.name and super().says(system)

    def carrying(self, link: str) -> XmlElement | None:
        """Return the element of the joint that carries a link; None if there is none."""
        return self._carrying.get(link)

    @cached_property
    def _carrying(self) -> dict[str, XmlElement]:
        children = ((e, e.first("child")) for e in self.document.root.all("joint"))
        return {child.attributes["link"]: e for e, child in children if child is not None}

    def beside(self, element: XmlElement | None) -> list[XmlElement]:
        """Return an element's content other than the equations of motion, without comments."""
        if element is None:
            return []
        return [child for child in element.children if child.tag not in MOTION[element.tag]]


# Transformations that form one joint of several coordinates, as it would be read.


def whole(moving: Transformations, system: System, single: Set[str]) -> tuple[str, str, Vector | None, int] | None:
    """Return name, kind, axis and count of transformations of a planar or floating joint; None if they form none."""
    names = system.coordinate_names
    for kind, endings in (("floating", FLOATING), ("planar", PLANAR)):
        count = len(endings)
        found = tuple(et.coordinate or "" for et in moving[:count])
        name = found[0].removesuffix(endings[0]) if found else ""
        if found != tuple(name + ending for ending in endings) or any(et.coordinate for et in moving[count:]):
            continue
        at = names.index(found[0])
        axis = moving[count - 1].axis
        made = floating(name) if kind == "floating" else planar(name, axis)
        if made == tuple(moving[:count]) and names[at : at + count] == found and {*single}.isdisjoint(found):
            return name, kind, None if kind == "floating" else axis, count
    return None


def link(name: str, inertia: Inertia | None, numbers: ConstantReader, template: UrdfTemplate | None) -> XmlElement:
    """Return the element of a link: tensor in link axes about the centre of mass; no ``<inertial>`` if it is zero."""
    own = template.element("link", name) if template else None
    made = make_element("link", {**(own.attributes if own else {}), "name": name})
    if inertia is not None and not inertia.is_zero:
        place = f"bodies/{name}/inertia"
        inside: list[XmlElement] = []
        if any(inertia.centre):
            centre = numbers.texts(place, inertia.centre)
            inside.append(make_element("origin", {"xyz": centre, "rpy": "0 0 0"}))
        xx, yy, zz, xy, xz, yz = (numbers.text(place, x) for x in inertia.tensor)
        moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        mass = make_element("mass", {"value": numbers.text(place, inertia.mass)})
        made.content.append(make_element("inertial", {}, *inside, mass, make_element("inertia", moments)))
    made.content += template.beside(own) if template else ()
    return made


def joint(
    step: JointStep,
    name: str,
    names: UrdfNames,
    numbers: ConstantReader,
    acting: Mapping[str, Mapping[str, Expression]],
    mimic: Mimic | None,
    template: UrdfTemplate | None,
) -> XmlElement:
    """Return the element of a joint, with limits of the source URDF; ``acting``: <dynamics> by coordinate."""
    own = template.element("joint", name) if template else None
    beside = template.beside(own) if template else []
    place = f"bodies/{step.child}/joint"
    made = make_element("joint", {**(own.attributes if own else {}), "name": name, "type": _type(step, own)})
    placed = origin(step.origin, numbers, place)
    if placed:
        made.content.append(make_element("origin", placed))
    made.content.append(make_element("parent", {"link": names.body(step.parent)}))
    made.content.append(make_element("child", {"link": names.body(step.child)}))
    if step.axis is not None:
        made.content.append(make_element("axis", {"xyz": numbers.texts(place, step.axis)}))
    dynamics = own.first("dynamics") if own else None
    attributes = dict(dynamics.attributes) if dynamics is not None else {}
    if step.kind not in TURNED:
        attributes.pop("damping", None)
    if len(step.coordinates) == 1:
        attributes.pop("friction", None)
    for coordinate in step.coordinates[:1]:
        attributes |= {key: numbers.text(place, of[coordinate]) for key, of in acting.items() if coordinate in of}
    if attributes:
        made.content.append(make_element("dynamics", attributes))
    if mimic is not None:
        leader = {"joint": names.coordinate(mimic.leader)}
        if mimic.multiplier is not ONE:
            leader["multiplier"] = numbers.text(mimic.place, mimic.multiplier)
        if mimic.offset:
            leader["offset"] = numbers.text(mimic.place, mimic.offset)
        made.content.append(make_element("mimic", leader))
    made.content += beside
    needs = step.kind == "translation" and not any(e.tag == "limit" for e in beside)
    if needs:
        stops = {"lower": f"-{NO_STOP}", "upper": NO_STOP, "effort": NO_STOP, "velocity": NO_STOP}
        made.content.append(make_element("limit", stops))
    return made


def fit(made: XmlElement, coordinate: str, fittings: Fittings, fitted: Fitted, numbers: ConstantReader) -> None:
    """Add the limit and the dry friction in ``fittings`` of a coordinate to the element of its joint."""
    limit, rough = fittings.limits.get(coordinate), fittings.friction.get(coordinate)
    place = f"coordinates/{coordinate}"
    if rough is not None:
        fitted.hold_friction(rough, "URDF")
        dynamics = made.first("dynamics")
        if dynamics is None:
            dynamics = make_element("dynamics", {})
            made.content.append(dynamics)
        dynamics.attributes.setdefault("friction", numbers.text(place, rough.value))
    if limit is None:
        return
    fitted.hold_limit(limit, "URDF")
    made.content = [c for c in made.content if isinstance(c, str) or c.tag != "limit"]
    lower, upper = (numbers.text(place, end) for end in limit.ends)
    most = {
        key: NO_STOP if value is None else numbers.text(place, value)
        for key, value in (("effort", limit.effort), ("velocity", limit.velocity))
    }
    if limit.stops and made.attributes["type"] == "continuous":
        made.attributes["type"] = "revolute"
    ends = {} if made.attributes["type"] == "continuous" else {"lower": lower, "upper": upper}
    made.content.append(make_element("limit", ends | most))


def shapes(
    fittings: Fittings, body: str | None, before: Transformations, fitted: Fitted, numbers: ConstantReader
) -> Iterator[XmlElement]:
    """Yield the shapes of a body as visuals and collisions, in a frame from which ``before`` leads to the body's."""
    for shape in fittings.on(body):
        place = f"omissions/{shape.place}"
        if shape.kind not in SHAPES and shape.kind != "capsule":
            fitted.lose(shape.place, f"the {shape.kind}", f"URDF has no {shape.kind}")
            continue
        fitted.hold_shape(shape)
        for tag in ("visual",) * shape.seen + ("collision",) * any(shape.contacts):
            for kind, size, pose in parts(shape):
                made = make_element(tag, {})
                placed = origin((*before, *pose), numbers, place)
                if placed:
                    made.content.append(make_element("origin", placed))
                texts = [numbers.text(place, x) for x in size]
                attributes = {"filename": shape.file} if kind == "mesh" else {}
                keys = SHAPES[kind]
                attributes |= dict(zip(keys, texts, strict=True)) if len(keys) > 1 else {keys[0]: " ".join(texts)}
                if attributes.get("scale") == "1 1 1":
                    del attributes["scale"]
                made.content.append(make_element("geometry", {}, make_element(kind, attributes)))
                if shape.colour is not None and tag == "visual":
                    rgba = numbers.texts(place, shape.colour)
                    colour = make_element("color", {"rgba": rgba})
                    made.content.append(make_element("material", {"name": rgba.replace(" ", "_")}, colour))
                yield made


#: Kinds of shapes -> the attributes of their sizes.
SHAPES: Final = {
    "box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "mesh": ("scale",),
}  # fmt: skip


def parts(shape: Shape) -> Iterator[tuple[str, Sequence[Expression], Transformations]]:
    """Yield kind, size and pose of the shapes that make up one in URDF: for a capsule a cylinder and two spheres."""
    if shape.kind != "capsule":
        yield shape.kind, shape.size, shape.pose
        return
    radius, length = shape.size
    yield "cylinder", shape.size, shape.pose
    for end in (length / 2, -length / 2):
        yield "sphere", (radius,), (*shape.pose, *shift((ZERO, ZERO, end)))


def _type(step: JointStep, own: XmlElement | None) -> str:
    """Return URDF's type of a joint: a rotation is continuous unless the source URDF has it revolute."""
    if step.kind == "rotation":
        said = own.attributes.get("type") if own is not None else None
        return "revolute" if said == "revolute" else "continuous"
    return "prismatic" if step.kind == "translation" else step.kind
