"""Limits, dry friction and shapes in a URDF text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Fittings, Friction, Limit, Shape, bound
from mbconcord.converters.xml_attributes import numbers_in, numbers_of
from mbconcord.converters.xml_text import XmlElement, parse
from mbconcord.model.expressions import ZERO, Expression

from ..reader import inertia, origin
from ..vocabulary import TYPES, WORLD
from .effects import constant
from .robot import Robot, robot


def fittings(text: str) -> Fittings:
    """Return limits, dry friction and shapes of a URDF text; invalid ones stay omissions of the model."""
    root, findings = parse(text, "-").root, Findings("-")
    found = robot(root, findings)
    moving = [joint for joint in found.joints if TYPES[joint.type] == 1]
    limits = ((joint, joint.element.first("limit")) for joint in moving)
    rough = ((joint.name, constant(joint, "friction", findings)) for joint in moving)
    return Fittings(
        {j.name: _limit(j.name, j.type, element, findings) for j, element in limits if element is not None},
        {name: Friction(f"stiction/{name}", value) for name, value in rough if value},
        tuple(_shapes(found, root)),
        {
            link.name: (origin(at, findings), inertia(link.element, findings, turned=False).tensor)
            for link in found.links.values() for inertial in link.element.all("inertial")[:1]
            for at in inertial.all("origin")
        },
    )  # fmt: skip


#: Tag of a geometry -> kind of shape, and the attributes of its size.
GEOMETRIES: Final = {
    "box": ("box", ("size",)), "sphere": ("sphere", ("radius",)), "cylinder": ("cylinder", ("radius", "length")),
    "capsule": ("capsule", ("radius", "length")), "drake:capsule": ("capsule", ("radius", "length")),
    "drake:ellipsoid": ("ellipsoid", ("a", "b", "c")), "mesh": ("mesh", ("scale",)),
}  # fmt: skip


def _shapes(robot: Robot, root: XmlElement) -> Iterator[Shape]:
    """Yield the shapes of the links; those that cannot be read stay omissions."""
    colours = {e.attributes.get("name", ""): e for e in root.all("material")}
    for link in robot.links.values():
        body = None if link.name == robot.root == WORLD else link.name
        for element in link.element.children:
            if element.tag in ("visual", "collision"):
                findings = Findings("-")
                made = _shape(element, link.name, body, colours, findings)
                if made is not None and not findings.errors:
                    yield made


def _shape(
    element: XmlElement, link: str, body: str | None, colours: Mapping[str, XmlElement], findings: Findings
) -> Shape | None:
    geometry = element.first("geometry")
    inside = None if geometry is None else next(geometry.children, None)
    if inside is None or inside.tag not in GEOMETRIES:
        return None
    kind, keys = GEOMETRIES[inside.tag]
    counts = {"size": 3, "scale": 3}
    default = {"scale": "1 1 1"}
    texts = {key: inside.attributes.get(key, default.get(key, "")) for key in keys}
    size = [x for k, t in texts.items() for x in numbers_of(t, counts.get(k, 1), k, inside, findings) or ()]
    seen = element.tag == "visual"
    name, colour = _colour(element, colours, findings)
    known = ("origin", "geometry", "material", "verbose")
    return Shape(
        f"{'image' if seen else 'collision-shape'}/{link}", body, kind, tuple(size),
        origin(element.first("origin"), findings), seen, (0, 0) if seen else (1, 1),
        inside.attributes.get("filename", ""), colour=colour,
        materials=(f"material/{name}",) if name in colours and colour is not None else (),
        left=tuple(e.tag for e in element.children if e.tag not in known),
    )  # fmt: skip


def _colour(
    element: XmlElement, colours: Mapping[str, XmlElement], findings: Findings
) -> tuple[str, tuple[Expression, ...] | None]:
    """Return the name of an element's material, and its colour; None without one."""
    material = element.first("material")
    name = "" if material is None else material.attributes.get("name", "")
    for each in (material, colours.get(name)):
        said = None if each is None else each.first("color")
        found = None if said is None else numbers_in(said, "rgba", 4, findings)
        if found:
            return name, tuple(found)
    return name, None


def _limit(name: str, kind: str, element: XmlElement, findings: Findings) -> Limit:
    """Return the limit of a joint; if only one of its ends is given, the other is zero."""
    lower, upper, effort, velocity = (_number(element, k, findings) for k in ("lower", "upper", "effort", "velocity"))
    if kind == "continuous" or not {"lower", "upper"} & element.attributes.keys():
        lower = upper = None
    else:
        lower, upper = (ZERO if k not in element.attributes else x for k, x in (("lower", lower), ("upper", upper)))
    return Limit(f"joint-limit/{name}", lower, upper, effort, velocity)


def _number(element: XmlElement, key: str, findings: Findings) -> Expression | None:
    found = numbers_in(element, key, 1, findings)
    return bound(found[0]) if found else None
