"""Effects along coordinates: damping and dry friction as forces, mimics as rows, rotors; and omissions of the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import isfinite
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.joints import MIMIC, rub
from mbconcord.converters.xml_attributes import (
    XACRO,
    list_unknown_attributes,
    moves_joint,
    number_in,
    numbers_in,
    read_name,
    stop_gaps,
)
from mbconcord.converters.xml_text import LONGEST, XmlDocument, XmlElement, summarize_element
from mbconcord.model import Armature, Holonomic, JointEffort, LinearLaw, Location, Omission
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import ONE, ZERO, Expression, symbol
from mbconcord.model.limits import format_names
from mbconcord.model.omission import FRICTION, Effect, find_stiction

from ..vocabulary import (
    ACTING_NUMBERS,
    ACTING_WHERE,
    APPLIED,
    BESIDE,
    BESIDE_ATTRIBUTES,
    DAMPING,
    GEAR,
    HARMLESS,
    HARMLESS_ATTRIBUTES,
    HARMLESS_PLUGINS,
    IDLE_ATTRIBUTES,
    IDLE_WHERE,
    IDLE_WHERE_ZERO,
    INERTIA_OF_ROTOR,
    MOTION,
    NO_STOP,
    OF_MUJOCO,
    PLANAR,
    ROTOR,
    TURNED,
    TYPES,
)
from .robot import Robot, UrdfJoint

# Contents of a URDF outside of the equations of motion: each is an omission of the model, in the order of the file.


def omissions(document: XmlDocument, robot: Robot, findings: Findings) -> Iterator[Omission]:
    """Yield the omissions; warn about elements that URDF does not know."""
    for number, comment in enumerate(document.comments(), 1):
        if said := " ".join(comment.text.split()):
            yield Omission(f"comment/{number}", "comment", said, "none")
    joints = {id(joint.element): joint for joint in robot.joints}
    yield from _attributes(document.root, "robot", findings)
    for element in document.root.children:
        name = element.attributes.get("name") or element.attributes.get("reference") or element.tag
        if element.tag in MOTION["robot"]:
            yield from _attributes(element, name, findings)
            yield from _inside(element, name, findings)
            for key in ("friction", "damping") if id(element) in joints else ():
                joint = joints[id(element)]
                moves = TYPES[joint.type] if key == "friction" else joint.type in TURNED
                if moves and constant(joint, key, findings):
                    kind, said = f"joint-{key}", f'{key}="{joint.dynamics[key]}"'
                    if TYPES[joint.type] == 1:
                        yield find_stiction(name, said)
                    else:
                        findings.locations[f"omissions/{kind}/{name}"] = element.at
                        yield Omission(f"{kind}/{name}", kind, said, "forces", bodies=(joint.child,))
        else:
            turns = element.tag == "transmission" and find_turned_joint(element, robot) is not None
            yield _beside(element, "robot", name, findings, turns)


def _inside(element: XmlElement, name: str, findings: Findings) -> Iterator[Omission]:
    """Yield the omissions in an element that is read."""
    read = MOTION.get(element.tag, {})
    for child in element.children:
        if child.tag not in read:
            if element.tag == "joint" and child.tag == "limit":
                if not _no_stop(child):
                    yield _limit(element, child, name)
            else:
                yield _beside(child, element.tag, name, findings)
        elif child is not element.first(child.tag):
            message = f"<{child.tag}> stands twice in <{element.tag}> of {name!r}: the first is read"
            findings.remark("warning", "", child.at, message, "remove one")
            yield _left_out("block", name, child, "unknown")
        else:
            yield from _attributes(child, name, findings, element.tag)
            yield from _inside(child, name, findings)


def _beside(element: XmlElement, parent: str, name: str, findings: Findings, turns: bool = False) -> Omission:
    """Return the omission of an element that is not read, or of a transmission's parts other than its rotor."""
    kind, effect = BESIDE.get(parent, {}).get(element.tag, ("block", "unknown"))
    if element.tag.startswith("xacro:"):
        findings.refuse(element.at, f"found <{element.tag}>: macros are not expanded here", XACRO)
    elif kind == "block":
        known = format_names(f"<{tag}>" for tag in (*MOTION.get(parent, {}), *BESIDE.get(parent, {})))
        message = f"<{element.tag}> in <{parent}> is not known, and left out"
        findings.remark("warning", f"{parent} {element.tag}", element.at, message, f"known: {known or 'none'}")
    elif kind == "transmission" and turns:
        return Omission(f"{kind}/{name}", kind, summarize_element(without_rotor(element)), effect)
    elif kind == "transmission" and has_rotor(element):
        return _left_out("rotor", name, element, "inertia")
    elif kind == "extension" and (found := acting(element)):
        program = "MuJoCo" if element.tag == "mujoco" else "Gazebo"
        named = f"{name * (name != element.tag)} ({program}: {format_names(found)})".strip()
        effects = {*found.values()}
        if program == "MuJoCo" and found.keys() <= APPLIED:
            message = f"{format_names(found)} of <mujoco> acts in MuJoCo, and is left out here"
            remedy = "--read as=mujoco applies it, in Python program='mujoco'"
            findings.remark("warning", "", element.at, message, remedy, "extension/mujoco")
        return _left_out(kind, named, element, effects.pop() if len(effects) == 1 else "unknown")
    elif element.tag == "contact" and any(_scales(e) for e in element.all("inertia_scaling")):
        return _left_out("extension", f"{name} (Bullet: inertia_scaling)", element, "inertia")
    elif effect == "unknown" and not _acts_here(element):
        return _left_out(kind, name, element, "none")
    return _left_out(kind, name, element, effect)


def _limit(joint: XmlElement, limit: XmlElement, name: str) -> Omission:
    """Return the omission of a joint's stops; it has gaps to the stops if the joint has ends."""
    moves = joint.attributes.get("type") in ("revolute", "prismatic")
    ends = [limit.attributes.get(key) for key in ("lower", "upper")]
    lower, upper = (end or "0" for end in ends)  # what is missing is 0
    gaps = stop_gaps(name, lower, upper) if moves and any(ends) else ()
    return Omission(f"joint-limit/{name}", "joint-limit", summarize_element(limit), "none", gaps=gaps)


def _left_out(kind: str, name: str, element: XmlElement, effect: Effect) -> Omission:
    return Omission(f"{kind}/{name}", kind, summarize_element(element), effect)


def _attributes(element: XmlElement, name: str, findings: Findings, parent: str = "robot") -> Iterator[Omission]:
    """Yield omissions for attributes that URDF does not know."""
    known = {*MOTION.get(parent, {}).get(element.tag, ()), *BESIDE_ATTRIBUTES.get(element.tag, ())}
    yield from list_unknown_attributes(element, name, known, _is_idle, findings)


def _is_idle(element: XmlElement, key: str) -> bool:
    """Return True for an attribute unknown to URDF that does not affect the motion."""
    if key in IDLE_ATTRIBUTES.get(element.tag, ()):
        return True
    acting = IDLE_WHERE_ZERO.get(key) if element.tag == "dynamics" else None
    return acting is not None and not element.attributes.get(acting, "0").strip("+-0. ")


def _no_stop(element: XmlElement) -> bool:
    """Return True for limits without effect, as the writer adds them where URDF requires limits."""
    return {*element.attributes.values()} <= {NO_STOP, f"-{NO_STOP}"}


def acting(extension: XmlElement) -> dict[str, Effect]:
    """Map the parts of an extension that affect the motion in their program (MuJoCo, Gazebo) to their effects."""
    if extension.tag == "mujoco":
        said = ((key, text) for e in extension.walk() for key, text in e.attributes.items())
        told = (
            (key, text, *OF_MUJOCO.get(key, ((), "unknown"))) for key, text in said if key not in HARMLESS_ATTRIBUTES
        )
        return {key: effect for key, text, idle, effect in told if _plain(text) not in map(_plain, idle)}
    gazebo = extension.children if extension.tag == "gazebo" else ()
    return {f"{e.tag} {_library(e) * (e.tag == 'plugin')}".strip(): "unknown" for e in gazebo if _acts_here(e)}


def _library(plugin: XmlElement) -> str:
    """Return the bare name of a plugin's library; empty if there is none."""
    path = plugin.attributes.get("filename") or plugin.attributes.get("plugin", "")
    return path.rpartition("/")[2].removeprefix("lib").removesuffix(".so").removesuffix("-system")


def _plain(text: str) -> tuple[float | str, ...]:
    """Return the words of a value as numbers if all are, so that 0.0 equals 0; else as texts."""
    words = text.split()
    try:
        return tuple(map(float, words))
    except ValueError:
        return tuple(words)


def _scales(element: XmlElement) -> bool:
    return _plain(element.attributes.get("value", element.text)) != (1.0,)


def _acts_here(element: XmlElement) -> bool:
    """Return True if an element in <gazebo> may affect the motion."""
    text = element.attributes.get("value", element.text)  # Gazebo reads the attribute first
    if element.tag in ACTING_WHERE:
        return text.lower() in ACTING_WHERE[element.tag]
    if element.tag in IDLE_WHERE:
        return text.lower() not in IDLE_WHERE[element.tag]
    if element.tag in ACTING_NUMBERS:
        return any(said.strip("+-0. ") for said in (text, *(e.text for e in element.children)))
    if element.tag == "physics":
        return moves_joint(element)
    if element.tag == "plugin" or element.tag.startswith("controller:"):
        return _library(element) not in HARMLESS_PLUGINS
    return element.tag not in HARMLESS and not element.tag.startswith("sensor:")


def masses(robot: Robot, findings: Findings) -> None:
    """Warn of joints that move nothing with mass, so that their coordinates have no inertia."""
    carried: dict[str, bool] = {}
    for link in reversed([*robot.outward()]):
        own = link.element.first("inertial")
        heavy = carried.get(link.name, False) or (own is not None and _weighs(own))
        joint = robot.carrying.get(link.name)
        if joint is None:
            continue
        carried[joint.parent] = carried.get(joint.parent, False) or heavy
        if not heavy and TYPES[joint.type]:
            what = "it has no <inertial>" if own is None else "its mass and inertia are zero"
            message = f"the joint {joint.name!r} moves nothing with mass: of its link {link.name!r}, {what}"
            remedy = "its coordinate has no inertia: give the link mass, or fix the joint"
            findings.remark("warning", "", link.element.at, message, remedy, f"bodies/{link.name}/inertia")


def refused_by_ros(root: XmlElement, text: str, robot: Robot, findings: Findings) -> None:
    """Warn of contents that are read here and refused by urdfdom, the parser of ROS and Pinocchio."""
    if not root.attributes.get("name"):
        _warn_of_ros("no name given for the robot", root, findings)
    if root.attributes.get("version", "1.0") not in ROS_VERSIONS:
        found = root.attributes["version"]
        _warn_of_ros(f"version {found!r} is none of {', '.join(ROS_VERSIONS)}", root, findings)
    for joint in robot.joints:
        element, limit = joint.element, joint.element.first("limit")
        dynamics, safety = element.first("dynamics"), element.first("safety_controller")
        parts = (e for e in element.children if e is element.first(e.tag))
        what = next((f"has a <{e.tag}> whose {wrong}" for e in parts for wrong in _list_invalid(e)), "")
        if joint.type in ("revolute", "prismatic") and limit is None:
            what = f"is of type {joint.type.upper()} but it does not specify limits"
        elif joint.type == "spherical":
            what = "has no known type [spherical]"
        elif limit is not None and not {"effort", "velocity"} <= limit.attributes.keys():
            what = f"has a <limit> without {'velocity' if 'effort' in limit.attributes else 'effort'}"
        elif dynamics is not None and not {"damping", "friction"} & dynamics.attributes.keys():
            what = "has <dynamics> with no damping and no friction"
        elif safety is not None and "k_velocity" not in safety.attributes:
            what = "has a <safety_controller> without k_velocity"
        if what:
            _warn_of_ros(f"joint {joint.name!r} {what}", element, findings)
    for link in robot.links.values():
        for element in link.element.children:
            wrong = [(part, said) for part in element.walk() for said in _list_invalid(part)]
            if not wrong or element.tag not in ROS_WITHOUT:
                continue
            part, said = max(wrong, key=lambda found: found[0].tag == "mass")  # which is read first
            follows = (
                "ROS reads moments of inertia that are zero" if part.tag == "inertia" else ROS_WITHOUT[element.tag]
            )
            message = f"link {link.name!r}: {follows}: <{part.tag}> has a number that it cannot read, {said}"
            findings.remark("warning", f"broken {part.tag}", part.at, message, "write a number with nothing behind it")
    seen: set[str] = set()
    for material in root.all("material"):
        name = material.attributes.get("name", "")
        if name in seen:
            _warn_of_ros(f"material {name!r} is not unique", material, findings)
        seen.add(name)
    _warn_of_breaks(_COMMENT.sub(lambda comment: " " * len(comment[0]), text), text, findings)


def _warn_of_breaks(bare: str, text: str, findings: Findings) -> None:
    """Warn of numbers that urdfdom cannot separate, and of the consequence; ``bare`` is the text without comments."""
    for broken in islice(_BROKEN.finditer(bare), MOST_BROKEN):
        pieces = re.split(" +", broken[2].strip(" "))
        wrong = next((piece for piece in pieces if not piece.strip() or re.search(r"\s", piece.lstrip())), None)
        if wrong is None:
            continue
        at = broken.start()
        line = text.count("\n", 0, at) + 1
        place = Location(findings.file, line, at - text.rfind("\n", 0, at))
        inside = max(ROS_WITHOUT, key=lambda tag: bare.rfind(f"<{tag}", 0, at))
        said = f"Unable to parse component [{repr(wrong)[1:-1]:.{LONGEST}}] to a double"
        message = f"{broken[1]} has a line break or a tab between its numbers: {ROS_WITHOUT[inside]}: {said}"
        findings.remark("warning", f"broken {inside}", place, message, "write blanks between them")


def _list_invalid(element: XmlElement) -> Iterator[str]:
    """Yield values that urdfdom cannot read as numbers: not finite, not a number, or followed by a blank."""
    for key in ROS_NUMBERS.get(element.tag, ()):
        text = element.attributes.get(key)
        try:
            valid = text is None or (isfinite(float(text)) and text == text.rstrip())
        except ValueError:
            valid = False
        if text is not None and not valid:
            behind = ": a blank or a line break is behind it" if text.strip() != text.lstrip() else ""
            yield f"{key} ({text:.{LONGEST}}) is not a valid float{behind}"


#: Versions of URDF that urdfdom accepts.
ROS_VERSIONS: Final = ("1.0", "1.1", "1.2")
#: Element -> its attributes that urdfdom reads as one number each.
ROS_NUMBERS: Final = {
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("multiplier", "offset"),
    "safety_controller": ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
    "calibration": ("rising", "falling"),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
}
#: Most broken numbers that are searched for.
MOST_BROKEN: Final = 100
#: Pattern of numbers in an attribute with a line break or a tab, of which a parser of XML makes a blank.
_BROKEN = re.compile(r"""\b(xyz|rpy|rgba|size|scale)\s*=\s*["']([^"'<>\t\r\n]*[\t\r\n][^"'<>]*)""")
_COMMENT = re.compile("<!--.*?-->", re.DOTALL)
#: Element -> the reaction of urdfdom to numbers in it that it cannot read.
ROS_WITHOUT: Final = {
    "joint": "ROS refuses the file",
    "inertial": "ROS reads a link without mass",
    "visual": "ROS goes on without the element",
    "collision": "ROS goes on without the element",
    "material": "ROS goes on without the element",
}


def _warn_of_ros(what: str, element: XmlElement, findings: Findings) -> None:
    remedy = "robot_state_publisher, MoveIt and Pinocchio do not start with it: complete it"
    findings.remark(
        "warning", f"ros {what.rpartition(chr(39))[2]}", element.at, f"ROS refuses the file: {what}", remedy
    )


def _weighs(inertial: XmlElement) -> bool:
    """Return True if any number of an inertial is nonzero."""
    parts = (inertial.first("mass"), inertial.first("inertia"))
    return any(text.strip("+-0. ") for part in parts if part is not None for text in part.attributes.values())


# Rotors of transmissions that turn with a joint, as Drake reads them from a ``<transmission>``.
#
# J behind the gear ratio n adds n² J to the moment of inertia along the joint.


def find_turned_joint(transmission: XmlElement, robot: Robot) -> str | None:
    """Return the only joint of a transmission, with which its rotor turns; None unless it has one coordinate."""
    joints = {joint.name: joint for joint in robot.joints}
    named = [joint.attributes.get("name", "") for joint in transmission.all("joint")]
    if len(named) != 1 or len(transmission.all("actuator")) != 1 or named[0] not in joints:
        return None
    return named[0] if TYPES[joints[named[0]].type] == 1 else None


def has_rotor(transmission: XmlElement) -> bool:
    """Return True if a transmission gives a nonzero inertia of its rotor."""
    return any(e.tag == INERTIA_OF_ROTOR and e.attributes.get("value", "").strip("0.") for e in transmission.walk())


def without_rotor(transmission: XmlElement) -> XmlElement:
    """Return a transmission without inertia and gear ratio of its rotor, which are read."""
    made = XmlElement(transmission.tag, transmission.attributes, transmission.at)
    for part in transmission.content:
        if isinstance(part, XmlElement) and part.tag == "actuator" and part.first(INERTIA_OF_ROTOR) is not None:
            beside = [c for c in part.content if isinstance(c, str) or c.tag not in (INERTIA_OF_ROTOR, GEAR)]
            part = XmlElement(part.tag, part.attributes, part.at, beside)
        made.content.append(part)
    return made


def rotors(root: XmlElement, robot: Robot, findings: Findings) -> Iterator[Armature]:
    """Yield an armature for each rotor that turns with a joint; its name is the joint's, numbered from the second."""
    count: Counter[str] = Counter()
    for transmission in root.all("transmission"):
        joint = find_turned_joint(transmission, robot)
        if joint is None or not has_rotor(transmission):
            continue
        actuator = transmission.all("actuator")[0]
        inertia_at, gear_at = actuator.first(INERTIA_OF_ROTOR), actuator.first(GEAR)
        inertia = None if inertia_at is None else number_in(inertia_at, "value", findings)
        gear = ONE if gear_at is None else number_in(gear_at, "value", findings)
        if inertia is None or gear is None:
            continue
        count[joint] += 1
        name = joint + ROTOR + (str(count[joint]) if count[joint] > 1 else "")
        findings.locations[f"armatures/{name}"] = transmission.at
        yield Armature(name, inertia, {joint: gear})


def efforts(robot: Robot, findings: Findings) -> Iterator[JointEffort]:
    """Yield the force -d q' along each coordinate of a damped joint, except for floating and spherical joints.

    Joints of one coordinate have dry friction by Coulomb's law, -F sign(q').
    """
    for joint in robot.joints:
        rough = constant(joint, "friction", findings)
        if rough and TYPES[joint.type] == 1:
            findings.locations[f"forces/{joint.name}{FRICTION}"] = joint.element.at
            if rough.value < 0:
                findings.refuse_friction(joint.element.at, joint.name, joint.dynamics["friction"])
            yield rub(joint.name, rough)
        value = constant(joint, "damping", findings)
        if not value or not TYPES[joint.type] or joint.type in TURNED:
            continue
        for ending in PLANAR if joint.type == "planar" else ("",):
            coordinate = joint.name + ending
            findings.locations[f"forces/{coordinate}{DAMPING}"] = joint.element.at
            yield JointEffort(coordinate + DAMPING, coordinate, LinearLaw(d=value))


def constant(joint: UrdfJoint, key: str, findings: Findings) -> Expression:
    """Read a constant of a joint's ``<dynamics>``; zero by default."""
    element = joint.element.first("dynamics")
    found = None if element is None else numbers_in(element, key, 1, findings)
    return found[0] if found else ZERO


def mimics(robot: Robot, findings: Findings) -> Iterator[Holonomic]:
    """Yield a row q_k - multiplier q_j - offset = 0 for each joint that mimics another."""
    joints = {joint.name: joint for joint in robot.joints}
    for joint in robot.joints:
        element = joint.element.first("mimic")
        if element is None or not TYPES[joint.type]:  # what is fixed copies nothing
            continue
        leader = read_name(element, "joint", findings)
        multiplier = numbers_in(element, "multiplier", 1, findings) or [ONE]
        offset = numbers_in(element, "offset", 1, findings) or [ZERO]
        if leader is None:
            continue
        if leader not in joints:
            findings.refuse(element.at, f"there is no joint {leader!r}", among(leader, joints))
        elif leader == joint.name:
            findings.refuse(element.at, f"the joint {leader!r} mimics itself", "name the joint that leads")
        elif TYPES[joint.type] != 1 or TYPES[joints[leader].type] != 1:
            other = joint if TYPES[joint.type] != 1 else joints[leader]
            message = f"{joint.name!r} mimics {leader!r}, and {other.name!r} is {other.type}"
            findings.refuse(element.at, message, "both have one coordinate")
        else:
            name = joint.name + MIMIC
            findings.locations[f"constraints/{name}"] = element.at
            row = symbol(joint.name) - multiplier[0] * symbol(leader) - offset[0]
            yield Holonomic(name, row)
