"""Limits, dry friction and shapes in an SDF text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.fittings import Fittings, Friction, Limit, Shape, bound
from mbconcord.converters.poses import Steps
from mbconcord.converters.xml_attributes import numbers_of
from mbconcord.converters.xml_text import XmlElement, parse
from mbconcord.model import Constant, rotation
from mbconcord.model.expressions import PI_NODE, ZERO, Expression, apply, sqrt

from ..reader import top, version
from .documents import row, scalar
from .joints import SdfJoint, SdfJoints
from .scopes import SdfFrame, SdfScopes


def fittings(text: str) -> Fittings:
    """Return limits, dry friction and shapes of an SDF text; invalid ones stay omissions of the model."""
    root, findings = parse(text, "-").root, Findings("-")
    said = version(root, findings)
    scopes = SdfScopes(top(root, findings), said, findings)
    joints = SdfJoints(scopes, said, findings).found.values()
    axes = [(joint, coordinate, axis) for joint in joints for coordinate, axis in joint.axes.items()]
    limits = ((joint, coordinate, axis.first("limit")) for joint, coordinate, axis in axes)
    rough = ((coordinate, scalar(axis.first("dynamics"), "friction", "0", findings)) for _, coordinate, axis in axes)
    return Fittings(
        {name: _limit(joint, element, findings) for joint, name, element in limits if element is not None},
        {name: Friction(f"stiction/{name}", value) for name, value in rough if value},
        tuple(_shapes(scopes)),
    )


#: Tag of a geometry -> the elements of its size with their defaults.
GEOMETRIES: Final = {
    "box": (("size", "1 1 1"),), "sphere": (("radius", "1"),), "cylinder": (("radius", "1"), ("length", "1")),
    "capsule": (("radius", "0.5"), ("length", "1")), "ellipsoid": (("radii", "1 1 1"),), "plane": (("size", "1 1"),),
    "mesh": (("scale", "1 1 1"),),
}  # fmt: skip


def _shapes(scopes: SdfScopes) -> Iterator[Shape]:
    """Yield the shapes of the links; those that cannot be read stay omissions."""
    before = scopes.findings
    for link in scopes.links:
        for element in link.element.children:
            if element.tag in ("visual", "collision"):
                scopes.findings = findings = Findings("-")
                made = _shape(element, link, scopes, findings)
                if made is not None and not findings.errors:
                    yield made
    scopes.findings = before


def _shape(element: XmlElement, link: SdfFrame, scopes: SdfScopes, findings: Findings) -> Shape | None:
    geometry = element.first("geometry")
    inside = None if geometry is None else next(geometry.children, None)
    if inside is None or inside.tag not in GEOMETRIES or inside.first("submesh") is not None:
        return None
    size = tuple(x for tag, usual in GEOMETRIES[inside.tag] for x in row(inside.first(tag), usual, findings))
    seen, uri = element.tag == "visual", inside.first("uri")
    own = element.attributes.get("name") or link.element.attributes.get("name", "")
    pose = scopes.find_path_to_element(element, link, link.scope)
    normal = inside.first("normal")
    if inside.tag == "plane" and normal is not None:
        pose = (*pose, *_tilt(row(normal, "0 0 1", findings)))
    material = element.first("material")
    said = None if material is None else next(filter(None, map(material.first, ("diffuse", "ambient"))), None)
    colour = None if said is None else tuple(row(said, "1 1 1 1", findings))
    return Shape(
        f"{'image' if seen else 'collision-shape'}/{own}", link.name, inside.tag, size, pose, seen,
        (0, 0) if seen else (1, 1), "" if uri is None else uri.text, colour=colour,
        left=tuple(e.tag for e in element.children if e.tag not in ("pose", "geometry", "material")),
    )  # fmt: skip


def _tilt(normal: Sequence[Expression]) -> Steps:
    """Return the smallest rotation of z to a normal: about ẑ × n by atan2(|ẑ × n|, n_z)."""
    x, y, z = normal
    if not (x or y):
        return () if z.value > 0 else (rotation("x", PI_NODE),)
    return (rotation((-y, x, ZERO), Constant(apply("atan2", sqrt(x * x + y * y), z))),)


def _limit(joint: SdfJoint, element: XmlElement, findings: Findings) -> Limit:
    lower, upper, effort, velocity = (
        _number(element.first(tag), findings) for tag in ("lower", "upper", "effort", "velocity")
    )
    if joint.type == "continuous":
        lower = upper = None
    effort, velocity = (None if x is not None and x.value < 0 else x for x in (effort, velocity))  # -1: none
    return Limit(f"joint-limit/{joint.frame.element.attributes.get('name')}", lower, upper, effort, velocity)


def _number(element: XmlElement | None, findings: Findings) -> Expression | None:
    found = None if element is None else numbers_of(element.text, 1, f"<{element.tag}>", element, findings)
    return bound(found[0]) if found else None
