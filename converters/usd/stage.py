"""The facts of a stage: its prims with authored values, units, transforms, and the body to which each prim belongs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from math import isfinite, pi, radians
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import Array, FloatPose, NumeralError, decimal_of, exact, rotation_about, to_steps
from mbconcord.converters.poses import Steps, by_quaternion
from mbconcord.model.diagnostics import Location
from mbconcord.model.expressions import ZERO, Expression, number
from mbconcord.model.expressions.node import PI_NODE
from mbconcord.model.limits import count as counted
from mbconcord.model.limits import read_within
from mbconcord.model.transformation import Vector, vector
from mbconcord.records import dataclass, field

# Numbers: a single is read as the shortest decimal, in the model's unit, that rounds to it in the stage's unit.

#: Types of values that are doubles; the others are singles.
DOUBLES: Final = ("double", "quatd", "point3d", "vector3d", "matrix4d")
#: Digits that identify a single, and more than enough for a double.
DIGITS: Final = 9


def _digits(text: str) -> int:
    """Return the number of digits of a decimal, without leading and trailing zeros."""
    return len(text.lower().partition("e")[0].replace(".", "").lstrip("+-").strip("0"))


def in_model_units(kind: str, x: float, factor: Fraction = Fraction(1), degrees: int = 0) -> Expression:
    """Convert a number of the stage to the model's unit.

    ``factor`` is the size of its unit; ``degrees`` is 1 for an angle in degrees, -1 for a value per degree. The number
    is the shorter of two decimals that round to it: that in the stage's unit and that in the model's unit.
    """
    if kind.startswith(DOUBLES):
        own = repr(float(x))
        shortest = repr(float(Fraction(own) * factor) * (pi / 180) ** degrees)
    else:
        own = str(np.float32(x))
        shortest = _shortest(x, float(factor) * (pi / 180) ** degrees)
    exact = number(Fraction(own) * factor)
    if degrees and _digits(own) <= _digits(shortest):
        return exact * PI_NODE / 180 if degrees == 1 else exact * 180 / PI_NODE
    return number(shortest) if degrees or not kind.startswith(DOUBLES) else exact


def _shortest(x: float, factor: float) -> str:
    """Return the shortest decimal that rounds to the single x after division by a factor."""
    single = np.float32(x)
    for digits in range(DIGITS):
        text = f"{float(x) * factor:.{digits}e}"
        if np.float32(float(text) / factor) == single:
            return text
    return repr(float(x) * factor)


def round_to_stage(x: float, factor: float = 1.0, degrees: int = 0) -> float:
    """Return the single of the stage for a number in the model's unit: the inverse of :func:`in_model_units`."""
    with np.errstate(over="ignore"):
        return float(np.float32(x / (factor * (pi / 180) ** degrees)))


# Prims.


@dataclass(frozen=True, eq=False)
class Prim:
    """A prim: its path, type, applied schemas, authored values with their types, and targets of relationships."""

    path: str
    type: str = ""
    apis: frozenset[str] = frozenset()
    values: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shown: str = ""
    decimals: Mapping[str, str] = field(default_factory=dict)
    varied: tuple[str, ...] = ()
    mistyped: tuple[str, ...] = ()
    specs: Sequence[Sequence[str]] = ()

    def value(self, key: str, default: Any = None) -> Any:
        """Return an authored value, or the default."""
        return self.values[key][1] if key in self.values else default

    def has(self, *apis: str) -> bool:
        """Return True if one of these schemas is applied."""
        return any(api in self.apis for api in apis)

    @property
    def is_body(self) -> bool:
        """True for a rigid body that is enabled."""
        return "PhysicsRigidBodyAPI" in self.apis and self.value("physics:rigidBodyEnabled", True)

    @property
    def name(self) -> str:
        """Name of the prim: the last part of its path."""
        return self.path.rpartition("/")[2]


#: Schema -> schema that it includes.
BRINGS: Final = {
    "NewtonMassAPI": "PhysicsMassAPI", "NewtonCollisionAPI": "PhysicsCollisionAPI",
    "NewtonMeshCollisionAPI": "PhysicsCollisionAPI", "MjcCollisionAPI": "PhysicsCollisionAPI",
    "MjcMeshCollisionAPI": "PhysicsCollisionAPI", "NewtonArticulationRootAPI": "PhysicsArticulationRootAPI",
    "MjcEqualityJointAPI": "NewtonMimicAPI",
}  # fmt: skip
#: Relative differences of scales, and shears, below this count as zero: singles are rounded.
SQUARE: Final = 1e-5
#: Rounding of poses that are multiplied (m, and parts of one).
NOISE: Final = 1e-14
#: Token of a layer's text: head of a prim, property, or bracket; strings and comments are passed over.
TOKEN: Final = re.compile(
    r'"""(?:.|\n)*?"""|#[^\n]*|\b(?:def|over|class)\b[^"{\n]*"([^"\n]*)"|"(?:\\.|[^"\\\n])*"|[{}]'
    r"|(?<=\s)((?:[A-Za-z]\w*:)*[A-Za-z]\w*)\s*=(?!=)"
)


def locate_text(text: str, file: str) -> dict[str, Location]:
    """Return the locations of prims, and of their properties as ``PATH.PROPERTY``, in the text of a layer."""
    found: dict[str, Location] = {}
    path: list[str] = []
    coming: str | None = None
    line, start, seen = 1, 0, 0
    for token in TOKEN.finditer(text):
        if newlines := text.count("\n", seen, token.start()):
            line, start = line + newlines, text.rfind("\n", 0, token.start()) + 1
        seen = token.start()
        at = Location(file, line, token.start() - start + 1)
        word = token[0]
        if word == "{":
            path.append(coming or "")
            coming = None
        elif word == "}":
            path = path[:-1]
        elif token[1] is not None:
            coming = token[1]
            found.setdefault("/" + "/".join(x for x in (*path, coming) if x), at)
        elif token[2] is not None:
            found.setdefault(f"/{'/'.join(x for x in path if x)}.{token[2]}", at)
    return found


class UsdStage:
    """The prims of a stage in the order of traversal, and their attributes in the units of the model."""

    def __init__(self, facts: Mapping[str, Any], findings: Findings, text: str = "") -> None:
        self.findings = findings
        self.has_text, self._layers = bool(text), dict[str, dict[str, Location]]()
        self.places = locate_text(text, findings.file) if text.startswith("#usda") else {}
        made = [_prim(each) for each in facts["prims"]]
        self.prims = {prim.path: prim for prim in made}
        self.order = {path: i for i, path in enumerate(self.prims)}
        self.scene = next((prim for prim in made if prim.type == "PhysicsScene"), Prim(""))
        self.metres = self._unit(facts, "metres", "metersPerUnit", "0.01")
        self.kilograms = self._unit(facts, "kilograms", "kilogramsPerUnit", "1")
        self.up = {"X": 0, "Y": 1, "Z": 2}.get(facts.get("up", "Y"), 1)
        self._matrices: dict[str, Array] = {"": np.eye(4)}
        self._singles = 0
        for path, message, remedy in facts.get("refused", ()):
            self.refuse(path, message, remedy)

    def _unit(self, facts: Mapping[str, Any], key: str, name: str, default: str) -> Fraction:
        said = facts.get(key)
        if said is None:
            if key == "metres":
                message = "no metersPerUnit stands there: lengths are in centimetres, as OpenUSD has it"
                self.findings.remark("warning", "metres", None, message, "write metersPerUnit; some programs take 1")
            return Fraction(default)
        if not (isfinite(said) and said > 0):
            self.refuse("/", f"{name} = {said}: a unit is positive", f"{name} = 1")
            return Fraction(1)
        return Fraction(repr(float(said)))

    # Findings about prims.

    def at(self, path: str, key: str = "") -> Location:
        """Return the location of a prim or its property in a layer of text, else of the nearest prim above it."""
        own, ending = self.prims.get(path), f".{key}" if key else ""
        found = self.places.get(path + ending)
        for layer, name in own.specs if own is not None and found is None and self.has_text else ():
            found = found or self._locate_in(layer).get(name + ending)
        while found is None and path:
            found = self.places.get(path)
            path = path.rpartition("/")[0]
        return found or Location(self.findings.file, 1, 1)

    def _locate_in(self, layer: str) -> dict[str, Location]:
        """Return the locations in a layer that the stage was composed of; none if it is not text."""
        if layer not in self._layers:
            at, data = Path(self.findings.file), b""
            with suppress(OSError):  # the text of standard input, of which the file is gone
                data = read_within(layer) or b""
            file = str(at.parent / os.path.relpath(layer, at.resolve().parent))
            self._layers[layer] = locate_text(data.decode("utf-8", "replace"), file) if data[:5] == b"#usda" else {}
        return self._layers[layer]

    def refuse(self, path: str, message: str, remedy: str = "", key: str = "") -> None:
        """Record an error about a prim, or a property of it."""
        self.findings.refuse(self.at(path, key), f"<{path}{f'.{key}' if key else ''}>: {message}", remedy)

    def warn(self, path: str, message: str, remedy: str = "", key: str = "", kind: str = "") -> None:
        """Record a warning about a prim, or a property of it."""
        said = f"<{path}{f'.{key}' if key else ''}>: {message}"
        self.findings.remark("warning", kind, self.at(path, key), said, remedy)

    # Numbers of prims.

    @property
    def is_single(self) -> bool:
        """True if numbers were read in single precision and no prim of the stage has decimals beside its singles."""
        return self._singles > 0 and not any(prim.decimals for prim in self.prims.values())

    def number(self, prim: Prim, key: str, length: int = 0, mass: int = 0, degrees: int = 0) -> Expression | None:
        """Return a finite number in the model's unit; None if missing. ``length``, ``mass`` are powers in its unit."""
        if key not in prim.values:
            return None
        kind, x = prim.values[key]
        if isinstance(x, bool) or not isinstance(x, int | float) or not isfinite(x):
            self.refuse(prim.path, f"found {x}: no finite number", "", key)
            return None
        factor = self.metres**length * self.kilograms**mass
        kept = self._decimals(prim, key, [x], factor, degrees)
        self._singles += not kind.startswith(DOUBLES) and x != 0
        return kept[0] if kept else in_model_units(kind, x, factor, degrees)

    def numbers(self, prim: Prim, key: str, count: int, length: int = 0, mass: int = 0) -> list[Expression] | None:
        """Return ``count`` finite numbers in the model's unit; None if they are missing or, with an error, invalid."""
        if key not in prim.values:
            return None
        kind, values = prim.values[key]
        if not isinstance(values, list) or len(values) != count:
            found = len(values) if isinstance(values, list) else 1
            self.refuse(prim.path, f"found {counted(found, 'number')}, expected {count}", "", key)
            return None
        wrong = [x for x in values if not isfinite(x)]
        if wrong:
            self.refuse(prim.path, f"found {wrong[0]}: no finite number", "", key)
            return None
        factor = self.metres**length * self.kilograms**mass
        self._singles += not kind.startswith(DOUBLES) and any(values)
        return self._decimals(prim, key, values, factor) or [in_model_units(kind, x, factor) for x in values]

    def _decimals(
        self, prim: Prim, key: str, values: Sequence[float], factor: Fraction, degrees: int = 0
    ) -> list[Expression] | None:
        """Return the decimals, in the model's unit, stored beside singles; None if missing or if they do not match."""
        if key not in prim.decimals or prim.values[key][0].startswith(DOUBLES):
            return None
        texts = prim.decimals[key].split()
        try:
            found = [exact(text) for text in texts]
        except NumeralError:
            found = []
        if [round_to_stage(float(x), float(factor), degrees) for x in found] != [float(np.float32(x)) for x in values]:
            message = (
                f"its decimals {prim.decimals[key]!r:.60} are stale: they do not round to its value, which is read"
            )
            self.warn(prim.path, message, "remove customData:decimals", key, "stale")
            return None
        return [number(x) for x in found]

    def turn(self, prim: Prim, key: str) -> Steps:
        """Return the rotation of a quaternion; no rotation if it is missing."""
        values = self.numbers(prim, key, 4)
        found = None if values is None else by_quaternion(values)
        if values is not None and found is None:
            self.refuse(prim.path, "a quaternion of zeros turns nothing", "(1, 0, 0, 0) is no turn", key)
        return found or ()

    # Places.

    def above(self, path: str) -> Iterator[Prim]:
        """Yield the prim at a path and the prims above it, from the inside out."""
        while path:
            if path in self.prims:
                yield self.prims[path]
            path = path.rpartition("/")[0]

    def body_of(self, path: str) -> Prim | None:
        """Return the prim of the rigid body that a prim is or lies in; None for the world."""
        found = next((prim for prim in self.above(path) if "PhysicsRigidBodyAPI" in prim.apis), None)
        return found if found is not None and found.is_body else None

    def matrix(self, path: str) -> Array:
        """Return the transform (4, 4) of a prim to the world, the prim's axes as columns, in units of the stage."""
        chain: list[str] = []
        while path not in self._matrices:
            chain.append(path)
            path = path.rpartition("/")[0]
        for each in reversed(chain):
            own, reset = self._local(self.prims[each]) if each in self.prims else (np.eye(4), False)
            above = np.eye(4) if reset else self._matrices[each.rpartition("/")[0]]
            self._matrices[each] = above @ own
        return self._matrices[chain[0] if chain else path]

    def _local(self, prim: Prim) -> tuple[Array, bool]:
        found, reset = np.eye(4), False
        for name in prim.value("xformOpOrder", []):
            if name == "!resetXformStack!":
                found, reset = np.eye(4), True
                continue
            key = name.removeprefix("!invert!")
            if key not in prim.values:
                self.refuse(prim.path, f"{name} is named and does not stand there", "write it, or do not name it", key)
                continue
            own = self._operation(prim, key)
            found = found @ (np.linalg.inv(own) if key != name and np.linalg.det(own) else own)
        return found, reset

    def _operation(self, prim: Prim, key: str) -> Array:
        """Return the matrix (4, 4) of one transform operation of a prim, in doubles."""
        made, (type_name, value), kind = np.eye(4), prim.values[key], key.split(":")[1]
        flat = np.array(value, dtype=float).reshape(-1)
        if not type_name.startswith(DOUBLES):
            flat = np.array([float(str(np.float32(x))) for x in flat])
        if not np.isfinite(flat).all():
            self.refuse(prim.path, "found no finite number", "", key)
        elif kind == "transform" and flat.size == 16:
            made = flat.reshape(4, 4).T
        elif kind == "translate" and flat.size == 3:
            made[:3, 3] = flat
        elif kind == "scale" and flat.size == 3:
            made[:3, :3] = np.diag(flat)
        elif kind == "orient" and flat.size == 4:
            made[:3, :3] = self._orient(prim, key, flat)
        elif kind.startswith("rotate") and set(kind[6:]) <= {"X", "Y", "Z"} and flat.size == len(kind[6:]):
            for letter in reversed(kind[6:]):
                angle = flat["XYZ".index(letter)] if flat.size == 3 else flat[0]
                made[:3, :3] = made[:3, :3] @ rotation_about(np.eye(3)["XYZ".index(letter)], radians(angle))
        else:
            self.refuse(prim.path, f"{key} is no operation that is known", "write translate, orient and scale", key)
        return made

    def _orient(self, prim: Prim, key: str, q: Array) -> Array:
        length = float(np.linalg.norm(q))
        if not length:
            self.refuse(prim.path, "a quaternion of zeros turns nothing", "(1, 0, 0, 0) is no turn", key)
            return np.eye(3)
        w, v = q[0] / length, q[1:] / length
        size = float(np.linalg.norm(v))
        if size and prim.values[key][0].startswith("quatf"):
            told = 2 * float(np.arccos(np.float32(min(1.0, abs(float(w))))))
            if abs(told - 2 * float(np.arctan2(size, abs(w)))) > 1e-6:
                message = "OpenUSD rounds this turn: programs that ask it place the prim elsewhere"
                self.warn(prim.path, message, "write quatd", key, "rounded")
        return rotation_about(v / size, 2 * float(np.arctan2(size, w))) if size else np.eye(3)

    def pose(self, path: str) -> tuple[FloatPose, Array]:
        """Return the frame of a prim in the world (m), without its scale, and the scale along its axes."""
        if path in self._poses:
            return self._poses[path]
        matrix = self.matrix(path)
        scale = np.linalg.norm(matrix[:3, :3], axis=0)
        whole = (scale > 0).all()
        R = matrix[:3, :3] / scale if whole else np.eye(3)
        if not whole:
            self.refuse(path, "its transform is singular", "scale by what is not zero")
            scale = np.ones(3)
        elif np.abs(R.T @ R - np.eye(3)).max() > SQUARE:
            self.refuse(path, "its transform shears", "a body has right angles: scale it where it is not turned")
        elif np.linalg.det(R) < 0:
            self.refuse(path, "its transform mirrors", "scale by positive numbers")
        else:
            u, _, v = np.linalg.svd(R)
            R = np.where(np.abs(R - u @ v) < NOISE, R, u @ v)
        self._poses[path] = FloatPose(R, matrix[:3, 3] * float(self.metres)), scale
        return self._poses[path]

    @cached_property
    def _poses(self) -> dict[str, tuple[FloatPose, Array]]:
        return {}

    def scale_point(self, values: Sequence[Expression] | None, scale: Array) -> Vector:
        """Return a point with each coordinate multiplied by the scale of its axis; the origin if there is no point."""
        if values is None:
            return ZERO, ZERO, ZERO
        return vector(
            x if abs(s - 1) < SQUARE * 0.1 else x * round_decimal(s) for x, s in zip(values, scale, strict=True)
        )


def round_decimal(x: float) -> Expression:
    """Convert a computed float to a decimal of 15 digits."""
    return decimal_of(float(f"{x:.15g}"))


def steps_of(pose: FloatPose) -> Steps:
    """Convert a pose to transformations; rotations and shifts of the size of rounding are left out."""
    R = np.eye(3) if np.abs(pose.R - np.eye(3)).max() < NOISE else pose.R
    return to_steps(FloatPose(R, np.array([0.0 if abs(x) < NOISE else float(f"{x:.15g}") for x in pose.p])))


def _prim(facts: Mapping[str, Any]) -> Prim:
    own = frozenset(facts.get("apis", ()))
    return Prim(
        facts["path"], facts.get("type", ""), own | {BRINGS[api] for api in own if api in BRINGS},
        {key: (kind, value) for key, (kind, value, *_) in facts.get("values", {}).items()},
        {key: tuple(paths) for key, paths in facts.get("targets", {}).items()},
        facts.get("name", ""), {key: made[2] for key, made in facts.get("values", {}).items() if len(made) > 2},
        tuple(facts.get("varied", ())), tuple(facts.get("mistyped", ())), facts.get("specs", ()),
    )  # fmt: skip
