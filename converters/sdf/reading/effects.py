"""What acts along coordinates: springs and damping, copies of joints and screws as rows, rotors; weight that is off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.converters.findings import Findings
from mbconcord.converters.mimics import MIMIC
from mbconcord.converters.springs import DAMPING, SPRING
from mbconcord.converters.xml_attributes import named
from mbconcord.converters.xml_text import Element
from mbconcord.model import Armature, Gravity, Holonomic, Inertia, JointEffort, LinearLaw, Point, PointForce
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import PI_NODE, TWO, symbol
from mbconcord.model.transformation import vector

from ..vocabulary import GEAR, INERTIA_OF_ROTOR, ROTOR, SCREW, WEIGHTLESS
from .joints import Joint, Joints
from .scopes import Frame
from .tree import Tree
from .values import scalar, yes


def forces(tree: Tree, findings: Findings) -> Iterator[JointEffort]:
    """-k (q - q₀) and -d q' of the axes of joints that carry links."""
    for joint in tree.joints:
        for coordinate, axis in joint.axes.items():
            dynamics = axis.first("dynamics")
            k, rest, d = (
                scalar(dynamics, tag, "0", findings)
                for tag in ("spring_stiffness", "spring_reference", "damping")
            )
            laws = ((SPRING, k, LinearLaw(k=k, l0=rest)), (DAMPING, d, LinearLaw(d=d)))
            for ending, constant, law in laws:
                if constant and dynamics is not None:
                    findings.locations[f"forces/{coordinate}{ending}"] = dynamics.at
                    yield JointEffort(coordinate + ending, coordinate, law)


def screws(tree: Tree, findings: Findings) -> Iterator[Holonomic]:
    """A row s - p q / 2π = 0 between the shift and the turn of a screw of the pitch p, metres a turn, right-handed."""
    for joint in tree.joints:
        if joint.type == "screw":
            turn, slide = joint.coordinates
            findings.locations[f"constraints/{joint.name}{SCREW}"] = joint.frame.element.at
            pitch = scalar(joint.frame.element, "screw_thread_pitch", "1", findings)
            yield Holonomic(joint.name + SCREW, symbol(slide) - pitch * symbol(turn) / (TWO * PI_NODE))


def mimics(tree: Tree, joints: Joints, findings: Findings) -> Iterator[Holonomic]:
    """A row q - m (leader - reference) - offset = 0 for each axis that copies another."""
    moving = {name for joint in tree.joints for name in joint.axes}
    for joint in tree.joints:
        for coordinate, axis in joint.axes.items():
            element = axis.first("mimic")
            leader = None if element is None else _leader(element, joint, joints, findings)
            if element is None or leader is None:
                continue
            if leader == coordinate or leader not in moving:
                what = "itself" if leader == coordinate else "a joint that closes a loop, or stands still"
                findings.refuse(element.at, f"{coordinate!r} mimics {what}", "name the joint that leads")
                continue
            m, offset, reference = (
                scalar(element, tag, default, findings)
                for tag, default in (("multiplier", "1"), ("offset", "0"), ("reference", "0"))
            )
            findings.locations[f"constraints/{coordinate}{MIMIC}"] = element.at
            row = symbol(coordinate) - m * (symbol(leader) - reference) - offset
            yield Holonomic(coordinate + MIMIC, row)


def _leader(element: Element, joint: Joint, joints: Joints, findings: Findings) -> str | None:
    """The coordinate that leads: that of a joint's axis."""
    name = named(element, "joint", findings)
    if name is None:
        return None
    full = joint.frame.scope.prefix + name
    if full not in joints.found:
        findings.refuse(element.at, f"there is no joint {name!r}", among(name, joint.frame.scope.frames))
        return None
    leading = joints.found[full]
    tag = element.attributes.get("axis", "axis")
    at = next((c for c, e in leading.axes.items() if e.tag == tag), None)
    if at is None:
        findings.refuse(element.at, f"the joint {name!r} has no <{tag}>", "axis and axis2 are coordinates")
    return at


def rotors(tree: Tree, findings: Findings) -> Iterator[Armature]:
    """A rotor of the inertia J behind the gear ratio n: n² J more along the joint, as Drake reads it."""
    for joint in tree.joints:
        element = joint.frame.element
        inertia = scalar(element, INERTIA_OF_ROTOR, "0", findings)
        if inertia and has_rotor(joint):
            findings.locations[f"armatures/{joint.name}{ROTOR}"] = element.at
            gear = scalar(element, GEAR, "1", findings)
            yield Armature(joint.name + ROTOR, inertia, {joint.coordinates[0]: gear})


def has_rotor(joint: Joint) -> bool:
    """Whether a rotor can turn with a joint: it has one coordinate."""
    return len(joint.coordinates) == 1


def weights(
    links: list[Frame], inertias: Mapping[str, Inertia], gravity: Gravity | None, findings: Findings
) -> Iterator[PointForce]:
    """-m g at the centre of mass of a link that has no weight."""
    for link in links:
        element, own = link.element.first("gravity"), inertias[link.name]
        if element is None or yes(element, True, findings) or gravity is None or not own.mass:
            continue
        findings.locations[f"forces/{link.name}{WEIGHTLESS}"] = element.at
        force = vector(-(own.mass * g) for g in gravity.vector)
        yield PointForce(link.name + WEIGHTLESS, Point(link.name, own.centre), force)
