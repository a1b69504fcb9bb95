"""The intermediates by the paper's letters, in the order in which they are computed.

The spatial form as a derivation in the coordinates of a system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from mbconcord.model import System
from mbconcord.model.derivation import Derivation, Lazy, Stage
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, list_jointed_bodies
from mbconcord.model.naming import Named, Namer
from mbconcord.model.transformation import Vector

from .forms.equations import Equations
from .linkage import Linkage
from .loads import Loads, Places
from .spatial import Motion, Spatial, Sweep
from .tree import Tree, tree
from .vectors import back, cross, minus, plus, times


def planar_stages(p: Linkage, made: Equations, tree: Tree, system: System) -> tuple[Stage, ...]:
    """List augmented bodies, angles and rates, the pairs' quantities, and the form's own coefficients."""
    bodies, motion = p.bodies, p.motion
    links = p.topology.links
    groups: list[tuple[str, str, Iterable[Named]]] = [
        (
            "augmented bodies",
            f"{numbers(tree)}: mass m, first moment s about the pole, moment of inertia J (5)",
            [
                item
                for k in links
                for item in ((f"m_{k}", bodies[k].m), *plane(f"s_{k}", bodies[k].s), (f"J_{k}", bodies[k].J))
            ],
        ),
        (
            "absolute angles",
            "θ, ω, ε are sums of q, q', q'' over the carrying chain",
            [
                item
                for k in links
                for item in (
                    (f"theta_{k}", motion.theta[k]),
                    (f"omega_{k}", motion.omega[k]),
                    (f"epsilon_{k}", motion.epsilon[k]),
                )
            ],
        ),
        (
            "vectors",
            "s = m_d i and R e in fixed axes",
            [item for k in links for item in (*plane(f"ms_{k}", p.s[k]), *plane(f"R_{k}", p.R[k]))],
        ),
    ]
    for letter, values in made.coefficients.items():
        groups.append((letter, TITLES.get(letter, letter), name_coefficients(letter, values)))
    return assemble_stages(groups, system)


#: What the letters of the forms mean.
TITLES = {
    "Jc": "J^c_ji = m_dj R_i cos α_ij",
    "Js": "J^s_ji = m_dj R_i sin α_ij",
    "G": "G_k = m_dk g·j_k",
    "G0": "G_0k = G_k + Σ G_0j (7)",
    "A": "A: coefficients of ε of the carriers",
    "a": "a: coefficients of ω² of the carriers",
    "B": "B: of (3), or coefficients of ε of the carried links (9), (11)-(12)",
    "b": "b: coefficients of ω² of the carried links",
    "H": "H: inertia",
    "h": "h: coefficients of the terms with rates",
    "L": "L_k: left sides of (20) and (24), equal to M_k - Σ M_i over the adjacent links i",
}


def spatial_stages(s: Spatial, motions: Mapping[int, Motion], sweep: Sweep, system: System) -> tuple[Stage, ...]:
    """List extended bodies, both sweeps, static moments and subtree tensors, in the axes of each link."""
    links = s.tree.links
    groups: list[tuple[str, str, Iterable[Named]]] = [
        (
            "extended bodies",
            f"{numbers(s.tree)}: mass m, first moment s and tensor J about the pole",
            [
                item
                for k in links
                for item in (
                    (f"m_{k}", s.bodies[k].m),
                    *space(f"s_{k}", s.bodies[k].s),
                    *tensor(f"J_{k}", s.bodies[k].J),
                )
            ],
        ),
        (
            "outward sweep",
            "ω, ε, and the acceleration a of the pole less g",
            [
                item
                for k in links
                for item in (
                    *space(f"omega_{k}", motions[k].omega),
                    *space(f"epsilon_{k}", motions[k].epsilon),
                    *space(f"a_{k}", motions[k].a),
                )
            ],
        ),
        (
            "inward sweep",
            "P = m̄'' and the moment N in the joint",
            [item for k in s.tree.inward for item in (*space(f"P_{k}", sweep.P[k]), *space(f"N_{k}", sweep.N[k]))],
        ),
        (
            "static moments",
            "m̄ of the subtree about its pole",
            [item for k in s.tree.inward for item in space(f"mbar_{k}", s.static_moments[k])],
        ),
        (
            "subtree tensors",
            "Î of the subtree about its pole",
            [item for k in s.tree.inward for item in tensor(f"I_{k}", s.subtree_tensors[k])],
        ),
    ]
    return assemble_stages(groups, system)


def numbers(tree: Tree) -> str:
    """Describe which link belongs to which body: ``1 of boom, 2 of jib``."""
    return ", ".join(f"{k} of {link.body}" for k, link in tree.links.items())


def plane(name: str, pair: tuple[Expression, Expression]) -> Iterator[Named]:
    """Yield the two components of a vector in the plane with their names."""
    return zip((f"{name}_x", f"{name}_y"), pair, strict=True)


def space(name: str, vector: Vector) -> Iterator[Named]:
    """Yield the three components of a vector with their names."""
    return zip((f"{name}_x", f"{name}_y", f"{name}_z"), vector, strict=True)


def tensor(name: str, rows: Iterable[Vector]) -> Iterator[Named]:
    """Yield a tensor's components with their names."""
    for axis, row in zip("xyz", rows, strict=True):
        yield from zip((f"{name}_{axis}x", f"{name}_{axis}y", f"{name}_{axis}z"), row, strict=True)


def name_coefficients(
    letter: str, values: Mapping[tuple[int, int], Expression] | Mapping[int, Expression]
) -> Iterator[Named]:
    """Name coefficients by letter and indices."""
    for index, value in values.items():
        marks = index if isinstance(index, tuple) else (index,)
        yield "_".join((letter, *map(str, marks))), value


def assemble_stages(groups: Iterable[tuple[str, str, Iterable[Named]]], system: System) -> tuple[Stage, ...]:
    """Build stages of the items that are worth a name; stages without items are left out."""
    namer = Namer(system.names)
    made = [Stage(title, meaning, namer.assignments(items)) for title, meaning, items in groups]
    return tuple(stage for stage in made if stage.assignments)


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
        """Drive efforts and joint efforts, in the order of the coordinates."""
        return tuple(self.loads.efforts.values())

    @cached_property
    def acting(self) -> Mapping[int, tuple[Vector, Vector]]:
        """Principal vector and moment of the loads on each link that has any."""
        return self.equations.loads(self.loads.external, self.places)

    @cached_property
    def motions(self) -> Mapping[int, Motion]:
        """Motions of the links, by number, with q'' as symbols; the ground accelerates by -g in place of gravity."""
        accelerations = {k: link.acceleration for k, link in self.tree.links.items()}
        return self.equations.motions(accelerations, times(-ONE, self.equations.gravity))

    @cached_property
    def sweep(self) -> Sweep:
        """The inward sweep of :attr:`motions`, with all loads."""
        return self.equations.sweep(self.motions, self.acting)

    @cached_property
    def inverse_dynamics(self) -> tuple[Expression, ...]:
        """Drives of the sweep minus the model's efforts along the coordinates."""
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
        """Mass matrix H in the order of the coordinates; entries of two links on different branches are zero."""
        names, number = self.system.coordinate_names, self.tree.of_coordinate
        columns = {k: self.equations.mass_column(k) for k in number.values()}

        def entry(a: int, b: int) -> Expression:
            return columns[max(a, b)].get(min(a, b), ZERO)

        return tuple(tuple(entry(number[a], number[b]) for b in names) for a in names)

    @property
    def applied_forces(self) -> tuple[Expression, ...]:
        """Generalized forces of the loads, plus the efforts along the coordinates."""
        loads = self._order_by_coordinate(self.equations.project_loads(self.acting))
        return tuple(load + effort for load, effort in zip(loads, self.efforts, strict=True))

    def derivation(self, formalism: str, given: System) -> Derivation:
        """Return a derivation with quantities derived on first access; ``given``: the system before mass lumping."""
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
