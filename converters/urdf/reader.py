"""Conversion of a URDF text to the model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.format import Reading
from mbconcord.converters.poses import by_quaternion, matrix
from mbconcord.converters.xml_attributes import limit_shapes, number_in, numbers_in
from mbconcord.converters.xml_text import XmlElement, parse, print_lines
from mbconcord.model import (
    Body,
    Coordinate,
    ElementaryTransformation,
    Gravity,
    Inertia,
    ModelError,
    System,
    rotation,
    shift,
)
from mbconcord.model.body import NO_INERTIA, tensor
from mbconcord.model.diagnostics import ReadError, error
from mbconcord.model.expressions import MINUS_ONE, ONE, ZERO, Expression, number
from mbconcord.model.transformation import Vector, vector

from .reading.effects import efforts, masses, mimics, omissions, refused_by_ros, rotors
from .reading.robot import Robot, UrdfJoint, motion, robot
from .vocabulary import GRAVITY, TEXT, WORLD

# A robot whose root is not welded to the world: a floating joint in the text, which every program reads alike.


JOINT: Final = "floating_base"


def free_base(text: str, file: str) -> tuple[str, str]:
    """Return the text with a link ``world`` and a floating joint from it to the root, without moving other lines.

    If the root is a link ``world`` with one fixed joint on it, this joint becomes floating, and a note says so. A text
    without a single root is returned unchanged: its reader refuses it. The second value is the note, or empty.

    Raises
    ------
    ReadError
        A link other than the root is named world, or other than one fixed joint is on the root of that name.
    """
    root = parse(text, file).root
    links = {e.attributes.get("name", "") for e in root.all("link")}
    joints = root.all("joint")
    children = {e.attributes.get("link", "") for joint in joints for e in joint.all("child")}
    links |= {WORLD} & {e.attributes.get("link", "") for joint in joints for e in joint.all("parent")}
    roots = sorted(links - children)
    if WORLD in links:
        found = _loosen_weld(text, joints) if roots == [WORLD] else None
        if found is not None:
            return found
        message = f"the link {WORLD!r} of the robot is the fixed frame: what hangs on it says how it moves"
        raise ReadError(error("--read free-base", message, "leave out --read free-base, or rename the link"))
    if root.tag != "robot" or len(roots) != 1:
        return text, ""
    taken = {e.attributes.get("name", "") for e in joints}
    name = JOINT if JOINT not in taken else next(n for i in count(2) if (n := f"{JOINT}_{i}") not in taken)
    child = XmlElement("child", {"link": roots[0]}, root.at)
    parent = XmlElement("parent", {"link": WORLD}, root.at)
    joint = XmlElement("joint", {"name": name, "type": "floating"}, root.at, [parent, child])
    made = "".join(_on_one_line(e) for e in (XmlElement("link", {"name": WORLD}, root.at), joint))
    at = _offset(text, root)
    return text[:at] + made + text[at:], ""


def _loosen_weld(text: str, joints: Sequence[XmlElement]) -> tuple[str, str] | None:
    """Return the text with the only joint on the link ``world`` floating, and a note; None if that does not apply."""
    types = [joint.attributes.get("type") for joint in joints]
    on = [j for j in joints if any(e.attributes.get("link") == WORLD for e in j.all("parent"))]
    if len(on) != 1 or on[0].attributes.get("type") != "fixed" or "floating" in types:
        return None
    at = _find_offset(text, on[0])
    made, done = re.subn(r"""^(<joint\b[^<>]*?\stype\s*=\s*["'])fixed""", r"\1floating", text[at:], count=1)
    child = ", ".join(e.attributes.get("link", "") for e in on[0].all("child"))
    said = f"{child} moves freely: its joint {on[0].attributes.get('name', '')} is fixed in the file"
    return (text[:at] + made, said) if done else None


def _on_one_line(element: XmlElement) -> str:
    return "".join(line.strip() for line in print_lines(element))


def _offset(text: str, root: XmlElement) -> int:
    """Return the offset before the blanks that precede the first child: text put in there moves no other line."""
    return len(text[: _find_offset(text, next(iter(root.children)))].rstrip())


def _find_offset(text: str, element: XmlElement) -> int:
    """Return the offset in the text at which an element begins."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: element.at.line - 1]) + element.at.column - 1


# Links as bodies, with their inertia and the transformations from their carriers.


# Origins and axes: constant transformations, and directions of joints.


#: An angle of an origin beyond this (rad) was probably meant in degrees: two turns.
MOST_TURNED: Final = 12.6


def origin(element: XmlElement | None, findings: Findings) -> tuple[ElementaryTransformation, ...]:
    """Read an ``<origin>``: shifts along x, y, z, then rotations rz(yaw) ry(pitch) rx(roll).

    These equal rotations about the fixed x, y, z axes by roll, pitch, yaw in this order. Zeros give none.
    """
    if element is None:
        return ()
    place, turns = read_origin(element, findings)
    return (*shift(place), *turns)


def read_origin(element: XmlElement, findings: Findings) -> tuple[Vector, tuple[ElementaryTransformation, ...]]:
    """Read the shift (m) of an ``<origin>``, and the rotations after it."""
    xyz = numbers_in(element, "xyz", 3, findings) or (ZERO, ZERO, ZERO)
    return vector(xyz), _turns(element, findings)


def _turns(element: XmlElement, findings: Findings) -> tuple[ElementaryTransformation, ...]:
    if "quat_xyzw" in element.attributes:
        return _quaternion(element, findings)
    angles = numbers_in(element, "rpy", 3, findings) or [ZERO, ZERO, ZERO]
    if any(abs(angle.value) > MOST_TURNED for angle in angles):
        message = f'rpy="{element.attributes["rpy"]}" turns by more than two turns'
        remedy = "angles are in radians; 90 degrees are 1.5707963267948966"
        findings.remark("warning", "turned", element.at, message, remedy)
    turns = zip("zyx", reversed(angles), strict=True)
    return tuple(rotation(axis, angle) for axis, angle in turns if angle)


def _quaternion(element: XmlElement, findings: Findings) -> tuple[ElementaryTransformation, ...]:
    """Return the rotation of the quaternion (v, w) in ``quat_xyzw``: by 2 atan2(|v|, w) about v."""
    if "rpy" in element.attributes:
        findings.refuse(element.at, "<origin> with rpy and quat_xyzw", "it is turned by one of them")
    parts = numbers_in(element, "quat_xyzw", 4, findings)
    if parts is None:
        return ()
    found = by_quaternion((parts[3], *parts[:3]))
    if found is None:
        findings.refuse(element.at, "quat_xyzw is zero", "a quaternion has a length")
    return found or ()


def axis(joint: XmlElement, findings: Findings) -> list[Expression] | None:
    """Read the direction of a joint in its own frame, of any length; x by default."""
    element = joint.first("axis")
    if element is None:
        return [ONE, ZERO, ZERO]
    found = numbers_in(element, "xyz", 3, findings)
    if found is None and "xyz" not in element.attributes:
        message = "an <axis> without xyz is read as 1 0 0, as no axis is; other programs may take 0 0 0"
        findings.remark("warning", "axis", element.at, message, "write xyz")
        return [ONE, ZERO, ZERO]
    if found is None:
        return None
    if not any(found):
        message = f"the axis of the joint {joint.attributes['name']!r} is zero: it has no direction"
        findings.refuse(element.at, message, "give it one, for example 0 0 1; its length does not matter")
        return None
    return found


#: Elements of the tensor in the order of the model: xx, yy, zz, xy, xz, yz.
_MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def bodies(robot: Robot, findings: Findings) -> Iterator[Body]:
    """Yield a body for each link, after its carrier; a root named ``world`` is the fixed frame and no body."""
    fixed = robot.root if robot.root == WORLD else None
    for link in robot.outward():
        findings.locations[f"bodies/{link.name}"] = link.element.at
        if link.name == fixed:
            continue
        joint = robot.carrying.get(link.name)
        parent = None if joint is None or joint.parent == fixed else joint.parent
        moved = () if joint is None else _joint(joint, findings)
        yield Body(link.name, parent, moved, inertia(link.element, findings))


def _joint(joint: UrdfJoint, findings: Findings) -> tuple[ElementaryTransformation, ...]:
    """Return the transformations from the parent's frame to the child's: the joint's origin, then its motion."""
    findings.locations[f"bodies/{joint.child}/joint"] = joint.element.at
    constant = origin(joint.element.first("origin"), findings)
    moving = motion(joint.type, joint.name, partial(axis, joint.element, findings))
    findings.locations |= {f"coordinates/{et.coordinate}": joint.element.at for et in moving}
    return (*constant, *moving)


def inertia(link: XmlElement, findings: Findings, turned: bool = True) -> Inertia:
    """Read the inertia of a link, zero without ``<inertial>``.

    The tensor is about the centre of mass: with ``turned`` in the link's axes, R J Rᵀ, else in the axes of the
    inertial frame as given, J.
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
    centre, turns = ((ZERO, ZERO, ZERO), ()) if origin_at is None else read_origin(origin_at, findings)
    own = Inertia(mass or ZERO, (ZERO, ZERO, ZERO), tensor(moments))
    return replace(own.rotate(matrix(turns)) if turns and turned else own, centre=centre)


def _moment(element: XmlElement, key: str, findings: Findings) -> Expression:
    return number_in(element, key, findings) or ZERO


def read(text: str, file: str) -> Reading:
    """Read the model of a URDF.

    Coordinates are named after their joints, in file order; fixed links are bodies without coordinates. The root is
    welded to the fixed frame. The lines of the file are kept in ``metadata["urdf:text"]``; content other than the
    equations of motion becomes ``omissions``.

    Raises
    ------
    ReadError
        Every finding with file, line and column, what was found and what was expected.
    """
    document = parse(text, file)
    findings = Findings(file)
    limit_shapes(document.root, findings)
    findings.stop()
    found = robot(document.root, findings)
    made = tuple(bodies(found, findings))
    forces, rows = tuple(efforts(found, findings)), tuple(mimics(found, findings))
    turning = tuple(rotors(document.root, found, findings))
    left_out = tuple(omissions(document, found, findings))
    findings.stop()
    masses(found, findings)
    refused_by_ros(document.root, text, found, findings)
    moving = {body.name: body.coordinates for body in made}
    try:
        system = System(
            document.root.attributes.get("name", Path(file).stem),
            tuple(Coordinate(name) for joint in found.joints for name in moving.get(joint.child, ())),
            gravity=Gravity(number(GRAVITY), (ZERO, ZERO, MINUS_ONE)),
            bodies=made,
            forces=forces,
            constraints=rows,
            metadata={TEXT: text.split("\n")},
            omissions=left_out,
            armatures=turning,
        )
    except ModelError as problem:
        raise ReadError(map(findings.locate, problem.diagnostics)) from None
    return Reading(system, findings.remarks(), findings.locations)
