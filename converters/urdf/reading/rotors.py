"""Rotors of transmissions that turn with a joint: what Drake reads of a ``<transmission>``.

J behind the gear ratio n adds n² J to the moment of inertia along the joint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_attributes import number_in
from mbconcord.converters.xml_text import Element
from mbconcord.model import Armature
from mbconcord.model.expressions import ONE

from ..vocabulary import GEAR, INERTIA_OF_ROTOR, ROTOR, TYPES
from .robot import Robot


def turned(transmission: Element, robot: Robot) -> str | None:
    """The joint with which the rotor of a transmission turns: its only one, of one coordinate; else None."""
    joints = {joint.name: joint for joint in robot.joints}
    named = [joint.attributes.get("name", "") for joint in transmission.all("joint")]
    if len(named) != 1 or len(transmission.all("actuator")) != 1 or named[0] not in joints:
        return None
    return named[0] if TYPES[joints[named[0]].type] == 1 else None


def has_rotor(transmission: Element) -> bool:
    """Whether it says an inertia of a rotor that is not zero."""
    return any(
        e.tag == INERTIA_OF_ROTOR and e.attributes.get("value", "").strip("0.") for e in transmission.walk()
    )


def without_rotor(transmission: Element) -> Element:
    """The transmission as it is without what is read of it."""
    made = Element(transmission.tag, transmission.attributes, transmission.at)
    for part in transmission.content:
        if isinstance(part, Element) and part.tag == "actuator" and part.first(INERTIA_OF_ROTOR) is not None:
            beside = [c for c in part.content if isinstance(c, str) or c.tag not in (INERTIA_OF_ROTOR, GEAR)]
            part = Element(part.tag, part.attributes, part.at, beside)
        made.content.append(part)
    return made


def rotors(root: Element, robot: Robot, findings: Findings) -> Iterator[Armature]:
    """An armature for each rotor that turns with a joint, called after it, numbered from the second on."""
    count: Counter[str] = Counter()
    for transmission in root.all("transmission"):
        joint = turned(transmission, robot)
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
