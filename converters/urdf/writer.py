"""Conversion of the model to a URDF text."""

from __future__ import annotations

from collections import Counter

# Losses of a model in a URDF.
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Final

from mbconcord.converters import losses
from mbconcord.converters.carried import (
    Carried,
    XmlNames,
    list_lost_omissions,
    list_part_losses,
    remarks,
    replace_unwritable,
)
from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import NO_FITTINGS, Fitted, Fittings, Shape
from mbconcord.converters.format import Writing
from mbconcord.converters.joints import JointStep, Mimic, Transformations, frictions, linear_in, mimics, steps
from mbconcord.converters.losses import elastic
from mbconcord.converters.poses import origin
from mbconcord.converters.xml_text import XmlElement, make_element, print_document
from mbconcord.model import (
    Armature,
    Body,
    Constant,
    ElementaryTransformation,
    Inertia,
    JointEffort,
    Loss,
    System,
    rotation,
)
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import MINUS_ONE, ONE, PI_NODE, ZERO, Expression, apply, number, rate, sqrt
from mbconcord.model.transformation import Vector, shift

from . import HOLDS
from .reader import read
from .reading.effects import has_rotor, without_rotor
from .reading.robot import floating, planar
from .vocabulary import (
    DAMPING,
    DRAKE,
    FLOATING,
    GEAR,
    GRAVITY,
    INERTIA_OF_ROTOR,
    MOTION,
    NO_STOP,
    PLANAR,
    ROTOR,
    TEXT,
    TURNED,
    WORLD,
)


class UrdfNames(XmlNames):
    """Written names of links and joints, and of additional ones."""

    def body(self, name: str | None) -> str:
        """Return the written name of a body's link; that of the root for the fixed frame."""
        return WORLD if name is None else self.bodies.get(name, name)

    def coordinate(self, name: str) -> str:
        """Return the written name of a coordinate's joint."""
        return self.coordinates.get(name, name)

    def new_link(self, name: str) -> str:
        """Return a new name, based on a wanted one, for a link that is no body of the model."""
        return self.links.fresh(replace_unwritable(name))

    def new_joint(self, name: str) -> str:
        """Return a new name, based on a wanted one, for a joint without a coordinate."""
        return self.joints.fresh(replace_unwritable(name))


# The URDF that a model was read from: written again if unchanged, else used for contents outside of the dynamics.


class UrdfTemplate(Carried):
    """The URDF document kept with a model, with access to its links and joints."""

    @classmethod
    def from_system(cls, system: System) -> UrdfTemplate | None:
        """Return the template in a model's metadata; None if missing or unreadable."""
        return cls.from_metadata(system, TEXT, read)

    def says(self, system: System) -> bool:
        """Return True if the text describes this model, including its name if it has one."""
        return self.document.root.attributes.get("name", system.name) == system.name and super().says(system)

    def carrying(self, link: str) -> XmlElement | None:
        """Return the element of the joint that carries a link; None if there is none."""
        return self._carrying.get(link)

    @cached_property
    def _carrying(self) -> dict[str, XmlElement]:
        children = ((e, e.first("child")) for e in self.document.root.all("joint"))
        return {child.attributes["link"]: e for e, child in children if child is not None}

    def list_beside(self, element: XmlElement | None) -> list[XmlElement]:
        """Return an element's content other than the equations of motion, without comments."""
        if element is None:
            return []
        return [child for child in element.children if child.tag not in MOTION[element.tag]]


# Transformations that form one joint of several coordinates, as it would be read.


def whole(moving: Transformations, system: System, single: Set[str]) -> tuple[str, str, Vector | None, int] | None:
    """Return name, kind, axis and count of transformations of a planar or floating joint; None if they form none."""
    names = system.coordinate_names
    for kind, endings in (("floating", FLOATING), ("planar", PLANAR)):
        count = len(endings)
        found = tuple(et.coordinate or "" for et in moving[:count])
        name = found[0].removesuffix(endings[0]) if found else ""
        if found != tuple(name + ending for ending in endings) or any(et.coordinate for et in moving[count:]):
            continue
        at = names.index(found[0])
        axis = moving[count - 1].axis
        made = floating(name) if kind == "floating" else planar(name, axis)
        if made == tuple(moving[:count]) and names[at : at + count] == found and {*single}.isdisjoint(found):
            return name, kind, None if kind == "floating" else axis, count
    return None


def link(name: str, inertia: Inertia | None, numbers: ConstantReader, template: UrdfTemplate | None) -> XmlElement:
    """Return the element of a link: tensor in link axes about the centre of mass; no ``<inertial>`` if it is zero."""
    own = template.element("link", name) if template else None
    made = make_element("link", {**(own.attributes if own else {}), "name": name})
    if inertia is not None and not inertia.is_zero:
        place = f"bodies/{name}/inertia"
        inside: list[XmlElement] = []
        if any(inertia.centre):
            centre = numbers.texts(place, inertia.centre)
            inside.append(make_element("origin", {"xyz": centre, "rpy": "0 0 0"}))
        xx, yy, zz, xy, xz, yz = (numbers.text(place, x) for x in inertia.tensor)
        moments = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        mass = make_element("mass", {"value": numbers.text(place, inertia.mass)})
        made.content.append(make_element("inertial", {}, *inside, mass, make_element("inertia", moments)))
    made.content += template.list_beside(own) if template else ()
    return made


def joint(
    step: JointStep,
    name: str,
    names: UrdfNames,
    numbers: ConstantReader,
    acting: Mapping[str, Mapping[str, Expression]],
    mimic: Mimic | None,
    template: UrdfTemplate | None,
) -> XmlElement:
    """Return the element of a joint, with limits of the source URDF; ``acting``: <dynamics> by coordinate."""
    own = template.element("joint", name) if template else None
    beside = template.list_beside(own) if template else []
    place = f"bodies/{step.child}/joint"
    made = make_element("joint", {**(own.attributes if own else {}), "name": name, "type": _type(step, own)})
    placed = origin(step.origin, numbers, place)
    if placed:
        made.content.append(make_element("origin", placed))
    made.content.append(make_element("parent", {"link": names.body(step.parent)}))
    made.content.append(make_element("child", {"link": names.body(step.child)}))
    if step.axis is not None:
        made.content.append(make_element("axis", {"xyz": numbers.texts(place, step.axis)}))
    dynamics = own.first("dynamics") if own else None
    attributes = dict(dynamics.attributes) if dynamics is not None else {}
    if step.kind not in TURNED:
        attributes.pop("damping", None)
    if len(step.coordinates) == 1:
        attributes.pop("friction", None)
    for coordinate in step.coordinates[:1]:
        attributes |= {key: numbers.text(place, of[coordinate]) for key, of in acting.items() if coordinate in of}
    if attributes:
        made.content.append(make_element("dynamics", attributes))
    if mimic is not None:
        leader = {"joint": names.coordinate(mimic.leader)}
        if mimic.multiplier is not ONE:
            leader["multiplier"] = numbers.text(mimic.place, mimic.multiplier)
        if mimic.offset:
            leader["offset"] = numbers.text(mimic.place, mimic.offset)
        made.content.append(make_element("mimic", leader))
    made.content += beside
    needs = step.kind == "translation" and not any(e.tag == "limit" for e in beside)
    if needs:
        stops = {"lower": f"-{NO_STOP}", "upper": NO_STOP, "effort": NO_STOP, "velocity": NO_STOP}
        made.content.append(make_element("limit", stops))
    return made


def fit(made: XmlElement, coordinate: str, fittings: Fittings, fitted: Fitted, numbers: ConstantReader) -> None:
    """Add the limit and the dry friction in ``fittings`` of a coordinate to the element of its joint."""
    limit, rough = fittings.limits.get(coordinate), fittings.friction.get(coordinate)
    place = f"coordinates/{coordinate}"
    if rough is not None:
        fitted.hold_friction(rough, "URDF")
        dynamics = made.first("dynamics")
        if dynamics is None:
            dynamics = make_element("dynamics", {})
            made.content.append(dynamics)
        dynamics.attributes.setdefault("friction", numbers.text(place, rough.value))
    if limit is None:
        return
    fitted.hold_limit(limit, "URDF")
    made.content = [c for c in made.content if isinstance(c, str) or c.tag != "limit"]
    lower, upper = (numbers.text(place, end) for end in limit.ends)
    most = {
        key: NO_STOP if value is None else numbers.text(place, value)
        for key, value in (("effort", limit.effort), ("velocity", limit.velocity))
    }
    if limit.stops and made.attributes["type"] == "continuous":
        made.attributes["type"] = "revolute"
    ends = {} if made.attributes["type"] == "continuous" else {"lower": lower, "upper": upper}
    made.content.append(make_element("limit", ends | most))


def shapes(
    fittings: Fittings, body: str | None, before: Transformations, fitted: Fitted, numbers: ConstantReader
) -> Iterator[XmlElement]:
    """Yield the shapes of a body as visuals and collisions, in a frame from which ``before`` leads to the body's."""
    for shape in fittings.on(body):
        place = f"omissions/{shape.place}"
        if shape.kind not in SHAPES and shape.kind != "capsule":
            fitted.lose(shape.place, f"the {shape.kind}", f"URDF has no {shape.kind}")
            continue
        fitted.hold_shape(shape)
        for tag in ("visual",) * shape.seen + ("collision",) * any(shape.contacts):
            for kind, size, pose in parts(shape):
                made = make_element(tag, {})
                placed = origin((*before, *pose), numbers, place)
                if placed:
                    made.content.append(make_element("origin", placed))
                texts = [numbers.text(place, x) for x in size]
                attributes = {"filename": shape.file} if kind == "mesh" else {}
                keys = SHAPES[kind]
                attributes |= dict(zip(keys, texts, strict=True)) if len(keys) > 1 else {keys[0]: " ".join(texts)}
                if attributes.get("scale") == "1 1 1":
                    del attributes["scale"]
                made.content.append(make_element("geometry", {}, make_element(kind, attributes)))
                if shape.colour is not None and tag == "visual":
                    rgba = numbers.texts(place, shape.colour)
                    colour = make_element("color", {"rgba": rgba})
                    made.content.append(make_element("material", {"name": rgba.replace(" ", "_")}, colour))
                yield made


#: Kinds of shapes -> the attributes of their sizes.
SHAPES: Final = {
    "box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "mesh": ("scale",),
}  # fmt: skip


def parts(shape: Shape) -> Iterator[tuple[str, Sequence[Expression], Transformations]]:
    """Yield kind, size and pose of the shapes that make up one in URDF: for a capsule a cylinder and two spheres."""
    if shape.kind != "capsule":
        yield shape.kind, shape.size, shape.pose
        return
    radius, length = shape.size
    yield "cylinder", shape.size, shape.pose
    for end in (length / 2, -length / 2):
        yield "sphere", (radius,), (*shape.pose, *shift((ZERO, ZERO, end)))


def _type(step: JointStep, own: XmlElement | None) -> str:
    """Return URDF's type of a joint: a rotation is continuous unless the source URDF has it revolute."""
    if step.kind == "rotation":
        said = own.attributes.get("type") if own is not None else None
        return "revolute" if said == "revolute" else "continuous"
    return "prismatic" if step.kind == "translation" else step.kind


def list_losses(
    system: System, used: Collection[str], held: Mapping[str, str], fitted: Fitted | None
) -> Iterator[Loss]:
    """Yield the losses of a model in a URDF, in the order of the model.

    ``used`` names parameters with written values. ``held`` maps places of written forces, constraints and armatures to
    the names that are read back. ``fitted`` records the omissions that are written, None if the text is based on the
    model's own URDF.
    """
    yield from losses.coordinates(system, HOLDS)
    yield from losses.parameters(system, used, "URDF")
    yield from list_part_losses(system, HOLDS, held, TEXT, fitted)


# Gravity of a URDF is 9.81 m/s² along -z of the fixed frame: the world of a model is rotated to match.


def gravity(system: System, numbers: ConstantReader, losses: list[Loss]) -> tuple[ElementaryTransformation, ...]:
    """Return the rotation of the fixed frame that makes gravity act along -z; append losses to ``losses``."""
    losses += _size(system, numbers)
    if system.gravity is None:
        return ()
    x, y, z = system.gravity.direction
    if z is MINUS_ONE:
        return ()
    direction = ", ".join(map(str, (x, y, z)))
    what = f"that things fall along ({direction}) of the fixed frame"
    losses.append(Loss("gravity", what, "in a URDF they fall along -z: the fixed frame is turned", acts=False))
    if z is ONE:
        return (rotation("x", PI_NODE),)
    across = sqrt(x * x + y * y)
    angle: Expression = PI_NODE / 2 if z is ZERO else apply("atan2", across, -z)
    return (rotation((-y, x, ZERO), Constant(angle)),)


def _size(system: System, numbers: ConstantReader) -> Iterator[Loss]:
    reason = f"programs that read a URDF take {GRAVITY} m/s²"
    size = ZERO if system.gravity is None else numbers.value("gravity", system.gravity.value)
    if not size:
        yield Loss("gravity", "the absence of gravity", reason)
    elif size is not number(GRAVITY):
        yield Loss("gravity", f"the size {numbers.text('gravity', size)} m/s² of gravity", reason)


# Forces that are damping.


def damping(system: System, numbers: ConstantReader, held: dict[str, str]) -> dict[str, Expression]:
    """Return damping constants by coordinate; record in ``held`` the name under which each force is read back."""
    found: dict[str, Expression] = {}
    for force in system.forces:
        if isinstance(force, JointEffort) and force.coordinate not in found:
            formula = numbers.definitions.apply([force.expression()])[0]
            constant = linear_in(numbers, formula, rate(force.coordinate))
            if constant is not None and constant[1] is ZERO and constant[0]:
                place = f"forces/{force.name}"
                found[force.coordinate] = numbers.value(place, -constant[0])
                numbers.formula(place, force.expression())
                held[place] = force.coordinate + DAMPING
    return found


# Armatures of one joint as rotors of transmissions.


TYPE = "transmission_interface/SimpleTransmission"


def rotors(system: System, held: dict[str, str]) -> list[tuple[str, Armature]]:
    """Return armatures of one coordinate, each with it; record in ``held`` the name under which each is read back."""
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
    kept: Iterable[XmlElement], turned: Iterable[tuple[str, Armature]], names: UrdfNames, numbers: ConstantReader
) -> Iterator[XmlElement]:
    """Yield transmissions of the source URDF with updated rotors, then new ones for the remaining armatures."""
    waiting = [(names.coordinate(coordinate), armature) for coordinate, armature in turned]
    taken: set[str] = set()
    for transmission in kept:
        joints = [e.attributes.get("name", "") for e in transmission.all("joint")]
        actuators = transmission.all("actuator")
        if len(joints) == len(actuators) == 1 and has_rotor(transmission):
            transmission = without_rotor(transmission)
            own = next((i for i, (each, _) in enumerate(waiting) if each == joints[0]), None)
            if own is not None:
                transmission.all("actuator")[0].content += _rotor(waiting.pop(own)[1], numbers)
        taken.add(transmission.attributes.get("name", ""))
        yield transmission
    for turned_by, armature in waiting:
        name = f"{turned_by}{ROTOR}"
        while name in taken:
            name += "_"
        taken.add(name)
        yield _new(name, turned_by, _rotor(armature, numbers))


def _rotor(armature: Armature, numbers: ConstantReader) -> list[XmlElement]:
    place = f"armatures/{armature.name}"
    (gear,) = armature.coefficients.values()
    return [
        make_element(INERTIA_OF_ROTOR, {"value": numbers.text(place, armature.inertia)}),
        make_element(GEAR, {"value": numbers.text(place, gear)}),
    ]


def _new(name: str, joint: str, rotor: list[XmlElement]) -> XmlElement:
    return make_element(
        "transmission",
        {"name": name},
        make_element("type", {}, TYPE),
        make_element("joint", {"name": joint}),
        make_element("actuator", {"name": name}, *rotor),
    )


def write(system: System, fittings: Fittings = NO_FITTINGS) -> Writing:
    """Write the URDF of a model.

    A model that was read from a URDF is written from it: unchanged if nothing changed, else anew, with content other
    than the equations of motion (shapes, limits, transmissions, extensions) placed by the names of links and joints. A
    joint of several coordinates becomes joints of one, with massless links between them.

    Identities: ``read(write(m)) == m`` for a model that was read from a URDF; ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        A number has no value; a mass is negative.
    """
    losses: list[Loss] = [*elastic(system, HOLDS)]
    system = rigid(system)
    template, numbers = UrdfTemplate.from_system(system), ConstantReader(system, "a URDF")
    held: dict[str, str] = {}
    damped, copied = damping(system, numbers, held), mimics(system, numbers, held)
    rough = frictions(system, numbers, held)
    turned = rotors(system, held)
    if template is not None and template.says(system):
        losses += list_losses(system, numbers.used, held, None)
        return Writing(template.text, tuple(losses))
    written = _Written(system, template, numbers, turned, damped, rough, copied, losses, fittings)
    text = print_document(written.comments, written.robot)
    if numbers.missing:
        raise WriteError(numbers.missing.values())
    losses += [*written.names.losses(), *list_losses(system, numbers.used, held, written.fitted)]
    if template is not None:
        losses += [*list_lost_omissions(system, read(text, "-").system, "URDF", losses)]
    places = frozenset() if written.fitted is None else written.fitted.places
    return Writing(text, tuple(losses), written.names.coordinates, fitted=places)


class _Written:
    """Elements of the written model: ``robot`` with its links and joints, and the comments before it."""

    def __init__(
        self,
        system: System,
        template: UrdfTemplate | None,
        numbers: ConstantReader,
        turned: list[tuple[str, Armature]],
        damped: dict[str, Expression],
        rough: dict[str, Expression],
        copied: dict[str, Mimic],
        losses: list[Loss],
        fittings: Fittings,
    ) -> None:
        self.system, self.template, self.numbers = system, template, numbers
        self.fittings = fittings if template is None else NO_FITTINGS  # its own text holds them
        self.fitted = Fitted() if template is None else None
        self.damped, self.rough, self.copied = damped, rough, copied
        turn = gravity(system, numbers, losses)
        roots = [body for body in system.bodies if body.parent is None]
        rooted = len(roots) != 1 or bool(turn or roots[0].joint) or roots[0].name == WORLD
        self.names = UrdfNames(system, WORLD, rooted)
        bodies = [replace(b, joint=(*turn, *b.joint)) if b.parent is None else b for b in system.bodies]
        links, joints = [], []
        if rooted:
            links.append(link(WORLD, None, numbers, template))
        for body in bodies:
            made = [] if not rooted and body.parent is None else [*self._steps(body)]
            links += (link(step.child, None, numbers, template) for step in made if step.child != body.name)
            links.append(link(self.names.body(body.name), self._inertia(body), numbers, template))
            if self.fitted is not None:
                links[-1].content += shapes(self.fittings, body.name, (), self.fitted, numbers)
            joints += made
        if self.fitted is not None and links:  # what is fixed in the world, on the root, which does not move
            links[0].content += shapes(self.fittings, None, turn, self.fitted, numbers)
        kept = [] if template is None else template.list_beside(template.document.root)
        own = {} if template is None else template.document.root.attributes
        self.robot = make_element("robot", {**own, "name": system.name})
        self.robot.content += [e for e in kept if e.tag == "material"]
        self.robot.content += [*links, *self._joints(joints)]
        geared = [e for e in kept if e.tag == "transmission"]
        self.robot.content += transmissions(geared, turned, self.names, numbers)
        self.robot.content += [e for e in kept if e.tag not in ("material", "transmission")]
        if any(e.tag.startswith(f"{DRAKE[0]}:") for e in self.robot.walk()):
            self.robot.attributes.setdefault(f"xmlns:{DRAKE[0]}", DRAKE[1])
        self.comments, unwritable = remarks(system, self.robot)
        losses += unwritable

    def _inertia(self, body: Body) -> Inertia:
        place = f"bodies/{body.name}/inertia"
        mass = self.numbers.value(place, body.inertia.mass)
        if self.numbers.precise(place, mass) < 0:
            self.numbers.missing[place] = error(place, f"the mass is {mass} kg", "a mass is not negative")
        return body.inertia

    def _steps(self, body: Body) -> Iterator[JointStep]:
        """Yield joints that carry a body; coordinates that mimic, lead or have own damping get joints of their own."""
        single = {*self.copied, *(mimic.leader for mimic in self.copied.values()), *self.rough}
        for endings in (FLOATING, PLANAR):
            for name in body.coordinates:
                group = [name.removesuffix(endings[0]) + ending for ending in endings]
                values = {self.damped.get(n) for n in group}
                alike = values == {None} or (endings is PLANAR and len(values) == 1)
                if {*group} <= {*body.coordinates} and not alike:
                    single |= {*group}
        return steps(body, lambda moving: whole(moving, self.system, single), self.names.new_link)

    def _joints(self, made: Sequence[JointStep]) -> Iterator[XmlElement]:
        """Yield joints at the places of their bodies, with moving joints sorted by the order of coordinates."""
        order = {name: i for i, name in enumerate(self.system.coordinate_names)}
        moving = iter(sorted((s for s in made if s.name), key=lambda s: order[s.coordinates[0]]))
        for slot in made:
            step = next(moving) if slot.name else slot
            yield self._joint(step)

    def _joint(self, step: JointStep) -> XmlElement:
        own = self.template.carrying(step.child) if self.template else None
        if step.name:
            name = self.names.coordinate(step.name)
        else:
            fixed = own is not None and own.attributes["type"] == "fixed"
            name = self.names.new_joint(own.attributes["name"] if own is not None and fixed else f"{step.child}_fixed")
        mimic = self.copied.get(step.name)
        acting = {"damping": self.damped, "friction": self.rough}
        made = joint(step, name, self.names, self.numbers, acting, mimic, self.template)
        if self.fitted is not None and step.name and len(step.coordinates) == 1:
            fit(made, step.name, self.fittings, self.fitted, self.numbers)
        return made
