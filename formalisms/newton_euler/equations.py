"""The canonical quantities of a system, in any arithmetic: the passes in their order.

Forces in joints: the wrenches transmitted by the inward pass, at the origin and in the axes of each body.

For them, links keep their own masses: regrouped masses give the same equations, but other forces in the joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from mbconcord.model import Motion as Imposed
from mbconcord.model import System
from mbconcord.model.expressions import Expression
from mbconcord.model.joint_forces import list_jointed_bodies

from . import articulated, outward
from .armatures import Response, Rotor, add_to, couple_armatures, resisting, rotors_of, sum_reflected_inertias
from .links import Link, Mass
from .loads import Loads, loads
from .mass_matrix import MassMatrix, composites, mass_matrix
from .outward import Wrench
from .scalars import Graph, Scalars
from .sliding import slid
from .tree import tree_of
from .vectors import NEXT, Number, Vector, apply, cross, minus, symmetric, transpose, triple

# Regrouping of mass properties: those without effect on a joint are moved to the link before it.
#
# A revolute joint does not notice a mass on its axis, nor a needle along it: they lie still in the parent link,
# and may as well belong to it. A prismatic joint does not notice a tensor of inertia without a mass. Handing
# these over from the tips to the base leaves a link between revolute joints without mass, without a first
# moment along its axis and with one moment of inertia less: the minimal inertial parameters. The equations of
# motion remain the same, exactly; only the forces inside a joint, which do no work, become those of another
# machine. Gautier & Khalil 1990; Khalil & Kleinfinger 1987.


def regroup_links(links: Sequence[Link]) -> list[Link]:
    """Return the links with minimal inertial parameters; no mass is moved to a link without inertia."""
    masses = [link.mass for link in links]
    for i in range(len(links) - 1, -1, -1):
        link = links[i]
        if not link.bears or (link.parent >= 0 and not links[link.parent].bears):
            continue
        masses[i], unfelt = split_mass(masses[i], link.axis, link.revolute)
        if link.parent >= 0:
            masses[link.parent] = masses[link.parent].plus(unfelt.change_axes(link.turn).shift(link.shift))
    return [replace(link, mass=mass) for link, mass in zip(links, masses, strict=True)]


def split_mass(mass: Mass, axis: int, revolute: bool) -> tuple[Mass, Mass]:
    """Split mass properties into those that a joint with that axis feels and those that it does not.

    Revolute, axis z: mass, first moment along z and a needle diag(Jyy, Jyy, 0) have no effect, which leaves diag(Jxx -
    Jyy, 0, Jzz) and the products of inertia. Prismatic: the tensor has no effect.
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


Wrenches = list[outward.Wrench | None]


class Equations:
    """Equations of motion by recursion over the links; every quantity is computed on first use.

    ``regroup``: True if links get minimal inertial parameters, which change no quantity except the forces that joints
    transmit.
    """

    def __init__(self, system: System, scalars: Scalars, regroup: bool = True) -> None:
        self.system = system
        self.scalars = scalars
        self.tree = slid(tree_of(system))
        numbers = iter(scalars.to_scalars([x for link in self.tree.links for x in link.scalars()]))
        links = [link.with_scalars(numbers) for link in self.tree.links]
        self.links: list[Link] = regroup_links(links) if regroup else links
        self.zero = o = scalars.zero
        self.still: Vector = (o, o, o)
        self.count = len(system.coordinates)
        x, y, z = scalars.to_scalars(system.gravity_vector)
        self.g: Vector = (o + x, o + y, o + z)

    @cached_property
    def velocities(self) -> list[Vector]:
        """Angular velocities of the links (rad/s, link axes)."""
        return outward.angular_velocities(self.links, self.still)

    @cached_property
    def loads(self) -> Loads:
        """Applied forces."""
        return loads(self.system, self.tree, self.links, self.velocities, self.scalars)

    @cached_property
    def base(self) -> outward.Motion:
        """Motion of the fixed frame: at rest, with the acceleration -g in place of weight."""
        return outward.resting(self.still, (-self.g[0], -self.g[1], -self.g[2]))

    @property
    def positions(self) -> list[Vector]:
        """Origins of the bodies' frames (m, world axes)."""
        names = [body.name for body in self.system.bodies]
        return outward.positions(self.tree, self.links, names, self.scalars)

    # Inverse dynamics.

    @cached_property
    def motions(self) -> list[outward.Motion]:
        """Motions of the links for given q'', weight included."""
        return outward.motions(self.links, self.velocities, [x.acceleration for x in self.links], self.base)

    @cached_property
    def joint_wrenches(self) -> Wrenches:
        """Wrench that each joint transmits to its link, for given q''."""
        return outward.transmit_wrenches(self.links, self._less_loads(self._inertial(self.motions)))

    @cached_property
    def inverse_dynamics(self) -> list[Number]:
        """Generalized forces for given q'': M q'' + h - gravity - applied, by one outward and one inward sweep."""
        found = [n - e for n, e in zip(self._project_wrenches(self.joint_wrenches), self.loads.efforts, strict=True)]
        return resisting(self.rotors, self.accelerations, found) if self.rotors else found

    @cached_property
    def rotors(self) -> list[Rotor]:
        """Armatures."""
        return rotors_of(self.system, self.scalars)

    @property
    def accelerations(self) -> list[Number]:
        """The given q''."""
        found = [self.zero] * self.count
        for link in self.links:
            if link.coordinate is not None:
                found[link.coordinate] = link.acceleration
        return found

    # Its parts.

    @cached_property
    def coasting(self) -> list[outward.Motion]:
        """Motions of the links with q'' = 0, without weight."""
        imposed = [self.zero if x.coordinate is not None else x.acceleration for x in self.links]
        return outward.motions(self.links, self.velocities, imposed, outward.resting(self.still, self.still))

    @cached_property
    def velocity_forces(self) -> Wrenches:
        """Wrenches in the joints due to velocities and prescribed motions."""
        return outward.transmit_wrenches(self.links, self._inertial(self.coasting))

    @cached_property
    def h(self) -> list[Number]:
        """Bias forces of velocities and prescribed motions: inverse dynamics with q'' = 0 and no forces."""
        return self._project_wrenches(self.velocity_forces)

    @cached_property
    def falling(self) -> list[Vector]:
        """Gravity in the axes of the links."""
        g: list[Vector] = []
        for link in self.links:
            g.append(link.outward(g[link.parent] if link.parent >= 0 else self.g))
        return g

    @cached_property
    def weights(self) -> Wrenches:
        """Wrench in each joint due to weight."""
        own = [outward.weight(x.mass, g) for x, g in zip(self.links, self.falling, strict=True)]
        return outward.transmit_wrenches(self.links, own)

    @cached_property
    def gravity(self) -> list[Number]:
        """Generalized forces of weight."""
        return self._project_wrenches(self.weights)

    @cached_property
    def applied_wrenches(self) -> Wrenches:
        """Wrench in each joint due to applied wrenches."""
        return outward.transmit_wrenches(self.links, self.loads.wrenches)

    @cached_property
    def applied(self) -> list[Number]:
        """Generalized forces of drives, joint efforts, bipolar and point forces and wrenches."""
        return [a + e for a, e in zip(self._project_wrenches(self.applied_wrenches), self.loads.efforts, strict=True)]

    # Mass matrix and forward dynamics.

    @cached_property
    def composites(self) -> list[Mass]:
        """Mass properties of each link together with all links it carries, as one body."""
        return composites(self.links)

    @cached_property
    def mass_matrix(self) -> MassMatrix:
        """Mass matrix M, with the forces of unit accelerations."""
        found = mass_matrix(self.links, self.composites, self.count, self.scalars)
        add_to(found.matrix, self.rotors)
        return found

    @cached_property
    def forward(self) -> articulated.ForwardDynamics:
        """Forward dynamics by articulated bodies; where drives impose accelerations, their efforts are solved for."""
        coasting = [outward.coasting(w, self.still) for w in self.velocities]
        needed = self._less_loads(self._inertial(coasting))
        efforts, own = self.loads.efforts, sum_reflected_inertias(self.rotors)
        found = articulated.forward(
            self.links, self.velocities, needed, efforts, self.base, self.imposed_accelerations, own
        )
        whole = couple_armatures(Response(found.accelerations, found.drives), self.rotors, self._response)
        return replace(found, accelerations=whole.accelerations, drives=whole.drives)

    def _response(self, efforts: Mapping[int, Number]) -> Response:
        """Compute the response of joints at rest to efforts alone, without weight and armatures of several joints."""
        still = [replace(link, acceleration=self.zero) for link in self.links]
        nothing = [(self.still, self.still)] * len(still)
        given = dict.fromkeys(self.imposed_accelerations, self.zero)
        pushed = [efforts.get(i, self.zero) for i in range(self.count)]
        base, own = outward.resting(self.still, self.still), sum_reflected_inertias(self.rotors)
        found = articulated.forward(still, [self.still] * len(still), nothing, pushed, base, given, own)
        return Response(found.accelerations, found.drives)

    @cached_property
    def imposed_accelerations(self) -> dict[int, Number]:
        """Accelerations that drives impose, by coordinate."""
        drives = ((i, c.drive) for i, c in enumerate(self.system.coordinates))
        given = {i: drive.acceleration for i, drive in drives if isinstance(drive, Imposed)}
        return dict(zip(given, self.scalars.to_scalars([*given.values()]), strict=True))

    @property
    def efforts(self) -> list[Number]:
        """Efforts of the drives that impose accelerations; zero along the other coordinates."""
        return [self.forward.drives.get(i, self.zero) for i in range(self.count)]

    def _inertial(self, motions: list[outward.Motion]) -> list[outward.Wrench]:
        return [outward.inertial(x.mass, m) for x, m in zip(self.links, motions, strict=True)]

    def _less_loads(self, own: list[outward.Wrench]) -> list[outward.Wrench]:
        return [outward.less(w, load) for w, load in zip(own, self.loads.wrenches, strict=True)]

    def _project_wrenches(self, wrenches: Wrenches) -> list[Number]:
        return outward.along_joints(self.links, wrenches, self.count, self.zero)


def joint_forces(system: System) -> tuple[tuple[Expression, ...], ...]:
    """Derive the force (N) and moment (N m) in the joint of each moving body, at its origin and in its axes: k×6."""
    own = Equations(system, Graph(), regroup=False)
    return tuple(
        at_body(own, name, own.joint_wrenches[own.tree.places[name].link]) for name in list_jointed_bodies(system)
    )


def at_body(own: Equations, name: str, transmitted: Wrench | None) -> tuple[Number, ...]:
    """Express the wrench transmitted to a body's link at the origin and in the axes of its frame: six numbers.

    With r and T the origin and the orientation of the body's frame in its link: f_b = Tᵀ f, n_b = Tᵀ (n - r × f).
    """
    place, of = own.tree.places[name], own.scalars.to_scalars
    force, moment = transmitted or (own.still, own.still)
    about = minus(moment, cross(triple(of(place.shift)), force))
    if not place.turn:
        return (*force, *about)
    rows = [triple(of(row)) for row in transpose(place.turn)]
    back = rows[0], rows[1], rows[2]
    return (*apply(back, force), *apply(back, about))
