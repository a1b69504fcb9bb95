"""Links as bodies: how each is carried, its coordinates, and its inertia."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mbconcord.converters.findings import Findings
from mbconcord.converters.turns import Steps, back
from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    ElementaryTransformation,
    Inertia,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import ZERO, Expression

from ..vocabulary import BALL, FREE, WORLD
from .masses import aligned
from .poses import placed
from .settings import Settings
from .tree import Joint, Link, Tree
from .values import row, scalar, word


def coordinates_of(joint: Joint) -> tuple[str, ...]:
    """Names of the coordinates of a joint."""
    endings = {"free": FREE, "ball": BALL}.get(joint.type, ("",))
    return tuple(joint.name + ending for ending in endings)


def reference(joint: Joint, settings: Settings, findings: Findings) -> Expression:
    """Where the coordinate of a hinge or slide is at the pose of the file (rad, m)."""
    found = scalar(joint.element, "ref", "0", findings)
    return found * settings.angle if joint.type == "hinge" else found


class Bodies:
    """Makes bodies and coordinates of links."""

    def __init__(
        self, tree: Tree, inertias: dict[str, Inertia], settings: Settings, findings: Findings
    ) -> None:
        self.tree, self.settings, self.findings = tree, settings, findings
        self.frames: dict[str, Steps] = {}
        self.inertias = dict(inertias)
        for link in tree.bodies:
            if self._is_aligned(link):
                pose, own = aligned(self.inertias[link.name])
                self.frames[link.name], self.inertias[link.name] = placed(pose), own

    def _is_aligned(self, link: Link) -> bool:
        """Whether a free body is seen from its principal axes, and not from the frame of the file."""
        if not (link.joints and link.joints[0].type == "free"):
            return False
        choice = word(link.joints[0].element, "align", ("auto", "true", "false"), self.findings)
        return choice == "true" or (choice == "auto" and self.settings.aligned)

    def bodies(self) -> Iterator[Body]:
        """A body for each link, in MuJoCo's order."""
        for link in self.tree.bodies:
            parent = link.parent.name if link.parent is not None else WORLD
            before = back(self.frames.get(parent, ()))
            self.findings.locations[f"bodies/{link.name}/joint"] = link.element.at
            moving = [et for joint in link.joints for et in self._joint(joint)]
            own = self.frames.get(link.name, ())
            steps = (*before, *link.steps, *own, *moving)
            yield Body(link.name, None if parent == WORLD else parent, steps, self.inertias[link.name])

    def coordinates(self) -> Iterator[Coordinate]:
        """The coordinates at the reference."""
        for _, joint in self.tree.joints:
            start = ZERO if joint.type in ("free", "ball") else reference(joint, self.settings, self.findings)
            for name in coordinates_of(joint):
                self.findings.locations[f"coordinates/{name}"] = joint.element.at
                yield Coordinate(name, start)

    def _joint(self, joint: Joint) -> Iterator[ElementaryTransformation]:
        """What a joint does in the frame that the joints before it leave."""
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

    def _one(self, joint: Joint) -> Iterator[ElementaryTransformation]:
        """A hinge or slide: back by the reference, on by the coordinate."""
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
