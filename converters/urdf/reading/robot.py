"""The links and joints of a robot, which form a tree: one root, and one joint that carries each other link."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_attributes import XACRO, read_name
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import ElementaryTransformation, rotation, translation
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import MINUS_ONE, ONE, ZERO, Expression
from mbconcord.model.limits import format_names
from mbconcord.model.transformation import Vector, unit_vector
from mbconcord.records import dataclass

from ..vocabulary import FLOATING, PLANAR, TURNED, TYPES, WORLD

# The coordinates of a joint: the motion of each type, after its origin.


def motion(
    kind: str, name: str, axis: Callable[[], Sequence[Expression] | None]
) -> tuple[ElementaryTransformation, ...]:
    """Return the transformations of a joint by its type, with coordinates named after it.

    ``axis`` is called only if an axis matters; it returns None after an error.
    """
    if kind == "fixed":
        return ()
    if kind in TURNED:
        return floating(name)[-TYPES[kind] :]
    direction = axis()
    if direction is None:
        return ()
    if kind == "planar":
        return planar(name, unit_vector(direction))
    return ((translation if kind == "prismatic" else rotation)(direction, name),)


def planar(name: str, axis: Vector) -> tuple[ElementaryTransformation, ...]:
    """Return shifts along R x and R y, then a rotation about R z: R is the smallest rotation of z to the axis.

    R = E + [v]× + [v]×² / (1 + z) with v = ẑ × a = (-a_y, a_x, 0); half a turn about x if the axis is -z.
    """
    x, y, z = axis
    if z is MINUS_ONE:
        first: Vector = (ONE, ZERO, ZERO)
        second: Vector = (ZERO, MINUS_ONE, ZERO)
    else:
        first = (1 - x * x / (1 + z), -(x * y) / (1 + z), -x)
        second = (-(x * y) / (1 + z), 1 - y * y / (1 + z), -y)
    along, across, turn = (name + ending for ending in PLANAR)
    return translation(first, along), translation(second, across), rotation(axis, turn)


def floating(name: str) -> tuple[ElementaryTransformation, ...]:
    """Return three shifts and the rotations rz ry rx; at a quarter turn about y, rz and rx coincide."""
    along = (translation(axis, name + ending) for axis, ending in zip("xyz", FLOATING, strict=False))
    about = (rotation(axis, name + ending) for axis, ending in zip("zyx", FLOATING[3:], strict=True))
    return (*along, *about)


@dataclass(frozen=True, slots=True)
class UrdfLink:
    """A link and its element."""

    name: str
    element: XmlElement


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """A joint: its element, its type, and the links that it joins."""

    name: str
    element: XmlElement
    type: str
    parent: str
    child: str

    @property
    def dynamics(self) -> dict[str, str]:
        """The attributes of the joint's ``<dynamics>``; empty without one."""
        element = self.element.first("dynamics")
        return {} if element is None else element.attributes


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot whose links form a tree.

    Attributes
    ----------
    root : name of the link that no joint carries
    links : links by name, in the order of the file
    joints : all joints, in the order of the file
    carrying : name of each link but the root -> joint that carries it
    """

    root: str
    links: dict[str, UrdfLink]
    joints: tuple[UrdfJoint, ...]
    carrying: dict[str, UrdfJoint]

    def outward(self) -> Iterator[UrdfLink]:
        """Yield links, each after its carrier, otherwise in file order."""
        given: set[str] = set()
        for link in self.links.values():
            way = [link.name]
            while way[-1] not in given and way[-1] in self.carrying:
                way.append(self.carrying[way[-1]].parent)
            for name in reversed(way):
                if name not in given:
                    given.add(name)
                    yield self.links[name]


def robot(root: XmlElement, findings: Findings) -> Robot:
    """Return the robot of a document, after checks that its links form a tree.

    Raises
    ------
    ReadError
        The document has missing or repeated names, unknown links, a link with two parents, several roots, or a loop.
    """
    findings.require_root(root.at, root.tag, "robot")
    for element in root.children:  # before links are missed that they would make
        if element.tag.startswith("xacro:"):
            findings.refuse(element.at, f"found <{element.tag}>: macros are not expanded here", XACRO)
    findings.stop()
    links = _links(root.all("link"), findings)
    _add_world(root.all("joint"), links, findings)
    joints = tuple(_joints(root.all("joint"), links, findings))
    findings.stop()
    if not links:
        message = "a robot without links (ROS: No link elements found in urdf file)"
        findings.refuse(root.at, message, 'it has at least one <link name="…"/>')
    carrying: dict[str, UrdfJoint] = {}
    for joint in joints:
        first = carrying.setdefault(joint.child, joint)
        if first is not joint:
            message = f"the link {joint.child!r} has two parents: by the joints {first.name!r} and {joint.name!r}"
            remedy = "a link hangs on one joint; URDF has no closed loops"
            findings.refuse(joint.element.at, message, remedy, f"bodies/{joint.child}")
    findings.stop()
    return Robot(_root(root, links, carrying, findings), links, joints, carrying)


def _links(elements: Iterable[XmlElement], findings: Findings) -> dict[str, UrdfLink]:
    links: dict[str, UrdfLink] = {}
    for element in elements:
        name = read_name(element, "name", findings)
        if name in links:
            line = links[name].element.at.line
            message = f"the link {name!r} stands twice, first in line {line} (ROS: link {name!r} is not unique)"
            findings.refuse(element.at, message, "rename one")
        elif name is not None:
            links[name] = UrdfLink(name, element)
    return links


def _add_world(joints: Sequence[XmlElement], links: dict[str, UrdfLink], findings: Findings) -> None:
    """Add the link ``world`` if it is the parent of a joint, the child of none, and no element declares it."""
    ends = [(joint, end.at) for joint in joints for end in joint.all("parent") if end.attributes.get("link") == WORLD]
    if not ends or WORLD in links or any(e.attributes.get("link") == WORLD for j in joints for e in j.all("child")):
        return
    joint, at = ends[0]
    ros = f"ROS refuses the file: parent link [{WORLD}] of joint [{joint.attributes.get('name', '')}] not found"
    message = f"there is no link {WORLD!r}; it is read as the fixed frame, as Drake does ({ros}; MuJoCo refuses it too)"
    findings.remark("warning", WORLD, at, message, f'write <link name="{WORLD}"/>')
    links[WORLD] = UrdfLink(WORLD, XmlElement("link", {"name": WORLD}, at))


def _joints(elements: Iterable[XmlElement], links: dict[str, UrdfLink], findings: Findings) -> Iterator[UrdfJoint]:
    seen: dict[str, XmlElement] = {}
    for element in elements:
        name = read_name(element, "name", findings)
        kind = read_name(element, "type", findings)
        if name is not None and name in seen:
            line = seen[name].at.line
            message = f"the joint {name!r} stands twice, first in line {line} (ROS: joint {name!r} is not unique)"
            findings.refuse(element.at, message, "rename one")
        if kind is not None and kind not in TYPES:
            message = f"the joint {name!r} is of the type {kind!r}"
            findings.refuse(element.at, message, among(kind, TYPES), f"coordinates/{name}")
        parent, child = (_end(element, end, links, findings) for end in ("parent", "child"))
        if name is None or kind not in TYPES or parent is None or child is None:
            continue
        seen[name] = element
        assert kind is not None
        yield UrdfJoint(name, element, kind, parent, child)


def _end(joint: XmlElement, end: str, links: dict[str, UrdfLink], findings: Findings) -> str | None:
    """Return the name of the link at the parent or child end of a joint; record an error and return None if invalid."""
    found = joint.all(end)
    if len(found) != 1:
        count = f"{len(found)} elements" if found else "no element"
        message = f"the joint {joint.attributes.get('name', '')!r} has {count} <{end}>"
        findings.refuse(found[1].at if found else joint.at, message, f'it has one <{end} link="…"/>')
        return None
    name = read_name(found[0], "link", findings)
    if name is not None and name not in links:
        findings.refuse(found[0].at, f"there is no link {name!r}", among(name, links))
        return None
    return name


def _root(element: XmlElement, links: dict[str, UrdfLink], carrying: dict[str, UrdfJoint], findings: Findings) -> str:
    """Return the only link without a carrying joint, and check that every link is connected to it."""
    roots = [name for name in links if name not in carrying]
    if len(roots) > 1:
        second = links[roots[1]].element.at
        one, other = sorted(roots)[:2]
        ros = f"ROS: Two root links found: [{one}] and [{other}]"
        message = f"{len(roots)} links hang on no joint: {format_names(roots)}; a robot has one root ({ros})"
        findings.refuse(second, message, "add the joint that carries it, fixed or floating")
    hanging = set(roots)
    for name in links:
        way: dict[str, None] = {}
        while name not in hanging and name not in way:
            way[name] = None
            name = carrying[name].parent
        if name in way:
            circle = [*way][[*way].index(name) :]
            message = f"links carry one another in a circle: {format_names(reversed(circle))}"
            findings.refuse(carrying[name].element.at, message, "one of them hangs on the root")
            break
        hanging.update(way)
    findings.stop()
    return roots[0]
