"""Conversion of a model's bodies to the paper's chain of bodies: one coordinate each, a pole on every joint.

A joint of several coordinates becomes as many links; bodies without coordinates belong to the link that carries them.
The pole O_i lies on the joint's axis; a prismatic pole moves along it from its initial position O_0i, which is fixed in
the base. Axes are named by the paper's rule: a link shares with its base the axes that no rotation between them moves.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model import Body, System
from mbconcord.model.expressions import ONE, Expression, symbol
from mbconcord.model.transformation import ElementaryTransformation
from mbconcord.records import dataclass, field

from .vectors import NONE, UNIT, Columns, Triple, from_frame, plus, rotate_frame, times

LETTERS = "xyz"


@dataclass
class Link:
    """A body of the paper, in a model's order.

    Attributes
    ----------
    number, base : int
        Counted from 1; base 0 is the fixed frame.
    revolute : bool
    coordinate : str
    axis : triple
        q̄_i in the link's own axes.
    arm : triple
        R_i, from the base's pole to O_0i, in the base's axes.
    turn : columns
        The link's axes in the base's.
    names : three names
        Of its axes; a name that the base has too is the same vector.
    bodies : list
        Mass and centre, in the link's axes from its pole, of every body it is made of.
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
    """A frame on a link: its axes and origin in the link's axes, and the axes that it shares."""

    link: int
    axes: Columns = UNIT
    origin: Triple = NONE
    names: tuple[str | None, str | None, str | None] = (None, None, None)


def links(system: System) -> list[Link]:
    """List the links of a model; each base precedes what it carries."""
    return seat_bodies(system)[0]


def seat_bodies(system: System) -> tuple[list[Link], dict[str | None, Seat]]:
    """Return the links of a model, and the place of each body's frame on them."""
    made: list[Link] = []
    seats: dict[str | None, Seat] = {None: Seat(0, names=("x", "y", "z"))}
    for body in system.bodies:
        seats[body.name] = _seat(body, seats[body.parent], made)
    return made, seats


def children(made: Sequence[Link]) -> dict[int, list[Link]]:
    """Return S_i of every link, and of the fixed frame under 0."""
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
    """Apply an elementary transformation to a seat; a coordinate makes a link."""
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
    """Keep the name that a rotation leaves: that of its own axis, if it is one of the frame's."""
    x, y, z = (name if a is ONE or a is -ONE else None for name, a in zip(names, axis, strict=True))
    return x, y, z
