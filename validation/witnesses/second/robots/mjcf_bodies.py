"""Bodies of an MJCF with their joints, geoms and sites, each in its frames."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..machine import Steps, UnreadError
from ..poses import Array
from .mjcf_words import MAIN, SecondMjcfWords
from .tags import Tag, back, free, matrix, move_along, shift, turn, unit

#: What follows a joint's name in those of its coordinates.
ENDINGS = {
    "free": ("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX"), "ball": ("_RZ", "_RY", "_RX"), "hinge": ("",), "slide": ("",),
}  # fmt: skip
MADE = ("composite", "flexcomp", "attach", "replicate")


@dataclass(eq=False)
class SecondMjcfJoint:
    """A joint of a body: ``within`` leads to its frame in the body."""

    name: str
    kind: str
    tag: Tag
    within: Steps
    ref: float
    spring: float

    @property
    def names(self) -> list[str]:
        """Its coordinates."""
        return [self.name + ending for ending in ENDINGS[self.kind]]

    @property
    def single(self) -> bool:
        """True if it has one coordinate."""
        return self.kind in ("hinge", "slide")

    def way(self) -> Steps:
        """Return its motion in the frame left by the joints before it: about its point, back by its reference.

        A ball has no axes that a frame could rotate: it rotates about those of the body.
        """
        if self.kind == "free":
            return free(self.names)
        place = shift(self.tag.row("pos", "0 0 0")) if self.kind != "slide" else ()
        if self.kind == "ball":
            there = shift([float(x) for x in matrix((*self.within, *place))[:3, 3]])
            return (*there, *free(self.names), *back(there))
        axis = unit(self.tag.row("axis", "0 0 1"))
        away = turn(axis, -self.ref) if self.kind == "hinge" else shift([-self.ref * x for x in axis])
        motion = (*away, *move_along("t" if self.kind == "hinge" else "s", (axis,), self.names))
        return (*self.within, *place, *motion, *back(place), *back(self.within))


@dataclass(eq=False)
class SecondMjcfBody:
    """A body, or the world: ``steps`` lead from its parent to it in the file's pose."""

    name: str
    tag: Tag
    parent: SecondMjcfBody | None
    steps: Steps
    joints: list[SecondMjcfJoint] = field(default_factory=list)
    geoms: list[tuple[Tag, Steps]] = field(default_factory=list)
    inertial: Tag | None = None

    @property
    def moves(self) -> bool:
        """True if joints carry it."""
        return bool(self.joints) or (self.parent is not None and self.parent.moves)

    @property
    def pose(self) -> Array:
        """Its pose in the world as the file shows it."""
        return np.eye(4) if self.parent is None else self.parent.pose @ matrix(self.steps)

    @property
    def full_name(self) -> str | None:
        """Its name; None for the world."""
        return None if self.parent is None else self.name


class SecondMjcfBodies:
    """All bodies of a document, each after its parent; joints and sites by name."""

    def __init__(self, mujoco: Tag, words: SecondMjcfWords) -> None:
        self.words = words
        self.all: list[SecondMjcfBody] = []
        self.joints: dict[str, SecondMjcfJoint] = {}
        self._sites: dict[str, tuple[SecondMjcfBody, Steps, Tag]] = {}
        worlds = mujoco.all("worldbody")
        self.world = SecondMjcfBody("world", worlds[0], None, ())
        for tag in worlds:
            self._fill(tag, self.world, (), tag.own.get("childclass", MAIN))
        if len({body.name for body in self.all}) < len(self.all):
            raise UnreadError("two bodies of one name")

    def _fill(self, tag: Tag, body: SecondMjcfBody, within: Steps, around: str) -> None:
        for child in tag.inner:
            if child.name == "body":
                name = child.own.get("name") or f"body{len(self.all) + 1}"
                made = SecondMjcfBody(name, child, body, (*within, *self.words.steps(child)))
                self.all.append(made)
                self._fill(child, made, (), child.own.get("childclass", around))
            elif child.name == "frame":
                inner = (*within, *self.words.steps(child))
                self._fill(child, body, inner, child.own.get("childclass", around))
            elif child.name in ("joint", "freejoint"):
                self._joint(child, body, within, around)
            elif child.name == "geom":
                body.geoms.append((self.words.whole(child, around), within))
            elif child.name == "site":
                self._sites[child.own.get("name", "")] = body, within, self.words.whole(child, around)
            elif child.name == "inertial":
                if within or body.inertial:
                    raise UnreadError("an inertial in a frame, or a second one")
                body.inertial = child
            elif child.name in MADE:
                raise UnreadError(f"<{child.name}>")

    def site(self, name: str) -> tuple[SecondMjcfBody, Steps]:
        """Return the body of a site, and the path from its frame."""
        body, within, tag = self._sites[name]
        if "fromto" in tag.own:
            raise UnreadError("a site between two points")
        return body, (*within, *self.words.steps(tag))

    def _joint(self, child: Tag, body: SecondMjcfBody, within: Steps, around: str) -> None:
        tag = child if child.name == "freejoint" else self.words.whole(child, around)
        kind = "free" if child.name == "freejoint" else tag.own.get("type", "hinge")
        if tag.own.get("align", "auto") == "true" or (
            kind == "free" and tag.own.get("align", "auto") == "auto"
            and self.words.compiler.own.get("alignfree", "false") == "true"
        ):  # fmt: skip
            raise UnreadError("free bodies along their principal axes")
        number = str(len(body.joints) + 1) if body.joints else ""
        name = child.own.get("name") or f"{body.name}_joint{number}"
        if name in self.joints:
            raise UnreadError(f"two joints called {name!r}")
        unit_of = self.words.degree if kind == "hinge" else 1.0
        ref, spring = (tag.number(key, "0") * unit_of for key in ("ref", "springref"))
        made = SecondMjcfJoint(name, kind, tag, within, ref, spring)
        body.joints.append(made)
        self.joints[name] = made
