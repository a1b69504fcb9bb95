"""Joints: sequences of elementary transformations from the parent's frame to the body's frame.

An elementary transformation (ET) is a translation along, or a rotation about, one axis of the frame that the
transformations before it left: Golomazdin & Dmitrochenko 2022, eqs. (10)-(11). Rotations are right-handed and
active: columns of a rotation matrix are the new basis vectors in the old axes.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from mbconcord.records import dataclass

from .diagnostics import ModelError, error
from .expressions import ONE, ZERO, Expression, Scalar, as_expression, sqrt, symbols

Kind = Literal["translation", "rotation"]
Vector = tuple[Expression, Expression, Expression]

X: Vector = (ONE, ZERO, ZERO)
Y: Vector = (ZERO, ONE, ZERO)
Z: Vector = (ZERO, ZERO, ONE)
#: The largest component of an axis whose norm is taken as it stands: squares of others are beyond the range of floats.
SMALLEST, LARGEST = Fraction(1, 10**150), Fraction(10**150)
AXES: dict[str, Vector] = {"x": X, "y": Y, "z": Z}


def vector(values: Iterable[Scalar]) -> Vector:
    """Convert three scalars to a triple of expressions."""
    x, y, z = map(as_expression, values)
    return x, y, z


def unit_vector(values: Iterable[Scalar]) -> Vector:
    """Return the unit vector along a vector of three numbers, exactly: divided by its norm unless that is one.

    Raises
    ------
    ModelError
        The vector is zero, or is not made of numbers.
    """
    v = vector(values)
    if not all(c.constant for c in v):
        remedy = "give three numbers; an axis that a parameter tilts is one that a turn by it stands before"
        raise ModelError(error("axis", f"an axis is made of numbers, not of {', '.join(map(str, v))}", remedy))
    largest = max(abs(c.data) if c.op == "num" else ZERO.data for c in v)
    if largest and not SMALLEST < largest < LARGEST:
        v = v[0] / largest, v[1] / largest, v[2] / largest
    squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    if squared is ONE:
        return v
    if squared is ZERO:
        remedy = "give three numbers, not all zero"
        raise ModelError(error("axis", "an axis of zero length has no direction", remedy))
    if squared.op == "num":
        norm = sqrt(squared)
        return v[0] / norm, v[1] / norm, v[2] / norm
    from .expressions import evaluate_float

    if abs(evaluate_float(squared, {}) - 1) < 1e-14:  # already normalised: components such as 1/sqrt(3)
        return v
    norm = sqrt(squared)
    return v[0] / norm, v[1] / norm, v[2] / norm


@dataclass(frozen=True, slots=True)
class Constant:
    """A fixed shift (m) or angle (rad): a number or a formula of parameters."""

    value: Expression

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_expression(self.value))


@dataclass(frozen=True, slots=True)
class Variable:
    """A generalized coordinate of the system, by name (m or rad)."""

    coordinate: str


@dataclass(frozen=True, slots=True)
class Prescribed:
    """A shift (m) or angle (rad) that is a known function of time and parameters."""

    value: Expression

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_expression(self.value))


@dataclass(frozen=True, slots=True)
class Mapped:
    """A shift (m) or angle (rad) that is a smooth function of coordinates: a map; also of parameters and time.

    ``coordinates`` are those of its symbols that are coordinates; a system fills them in when it is made.
    """

    value: Expression
    coordinates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_expression(self.value))


Motion = Constant | Variable | Prescribed | Mapped


@dataclass(frozen=True, slots=True)
class ElementaryTransformation:
    """Translation along or rotation about an axis of the current frame.

    Attributes
    ----------
    kind : "translation" or "rotation"
    axis : triple of Expression
        Unit vector in the current frame; made of numbers, normalised exactly on construction.
    motion : Constant, Variable, Prescribed or Mapped
        By how much: metres or radians.
    """

    kind: Kind
    axis: Vector
    motion: Motion

    def __post_init__(self) -> None:
        if self.kind not in ("translation", "rotation"):
            raise ModelError(error("kind", f"{self.kind!r} is neither 'translation' nor 'rotation'"))
        object.__setattr__(self, "axis", unit_vector(self.axis))

    @property
    def amount(self) -> Expression:
        """The shift or angle as an expression; for a coordinate, its symbol."""
        from .expressions import symbol

        motion = self.motion
        return symbol(motion.coordinate) if isinstance(motion, Variable) else motion.value

    @property
    def coordinate(self) -> str | None:
        """Name of the coordinate whose value the shift or angle is; None otherwise, also for a map."""
        return self.motion.coordinate if isinstance(self.motion, Variable) else None

    @property
    def moving(self) -> tuple[str, ...]:
        """Names of the coordinates that move the transformation."""
        motion = self.motion
        if isinstance(motion, Variable):
            return (motion.coordinate,)
        return motion.coordinates if isinstance(motion, Mapped) else ()

    def __str__(self) -> str:
        axis = next((name for name, own in AXES.items() if own == self.axis), "")
        direction = axis or f"({', '.join(map(str, self.axis))})"
        return f"{self.amount} {'along' if self.is_translation else 'about'} {direction}"

    @property
    def is_translation(self) -> bool:
        """True for a translation."""
        return self.kind == "translation"


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame reached from a body's frame (None: the fixed frame) by a sequence of transformations."""

    body: str | None
    transformations: tuple[ElementaryTransformation, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "transformations", tuple(self.transformations))


def translation(axis: str | Iterable[Scalar], motion: Motion | Scalar | str) -> ElementaryTransformation:
    """Make a translation along an axis (``"x"`` or a vector) by a number, a Motion or a coordinate's name."""
    return ElementaryTransformation("translation", _axis(axis), _motion(motion))


def rotation(axis: str | Iterable[Scalar], motion: Motion | Scalar | str) -> ElementaryTransformation:
    """Make a rotation about an axis (``"x"`` or a vector) by a number, a Motion or a coordinate's name."""
    return ElementaryTransformation("rotation", _axis(axis), _motion(motion))


def shift(values: Iterable[Scalar]) -> tuple[ElementaryTransformation, ...]:
    """Make constant translations along x, y, z; zero components give none."""
    return tuple(translation(axis, Constant(value)) for axis, value in zip("xyz", vector(values), strict=True) if value)


def _axis(axis: str | Iterable[Scalar]) -> Vector:
    if isinstance(axis, str):
        if axis.lstrip("-") not in AXES:
            raise ModelError(error("axis", f"{axis!r} is no axis; expected x, y, z, -x, -y, -z or a vector"))
        x, y, z = AXES[axis.lstrip("-")]
        return (-x, -y, -z) if axis.startswith("-") else (x, y, z)
    return vector(axis)


def _motion(motion: Motion | Scalar | str) -> Motion:
    if isinstance(motion, str):
        return Variable(motion)
    if isinstance(motion, (Expression, int, float, Fraction)):
        value = as_expression(motion)
        return Prescribed(value) if "t" in symbols([value]) else Constant(value)
    return motion
