"""Bodies of an MJCF with their joints, geoms and sites, and the frames of these in their bodies.

Also the head of an MJCF: included files, compiler and options, defaults of classes, and orientations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ..machine import Steps, Triple, UnreadError
from ..world import Array
from .tags import AXES, Tag, back, beside, free, matrix, move_along, quaternion, root, shift, steps_to, tilt, turn, unit

ACTUATORS: Final = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor",
    "plugin",
)  # fmt: skip
ORIENTATIONS: Final = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
MAIN: Final = "main"


def document(text: str, folder: str, packages: Sequence[str] = ()) -> Tag:
    """Return the root element of a text, in which the elements of included files replace each ``include``."""
    found = root(text, "mujoco")
    waiting, files = [found], 0
    while waiting:
        tag = waiting.pop()
        while any(child.name == "include" for child in tag.inner):
            k = next(k for k, child in enumerate(tag.inner) if child.name == "include")
            file = beside(folder, tag.inner[k].own["file"], packages).decode("utf-8-sig")
            tag.inner[k : k + 1] = root(file).inner
            files += 1
            if files > 1000:
                raise UnreadError("files that include one another")
        waiting += tag.inner
    return found


class SecondMjcfWords:
    """Settings and defaults of a document."""

    def __init__(self, mujoco: Tag) -> None:
        self.root = mujoco
        self.compiler = _merge("compiler", mujoco.all("compiler"))
        options = mujoco.all("option")
        self.option = _merge("option", options)
        self.flags = _merge("flag", [flag for option in options for flag in option.all("flag")]).own
        self.degree = math.pi / 180 if self.compiler.own.get("angle", "degree") == "degree" else 1.0
        if self.compiler.own.get("coordinate", "local") != "local":
            raise UnreadError("global coordinates")
        self.classes: dict[str, tuple[str, list[Tag]]] = {MAIN: ("", [])}
        for default in mujoco.all("default"):
            self._class(default, MAIN, "")
        self._known: dict[tuple[str, str], dict[str, str]] = {}

    def is_off(self, *flags: str) -> bool:
        """Return True if the option flags disable one of the given ones."""
        return any(self.flags.get(flag) == "disable" for flag in flags)

    @property
    def gravity(self) -> Triple:
        """The acceleration of gravity (m/s²); zero if its flag is off."""
        x, y, z = self.option.row("gravity", "0 0 -9.81")
        return (0.0, 0.0, 0.0) if self.is_off("gravity") else (x, y, z)

    def _class(self, default: Tag, name: str, above: str) -> None:
        if self.classes.setdefault(name, (above, []))[0] != above:
            raise UnreadError(f"the class {name!r} in two others")
        for tag in default.inner:
            if tag.name == "default":
                self._class(tag, tag.own["class"], name)
            else:
                self.classes[name][1].append(tag)

    def defaults(self, name: str, tags: tuple[str, ...]) -> list[Tag]:
        """List the default elements with given tags in a class and the classes above it, outermost first."""
        above, own = self.classes[name]
        return [*(self.defaults(above, tags) if above else ()), *(tag for tag in own if tag.name in tags)]

    def whole(self, tag: Tag, around: str, key: str = "") -> Tag:
        """Return an element with missing attributes filled from its class; an orientation replaces any of the class."""
        name, key = tag.own.get("class", around), key or tag.name
        if (name, key) not in self._known:
            self._known[name, key] = {k: v for d in self.defaults(name, (key,)) for k, v in d.own.items()}
        said = self._known[name, key]
        if any(k in tag.own for k in ORIENTATIONS):
            said = {k: v for k, v in said.items() if k not in ORIENTATIONS}
        return Tag(tag.name, said | tag.own, tag.inner, tag.text)

    def steps(self, tag: Tag) -> Steps:
        """Return the steps to the frame of an element, from the frame that contains it: shift, then orientation."""
        return (*shift(tag.row("pos", "0 0 0")), *self.turns(tag))

    def turns(self, tag: Tag) -> Steps:
        """Return the orientation of an element as steps, from whichever attribute gives it."""
        given = [key for key in ORIENTATIONS if key in tag.own]
        if len(given) > 1:
            raise UnreadError(f"<{tag.name}> turned in two ways")
        if not given:
            return ()
        if given[0] == "quat":
            w, x, y, z = tag.row("quat", "1 0 0 0")
            return quaternion(w, x, y, z)
        if given[0] == "axisangle":
            *axis, angle = tag.row("axisangle", "0 0 1 0")
            return turn(axis, angle * self.degree)
        if given[0] == "zaxis":
            return tilt(tag.row("zaxis", "0 0 1"))
        if given[0] == "xyaxes":
            return _axes(tag.row("xyaxes", "1 0 0 0 1 0"))
        return self._euler(tag.row("euler", "0 0 0"))

    def _euler(self, angles: list[float]) -> Steps:
        """Return turns in the order of ``eulerseq``: small letters about the turned axes, capitals about fixed ones."""
        steps: Steps = ()
        for letter, angle in zip(self.compiler.own.get("eulerseq", "xyz"), angles, strict=True):
            one = turn(AXES[letter.lower()], angle * self.degree)
            steps = (*steps, *one) if letter.islower() else (*one, *steps)
        return steps


def _merge(name: str, tags: list[Tag]) -> Tag:
    """Return one element with the attributes of several, the last value of each."""
    return Tag(name, {key: value for tag in tags for key, value in tag.own.items()})


def _axes(six: list[float]) -> Steps:
    """Return the orientation with x along the first three numbers, and y along the others made orthogonal to x."""
    x, y = np.array(unit(six[:3])), np.array(six[3:])
    y = np.array(unit(y - (x @ y) * x))
    T = np.eye(4)
    T[:3, 0], T[:3, 1], T[:3, 2] = x, y, np.cross(x, y)
    return steps_to(T)


#: Kind of a joint -> endings that the joint's name gets in names of its coordinates.
ENDINGS = {
    "free": ("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX"), "ball": ("_RZ", "_RY", "_RX"), "hinge": ("",), "slide": ("",),
}  # fmt: skip
MADE = ("composite", "flexcomp", "attach", "replicate")


@dataclass(eq=False)
class SecondMjcfJoint:
    """A joint of a body: the steps ``within`` lead from the body's frame to the frame in which the joint is given."""

    name: str
    kind: str
    tag: Tag
    within: Steps
    ref: float
    spring: float

    @property
    def names(self) -> list[str]:
        """Names of the joint's coordinates."""
        return [self.name + ending for ending in ENDINGS[self.kind]]

    @property
    def single(self) -> bool:
        """True if the joint has one coordinate."""
        return self.kind in ("hinge", "slide")

    def way(self) -> Steps:
        """Return the joint's steps in the frame left by earlier joints: about its point and axis by q minus ``ref``.

        A ball joint has no axis, so that the frame in which it is given does not matter: it turns about body axes.
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
    """A body, or the world: ``steps`` lead from the parent's frame to the body's frame in the file's pose."""

    name: str
    tag: Tag
    parent: SecondMjcfBody | None
    steps: Steps
    joints: list[SecondMjcfJoint] = field(default_factory=list)
    geoms: list[tuple[Tag, Steps]] = field(default_factory=list)
    inertial: Tag | None = None

    @property
    def moves(self) -> bool:
        """True if the body or one that carries it has joints."""
        return bool(self.joints) or (self.parent is not None and self.parent.moves)

    @property
    def pose(self) -> Array:
        """Pose (4, 4) of the body in the world, as the file gives it."""
        return np.eye(4) if self.parent is None else self.parent.pose @ matrix(self.steps)

    @property
    def full_name(self) -> str | None:
        """Name of the body; None for the world."""
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
        """Return the body of a site, and the steps from the body's frame to the site's."""
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
