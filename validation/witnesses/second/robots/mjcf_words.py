"""Head of an MJCF: included files, compiler and options, defaults of classes, rotations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from ..machine import Steps, Triple, UnreadError
from .tags import AXES, Tag, beside, quaternion, root, shift, steps_to, tilt, turn, unit

ACTUATORS: Final = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor",
    "plugin",
)  # fmt: skip
ORIENTATIONS: Final = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
MAIN: Final = "main"


def document(text: str, folder: str, packages: Sequence[str] = ()) -> Tag:
    """Parse the root element; included files replace their references."""
    found = root(text, "mujoco")
    waiting, files = [found], 0
    while waiting:
        tag = waiting.pop()
        while any(child.name == "include" for child in tag.inner):
            k = next(k for k, child in enumerate(tag.inner) if child.name == "include")
            file = beside(folder, tag.inner[k].own["file"], packages).decode("utf-8-sig")
            tag.inner[k : k + 1] = root(file, "mujoco", "mujocoinclude").inner
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
        """Return True if one of these flags is off."""
        return any(self.flags.get(flag) == "disable" for flag in flags)

    @property
    def gravity(self) -> Triple:
        """The acceleration of gravity."""
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
        """List the defaults of a class and those above it for elements, outermost first."""
        above, own = self.classes[name]
        return [*(self.defaults(above, tags) if above else ()), *(tag for tag in own if tag.name in tags)]

    def whole(self, tag: Tag, around: str, key: str = "") -> Tag:
        """Fill an element's missing attributes from its class; its own orientation overrides the class's."""
        name, key = tag.own.get("class", around), key or tag.name
        if (name, key) not in self._known:
            self._known[name, key] = {k: v for d in self.defaults(name, (key,)) for k, v in d.own.items()}
        said = self._known[name, key]
        if any(k in tag.own for k in ORIENTATIONS):
            said = {k: v for k, v in said.items() if k not in ORIENTATIONS}
        return Tag(tag.name, said | tag.own, tag.inner, tag.text)

    def steps(self, tag: Tag) -> Steps:
        """Return the path to the frame of an element."""
        return (*shift(tag.row("pos", "0 0 0")), *self.turns(tag))

    def turns(self, tag: Tag) -> Steps:
        """Return the orientation of an element."""
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
        """Rotate in the order of the sequence: small letters about axes turned so far, capitals about fixed ones."""
        steps: Steps = ()
        for letter, angle in zip(self.compiler.own.get("eulerseq", "xyz"), angles, strict=True):
            one = turn(AXES[letter.lower()], angle * self.degree)
            steps = (*steps, *one) if letter.islower() else (*one, *steps)
        return steps


def _merge(name: str, tags: list[Tag]) -> Tag:
    """Merge several elements: the last value of an attribute counts."""
    return Tag(name, {key: value for tag in tags for key, value in tag.own.items()})


def _axes(six: list[float]) -> Steps:
    """Return axes along x, and along y made orthogonal to x."""
    x, y = np.array(unit(six[:3])), np.array(six[3:])
    y = np.array(unit(y - (x @ y) * x))
    T = np.eye(4)
    T[:3, 0], T[:3, 1], T[:3, 2] = x, y, np.cross(x, y)
    return steps_to(T)
