"""Armatures of one joint as rotors of transmissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from mbconcord.converters.constants import Numbers
from mbconcord.converters.xml_text import Element
from mbconcord.model import Armature, System

from ..reading.rotors import has_rotor, without_rotor
from ..vocabulary import GEAR, INERTIA_OF_ROTOR, ROTOR
from .elements import element
from .names import Names

TYPE = "transmission_interface/SimpleTransmission"


def rotors(system: System, held: dict[str, str]) -> list[tuple[str, Armature]]:
    """Armatures of one coordinate, by it; of each the name that it is read with goes to ``held``."""
    count: Counter[str] = Counter()
    found = []
    moving = {name for body in system.bodies for name in body.coordinates}
    for armature in system.armatures:
        coordinate = next(iter(armature.coefficients))
        if len(armature.coefficients) == 1 and coordinate in moving:
            count[coordinate] += 1
            number = str(count[coordinate]) if count[coordinate] > 1 else ""
            held[f"armatures/{armature.name}"] = f"{coordinate}{ROTOR}{number}"
            found.append((coordinate, armature))
    return found


def transmissions(
    kept: Iterable[Element], turned: Iterable[tuple[str, Armature]], names: Names, numbers: Numbers
) -> Iterator[Element]:
    """The transmissions of the model's own URDF with these rotors in place of theirs, and new ones for the rest."""
    waiting = [(names.coordinate(coordinate), armature) for coordinate, armature in turned]
    taken: set[str] = set()
    for transmission in kept:
        joints = [e.attributes.get("name", "") for e in transmission.all("joint")]
        actuators = transmission.all("actuator")
        if len(joints) == len(actuators) == 1 and has_rotor(transmission):
            transmission = without_rotor(transmission)
            own = next((i for i, (joint, _) in enumerate(waiting) if joint == joints[0]), None)
            if own is not None:
                transmission.all("actuator")[0].content += _rotor(waiting.pop(own)[1], numbers)
        taken.add(transmission.attributes.get("name", ""))
        yield transmission
    for joint, armature in waiting:
        name = f"{joint}{ROTOR}"
        while name in taken:
            name += "_"
        taken.add(name)
        yield _new(name, joint, _rotor(armature, numbers))


def _rotor(armature: Armature, numbers: Numbers) -> list[Element]:
    place = f"armatures/{armature.name}"
    (gear,) = armature.coefficients.values()
    return [
        element(INERTIA_OF_ROTOR, {"value": numbers.text(place, armature.inertia)}),
        element(GEAR, {"value": numbers.text(place, gear)}),
    ]


def _new(name: str, joint: str, rotor: list[Element]) -> Element:
    return element(
        "transmission",
        {"name": name},
        element("type", {}, TYPE),
        element("joint", {"name": joint}),
        element("actuator", {"name": name}, *rotor),
    )
