"""What acts along coordinates: damping as forces, mimics as constraint rows."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.converters.findings import Findings
from mbconcord.converters.mimics import MIMIC
from mbconcord.converters.xml_attributes import named, numbers_in
from mbconcord.model import Holonomic, JointEffort, LinearLaw
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import ONE, ZERO, Expression, symbol

from ..vocabulary import DAMPING, PLANAR, TYPES
from .robot import Joint, Robot


def damping(robot: Robot, findings: Findings) -> Iterator[JointEffort]:
    """A force -d q' for each coordinate of a joint that is damped; that of a floating joint is left out."""
    for joint in robot.joints:
        value = constant(joint, "damping", findings)
        if not value or TYPES[joint.type] not in (1, 3):
            continue
        for ending in PLANAR if joint.type == "planar" else ("",):
            coordinate = joint.name + ending
            findings.locations[f"forces/{coordinate}{DAMPING}"] = joint.element.at
            yield JointEffort(coordinate + DAMPING, coordinate, LinearLaw(d=value))


def constant(joint: Joint, key: str, findings: Findings) -> Expression:
    """A constant of a joint's ``<dynamics>``; zero where there is none."""
    element = joint.element.first("dynamics")
    found = None if element is None else numbers_in(element, key, 1, findings)
    return found[0] if found else ZERO


def mimics(robot: Robot, findings: Findings) -> Iterator[Holonomic]:
    """A row q_k - multiplier q_j - offset = 0 for each joint that copies another."""
    joints = {joint.name: joint for joint in robot.joints}
    for joint in robot.joints:
        element = joint.element.first("mimic")
        if element is None or not TYPES[joint.type]:  # what is fixed copies nothing
            continue
        leader = named(element, "joint", findings)
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
