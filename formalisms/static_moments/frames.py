"""Links in the fixed frame: their axes, and the vectors НКО by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .links import Link
from .vectors import UNIT, Columns, Triple, combined, cross


@dataclass(frozen=True)
class Frames:
    """Axes of every link (0: the fixed frame) and every vector of НКО, all in fixed axes."""

    axes: dict[int, Columns]
    units: dict[str, Triple]
    owner: dict[str, int]
    products: dict[tuple[str, str], tuple[int, str]]

    def cross(self, a: str, b: str) -> Triple:
        """ā × b̄: where a link has both, its third axis with a sign."""
        if (a, b) in self.products:
            sign, third = self.products[a, b]
            x, y, z = self.units[third]
            return (x, y, z) if sign > 0 else (-x, -y, -z)
        return cross(self.units[a], self.units[b])

    def joint_axis(self, link: Link) -> Triple:
        """q̄_i."""
        return combined(self.axes[link.number], link.axis)


def frames(made: Sequence[Link]) -> Frames:
    """Axes from the fixed frame outwards; a vector is that of the first link that has it.

    Identity: a name that several links share is the same vector in all of them.
    """
    axes: dict[int, Columns] = {0: UNIT}
    units: dict[str, Triple] = {}
    owner: dict[str, int] = {}
    for name, column in zip("xyz", UNIT, strict=True):
        units[name], owner[name] = column, 0
    for link in made:
        base = axes[link.base]
        first, second, third = (combined(base, column) for column in link.turn)
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
