"""Applied forces: efforts along coordinates, and wrenches on links at their frames or at nodes.

A wrench [f; n] at a node acts on the link as [f; r_A × f + n] and along its modes as Φ_Aᵀ f + W_Aᵀ n.
"""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.model import Bipolar, Effort, JointEffort, Point, PointForce, System, Wrench
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.force import LENGTH, LENGTH_RATE
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .kinematics import Kinematics
from .passes import Forces
from .scalars import Scalars
from .tree import Place, Tree
from .vectors import Array, cross, dot, join_arrays, scale, times, transpose


def points(system: System) -> Iterator[Point]:
    """Yield the points on which forces act, in the order of the forces."""
    for force in system.forces:
        if isinstance(force, Bipolar):
            yield from (force.first, force.second)
        elif isinstance(force, (PointForce, Wrench)):
            yield force.point


def efforts(system: System, scalars: Scalars) -> dict[str, Array]:
    """Sum efforts by coordinate (N, N m): those of drives and of joint forces."""
    found: dict[str, Array] = {}
    given: list[tuple[str, Expression]] = [
        (c.name, c.drive.value) for c in system.coordinates if isinstance(c.drive, Effort)
    ]
    given += [(f.coordinate, f.expression()) for f in system.forces if isinstance(f, JointEffort)]
    for name, formula in given:
        value = scalars.row([formula])
        found[name] = found[name] + value if name in found else value
    return found


@dataclass(frozen=True, slots=True)
class _Spot:
    """A point at the state: its link, its place, its arm from the node (link axes), world position and velocity."""

    link: int
    place: Place
    number: int
    arm: Array
    position: Array
    velocity: Array


class Wrenches:
    """Wrenches on the links and modal forces; ``number`` is the index of the first point among the attachments."""

    def __init__(
        self, system: System, tree: Tree, k: Kinematics, spots: list[Place], number: int, scalars: Scalars
    ) -> None:
        self.k, self.tree, self.scalars = k, tree, scalars
        zero = k.velocities[0] * 0 if k.velocities else None
        self.joints = [zero for _ in k.links]
        self.modal = [k.v[j][..., : len(link.names)] * 0 for j, link in enumerate(k.links)]
        self.poses: dict[int, tuple[Array, Array]] = {}
        waiting = iter(enumerate(spots, number))
        for force in system.forces:
            if isinstance(force, Bipolar):
                self._bipolar(force, next(waiting), next(waiting))
            elif isinstance(force, (PointForce, Wrench)):
                self._wrench(force, next(waiting))

    @property
    def forces(self) -> Forces:
        """Wrenches of all forces on the links, and their modal forces."""
        return Forces(self.joints, self.modal)

    def _pose(self, link: int) -> tuple[Array, Array]:
        """Return the axes of a link as columns in world axes, and its origin."""
        way = []
        while link >= 0 and link not in self.poses:
            way.append(link)
            link = self.k.links[link].at.link
        for j in reversed(way):
            i = self.k.links[j].at.link
            offset = self.k.nodes.position[j] + self.k.arm[j]
            turn = self.k.turn[j]
            if i >= 0:
                axes, origin = self.poses[i]
                turn, offset = axes @ turn, origin + times(axes, offset)
            self.poses[j] = turn, offset
        return self.poses[way[0] if way else link]

    def _spot(self, item: tuple[int, Place]) -> _Spot:
        """Return the position and motion of a point, in world axes."""
        number, place = item
        shift = self.scalars.row(place.shift, 3)
        if place.link < 0:
            return _Spot(-1, place, number, shift, shift, shift * 0)
        x, V = self.k.nodes, self.k.velocities[place.link]
        arm = times(x.turn[number], shift)
        local = x.position[number] + arm
        spin = V[..., 3:]
        speed = V[..., :3] + cross(spin, local) + x.shifting[number] + cross(x.turning[number], arm)
        axes, origin = self._pose(place.link)
        return _Spot(place.link, place, number, arm, origin + times(axes, local), times(axes, speed))

    def _act(self, spot: _Spot, force: Array, moment: Array | None, follows: bool = False) -> None:
        """Add a force at a spot, in world axes or (``follows``) link axes, and a moment in link axes, to its link."""
        j = spot.link
        if j < 0:
            return
        f = force if follows else times(transpose(self._pose(j)[0]), force)
        n = cross(spot.arm, f)
        if moment is not None:
            n = n + moment
        x = self.k.nodes
        about = cross(x.position[spot.number], f) + n
        self.joints[j] = self.joints[j] + join_arrays([f + 0 * about, about], -1)
        if m := len(self.k.links[j].names):
            moves, turns = (part[spot.number][..., :m] for part in (x.moves, x.turns))
            self.modal[j] = self.modal[j] + times(transpose(moves), f) + times(transpose(turns), n)

    def _wrench(self, force: PointForce | Wrench, item: tuple[int, Place]) -> None:
        spot = self._spot(item)
        if spot.link < 0:
            return
        moment = self._in_link(force, force.moment, spot) if isinstance(force, Wrench) else None
        push = self._in_link(force, force.force, spot) if force.follows else self.scalars.row(force.force, 3)
        self._act(spot, push, moment, force.follows)

    def _in_link(self, force: PointForce | Wrench, own: Vector, spot: _Spot) -> Array:
        """Express a vector, given in the axes of the force's body, in the axes of the link."""
        place = self.tree.places[force.point.body]
        found = self.scalars.row(place.direction(own), 3)
        # a body that is fixed to a section turns with it
        return found if place.node is None else times(self.k.nodes.turn[spot.number], found)

    def _bipolar(self, force: Bipolar, first: tuple[int, Place], second: tuple[int, Place]) -> None:
        """Apply a force along the line between two points, positive when it pushes them apart."""
        one, other = self._spot(first), self._spot(second)
        if one.link < 0 and other.link < 0:
            return
        line = other.position - one.position
        squared = dot(line, line)
        if isinstance(squared, Expression) and squared.constant and not squared:
            place = f"forces/{force.name}"
            raise FormalismError(error(place, "its two points always coincide: there is no line along which to act"))
        length = squared**0.5
        along = scale(line, 1 / length)
        rate = dot(along, other.velocity - one.velocity)
        proportional = force.force_per_length(LENGTH, LENGTH_RATE)
        law = force.force(LENGTH, LENGTH_RATE) if proportional is None else proportional
        given = {LENGTH.data: length, LENGTH_RATE.data: rate}
        value = self.scalars.row([law], given=given)
        push = scale(along if proportional is None else line, value)
        self._act(one, -push, None)
        self._act(other, push, None)
