"""Conversion of a model to elements of an SDF: links in the frames of their joints, joints in those of parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.fittings import NO_FITTINGS, Fitted, Fittings
from mbconcord.converters.joints import JointStep, Mimic, Transformations, frictions, mimics, springs, steps
from mbconcord.converters.poses import back
from mbconcord.converters.xml_text import XmlElement, make_element
from mbconcord.model import Armature, Body, Constant, ElementaryTransformation, Holonomic, PointForce, System
from mbconcord.model.body import NO_INERTIA
from mbconcord.model.diagnostics import error
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.naming import Namer
from mbconcord.model.transformation import Vector

from ..vocabulary import DRAKE, FREE, GEAR, INERTIA_OF_ROTOR, OF_MODEL, ROTOR, SCREW, TYPES, WEIGHTLESS, WRITTEN
from .elements import SdfNames, SdfTemplate, axis, direction, inertial, limit, pose, shapes
from .groups import SdfClosure, closures, pitches, whole

#: Kind of a joint step -> SDF's type of joint.
WRITTEN_AS = {"rotation": "continuous", "translation": "prismatic"}


def _stands(et: ElementaryTransformation) -> bool:
    return isinstance(et.motion, Constant)


#: Name of a model without a name, as SDF requires one.
NAMELESS = "model"


class SdfModel:
    """Elements of a model under ``root``; ``held`` maps places to written names, ``coordinates`` names that change."""

    def __init__(
        self, system: System, numbers: ConstantReader, template: SdfTemplate | None, fittings: Fittings
    ) -> None:
        self.system, self.numbers, self.template = system, numbers, template
        self.fittings = fittings if template is None else NO_FITTINGS  # its own text holds them
        self.fitted = Fitted() if template is None else None
        self.order = system.coordinate_names
        self.held: dict[str, str] = {}
        self._fixed: dict[str, str] = {}
        self.along: dict[str, Vector] = {}
        for et in (et for body in system.bodies for et in body.joint):
            if et.coordinate is not None:
                self.along.setdefault(et.coordinate, et.axis)
        self.rotors = self._rotors()
        self.springs = springs(system, numbers, self.held)
        self.rough = frictions(system, numbers, self.held)
        self.turned = self._screws()
        self.weightless = self._weightless()
        self.copies = self._copies()
        self.single = self._single()
        self.closing = [*closures(system, numbers)]
        plain = [step for body in system.bodies for step in self._steps(body, None)]
        self.moved = {c: (step.name, i) for step in plain for i, c in enumerate(step.coordinates)}
        joints = [step.name for step in plain if step.name and step.kind != "free"]
        self.names = SdfNames(system, [*joints, *(c.name for c in self.closing)])
        self.made = {body.name: [*self._steps(body, self.names)] for body in system.bodies}
        self.coordinates = dict(self._list_renamed())
        still = (b.name for b in system.bodies if b.parent is None and all(_stands(et) for et in b.joint))
        self.ground = next(still, None)
        self.root = self._root()

    # --- properties of coordinates

    def _rotors(self) -> dict[str, Armature]:
        """Return by coordinate the first armature that acts along it alone."""
        found: dict[str, Armature] = {}
        moving = {name for body in self.system.bodies for name in body.coordinates}
        for armature in self.system.armatures:
            coordinate = next(iter(armature.coefficients))
            if len(armature.coefficients) == 1 and coordinate in moving and coordinate not in found:
                found[coordinate] = armature
                self.held[f"armatures/{armature.name}"] = coordinate + ROTOR
        return found

    def _weightless(self) -> set[str]:
        """Return the names of bodies whose weight a force at the centre of mass cancels."""
        found: set[str] = set()
        g = self.system.gravity_vector
        for force in self.system.forces:
            if not isinstance(force, PointForce) or force.follows or force.point.body is None or not any(g):
                continue
            body = self.system.body(force.point.body)
            own = body.inertia
            away = [f + own.mass * a for f, a in zip(force.force, g, strict=True)]
            formulas = self.numbers.definitions.apply(away)
            if own.mass and force.point.position == own.centre and all(x is ZERO for x in formulas):
                found.add(body.name)
                self.held[f"forces/{force.name}"] = body.name + WEIGHTLESS
        return found

    def _screws(self) -> dict[str, tuple[Holonomic, Expression]]:
        """Return screws by their rotation, whose following shift is coupled by a row: the row and the pitch."""
        found = {}
        every = {name for body in self.system.bodies for name in body.coordinates}
        for turn, said in pitches(self.system, self.numbers).items():
            body = next(body for body in self.system.bodies if turn in body.coordinates)
            apart = {turn + TYPES["screw"][1]} & self.springs.coordinates
            single = dict.fromkeys(("free", "ball", "universal"), every) | {"screw": apart | {*self.rotors}}
            if self._find_group_joint(body, single) == (turn, "screw"):
                found[turn] = said
        return found

    def _find_group_joint(self, body: Body, single: Mapping[str, set[str]]) -> tuple[str, str] | None:
        """Return name and kind of a body's joint of several coordinates; None if it has none."""
        first = next(i for i, et in enumerate(body.joint) if et.coordinate)
        found = whole(body.joint[first:], body, self.order, single)
        return None if found is None else found[:2]

    def _copies(self) -> dict[str, Mimic]:
        screws = {id(row) for row, _ in self.turned.values()}
        rest = tuple(c for c in self.system.constraints if id(c) not in screws)
        return mimics(replace(self.system, constraints=rest), self.numbers, self.held)

    def _single(self) -> dict[str, set[str]]:
        """Return, by kind of joint, the coordinates that must be written as joints of their own."""
        leading = {mimic.leader for mimic in self.copies.values()}
        fitted = {*self.fittings.limits, *self.fittings.friction, *self.rough}
        acting = {*self.springs.coordinates, *self.copies, *leading, *self.rotors, *fitted}
        slides = {turn + TYPES["screw"][1] for turn in self.turned}
        moving = {name for body in self.system.bodies for name in body.coordinates}
        return {
            "free": acting,
            "ball": acting,
            "universal": {*self.rotors},
            "screw": (moving - {*self.turned} - slides) | (slides & acting),
        }

    def _steps(self, body: Body, names: SdfNames | None) -> Iterator[JointStep]:
        """Yield the joints that carry a body; without ``names``, links between joints keep their proposed names."""

        def several(moving: Transformations) -> tuple[str, str, object, int] | None:
            return whole(moving, body, self.order, self.single)

        between = (lambda name: name) if names is None else names.fresh
        return steps(body, several, between)  # type: ignore[arg-type]

    def _list_renamed(self) -> Iterator[tuple[str, str]]:
        """Yield each coordinate that is read back under another name, after its joint or free link, with that name."""
        for made in self.made.values():
            for step in made:
                free = step.kind == "free"
                new = self.names.body(step.child) if free else self.names.joint(step.name)
                endings = FREE if free else TYPES.get(step.kind, ("",))
                if step.name != new:
                    yield from ((c, new + e) for c, e in zip(step.coordinates, endings, strict=True))

    @property
    def in_order(self) -> bool:
        """True if coordinates are read back in the model's order: those of free links come first, in link order."""
        made = [step for body in self.system.bodies for step in self.made[body.name]]
        free = [c for step in made if step.kind == "free" for c in step.coordinates]
        return tuple(free) == self.order[: len(free)]

    # --- elements

    def _root(self) -> XmlElement:
        template = self.template
        links = [e for body in self.system.bodies for e in self._links(body)]
        joints = [*self._joints(), *map(self._closing, self.closing)]
        known = {e.attributes["name"] for e in (*links, *joints)}
        own = template.model if template is not None else None
        model = make_element("model", {"name": self.system.name or NAMELESS}, *links, *joints)
        model.content += template.beside(own, known) if template is not None else ()
        rotors = any(e.first(INERTIA_OF_ROTOR) is not None for e in joints)
        root = make_element("sdf", {"version": WRITTEN} | (dict([DRAKE]) if rotors else {}))
        gravity = self.numbers.texts("gravity", self.system.gravity_vector)
        ground = template.ground if template is not None else None
        if gravity == OF_MODEL and ground is None:
            root.content.append(model)
        else:
            name = model.attributes["name"] if ground is None else ground.attributes.get("name", "")
            world = make_element("world", {"name": name}, make_element("gravity", {}, gravity), model)
            world.content += template.beside(ground, known) if template is not None else ()
            root.content.append(world)
        root.content += template.beside(template.document.root, known) if template is not None else ()
        return root

    def _links(self, body: Body) -> Iterator[XmlElement]:
        """Yield the link of a body, and the massless links between its joints."""
        for step in self.made[body.name]:
            place = f"bodies/{body.name}/joint"
            name = self.names.body(step.child)
            made = make_element("link", {"name": name})
            if step.kind == "free":
                if step.origin:
                    made.content.append(pose(step.origin, self.numbers, place, ""))
            else:
                made.content.append(pose((), self.numbers, place, self._name(step)))
            whose = body.inertia if step.child == body.name else NO_INERTIA
            made.content.append(inertial(whose, self.numbers, f"bodies/{body.name}/inertia"))
            if step.child == body.name:
                self._require_mass(body)
                if body.name in self.weightless:
                    made.content.append(make_element("gravity", {}, "false"))
                if self.fitted is not None:
                    made.content += self._shapes(body, self.fitted)
                own = self.template.element("link", body.name) if self.template else None
                known = {self._name(s) for s in self.made[body.name]} | {name}
                made.content += self.template.beside(own, known) if self.template else ()
            yield made

    def _shapes(self, body: Body, fitted: Fitted) -> Iterator[XmlElement]:
        """Yield the shapes of a body; the first body fixed to the world has the shapes of the world, too."""
        taken = Namer(())
        yield from shapes(self.fittings.on(body.name), (), taken, fitted, self.numbers)
        if body.name == self.ground:
            yield from shapes(self.fittings.on(None), back(body.joint), taken, fitted, self.numbers)

    def _require_mass(self, body: Body) -> None:
        place = f"bodies/{body.name}/inertia"
        mass = self.numbers.value(place, body.inertia.mass)
        if self.numbers.precise(place, mass) < 0:
            self.numbers.missing[place] = error(place, f"the mass is {mass} kg", "a mass is not negative")

    def _name(self, step: JointStep) -> str:
        """Return the written name of a joint; a fixed joint is named after the link that it carries."""
        if step.name:
            return self.names.joint(step.name)
        if step.child not in self._fixed:
            self._fixed[step.child] = self.names.fresh(f"{step.child}_fixed")
        return self._fixed[step.child]

    def _joints(self) -> Iterator[XmlElement]:
        """Yield moving joints in the order of coordinates, with fixed joints at the places of their bodies."""
        order = {name: i for i, name in enumerate(self.order)}
        made = [s for body in self.system.bodies for s in self.made[body.name] if s.kind != "free"]
        moving = iter(sorted((s for s in made if s.name), key=lambda s: order[s.coordinates[0]]))
        for slot in made:
            step = next(moving) if slot.name else slot
            yield self._joint(step)

    def _joint(self, step: JointStep) -> XmlElement:
        name, place = self._name(step), f"bodies/{step.child}/joint"
        kind = WRITTEN_AS.get(step.kind, step.kind)
        ends = self.names.body(step.parent), self.names.body(step.child)
        made = self._new(name, kind, step.origin, ends, place)
        own = self.template.element("joint", name) if self.template else None
        if own is not None and kind == "continuous" and own.attributes.get("type") == "revolute":
            made.attributes["type"] = "revolute"
        if kind == "screw":
            pitch = self.turned[step.name][1]
            made.content.append(make_element("screw_thread_pitch", {}, self.numbers.text(place, pitch)))
            row = self.turned[step.name][0]
            self.numbers.formula(f"constraints/{row.name}", row.expression)
            self.held[f"constraints/{row.name}"] = name + SCREW
        axes = {"ball": 0, "fixed": 0, "universal": 2}.get(kind, 1)
        for i, coordinate in enumerate(step.coordinates[:axes]):
            made.content.append(self._axis(coordinate, i, place, own))
            found = self.fittings.limits.get(coordinate)
            if found is not None and found.stops and kind == "continuous":
                made.attributes["type"] = "revolute"
        for coordinate in step.coordinates[:1] if axes == 1 else ():
            made.content += self._rotor(coordinate)
        made.content += self.template.beside(own, {name, *ends}) if self.template else ()
        return made

    def _new(self, name: str, kind: str, origin: Transformations, ends: tuple[str, str], place: str) -> XmlElement:
        base = "__model__" if ends[0] == "world" else ends[0]
        parts = [make_element("parent", {}, ends[0]), make_element("child", {}, ends[1])]
        return make_element("joint", {"name": name, "type": kind}, pose(origin, self.numbers, place, base), *parts)

    def _axis(self, coordinate: str, number: int, place: str, own: XmlElement | None) -> XmlElement:
        """Return the axis element of a coordinate, with spring, damping, friction, limits and mimic."""
        tag = "axis2" if number else "axis"
        dynamics: dict[str, Expression] = {}
        k = self.springs.stiffness.get(coordinate, ZERO)
        if k:
            dynamics = {"spring_reference": self.springs.pull[coordinate] / k, "spring_stiffness": k}
        dynamics["damping"] = self.springs.damping.get(coordinate, ZERO)
        before = own.first(tag) if own is not None else None
        along, mimic = direction(self.along[coordinate], self.numbers, place), self._mimic(coordinate)
        rough, found = self.fittings.friction.get(coordinate), self.fittings.limits.get(coordinate)
        if rough is not None and self.fitted is not None:
            self.fitted.hold_friction(rough, "SDF")
        if found is not None and self.fitted is not None:
            self.fitted.hold_limit(found, "SDF")
        dynamics["friction"] = self.rough.get(coordinate, ZERO if rough is None else rough.value)
        limits = None if found is None else limit(found, self.numbers, f"coordinates/{coordinate}")
        if before is not None:
            limits = before.first("limit")
        return axis(tag, along, dynamics, mimic, limits, self.numbers, place)

    def _mimic(self, coordinate: str) -> XmlElement | None:
        mimic = self.copies.get(coordinate)
        if mimic is None:
            return None
        joint, i = self.moved[mimic.leader]
        attributes = {"joint": self.names.joint(joint)} | ({"axis": "axis2"} if i else {})
        made = make_element("mimic", attributes)
        for tag, value in (("multiplier", mimic.multiplier), ("offset", mimic.offset), ("reference", ZERO)):
            made.content.append(make_element(tag, {}, self.numbers.text(mimic.place, value)))
        return made

    def _rotor(self, coordinate: str) -> Iterator[XmlElement]:
        armature = self.rotors.get(coordinate)
        if armature is not None:
            place = f"armatures/{armature.name}"
            (gear,) = armature.coefficients.values()
            yield make_element(INERTIA_OF_ROTOR, {}, self.numbers.text(place, armature.inertia))
            if gear is not ONE:
                yield make_element(GEAR, {}, self.numbers.text(place, gear))

    def _closing(self, closure: SdfClosure) -> XmlElement:
        """Return the element of a joint that closes a loop."""
        name = self.names.joint(closure.name)
        self.held[closure.place] = name
        ends = self.names.body(closure.parent), self.names.body(closure.child)
        made = self._new(name, closure.kind, closure.origin, ends, closure.place)
        tags = ("axis", "axis2") if closure.kind != "ball" else ()
        for tag, et in zip(tags, closure.moving, strict=False):
            xyz = make_element("xyz", {}, direction(et.axis, self.numbers, closure.place))
            made.content.append(make_element(tag, {}, xyz))
        return made
