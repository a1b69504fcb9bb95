"""Deep machines: the sums (9) over the bodies that a coordinate carries, gathered from the tips to the base.

A coordinate of body j displaces j and all bodies it carries as one rigid body. For each of these bodies p, Φ_p δq =
[δr + δπ × r_p; δπ], with δr and δπ of j's origin and r_p from there. So the sums (9) are the work, on δr and δπ alone,
of the resultants about this origin, in world axes::

    Σ Φ_pᵀ X_p = δr · Σ F_p + δπ · Σ (N_p + r_p × F_p)

For k and Q the forces and moments X_p = (F_p; N_p) are M_p W'_p + K_p and G_p. For M they are momenta: for a column
(δr; δπ) of Φ the carried rigid body, with m = Σ m_p, s = Σ m_p r_p and J = Σ (J_p + m_p (r_p² E - r_p r_pᵀ)), has::

    p = m δr + δπ × s ,    H = J δπ + s × δr

Each sum adds those of the bodies carried directly, shifted by the arm between two origins: the number of operations is
proportional to that of elements for M, to that of bodies for k and Q.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import chain

from mbconcord.model.expressions import Expression
from mbconcord.model.features import is_mapped
from mbconcord.model.joint_forces import list_jointed_bodies
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from .body import Acting, BodyTerms, Inertial, Row, add_shares, forces, terms, together, turning, wheels
from .kinematics import NONE, Kinematics, Triple, cross, dot, minus, plus, times, to_body, to_world

#: From so many coordinates of one body on sums are gathered; with fewer they cost no more body by body.
DEEP = 8

#: A force and its moment about the origin of a body's frame, or a momentum and its moment; world axes.
Wrench = tuple[Triple, Triple]
NOTHING: Wrench = (NONE, NONE)
Six = tuple[Expression, Expression, Expression, Expression, Expression, Expression]


@dataclass(frozen=True, slots=True)
class Whole:
    """Bodies that move as one: mass m, first moment s and tensor J (xx, yy, zz, xy, xz, yz) at a point; world axes."""

    mass: Expression
    s: Triple
    J: Six

    def shift(self, d: Triple) -> Whole:
        """Shift to a point from which the present one is at d: s' = s + m d, J' = J + d·(s + s') E - d s'ᵀ - s dᵀ."""
        s, after = self.s, plus(self.s, times(self.mass, d))
        x, y, z = (a * b for a, b in zip(d, plus(s, after), strict=True))
        xy, xz, yz = (d[i] * after[k] + s[i] * d[k] for i, k in ((0, 1), (0, 2), (1, 2)))
        J = self.J
        return Whole(
            self.mass, after, (J[0] + (y + z), J[1] + (x + z), J[2] + (x + y), J[3] - xy, J[4] - xz, J[5] - yz)
        )

    def beside(self, other: Whole) -> Whole:
        """Return these bodies and others, given about the same point, as one rigid body."""
        xx, yy, zz, xy, xz, yz = (a + b for a, b in zip(self.J, other.J, strict=True))
        return Whole(self.mass + other.mass, plus(self.s, other.s), (xx, yy, zz, xy, xz, yz))

    def momenta(self, d: Triple, b: Triple) -> Wrench:
        """Compute p = m d + b × s and H = J b + s × d."""
        xx, yy, zz, xy, xz, yz = self.J
        spin = to_world(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), b)
        return plus(times(self.mass, d), cross(b, self.s)), plus(spin, cross(self.s, d))


@dataclass(frozen=True, slots=True)
class Link:
    """A body of a deep machine: its frame, with the columns of Φ of its own coordinates at its origin.

    Attributes
    ----------
    arm : vector from the origin of the parent's frame to the body's own, world axes
    solids : terms of the body and of its flywheels, with positions from the body's origin
    """

    name: str
    parent: str | None
    frame: Kinematics
    arm: Triple
    solids: tuple[BodyTerms, ...]

    @property
    def columns(self) -> Iterator[tuple[str, Triple, Triple]]:
        """Triples (name, δr, δπ) of the origin for each of the body's own coordinates."""
        return ((name, d, self.frame.B[name]) for name, d in self.frame.D.items())


def deep(system: System) -> bool:
    """Return True if sums are gathered: all bodies rigid, no fluid or maps, and many coordinates move one body."""
    depth: dict[str | None, int] = {None: 0}
    for body in system.bodies:
        if body.added_inertia or body.modes or is_mapped(body.joint):
            return False
        depth[body.name] = depth[body.parent] + len(body.coordinates)
    return max(depth.values()) >= DEEP


def links(system: System, start: Kinematics) -> list[Link]:
    """List the bodies, each after its parent; ``start`` is the fixed frame."""
    frames: dict[str | None, Kinematics] = {None: start}
    fall, found = system.gravity_vector, []
    for body in system.bodies:
        before = frames[body.parent]
        frame = replace(before, r=NONE, D={}, B={})
        for et in body.joint:
            frame = frame.apply_transformation(et)
        frames[body.name] = replace(frame, r=plus(before.r, frame.r))
        here = replace(frame, r=NONE)
        solids = (terms(body.name, body.inertia, here, fall, ()), *wheels(body, here, fall))
        found.append(Link(body.name, body.parent, frames[body.name], frame.r, solids))
    return found


def gather_wrenches(links: Iterable[Link], own: Mapping[str, Wrench]) -> dict[str, Wrench]:
    """Return for each body the sum of wrenches on it and on all bodies that it carries, about its origin."""
    found = dict(own)
    for link in reversed(list(links)):
        force, moment = found.setdefault(link.name, NOTHING)
        if link.parent is not None:
            before = found.get(link.parent, NOTHING)
            found[link.parent] = plus(before[0], force), plus(before[1], moment, cross(link.arm, force))
    return found


def works(links: Iterable[Link], acting: Mapping[str, Wrench]) -> dict[str, Expression]:
    """Return by coordinate the virtual work, on its displacement, of the wrenches ``acting`` on the moved bodies."""
    listed = list(links)
    whole = gather_wrenches(listed, acting)
    return {
        name: dot(d, whole[link.name][0]) + dot(b, whole[link.name][1])
        for link in listed
        for name, d, b in link.columns
    }


def mass(links: Iterable[Link], names: tuple[str, ...]) -> dict[tuple[str, str], Expression]:
    """Return elements of M by two coordinates, the earlier first: momenta of carried bodies times carriers' columns."""
    listed = {link.name: link for link in links}
    index = {name: i for i, name in enumerate(names)}
    whole: dict[str, Whole] = {}
    found = {}
    for link in reversed(listed.values()):
        parts = [*map(about_origin, link.solids), *filter(None, [whole.pop(link.name, None)])]
        own = reduce(Whole.beside, parts)
        if link.parent is not None:
            seen = own.shift(link.arm)
            whole[link.parent] = whole[link.parent].beside(seen) if link.parent in whole else seen
        columns = list(link.columns)
        for p, (name, d, b) in enumerate(columns):
            at = own.momenta(d, b)
            for other, work in chain(_project_work(columns[: p + 1], at), _inwards(listed, link, at)):
                found[(name, other) if index[name] < index[other] else (other, name)] = work
    return found


def _inwards(links: Mapping[str, Link], link: Link, at: Wrench) -> Iterator[tuple[str, Expression]]:
    """Yield (coordinate, work) on columns of all bodies that carry ``link``, of momenta ``at`` about its origin."""
    momentum, spin = at
    while link.parent is not None:
        spin = plus(spin, cross(link.arm, momentum))
        link = links[link.parent]
        yield from _project_work(link.columns, (momentum, spin))


def _project_work(columns: Iterable[tuple[str, Triple, Triple]], at: Wrench) -> Iterator[tuple[str, Expression]]:
    """Yield (coordinate, work) of the wrench or momenta ``at`` on columns about the same origin."""
    return ((name, dot(d, at[0]) + dot(b, at[1])) for name, d, b in columns)


def about_origin(part: BodyTerms) -> Whole:
    """Express mass properties of a body or flywheel about its link's origin in world axes, J_p as A J Aᵀ."""
    A = part.centre.A
    x, y, z = (to_world(A, part.inertia_times(row)) for row in A)
    J = (x[0], y[1], z[2], x[1], x[2], y[2])
    return Whole(part.inertia.mass, NONE, J).shift(part.centre.r)


def inertial(link: Link) -> Wrench:
    """Compute M W' + K of a body with its flywheels."""
    return _sum_wrench(link, ((part, *part.bias) for part in link.solids))


def weight(link: Link) -> Wrench:
    """Compute the weight of a body with its flywheels."""
    return _sum_wrench(link, ((part, part.weight, NONE) for part in link.solids))


def _sum_wrench(link: Link, acting: Iterable[tuple[BodyTerms, Triple, Triple]]) -> Wrench:
    """Return the resultant about the link's origin of forces (world axes) at mass centres and moments in body axes."""
    force, moment = NOTHING
    for part, push, twist in acting:
        force = plus(force, push)
        moment = plus(moment, to_world(part.centre.A, twist), cross(part.centre.r, push))
    return force, moment


def loads(system: System, links: Iterable[Link]) -> tuple[dict[str, Wrench], Row]:
    """Return sums of loads except weight on each body about its origin, and efforts along coordinates, by name."""
    listed = {link.name: link for link in links}
    found, efforts = forces(system, {None: Kinematics(), **{name: x.frame for name, x in listed.items()}})
    whole: dict[str, Wrench] = {}
    for name, at, push, twist in found:
        if name is not None:
            force, moment = whole.get(name, NOTHING)
            about = plus(moment, to_world(listed[name].frame.A, twist), cross(at, push))
            whole[name] = plus(force, push), about
    return whole, add_shares({name: effort} for name, effort in efforts)


def equations(system: System) -> tuple[Inertial, Acting]:
    """Compute M and k, and Q, of a system without masses on its elements."""
    listed = links(system, Kinematics())
    acting, efforts = loads(system, listed)
    k = works(listed, {link.name: inertial(link) for link in listed})
    gravity = works(listed, {link.name: weight(link) for link in listed})
    applied = add_shares([works(listed, acting), efforts])
    names = system.coordinate_names
    turned = [turning(armature, names) for armature in system.armatures]
    return together([Inertial(mass(listed, names), k), *turned]), Acting(gravity, applied)


def derive_freed_work(system: System) -> tuple[tuple[Expression, ...], ...]:
    """Compute the work on displacements of freed joints, along and about the axes of each body at its origin: k×6.

    A freed joint lets its body and all bodies p carried by it be displaced as one: the work is Σ [M_p (Φ_p q'' + W'_p)
    + K_p - G_p] over them, in the axes of the body.
    """
    listed = links(system, Kinematics(accelerating=True))
    acting, _ = loads(system, listed)
    needed = {}
    for link in listed:
        inertia, down, given = inertial(link), weight(link), acting.get(link.name, NOTHING)
        needed[link.name] = (minus(inertia[0], plus(down[0], given[0])), minus(inertia[1], plus(down[1], given[1])))
    whole, frames = gather_wrenches(listed, needed), {link.name: link.frame for link in listed}
    return tuple(
        to_body(frames[name].A, whole[name][0]) + to_body(frames[name].A, whole[name][1])
        for name in list_jointed_bodies(system)
    )
