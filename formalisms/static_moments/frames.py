"""Links in the fixed frame: axes, the vectors НКО by name; poles O_i from that frame outwards, seats on the links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mbconcord.records import dataclass

from .links import Link, Seat
from .vectors import NONE, UNIT, Columns, Triple, cross, from_frame, plus, times


@dataclass(frozen=True)
class Frames:
    """Axes of every link (0: the fixed frame) and every vector of НКО, all in fixed axes."""

    axes: dict[int, Columns]
    units: dict[str, Triple]
    owner: dict[str, int]
    products: dict[tuple[str, str], tuple[int, str]]

    def cross(self, a: str, b: str) -> Triple:
        """Return ā × b̄: its third axis with a sign, if a link has both."""
        if (a, b) in self.products:
            sign, third = self.products[a, b]
            x, y, z = self.units[third]
            return (x, y, z) if sign > 0 else (-x, -y, -z)
        return cross(self.units[a], self.units[b])

    def joint_axis(self, link: Link) -> Triple:
        """Return q̄_i."""
        return from_frame(self.axes[link.number], link.axis)


def frames(made: Sequence[Link]) -> Frames:
    """Compute the axes from the fixed frame outwards; a vector is that of the first link that has it.

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
