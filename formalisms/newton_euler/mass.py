"""Mass properties of links, and their regrouping: what a joint cannot feel is carried by the link before it.

A revolute joint does not notice a mass on its axis, nor a needle along it: they lie still in the parent link,
and may as well belong to it. A prismatic joint does not notice a tensor of inertia without a mass. Handing
these over from the tips to the base leaves a link between revolute joints without mass, without a first
moment along its axis and with one moment of inertia less: the minimal inertial parameters. The equations of
motion remain the same, exactly; only the forces inside a joint, which do no work, become those of another
machine. Gautier & Khalil, IEEE Trans. Robotics and Automation 6 (1990) 368-373; Khalil & Kleinfinger 1987.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .vectors import (
    NEXT,
    Matrix,
    Number,
    Symmetric,
    Vector,
    added,
    apply,
    congruent,
    plus,
    symmetric,
    times,
    triple,
    turned,
    turned_symmetric,
)  # fmt: skip

if TYPE_CHECKING:
    from .links import Link


@dataclass(frozen=True, slots=True)
class Mass:
    """Mass properties about the origin of a frame, in its axes.

    ``mass`` (kg), ``moment`` the first moment m c (kg m), ``tensor`` about the origin (kg m²).
    """

    mass: Number
    moment: Vector
    tensor: Symmetric

    def plus(self, other: Mass) -> Mass:
        """Both together."""
        return Mass(self.mass + other.mass, plus(self.moment, other.moment), added(self.tensor, other.tensor))

    def shifted(self, p: Vector) -> Mass:
        """Seen from another origin, from which the old one lies at p: the parallel-axis theorem.

        m c + m p, and J + 2 (p · m c) E - m c pᵀ - p (m c)ᵀ + m (p² E - p pᵀ).
        """
        a = self.moment
        b = plus(a, times(p, self.mass))
        x, y, z = (a[0] + b[0]) * p[0], (a[1] + b[1]) * p[1], (a[2] + b[2]) * p[2]
        steiner = (
            y + z, x + z, x + y,
            -(a[0] * p[1] + b[1] * p[0]), -(a[0] * p[2] + b[2] * p[0]), -(a[1] * p[2] + b[2] * p[1]),
        )  # fmt: skip
        return Mass(self.mass, b, added(self.tensor, steiner))

    def rotated(self, turn: Matrix | None) -> Mass:
        """The same in other axes: columns of ``turn`` are the old axes in the new ones (None: the same)."""
        return Mass(self.mass, apply(turn, self.moment), congruent(turn, self.tensor)) if turn else self

    def turned(self, axis: int, sine: Number, cosine: Number) -> Mass:
        """The same turned about an axis by the angle whose sine and cosine are given."""
        return Mass(
            self.mass,
            turned(self.moment, axis, sine, cosine),
            turned_symmetric(self.tensor, axis, sine, cosine),
        )


def regrouped(links: Sequence[Link]) -> list[Link]:
    """The links with their minimal inertial parameters; a link without inertia is given none."""
    masses = [link.mass for link in links]
    for i in range(len(links) - 1, -1, -1):
        link = links[i]
        if not link.bears or (link.parent >= 0 and not links[link.parent].bears):
            continue
        masses[i], unfelt = split(masses[i], link.axis, link.revolute)
        if link.parent >= 0:
            masses[link.parent] = masses[link.parent].plus(unfelt.rotated(link.turn).shifted(link.shift))
    return [replace(link, mass=mass) for link, mass in zip(links, masses, strict=True)]


def split(mass: Mass, axis: int, revolute: bool) -> tuple[Mass, Mass]:
    """What a joint with that axis feels of mass properties, and what it does not.

    Revolute, axis z: mass, first moment along z and a needle diag(Jyy, Jyy, 0) are not felt, which leaves
    diag(Jxx - Jyy, 0, Jzz) and the products of inertia. Prismatic: the tensor is not felt.
    """
    m, first, j = mass.mass, mass.moment, mass.tensor
    zero = m * 0
    if not revolute:
        return Mass(m, first, symmetric([zero] * 6)), Mass(zero, (zero, zero, zero), j)
    a, b = NEXT[axis]
    felt, needle = [*j], [zero] * 6
    felt[a], felt[b] = j[a] - j[b], zero
    needle[a] = needle[b] = j[b]
    across, on_axis = [*first], [zero] * 3
    across[axis], on_axis[axis] = zero, first[axis]
    return Mass(zero, triple(across), symmetric(felt)), Mass(m, triple(on_axis), symmetric(needle))
