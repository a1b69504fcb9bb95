"""Inward pass: inertial forces and moments of the links, and the loads of the joints."""

from __future__ import annotations

from collections.abc import Sequence

from .links import Link
from .mass import Mass
from .outward import Motion
from .vectors import Number, Vector, apply, cross, minus, plus, times

#: Force (N), and moment (N m) about the link's origin, in link axes.
Wrench = tuple[Vector, Vector]


def inertial(mass: Mass, motion: Motion) -> Wrench:
    """Compute force m a + U m c and moment m c × a + J ω̇ + ω × J ω about the origin of the link's frame.

    Newton's and Euler's equations with the first moment m c need no centre of mass (which may not exist). The products
    of inertia multiply elements of U: Jxy ω̇_y - Jxy ωx ωz = -Jxy U_zx, and so on.
    """
    u, dw, a = motion.u, motion.dw, motion.a
    x, y, z = motion.w
    xx, yy, zz, xy, xz, yz = mass.tensor
    own = (
        xx * dw[0] + (zz - yy) * (y * z) - xy * u[2][0] + xz * u[1][0] + yz * (u[1][1] - u[2][2]),
        yy * dw[1] + (xx - zz) * (x * z) + xy * u[2][1] + xz * (u[2][2] - u[0][0]) - yz * u[0][1],
        zz * dw[2] + (yy - xx) * (x * y) + xy * (u[0][0] - u[1][1]) - xz * u[1][2] + yz * u[0][2],
    )
    return plus(times(a, mass.mass), apply(u, mass.moment)), plus(own, cross(mass.moment, a))


def weight(mass: Mass, g: Vector) -> Wrench:
    """Return force m g and moment m c × g, g in link axes."""
    return times(g, mass.mass), cross(mass.moment, g)


def less(wrench: Wrench, load: Wrench | None) -> Wrench:
    """Subtract an applied wrench, if there is one."""
    return wrench if load is None else (minus(wrench[0], load[0]), minus(wrench[1], load[1]))


def transmit_wrenches(links: Sequence[Link], own: Sequence[Wrench | None]) -> list[Wrench | None]:
    """Compute the wrench that each joint transmits to its link from each link's own wrench (None: zero).

    f = F + Σ R_child f_child, n = N + Σ (R_child n_child + r_child × f_child): Luh, Walker & Paul 1980,
    inward recursion.
    """
    total: list[Wrench | None] = list(own)
    for i in range(len(links) - 1, -1, -1):
        link, wrench = links[i], total[i]
        if wrench is None or link.parent < 0:
            continue
        before, passed = total[link.parent], transmit_wrench(link, wrench)
        total[link.parent] = passed if before is None else together(before, passed)
    return total


def transmit_wrench(link: Link, wrench: Wrench) -> Wrench:
    """Transform a wrench on a link to the origin and axes of its carrier."""
    f, n = link.inward(wrench[0]), link.inward(wrench[1])
    n = minus(n, cross(f, link.offset))
    return f, n


def together(a: Wrench, b: Wrench) -> Wrench:
    """Add both wrenches."""
    return plus(a[0], b[0]), plus(a[1], b[1])


def along_joint(link: Link, wrench: Wrench) -> Number:
    """Return the component along the joint's axis: n · e of a revolute, f · e of a prismatic joint."""
    force, moment = wrench
    return (moment if link.revolute else force)[link.axis]


def along_joints(links: Sequence[Link], wrenches: Sequence[Wrench | None], count: int, zero: Number) -> list[Number]:
    """Project wrenches onto the coordinates."""
    result = [zero] * count
    for link, wrench in zip(links, wrenches, strict=True):
        if link.coordinate is not None and wrench is not None:
            result[link.coordinate] = along_joint(link, wrench)
    return result
