"""Names of the intermediates: the passes as printed in a paper.

``w3_x`` is component x of the angular velocity of link 3 in its own axes, ``dw3`` its angular acceleration,
``a3`` the acceleration of its origin, ``f3`` and ``n3`` the force and the moment about its origin that its
joint transmits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from mbconcord.model.derivation import Assignment, Stage
from mbconcord.model.expressions import Expression, topological
from mbconcord.model.naming import Namer, strip_sign

from .articulated import Articulated, ForwardDynamics
from .equations import Equations
from .outward import Motion, Wrench
from .tree import Link, Mass
from .vectors import Matrix, Symmetric, Vector, transpose

AXES = "xyz"
SIX = ("xx", "yy", "zz", "xy", "xz", "yz")
NINE = ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz")


class Names:
    """Names of nodes, one for each node that is needed, and the stages to which they belong."""

    def __init__(self, needed: Iterable[Expression], taken: Iterable[str]) -> None:
        used = {node for node in topological(needed) if node.args and not node.constant}
        self.namer = Namer(taken, used.__contains__)
        #: Name, title and number of intermediates of the stages so far.
        self.closed: list[tuple[str, str, int]] = []

    def name(self, name: str, node: Expression) -> None:
        """Name a node; for a negated node ``-x``, name x with the prefix ``minus_``."""
        self.namer.name(f"minus_{name}" if node.op == "neg" else name, strip_sign(node))

    def names(self, stem: str, parts: Sequence[str], nodes: Iterable[Expression]) -> None:
        """Name the parts of a vector or matrix: ``stem_part``."""
        for part, node in zip(parts, nodes, strict=True):
            self.name(f"{stem}_{part}", node)

    def vector(self, stem: str, v: Vector) -> None:
        """Name the components of a vector."""
        self.names(stem, AXES, v)

    def symmetric(self, stem: str, s: Symmetric) -> None:
        """Name the elements of a symmetric matrix."""
        self.names(stem, SIX, s)

    def matrix(self, stem: str, m: Matrix) -> None:
        """Name the elements of a matrix."""
        self.names(stem, NINE, (x for row in m for x in row))

    def close(self, name: str, title: str) -> None:
        """End a stage: it has the intermediates named since the end of the stage before."""
        self.closed.append((name, title, len(self.namer.found) - sum(count for *_, count in self.closed)))

    def stages(self) -> tuple[Stage, ...]:
        """Order the stages so that each intermediate precedes its first use."""
        found = self.namer.found
        nodes, owners = [*found], [i for i, stage in enumerate(self.closed) for _ in range(stage[2])]
        lines: list[list[Assignment]] = [[] for _ in self.closed]
        done: set[Expression] = set()
        wanted = 0
        for node in topological(nodes):
            if node in found:
                while nodes[wanted] in done:
                    wanted += 1
                lines[owners[wanted]].append(Assignment(found[node], node))
                done.add(node)
        made = zip(self.closed, lines, strict=True)
        return tuple(Stage(name, title, tuple(own)) for (name, title, _), own in made if own)


def stages(eq: Equations, last: str, needed: Iterable[Expression]) -> tuple[Stage, ...]:
    """List the passes of a derivation up to the quantity ``last``; ``needed`` are the scalars of its quantities."""
    names = Names(needed, eq.system.names)
    for quantity, passes in PASSES.items():
        passes(names, eq)
        if quantity == last:
            break
    return names.stages()


def _inverse_dynamics(names: Names, eq: Equations) -> None:
    for i, link in enumerate(eq.links, 1):
        _mass(names, i, "", link, link.mass)
    names.close("regrouped inertia", "Inertial parameters, handed over from the tips to the base")
    for i, w in enumerate(eq.velocities, 1):
        names.vector(f"w{i}", w)
    _motions(names, eq.motions, "")
    names.close("outward pass", "Velocities and accelerations; weight as an acceleration of the base")
    _loads(names, eq)
    names.close("loads", "Poses of the links that forces touch, and the applied forces in their axes")
    _wrenches(names, eq.joint_wrenches, "")
    for name, node in zip(eq.system.coordinate_names, eq.inverse_dynamics, strict=True):
        names.name(f"tau_{name}", node)
    names.close("inward pass", "Forces and moments that the joints transmit")


def _velocity_terms(names: Names, eq: Equations) -> None:
    _motions(names, eq.coasting, "v")
    _wrenches(names, eq.velocity_forces, "v")
    names.close("velocity terms", "Both passes without joint accelerations and forces")


def _weight(names: Names, eq: Equations) -> None:
    for i, g in enumerate(eq.falling, 1):
        names.vector(f"g{i}", g)
    _wrenches(names, eq.weights, "g")
    names.close("weight", "Gravity in link axes, and what weight brings to the joints")


def _name_applied_forces(names: Names, eq: Equations) -> None:
    _wrenches(names, eq.applied_wrenches, "p")
    names.close("applied forces", "What applied forces bring to the joints")


def _mass_matrix(names: Names, eq: Equations) -> None:
    for i, (link, mass) in enumerate(zip(eq.links, eq.composites, strict=True), 1):
        _mass(names, i, "c", link, mass)
    for i, columns in enumerate(eq.mass_matrix.columns, 1):
        for k in range(columns.shape[1]):
            names.names(f"c{i}_{k + 1}", ("fx", "fy", "fz", "nx", "ny", "nz"), columns[:, k])
    names.close("mass matrix", "Composite bodies, and the forces of unit accelerations beyond each joint")


def _acceleration(names: Names, eq: Equations) -> None:
    _forward(names, eq.forward)
    names.close("articulated bodies", "Articulated inertias inward, accelerations outward")


#: Quantity -> the passes that it needs beside those before it, in the order in which they are computed.
PASSES: Final[Mapping[str, Callable[[Names, Equations], None]]] = {
    "inverse_dynamics": _inverse_dynamics,
    "h": _velocity_terms,
    "gravity": _weight,
    "applied": _name_applied_forces,
    "M": _mass_matrix,
    "acceleration": _acceleration,
}


def _mass(names: Names, i: int, suffix: str, link: Link, mass: Mass) -> None:
    names.name(f"mass{suffix}{i}", mass.mass)
    names.vector(f"moment{suffix}{i}", mass.moment)
    names.name(f"tensor{suffix}{i}_{SIX[link.axis]}", mass.tensor[link.axis])
    names.symmetric(f"tensor{suffix}{i}", mass.tensor)


def _motions(names: Names, motions: Sequence[Motion], suffix: str) -> None:
    for i, motion in enumerate(motions, 1):
        names.vector(f"dw{suffix}{i}", motion.dw)
        names.matrix(f"U{suffix}{i}", motion.u)
        names.vector(f"a{suffix}{i}", motion.a)


def _wrenches(names: Names, wrenches: Sequence[Wrench | None], suffix: str) -> None:
    for i in range(len(wrenches), 0, -1):
        wrench = wrenches[i - 1]
        if wrench is not None:
            names.vector(f"f{suffix}{i}", wrench[0])
            names.vector(f"n{suffix}{i}", wrench[1])


def _loads(names: Names, eq: Equations) -> None:
    for i, pose in eq.loads.poses.items():
        names.matrix(f"R{i + 1}", transpose(pose.axes))
        names.vector(f"r{i + 1}", pose.origin)
        names.vector(f"v{i + 1}", pose.velocity)
    for i, load in enumerate(eq.loads.wrenches, 1):
        if load is not None:
            names.vector(f"fp{i}_own", load[0])
            names.vector(f"np{i}_own", load[1])


def _forward(names: Names, forward: ForwardDynamics) -> None:
    for i in range(len(forward.bodies), 0, -1):
        joint, across = forward.joints[i - 1], forward.across[i - 1]
        _name_articulated(names, str(i), forward.bodies[i - 1])
        if joint:
            names.name(f"D{i}", joint.inertia)
            names.name(f"u{i}", joint.effort)
        if across:
            _name_articulated(names, f"y{i}", across)
    for i, (dw, a) in enumerate(forward.motions, 1):
        names.vector(f"dwf{i}", dw)
        names.vector(f"af{i}", a)


def _name_articulated(names: Names, suffix: str, body: Articulated) -> None:
    names.symmetric(f"A{suffix}", body.a)
    names.matrix(f"B{suffix}", body.b)
    names.symmetric(f"C{suffix}", body.c)
    names.vector(f"b{suffix}", body.force)
    names.vector(f"d{suffix}", body.moment)
