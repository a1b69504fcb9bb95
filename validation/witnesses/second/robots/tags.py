"""Elements of XML texts, with attributes, children and text; and constant steps from one frame to another."""

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

#: Largest size of a file that a text names (bytes).
MOST_BYTES: Final = 100_000_000
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


@dataclass(eq=False)
class Tag:
    """An XML element: its name, its attributes (``own``), its children (``inner``), and its text."""

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
        """Return the numbers of an attribute, which must be as many as those of its default."""
        return numbers(self.own.get(key, default), len(default.split()))

    def number(self, key: str, default: str) -> float:
        """Return the single number of an attribute."""
        return self.row(key, default)[0]

    def inside(self, name: str, default: str) -> list[float]:
        """Return the numbers in the text of a child element, which must be as many as those of the default."""
        return numbers(self.one(name).text if self.has(name) else default, len(default.split()))

    def walk(self) -> Iterator[Tag]:
        """Yield this element, and all elements inside it, in the order of the text."""
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
    """Parse the root element of a text, which must have one of these names, if there are any.

    Raises
    ------
    UnreadError
        The text is not XML, has another root element, or has a document type.
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
    if names and whole.inner[0].name not in names:
        raise UnreadError(f"a text of <{whole.inner[0].name}>")
    return whole.inner[0]


def beside(folder: str, name: str, packages: Sequence[str] = ()) -> bytes:
    """Return the bytes of a file named in a text, in the text's folder or, for a name with ``://``, in a package."""
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
    """Return the step that shifts the origin to a point; none if the point is the origin."""
    length = math.hypot(*vector)
    return (SecondStep(False, unit(vector), (length, 0.0, 0.0)),) if length else ()


def turn(axis: Sequence[float], angle: float) -> Steps:
    """Return the step that turns by an angle about an axis; none if the angle is zero."""
    return (SecondStep(True, unit(axis), (angle, 0.0, 0.0)),) if angle else ()


def roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> Steps:
    """Return steps that turn about fixed axes x, then y, then z: the same as about turned axes z, then y, then x."""
    return (*turn(Z, yaw), *turn(Y, pitch), *turn(X, roll))


def quaternion(w: float, x: float, y: float, z: float) -> Steps:
    """Return the step that turns as a quaternion of any nonzero length; none if its vector part is zero."""
    size = math.hypot(x, y, z)
    if not size and not w:
        raise UnreadError("a quaternion that is zero")
    return turn((x, y, z), 2 * math.atan2(size, w)) if size else ()


def tilt(direction: Sequence[float]) -> Steps:
    """Return the smallest turn of the z axis to a direction; for -z, half a turn about x."""
    x, y, z = unit(direction)
    if not (x or y):
        return turn(X, math.pi) if z < 0 else ()
    return turn((-y, x, 0.0), math.atan2(math.hypot(x, y), z))


def move_along(kinds: str, axes: Sequence[Triple], names: Sequence[str]) -> Steps:
    """Return steps of named coordinates, a shift (s) along or a turn (t) about each axis."""
    return tuple(SecondStep(k == "t", a, coordinate=n) for k, a, n in zip(kinds, axes, names, strict=True))


def free(names: Sequence[str]) -> Steps:
    """Return steps of six named coordinates, shifts along x, y, z, then turns about z, y, x; for three, the turns."""
    kinds, axes = "sssttt"[-len(names) :], (X, Y, Z, Z, Y, X)[-len(names) :]
    return move_along(kinds, axes, names)


def back(steps: Steps) -> Steps:
    """Return the inverse of steps: the last step first, each along or about the opposite axis."""
    return tuple(replace(s, axis=(-s.axis[0], -s.axis[1], -s.axis[2])) for s in reversed(steps))


def matrix(steps: Steps) -> Array:
    """Return the pose (4, 4) that constant steps lead to."""
    return follow(steps, resting).T.copy()


def steps_to(T: Array) -> Steps:
    """Return constant steps that lead to a pose T (4, 4): a shift to its origin, then turns about z, y and x."""
    R = T[:3, :3]
    yaw = math.atan2(R[1, 0], R[0, 0])
    R = matrix(turn(Z, -yaw))[:3, :3] @ R
    pitch = math.atan2(-R[2, 0], R[0, 0])
    R = matrix(turn(Y, -pitch))[:3, :3] @ R
    roll = math.atan2(R[2, 1], R[2, 2])
    return (*shift([float(x) for x in T[:3, 3]]), *roll_pitch_yaw(roll, pitch, yaw))


def inverse(T: Array) -> Array:
    """Return the inverse of a pose T (4, 4): that of the frame in which T is given, relative to the frame of T."""
    found = np.eye(4)
    found[:3, :3] = T[:3, :3].T
    found[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return found


def rotate_tensor(tensor: Tensor | Array, R: Array) -> Tensor:
    """Return the tensor R J Rᵀ: that of the axes in which the given tensor's axes are the columns of R."""
    J = R @ np.asarray(tensor) @ R.T
    a, b, c = (tuple(float(x) for x in row) for row in J)
    return a, b, c  # type: ignore[return-value]


def triple(vector: Array) -> Triple:
    """Return a vector (3,) as a tuple of three floats."""
    return float(vector[0]), float(vector[1]), float(vector[2])
