"""The spatial form as a derivation in the coordinates of a system."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from mbconcord.model import System
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, list_jointed_bodies
from mbconcord.model.lazy import Lazy
from mbconcord.model.transformation import Vector

from .loads import Loads, Places
from .spatial import Motion, Spatial, Sweep
from .stages import spatial_stages
from .tree import tree
from .vectors import back, cross, minus, plus, times


class SpatialEquations:
    """Canonical quantities of an open tree; the system's masses are lumped."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.tree = tree(system)
        self.places = Places(self.tree)
        self.loads = Loads(system, self.tree, self.places)
        self.equations = Spatial(self.tree, system.gravity_vector)

    def _order_by_coordinate(self, of_link: Mapping[int, Expression]) -> tuple[Expression, ...]:
        return tuple(of_link[self.tree.of_coordinate[name]] for name in self.system.coordinate_names)

    @property
    def efforts(self) -> tuple[Expression, ...]:
        """Drives and joint efforts."""
        return tuple(self.loads.efforts.values())

    @cached_property
    def acting(self) -> Mapping[int, tuple[Vector, Vector]]:
        """Principal vector and moment of the loads on each link that has any."""
        return self.equations.loads(self.loads.external, self.places)

    @cached_property
    def motions(self) -> Mapping[int, Motion]:
        """The motion with q'' as symbols, of the ground accelerated by -g."""
        accelerations = {k: link.acceleration for k, link in self.tree.links.items()}
        return self.equations.motions(accelerations, times(-ONE, self.equations.gravity))

    @cached_property
    def sweep(self) -> Sweep:
        """The inward sweep of that motion, with all loads."""
        return self.equations.sweep(self.motions, self.acting)

    @cached_property
    def inverse_dynamics(self) -> tuple[Expression, ...]:
        """Drives less the efforts that act along the coordinates."""
        drives = self._order_by_coordinate(self.sweep.M)
        return tuple(drive - effort for drive, effort in zip(drives, self.efforts, strict=True))

    @cached_property
    def joint_forces(self) -> tuple[tuple[Expression, ...], ...]:
        """Forces m (a_O - g) + P - F and moments N in the joints of moving bodies, about their origins."""
        tree, found = self.tree, []
        for name in list_jointed_bodies(self.system):
            mount = tree.mounts[name]
            k = mount.link
            inertial = plus(times(self.equations.bodies[k].m, self.motions[k].a), self.sweep.P[k])
            force = minus(inertial, self.sweep.F[k])
            moment = minus(self.sweep.N[k], cross(mount.position, force))
            found.append((*back(mount.orientation, force), *back(mount.orientation, moment)))
        return tuple(found)

    @cached_property
    def h(self) -> tuple[Expression, ...]:
        """Bias forces: drive efforts without weight, loads and q''; prescribed motions keep their accelerations."""
        own = {k: ZERO if link.coordinate else link.acceleration for k, link in self.tree.links.items()}
        return self._order_by_coordinate(self.equations.sweep(self.equations.motions(own), {}).M)

    @cached_property
    def mass_matrix(self) -> tuple[tuple[Expression, ...], ...]:
        """H by coordinates; of links that do not carry one another, zero."""
        names, number = self.system.coordinate_names, self.tree.of_coordinate
        columns = {k: self.equations.mass_column(k) for k in number.values()}

        def entry(a: int, b: int) -> Expression:
            return columns[max(a, b)].get(min(a, b), ZERO)

        return tuple(tuple(entry(number[a], number[b]) for b in names) for a in names)

    @property
    def applied_forces(self) -> tuple[Expression, ...]:
        """Generalized forces of the loads, and the efforts."""
        loads = self._order_by_coordinate(self.equations.project_loads(self.acting))
        return tuple(load + effort for load, effort in zip(loads, self.efforts, strict=True))

    def derivation(self, formalism: str, given: System) -> Derivation:
        """Derive all quantities, each on first access; ``given`` is the system before its masses were lumped."""
        e = self.equations
        quantities = Lazy(
            {
                "M": lambda: self.mass_matrix,
                "h": lambda: self.h,
                "gravity": lambda: self._order_by_coordinate(e.gravity_forces),
                "applied": lambda: self.applied_forces,
                "inverse_dynamics": lambda: self.inverse_dynamics,
            }
        )
        native = Lazy(
            {
                "m̄": lambda: tuple(e.static_moments[k] for k in self.tree.links),
                "P": lambda: tuple(self.sweep.P[k] for k in self.tree.links),
                "N": lambda: tuple(self.sweep.N[k] for k in self.tree.links),
                JOINT_FORCES: lambda: self.joint_forces,
                "r": lambda: tuple(self.places.origin(name) for name in bodies),
            }
        )
        bodies, axes = tuple(body.name for body in given.bodies), ("x", "y", "z")
        indices: dict[str, tuple[tuple[str, ...], ...]] = {
            **dict.fromkeys(("m̄", "P", "N"), ((), axes)),
            "r": (bodies, axes),
            JOINT_FORCES: (list_jointed_bodies(given), COMPONENTS),
        }
        named = spatial_stages(e, self.motions, self.sweep, self.system)
        return Derivation(formalism, given, quantities, named, native, indices=indices)
