"""Mass matrix by composite rigid bodies.

Column j of M has the forces along all joints if coordinate j alone accelerates by one, with all rates zero:
all links beyond joint j move as one composite body. Walker & Orin 1982, method 3; Featherstone 2008,
section 6.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbconcord.records import dataclass

from .links import Link, Mass
from .scalars import Scalars
from .vectors import NEXT, PLACE, Vector, cross, minus


def composites(links: Sequence[Link]) -> list[Mass]:
    """Compute the mass properties of each link together with all links it carries, about its own origin."""
    masses = [link.mass for link in links]
    for i in range(len(links) - 1, -1, -1):
        link = links[i]
        if link.parent >= 0:
            masses[link.parent] = masses[link.parent].plus(link.transfer_mass(masses[i]))
    return masses


def unit_acceleration(mass: Mass, revolute: bool, axis: int) -> tuple[Vector, Vector]:
    """Return force and moment that a composite body needs for unit acceleration of its joint.

    Revolute: f = e × m c, n = J e. Prismatic: f = m e, n = m c × e.
    """
    i, k = NEXT[axis]
    zero = mass.mass * 0
    across = [zero, zero, zero]
    across[i], across[k] = -mass.moment[k], mass.moment[i]
    e_cross = (across[0], across[1], across[2])
    if revolute:
        column = PLACE[axis]
        return e_cross, (mass.tensor[column[0]], mass.tensor[column[1]], mass.tensor[column[2]])
    force = [zero, zero, zero]
    force[axis] = mass.mass
    return (force[0], force[1], force[2]), (-e_cross[0], -e_cross[1], -e_cross[2])


@dataclass(frozen=True, slots=True)
class MassMatrix:
    """Mass matrix M, (n, n) or (n, n, states), and the columns of forces and moments at each link, if kept."""

    matrix: Any
    columns: list[Any]


def mass_matrix(links: Sequence[Link], bodies: Sequence[Mass], count: int, scalars: Scalars) -> MassMatrix:
    """Compute M from the composite bodies of the links.

    The forces of all coordinates beyond a joint are carried inward together, as the columns of one array;
    because subtrees are contiguous, so are their columns.
    """
    order = [link.coordinate for link in links if link.coordinate is not None]
    first, end = _extents(links)
    result, columns = scalars.blank(count, count), scalars.blank(6, len(order))
    kept: list[Any] = []
    for i in range(len(links) - 1, -1, -1):
        link, at, to = links[i], first[i], first[end[i]]
        if link.coordinate is not None:
            force, moment = unit_acceleration(bodies[i], link.revolute, link.axis)
            for row, value in enumerate((*force, *moment)):
                columns[row, at] = value
            own = columns[3 * link.revolute + link.axis, at:to]
            result[link.coordinate, order[at:to]] = own
            result[order[at:to], link.coordinate] = own
        if scalars.keeps:
            kept.insert(0, columns[:, at:to].copy())
        if link.parent >= 0 and at < to:
            f, n = columns[0:3, at:to], columns[3:6, at:to]
            force = link.inward((f[0], f[1], f[2]))
            moment = minus(link.inward((n[0], n[1], n[2])), cross(force, link.offset))
            for row, value in enumerate((*force, *moment)):
                columns[row, at:to] = value
    return MassMatrix(result, kept)


def _extents(links: Sequence[Link]) -> tuple[list[int], list[int]]:
    """Return for each link the number of coordinates before it, and the index after its subtree."""
    first = [0]
    for link in links:
        first.append(first[-1] + (link.coordinate is not None))
    end = [*range(1, len(links) + 1)]
    for i in range(len(links) - 1, -1, -1):
        if links[i].parent >= 0:
            end[links[i].parent] = max(end[links[i].parent], end[i])
    return first, end
