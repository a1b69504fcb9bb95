"""A machine at one state as plain numbers: inertias, connections and forces of bodies.

SI units, radians. No formulas are kept, only numbers; a spring's law alone is a function, of a length and its rate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final

Triple = tuple[float, float, float]
Tensor = tuple[Triple, Triple, Triple]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NOWHERE: Triple = (0.0, 0.0, 0.0)
NO_TENSOR: Tensor = (NOWHERE, NOWHERE, NOWHERE)
#: Formats and the modules that read them, each imported when a text is of its format.
READERS: Final[Mapping[str, str]] = {
    "mbsd": "mbsd", "tp": "tp", "um": "um", "urdf": "robots.urdf", "sdf": "robots.sdf", "mjcf": "robots.mjcf",
    "usd": "robots.usd",
}  # fmt: skip


class UnreadError(Exception):
    """Error of a text with an element unknown to the second reading, which then gives no answer."""


@dataclass(frozen=True)
class At:
    """One state: positions and rates by coordinate, the time, values of parameters.

    ``order`` are the model's coordinates, for formats that do not name them. ``set`` are values of parameters that
    replace those of the text, ``open`` values of parameters without a value in the text. ``folder`` has the files that
    the text names; empty if it came from no file. ``packages`` are the packages that it names, or folders of them.
    ``assumed`` are places of elements whose law is not in the text and assumed by the model, as its omissions state.
    ``transcribe(data, kept)`` is the format's own program: it prints the text of a binary part of the file, and the
    paths of long arrays that it left out, but those ``kept``; it raises :class:`UnreadError`. ``file`` is the name of
    the file that the text came from.
    """

    q: Mapping[str, float]
    v: Mapping[str, float]
    t: float
    order: Sequence[str] = ()
    set: Mapping[str, float] = field(default_factory=dict)
    open: Mapping[str, float] = field(default_factory=dict)
    folder: str = ""
    packages: Sequence[str] = ()
    assumed: frozenset[str] = frozenset()
    transcribe: Callable[[bytes, tuple[str, ...]], tuple[str, list[str]]] | None = None
    file: str = ""


@dataclass(frozen=True)
class SecondStep:
    """A shift along, or a turn about, an axis of the frame left by earlier steps: right-handed, active.

    ``amount`` is the shift or angle with its first and second rate, unless it is a ``coordinate``, given by its name.
    For a map of coordinates the second rate is that at q'' = 0, and ``slopes`` are its derivatives by coordinates.
    """

    turn: bool
    axis: Triple
    amount: tuple[float, float, float] = NOWHERE
    coordinate: str = ""
    slopes: Mapping[str, float] = field(default_factory=dict)


Steps = tuple[SecondStep, ...]


@dataclass(frozen=True)
class SecondSolid:
    """A rigid body; the steps lead from its parent's frame (None: the fixed frame) to the body's own frame.

    The tensor is about the centre of mass, with elements I_xy = -∫ x y dm; both are in the body's axes. ``reach`` is
    the distance of the parts from which the centre was computed, which limits its accuracy.
    """

    name: str
    parent: str | None
    steps: Steps
    mass: float = 0.0
    centre: Triple = NOWHERE
    tensor: Tensor = NO_TENSOR
    reach: float = 0.0


@dataclass(frozen=True)
class SecondPlace:
    """A point of a body (None: of the fixed frame)."""

    body: str | None
    point: Triple


@dataclass(frozen=True)
class Spring:
    """A force along the line between two points; if positive it repels them. Half of ``mass`` is at each point."""

    name: str
    first: SecondPlace
    second: SecondPlace
    law: Callable[[float, float], float]
    mass: float = 0.0


@dataclass(frozen=True)
class SecondBushing:
    """A spring and damper of six displacements u: shift (m) and n sin φ of the second body in the first one's axes.

    The shift is that of the point ``second`` from the point ``first``. The wrench preload - stiffness u - damping u'
    acts on the second body at the point ``second``; the opposite wrench acts on the first body at the same place.
    """

    name: str
    first: SecondPlace
    second: SecondPlace
    stiffness: Sequence[Sequence[float]]
    damping: Sequence[Sequence[float]]
    preload: Sequence[float]


@dataclass(frozen=True)
class SecondRod:
    """A rod that keeps two points at the distance ``length``. Half of its mass is on each point."""

    name: str
    first: SecondPlace
    second: SecondPlace
    length: float
    mass: float = 0.0


@dataclass(frozen=True)
class SecondClosure:
    """A cut joint: two frames that coincide, each given by a body and steps; coordinates in ``first`` are auxiliary."""

    name: str
    first: tuple[str | None, Steps]
    second: tuple[str | None, Steps]


@dataclass(frozen=True)
class SecondJoined:
    """A constraint that keeps two points of bodies coincident."""

    name: str
    first: SecondPlace
    second: SecondPlace


@dataclass(frozen=True)
class SecondRow:
    """Row that is zero if a constraint is satisfied: its value and rate at a state; sums of their terms' sizes."""

    name: str
    value: float
    rate: float
    size: float
    speed: float


def linear(name: str, terms: Sequence[float], rates: Sequence[float]) -> SecondRow:
    """Return the constraint row whose value is the sum of ``terms``, and its rate the sum of ``rates``."""
    return SecondRow(name, sum(terms), sum(rates), sum(map(abs, terms)), sum(map(abs, rates)))


@dataclass(frozen=True)
class SecondLoad:
    """A force at a point, in world axes or, if it ``follows``, in the body's; and a moment in the body's axes."""

    at: SecondPlace
    force: Triple
    moment: Triple = NOWHERE
    follows: bool = False


@dataclass(frozen=True)
class SecondMachine:
    """All moving parts and forces; in ``solids`` carriers precede what they carry.

    ``starts`` are the initial positions and rates by coordinate; ``armatures`` are inertias of sums of rates, each with
    the sum's coefficients; ``controls`` are parameters that stand for controls of actuators; ``beside`` are places of
    elements that act in the text but are left out here. ``coarse`` is True if numbers are in single precision, so that
    the author may have meant other decimals. ``transcribed`` is True if another program printed a part of the text.
    """

    coordinates: tuple[str, ...]
    solids: tuple[SecondSolid, ...]
    gravity: Triple = NOWHERE
    efforts: Mapping[str, float] = field(default_factory=dict)
    springs: tuple[Spring, ...] = ()
    loads: tuple[SecondLoad, ...] = ()
    rods: tuple[SecondRod, ...] = ()
    closures: tuple[SecondClosure, ...] = ()
    joined: tuple[SecondJoined, ...] = ()
    starts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    armatures: tuple[tuple[float, Mapping[str, float]], ...] = ()
    rows: tuple[SecondRow, ...] = ()
    controls: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    bushings: tuple[SecondBushing, ...] = ()
    coarse: bool = False
    transcribed: bool = False

    @property
    def constraint_names(self) -> list[str]:
        """Names of all constraints."""
        return [x.name for group in (self.rods, self.closures, self.joined, self.rows) for x in group]

    @property
    def massive(self) -> tuple[Spring | SecondRod, ...]:
        """Springs and rods, which have half of their mass on each of their points."""
        return (*self.springs, *self.rods)


def about_centre(mass: float, centre: Triple, tensor: Tensor) -> Tensor:
    """Move a tensor from the origin to the centre of mass: I - m (c·c E - c cᵀ)."""
    square = sum(x * x for x in centre)
    rows = [
        tuple(tensor[i][j] - mass * (square * (i == j) - centre[i] * centre[j]) for j in range(3)) for i in range(3)
    ]
    return rows[0], rows[1], rows[2]  # type: ignore[return-value]


def symmetric(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Tensor:
    """Return the symmetric tensor with six given elements."""
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def machine(text: str, format: str, at: At) -> SecondMachine:
    """Read the machine of a text at a state.

    Raises
    ------
    UnreadError
        The format has no second reading, or the text contains something unknown to it.
    """
    if format not in READERS:
        raise UnreadError(f"texts of {format}, which have no second reading")
    read: Callable[[str, At], SecondMachine] = import_module(f"{__package__}.{READERS[format]}").read
    try:
        return read(text, at)
    except (ArithmeticError, AssertionError, LookupError, RecursionError, TypeError, ValueError) as problem:
        raise UnreadError(f"this text: {type(problem).__name__}: {problem}") from None
