"""A machine at one state as plain numbers: what bodies carry, how they hang together, what acts on them.

SI units, radians. Nothing here is a formula: a spring's law alone is a function, of a length and its rate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Triple = tuple[float, float, float]
Tensor = tuple[Triple, Triple, Triple]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NOWHERE: Triple = (0.0, 0.0, 0.0)
NO_TENSOR: Tensor = (NOWHERE, NOWHERE, NOWHERE)


class UnreadError(Exception):
    """What the second reading does not know: it says nothing of the text."""


@dataclass(frozen=True)
class At:
    """One state: positions and rates by coordinate, the time, values of parameters.

    ``order`` are the model's coordinates, for formats that do not name them. ``set`` are values of parameters that
    stand for those of the text, ``open`` such as the text leaves without one. ``folder`` is where files stand that the
    text names; none where it came from no file.
    """

    q: Mapping[str, float]
    v: Mapping[str, float]
    t: float
    order: Sequence[str] = ()
    set: Mapping[str, float] = field(default_factory=dict)
    open: Mapping[str, float] = field(default_factory=dict)
    folder: str = ""


@dataclass(frozen=True)
class Step:
    """A shift along, or a turn about, an axis of the frame that the steps before it left: right-handed, active.

    ``amount`` has two rates. Those of a coordinate are those of the motion: it has a name and no amount.
    """

    turn: bool
    axis: Triple
    amount: tuple[float, float, float] = NOWHERE
    coordinate: str = ""


Steps = tuple[Step, ...]


@dataclass(frozen=True)
class Solid:
    """A rigid body; the steps lead from its parent's frame (None: the fixed one) to its own.

    The tensor is about the centre of mass, its elements I_xy = -∫ x y dm, both in the body's axes. ``reach`` is how far
    away that is from which the centre was computed.
    """

    name: str
    parent: str | None
    steps: Steps
    mass: float = 0.0
    centre: Triple = NOWHERE
    tensor: Tensor = NO_TENSOR
    reach: float = 0.0


@dataclass(frozen=True)
class Place:
    """A point of a body (None: of the fixed frame)."""

    body: str | None
    point: Triple


@dataclass(frozen=True)
class Spring:
    """A force along the line between two points; positive pushes them apart. Half of its mass is on each point."""

    name: str
    first: Place
    second: Place
    law: Callable[[float, float], float]
    mass: float = 0.0


@dataclass(frozen=True)
class Rod:
    """Two points whose distance is the length. Half of its mass is on each point."""

    name: str
    first: Place
    second: Place
    length: float
    mass: float = 0.0


@dataclass(frozen=True)
class Closure:
    """Two frames that coincide: each a body and steps from its frame; coordinates in the first are auxiliary."""

    name: str
    first: tuple[str | None, Steps]
    second: tuple[str | None, Steps]


@dataclass(frozen=True)
class Joined:
    """Two points that are one."""

    name: str
    first: Place
    second: Place


@dataclass(frozen=True)
class Row:
    """What is zero where coordinates hold a constraint: its value and rate at a state, and the sizes of their terms."""

    name: str
    value: float
    rate: float
    size: float
    speed: float


def linear(name: str, terms: Sequence[float], rates: Sequence[float]) -> Row:
    """A row that is a sum of terms, and its rate."""
    return Row(name, sum(terms), sum(rates), sum(map(abs, terms)), sum(map(abs, rates)))


@dataclass(frozen=True)
class Load:
    """A force at a point, in world axes, and a moment on its body, in the body's axes."""

    at: Place
    force: Triple
    moment: Triple = NOWHERE


@dataclass(frozen=True)
class Machine:
    """Everything that moves, and what moves it; of ``solids`` each stands after the one that carries it.

    ``starts`` are the positions and rates by coordinate that the text begins with; ``armatures`` inertias along sums
    of rates, each with its coefficients; ``controls`` parameters that stand for controls of actuators;
    ``beside`` what the text says that acts on the motion and is no part of it here, as places of omissions.
    """

    coordinates: tuple[str, ...]
    solids: tuple[Solid, ...]
    gravity: Triple = NOWHERE
    efforts: Mapping[str, float] = field(default_factory=dict)
    springs: tuple[Spring, ...] = ()
    loads: tuple[Load, ...] = ()
    rods: tuple[Rod, ...] = ()
    closures: tuple[Closure, ...] = ()
    joined: tuple[Joined, ...] = ()
    starts: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    armatures: tuple[tuple[float, Mapping[str, float]], ...] = ()
    rows: tuple[Row, ...] = ()
    controls: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def held(self) -> list[str]:
        """Names of all constraints."""
        return [x.name for group in (self.rods, self.closures, self.joined, self.rows) for x in group]

    @property
    def massive(self) -> tuple[Spring | Rod, ...]:
        """Springs and rods, which have half of their mass on each of their points."""
        return (*self.springs, *self.rods)


def about_centre(mass: float, centre: Triple, tensor: Tensor) -> Tensor:
    """The tensor about the centre of mass of one about the origin: I - m (c·c E - c cᵀ)."""
    square = sum(x * x for x in centre)
    rows = [
        tuple(tensor[i][j] - mass * (square * (i == j) - centre[i] * centre[j]) for j in range(3))
        for i in range(3)
    ]
    return rows[0], rows[1], rows[2]  # type: ignore[return-value]


def symmetric(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Tensor:
    """The matrix of six elements."""
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
