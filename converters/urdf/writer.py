"""Conversion of the model to a URDF text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mbconcord.converters import losses
from mbconcord.converters.carried import list_lost_omissions, list_part_losses, remarks
from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import NO_FITTINGS, Fitted, Fittings
from mbconcord.converters.format import Writing
from mbconcord.converters.joints import JointStep, Mimic, frictions, linear_in, mimics, steps
from mbconcord.converters.losses import elastic
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

from . import HOLDS
from .elements import UrdfNames, UrdfTemplate, fit, joint, link, shapes, whole
from .reader import read
from .reading.effects import has_rotor, without_rotor
from .vocabulary import DAMPING, DRAKE, FLOATING, GEAR, GRAVITY, INERTIA_OF_ROTOR, PLANAR, ROTOR, TEXT, WORLD

# Losses of a model in a URDF.


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
        kept = [] if template is None else template.beside(template.document.root)
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
