"""The canonical quantities of a system, in any arithmetic, from the passes in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from mbconcord.model import Motion as Imposed
from mbconcord.model import System

from . import passes, recursion
from .armatures import Response, Rotor, couple_armatures, own_of, rotors_of
from .kinematics import Joints, Kinematics, at_rest, joints_of
from .links import Inertias, Shapes, inertias, shapes_of
from .loads import Wrenches, efforts, points
from .scalars import Scalars
from .tree import Attachment, Place, Tree, tree_of
from .vectors import Array, dot, join_arrays, scale, times


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
