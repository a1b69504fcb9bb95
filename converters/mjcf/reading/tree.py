"""Tree of bodies with joints and shapes, frames and default classes resolved, from which the model is made."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import HERE, FloatPose, compose_pose
from mbconcord.converters.poses import Steps, back
from mbconcord.converters.xml_text import XmlElement
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.naming import Namer
from mbconcord.records import dataclass, field, replace

from ..vocabulary import COMPILE, MACROS, TYPES, WORLD
from .poses import Poses
from .settings import MAIN, Classes, MjcfSettings, scalar, word


@dataclass(frozen=True)
class MjcfJoint:
    """A joint: its element with attributes of its class, frames in its body around it, True if it has a name."""

    name: str
    element: XmlElement
    type: str
    within: Steps
    said: bool


@dataclass(frozen=True)
class MjcfPart:
    """A geom or site with the attributes of its class, and its pose in its body."""

    element: XmlElement
    within: Steps


@dataclass
class MjcfLink:
    """A body.

    Attributes
    ----------
    name : name of the body; that of the world is WORLD
    steps : transformations from the parent's frame to its own at the reference
    compensation : part of its weight that is compensated
    joints, geoms, sites, inertial : its child elements, in the order of the file
    """

    name: str
    element: XmlElement
    parent: MjcfLink | None
    steps: Steps
    around: str
    compensation: Expression = ZERO
    joints: list[MjcfJoint] = field(default_factory=list)
    geoms: list[MjcfPart] = field(default_factory=list)
    sites: list[MjcfPart] = field(default_factory=list)
    inertial: XmlElement | None = None

    @property
    def is_world(self) -> bool:
        """True for the fixed frame."""
        return self.parent is None

    @property
    def moves(self) -> bool:
        """True if the body or a body that carries it has a joint."""
        return bool(self.joints) or (self.parent is not None and self.parent.moves)

    def is_below(self, other: MjcfLink) -> bool:
        """Return True if the other body carries this one, directly or through others."""
        return self.parent is not None and (self.parent is other or self.parent.is_below(other))

    @cached_property
    def pose(self) -> FloatPose:
        """World pose at the reference, in floats."""
        return HERE if self.parent is None else self.parent.pose.then(compose_pose(self.steps))


@dataclass
class MjcfTree:
    """The links in MuJoCo's order, world first, parents before children; ``referenced``: names in other elements."""

    links: list[MjcfLink] = field(default_factory=list)
    referenced: frozenset[str] = frozenset()

    @property
    def bodies(self) -> list[MjcfLink]:
        """The links without the world."""
        return self.links[1:]

    @cached_property
    def by_name(self) -> dict[str, MjcfLink]:
        """The links by name."""
        return {link.name: link for link in self.links}

    @property
    def joints(self) -> Iterator[tuple[MjcfLink, MjcfJoint]]:
        """All joints, each with its body."""
        return ((link, joint) for link in self.links for joint in link.joints)

    def fuses(self, link: MjcfLink) -> bool:
        """Return True if ``fusestatic`` merges a body with its parent, as MuJoCo 4.0 does: nothing refers to it."""
        own, parent = link.element.attributes, link.parent
        if parent is None or link.joints or own.get("mocap") == "true" or link.name in self.referenced:
            return False
        return not link.moves or link.compensation.value == parent.compensation.value

    def move_frame(self, link: MjcfLink, frame: Steps) -> None:
        """Move the frame of a body by ``frame``; the body, its geoms, sites and children stay in place."""
        link.steps = (*link.steps, *frame)
        for parts in (link.geoms, link.sites):
            parts[:] = [replace(part, within=(*back(frame), *part.within)) for part in parts]
        for other in self.bodies:
            if other.parent is link:
                other.steps = (*back(frame), *other.steps)
            other.__dict__.pop("pose", None)
        self.__dict__.pop("sites", None)

    def aligned(self, settings: MjcfSettings) -> dict[str, list[MjcfLink]]:
        """Return the free bodies that MuJoCo describes in their principal axes: those without children.

        Each is mapped to the bodies below it, all of which are merged with it and so are no children.
        """
        found, usual = dict[str, list[MjcfLink]](), "true" if settings.aligned else "false"
        for link, joint in self.joints:
            said = joint.element.attributes.get("align", "auto")
            if joint.type == "free" and (usual if said == "auto" else said) == "true":
                below = [each for each in self.bodies if each.is_below(link)]
                if all(settings.fused and self.fuses(each) for each in below):
                    found[link.name] = below
        return found

    @cached_property
    def sites(self) -> dict[str, tuple[MjcfLink, MjcfPart]]:
        """Sites by name, with their bodies."""
        return {s.element.attributes.get("name", ""): (link, s) for link in self.links for s in link.sites}


class Trees:
    """Reader of the tree of bodies of a document."""

    def __init__(self, classes: Classes, poses: Poses, findings: Findings) -> None:
        self.classes, self.poses, self.findings = classes, poses, findings
        self.tree = MjcfTree()
        self.bodies, self.joints = Namer({WORLD}), Namer(())
        self.given: dict[tuple[str, str], XmlElement] = {}

    def read(self, root: XmlElement) -> MjcfTree:
        """Build the tree of a document."""
        worlds = root.all("worldbody")
        if not worlds:
            self.findings.refuse(root.at, "a model without <worldbody>", "its bodies stand there")
            return self.tree
        for tags, namer in ((("body",), self.bodies), (("joint", "freejoint"), self.joints)):
            for world in worlds:
                namer.taken |= {e.attributes.get("name", "") for e in world.walk() if e.tag in tags}
        ground = MjcfLink(WORLD, worlds[0], None, (), MAIN)
        self.tree.links.append(ground)
        for world in worlds:
            self._inside(world, ground, (), self.classes.find_child_class(world, MAIN))
        self.tree.referenced = frozenset(self._list_referenced(root))
        return self.tree

    def _list_referenced(self, root: XmlElement) -> Iterator[str]:
        """Yield names of bodies that other elements refer to, and of bodies with a sensor of force or torque."""
        for element in root.walk():
            own = element.attributes
            yield from (own[key] for key in ("body", "body1", "body2", "target") if key in own)
            for key in ("obj", "ref"):
                if own.get(f"{key}type") in ("body", "xbody"):
                    yield own.get(f"{key}name", "")
            if element.tag in ("force", "torque") and own.get("site") in self.tree.sites:
                yield self.tree.sites[own["site"]][0].name

    def _name(self, element: XmlElement, kind: str, otherwise: str) -> str:
        """Return the name of an element, or a new one based on ``otherwise``; refuse a name that is taken."""
        namer = self.bodies if kind == "body" else self.joints
        name = element.attributes.get("name", "")
        if not name:
            return namer.fresh(otherwise)
        first = self.given.setdefault((kind, name), element)
        if first is not element:
            message = f"the {kind} {name!r} stands twice, first in line {first.at.line}"
            self.findings.refuse(element.at, message, "rename one")
        elif kind == "body" and name == WORLD:
            self.findings.refuse(element.at, f"a body called {WORLD!r}: that is the fixed frame", "rename it")
        return name

    def _inside(self, element: XmlElement, link: MjcfLink, within: Steps, around: str) -> None:
        """Read the contents of a body, or of a frame within it, into the body's link."""
        for child in element.children:
            if child.tag == "body":
                self._body(child, link, within, around)
            elif child.tag == "frame":
                steps = (*within, *self.poses.steps(child))
                self._inside(child, link, steps, self.classes.find_child_class(child, around))
            elif child.tag in ("joint", "freejoint"):
                self._joint(child, link, within, around)
            elif child.tag == "geom":
                link.geoms.append(MjcfPart(self.classes.resolve(child, around), within))
            elif child.tag == "site":
                link.sites.append(MjcfPart(self.classes.resolve(child, around), within))
            elif child.tag == "inertial":
                self._inertial(child, link, within)
            elif child.tag in MACROS:
                found = f"<{child.tag}>: it makes bodies by rules of MuJoCo's own"
                self.findings.refuse(child.at, found, COMPILE)

    def _body(self, element: XmlElement, parent: MjcfLink, within: Steps, around: str) -> None:
        name = self._name(element, "body", f"body{len(self.tree.links)}")
        own = self.classes.find_child_class(element, around)
        weight = scalar(element, "gravcomp", "0", self.findings)
        link = MjcfLink(name, element, parent, (*within, *self.poses.steps(element)), own, weight)
        self.tree.links.append(link)
        self.findings.locations[f"bodies/{name}"] = element.at
        self._inside(element, link, (), own)

    def _joint(self, element: XmlElement, link: MjcfLink, within: Steps, around: str) -> None:
        whole = element if element.tag == "freejoint" else self.classes.resolve(element, around)
        kinds = ("free",) if element.tag == "freejoint" else ("hinge", "slide", "ball", "free")
        kind = word(whole, "type", kinds, self.findings) if element.tag == "joint" else "free"
        if link.is_world:
            self.findings.refuse(element.at, "a joint of the world", "the fixed frame does not move")
            return
        first = f"{link.name}_joint"
        name = self._name(element, "joint", f"{first}{len(link.joints) + 1}" if link.joints else first)
        before = link.joints
        if kind == "free" and (before or not (link.parent and link.parent.is_world)):
            message = f"the free joint {name!r} is not the only joint of a body of the world"
            self.findings.refuse(element.at, message, "give the body three slides and a ball")
        elif before and before[-1].type == "free":
            message = f"the joint {name!r} stands behind a free one: six coordinates are all"
            self.findings.refuse(element.at, message, "remove one")
        elif before and before[-1].type == "ball" and kind != "slide":
            self.findings.refuse(element.at, f"the joint {name!r} turns behind a ball", "a ball turns everywhere")
        elif sum(TYPES[j.type] for j in before) + TYPES[kind] > 6:
            self.findings.refuse(element.at, f"more than six coordinates with {name!r}", "a body has six at most")
        link.joints.append(MjcfJoint(name, whole, kind, within, "name" in element.attributes))

    def _inertial(self, element: XmlElement, link: MjcfLink, within: Steps) -> None:
        if within:
            self.findings.refuse(element.at, "<inertial> in a <frame>", "it stands in its body")
        if link.inertial is not None:
            self.findings.refuse(element.at, f"a second <inertial> of {link.name!r}", "a body has one")
        if link.is_world:
            self.findings.refuse(element.at, "<inertial> of the world", "the fixed frame has none")
        link.inertial = element
