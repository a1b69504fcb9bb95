"""Tree of links: joints that carry links, joints that close loops, and links without a joint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import compose_pose
from mbconcord.converters.joints import DAMPING, MIMIC, SPRING, rub
from mbconcord.converters.poses import Steps, back
from mbconcord.converters.xml_attributes import read_name
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model import (
    Armature,
    Body,
    Coordinate,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    LinearLaw,
    Point,
    PointForce,
    rotation,
    translation,
)
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import PI_NODE, TWO, Expression, number, symbol
from mbconcord.model.limits import format_names
from mbconcord.model.omission import FRICTION
from mbconcord.model.transformation import Frame as At
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass, field

from ..vocabulary import FREE, GEAR, GEARBOX, INERTIA_OF_ROTOR, ROTOR, SCREW, WEIGHTLESS
from .documents import scalar, yes
from .joints import SdfJoint, SdfJoints
from .scopes import SdfFrame, SdfScopes

# Links as bodies, with the transformations from their carriers; joints that close loops as closures.


class SdfBodies:
    """Converter of a tree to bodies, coordinates and closures."""

    def __init__(self, scopes: SdfScopes, joints: SdfJoints, tree: SdfTree, findings: Findings) -> None:
        self.scopes, self.joints, self.tree, self.findings = scopes, joints, tree, findings
        self.free = {id(link): joints.group(link.name, FREE) for link in tree.free}

    def bodies(self, inertias: Mapping[str, Inertia]) -> Iterator[Body]:
        """Yield a body for each link, after its carrier."""
        for link in self.tree.order:
            self.findings.locations[f"bodies/{link.name}"] = link.element.at
            parent = self.tree.parent(link)
            yield Body(link.name, _name(parent), self._way(link), inertias[link.name])

    def _way(self, link: SdfFrame) -> Steps:
        """Return the transformations from a link's carrier to it; a free link moves from its pose in the file."""
        place = f"bodies/{link.name}/joint"
        if link in self.tree.carrying:
            joint, inward = self.tree.carrying[link]
            self.findings.locations[place] = joint.frame.element.at
            return joint.inward if inward else joint.outward
        self.findings.locations[place] = link.element.at
        there = self.scopes.path(self.scopes.world, link)
        if id(link) not in self.free:
            return there
        names = self.free[id(link)]
        self.findings.locations |= {f"coordinates/{name}": link.element.at for name in names}
        along = (translation(axis, name) for axis, name in zip("xyz", names, strict=False))
        about = (rotation(axis, name) for axis, name in zip("zyx", names[3:], strict=True))
        return (*there, *along, *about)

    def coordinates(self) -> Iterator[Coordinate]:
        """Yield the coordinates of free links, then those of joints in file order."""
        carrying = {joint.name for joint in self.tree.joints}
        for link in self.tree.free:
            yield from map(Coordinate, self.free[id(link)])
        for joint in self.joints.found.values():
            if joint.name in carrying:
                yield from map(Coordinate, joint.coordinates)

    def closures(self) -> Iterator[FrameCoincidence]:
        """Yield a cut joint for each joint that closes a loop: its moved frame on the parent is that on the child."""
        for joint in self.tree.closing:
            self.findings.locations[f"constraints/{joint.name}"] = joint.frame.element.at
            first = At(_name(joint.parent), (*joint.before, *joint.motion))
            yield FrameCoincidence(joint.name, first, At(_name(joint.child), back(joint.after)))


def _name(link: SdfFrame | None) -> str | None:
    """Return the name of the body that a link is; None for the world."""
    return None if link is None or link.kind == "world" else link.name


# Effects along coordinates: springs, damping and friction; mimics and screws as rows; rotors; weight switched off.


def forces(tree: SdfTree, findings: Findings) -> Iterator[JointEffort]:
    """Yield the forces -k (q - q₀), -d q' and Coulomb's -F sign(q') along the axes of joints that carry links."""
    for joint in tree.joints:
        for coordinate, axis in joint.axes.items():
            dynamics = axis.first("dynamics")
            k, rest, d = (
                scalar(dynamics, tag, "0", findings) for tag in ("spring_stiffness", "spring_reference", "damping")
            )
            laws = ((SPRING, k, LinearLaw(k=k, l0=rest)), (DAMPING, d, LinearLaw(d=d)))
            for ending, constant, law in laws:
                if constant and dynamics is not None:
                    findings.locations[f"forces/{coordinate}{ending}"] = dynamics.at
                    yield JointEffort(coordinate + ending, coordinate, law)
            rough = scalar(dynamics, "friction", "0", findings)
            if rough and dynamics is not None:
                findings.locations[f"forces/{coordinate}{FRICTION}"] = dynamics.at
                if rough.value < 0:
                    findings.refuse_friction(dynamics.at, coordinate, f"{rough}")
                yield rub(coordinate, rough)


def screws(tree: SdfTree, findings: Findings) -> Iterator[Holonomic]:
    """Yield the row s - p q / 2π = 0 for each screw, with shift s, rotation q, pitch p (m a turn), right-handed."""
    for joint in tree.joints:
        if joint.type == "screw":
            turn, slide = joint.coordinates
            findings.locations[f"constraints/{joint.name}{SCREW}"] = joint.frame.element.at
            pitch = scalar(joint.frame.element, "screw_thread_pitch", "1", findings)
            yield Holonomic(joint.name + SCREW, symbol(slide) - pitch * symbol(turn) / (TWO * PI_NODE))


#: Largest sine of the angle between two axes that count as parallel: texts may have few digits.
PARALLEL: Final = 1e-6


def gearboxes(tree: SdfTree, joints: SdfJoints, findings: Findings) -> Iterator[Holonomic]:
    """Yield a row θ₂ + n θ₁ = 0 for each gearbox: the turns of its child and parent against the reference body."""
    for frame in joints.geared:
        ends = [joints.scopes.end(frame, tag) for tag in ("parent", "child")]
        said = frame.element.first("gearbox_reference_body")
        if said is None or not said.text:
            found = f"the gearbox {frame.name!r} has no <gearbox_reference_body>"
            findings.refuse(frame.element.at, found, "name the link against which its two links turn")
            continue
        links = [
            joints.scopes.link_of(e)
            for e in (*ends, joints.scopes.look_up(said.text, frame.scope, said, "link or frame"))
            if e
        ]
        if len(links) < 3 or None in links:
            continue
        parent, child, reference = (link for link in links if link is not None)
        if all(link.kind == "world" or link in tree.fixed for link in (parent, child, reference)):
            continue
        turns = [
            _find_turn(tree, joints, frame, tag, link, reference, findings)
            for tag, link in (("axis", parent), ("axis2", child))
        ]
        if None in turns:
            continue
        first, second = (turn for turn in turns if turn is not None)
        if first[0] == second[0]:
            found = f"both links of the gearbox {frame.name!r} turn with the joint {first[0]!r}"
            findings.refuse(frame.element.at, found, "each turns against the reference body with a joint of its own")
            continue
        ratio = scalar(frame.element, "gearbox_ratio", "1", findings)
        findings.locations[f"constraints/{frame.name}{GEARBOX}"] = frame.element.at
        row = second[1] * symbol(second[0]) + ratio * (first[1] * symbol(first[0]))
        yield Holonomic(frame.name + GEARBOX, row)


def _find_turn(
    tree: SdfTree, joints: SdfJoints, frame: SdfFrame, tag: str, link: SdfFrame, reference: SdfFrame, findings: Findings
) -> tuple[str, Expression] | None:
    """Return the coordinate that turns a link against the reference body and its sign about a gearbox axis, or None."""
    axis = frame.element.first(tag)
    if axis is None:
        found = f"the gearbox {frame.name!r} has no <{tag}>"
        findings.refuse(frame.element.at, found, f"<{tag}><xyz>0 0 1</xyz></{tag}>")
        return None
    own, other = tree.find_way(link), tree.find_way(reference)
    shared = {id(joint) for joint, _ in own} & {id(joint) for joint, _ in other}
    steps = [(joint, inward) for joint, inward in own if id(joint) not in shared]
    steps += [(joint, not inward) for joint, inward in other if id(joint) not in shared]
    moving = [(joint, inward) for joint, inward in steps if joint.coordinates]
    loose = tree.find_root(link) is not tree.find_root(reference)
    if loose or len(moving) != 1 or moving[0][0].type not in ("revolute", "continuous"):
        between = format_names(repr(joint.name) for joint, _ in moving) or "no joint that moves"
        found = f"the links {link.name!r} and {reference.name!r} of the gearbox {frame.name!r}: between them " + (
            "is no path" if loose else f"is {between}"
        )
        findings.refuse(frame.element.at, found, "one revolute joint is expected, about the gearbox's axis")
        return None
    ((joint, inward),) = moving
    about, along = (_find_axis(joints, *at) for at in ((frame, axis), (joint.frame, joint.axes[joint.coordinates[0]])))
    if about is None or along is None:
        return None
    if np.linalg.norm(np.cross(about, along)) > PARALLEL:
        found = f"<{tag}> of the gearbox {frame.name!r} is not along the axis of the joint {joint.name!r}"
        findings.refuse(axis.at, found, "give both one direction")
        return None
    return joint.coordinates[0], number(str((-1 if inward else 1) * (1 if np.dot(about, along) > 0 else -1)))


def _find_axis(joints: SdfJoints, frame: SdfFrame, axis: XmlElement) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """Return the direction of an axis in the world, at the pose of the file; None if it has none."""
    found = joints.find_direction(frame, axis)
    if found is None:
        return None
    turns, direction = found
    along = compose_pose((*joints.scopes.path(joints.scopes.world, frame), *turns)).R @ [
        float(x.value) for x in direction
    ]
    return along / np.linalg.norm(along)


def mimics(tree: SdfTree, joints: SdfJoints, findings: Findings) -> Iterator[Holonomic]:
    """Yield a row q - m (leader - reference) - offset = 0 for each axis that mimics another."""
    moving = {name for joint in tree.joints for name in joint.axes}
    for joint in tree.joints:
        for coordinate, axis in joint.axes.items():
            element = axis.first("mimic")
            leader = None if element is None else _leader(element, joint, joints, findings)
            if element is None or leader is None:
                continue
            if leader == coordinate or leader not in moving:
                what = "itself" if leader == coordinate else "a joint that closes a loop, or stands still"
                findings.refuse(element.at, f"{coordinate!r} mimics {what}", "name the joint that leads")
                continue
            m, offset, reference = (
                scalar(element, tag, default, findings)
                for tag, default in (("multiplier", "1"), ("offset", "0"), ("reference", "0"))
            )
            findings.locations[f"constraints/{coordinate}{MIMIC}"] = element.at
            row = symbol(coordinate) - m * (symbol(leader) - reference) - offset
            yield Holonomic(coordinate + MIMIC, row)


def _leader(element: XmlElement, joint: SdfJoint, joints: SdfJoints, findings: Findings) -> str | None:
    """Return the coordinate that a mimic follows: that of the named joint's axis; None and an error if missing."""
    name = read_name(element, "joint", findings)
    if name is None:
        return None
    full = joint.frame.scope.prefix + name
    if full not in joints.found:
        findings.refuse(element.at, f"there is no joint {name!r}", among(name, joint.frame.scope.frames))
        return None
    leading = joints.found[full]
    tag = element.attributes.get("axis", "axis")
    at = next((c for c, e in leading.axes.items() if e.tag == tag), None)
    if at is None:
        findings.refuse(element.at, f"the joint {name!r} has no <{tag}>", "axis and axis2 are coordinates")
    return at


def rotors(tree: SdfTree, findings: Findings) -> Iterator[Armature]:
    """Yield an armature n² J for each rotor of inertia J behind a gear of ratio n, as Drake reads it."""
    for joint in tree.joints:
        element = joint.frame.element
        inertia = scalar(element, INERTIA_OF_ROTOR, "0", findings)
        if inertia and has_rotor(joint):
            findings.locations[f"armatures/{joint.name}{ROTOR}"] = element.at
            gear = scalar(element, GEAR, "1", findings)
            yield Armature(joint.name + ROTOR, inertia, {joint.coordinates[0]: gear})


def has_rotor(joint: SdfJoint) -> bool:
    """Return True if a joint has one coordinate, so that a rotor can turn with it."""
    return len(joint.coordinates) == 1


def weights(
    links: list[SdfFrame], inertias: Mapping[str, Inertia], gravity: Gravity | None, findings: Findings
) -> Iterator[PointForce]:
    """Yield the force -m g at the centre of mass of each link whose weight is switched off."""
    for link in links:
        element, own = link.element.first("gravity"), inertias[link.name]
        if element is None or yes(element, True, findings) or gravity is None or not own.mass:
            continue
        findings.locations[f"forces/{link.name}{WEIGHTLESS}"] = element.at
        force = vector(-(own.mass * g) for g in gravity.vector)
        yield PointForce(link.name + WEIGHTLESS, Point(link.name, own.centre), force)


@dataclass
class SdfTree:
    """Tree of links by the joints that carry them.

    Attributes
    ----------
    carrying : link -> joint that carries it, and True if it leads from its child to its parent
    free : links that no joint carries, in the order of the file
    fixed : links of static models
    closing : joints that close loops
    still : joints between static links or the world
    """

    carrying: dict[SdfFrame, tuple[SdfJoint, bool]] = field(default_factory=dict)
    free: list[SdfFrame] = field(default_factory=list)
    fixed: list[SdfFrame] = field(default_factory=list)
    closing: list[SdfJoint] = field(default_factory=list)
    still: list[SdfJoint] = field(default_factory=list)
    order: list[SdfFrame] = field(default_factory=list)

    def parent(self, link: SdfFrame) -> SdfFrame | None:
        """Return the link that carries another, or the world; None if there is none."""
        if link not in self.carrying:
            return None
        joint, inward = self.carrying[link]
        return joint.child if inward else joint.parent

    def find_way(self, link: SdfFrame) -> list[tuple[SdfJoint, bool]]:
        """Return the joints from a link to its root, each with True if it leads from its child to its parent."""
        found = []
        at: SdfFrame | None = link
        while at is not None and at in self.carrying:
            found.append(self.carrying[at])
            at = self.parent(at)
        return found

    def find_root(self, link: SdfFrame) -> SdfFrame | None:
        """Return the free link that carries a link in the end; None if that is the world."""
        at: SdfFrame | None = link
        while at is not None and at in self.carrying:
            at = self.parent(at)
        return at if at in self.free else None

    @property
    def joints(self) -> Iterator[SdfJoint]:
        """The joints that carry links."""
        return (joint for joint, _ in self.carrying.values())


def tree(world: SdfFrame, links: Iterable[SdfFrame], joints: Iterable[SdfJoint]) -> SdfTree:
    """Build the tree of all links: from the world, then from the first link that it leaves, and so on.

    The last joint of a loop in the file closes it. A joint is traversed from child to parent if the parent is reached
    from the child.
    """
    made, links = SdfTree(), list(links)
    made.fixed = [link for link in links if link.scope.static]
    grounded = {id(world), *map(id, made.fixed)}
    group = {id(link): id(link) for link in (world, *links)} | dict.fromkeys(grounded, id(world))
    held: dict[int, list[SdfJoint]] = {}
    for joint in joints:
        one, other = (_group(id(end), group) for end in (joint.parent, joint.child))
        if one != other:
            group[other] = one
            for end in (joint.parent, joint.child):
                held.setdefault(id(end), []).append(joint)
        elif id(joint.parent) in grounded and id(joint.child) in grounded:
            made.still.append(joint)
        else:
            made.closing.append(joint)
    reached = set(grounded)
    _grow(made, held, reached, [*grounded])
    children = {id(joint.child) for joints_of in held.values() for joint in joints_of}
    for certain in (True, False):  # first the links that no joint carries, then what is left: joints to one another
        for link in links:
            if id(link) not in reached and not (certain and id(link) in children):
                made.free.append(link)
                reached.add(id(link))
                _grow(made, held, reached, [id(link)])
    made.order = [*_outward(made, links)]
    return made


def _group(at: int, group: dict[int, int]) -> int:
    """Return the representative of a connected group of links."""
    while group[at] != at:
        group[at] = group[group[at]]
        at = group[at]
    return at


def _grow(made: SdfTree, held: dict[int, list[SdfJoint]], reached: set[int], new: list[int]) -> None:
    """Extend the tree from the links in ``new`` along all joints to links that are not reached yet."""
    while new:
        at = new.pop(0)
        for joint in held.get(at, ()):
            inward = id(joint.child) == at
            end = joint.parent if inward else joint.child
            if id(end) not in reached:
                made.carrying[end] = (joint, inward)
                reached.add(id(end))
                new.append(id(end))


def _outward(made: SdfTree, links: list[SdfFrame]) -> Iterator[SdfFrame]:
    """Yield links, each after its carrier, otherwise in file order."""
    given: set[int] = set()
    for link in links:
        way: list[SdfFrame] = []
        at: SdfFrame | None = link
        while at is not None and at.kind == "link" and id(at) not in given:
            way.append(at)
            at = made.parent(at)
        for found in reversed(way):
            given.add(id(found))
            yield found
