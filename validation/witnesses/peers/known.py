"""Known differences of other programs: elements that they misread in a text, and changes that imitate this."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from mbconcord.converters import registry
from mbconcord.converters.floats import HERE, FloatPose
from mbconcord.converters.shapes import ShapeMass, six, solid, together
from mbconcord.converters.urdf.reading.effects import acting
from mbconcord.converters.xml_text import XmlElement, parse, print_lines
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ...judge.witness import Original
from .peer import Array, Peer, rotation_about, version_of

Versions = tuple[tuple[int, ...], tuple[int, ...]]
#: Rounding allowed in the triangle inequality of moments of inertia, relative to the largest.
EDGE: Final = 1e-12
EVER: Final[Versions] = ((0,), (9999,))
#: Element of a transmission's actuator with the inertia of its rotor.
INERTIA_OF_ROTOR: Final = "drake:rotor_inertia"
#: Drake's elements that our readers read; and those that, with their children, do not act on the motion.
DRAKE_READ: Final = frozenset({INERTIA_OF_ROTOR, "drake:gear_ratio"})
DRAKE_HARMLESS: Final = frozenset(
    {
        "drake:proximity_properties", "drake:perception_properties", "drake:illustration_properties",
        "drake:collision_filter_group", "drake:diffuse_map", "drake:accepting_renderer", "drake:acceleration",
        "drake:declare_convex", "drake:visual", "drake:controller_gains",
    }
)  # fmt: skip
AXES: Final = ("axis", "axis2")
SIX: Final = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
#: kg/m³, the density of shapes that are weighed.
WATER: Final = 1000.0


@dataclass(frozen=True)
class KnownFault:
    """A known misreading of a program: first and last version, function that lists the elements, description.

    ``take`` changes a text so that it means what the program takes it for, or raises LookupError; None if unknown.
    """

    program: str
    versions: Versions
    elements: Callable[[XmlElement], list[str]]
    what: str
    take: Callable[[XmlElement], None] | None = None

    def find_elements(self, peer: Peer, root: XmlElement) -> list[str]:
        """List the elements of a text that this version of the program misreads."""
        first, last = self.versions
        applies = peer.name == self.program and first <= version_of(peer.version) <= last
        return self.elements(root) if applies else []


@dataclass(frozen=True)
class FoundFault:
    """A known difference that occurs in a text, and the names of the misread elements."""

    fault: KnownFault
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.fault.what} ({', '.join(self.names[:3])}{' and more' if len(self.names) > 3 else ''})"


def _is_rotated(element: XmlElement | None) -> bool:
    """Return True if the origin of an element has a rotation."""
    origin = None if element is None else element.first("origin")
    return origin is not None and any(word.strip("+-0.") for word in origin.attributes.get("rpy", "").split())


def _turned_inertials(root: XmlElement) -> list[str]:
    return [e.attributes.get("name", "") for e in root.all("link") if _is_rotated(e.first("inertial"))]


def _find_joints(root: XmlElement, kind: str) -> list[XmlElement]:
    return [e for e in root.walk() if e.tag == "joint" and e.attributes.get("type") == kind]


def _turned_fixed(root: XmlElement) -> list[str]:
    return [e.attributes.get("name", "") for e in _find_joints(root, "fixed") if _is_rotated(e)]


def _weightless(root: XmlElement) -> list[str]:
    """List links with a tensor but no mass."""
    found = []
    for link in root.all("link"):
        inertial = link.first("inertial")
        mass, tensor = (None, None) if inertial is None else (inertial.first("mass"), inertial.first("inertia"))
        if mass is None or tensor is None or mass.attributes.get("value", "").strip("+-0. "):
            continue
        if any(value.strip("+-0. ") for value in tensor.attributes.values()):
            found.append(link.attributes.get("name", ""))
    return found


def _oblique_planes(root: XmlElement) -> list[str]:
    return [e.attributes.get("name", "") for e in _find_joints(root, "planar") if _axis(e) != [0.0, 0.0, 1.0]]


def _axis(joint: XmlElement) -> list[float]:
    element = joint.first("axis")
    words = "1 0 0" if element is None else element.attributes.get("xyz", "1 0 0")
    return [float(word) for word in words.split()]


def _damped_planes(root: XmlElement) -> list[str]:
    damped = ((e, e.first("dynamics")) for e in _find_joints(root, "planar"))
    return [
        e.attributes.get("name", "")
        for e, dynamics in damped
        if dynamics is not None and dynamics.attributes.get("damping", "").strip("+-0. ")
    ]


def list_quaternions(root: XmlElement) -> list[str]:
    """List links and joints with quat_xyzw."""
    tags = ("link", "joint")
    return [
        e.attributes.get("name", "")
        for e in root.children
        if e.tag in tags and any("quat_xyzw" in inner.attributes for inner in e.walk())
    ]


def _impossible(root: XmlElement) -> list[str]:
    """List links with an impossible tensor: a moment that is negative or exceeds the sum of the others."""
    found = []
    for link in _find_named(root, "link"):
        inertial = link.first("inertial")
        inertia = None if inertial is None else inertial.first("inertia")
        if inertia is None:
            continue
        own = inertia.attributes or {e.tag: e.text for e in inertia.children}
        xx, xy, xz, yy, yz, zz = (float(own.get(key, "1" if key[1] == key[2] else "0")) for key in SIX)
        moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if moments[0] < 0 or moments[0] + moments[1] < moments[2] * (1 - EDGE):
            found.append(link.attributes.get("name", ""))
    return found


def _find_named(root: XmlElement, tag: str) -> list[XmlElement]:
    return [e for e in root.walk() if e.tag == tag and "name" in e.attributes]


def _without_weight(root: XmlElement) -> list[str]:
    """List links with gravity switched off."""
    found = []
    for link in _find_named(root, "link"):
        gravity = link.first("gravity")
        if gravity is not None and gravity.text.lower() in ("0", "false"):
            found.append(link.attributes["name"])
    return found


def _list_universal(root: XmlElement, tag: str, such: Callable[[set[float]], bool]) -> list[str]:
    """List universal joints of an SDF that have such numbers in the dynamics of their axes, 0 without."""
    found = []
    for joint in _find_joints(root, "universal"):
        axes = ([e for a in joint.all(axis) for d in a.all("dynamics") for e in d.all(tag)] for axis in AXES)
        if such({float(said[0].text) if said else 0.0 for said in axes}):
            found.append(joint.attributes.get("name", ""))
    return found


def _unlike_axes(root: XmlElement) -> list[str]:
    return _list_universal(root, "damping", lambda numbers: len(numbers) > 1)


def _sprung_axes(root: XmlElement) -> list[str]:
    return _list_universal(root, "spring_stiffness", any)


def _rubbing(root: XmlElement) -> list[str]:
    """List joints with dry friction, in a URDF or an SDF."""
    said = ((joint, e) for joint in _find_named(root, "joint") for e in joint.walk() if e.tag == "dynamics")
    texts = ((j, e.attributes.get("friction", getattr(e.first("friction"), "text", ""))) for j, e in said)
    return list(dict.fromkeys(joint.attributes["name"] for joint, text in texts if text.strip().strip("+-0.")))


def find_rotors(root: XmlElement) -> list[str]:
    """List joints of transmissions with a rotor."""
    found = ((t, e) for t in root.all("transmission") for e in t.walk() if e.tag == INERTIA_OF_ROTOR)
    geared = [t for t, e in found if e.attributes.get("value", "").strip("+-0. ")]
    return [joint.attributes.get("name", "") for t in geared for joint in t.all("joint")]


def _list_weighed(root: XmlElement) -> list[str]:
    """List links, other than the root, that have collision shapes but no inertial."""
    children = {e.attributes.get("link") for joint in root.all("joint") for e in joint.all("child")}
    links = (e for e in root.all("link") if e.first("inertial") is None and e.first("collision") is not None)
    return [name for e in links if (name := e.attributes.get("name", "")) in children]


def _of_mujoco(root: XmlElement) -> list[str]:
    """List the attributes in <mujoco> that act on the motion."""
    return list(dict.fromkeys(key for own in root.all("mujoco") for key in acting(own)))


def _of_drake(root: XmlElement) -> list[str]:
    """List Drake's own elements that act on the motion and that our readers do not read."""
    found, waiting = [], [root]
    while waiting:
        element = waiting.pop()
        if element.tag.startswith("drake:") and element.tag not in DRAKE_READ:
            found.append(element.tag)
        if element.tag not in DRAKE_HARMLESS:
            waiting += element.children
    return list(dict.fromkeys(tag for tag in found if tag not in DRAKE_HARMLESS))


# Changes of a text that imitate a program's misreading of elements.


def drop(tag: str, within: str = "") -> Callable[[XmlElement], None]:
    """Return a change that removes all elements with a tag, or only those directly within another tag."""

    def take(root: XmlElement) -> None:
        for element in root.walk():
            if not within or element.tag == within:
                element.content = [c for c in element.content if isinstance(c, str) or c.tag != tag]

    return take


def forget_attribute(tag: str, key: str, parent: str = "") -> Callable[[XmlElement], None]:
    """Return a change that removes an attribute of all elements with a tag, or only of those directly in ``parent``."""

    def take(root: XmlElement) -> None:
        for above in root.walk():
            for element in above.all(tag) if not parent or above.tag == parent else ():
                element.attributes.pop(key, None)

    return take


def _smooth(root: XmlElement) -> None:
    forget_attribute("dynamics", "friction")(root)
    drop("friction", "dynamics")(root)


def _flatten_planes(root: XmlElement) -> None:
    for joint in _find_joints(root, "planar"):
        joint.content = [c for c in joint.content if isinstance(c, str) or c.tag != "axis"]
        joint.content.append(XmlElement("axis", {"xyz": "0 0 1"}, joint.at))


def _undamp_planes(root: XmlElement) -> None:
    for joint in _find_joints(root, "planar"):
        forget_attribute("dynamics", "damping")(joint)


def _drop_weightless(root: XmlElement) -> None:
    names = _weightless(root)
    for link in root.all("link"):
        if link.attributes.get("name", "") in names:
            link.content = [c for c in link.content if isinstance(c, str) or c.tag != "inertial"]


def _give_weight(root: XmlElement) -> None:
    for link in _find_named(root, "link"):
        link.content = [c for c in link.content if isinstance(c, str) or c.tag != "gravity"]


def _make_water_balls(root: XmlElement) -> None:
    """Replace physically impossible tensors by that of a solid ball of water of the same mass."""
    names = _impossible(root)
    for link in _find_named(root, "link"):
        inertial = link.first("inertial")
        mass = None if inertial is None else inertial.first("mass")
        if inertial is None or mass is None or link.attributes["name"] not in names:
            continue
        m = float(mass.attributes.get("value", mass.text))
        moment = repr(0.4 * m * (0.75 * m / (np.pi * WATER)) ** (2 / 3))
        values = dict.fromkeys(("ixx", "iyy", "izz"), moment) | dict.fromkeys(("ixy", "ixz", "iyz"), "0")
        for inertia in inertial.all("inertia"):
            if inertia.attributes:
                inertia.attributes.update(values)
            else:
                inertia.content = [XmlElement(key, {}, inertia.at, [text]) for key, text in values.items()]


def _damp_alike(root: XmlElement) -> None:
    """Give the second axis of a universal joint the damping of the first."""
    for joint in _find_joints(root, "universal"):
        one, other = map(joint.first, AXES)
        if joint.attributes.get("name", "") not in _unlike_axes(root) or one is None or other is None:
            continue
        other.content = [c for c in other.content if isinstance(c, str) or c.tag != "dynamics"]
        other.content += one.all("dynamics")


def _unspring(root: XmlElement) -> None:
    for joint in _find_joints(root, "universal"):
        drop("spring_stiffness")(joint)


def _obey_compiler(root: XmlElement) -> None:
    """Change masses and tensors as MuJoCo's compiler does by <mujoco>; raise LookupError if that has other effects.

    It raises also if there are fixed joints: the result depends on the order in which they merge links.
    """
    compiler = {key: text for own in root.all("mujoco") for e in own.walk() for key, text in e.attributes.items()}
    words = ("boundmass", "boundinertia", "balanceinertia", "settotalmass")
    if {*_of_mujoco(root)} - {*words} or _find_joints(root, "fixed"):
        raise LookupError
    least, bound, total = (float(compiler.get(key, other)) for key, other in (*zip(words[:2], "00"), (words[3], "-1")))
    masses: list[XmlElement] = []
    for inertial in (i for link in root.all("link") for i in link.all("inertial")):
        mass, inertia = inertial.first("mass"), inertial.first("inertia")
        if mass is None or inertia is None:
            raise LookupError
        mass.attributes["value"] = repr(max(float(mass.attributes["value"]), least))
        xx, xy, xz, yy, yz, zz = (float(inertia.attributes.get(key, "0")) for key in SIX)
        moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        moments = np.fmax(moments, bound)
        if compiler.get("balanceinertia") == "true" and moments[0] + moments[1] < moments[2]:
            moments = np.full(3, moments.mean())
        _write_tensor(inertia, axes @ np.diag(moments) @ axes.T)
        masses += (mass, inertia)
    if total > 0:
        factor = total / sum(float(e.attributes["value"]) for e in masses if e.tag == "mass")
        for element in masses:
            for key, text in element.attributes.items():
                element.attributes[key] = repr(float(text) * factor)


def _write_tensor(inertia: XmlElement, J: Array) -> None:
    for key, value in zip(SIX, (*J[0], *J[1, 1:], J[2, 2]), strict=True):
        inertia.attributes[key] = repr(float(value))


def _weigh(root: XmlElement) -> None:
    """Give links without an inertial that of their collision shapes, at the density of water, without meshes."""
    for link in root.all("link"):
        if link.attributes.get("name", "") not in _list_weighed(root):
            continue
        lumps = [lump for lump in map(_measure, link.all("collision")) if lump is not None]
        if lumps:
            whole = together(lumps)
            xx, yy, zz, xy, xz, yz = map(repr, map(float, six(whole.tensor)))
            tensor = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
            centre = " ".join(repr(float(x)) for x in whole.centre)
            made = XmlElement("inertial", {}, link.at)
            made.content += [
                XmlElement(tag, attributes, link.at)
                for tag, attributes in (
                    ("origin", {"xyz": centre}),
                    ("mass", {"value": repr(float(whole.mass))}),
                    ("inertia", tensor),
                )
            ]
            link.content.append(made)


def _measure(collision: XmlElement) -> ShapeMass | None:
    """Return mass, centre and tensor of a collision shape, in the frame of its link; None for a mesh."""
    geometry = collision.first("geometry")
    for shape in geometry.children if geometry is not None else ():
        size = {key: [float(x) for x in text.split()] for key, text in shape.attributes.items() if key != "filename"}
        sizes = {
            "box": lambda s: [x / 2 for x in s["size"]],
            "sphere": lambda s: [*s["radius"], 0.0, 0.0],
            "cylinder": lambda s: [*s["radius"], s["length"][0] / 2, 0.0],
            "capsule": lambda s: [*s["radius"], s["length"][0] / 2, 0.0],
        }
        if shape.tag in sizes:
            a, b, c = sizes[shape.tag](size)
            made = solid(shape.tag, (a, b, c))
            return None if made is None else made.scale(WATER).transform(_pose(collision.first("origin")))
    return None


def _pose(origin: XmlElement | None) -> FloatPose:
    if origin is None:
        return HERE
    roll, pitch, yaw = (float(x) for x in origin.attributes.get("rpy", "0 0 0").split())
    R = rotation_about(2, yaw) @ rotation_about(1, pitch) @ rotation_about(0, roll)
    return FloatPose(R, np.array([float(x) for x in origin.attributes.get("xyz", "0 0 0").split()]))


KNOWN: Final = (
    KnownFault("mujoco", EVER, _of_mujoco, "MuJoCo obeys <mujoco> in a URDF", _obey_compiler),
    KnownFault("drake", EVER, _of_drake, "Drake obeys elements of its own"),
    KnownFault(
        "mujoco", ((3, 1, 3), (3, 13, 0)), _turned_inertials, "MuJoCo 3.1.3 to 3.13.0 drops turns of inertials",
        forget_attribute("origin", "rpy", "inertial"),
    ),
    KnownFault(
        "mujoco", ((3, 3, 3), (3, 10, 0)), _turned_fixed, "MuJoCo 3.3.3 to 3.10.0 merges turned fixed links wrongly"
    ),
    KnownFault("mujoco", EVER, _weightless, "MuJoCo drops the inertia of a fixed link without mass", _drop_weightless),
    KnownFault(
        "mujoco", EVER, list_quaternions, "MuJoCo does not read quat_xyzw", forget_attribute("origin", "quat_xyzw")
    ),
    KnownFault("mujoco", EVER, find_rotors, "MuJoCo reads no rotors of transmissions", drop(INERTIA_OF_ROTOR)),
    KnownFault(
        "mujoco", EVER, _list_weighed,
        "MuJoCo weighs the collision shapes of links without inertial, at 1000 kg/m³", _weigh,
    ),
    KnownFault("drake", EVER, _impossible, "Drake replaces a tensor that no body has by that of a ball of water",
        _make_water_balls,
    ),
    KnownFault("drake", EVER, _weightless, "Drake drops the inertia of a fixed link without mass", _drop_weightless),
    KnownFault(
        "drake", EVER, list_quaternions, "Drake does not read quat_xyzw", forget_attribute("origin", "quat_xyzw")
    ),
    KnownFault("drake", EVER, _without_weight, "Drake gives every link of an SDF its weight", _give_weight),
    KnownFault("drake", EVER, _unlike_axes, "Drake damps both axes of a universal joint alike", _damp_alike),
    KnownFault("drake", EVER, _sprung_axes, "Drake applies no springs along universal joints", _unspring),
    KnownFault(
        "pinocchio", EVER, _damped_planes, "Pinocchio does not keep the damping of a planar joint", _undamp_planes
    ),
    KnownFault(
        "pinocchio", EVER, _oblique_planes, "Pinocchio takes a planar joint in the plane xy, whatever its axis",
        _flatten_planes,
    ),
    KnownFault("mujoco", EVER, _rubbing, "MuJoCo makes of dry friction a soft constraint of its solver", _smooth),
    KnownFault("drake", EVER, _rubbing, "Drake does not read the dry friction of joints", _smooth),
    KnownFault("pinocchio", EVER, _rubbing, "Pinocchio applies no dry friction", _smooth),
    KnownFault("pinocchio", EVER, find_rotors, "Pinocchio reads no rotors of transmissions", drop(INERTIA_OF_ROTOR)),
)  # fmt: skip


def find_known(peer: Peer, text: str) -> list[FoundFault]:
    """List the known differences that a program has in a text, or in the copy of it that the program read."""
    if not any(fault.program == peer.name for fault in KNOWN):  # it reads no XML
        return []
    root = parse(peer.text or text, "-").root
    found = (FoundFault(fault, tuple(fault.find_elements(peer, root))) for fault in KNOWN)
    return [one for one in found if one.names]


def known_causes(peer: Peer, text: str) -> str:
    """Return the descriptions of a program's known differences in a text; empty if there are none."""
    return "; ".join(map(str, find_known(peer, text)))


def read_as_taken(original: Original, faults: Sequence[FoundFault]) -> System | None:
    """Return the model that a text is as a program misreads it; None if that is unknown or cannot be read."""
    root = parse(original.text, "-").root
    for one in faults:
        if one.fault.take is None:
            return None
        try:
            one.fault.take(root)
        except LookupError:
            return None
    try:
        text = "\n".join(print_lines(root))
        return registry.read_text(text, original.file, original.format, "ignore").system
    except MbconcordError:
        return None
