"""From the model to the text of a URDF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mbconcord.converters.carried import gone, remarks
from mbconcord.converters.constants import Numbers
from mbconcord.converters.format import Writing
from mbconcord.converters.losses import elastic
from mbconcord.converters.mimics import Mimic, mimics
from mbconcord.converters.steps import Step, steps
from mbconcord.converters.xml_text import Element, printed
from mbconcord.model import Armature, Body, Inertia, Loss, System
from mbconcord.model.diagnostics import WriteError, error
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import Expression

from .holds import HOLDS
from .reader import read
from .vocabulary import FLOATING, PLANAR, WORLD
from .writing.effects import damping
from .writing.elements import element, joint, link
from .writing.gravity import gravity
from .writing.lost import lost
from .writing.names import Names
from .writing.rotors import rotors, transmissions
from .writing.steps import whole
from .writing.template import Template

HEAD = '<?xml version="1.0" encoding="utf-8"?>'


def write(system: System) -> Writing:
    """The URDF of a model.

    A model that was read from a URDF is written by it: as it stands where nothing changed, else anew, with what lies
    beside the equations of motion (shapes, limits, transmissions, extensions) in its place by the names of links and
    joints. A joint of several coordinates becomes joints of one, with links without mass between them.

    Identities: ``read(write(m)) == m`` for a model that was read from a URDF; ``write(read(write(m))) = write(m)``.

    Raises
    ------
    WriteError
        A number that has no value; a negative mass.
    """
    losses: list[Loss] = [*elastic(system, HOLDS)]
    system = rigid(system)
    template, numbers = Template.of(system), Numbers(system, "a URDF")
    held: dict[str, str] = {}
    damped, copied = damping(system, numbers, held), mimics(system, numbers, held)
    turned = rotors(system, held)
    if template is not None and template.says(system):
        losses += lost(system, numbers.used, held, True)
        return Writing(template.text, tuple(losses))
    written = _Written(system, template, numbers, turned, damped, copied, losses)
    text = "\n".join([HEAD, *written.comments, *printed(written.robot)]) + "\n"
    if numbers.missing:
        raise WriteError(numbers.missing.values())
    losses += [*written.names.losses(), *lost(system, numbers.used, held, template is not None)]
    if template is not None:
        known = {loss.place for loss in losses}
        losses += (loss for loss in gone(system, read(text, "-").system, "URDF") if loss.place not in known)
    return Writing(text, tuple(losses), written.names.coordinates)


class _Written:
    """A model as elements."""

    def __init__(
        self,
        system: System,
        template: Template | None,
        numbers: Numbers,
        turned: list[tuple[str, Armature]],
        damped: dict[str, Expression],
        copied: dict[str, Mimic],
        losses: list[Loss],
    ) -> None:
        self.system, self.template, self.numbers = system, template, numbers
        self.damped, self.copied = damped, copied
        turn = gravity(system, numbers, losses)
        roots = [body for body in system.bodies if body.parent is None]
        rooted = len(roots) != 1 or bool(turn or roots[0].joint) or roots[0].name == WORLD
        self.names = Names(system, rooted)
        bodies = [replace(b, joint=(*turn, *b.joint)) if b.parent is None else b for b in system.bodies]
        links, joints = [], []
        if rooted:
            links.append(link(WORLD, None, numbers, template))
        for body in bodies:
            made = [] if not rooted and body.parent is None else [*self._steps(body)]
            links += (link(step.child, None, numbers, template) for step in made if step.child != body.name)
            links.append(link(self.names.body(body.name), self._inertia(body), numbers, template))
            joints += made
        kept = [] if template is None else template.beside(template.document.root)
        own = {} if template is None else template.document.root.attributes
        self.robot = element("robot", {**own, "name": system.name})
        self.robot.content += [e for e in kept if e.tag == "material"]
        self.robot.content += [*links, *self._joints(joints)]
        geared = [e for e in kept if e.tag == "transmission"]
        self.robot.content += transmissions(geared, turned, self.names, numbers)
        self.robot.content += [e for e in kept if e.tag not in ("material", "transmission")]
        self.comments, unwritable = remarks(system, self.robot)
        losses += unwritable

    def _inertia(self, body: Body) -> Inertia:
        place = f"bodies/{body.name}/inertia"
        mass = self.numbers.value(place, body.inertia.mass)
        if self.numbers.precise(place, mass) < 0:
            self.numbers.missing[place] = error(place, f"the mass is {mass} kg", "a mass is not negative")
        return body.inertia

    def _steps(self, body: Body) -> Iterator[Step]:
        """Joints that carry a body; coordinates that copy, lead or are damped apart have joints of their own."""
        single = {*self.copied, *(mimic.leader for mimic in self.copied.values())}
        for endings in (FLOATING, PLANAR):
            for name in body.coordinates:
                group = [name.removesuffix(endings[0]) + ending for ending in endings]
                values = {self.damped.get(n) for n in group}
                alike = values == {None} or (endings is PLANAR and len(values) == 1)
                if {*group} <= {*body.coordinates} and not alike:
                    single |= {*group}
        return steps(body, lambda moving: whole(moving, self.system, single), self.names.between)

    def _joints(self, made: Sequence[Step]) -> Iterator[Element]:
        """Joints in the order of the bodies, those that move among themselves in that of the coordinates."""
        order = {name: i for i, name in enumerate(self.system.coordinate_names)}
        moving = iter(sorted((s for s in made if s.name), key=lambda s: order[s.coordinates[0]]))
        for slot in made:
            step = next(moving) if slot.name else slot
            yield self._joint(step)

    def _joint(self, step: Step) -> Element:
        own = self.template.carrying(step.child) if self.template else None
        if step.name:
            name = self.names.coordinate(step.name)
        else:
            fixed = own is not None and own.attributes["type"] == "fixed"
            name = self.names.fixed(
                own.attributes["name"] if own is not None and fixed else f"{step.child}_fixed"
            )
        mimic = self.copied.get(step.name)
        return joint(step, name, self.names, self.numbers, self.damped, mimic, self.template)
