"""External loads: forces on each link other than weight, and generalized forces along the coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from mbconcord.model import Bipolar, JointEffort, PointForce, System, Wrench
from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import ONE, ZERO, Expression, sqrt
from mbconcord.model.force import Point
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .tree import GROUND, Tree
from .vectors import NULL, E, Matrix, apply, cross, dot, minus, plus, product, times


@dataclass(frozen=True)
class Load:
    """A force on a link and a couple.

    Attributes
    ----------
    link : number of the link
    arm : O P from the link's pole to the point of application, link axes (m)
    force : F_r, fixed axes (N)
    couple : M_o, link axes (N m)
    """

    link: int
    arm: Vector
    force: Vector
    couple: Vector = NULL


@dataclass(frozen=True)
class Place:
    """Position and motion of a link's pole and axes in fixed axes."""

    O: Vector  # noqa: E741
    A: Matrix
    v: Vector = NULL
    omega: Vector = NULL


class Places:
    """Positions and velocities of the links, computed on first use."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._found = {GROUND: Place(NULL, E)}

    def __getitem__(self, k: int) -> Place:
        """Return the place of a link."""
        wanted = [k]
        while wanted[-1] not in self._found:
            wanted.append(self.tree.links[wanted[-1]].base)
        for i in reversed(wanted[:-1]):
            self._found[i] = self._next(i)
        return self._found[k]

    def origin(self, body: str) -> Vector:
        """Return the origin of a body's frame in fixed axes (m)."""
        mount = self.tree.mounts[body]
        place = self[mount.link]
        return plus(place.O, apply(place.A, mount.position))

    def _next(self, k: int) -> Place:
        """Compute O_k = O_b + A_b R, A_k = A_b A(q), v_k = v_b + ω_b × A_b R (+ q' n), ω_k = ω_b (+ q' n)."""
        link = self.tree.links[k]
        base = self._found[link.base]
        R, n = apply(base.A, link.R), apply(base.A, link.direction)
        v, omega = plus(base.v, cross(base.omega, R)), base.omega
        if link.turns:
            omega = plus(omega, times(link.rate, n))
        else:
            v = plus(v, times(link.rate, n))
        return Place(plus(base.O, R), product(base.A, link.rotation), v, omega)


@dataclass(frozen=True)
class Loads:
    """All loads of a system on the links of its tree."""

    system: System
    tree: Tree
    places: Places

    @cached_property
    def efforts(self) -> Mapping[str, Expression]:
        """Drives and joint efforts by coordinate."""
        total = dict.fromkeys(self.system.coordinate_names, ZERO)
        for c in self.system.coordinates:
            if isinstance(c.drive, Effort):
                total[c.name] += c.drive.value
        for force in self.system.forces:
            if isinstance(force, JointEffort):
                total[force.coordinate] += force.expression()
        return total

    @cached_property
    def external(self) -> tuple[Load, ...]:
        """Point forces, wrenches, and both ends of bipolar forces; without those that act on the ground."""
        found: list[Load] = []
        for force in self.system.forces:
            if isinstance(force, Bipolar):
                found += self._bipolar(force)
            elif isinstance(force, (PointForce, Wrench)):
                mount = self.tree.mounts[force.point.body]
                couple = NULL if isinstance(force, PointForce) else apply(mount.orientation, force.moment)
                push = force.force
                if force.follows:
                    push = apply(self.places[mount.link].A, apply(mount.orientation, push))
                found.append(Load(mount.link, mount.point(force.point.position), push, couple))
        return tuple(load for load in found if load.link != GROUND)

    def _bipolar(self, force: Bipolar) -> tuple[Load, ...]:
        """Return forces ±F along the line of two points (F > 0 pushes them apart); empty if both are on one link."""
        (a, arm_a, v_a), (b, arm_b, v_b) = self._end(force.first), self._end(force.second)
        if a == b:
            return ()
        d = minus(self._position(b, arm_b), self._position(a, arm_a))
        length = sqrt(dot(d, d))
        rate = dot(d, minus(v_b, v_a)) / length
        per_metre = force.force_per_length(length, rate)
        push = times(force.force(length, rate) / length if per_metre is None else per_metre, d)
        return Load(a, arm_a, times(-ONE, push)), Load(b, arm_b, push)

    def _end(self, point: Point) -> tuple[int, Vector, Vector]:
        mount = self.tree.mounts[point.body]
        arm = mount.point(point.position)
        place = self.places[mount.link]
        return mount.link, arm, plus(place.v, cross(place.omega, apply(place.A, arm)))

    def _position(self, k: int, arm: Vector) -> Vector:
        place = self.places[k]
        return plus(place.O, apply(place.A, arm))
