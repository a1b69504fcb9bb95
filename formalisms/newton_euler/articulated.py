"""Forward dynamics in linear time: articulated bodies.

The force needed to move a link with all links it carries, whose joints are free to move, is::

    f = A a + B ω̇ + b ,   n = Bᵀ a + C ω̇ + d

(A, C symmetric; a is the acceleration of the link's origin). The inward pass eliminates each joint's acceleration, the
outward pass computes it. Featherstone 1983; Featherstone 2008, section 7.3, with 3-vectors and the acceleration of the
origin in place of spatial accelerations. A joint of several coordinates is a chain of links; a link without own inertia
has that of the links it carries, so a division by zero occurs only if the mass matrix is singular.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbconcord.records import dataclass, replace

from .outward import Motion, Wrench, accelerate_link, coasting, resting
from .tree import Link, Mass
from .vectors import (
    PLACE,
    Matrix,
    Number,
    Symmetric,
    Vector,
    add_along_axis,
    add_symmetric,
    apply,
    congruent,
    cross,
    dot,
    minus,
    plus,
    product,
    rotate,
    rows,
    symmetric,
    transpose,
    turned_symmetric,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Articulated:
    """Articulated inertia A, B, C and bias b, d of a link, in its axes, about its origin."""

    a: Symmetric
    b: Matrix
    c: Symmetric
    force: Vector
    moment: Vector

    def plus(self, other: Articulated) -> Articulated:
        """Return the articulated inertia of both bodies welded together."""
        b = self.b, other.b
        return Articulated(
            add_symmetric(self.a, other.a),
            (plus(b[0][0], b[1][0]), plus(b[0][1], b[1][1]), plus(b[0][2], b[1][2])),
            add_symmetric(self.c, other.c),
            plus(self.force, other.force),
            plus(self.moment, other.moment),
        )

    def add_bias(self, a: Vector, dw: Vector) -> Articulated:
        """Return this body with the forces of known accelerations ``a`` and ``dw`` added to its bias."""
        force = plus(self.force, plus(apply(rows(self.a), a), apply(self.b, dw)))
        moment = plus(self.moment, plus(apply(transpose(self.b), a), apply(rows(self.c), dw)))
        return Articulated(self.a, self.b, self.c, force, moment)


@dataclass(frozen=True, slots=True)
class Elimination:
    """Elimination of one joint: column (p, s) of the inertia along it, its inertia D, and the remaining effort u.

    q'' = (u - p · a - s · ω̇) / D, where a and ω̇ of the link do not contain q''.
    """

    p: Vector
    s: Vector
    inertia: Number
    effort: Number


@dataclass(frozen=True, slots=True)
class ForwardDynamics:
    """Accelerations of the coordinates, and intermediates for each link.

    ``drives``: efforts by coordinate that impose accelerations, beyond the given efforts. By link: ``bodies``,
    articulated inertias; ``joints``, eliminations (None: prescribed or imposed); ``across``, articulated inertias that
    the parents feel, still in the link's axes (None: no parent); ``motions``, (ω̇, a).
    """

    accelerations: list[Number]
    drives: dict[int, Number]
    bodies: list[Articulated]
    joints: list[Elimination | None]
    across: list[Articulated | None]
    motions: list[tuple[Vector, Vector]]


def rigid(mass: Mass, bias: Wrench) -> Articulated:
    """Return the articulated inertia of one link: A = m E, B = -[m c]×, C = J; ``bias``: its velocity forces."""
    m, (x, y, z) = mass.mass, mass.moment
    o = m * 0
    return Articulated((m, m, m, o, o, o), ((o, z, -y), (-z, o, x), (y, -x, o)), mass.tensor, *bias)


def along_joint(body: Articulated, link: Link, effort: Number) -> Elimination:
    """Project the body's inertia onto the joint; ``effort`` is the generalized force of the joint."""
    a, b, c, axis = body.a, body.b, body.c, link.axis
    if link.revolute:
        p = (b[0][axis], b[1][axis], b[2][axis])
        s = (c[PLACE[axis][0]], c[PLACE[axis][1]], c[PLACE[axis][2]])
        return Elimination(p, s, s[axis], effort - body.moment[axis])
    p = (a[PLACE[axis][0]], a[PLACE[axis][1]], a[PLACE[axis][2]])
    return Elimination(p, b[axis], p[axis], effort - body.force[axis])


def eliminate_joint(
    body: Articulated, link: Link, effort: Number, rotor: Number | None = None
) -> tuple[Articulated, Elimination]:
    """Return the articulated body as it appears across its joint: I - U Uᵀ/D, bias + U u/D.

    U is the column of the inertia along the joint; ``effort`` is the generalized force of the joint, ``rotor`` the
    reflected moment of inertia that is added to D.
    """
    a, b, c, axis = body.a, body.b, body.c, link.axis
    joint = along_joint(body, link, effort)
    if rotor is not None:
        joint = replace(joint, inertia=joint.inertia + rotor)
    p, s, left = joint.p, joint.s, joint.effort
    share = 1 / joint.inertia
    x, y, z = (value * share for value in p)
    u, v, w = (value * share for value in s)
    na = [
        a[0] - x * p[0], a[1] - y * p[1], a[2] - z * p[2], a[3] - x * p[1], a[4] - x * p[2], a[5] - y * p[2],
    ]  # fmt: skip
    nb = [[b[i][k] - value * s[k] for k in range(3)] for i, value in enumerate((x, y, z))]
    nc = [
        c[0] - u * s[0], c[1] - v * s[1], c[2] - w * s[2], c[3] - u * s[1], c[4] - u * s[2], c[5] - v * s[2],
    ]  # fmt: skip
    zero = left * 0
    for i in range(3 if rotor is None else 0):  # along the joint nothing is left
        if link.revolute:
            nb[i][axis] = nc[PLACE[axis][i]] = zero
        else:
            nb[axis][i] = na[PLACE[axis][i]] = zero
    yielding = Articulated(
        symmetric(na),
        ((nb[0][0], nb[0][1], nb[0][2]), (nb[1][0], nb[1][1], nb[1][2]), (nb[2][0], nb[2][1], nb[2][2])),
        symmetric(nc),
        plus(body.force, (x * left, y * left, z * left)),
        plus(body.moment, (u * left, v * left, w * left)),
    )
    return yielding, joint


def shift_to_parent(body: Articulated, link: Link) -> Articulated:
    """Shift the inertia to the parent link's origin and axes.

    With r the offset and r̃ the matrix of r ×: B becomes B - A r̃, C becomes C + (r̃ B)ᵀ + r̃ (B - A r̃), and d
    becomes d + r × b. This is the change of coordinates of an articulated inertia, block by block.
    """
    a, b, c, r = body.a, body.b, body.c, link.offset
    force, moment = link.inward(body.force), link.inward(body.moment)
    if link.revolute:
        turn = (link.axis, link.sine, link.cosine)
        a, c = turned_symmetric(a, *turn), turned_symmetric(c, *turn)
        half = transpose((rotate(b[0], *turn), rotate(b[1], *turn), rotate(b[2], *turn)))
        b = transpose((rotate(half[0], *turn), rotate(half[1], *turn), rotate(half[2], *turn)))
    if link.turn:
        a, c = congruent(link.turn, a), congruent(link.turn, c)
        b = product(product(link.turn, b), transpose(link.turn))
    rb = columns_crossed(r, b)
    full = rows(a)
    shifted = tuple(plus(row, cross(r, line)) for row, line in zip(b, full, strict=True))  # - A r̃, row by row
    moved: Matrix = (shifted[0], shifted[1], shifted[2])
    rm = columns_crossed(r, moved)
    c = (
        c[0] + rb[0][0] + rm[0][0], c[1] + rb[1][1] + rm[1][1], c[2] + rb[2][2] + rm[2][2],
        c[3] + rb[1][0] + rm[0][1], c[4] + rb[2][0] + rm[0][2], c[5] + rb[2][1] + rm[1][2],
    )  # fmt: skip
    return Articulated(a, moved, c, force, minus(moment, cross(force, r)))


def columns_crossed(r: Vector, m: Matrix) -> Matrix:
    """Return r̃ m: r × each column of m."""
    x, y, z = transpose(m)
    return transpose((cross(r, x), cross(r, y), cross(r, z)))


def forward(
    links: Sequence[Link],
    velocities: Sequence[Vector],
    resisting: Sequence[Wrench],
    efforts: Sequence[Number],
    base: Motion,
    given: Mapping[int, Number],
    rotors: Mapping[int, Number],
) -> ForwardDynamics:
    """Compute the accelerations q'' of the coordinates, and efforts where accelerations are given.

    Across a joint with given acceleration, as across a prescribed one, the whole articulated inertia is passed on; its
    effort is computed in the outward pass, from the inertia and the accelerations along the joint.

    Parameters
    ----------
    links, velocities
        Links, and angular velocity ω of each.
    resisting
        For each link, force and moment due to its velocity minus those applied to it; without weight.
    efforts
        Generalized forces of drives and joint efforts, in the order of the coordinates.
    base
        Motion of the fixed frame: at rest, with the acceleration -g.
    given
        Accelerations that drives impose, by coordinate.
    rotors
        Moments of inertia reflected on joints, by coordinate.
    """
    still = base.w
    rest = resting(still, still)
    known: list[tuple[Vector, Vector]] = []
    for link, w in zip(links, velocities, strict=True):
        carrier = coasting(velocities[link.parent], still) if link.parent >= 0 else rest
        imposed = link.acceleration if link.coordinate is None else given.get(link.coordinate, still[0])
        known.append(accelerate_link(link, carrier, w, imposed))
    bodies = [rigid(link.mass, bias) for link, bias in zip(links, resisting, strict=True)]
    joints: list[Elimination | None] = [None] * len(links)
    across: list[Articulated | None] = [None] * len(links)
    for i in range(len(links) - 1, -1, -1):
        link, body = links[i], bodies[i]
        if link.coordinate is not None and link.coordinate not in given:
            rotor = rotors.get(link.coordinate)
            body, joints[i] = eliminate_joint(body, link, efforts[link.coordinate], rotor)
        if link.parent >= 0:
            dw, a = known[i]
            across[i] = felt = body.add_bias(a, dw)
            bodies[link.parent] = bodies[link.parent].plus(shift_to_parent(felt, link))
    accelerations = [given.get(i, still[0]) for i in range(len(efforts))]
    drives: dict[int, Number] = {}
    found: list[tuple[Vector, Vector]] = []
    for link, (dw, a), joint, body in zip(links, known, joints, bodies, strict=True):
        before, at = found[link.parent] if link.parent >= 0 else (still, base.a)
        dw = plus(dw, link.outward(before))
        a = plus(a, link.outward(plus(at, cross(before, link.offset))))
        if joint is not None and link.coordinate is not None:
            own = (joint.effort - dot(joint.p, a) - dot(joint.s, dw)) / joint.inertia
            accelerations[link.coordinate] = own
            dw, a = (
                (add_along_axis(dw, link.axis, own), a) if link.revolute else (dw, add_along_axis(a, link.axis, own))
            )
        elif link.coordinate is not None:
            held = along_joint(body, link, efforts[link.coordinate])
            needed = dot(held.p, a) + dot(held.s, dw) - held.effort
            if link.coordinate in rotors:
                needed = needed + rotors[link.coordinate] * given[link.coordinate]
            drives[link.coordinate] = needed
        found.append((dw, a))
    return ForwardDynamics(accelerations, drives, bodies, joints, across, found)
