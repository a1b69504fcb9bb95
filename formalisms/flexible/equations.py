"""The canonical quantities of a system, in any arithmetic, from the passes in their order.

Armatures: rotors that turn with joints and modes, with inertia along their coordinates alone.

The inertia of a rotor on one joint is added to a_jᵀ K_j a_j in the paper's Z_j. A rotor on a mode, or on several
coordinates, with inertia a and coefficients c changes the solution x to x - z a (cᵀ x) / (1 + a cᵀ z) (Sherman &
Morrison 1950), where z is the response to efforts c at rest without other forces.

Applied forces: efforts along coordinates, and wrenches on links at their frames or at nodes.

A wrench [f; n] at a node acts on the link as [f; r_A × f + n] and along its modes as Φ_Aᵀ f + W_Aᵀ n.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from mbconcord.model import Bipolar, Effort, JointEffort, Point, PointForce, System, Wrench
from mbconcord.model import Motion as Imposed
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.force import LENGTH, LENGTH_RATE
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from . import passes, recursion
from .kinematics import Joints, Kinematics, at_rest, joints_of
from .links import Inertias, Shapes, inertias, shapes_of
from .passes import Forces
from .tree import Attachment, Place, Tree, tree_of
from .vectors import Array, Scalars, cross, dot, join_arrays, scale, times, transpose


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


#: Numbers by the names of coordinates.
Along = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Rotor:
    """An armature: its inertia a, and its coefficients c by coordinate."""

    inertia: Array
    c: Along

    def turning(self, x: Along) -> Array:
        """Return c · x for values x by coordinate."""
        first, *rest = (c * x[name] for name, c in self.c.items())
        return sum(rest, first)


@dataclass(frozen=True, slots=True)
class Response:
    """Response to loads: accelerations by coordinate, and efforts of the drives that impose accelerations."""

    accelerations: Along
    drives: Along

    def less(self, other: Response, share: Array) -> Response:
        """Subtract a share of another response from this one."""
        return Response(
            *(
                {name: x - share * rest[name] for name, x in own.items()}
                for own, rest in ((self.accelerations, other.accelerations), (self.drives, other.drives))
            )
        )


def rotors_of(system: System, scalars: Scalars) -> list[Rotor]:
    """Return the armatures of a system in the given arithmetic."""
    return [
        Rotor(scalars.row([x.inertia]), {name: scalars.row([c]) for name, c in x.coefficients.items()})
        for x in system.armatures
    ]


def own_of(rotors: Sequence[Rotor], joints: Collection[str | None]) -> tuple[dict[str, Array], list[Rotor]]:
    """Return the inertias a c² by coordinate of armatures on single joints, and the list of the other armatures."""
    single: dict[str, Array] = {}
    others = []
    for rotor in rotors:
        name = next(iter(rotor.c))
        if len(rotor.c) > 1 or name not in joints:
            others.append(rotor)
            continue
        own = rotor.inertia * (rotor.c[name] * rotor.c[name])
        single[name] = single[name] + own if name in single else own
    return single, others


def couple_armatures(free: Response, rotors: Sequence[Rotor], response: Callable[[Along], Response]) -> Response:
    """Return the response ``free``, computed without these armatures, with their effect added."""
    waiting = [response(rotor.c) for rotor in rotors]
    found = free
    for k, rotor in enumerate(rotors):
        own = waiting[k]
        part = rotor.inertia / (1 + rotor.inertia * rotor.turning(own.accelerations))
        found = found.less(own, part * rotor.turning(found.accelerations))
        later = [x.less(own, part * rotor.turning(x.accelerations)) for x in waiting[k + 1 :]]
        waiting[k + 1 :] = later
    return found


class Machine:
    """A system as links with its constants in an arithmetic: the data that do not depend on the state."""

    def __init__(self, system: System, scalars: Scalars, tree: Tree | None = None) -> None:
        self.system = system
        self.tree = tree or tree_of(system)
        self.links = self.tree.links
        self.spots: list[Place] = [self.tree.locate(p) for p in points(system)]
        self.attachments: list[Attachment] = [link.at for link in self.links]
        self.attachments += [spot.attachment for spot in self.spots]
        self.joints: Joints = joints_of(self.links, self.attachments, scalars)
        self.shapes: Shapes = shapes_of(self.links, scalars)
        self.g: Array = scalars.row(system.gravity_vector, 3)


class Equations:
    """Equations of motion at a state; every quantity is computed on first use."""

    def __init__(self, machine: Machine, scalars: Scalars, frozen: bool = False) -> None:
        self.machine, self.system, self.links = machine, machine.system, machine.links
        self.scalars, self.frozen = scalars, frozen
        self.names = self.system.coordinate_names
        self.k = Kinematics(machine.links, machine.attachments, machine.joints, scalars)

    @cached_property
    def J(self) -> Inertias:
        """Inertia and velocity forces of every link."""
        k = self.k
        return inertias(self.machine.shapes, k.q, k.v, k.spin, self.frozen)

    @cached_property
    def imposed_accelerations(self) -> dict[str, Array]:
        """Accelerations that drives impose (χ = 1 in the paper), by coordinate."""
        return {
            c.name: self.scalars.row([c.drive.acceleration])
            for c in self.system.coordinates
            if isinstance(c.drive, Imposed)
        }

    @cached_property
    def efforts(self) -> Mapping[str, Array]:
        """Efforts of drives and of joint forces, by coordinate."""
        return efforts(self.system, self.scalars)

    @cached_property
    def wrenches(self) -> Wrenches:
        """Wrenches of forces on the links."""
        x = self.machine
        return Wrenches(self.system, x.tree, self.k, x.spots, len(x.links), self.scalars)

    @cached_property
    def elastic(self) -> list[Array]:
        """Modal forces K_e q^e + D_e q̇^e of stiffness and damping, of every link."""
        x, k = self.machine.shapes, self.k
        if not x.modes:
            return list(k.v)
        found = times(x.stiffness, k.q) + times(x.damping, k.v)
        return [found[j][..., : len(link.names)] for j, link in enumerate(self.links)]

    @cached_property
    def zero(self) -> Array:
        """The number zero."""
        return self.machine.g[..., 0][()] * 0

    @cached_property
    def still(self) -> Array:
        """Acceleration V̇_0 of the base without gravity: zero."""
        return join_arrays([self.machine.g * 0, self.machine.g * 0], -1)

    @cached_property
    def base(self) -> Array:
        """Acceleration V̇_0 = [-g; 0] of the base, which stands for weight."""
        return join_arrays([-self.machine.g, self.machine.g * 0], -1)

    def _known_acceleration(self, j: int) -> Array | None:
        """Return the prescribed acceleration of a link that no coordinate moves, or None."""
        link = self.links[j]
        if link.name is not None or not any(link.axis):
            return None
        return self._prescribed_accelerations[j]

    @cached_property
    def _prescribed_accelerations(self) -> Array:
        return self.scalars.table([[link.acceleration] for link in self.links])

    def _own(self, j: int, moving: bool) -> Array:
        """Return h_j + a_j q̈_j; q̈_j of a coordinate counts as zero unless ``moving``."""
        acceleration = self._prescribed_accelerations[j] if moving else self._known_acceleration(j)
        h = self.k.bias[j]
        return h if acceleration is None else h + scale(self.k.joints.screw[j], acceleration)

    def _velocity_forces(self) -> passes.Forces:
        J = self.J
        return passes.Forces(
            [J.r[j] for j in range(len(self.links))],
            [J.e[j][..., : len(link.names)] for j, link in enumerate(self.links)],
        )

    @cached_property
    def h(self) -> list[Array]:
        """Inverse dynamics with q̈ = 0 and no forces."""
        A = passes.outward(self.k, self.still, lambda j: self._own(j, False))
        own = passes.inertial(self.k, self.J, A)
        return self._project_forces(passes.inward(self.k, _sum(own, self._velocity_forces())))

    @cached_property
    def gravity(self) -> list[Array]:
        """Forces of weight."""
        return self._project_forces(passes.inward(self.k, passes.weights(self.k, self.J, self.machine.g)))

    @cached_property
    def applied(self) -> list[Array]:
        """Generalized forces of drives, joint efforts, forces, wrenches, and stiffness and damping of the modes."""
        loads = self.wrenches.forces
        modal = [g - e for g, e in zip(loads.modal, self.elastic, strict=True)]
        found = self._project_forces(passes.inward(self.k, passes.Forces(loads.joints, modal)))
        return [x + self.efforts[n] if n in self.efforts else x for n, x in zip(self.names, found, strict=True)]

    @cached_property
    def resisting(self) -> passes.Forces:
        """C_r, C_e of (1): velocity forces plus elastic forces minus applied forces."""
        C, loads = self._velocity_forces(), self.wrenches.forces
        modal = []
        for j, link in enumerate(self.links):
            e = C.modal[j] + self.elastic[j] - loads.modal[j]
            if any(n in self.efforts for n in link.names):
                e = e - self._stack_modal_efforts(link.names, self.efforts)
            modal.append(e)
        return passes.Forces([a - b for a, b in zip(C.joints, loads.joints, strict=True)], modal)

    @cached_property
    def required_forces(self) -> passes.Forces:
        """Joint wrenches F_j and modal forces that the given accelerations need."""
        A = passes.outward(self.k, self.base, lambda j: self._own(j, True), modal=True)
        own = passes.inertial(self.k, self.J, A, modal=True)
        return passes.inward(self.k, _sum(own, self.resisting))

    @cached_property
    def inverse_dynamics(self) -> list[Array]:
        """Inverse dynamics M q̈ + h - gravity - applied, by one outward and one inward sweep."""
        joints = {link.name for link in self.links}
        found = dict(zip(self.names, self._project_forces(self.required_forces), strict=True))
        for rotor in self.rotors:
            push = rotor.inertia * rotor.turning(self.given_accelerations)
            for name, c in rotor.c.items():
                found[name] = found[name] + c * push
        return [x - self.efforts[n] if n in self.efforts and n in joints else x for n, x in found.items()]

    @cached_property
    def rotors(self) -> list[Rotor]:
        """Armatures."""
        return rotors_of(self.system, self.scalars)

    @property
    def given_accelerations(self) -> dict[str, Array]:
        """Values of q̈ at the state, by coordinate."""
        found = {
            link.name: self._prescribed_accelerations[j] for j, link in enumerate(self.links) if link.name is not None
        }
        for j, link in enumerate(self.links):
            found |= {name: self.k.a[j][..., m][()] for m, name in enumerate(link.names)}
        return found

    @cached_property
    def mass_matrix(self) -> list[list[Array]]:
        """Rows of the mass matrix M, by composite links."""
        index = {name: i for i, name in enumerate(self.names)}
        M = [[self.zero for _ in self.names] for _ in self.names]

        def put(row: str, column: str, value: Array) -> None:
            M[index[row]][index[column]] = M[index[column]][index[row]] = value

        passes.mass_matrix(self.k, passes.composites(self.k, self.J), put)
        for rotor in self.rotors:
            for row, c in rotor.c.items():
                for column, d in rotor.c.items():
                    M[index[row]][index[column]] = M[index[row]][index[column]] + rotor.inertia * (c * d)
        return M

    @cached_property
    def motion(self) -> recursion.Motion:
        """Solution of the mixed problem for accelerations and efforts, by an inward and an outward sweep."""
        tau: list[Array | None] = []
        given: list[Array | None] = []
        for j, link in enumerate(self.links):
            imposed = self._known_acceleration(j) if link.name is None else self.imposed_accelerations.get(link.name)
            given.append(imposed)
            free = link.name is not None and imposed is None
            tau.append(self.efforts.get(link.name or "", self.zero) if free else None)
        bent = [
            {
                m: self.imposed_accelerations[name]
                for m, name in enumerate(link.names)
                if name in self.imposed_accelerations
            }
            for link in self.links
        ]
        C = self.resisting
        found = recursion.inwards(self.k, self.J, C.joints, C.modal, tau, given, bent, self._reflected_inertias)
        return recursion.outwards(self.k, found, self.base, tau, given, bent)

    @cached_property
    def accelerations(self) -> list[Array]:
        """q̈ of all coordinates."""
        return [self.solution.accelerations[name] for name in self.names]

    @property
    def drives(self) -> Mapping[str, Array]:
        """Efforts of the drives that impose accelerations, in addition to the other efforts, by coordinate."""
        return self.solution.drives

    @cached_property
    def solution(self) -> Response:
        """Solution of the mixed problem, with armatures of several coordinates and of modes added."""
        free = self._response(self.motion, self.efforts, self.imposed_accelerations)
        return couple_armatures(free, self._own_rotors[1], self._respond_to_efforts) if self.rotors else free

    @cached_property
    def _own_rotors(self) -> tuple[dict[str, Array], list[Rotor]]:
        return own_of(self.rotors, [link.name for link in self.links])

    @property
    def _reflected_inertias(self) -> dict[int, Array]:
        """Moments of inertia of armatures along joints, by link."""
        own = self._own_rotors[0]
        return {j: own[link.name] for j, link in enumerate(self.links) if link.name in own}

    def _respond_to_efforts(self, efforts: Mapping[str, Array]) -> Response:
        """Compute the response of the links at rest to efforts alone."""
        none = dict.fromkeys(self.imposed_accelerations, self.zero)
        tau: list[Array | None] = []
        given: list[Array | None] = []
        for link in self.links:
            free = link.name is not None and link.name not in none
            tau.append(efforts.get(link.name or "", self.zero) if free else None)
            given.append(None if free or (link.name is None and not any(link.axis)) else self.zero)
        bent = [{m: self.zero for m, name in enumerate(link.names) if name in none} for link in self.links]
        modal = [-1 * self._stack_modal_efforts(link.names, efforts) for link in self.links]
        k, joints = at_rest(self.k), [0 * F for F in self.resisting.joints]
        found = recursion.inwards(k, self.J, joints, modal, tau, given, bent, self._reflected_inertias)
        return self._response(recursion.outwards(k, found, self.still, tau, given, bent), efforts, none)

    def _stack_modal_efforts(self, names: Sequence[str], efforts: Mapping[str, Array]) -> Array:
        """Stack efforts along the modes of a link (…, N)."""
        if not names:
            return self.still[..., :0]
        return np.stack(np.broadcast_arrays(*(efforts.get(n, self.zero) for n in names)), axis=-1)

    def _response(
        self, motion: recursion.Motion, efforts: Mapping[str, Array], imposed: Mapping[str, Array]
    ) -> Response:
        """Return accelerations by coordinate, and efforts of drives that impose some, in addition to ``efforts``."""
        own = self._own_rotors[0]
        drives: dict[str, Array] = {}
        for j, link in enumerate(self.links):
            if link.name is not None and link.name in imposed:
                needed = motion.efforts[j] - efforts.get(link.name, self.zero)
                drives[link.name] = needed + own[link.name] * imposed[link.name] if link.name in own else needed
            drives |= {link.names[m]: value for m, value in motion.resisted[j].items()}
        found = self._order_by_coordinate(motion.accelerations, motion.modal)
        return Response(dict(zip(self.names, found, strict=True)), drives)

    @property
    def drives_of_all(self) -> list[Array]:
        """Efforts :attr:`drives` in the order of the coordinates; zero where no drive imposes an acceleration."""
        return [self.drives.get(name, self.zero) for name in self.names]

    def _project_forces(self, forces: passes.Forces) -> list[Array]:
        """Compute a_jᵀ F_j and the forces along the modes, in the order of the coordinates."""
        joints = [dot(self.k.joints.screw[j], F) for j, F in enumerate(forces.joints)]
        return self._order_by_coordinate(joints, forces.modal)

    def _order_by_coordinate(self, joints: list[Array], modal: list[Array]) -> list[Array]:
        found: dict[str, Array] = {}
        for j, link in enumerate(self.links):
            if link.name is not None:
                found[link.name] = joints[j]
            found |= {name: modal[j][..., m][()] for m, name in enumerate(link.names)}
        return [found[name] for name in self.names]


def _sum(a: passes.Forces, b: passes.Forces) -> passes.Forces:
    return passes.Forces(
        [x + y for x, y in zip(a.joints, b.joints, strict=True)], [x + y for x, y in zip(a.modal, b.modal, strict=True)]
    )
