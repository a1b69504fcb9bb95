"""What a URDF says besides the equations of motion: each is an omission of the model, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_attributes import XACRO
from mbconcord.converters.xml_text import LONGEST, Document, Element, told
from mbconcord.model import Omission
from mbconcord.model.limits import listed
from mbconcord.model.omission import Effect

from ..vocabulary import ACTING, ACTING_WHERE, BESIDE, BESIDE_ATTRIBUTES, MOTION, NO_STOP, TYPES
from .effects import constant
from .robot import Robot
from .rotors import has_rotor, turned, without_rotor


def omissions(document: Document, robot: Robot, findings: Findings) -> Iterator[Omission]:
    """What is left out; of what URDF does not know a warning tells too."""
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
            joint = joints.get(id(element))
            for key in ("friction", "damping") if id(element) in joints else ():
                joint = joints[id(element)]
                if constant(joint, key, findings) and (key == "friction" or joint.type == "floating"):
                    kind, value = f"joint-{key}", joint.dynamics[key]
                    yield Omission(f"{kind}/{name}", kind, f'{key}="{value}"', "forces")
        else:
            turns = element.tag == "transmission" and turned(element, robot) is not None
            yield _beside(element, "robot", name, findings, turns)


def _inside(element: Element, name: str, findings: Findings) -> Iterator[Omission]:
    """What an element that is read holds besides what is read of it."""
    read = MOTION.get(element.tag, {})
    for child in element.children:
        if child.tag not in read:
            if not _no_stop(child):
                yield _beside(child, element.tag, name, findings)
        elif child is not element.first(child.tag):
            message = f"<{child.tag}> stands twice in <{element.tag}> of {name!r}: the first is read"
            findings.remark("warning", "", child.at, message, "remove one")
            yield _left_out("block", name, child, "unknown")
        else:
            yield from _attributes(child, name, findings, element.tag)
            yield from _inside(child, name, findings)


def _beside(element: Element, parent: str, name: str, findings: Findings, turns: bool = False) -> Omission:
    """An element of which nothing is read; of a transmission that turns with a joint the rotor is."""
    kind, effect = BESIDE.get(parent, {}).get(element.tag, ("block", "unknown"))
    if element.tag.startswith("xacro:"):
        findings.refuse(element.at, f"found <{element.tag}>: macros are not expanded here", XACRO)
    elif kind == "block":
        known = listed(f"<{tag}>" for tag in (*MOTION.get(parent, {}), *BESIDE.get(parent, {})))
        message = f"<{element.tag}> in <{parent}> is not known, and left out"
        findings.remark(
            "warning", f"{parent} {element.tag}", element.at, message, f"known: {known or 'none'}"
        )
    elif kind == "transmission" and turns:
        return Omission(f"{kind}/{name}", kind, told(without_rotor(element)), effect)
    elif kind == "transmission" and has_rotor(element):
        return _left_out("rotor", name, element, "inertia")
    elif kind == "extension" and _acts(element):
        return _left_out(kind, name, element, "unknown")
    return _left_out(kind, name, element, effect)


def _left_out(kind: str, name: str, element: Element, effect: Effect) -> Omission:
    return Omission(f"{kind}/{name}", kind, told(element), effect)


def _attributes(element: Element, name: str, findings: Findings, parent: str = "robot") -> Iterator[Omission]:
    """Attributes that URDF does not know."""
    known = {*MOTION.get(parent, {}).get(element.tag, ()), *BESIDE_ATTRIBUTES.get(element.tag, ())}
    for key, value in element.attributes.items():
        if key not in known and not key.startswith("xmlns"):
            message = f"the attribute {key} of <{element.tag}> is not known, and left out"
            remedy = f"known: {listed(sorted(known)) or 'none'}"
            findings.remark("warning", f"{element.tag} {key}", element.at, message, remedy)
            yield Omission(f"attribute/{name}", "attribute", f'{element.tag} {key}="{value:.{LONGEST}}"')


def _no_stop(element: Element) -> bool:
    """Whether it is limits that limit nothing: those that are written where a joint must have some."""
    return element.tag == "limit" and {*element.attributes.values()} <= {NO_STOP, f"-{NO_STOP}"}


def _acts(extension: Element) -> bool:
    """Whether another program takes something of the motion from it."""
    words: Mapping[str, tuple[str, ...]] = ACTING_WHERE
    return any(e.tag in ACTING or e.text.lower() in words.get(e.tag, ()) for e in extension.walk())


def masses(robot: Robot, findings: Findings) -> None:
    """Warn of joints that move nothing that has mass: their coordinates have no inertia."""
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


def _weighs(inertial: Element) -> bool:
    """Whether any number of an inertial is not zero."""
    parts = (inertial.first("mass"), inertial.first("inertia"))
    return any(text.strip("+-0. ") for part in parts if part is not None for text in part.attributes.values())
