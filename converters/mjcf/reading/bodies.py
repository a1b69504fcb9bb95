"""Links as bodies: their joints, coordinates and inertia."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import to_steps
from mbconcord.converters.joints import DAMPING, SPRING
from mbconcord.converters.poses import back
from mbconcord.converters.shapes import ReferenceInertia, lump_of
from mbconcord.converters.xml_attributes import numbers_in
from mbconcord.model import (
    Armature,
    Body,
    Constant,
    Coordinate,
    ElementaryTransformation,
    Inertia,
    JointEffort,
    LinearLaw,
    Point,
    PointForce,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import ONE, ZERO, Expression, apply, rate, sin, symbol
from mbconcord.model.force import Force
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass, field, replace

from ..vocabulary import ARMATURE, BALL, COMPENSATION, FREE, TYPES, WORLD
from .masses import MjcfMasses, align_to_principal_axes
from .settings import MjcfSettings, row, scalar, some, word
from .tree import MjcfJoint, MjcfLink, MjcfTree

# Effects along joints and on bodies: springs, damping, armatures, compensation of weight.


@dataclass
class Effects:
    """Forces and armatures of a model; ``unheld`` are joints with an omitted attribute and the kind of its omission."""

    forces: list[Force] = field(default_factory=list)
    armatures: list[Armature] = field(default_factory=list)
    unheld: list[tuple[MjcfJoint, str, str]] = field(default_factory=list)


def along_joints(
    tree: MjcfTree, inertias: dict[str, Inertia], compiled: ReferenceInertia, settings: MjcfSettings, findings: Findings
) -> Effects:
    """Collect the effects along the joints; add rotors that turn with bodies in every direction to ``inertias``."""
    found = Effects()
    for link, joint in tree.joints:
        at = joint.element.at
        made = _MjcfAlong(joint, compiled, settings, findings)
        springs, damping = made.springs(found), made.damping(found)
        for force in (*springs, *damping):
            findings.locations[f"forces/{force.name}"] = at
            found.forces.append(force)
        for armature in made.armatures(link, inertias, found):
            findings.locations[f"armatures/{armature.name}"] = at
            found.armatures.append(armature)
    return found


@dataclass(frozen=True, eq=False)
class _MjcfAlong:
    """Reader of the forces and armatures along one joint."""

    joint: MjcfJoint
    compiled: ReferenceInertia
    settings: MjcfSettings
    findings: Findings

    def _numbers(self, key: str) -> list[Expression]:
        """Return the coefficients of a stiffness or damping, without trailing zeros."""
        if self._overwritten:
            return [self._tuning[key == "damping"]] if self._tuning else []
        found = some(self.joint.element, key, 3, self.findings) or []
        while found and not found[-1]:
            found.pop()
        return found

    @property
    def _overwritten(self) -> bool:
        """True if ``springdamper`` overrides the given stiffness and damping."""
        words = self.joint.element.attributes.get("springdamper", "").split()
        return any(word.strip("+-0.") for word in words)

    @cached_property
    def _tuning(self) -> tuple[Expression, ...]:
        """Stiffness and damping of ``springdamper``, a time constant and a damping ratio; none if they are unknown."""
        words = numbers_in(self.joint.element, "springdamper", 2, self.findings)
        return self.compiled.tune(self.joint.name, words) if TYPES[self.joint.type] == 1 else ()

    def springs(self, found: Effects) -> Iterator[JointEffort]:
        """Yield the spring force -(k₁ x + k₂ x² + k₃ x³) along the joint, with x = q - springref."""
        joint, k = self.joint, self._numbers("stiffness")
        if self._overwritten and not self._tuning:
            found.unheld.append((joint, "springdamper", "joint-spring"))
        elif k and "spring" not in self.settings.without:
            if TYPES[joint.type] != 1:
                found.unheld.append((joint, "stiffness", "joint-spring"))
                return
            rest = scalar(joint.element, "springref", "0", self.findings)
            rest = rest * self.settings.angle if joint.type == "hinge" else rest
            name = joint.name + SPRING
            if len(k) == 1:
                yield JointEffort(name, joint.name, LinearLaw(k=k[0], l0=rest))
            else:
                x = symbol(joint.name) - rest
                yield JointEffort(name, joint.name, -polynomial(k, (x, x * x, x * x * x)))

    def damping(self, found: Effects) -> Iterator[JointEffort]:
        """Yield the damping -(d₁ v + d₂ v|v| + d₃ v³); for free and ball joints -d along velocity and angular velocity.

        The angular velocity is that of rotations rz ry rx, ω = z' a_z + y' a_y + x' a_x with a_z·a_x = -sin y.
        """
        joint, d = self.joint, self._numbers("damping")
        if not d or "damper" in self.settings.without:
            return
        names = coordinates_of(joint)
        if len(names) == 1:
            v = rate(joint.name)
            law = LinearLaw(d=d[0]) if len(d) == 1 else -polynomial(d, (v, v * apply("abs", v), v * v * v))
            yield JointEffort(joint.name + DAMPING, joint.name, law)
            return
        if len(d) > 1:
            found.unheld.append((joint, "damping", "joint-damping"))
            return
        z, y, x = names[-3:]
        tilt = sin(symbol(y))
        rates = {n: rate(n) for n in names} | {z: rate(z) - tilt * rate(x), x: rate(x) - tilt * rate(z)}
        for name, speed in rates.items():
            yield JointEffort(name + DAMPING, name, -(d[0] * speed))

    def armatures(self, link: MjcfLink, inertias: dict[str, Inertia], found: Effects) -> Iterator[Armature]:
        """Yield armatures along the joint; for a body that rotates freely in the world, a tensor a E is equivalent."""
        joint = self.joint
        a = scalar(joint.element, "armature", "0", self.findings)
        if not a:
            return
        names = coordinates_of(joint)
        if len(names) == 1:
            yield Armature(joint.name + ARMATURE, a, {joint.name: ONE})
            return
        grounded = link.parent is not None and not link.parent.moves and len(link.joints) == 1
        if not grounded:
            found.unheld.append((joint, "armature", "rotor"))
            return
        for name in names[:-3]:
            yield Armature(name + ARMATURE, a, {name: ONE})
        own = inertias[link.name]
        xx, yy, zz, *products = own.tensor
        xy, xz, yz = products
        inertias[link.name] = replace(own, tensor=(xx + a, yy + a, zz + a, xy, xz, yz))
        message = f"the armature of {joint.name!r} turns with the body: {a} kg m² on the diagonal of its tensor"
        self.findings.note(joint.element.at, f"bodies/{link.name}/inertia", message)


def polynomial(coefficients: Sequence[Expression], powers: Sequence[Expression]) -> Expression:
    """Return the sum Σ c_i p_i of coefficients times powers."""
    return sum((c * p for c, p in zip(coefficients, powers, strict=False) if c), ZERO)


def compensation(
    tree: MjcfTree, inertias: dict[str, Inertia], settings: MjcfSettings, findings: Findings
) -> Iterator[PointForce]:
    """Yield the force -c m g at the centre of mass of each body with gravity compensation c."""
    if settings.gravity is None or "passive" in settings.without:
        return
    for link in tree.bodies:
        c, own = link.compensation, inertias[link.name]
        if c and own.mass and link.moves and not _is_held_by_idle_actuators(link, settings, findings):
            name = link.name + COMPENSATION
            findings.locations[f"forces/{name}"] = link.element.at
            force = vector(-(c * own.mass * g) for g in settings.gravity.vector)
            yield PointForce(name, Point(link.name, own.centre), force)


def _is_held_by_idle_actuators(link: MjcfLink, settings: MjcfSettings, findings: Findings) -> bool:
    """Return True if only actuators compensate a body's weight, along all joints that carry it, and none acts."""
    above, idle = link, list[bool]()
    while above.parent is not None:
        idle += [joint.element.attributes.get("actuatorgravcomp") == "true" for joint in above.joints]
        above = above.parent
    if "actuation" not in settings.without or not any(idle):
        return False
    if not all(idle):
        message = f"the weight of {link.name!r} is held up along some of its joints alone: no actuator acts"
        findings.refuse(link.element.at, message, "say actuatorgravcomp of all joints that carry it, or of none")
    return True


def coordinates_of(joint: MjcfJoint) -> tuple[str, ...]:
    """Return the names of the coordinates of a joint."""
    endings = {"free": FREE, "ball": BALL}.get(joint.type, ("",))
    return tuple(joint.name + ending for ending in endings)


def reference(joint: MjcfJoint, settings: MjcfSettings, findings: Findings) -> Expression:
    """Return the coordinate of a hinge or slide at the pose of the file (rad, m)."""
    found = scalar(joint.element, "ref", "0", findings)
    return found * settings.angle if joint.type == "hinge" else found


class MjcfBodies:
    """Converter of links to bodies and coordinates."""

    def __init__(self, tree: MjcfTree, masses: MjcfMasses, settings: MjcfSettings, findings: Findings) -> None:
        self.tree, self.settings, self.findings = tree, settings, findings
        self.inertias = dict(masses.found)
        for _, joint in tree.joints:
            word(joint.element, "align", ("auto", "true", "false"), findings)
        for name, below in tree.aligned(settings).items():
            here = tree.by_name[name].pose
            lumps = [lump_of(masses.found[b.name]).transform(b.pose.seen_from(here)) for b in below]
            frame, self.inertias[name] = align_to_principal_axes(masses.found[name], masses.axes.get(name), lumps)
            tree.move_frame(tree.by_name[name], to_steps(frame))

    def bodies(self) -> Iterator[Body]:
        """Yield a body for each link, in MuJoCo's order."""
        for link in self.tree.bodies:
            parent = link.parent.name if link.parent is not None else WORLD
            self.findings.locations[f"bodies/{link.name}/joint"] = link.element.at
            moving = [et for joint in link.joints for et in self._joint(joint)]
            yield Body(link.name, None if parent == WORLD else parent, (*link.steps, *moving), self.inertias[link.name])

    def coordinates(self) -> Iterator[Coordinate]:
        """Yield the coordinates of all joints, with their values at the reference."""
        for _, joint in self.tree.joints:
            start = ZERO if joint.type in ("free", "ball") else reference(joint, self.settings, self.findings)
            for name in coordinates_of(joint):
                self.findings.locations[f"coordinates/{name}"] = joint.element.at
                yield Coordinate(name, start)

    def _joint(self, joint: MjcfJoint) -> Iterator[ElementaryTransformation]:
        """Yield the transformations of a joint, which follow those of the body's earlier joints."""
        if joint.type == "free":
            names = coordinates_of(joint)
            yield from (translation(axis, name) for axis, name in zip("xyz", names, strict=False))
            yield from (rotation(axis, name) for axis, name in zip("zyx", names[3:], strict=True))
            return
        yield from joint.within
        position = row(joint.element, "pos", "0 0 0", self.findings)
        if joint.type == "slide":
            position = [ZERO] * 3
        yield from shift(position)
        if joint.type == "ball":
            # It has no axes: a frame that it stands in moves its point, and it turns about the axes of the body.
            turned = tuple(step for step in joint.within if step.kind == "rotation")
            yield from back(turned)
            yield from (rotation(axis, name) for axis, name in zip("zyx", coordinates_of(joint), strict=True))
            yield from turned
        else:
            yield from self._one(joint)
        yield from shift([-x for x in position])
        yield from back(joint.within)

    def _one(self, joint: MjcfJoint) -> Iterator[ElementaryTransformation]:
        """Yield the transformations of a hinge or slide: back by the reference value, then by the coordinate."""
        axis = row(joint.element, "axis", "0 0 1", self.findings)
        if not any(axis):
            message = f"the axis of the joint {joint.name!r} is zero: it has no direction"
            remedy = "give it one, for example 0 0 1; its length does not matter"
            self.findings.refuse(joint.element.at, message, remedy)
            return
        make = translation if joint.type == "slide" else rotation
        made = make(axis, joint.name)
        start = reference(joint, self.settings, self.findings)
        if start:
            yield replace(made, motion=Constant(-start))
        yield made
