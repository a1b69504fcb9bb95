"""Conversion of a model's bodies to the paper's chain of bodies: one coordinate each, a pole on every joint.

A joint of several coordinates becomes as many links; bodies without coordinates belong to the link that carries them.
The pole O_i lies on the joint's axis; a prismatic pole moves along it from its initial position O_0i, which is fixed in
the base. Axes are named by the paper's rule: a link shares with its base the axes that no rotation between them moves.

In fixed axes: the links' axes, the vectors НКО by name, and the poles O_i, from the fixed frame outwards.

Vectors and rotations of this formalism, on nodes of the expression graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mbconcord.model import Body, System
from mbconcord.model.expressions import ONE, ZERO, Expression, cos, sin, symbol
from mbconcord.model.transformation import ElementaryTransformation
from mbconcord.records import dataclass, field

Triple = tuple[Expression, Expression, Expression]
#: Columns of a rotation matrix: the basis vectors of a frame.
Columns = tuple[Triple, Triple, Triple]

NONE: Triple = (ZERO, ZERO, ZERO)
UNIT: Columns = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def plus(a: Triple, b: Triple) -> Triple:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Triple, b: Triple) -> Triple:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(s: Expression, a: Triple) -> Triple:
    """Return s a."""
    return s * a[0], s * a[1], s * a[2]


def dot(a: Triple, b: Triple) -> Expression:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Triple, b: Triple) -> Triple:
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def from_frame(frame: Columns, a: Triple) -> Triple:
    """Return a₁ e₁ + a₂ e₂ + a₃ e₃: a vector given in the frame, in the axes in which the frame is given."""
    (p, q, r), (x, y, z) = frame, a
    return (x * p[0] + y * q[0] + z * r[0], x * p[1] + y * q[1] + z * r[1], x * p[2] + y * q[2] + z * r[2])


def to_frame(frame: Columns, a: Triple) -> Triple:
    """Return components e₁ · a, e₂ · a, e₃ · a of a vector in the frame."""
    return dot(frame[0], a), dot(frame[1], a), dot(frame[2], a)


def rotate_frame(frame: Columns, axis: Triple, angle: Expression) -> Columns:
    """Rotate the frame about an axis given in it: e ↦ cos e + sin n × e + (1 - cos)(n · e) n."""
    c, s = cos(angle), sin(angle)
    x, y, z = axis
    v = ONE - c
    first: Triple = (c + v * x * x, v * x * y + s * z, v * x * z - s * y)
    second: Triple = (v * x * y - s * z, c + v * y * y, v * y * z + s * x)
    third: Triple = (v * x * z + s * y, v * y * z - s * x, c + v * z * z)
    return from_frame(frame, first), from_frame(frame, second), from_frame(frame, third)


LETTERS = "xyz"


@dataclass
class Link:
    """A body in the sense of the paper: one coordinate and all bodies that this coordinate moves as one.

    Attributes
    ----------
    number, base : int
        Numbers of the link and its base, counted from 1; base 0 is the fixed frame.
    revolute : bool
    coordinate : str
    axis : triple
        q̄_i in the link's own axes.
    arm : triple
        R_i, from the base's pole to O_0i, in the base's axes.
    turn : columns
        The link's axes, in the base's axes.
    names : three names
        Names of its axes; a name that the base has too is the same vector.
    bodies : list
        Mass and centre, in the link's axes from its pole, of every body that belongs to the link.
    """

    number: int
    base: int
    revolute: bool
    coordinate: str
    axis: Triple
    arm: Triple
    turn: Columns
    names: tuple[str, str, str]
    bodies: list[tuple[Expression, Triple]] = field(default_factory=list)

    @property
    def q(self) -> Expression:
        """The coordinate's symbol."""
        return symbol(self.coordinate)


@dataclass(frozen=True)
class Seat:
    """A frame on a link: its axes and origin in the link's axes, and names of axes that it shares with the link."""

    link: int
    axes: Columns = UNIT
    origin: Triple = NONE
    names: tuple[str | None, str | None, str | None] = (None, None, None)


def links(system: System) -> list[Link]:
    """List the links of a model; each base precedes the links that it carries."""
    return seat_bodies(system)[0]


def seat_bodies(system: System) -> tuple[list[Link], dict[str | None, Seat]]:
    """Return the links of a model, and the place of each body's frame on them."""
    made: list[Link] = []
    seats: dict[str | None, Seat] = {None: Seat(0, names=("x", "y", "z"))}
    for body in system.bodies:
        seats[body.name] = _seat(body, seats[body.parent], made)
    return made, seats


def children(made: Sequence[Link]) -> dict[int, list[Link]]:
    """Return S_i, the links carried directly, for every link i, and for the fixed frame under 0."""
    found: dict[int, list[Link]] = {n: [] for n in range(len(made) + 1)}
    for link in made:
        found[link.base].append(link)
    return found


def _seat(body: Body, seat: Seat, made: list[Link]) -> Seat:
    for et in body.joint:
        seat = _move_seat(et, seat, made)
    inertia = body.inertia
    if seat.link and inertia.mass:
        centre = plus(seat.origin, from_frame(seat.axes, inertia.centre))
        made[seat.link - 1].bodies.append((inertia.mass, centre))
    return seat


def _move_seat(et: ElementaryTransformation, seat: Seat, made: list[Link]) -> Seat:
    """Return the seat after an elementary transformation; one with a coordinate adds a link to ``made``."""
    names = seat.names if et.is_translation else _keep_names(seat.names, et.axis)
    if et.coordinate is None:
        if et.is_translation:
            way = from_frame(seat.axes, times(et.amount, et.axis))
            return Seat(seat.link, seat.axes, plus(seat.origin, way), names)
        return Seat(seat.link, rotate_frame(seat.axes, et.axis, et.amount), seat.origin, names)
    n = len(made) + 1
    x, y, z = (name or f"{letter}_{n}" for name, letter in zip(names, LETTERS, strict=True))
    turn = seat.axes if et.is_translation else rotate_frame(seat.axes, et.axis, et.amount)
    made.append(Link(n, seat.link, not et.is_translation, et.coordinate, et.axis, seat.origin, turn, (x, y, z)))
    return Seat(n, names=(x, y, z))


def _keep_names(names: tuple[str | None, ...], axis: Triple) -> tuple[str | None, str | None, str | None]:
    """Return names of axes that a rotation leaves: that of its own axis if this is one of the frame's, else None."""
    x, y, z = (name if a is ONE or a is -ONE else None for name, a in zip(names, axis, strict=True))
    return x, y, z


@dataclass(frozen=True)
class Frames:
    """Axes of every link (0: the fixed frame) and every vector of НКО, all in fixed axes."""

    axes: dict[int, Columns]
    units: dict[str, Triple]
    owner: dict[str, int]
    products: dict[tuple[str, str], tuple[int, str]]

    def cross(self, a: str, b: str) -> Triple:
        """Return ā × b̄: if both are axes of one link, plus or minus the third axis of this link."""
        if (a, b) in self.products:
            sign, third = self.products[a, b]
            x, y, z = self.units[third]
            return (x, y, z) if sign > 0 else (-x, -y, -z)
        return cross(self.units[a], self.units[b])

    def joint_axis(self, link: Link) -> Triple:
        """Return q̄_i."""
        return from_frame(self.axes[link.number], link.axis)


def frames(made: Sequence[Link]) -> Frames:
    """Compute the axes from the fixed frame outwards; each vector is taken from the first link that has its name.

    Identity: a name shared by several links is the same vector in all of them.
    """
    axes: dict[int, Columns] = {0: UNIT}
    units: dict[str, Triple] = {}
    owner: dict[str, int] = {}
    for name, column in zip("xyz", UNIT, strict=True):
        units[name], owner[name] = column, 0
    for link in made:
        base = axes[link.base]
        first, second, third = (from_frame(base, column) for column in link.turn)
        columns: Columns = (first, second, third)
        axes[link.number] = columns
        for name, column in zip(link.names, columns, strict=True):
            if name not in units:
                units[name], owner[name] = column, link.number
    names = [("x", "y", "z"), *(link.names for link in made)]
    products: dict[tuple[str, str], tuple[int, str]] = {}
    for x, y, z in names:
        for a, b, c in ((x, y, z), (y, z, x), (z, x, y)):
            products[a, b], products[b, a] = (1, c), (-1, c)
    return Frames(axes, units, owner, products)


def poles(made: Sequence[Link], placed: Frames) -> dict[int, Triple]:
    """Compute O_i of every link in fixed axes from the fixed origin (0): O_b + R_i, plus q̄_i q_i if it slides (m)."""
    found: dict[int, Triple] = {0: NONE}
    for link in made:
        at = plus(found[link.base], from_frame(placed.axes[link.base], link.arm))
        found[link.number] = at if link.revolute else plus(at, times(link.q, placed.joint_axis(link)))
    return found


def positions(
    made: Sequence[Link], seats: Mapping[str | None, Seat], placed: Frames, bodies: Iterable[str]
) -> tuple[Triple, ...]:
    """Compute the origins of the bodies' frames in fixed axes (m)."""
    origins = poles(made, placed)
    return tuple(
        plus(origins[seat.link], from_frame(placed.axes[seat.link], seat.origin))
        for seat in (seats[name] for name in bodies)
    )
