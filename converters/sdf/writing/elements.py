"""The elements of an SDF: links with their inertias, joints with what acts along their axes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mpmath import mp

from mbconcord.converters.constants import DIGITS, Numbers, shown
from mbconcord.converters.origins import origin
from mbconcord.converters.steps import Transformations
from mbconcord.converters.xml_text import Element
from mbconcord.model import Inertia, Location
from mbconcord.model.expressions import Expression
from mbconcord.model.transformation import Vector

NOWHERE = Location("", 1, 1)
#: In the order in which they are written, and where each stands in the model's.
MOMENTS = (("ixx", 0), ("ixy", 3), ("ixz", 4), ("iyy", 1), ("iyz", 5), ("izz", 2))


def element(tag: str, attributes: Mapping[str, str] | None = None, *content: Element | str) -> Element:
    """A new element."""
    return Element(tag, dict(attributes or {}), NOWHERE, [*content])


def texts(values: Mapping[str, str]) -> Iterable[Element]:
    """Elements that hold a text each."""
    return (element(tag, {}, text) for tag, text in values.items())


def pose(constants: Transformations, numbers: Numbers, place: str, base: str) -> Element:
    """A pose in a frame: shifts, roll, pitch and yaw; empty where it stands in that frame's place."""
    found = origin(constants, numbers, place)
    text = f"{found.get('xyz', '0 0 0')} {found.get('rpy', '0 0 0')}" if found else ""
    return element("pose", {"relative_to": base} if base else {}, *([text] if text else []))


def inertial(inertia: Inertia, numbers: Numbers, place: str) -> Element:
    """Mass and all six moments about the centre of mass, in the axes of the link: unsaid ones would not be zero."""
    made = element("inertial")
    if any(inertia.centre):
        made.content.append(element("pose", {}, f"{numbers.texts(place, inertia.centre)} 0 0 0"))
    made.content.append(element("mass", {}, numbers.text(place, inertia.mass)))
    moments = {key: numbers.text(place, inertia.tensor[i]) for key, i in MOMENTS}
    made.content.append(element("inertia", {}, *texts(moments)))
    return made


def direction(axis: Vector, numbers: Numbers, place: str) -> str:
    """The direction of an axis: of decimals as they are, of others with the largest component 1 or -1."""
    if all(numbers.exact(c) for c in axis):
        return numbers.texts(place, axis)
    with mp.workdps(DIGITS):
        values = [numbers.precise(place, c) for c in axis]
        largest = max(abs(x) for x in values)
        return " ".join(shown(x / largest) for x in values)


def axis(
    tag: str,
    direction: str,
    dynamics: Mapping[str, Expression],
    mimic: Element | None,
    own: Element | None,
    numbers: Numbers,
    place: str,
) -> Element:
    """An axis: its direction, what acts along it, what it copies; limits and friction that its own SDF gave it."""
    made = element(tag, {}, element("xyz", {}, direction))
    acting = {key: numbers.text(place, value) for key, value in dynamics.items() if value}
    before = own.first("dynamics") if own is not None else None
    rough = before.first("friction") if before is not None else None
    if rough is not None:
        acting["friction"] = rough.text
    if acting:
        made.content.append(element("dynamics", {}, *texts(acting)))
    limits = own.first("limit") if own is not None else None
    if limits is not None:
        made.content.append(limits)
    if mimic is not None:
        made.content.append(mimic)
    return made
