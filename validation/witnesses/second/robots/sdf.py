"""Reading of a text of SDF at one state: all frames in the file's pose, then links moved by joints.

Coordinates are zero in the file's configuration. In a loop of joints the last one in the file is the closure; links
without a joint move freely. Joint limits and contacts are left out of the motion.

Frames of an SDF by name: each has a pose, a 4×4 matrix, relative to another frame, and so one in the world.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np

from ..machine import (
    At,
    SecondClosure,
    SecondLoad,
    SecondMachine,
    SecondPlace,
    SecondRow,
    SecondSolid,
    Steps,
    Tensor,
    Triple,
    UnreadError,
    linear,
    symmetric,
)
from ..world import Array
from .lumps import NOTHING, SecondLump, solid, sum_lumps
from .tags import (
    Tag,
    back,
    beside,
    free,
    inverse,
    matrix,
    move_along,
    numbers,
    quaternion,
    roll_pitch_yaw,
    root,
    rotate_tensor,
    shift,
    steps_to,
    triple,
    unit,
)

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


#: Type of a joint -> endings that the joint's name gets in names of coordinates; shift (s) or turn (t) of each.
TYPES = {
    "revolute": (("",), "t"), "continuous": (("",), "t"), "prismatic": (("",), "s"), "fixed": ((), ""),
    "ball": (("_RZ", "_RY", "_RX"), "ttt"), "universal": (("_0", "_1"), "tt"), "revolute2": (("_0", "_1"), "tt"),
    "screw": (("", "_slide"), "ts"),
}  # fmt: skip
FREE = ("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX")


def read(text: str, at: At) -> SecondMachine:
    """Read the machine of a text at a state."""
    return _SecondSdfReading(document(text, at.folder, at.packages), at).machine()


@dataclass(eq=False)
class _SecondSdfJoint:
    """A joint between two links; ``way`` has the steps of its motion, in the joint's frame."""

    frame: SecondSdfFrame
    parent: SecondSdfFrame
    child: SecondSdfFrame
    way: Steps

    @property
    def names(self) -> list[str]:
        return [self.frame.name + ending for ending in TYPES[self.frame.tag.own["type"]][0]]

    @property
    def axes(self) -> dict[str, Tag]:
        """Elements of axes by name of the coordinate; ball joints have none."""
        if self.frame.tag.own["type"] in ("ball", "fixed"):
            return {}
        said = [self.frame.tag.one(key) for key in ("axis", "axis2") if self.frame.tag.has(key)]
        return dict(zip(self.names, said, strict=False))


class _SecondSdfReading:
    def __init__(self, sdf: Tag, at: At) -> None:
        self.at = at
        (self.ground,) = [sdf.one("world")] if sdf.has("world") else [sdf]
        if len(sdf.all("world")) + len(sdf.all("model")) != 1:
            raise UnreadError("several models")
        major, minor = (int(part) for part in sdf.own["version"].split("."))
        self.version = (major, minor)
        if self.version < (1, 4):
            raise UnreadError("a version before 1.4")
        self.frames = SecondSdfFrames(self.ground, self.version < (1, 7))
        stated = self.frames.list_frames("joint")
        self.gears = [frame for frame in stated if frame.tag.own["type"] == "gearbox"]
        self.joints = [self._joint(frame) for frame in stated if frame not in self.gears]
        self.links = self.frames.list_frames("link")
        self._hang()

    def _joint(self, frame: SecondSdfFrame) -> _SecondSdfJoint:
        scope = self.frames.scope(frame)
        parent, child = (self.frames.link(scope.find_frame(frame.tag.one(k).text.strip())) for k in ("parent", "child"))
        made = _SecondSdfJoint(frame, parent, child, ())
        _, kinds = TYPES[frame.tag.own["type"]]
        if frame.tag.own["type"] == "ball":
            made.way = free(made.names)
        elif kinds:
            own = [self._axis(frame, tag) for tag in (("axis", "axis2") if kinds == "tt" else ("axis",))]
            made.way = move_along(kinds, own * 2 if kinds == "ts" else own, made.names)
        return made

    def _axis(self, frame: SecondSdfFrame, key: str) -> Triple:
        """Return the direction of an axis in the joint's frame, converted from the frame in which it is given."""
        if not frame.tag.has(key):
            raise UnreadError(f"a joint without <{key}>")
        axis = frame.tag.one(key)
        xyz = axis.one("xyz")
        named = xyz.own.get("expressed_in", "")
        if self.frames.early and axis.has("use_parent_model_frame"):
            named = "__model__" if yes(axis.one("use_parent_model_frame").text) else named
        elif self.version == (1, 4):
            named = "__model__"
        x, y, z = unit(axis.inside("xyz", "0 0 1"))
        if not named:
            return x, y, z
        R = self.frames.relative_pose(frame, self.frames.scope(frame).find_frame(named))[:3, :3]
        return unit(triple(R @ (x, y, z)))

    def _hang(self) -> None:
        """Store the joint and carrier of each link, the joints that close loops, and the free links."""
        world = self.frames.world
        still = [link for link in self.links if link.still]
        group = {link: link for link in self.links} | dict.fromkeys((world, *still), world)
        kept = list[_SecondSdfJoint]()
        self.cuts = list[_SecondSdfJoint]()
        for joint in self.joints:
            one, other = group[joint.parent], group[joint.child]
            if one is not other:
                kept.append(joint)
                group = {link: one if g is other else g for link, g in group.items()}
            elif joint.parent not in (world, *still) or joint.child not in (world, *still):
                self.cuts.append(joint)
        self.carried: dict[SecondSdfFrame, tuple[_SecondSdfJoint | None, SecondSdfFrame]] = dict.fromkeys(
            still, (None, world)
        )
        self.free = list[SecondSdfFrame]()
        children = {joint.child for joint in kept}
        self._grow(kept)
        for candidates in ([x for x in self.links if x not in children], self.links):
            for link in candidates:
                if link not in self.carried:
                    self.free.append(link)
                    self.carried[link] = None, world
                    self._grow(kept)

    def _grow(self, joints: list[_SecondSdfJoint]) -> None:
        """Store the joint and carrier of each link that joints connect, over any number of links, to a carried one."""
        found = True
        while found:
            found = False
            for joint in joints:
                for here, there in ((joint.parent, joint.child), (joint.child, joint.parent)):
                    known = here is self.frames.world or here in self.carried
                    if known and there is not self.frames.world and there not in self.carried:
                        self.carried[there], found = (joint, here), True

    def _steps(self, link: SecondSdfFrame) -> Steps:
        """Return the steps from the link's carrier to the link."""
        joint, carrier = self.carried[link]
        if joint is None:
            there = steps_to(self.frames.pose(link))
            return (*there, *free([link.name + e for e in FREE])) if link in self.free else there
        before, after = (
            steps_to(self.frames.relative_pose(*pair)) for pair in ((carrier, joint.frame), (joint.frame, link))
        )
        return (*before, *(joint.way if carrier is joint.parent else back(joint.way)), *after)

    def machine(self) -> SecondMachine:
        """Return the machine with its links, forces and constraints."""
        world, joints = (self.frames.world, [j for j in self.joints if j in {j for j, _ in self.carried.values()}])
        coordinates = [link.name + e for link in self.free for e in FREE] + [q for j in joints for q in j.names]
        if len({*coordinates, *(j.frame.name for j in self.joints)}) < len(coordinates):
            raise UnreadError("coordinates of one name")
        solids = []
        for link, (_, carrier) in self.carried.items():
            mass, centre, tensor, reach = inertia(link, self.frames)
            name = None if carrier is world else carrier.name
            solids.append(SecondSolid(link.name, name, self._steps(link), mass, centre, tensor, reach))
        default = "0 0 -9.8" if self.ground.name == "world" else "0 0 -9.81"
        old = self.version < (1, 6) and not self.ground.has("gravity")
        g = (self.ground.one("physics") if old else self.ground).inside("gravity", default)
        weightless = {link.name for link in self.links if not yes(link.tag.one("gravity").text or "true")}
        loads = [
            SecondLoad(SecondPlace(s.name, s.centre), (-s.mass * g[0], -s.mass * g[1], -s.mass * g[2]))
            for s in solids
            if s.name in weightless
        ]
        return SecondMachine(
            tuple(coordinates), tuple(solids), (g[0], g[1], g[2]),
            {q: self._effort(q, axis.one("dynamics")) for j in joints for q, axis in j.axes.items()},
            loads=tuple(loads),
            closures=tuple(self._closure(joint) for joint in self.cuts),
            starts=dict.fromkeys(coordinates, (0.0, 0.0)),
            beside=tuple(place for joint in (*joints, *self.cuts) for place in self._beside(joint)),
            armatures=tuple(x for joint in joints for x in _rotor(joint)),
            rows=(
                *(row for joint in joints for row in (*self._screw(joint), *self._mimics(joint))),
                *(row for gear in self.gears for row in self._gear(gear)),
            ),
        )  # fmt: skip

    def _effort(self, q: str, dynamics: Tag) -> float:
        words = ("spring_stiffness", "spring_reference", "damping", "friction")
        k, rest, d, rough = (dynamics.inside(x, "0")[0] for x in words)
        v = self.at.v[q]
        return -k * (self.at.q[q] - rest) - d * v - (math.copysign(rough, v) if v else 0.0)

    def _beside(self, joint: _SecondSdfJoint) -> Iterator[str]:
        """Yield places ``kind/name`` of dry friction, springs, dampers and mimics of a joint that closes a loop."""
        closing = joint in self.cuts
        for q, axis in joint.axes.items():
            dynamics = axis.one("dynamics")
            words = {"friction": "joint-friction", "damping": "joint-damping", "spring_stiffness": "joint-spring"}
            kinds = words if closing else {}
            yield from (f"{kind}/{q}" for tag, kind in kinds.items() if dynamics.inside(tag, "0")[0])
            if closing and axis.has("mimic"):
                yield f"closure/{q}"

    def _screw(self, joint: _SecondSdfJoint) -> list[SecondRow]:
        """Return the row shift - pitch · turns of a screw joint, with the pitch in metres per turn; else none."""
        if joint.frame.tag.own["type"] != "screw":
            return []
        turns = joint.frame.tag.inside("screw_thread_pitch", "1")[0] / (2 * math.pi)
        a, s = joint.names
        q, v = self.at.q, self.at.v
        return [linear(f"{a}_screw", (q[s], -turns * q[a]), (v[s], -turns * v[a]))]

    def _mimics(self, joint: _SecondSdfJoint) -> list[SecondRow]:
        """Return the rows q - multiplier · (leader - reference) - offset of a joint's mimics."""
        found = []
        for name, axis in joint.axes.items():
            if not axis.has("mimic"):
                continue
            mimic = axis.one("mimic")
            scope = self.frames.scope(joint.frame)
            (leading,) = (j for j in self.joints if j.frame is scope.find_frame(mimic.own["joint"]))
            number = ("axis", "axis2").index(mimic.own.get("axis", "axis"))
            leader = leading.names[number]
            m, offset, rest = (
                mimic.inside(k, x)[0] for k, x in (("multiplier", "1"), ("offset", "0"), ("reference", "0"))
            )
            terms = self.at.q[name], -m * self.at.q[leader], m * rest, -offset
            found.append(linear(f"{name}_mimic", terms, (self.at.v[name], -m * self.at.v[leader])))
        return found

    def _gear(self, gear: SecondSdfFrame) -> list[SecondRow]:
        """Return the row of a gearbox: child's turn plus ratio times parent's, each relative to the reference body."""
        scope, ratio = self.frames.scope(gear), gear.tag.inside("gearbox_ratio", "1")[0]
        names = [gear.tag.one(k).text.strip() for k in ("gearbox_reference_body", "parent", "child")]
        body, *ends = (self.frames.link(scope.find_frame(name)) for name in names)
        if all(link is self.frames.world or link.still for link in (body, *ends)):
            return []
        terms, rates = [], []
        for end, key, factor in zip(ends, ("axis", "axis2"), (ratio, 1.0), strict=True):
            (joint, sign) = self._between(body, end)
            own = self.frames.relative_pose(self.frames.world, gear)[:3, :3] @ self._axis(gear, key)
            theirs = self.frames.relative_pose(self.frames.world, joint.frame)[:3, :3] @ self._axis(joint.frame, "axis")
            if abs(abs(own @ theirs) - 1) > 1e-9:
                raise UnreadError("a gearbox beside the axis of its joint")
            q = joint.names[0]
            terms.append(factor * sign * math.copysign(1, own @ theirs) * self.at.q[q])
            rates.append(factor * sign * math.copysign(1, own @ theirs) * self.at.v[q])
        return [linear(f"{gear.name}_gearbox", terms, rates)]

    def _between(self, body: SecondSdfFrame, end: SecondSdfFrame) -> tuple[_SecondSdfJoint, int]:
        """Return the only turning joint on the path between two links, and its sense along that path, 1 or -1."""
        carrying = [joint for joint, _ in self.carried.values() if joint is not None]
        body, end = self._ground(body), self._ground(end)
        found: dict[SecondSdfFrame, list[tuple[_SecondSdfJoint, int]]] = {body: []}
        waiting = [body]
        while waiting:
            here = waiting.pop()
            for joint in carrying:
                parent, child = self._ground(joint.parent), self._ground(joint.child)
                for one, other, sign in ((parent, child, 1), (child, parent, -1)):
                    if one is here and other not in found:
                        found[other] = [*found[here], (joint, sign)] if joint.way else found[here]
                        waiting.append(other)
        way = found.get(end, [])
        if len(way) != 1 or way[0][0].frame.tag.own["type"] not in ("revolute", "continuous"):
            raise UnreadError("a gearbox whose links do not turn in one joint")
        return way[0]

    def _ground(self, link: SecondSdfFrame) -> SecondSdfFrame:
        """Return the link itself, or the world if the link belongs to a static model."""
        return self.frames.world if link.still else link

    def _closure(self, joint: _SecondSdfJoint) -> SecondClosure:
        parent, child = (None if x is self.frames.world else x.name for x in (joint.parent, joint.child))
        before = steps_to(self.frames.relative_pose(joint.parent, joint.frame))
        after = steps_to(self.frames.relative_pose(joint.child, joint.frame))
        return SecondClosure(joint.frame.name, (parent, (*before, *joint.way)), (child, after))


def _rotor(joint: _SecondSdfJoint) -> list[tuple[float, dict[str, float]]]:
    """Return pairs of the rotor's inertia and its gear ratio by coordinate, for a joint with one coordinate."""
    tag = joint.frame.tag
    inertia, gear = tag.inside("drake:rotor_inertia", "0")[0], tag.inside("drake:gear_ratio", "1")[0]
    return [(inertia, {joint.names[0]: gear})] if inertia and len(joint.names) == 1 else []
