"""Regrouping of mass properties: what a joint cannot feel is carried by the link before it.

A revolute joint does not notice a mass on its axis, nor a needle along it: they lie still in the parent link,
and may as well belong to it. A prismatic joint does not notice a tensor of inertia without a mass. Handing
these over from the tips to the base leaves a link between revolute joints without mass, without a first
moment along its axis and with one moment of inertia less: the minimal inertial parameters. The equations of
motion remain the same, exactly; only the forces inside a joint, which do no work, become those of another
machine. Gautier & Khalil 1990; Khalil & Kleinfinger 1987.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .links import Link
from .mass import Mass
from .vectors import NEXT, symmetric, triple


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
