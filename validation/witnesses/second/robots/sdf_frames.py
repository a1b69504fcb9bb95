"""Frames of an SDF by name: each has a pose, a 4×4 matrix, relative to another frame, and so one in the world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np

from ..machine import Tensor, Triple, UnreadError, symmetric
from ..world import Array
from .lumps import NOTHING, SecondLump, solid, sum_lumps
from .tags import Tag, beside, inverse, matrix, numbers, quaternion, roll_pitch_yaw, root, rotate_tensor, shift, triple

TRUE, FALSE = ("true", "1"), ("false", "0")


def yes(text: str) -> bool:
    """Return the truth value of a word: true, 1, false or 0."""
    said = text.strip().lower()
    if said not in (*TRUE, *FALSE):
        raise UnreadError(f"the word {said!r:.40}")
    return said in TRUE


def pose(tag: Tag) -> Array:
    """Return the 4×4 matrix of a ``<pose>``: x y z and turns about fixed axes x, y, z, or a quaternion with w last."""
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
class SecondSdfFrame:
    """The world, a model, link, joint or frame; ``name`` includes outer models, ``around`` is the innermost one."""

    kind: str
    name: str
    tag: Tag
    around: SecondSdfFrame | None
    inner: dict[str, SecondSdfFrame] = field(default_factory=dict)

    @property
    def still(self) -> bool:
        """True if the frame belongs to a static model."""
        model = self if self.kind == "model" else self.around
        if model is None or model.kind != "model":
            return False
        own = model.tag.has("static") and yes(model.tag.one("static").text)
        return own or (model.around is not None and model.around.still)

    def find_frame(self, name: str) -> SecondSdfFrame:
        """Return the frame that a name refers to within this model or world."""
        if name in self.inner:
            return self.inner[name]
        first, separator, rest = name.partition("::")
        if separator:
            return self.inner[first].find_frame(rest)
        if name == "__model__":
            return self
        if name == "world":
            return self if self.around is None else self.around.find_frame(name)
        return self.inner[name]


class SecondSdfFrames:
    """All frames of a world, or of an SDF whose root contains a single model."""

    def __init__(self, ground: Tag, early: bool) -> None:
        self.world = SecondSdfFrame("world", "world", ground, None)
        self.all: list[SecondSdfFrame] = []
        self.early = early
        parts = [tag for tag in ground.inner if tag.name in ("model", "link", "joint", "frame")]
        self._fill(self.world, "", [tag.name for tag in parts] == ["model"])
        self._poses: dict[SecondSdfFrame, Array] = {self.world: np.eye(4)}

    def _fill(self, around: SecondSdfFrame, before: str, alone: bool = False) -> None:
        for tag in around.tag.inner:
            if tag.name not in ("model", "link", "joint", "frame"):
                continue
            name = tag.own["name"]
            if name in around.inner:
                raise UnreadError(f"two frames called {name!r}")
            made = SecondSdfFrame(tag.name, before + name, tag, around)
            around.inner[name] = made
            self.all.append(made)
            if tag.name == "model":
                self._fill(made, "" if alone else f"{made.name}::")

    def list_frames(self, kind: str) -> list[SecondSdfFrame]:
        """List the frames of a kind, in file order."""
        return [frame for frame in self.all if frame.kind == kind]

    def scope(self, frame: SecondSdfFrame) -> SecondSdfFrame:
        """Return the model, or the world, in which a frame resolves names."""
        assert frame.around is not None
        return frame.around

    def _base(self, frame: SecondSdfFrame) -> SecondSdfFrame:
        """Return the frame to which a frame's pose refers."""
        scope, relative = self.scope(frame), frame.tag.one("pose").own.get("relative_to", "")
        if relative:
            return scope.find_frame(relative)
        if frame.kind == "joint":
            return scope.find_frame(frame.tag.one("child").text.strip())
        attached = frame.tag.own.get("attached_to", "") if frame.kind == "frame" else ""
        return scope.find_frame(attached) if attached else scope

    def _local(self, frame: SecondSdfFrame) -> Array:
        """Return a frame's pose relative to its reference frame; that of a model places the model's placement frame."""
        T = pose(frame.tag.one("pose"))
        placed = frame.tag.own.get("placement_frame", "") if frame.kind == "model" else ""
        return T @ inverse(self._pose_in_model(frame.find_frame(placed), frame)) if placed else T

    def _pose_in_model(self, frame: SecondSdfFrame, model: SecondSdfFrame) -> Array:
        """Return the pose of a frame relative to a model that contains it."""
        T = np.eye(4)
        while frame is not model:
            if frame.around is None:
                raise UnreadError("a model placed by a frame outside of it")
            T, frame = self._local(frame) @ T, self._base(frame)
        return T

    def pose(self, frame: SecondSdfFrame) -> Array:
        """Return the pose of a frame in the world."""
        if frame not in self._poses:
            self._poses[frame] = self.pose(self._base(frame)) @ self._local(frame)
        return self._poses[frame]

    def relative_pose(self, one: SecondSdfFrame, other: SecondSdfFrame) -> Array:
        """Return the pose of ``other`` in ``one``, in the file's configuration."""
        return inverse(self.pose(one)) @ self.pose(other)

    def link(self, frame: SecondSdfFrame) -> SecondSdfFrame:
        """Return the link, or the world, to which a frame is attached, directly or through other frames."""
        for _ in range(len(self.all) + 1):
            if frame.kind in ("link", "world"):
                return frame
            if frame.kind == "model":
                frame = self._canonical(frame)
            else:
                key = frame.tag.one("child").text.strip() if frame.kind == "joint" else frame.tag.own.get("attached_to")
                frame = self.scope(frame).find_frame(key) if key else self.scope(frame)
        raise UnreadError("frames that are attached to one another")

    def _canonical(self, model: SecondSdfFrame) -> SecondSdfFrame:
        """Return the canonical link of a model: the named one, its first, or the first of an inner model."""
        name = model.tag.own.get("canonical_link", "")
        if name:
            return model.find_frame(name)
        waiting = [model]
        while waiting:
            found = waiting.pop()
            links = [f for f in found.inner.values() if f.kind == "link"]
            if links:
                return links[0]
            waiting += reversed([f for f in found.inner.values() if f.kind == "model"])
        raise UnreadError("a model without links")


#: Largest number of inclusions in a document: with more, files are taken to include one another.
MOST: Final = 1000
#: Elements of an inclusion that replace those of the included model.
SAID: Final = ("pose", "static")


def document(text: str, folder: str, packages: Sequence[str] = ()) -> Tag:
    """Return the root element of a text, in which included models replace each ``include``."""
    found = root(text, "sdf")
    waiting, count = [found], 0
    while waiting:
        tag = waiting.pop()
        if tag.name in ("world", "model"):
            for k, child in enumerate(tag.inner):
                if child.name == "include":
                    count += 1
                    tag.inner[k] = _include(child, folder, packages)
        if count > MOST:
            raise UnreadError("models that include one another")
        waiting += tag.inner
    return found


def _include(include: Tag, folder: str, packages: Sequence[str]) -> Tag:
    """Return the model of a file, with name, pose, placement and the rest overridden by the inclusion."""
    if yes(include.own.get("merge", "false")):
        raise UnreadError("a model that is merged into another")
    name = include.one("uri").text.strip()
    if PurePosixPath(name).suffix != ".sdf":
        name = f"{name}/model.sdf"
    near = name.removeprefix("model://")
    name = near if folder and Path(folder, near).is_file() else name
    model = root(beside(folder, name, packages).decode("utf-8-sig"), "sdf").all("model")[0]
    own = dict(model.own)
    for key in ("name", "placement_frame"):
        said = include.one(key).text.strip()
        own |= {key: said} if said else {}
    still = any(yes(tag.text) for tag in model.all("static"))
    here = [tag for key in SAID for tag in include.all(key) if not (key == "static" and still)]
    replaced = {tag.name for tag in here}
    beside_it = [tag for tag in include.inner if tag.name not in ("uri", "name", "placement_frame", *SAID)]
    return Tag("model", own, [*here, *(tag for tag in model.inner if tag.name not in replaced), *beside_it])


#: Shape -> its sizes: element, default with as many numbers, and factor that makes them radii or half lengths.
SHAPES = {
    "box": (("size", "0 0 0", 0.5),), "sphere": (("radius", "0", 1.0),), "ellipsoid": (("radii", "0 0 0", 1.0),),
    "cylinder": (("radius", "0", 1.0), ("length", "0", 0.5)), "capsule": (("radius", "0", 1.0), ("length", "0", 0.5)),
}  # fmt: skip


def inertia(link: SecondSdfFrame, frames: SecondSdfFrames) -> tuple[float, Triple, Tensor, float]:
    """Return mass (default 1), centre, tensor (default 1) and reach of a link; if ``auto``, from collision shapes."""
    inertial = link.tag.one("inertial")
    if yes(inertial.own.get("auto", "false")):
        return _shapes(link, frames, inertial).numbers
    moments = inertial.one("inertia")
    keys = (("ixx", "1"), ("iyy", "1"), ("izz", "1"), ("ixy", "0"), ("ixz", "0"), ("iyz", "0"))
    own = symmetric(*(moments.inside(key, default)[0] for key, default in keys))
    if inertial.one("pose").own.get("relative_to"):
        raise UnreadError("an inertial that stands in another frame")
    T = pose(inertial.one("pose"))
    return inertial.inside("mass", "1")[0], triple(T[:3, 3]), rotate_tensor(own, T[:3, :3]), 0.0


def _shapes(link: SecondSdfFrame, frames: SecondSdfFrames, inertial: Tag) -> SecondLump:
    lumps = []
    for collision in link.tag.all("collision"):
        shape = collision.one("geometry").inner[0]
        if shape.name not in SHAPES:
            raise UnreadError(f"the inertia of a <{shape.name}>")
        sizes = [part * x for key, count, part in SHAPES[shape.name] for x in shape.inside(key, count)]
        a, b, c = (*sizes, 0.0, 0.0)[:3]
        density = numbers((collision if collision.has("density") else inertial).one("density").text or "1000", 1)
        lumps.append(solid(shape.name, a, b, c).times(density[0]).transform(_place(link, frames, collision)))
    return sum_lumps(lumps) if lumps else NOTHING


def _place(link: SecondSdfFrame, frames: SecondSdfFrames, collision: Tag) -> Array:
    """Return the pose of a collision element relative to its link."""
    said = collision.one("pose")
    relative = said.own.get("relative_to", "")
    base = frames.scope(link).find_frame(relative) if relative else link
    return frames.relative_pose(link, base) @ pose(said)
