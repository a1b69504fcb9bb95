"""The elements of an SDF: links with their inertias, joints with the forces along their axes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from mpmath import mp

from mbconcord.converters.carried import Carried, rename
from mbconcord.converters.constants import DIGITS, ConstantReader, format_number
from mbconcord.converters.fittings import Fitted, Limit, Shape
from mbconcord.converters.joints import Transformations
from mbconcord.converters.poses import origin
from mbconcord.converters.xml_text import UNWRITABLE, XmlElement, make_element
from mbconcord.model import Inertia, Loss, System
from mbconcord.model.expressions import Expression
from mbconcord.model.naming import Namer
from mbconcord.model.transformation import Vector

from ..reader import read
from ..vocabulary import MODEL, MOTION, TEXT, WITHIN, WORLD

# Names of links and joints: those of the model, unless SDF reserves a name or two parts share it.


class SdfNames:
    """Written names: links and joints of one model have different names.

    ``joints`` maps names of joints that carry coordinates of the model to changed names in the text.
    """

    def __init__(self, system: System, joints: Iterable[str]) -> None:
        bodies, joints = [body.name for body in system.bodies], list(joints)
        self.namer = Namer((*bodies, *joints, WORLD))
        self.bodies = rename(bodies, self.namer, {WORLD, *joints}, plain_of)
        self.joints = rename(joints, self.namer, {WORLD}, plain_of)

    def body(self, name: str | None) -> str:
        """Return the written name of a body's link; that of the world for the fixed frame."""
        return WORLD if name is None else self.bodies.get(name, name)

    def joint(self, name: str) -> str:
        """Return the written name of a joint of the model."""
        return self.joints.get(name, name)

    def fresh(self, name: str) -> str:
        """Return a new name of a link or joint that no other has, based on a wanted name."""
        return self.namer.fresh(plain_of(name))

    def losses(self) -> Iterator[Loss]:
        """Yield the losses of bodies that are written under other names."""
        for name, now in self.bodies.items():
            reason = "links and joints have different names, and SDF has names of its own"
            yield Loss(f"bodies/{name}", f"the name {name!r}", f"{reason}; it is written as {now}", acts=False)


def plain_of(name: str) -> str:
    """Return a name without parts that SDF would misread: model separators, words in double underscores."""
    plain = UNWRITABLE.sub("_", name).replace(WITHIN, "__").strip()
    plain = plain or "_"
    return f"{plain}_0" if plain.startswith("__") and plain.endswith("__") else plain


# The SDF that a model was read from: written again if unchanged, else used for contents outside of the dynamics.


class SdfTemplate(Carried):
    """The SDF document kept with a model, with access to links and joints of its only model."""

    @classmethod
    def from_system(cls, system: System) -> SdfTemplate | None:
        """Return the template in a model's metadata; None if missing or unreadable."""
        return cls.from_metadata(system, TEXT, read)

    @cached_property
    def ground(self) -> XmlElement | None:
        """The world; None for a model without one."""
        return self.document.root.first("world")

    @cached_property
    def model(self) -> XmlElement | None:
        """The only model; None if the world has several."""
        models = (self.ground or self.document.root).all("model")
        return models[0] if len(models) == 1 else None

    def beside(self, element: XmlElement | None, known: Collection[str]) -> list[XmlElement]:
        """Return an element's content other than the equations of motion, if its frames are known."""
        if element is None:
            return []
        kept = [child for child in element.children if child.tag not in MOTION[element.tag]]
        return [child for child in kept if _frames(child) <= {*known, WORLD, MODEL, ""}]


def _frames(element: XmlElement) -> set[str]:
    """Return the names of the frames to which poses in an element refer."""
    return {e.attributes.get("relative_to", "") for e in element.walk() if e.tag == "pose"}


#: In the order in which they are written, and where each stands in the model's.
MOMENTS = (("ixx", 0), ("ixy", 3), ("ixz", 4), ("iyy", 1), ("iyz", 5), ("izz", 2))


def texts(values: Mapping[str, str]) -> Iterable[XmlElement]:
    """Yield an element for each tag with its text."""
    return (make_element(tag, {}, text) for tag, text in values.items())


def pose(constants: Transformations, numbers: ConstantReader, place: str, base: str) -> XmlElement:
    """Return the element of a pose in a frame: shifts, roll, pitch and yaw; empty for the identity."""
    found = origin(constants, numbers, place)
    text = f"{found.get('xyz', '0 0 0')} {found.get('rpy', '0 0 0')}" if found else ""
    return make_element("pose", {"relative_to": base} if base else {}, *([text] if text else []))


def inertial(inertia: Inertia, numbers: ConstantReader, place: str) -> XmlElement:
    """Return the element of mass and all six moments about the centre of mass in link axes; defaults are not zero."""
    made = make_element("inertial")
    if any(inertia.centre):
        made.content.append(make_element("pose", {}, f"{numbers.texts(place, inertia.centre)} 0 0 0"))
    made.content.append(make_element("mass", {}, numbers.text(place, inertia.mass)))
    moments = {key: numbers.text(place, inertia.tensor[i]) for key, i in MOMENTS}
    made.content.append(make_element("inertia", {}, *texts(moments)))
    return made


def direction(axis: Vector, numbers: ConstantReader, place: str) -> str:
    """Return the direction of an axis as text: unchanged if all decimals are exact, else scaled to a largest of 1."""
    if all(numbers.exact(c) for c in axis):
        return numbers.texts(place, axis)
    with mp.workdps(DIGITS):
        values = [numbers.precise(place, c) for c in axis]
        largest = max(abs(x) for x in values)
        return " ".join(format_number(x / largest) for x in values)


def axis(
    tag: str,
    direction: str,
    dynamics: Mapping[str, Expression],
    mimic: XmlElement | None,
    limits: XmlElement | None,
    numbers: ConstantReader,
    place: str,
) -> XmlElement:
    """Return the element of an axis with direction, dynamics, limits and mimic."""
    made = make_element(tag, {}, make_element("xyz", {}, direction))
    acting = {key: numbers.text(place, value) for key, value in dynamics.items() if value}
    if acting:
        made.content.append(make_element("dynamics", {}, *texts(acting)))
    if limits is not None:
        made.content.append(limits)
    if mimic is not None:
        made.content.append(mimic)
    return made


def limit(found: Limit, numbers: ConstantReader, place: str) -> XmlElement:
    """Return the element of a limit; missing ends are left to the defaults of SDF, which stop nothing."""
    keys = ("lower", "upper", "effort", "velocity")
    values = ((key, getattr(found, key)) for key in keys)
    return make_element("limit", {}, *texts({key: numbers.text(place, x) for key, x in values if x is not None}))


#: Kinds of shapes -> the elements of their sizes.
SHAPES: Final = {
    "box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length"),
    "ellipsoid": ("radii",), "plane": ("size",), "mesh": ("scale",),
}  # fmt: skip
#: Sides of a plane without end, which SDF does not have.
FAR_SIDE: Final = "100"


def shapes(
    found: Iterable[Shape], before: Transformations, taken: Namer, fitted: Fitted, numbers: ConstantReader
) -> Iterator[XmlElement]:
    """Yield shapes as visuals and collisions of a link; ``before`` leads from the link's frame to that of the poses."""
    for shape in found:
        fitted.hold_shape(shape)
        place, keys = f"omissions/{shape.place}", SHAPES[shape.kind]
        values = [numbers.text(place, x) for x in shape.size]
        if shape.kind == "plane":
            values = [FAR_SIDE if x == "0" else x for x in values] or [FAR_SIDE] * 2
        sizes = dict(zip(keys, values if len(keys) > 1 else [" ".join(values)], strict=True))
        uri = {"uri": shape.file} if shape.kind == "mesh" else {}
        normal = {"normal": "0 0 1"} if shape.kind == "plane" else {}
        for tag in ("visual",) * shape.seen + ("collision",) * any(shape.contacts):
            made = make_element(tag, {"name": taken.fresh(f"{tag}_1")})
            if before or shape.pose:
                made.content.append(pose((*before, *shape.pose), numbers, place, ""))
            made.content.append(
                make_element("geometry", {}, make_element(shape.kind, {}, *texts(uri | normal | sizes)))
            )
            if shape.colour is not None and tag == "visual":
                colour = numbers.texts(place, shape.colour)
                made.content.append(make_element("material", {}, *texts({"ambient": colour, "diffuse": colour})))
            yield made
