"""The tree of links: every coordinate and every prescribed motion is a joint of its own.

A joint of several transformations is split by massless links; bodies without motion are merged with the link
that carries them. The axes of a link are those in which its joint's transformation is given: the axes of the
base, turned by the constant rotations before the joint, and then about the joint's axis n by q.

Augmented and extended bodies of links: the masses that a link carries, placed as points in its joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from mbconcord.model import Body, System
from mbconcord.model.expressions import ONE, TWO, ZERO, Expression, cos, rate, sin, time_derivative
from mbconcord.model.notation.collect import collect_terms
from mbconcord.model.transformation import Constant, ElementaryTransformation, Kind, Vector
from mbconcord.records import dataclass, replace

from .vectors import (
    NULL,
    ZEROS,
    E,
    Matrix,
    add_tensors,
    apply,
    dot,
    dyad,
    plus,
    point_tensor,
    product,
    scale_tensor,
    times,
    transpose,
    turn,
)

#: Number of the ground.
GROUND = 0


@dataclass(frozen=True)
class Mount:
    """Pose of a body: its link (0: the ground), and its frame's origin and orientation in the link's axes."""

    link: int
    position: Vector
    orientation: Matrix

    def point(self, position: Vector) -> Vector:
        """Return the vector from the link's pole to a point of the body, in the link's axes."""
        return plus(self.position, apply(self.orientation, position))


@dataclass(frozen=True)
class Link:
    """A link and the joint that connects it with its base.

    Attributes
    ----------
    base : int
        Number of the base; 0 is the ground.
    kind : "rotation" or "translation"
    axis : n, unit vector, link axes
    setting : C, takes vectors from link axes to base axes when q = 0
    offset : R_0 = O_base O_0, base axes (m)
    q, rate, acceleration : the joint's motion; functions of time where it is prescribed
    coordinate : str or None
        Name of the coordinate; None for a prescribed motion.
    body : str
        The body to whose joint the link belongs.
    mass, moment, tensor : own mass m_o, first moment m_o c, and tensor about the pole, link axes
    """

    base: int
    kind: Kind
    axis: Vector
    setting: Matrix
    offset: Vector
    q: Expression
    rate: Expression
    acceleration: Expression
    coordinate: str | None
    body: str
    mass: Expression = ZERO
    moment: Vector = NULL
    tensor: Matrix = ZEROS

    @property
    def turns(self) -> bool:
        """True for a revolute joint (ВКП), false for a prismatic one (ПКП)."""
        return self.kind == "rotation"

    @cached_property
    def R(self) -> Vector:
        """R = O_base O at the present position, base axes: R_0, for a prismatic joint R_0 + q n."""
        return self.offset if self.turns else plus(self.offset, times(self.q, self.direction))

    @cached_property
    def direction(self) -> Vector:
        """n in base axes."""
        return apply(self.setting, self.axis)

    @cached_property
    def rotation(self) -> Matrix:
        """Rotation matrix that takes vectors from link axes to base axes."""
        if not self.turns:
            return self.setting
        return product(self.setting, turn(self.axis, cos(self.q), sin(self.q)))


@dataclass(frozen=True)
class Tree:
    """Links by number, 1…N, a base before what it carries, and the mounts of the bodies by name."""

    links: Mapping[int, Link]
    mounts: Mapping[str | None, Mount]

    @cached_property
    def inward(self) -> tuple[int, ...]:
        """Links N…1, each before its base."""
        return tuple(self.links)[::-1]

    @cached_property
    def children(self) -> Mapping[int, tuple[int, ...]]:
        """ch(k): the links adjacent to k that it carries; also of the ground."""
        found: dict[int, list[int]] = {k: [] for k in (GROUND, *self.links)}
        for k, link in self.links.items():
            found[link.base].append(k)
        return {k: tuple(carried) for k, carried in found.items()}

    @cached_property
    def initial(self) -> Mapping[int, Matrix]:
        """Orientations of the links in fixed axes when all coordinates are zero."""
        found = {GROUND: E}
        for k, link in self.links.items():
            found[k] = product(found[link.base], link.setting)
        return found

    @cached_property
    def of_coordinate(self) -> Mapping[str, int]:
        """Number of the link that each coordinate moves, by the coordinate's name."""
        return {link.coordinate: k for k, link in self.links.items() if link.coordinate}


def tree(system: System) -> Tree:
    """Build the links of an open tree of rigid bodies."""
    links: dict[int, Link] = {}
    mounts: dict[str | None, Mount] = {None: Mount(GROUND, NULL, E)}
    for body in system.bodies:
        mount = mounts[body.parent]
        for step in body.joint:
            mount = _append_transformation(mount, step, body, links)
        mounts[body.name] = mount
        if mount.link != GROUND and not body.inertia.is_zero:
            links[mount.link] = _add_body_mass(links[mount.link], body, mount)
    return Tree(links, mounts)


def _append_transformation(mount: Mount, step: ElementaryTransformation, body: Body, links: dict[int, Link]) -> Mount:
    """Return the frame after one more transformation; a transformation that moves adds a link to ``links``."""
    if isinstance(step.motion, Constant):
        if step.is_translation:
            axis = apply(mount.orientation, step.axis)
            return replace(mount, position=plus(mount.position, times(step.amount, axis)))
        constant = turn(step.axis, cos(step.amount), sin(step.amount))
        return replace(mount, orientation=product(mount.orientation, constant))
    if step.coordinate:
        speed, acceleration = rate(step.coordinate), rate(step.coordinate, 2)
    else:
        (speed,) = time_derivative([step.amount], ())
        (acceleration,) = time_derivative([speed], ())
    number = len(links) + 1
    links[number] = Link(
        mount.link,
        step.kind,
        step.axis,
        mount.orientation,
        mount.position,
        step.amount,
        speed,
        acceleration,
        step.coordinate,
        body.name,
    )
    return Mount(number, NULL, E)


def _add_body_mass(link: Link, body: Body, mount: Mount) -> Link:
    inertia = body.inertia
    c = mount.point(inertia.centre)
    I = product(product(mount.orientation, inertia.matrix()), transpose(mount.orientation))  # noqa: E741
    return replace(
        link,
        mass=link.mass + inertia.mass,
        moment=plus(link.moment, times(inertia.mass, c)),
        tensor=add_tensors(link.tensor, add_tensors(I, point_tensor(inertia.mass, c))),
    )


@dataclass(frozen=True)
class Augmented:
    """The augmented body of a link (ДТ), link axes.

    Attributes
    ----------
    m : mass of the link and of all it carries
    s : m O C_d = m_d d, first moment about the pole O; prismatic children are at their present positions (РТ)
    J : tensor about the pole O
    """

    m: Expression
    s: Vector
    J: Matrix


def augment_links(tree: Tree) -> Mapping[int, Augmented]:
    """Compute the augmented bodies of all links.

    s_i = m_oi c_i + Σ m_j R_j and J_i = I_i + m_oi (c² E - c cᵀ) + Σ m_j (R_j² E - R_j R_jᵀ) over the adjacent links j
    (eq. (5) as a tensor): children are point masses at their poles, and their rotation does not matter. m_i is the mass
    of the subtree. Like terms of s_i are gathered: if a table gives the centre of the augmented body, s_i is m_i d_i
    again.
    """
    found: dict[int, Augmented] = {}
    for k in tree.inward:
        body = alone(tree.links[k])
        for j in tree.children[k]:
            body = add_child(body, found[j].m, tree.links[j])
        x, y, z = (collect_terms(component, body.m) for component in body.s)
        found[k] = Augmented(body.m, (x, y, z), body.J)
    for k in tree.links:
        for j in tree.children[k]:
            if not tree.links[j].turns:
                found[k] = add_sliding_child(found[k], found[j].m, tree.links[j])
    return {k: found[k] for k in tree.links}


def alone(link: Link) -> Augmented:
    """Return the body of a link that carries nothing."""
    return Augmented(link.mass, link.moment, link.tensor)


def add_child(body: Augmented, m: Expression, child: Link) -> Augmented:
    """Add to the body the mass m of a child and of all it carries, at the child's pole at q = 0."""
    return Augmented(
        body.m + m, plus(body.s, times(m, child.offset)), add_tensors(body.J, point_tensor(m, child.offset))
    )


def add_sliding_child(body: Augmented, m: Expression, child: Link) -> Augmented:
    """Add to the body the mass m of a prismatic child displaced by q n from its initial position.

    s = s⁰ + m q n; J = J⁰ + m (q [2 (R_0·n) E - R_0 nᵀ - n R_0ᵀ] + q² [E - n nᵀ]).
    """
    n, R, q = child.direction, child.offset, child.q
    linear = add_tensors(scale_tensor(TWO * dot(R, n), E), scale_tensor(-ONE, add_tensors(dyad(R, n), dyad(n, R))))
    square = add_tensors(E, scale_tensor(-ONE, dyad(n, n)))
    J = add_tensors(
        body.J, add_tensors(scale_tensor(q, scale_tensor(m, linear)), scale_tensor(q * q, scale_tensor(m, square)))
    )
    return Augmented(body.m, plus(body.s, times(q, times(m, n))), J)
