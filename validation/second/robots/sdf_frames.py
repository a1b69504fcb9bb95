"""Frames of an SDF by name: each is a 4×4 matrix in another one, and so in the world."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ..machine import UnreadError
from ..poses import Array
from .tags import Tag, numbers
from .turns import inverse, matrix, quaternion, roll_pitch_yaw, shift

TRUE, FALSE = ("true", "1"), ("false", "0")


def yes(text: str) -> bool:
    """Whether a word says so."""
    said = text.strip().lower()
    if said not in (*TRUE, *FALSE):
        raise UnreadError(f"the word {said!r:.40}")
    return said in TRUE


def pose(tag: Tag) -> Array:
    """What a ``<pose>`` says: x y z and turns about the fixed axes x, y, z; or a quaternion, its w last."""
    if not tag.text.strip():
        return np.eye(4)
    if tag.own.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, *q = numbers(tag.text, 7)
        return matrix((*shift((x, y, z)), *quaternion(q[3], q[0], q[1], q[2])))
    x, y, z, *angles = numbers(tag.text, 6)
    if yes(tag.own.get("degrees", "false")):
        angles = [math.radians(angle) for angle in angles]
    return matrix((*shift((x, y, z)), *roll_pitch_yaw(*angles)))


@dataclass(eq=False)
class Frame:
    """The world, a model, link, joint or frame: ``name`` is that from outside, ``around`` the model it stands in."""

    kind: str
    name: str
    tag: Tag
    around: Frame | None
    inner: dict[str, Frame] = field(default_factory=dict)

    @property
    def still(self) -> bool:
        """Whether it is of a model that does not move."""
        model = self if self.kind == "model" else self.around
        if model is None or model.kind != "model":
            return False
        own = model.tag.has("static") and yes(model.tag.one("static").text)
        return own or (model.around is not None and model.around.still)

    def named(self, name: str) -> Frame:
        """The frame that a name means in this model or world."""
        first, separator, rest = name.partition("::")
        if separator:
            return self.inner[first].named(rest)
        if name == "__model__":
            return self
        if name == "world":
            return self if self.around is None else self.around.named(name)
        return self.inner[name]


class Frames:
    """All frames of a world, or of the root that holds a model alone."""

    def __init__(self, ground: Tag, early: bool) -> None:
        self.world = Frame("world", "world", ground, None)
        self.all: list[Frame] = []
        self.early = early
        parts = [tag for tag in ground.inner if tag.name in ("model", "link", "joint", "frame")]
        self._fill(self.world, "", [tag.name for tag in parts] == ["model"])
        self._poses: dict[Frame, Array] = {self.world: np.eye(4)}

    def _fill(self, around: Frame, before: str, alone: bool = False) -> None:
        for tag in around.tag.inner:
            if tag.name not in ("model", "link", "joint", "frame"):
                continue
            name = tag.own["name"]
            if name in around.inner:
                raise UnreadError(f"two frames called {name!r}")
            made = Frame(tag.name, before + name, tag, around)
            around.inner[name] = made
            self.all.append(made)
            if tag.name == "model":
                self._fill(made, "" if alone else f"{made.name}::")

    def of(self, kind: str) -> list[Frame]:
        """The frames of a kind, in the order of the file."""
        return [frame for frame in self.all if frame.kind == kind]

    def scope(self, frame: Frame) -> Frame:
        """The model, or the world, in which a frame looks for names."""
        assert frame.around is not None
        return frame.around

    def _base(self, frame: Frame) -> Frame:
        """The frame in which the pose of one is said."""
        scope, relative = self.scope(frame), frame.tag.one("pose").own.get("relative_to", "")
        if relative:
            return scope.named(relative)
        if frame.kind == "joint":
            return scope.named(frame.tag.one("child").text.strip())
        attached = frame.tag.own.get("attached_to", "") if frame.kind == "frame" else ""
        return scope.named(attached) if attached else scope

    def _local(self, frame: Frame) -> Array:
        """A frame in that in which its pose is said; a model stands by the frame that it is placed by."""
        T = pose(frame.tag.one("pose"))
        placed = frame.tag.own.get("placement_frame", "") if frame.kind == "model" else ""
        return T @ inverse(self._within(frame.named(placed), frame)) if placed else T

    def _within(self, frame: Frame, model: Frame) -> Array:
        """A frame in the model in which it stands."""
        T = np.eye(4)
        while frame is not model:
            if frame.around is None:
                raise UnreadError("a model placed by a frame outside of it")
            T, frame = self._local(frame) @ T, self._base(frame)
        return T

    def pose(self, frame: Frame) -> Array:
        """A frame in the world."""
        if frame not in self._poses:
            self._poses[frame] = self.pose(self._base(frame)) @ self._local(frame)
        return self._poses[frame]

    def between(self, one: Frame, other: Frame) -> Array:
        """One frame in another, as the file shows them: ``other`` in ``one``."""
        return inverse(self.pose(one)) @ self.pose(other)

    def link(self, frame: Frame) -> Frame:
        """The link, or the world, with which a frame moves."""
        for _ in range(len(self.all) + 1):
            if frame.kind in ("link", "world"):
                return frame
            if frame.kind == "model":
                frame = self._canonical(frame)
            else:
                key = (
                    frame.tag.one("child").text.strip()
                    if frame.kind == "joint"
                    else frame.tag.own.get("attached_to")
                )
                frame = self.scope(frame).named(key) if key else self.scope(frame)
        raise UnreadError("frames that are attached to one another")

    def _canonical(self, model: Frame) -> Frame:
        """The link of a model: that which it names, or its first, or that of its first model that has one."""
        name = model.tag.own.get("canonical_link", "")
        if name:
            return model.named(name)
        waiting = [model]
        while waiting:
            found = waiting.pop()
            links = [f for f in found.inner.values() if f.kind == "link"]
            if links:
                return links[0]
            waiting += reversed([f for f in found.inner.values() if f.kind == "model"])
        raise UnreadError("a model without links")
