"""The canonical quantities of a system, in whatever arithmetic: the passes in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from mbconcord.model import Motion as Imposed
from mbconcord.model import System

from . import articulated, inward, outward
from .armatures import Response, Rotor, add_to, coupled, reflected, resisting, rotors_of
from .links import Link
from .loads import Loads, loads
from .mass import Mass
from .mass_matrix import MassMatrix, composites, mass_matrix
from .positions import positions
from .regrouping import regrouped
from .scalars import Scalars
from .sliding import slid
from .tree import tree_of
from .vectors import Number, Vector

Wrenches = list[inward.Wrench | None]


class Equations:
    """Equations of motion by recursion over the links; every quantity is computed when it is asked for.

    ``regroup``: whether the links have their minimal inertial parameters, which leaves all but the forces inside the
    joints as they are.
    """

    def __init__(self, system: System, scalars: Scalars, regroup: bool = True) -> None:
        self.system = system
        self.scalars = scalars
        self.tree = slid(tree_of(system))
        numbers = iter(scalars.of([x for link in self.tree.links for x in link.scalars()]))
        links = [link.filled(numbers) for link in self.tree.links]
        self.links: list[Link] = regrouped(links) if regroup else links
        self.zero = o = scalars.zero
        self.still: Vector = (o, o, o)
        self.count = len(system.coordinates)
        x, y, z = scalars.of(system.gravity_vector)
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
        """The fixed frame with the acceleration -g."""
        return outward.resting(self.still, (-self.g[0], -self.g[1], -self.g[2]))

    @property
    def positions(self) -> list[Vector]:
        """Origins of the bodies' frames (m, world axes)."""
        names = [body.name for body in self.system.bodies]
        return positions(self.tree, self.links, names, self.scalars)

    # Inverse dynamics.

    @cached_property
    def motions(self) -> list[outward.Motion]:
        """Motions of the links for given q'', weight included."""
        return outward.motions(self.links, self.velocities, [x.acceleration for x in self.links], self.base)

    @cached_property
    def transmitted(self) -> Wrenches:
        """What each joint transmits to its link, for given q''."""
        return inward.transmitted(self.links, self._less_loads(self._inertial(self.motions)))

    @cached_property
    def inverse_dynamics(self) -> list[Number]:
        """Generalized forces for given q'': M q'' + h - gravity - applied, in one sweep out and one in."""
        found = [n - e for n, e in zip(self._along(self.transmitted), self.loads.efforts, strict=True)]
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
        """What the joints transmit for velocities and prescribed motions."""
        return inward.transmitted(self.links, self._inertial(self.coasting))

    @cached_property
    def h(self) -> list[Number]:
        """What velocities and prescribed motions need: inverse dynamics with q'' = 0 and no forces."""
        return self._along(self.velocity_forces)

    @cached_property
    def falling(self) -> list[Vector]:
        """Gravity in the axes of the links."""
        g: list[Vector] = []
        for link in self.links:
            g.append(link.outward(g[link.parent] if link.parent >= 0 else self.g))
        return g

    @cached_property
    def weights(self) -> Wrenches:
        """What weight brings to each joint."""
        own = [inward.weight(x.mass, g) for x, g in zip(self.links, self.falling, strict=True)]
        return inward.transmitted(self.links, own)

    @cached_property
    def gravity(self) -> list[Number]:
        """Generalized forces of weight."""
        return self._along(self.weights)

    @cached_property
    def applied_wrenches(self) -> Wrenches:
        """What applied wrenches bring to each joint."""
        return inward.transmitted(self.links, self.loads.wrenches)

    @cached_property
    def applied(self) -> list[Number]:
        """Generalized forces of drives, joint efforts, bipolar and point forces and wrenches."""
        return [a + e for a, e in zip(self._along(self.applied_wrenches), self.loads.efforts, strict=True)]

    # Mass matrix and forward dynamics.

    @cached_property
    def composites(self) -> list[Mass]:
        """Each link with all it carries as one body."""
        return composites(self.links)

    @cached_property
    def mass_matrix(self) -> MassMatrix:
        """M, with the forces of unit accelerations."""
        found = mass_matrix(self.links, self.composites, self.count, self.scalars)
        add_to(found.matrix, self.rotors)
        return found

    @cached_property
    def forward(self) -> articulated.ForwardDynamics:
        """Forward dynamics by articulated bodies; the mixed problem where drives impose accelerations."""
        coasting = [outward.coasting(w, self.still) for w in self.velocities]
        needed = self._less_loads(self._inertial(coasting))
        efforts, own = self.loads.efforts, reflected(self.rotors)
        found = articulated.forward(
            self.links, self.velocities, needed, efforts, self.base, self.imposed, own
        )
        whole = coupled(Response(found.accelerations, found.drives), self.rotors, self._response)
        return replace(found, accelerations=whole.accelerations, drives=whole.drives)

    def _response(self, efforts: Mapping[int, Number]) -> Response:
        """What efforts alone make of the joints at rest, without weight and the armatures of several joints."""
        still = [replace(link, acceleration=self.zero) for link in self.links]
        nothing = [(self.still, self.still)] * len(still)
        given = dict.fromkeys(self.imposed, self.zero)
        pushed = [efforts.get(i, self.zero) for i in range(self.count)]
        base, own = outward.resting(self.still, self.still), reflected(self.rotors)
        found = articulated.forward(still, [self.still] * len(still), nothing, pushed, base, given, own)
        return Response(found.accelerations, found.drives)

    @cached_property
    def imposed(self) -> dict[int, Number]:
        """Accelerations that drives impose, by coordinate."""
        drives = ((i, c.drive) for i, c in enumerate(self.system.coordinates))
        given = {i: drive.acceleration for i, drive in drives if isinstance(drive, Imposed)}
        return dict(zip(given, self.scalars.of([*given.values()]), strict=True))

    @property
    def efforts(self) -> list[Number]:
        """What the drives that impose accelerations need for that; zero along the other coordinates."""
        return [self.forward.drives.get(i, self.zero) for i in range(self.count)]

    def _inertial(self, motions: list[outward.Motion]) -> list[inward.Wrench]:
        return [inward.inertial(x.mass, m) for x, m in zip(self.links, motions, strict=True)]

    def _less_loads(self, own: list[inward.Wrench]) -> list[inward.Wrench]:
        return [inward.less(w, load) for w, load in zip(own, self.loads.wrenches, strict=True)]

    def _along(self, wrenches: Wrenches) -> list[Number]:
        return inward.along_joints(self.links, wrenches, self.count, self.zero)
