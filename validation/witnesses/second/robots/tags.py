"""Texts in XML: elements with their attributes, what stands in them; constant ways from one frame to another."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from xml.parsers import expat

import numpy as np

from ..machine import SecondStep, Steps, Tensor, Triple, UnreadError, X, Y, Z
from ..world import Array, follow, resting

#: Files beside a text are no larger.
MOST_BYTES: Final = 100_000_000
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


@dataclass(eq=False)
class Tag:
    """An element: its name, attributes, children, and its own text."""

    name: str
    own: dict[str, str]
    inner: list[Tag] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> list[Tag]:
        """List the direct child elements with that name."""
        return [tag for tag in self.inner if tag.name == name]

    def one(self, name: str) -> Tag:
        """Return the child element with that name; an empty one if there is none."""
        found = self.all(name)
        if len(found) > 1:
            raise UnreadError(f"a second <{name}> in <{self.name}>")
        return found[0] if found else Tag(name, {})

    def has(self, name: str) -> bool:
        """Return True if there is a child element with that name."""
        return any(tag.name == name for tag in self.inner)

    def row(self, key: str, default: str) -> list[float]:
        """Read as many numbers of an attribute as its default has."""
        return numbers(self.own.get(key, default), len(default.split()))

    def number(self, key: str, default: str) -> float:
        """Read one number of an attribute."""
        return self.row(key, default)[0]

    def inside(self, name: str, default: str) -> list[float]:
        """Read as many numbers as the default has, from the text of a child element."""
        return numbers(self.one(name).text if self.has(name) else default, len(default.split()))

    def walk(self) -> Iterator[Tag]:
        """Yield it, and all elements inside."""
        waiting = [self]
        while waiting:
            found = waiting.pop()
            yield found
            waiting += reversed(found.inner)


def numbers(text: str, count: int = 0) -> list[float]:
    """Parse the numbers of a text, exactly ``count`` of them if given."""
    words = text.split()
    if not all(_NUMBER.fullmatch(word) for word in words) or (count and len(words) != count):
        raise UnreadError(f"the numbers {text.strip()!r:.60}")
    return [float(word) for word in words]


def root(text: str, *names: str) -> Tag:
    """Parse the root element of a text, which must have one of these names.

    Raises
    ------
    UnreadError
        It is not such a text, or has a document type.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UnreadError("a document type")
    whole = Tag("", {})
    way = [whole]

    def begin(name: str, own: dict[str, str]) -> None:
        way.append(Tag(name, own))
        way[-2].inner.append(way[-1])

    def end(name: str) -> None:
        way.pop()

    def data(words: str) -> None:
        way[-1].text += words

    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, data
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as problem:
        raise UnreadError(f"a text that is no XML: {problem}") from None
    if whole.inner[0].name not in names:
        raise UnreadError(f"a text of <{whole.inner[0].name}>")
    return whole.inner[0]


def beside(folder: str, name: str, packages: Sequence[str] = ()) -> bytes:
    """Read a file named in a text, from the folder of the text or, after ``://``, from a package."""
    scheme, separator, rest = name.partition("://")
    own, _, inner = rest.partition("/")
    if not folder or (separator and scheme not in ("package", "model")) or own in (".", "..") or ".." in inner:
        raise UnreadError(f"the file {name}")
    try:
        path = Path(folder, name)
        if separator:
            roots = [r for p in packages for r in (Path(p).resolve(), Path(p).resolve() / own) if r.name == own]
            path = next((r / inner for r in roots if (r / inner).is_file()), path)
        if not path.is_file():  # absent, or a pipe that would keep it waiting
            raise UnreadError(f"the file {name}, which cannot be read")
        if path.stat().st_size > MOST_BYTES:
            raise UnreadError(f"the file {name} of more than {MOST_BYTES:,} bytes")
        return path.read_bytes()
    except OSError:
        raise UnreadError(f"the file {name}, which cannot be read") from None


AXES = {"x": X, "y": Y, "z": Z}


def unit(vector: Sequence[float]) -> Triple:
    """Normalize a vector."""
    x, y, z = vector
    length = math.sqrt(x * x + y * y + z * z)
    if not length:
        raise UnreadError("an axis without a direction")
    return x / length, y / length, z / length


def shift(vector: Sequence[float]) -> Steps:
    """Return a straight path to a point."""
    length = math.hypot(*vector)
    return (SecondStep(False, unit(vector), (length, 0.0, 0.0)),) if length else ()


def turn(axis: Sequence[float], angle: float) -> Steps:
    """Return a rotation about an axis."""
    return (SecondStep(True, unit(axis), (angle, 0.0, 0.0)),) if angle else ()


def roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> Steps:
    """Return rotations about fixed axes: x first, then y, then z; about rotated axes in the opposite order."""
    return (*turn(Z, yaw), *turn(Y, pitch), *turn(X, roll))


def quaternion(w: float, x: float, y: float, z: float) -> Steps:
    """Return the rotation of a quaternion of any length."""
    size = math.hypot(x, y, z)
    if not size and not w:
        raise UnreadError("a quaternion that is zero")
    return turn((x, y, z), 2 * math.atan2(size, w)) if size else ()


def tilt(direction: Sequence[float]) -> Steps:
    """Return the smallest rotation of z to a direction; half a turn about x to the opposite one."""
    x, y, z = unit(direction)
    if not (x or y):
        return turn(X, math.pi) if z < 0 else ()
    return turn((-y, x, 0.0), math.atan2(math.hypot(x, y), z))


def move_along(kinds: str, axes: Sequence[Triple], names: Sequence[str]) -> Steps:
    """Return coordinates: a shift (s) or a turn (t) along or about each axis."""
    return tuple(SecondStep(k == "t", a, coordinate=n) for k, a, n in zip(kinds, axes, names, strict=True))


def free(names: Sequence[str]) -> Steps:
    """Return shifts along x, y, z, then turns about z, y, x; the turns alone for three names."""
    kinds, axes = "sssttt"[-len(names) :], (X, Y, Z, Z, Y, X)[-len(names) :]
    return move_along(kinds, axes, names)


def back(steps: Steps) -> Steps:
    """Invert a path: the last step first, each along or about the opposite axis."""
    return tuple(replace(s, axis=(-s.axis[0], -s.axis[1], -s.axis[2])) for s in reversed(steps))


def matrix(steps: Steps) -> Array:
    """Return the pose (4, 4) after constant steps."""
    return follow(steps, resting).T.copy()


def steps_to(T: Array) -> Steps:
    """Return steps to a pose: to its origin, then about z, y and x; each angle follows from the remaining rotation."""
    R = T[:3, :3]
    yaw = math.atan2(R[1, 0], R[0, 0])
    R = matrix(turn(Z, -yaw))[:3, :3] @ R
    pitch = math.atan2(-R[2, 0], R[0, 0])
    R = matrix(turn(Y, -pitch))[:3, :3] @ R
    roll = math.atan2(R[2, 1], R[2, 2])
    return (*shift([float(x) for x in T[:3, 3]]), *roll_pitch_yaw(roll, pitch, yaw))


def inverse(T: Array) -> Array:
    """Return the pose of the old frame in the new one."""
    found = np.eye(4)
    found[:3, :3] = T[:3, :3].T
    found[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return found


def rotate_tensor(tensor: Tensor | Array, R: Array) -> Tensor:
    """Express a tensor in the axes in which its own are the columns of R."""
    J = R @ np.asarray(tensor) @ R.T
    a, b, c = (tuple(float(x) for x in row) for row in J)
    return a, b, c  # type: ignore[return-value]


def triple(vector: Array) -> Triple:
    """Return three floats."""
    return float(vector[0]), float(vector[1]), float(vector[2])
