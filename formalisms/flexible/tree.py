"""Conversion of a system to links: every elementary motion carries a link, every elastic body is a link of its own.

A link in the sense of the paper is joint j, frame Q_j at its outboard side, and the body that is rigidly clamped
there. A joint of k coordinates is a chain of k links, all but the last without inertia; a prescribed motion is a
link whose acceleration is given. A rigid body welded to a rigid link is part of this link; a body that is elastic, or
welded to an elastic link, is a link of its own on a joint that does not move.
"""

from __future__ import annotations

from mbconcord.model import Bipolar, Body, ElasticModes, ElasticNode, ElementaryTransformation, Point, System
from mbconcord.model.expressions import HALF, ONE, TIME, ZERO, Expression, cos, derivative, rate, sin, symbol
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass, field

Rows = tuple[tuple[Expression, ...], ...]

NULL: Vector = (ZERO, ZERO, ZERO)
UNIT: Rows = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
EMPTY: Rows = (NULL, NULL, NULL)


@dataclass(frozen=True, slots=True)
class Place:
    """A frame fixed to a link (-1: the base) or to one of its nodes: its rotation and origin relative to these."""

    link: int = -1
    node: ElasticNode | None = None
    turn: Rows = UNIT
    shift: Vector = NULL

    @property
    def attachment(self) -> Attachment:
        """Attachment to the link or node of this place."""
        return Attachment(self.link, self.node)

    def direction(self, v: Vector) -> Vector:
        """Express a vector of this frame in the axes of the link or node."""
        x, y, z = (sum((m * c for m, c in zip(row, v, strict=True)), ZERO) for row in self.turn)
        return x, y, z

    def point(self, r: Vector) -> Vector:
        """Express a point of this frame in the frame of the link or node."""
        x, y, z = (a + b for a, b in zip(self.shift, self.direction(r), strict=True))
        return x, y, z

    def further(self, et: ElementaryTransformation) -> Place:
        """Return the frame after a constant elementary transformation."""
        if et.is_translation:
            x, y, z = (c * et.amount for c in et.axis)
            return Place(self.link, self.node, self.turn, self.point((x, y, z)))
        turn = rotation_about(et.axis, et.amount)
        product = tuple(
            tuple(sum((row[k] * turn[k][c] for k in range(3)), ZERO) for c in range(3)) for row in self.turn
        )
        return Place(self.link, self.node, product, self.shift)


@dataclass(frozen=True, slots=True)
class Attachment:
    """Attachment to a link: at a node, or rigidly to its frame (None)."""

    link: int
    node: ElasticNode | None


@dataclass(slots=True)
class Link:
    """A link and the joint that carries it.

    Attributes
    ----------
    at : the parent's link and node
    turn, shift : R_f, p_f from the node to the joint
    axis : e_j, zero in a weld
    sliding : σ_j
    name : name of the coordinate; None if the motion is prescribed or the joint does not move
    amount, rate, acceleration : the joint's motion and its derivatives (m or rad, per s, per s²)
    mass, first, second : m, S_0 = ∫r0 dm, P_00 = ∫r0 r0ᵀ dm about the link's origin, in its axes
    modes : modes of an elastic body; None if the link is rigid
    """

    at: Attachment
    turn: Rows
    shift: Vector
    axis: Vector = NULL
    sliding: bool = True
    name: str | None = None
    amount: Expression = ZERO
    rate: Expression = ZERO
    acceleration: Expression = ZERO
    mass: Expression = ZERO
    first: Vector = NULL
    second: Rows = EMPTY
    modes: ElasticModes | None = None
    bears: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the modal coordinates."""
        return self.modes.coordinates if self.modes else ()

    def load(self, mass: Expression, first: Vector, second: Rows) -> None:
        """Add a rigid body's mass and moments about the link's origin, in its axes."""
        self.bears = True
        self.mass = self.mass + mass
        x, y, z = (a + b for a, b in zip(self.first, first, strict=True))
        self.first = (x, y, z)
        self.second = tuple(
            tuple(a + b for a, b in zip(p, q, strict=True)) for p, q in zip(self.second, second, strict=True)
        )


@dataclass(slots=True)
class Tree:
    """Links ordered with parents before children, and the frame of each body."""

    links: list[Link] = field(default_factory=list)
    places: dict[str | None, Place] = field(default_factory=lambda: {None: Place()})

    def locate(self, point: Point) -> Place:
        """Return the frame at a point of a body, parallel to the body's.

        On an elastic body the point must have a known displacement: the origin, or a node's undeformed position.
        """
        place = self.places[point.body]
        modes = self.links[place.link].modes if place.link >= 0 else None
        if modes is None or place.node is not None or not any(point.position):
            return Place(place.link, place.node, place.turn, place.point(point.position))
        return Place(place.link, next(n for n in modes.nodes if n.position == point.position))


def tree_of(system: System) -> Tree:
    """Build the tree of links of a system. Half of a bipolar element's mass is placed on each of its end points."""
    tree = Tree()
    for body in system.bodies:
        place = tree.places[body.parent]
        if body.parent_node is not None:
            place = Place(place.link, _node(tree.links[place.link].modes, body.parent_node))
        for et in body.joint:
            place = _append_motion(tree, place, et) if _moves(et) else place.further(et)
        tree.places[body.name] = _assign_mass(tree, place, body)
    for force in system.forces:
        if isinstance(force, Bipolar) and force.mass:
            for end in (force.first, force.second):
                _point_mass(tree, end, force.mass * HALF)
    return tree


def rotation_about(axis: Vector, angle: Expression) -> Rows:
    """Return the rotation matrix about a unit vector: cos E + (1 - cos) e eᵀ + sin ê."""
    x, y, z = axis
    s, c = sin(angle), cos(angle)
    v = ONE - c
    return (
        (c + v * (x * x), v * (x * y) - s * z, v * (x * z) + s * y),
        (v * (x * y) + s * z, c + v * (y * y), v * (y * z) - s * x),
        (v * (x * z) - s * y, v * (y * z) + s * x, c + v * (z * z)),
    )


def _node(modes: ElasticModes | None, name: str) -> ElasticNode:
    return next(node for node in (modes.nodes if modes else ()) if node.name == name)


def _moves(et: ElementaryTransformation) -> bool:
    return et.coordinate is not None or bool(derivative(et.amount, TIME))


def _append_motion(tree: Tree, place: Place, et: ElementaryTransformation) -> Place:
    """Append the link of a motion and return the frame after it."""
    name = et.coordinate
    speed = rate(name) if name else derivative(et.amount, TIME)
    acceleration = rate(name, 2) if name else derivative(speed, TIME)
    amount = symbol(name) if name else et.amount
    link = Link(
        place.attachment, place.turn, place.shift, et.axis, et.is_translation, name, amount, speed, acceleration
    )  # fmt: skip
    tree.links.append(link)
    return Place(len(tree.links) - 1)


def _assign_mass(tree: Tree, place: Place, body: Body) -> Place:
    """Add a body's mass to the link of its frame, or to a new link for it; return the place of the body's frame."""
    inertia = body.inertia
    elastic = body.modes is not None and bool(body.modes.coordinates)
    if inertia.is_zero and not elastic:
        return place
    fresh = place.link >= 0 and place == Place(place.link) and not tree.links[place.link].bears
    soft = place.link >= 0 and tree.links[place.link].modes is not None
    if (elastic and not fresh) or soft:
        tree.links.append(Link(place.attachment, place.turn, place.shift))
        place = Place(len(tree.links) - 1)
    if place.link < 0:
        return place
    link = tree.links[place.link]
    first: Vector = tuple(inertia.mass * c for c in inertia.centre)  # type: ignore[assignment]
    if elastic and body.modes:
        link.load(inertia.mass, first, body.modes.second_moments[0][0])
        link.modes = body.modes
    else:
        link.load(*_transfer_mass(place, inertia.mass, first, _second(inertia.tensor_about_origin())))
    return place


def _second(tensor: tuple[Expression, ...]) -> Rows:
    """Return P = ∫r rᵀ dm from the tensor J = tr(P) E - P about the same point: P = ½ tr(J) E - J."""
    xx, yy, zz, xy, xz, yz = tensor
    half = (xx + yy + zz) * HALF
    return (half - xx, -xy, -xz), (-xy, half - yy, -yz), (-xz, -yz, half - zz)


def _transfer_mass(place: Place, mass: Expression, first: Vector, second: Rows) -> tuple[Expression, Vector, Rows]:
    """Transform mass and moments from a frame on a link to the link's frame: r → c + R r."""
    c, moved = place.shift, place.direction(first)
    columns = [place.direction((second[0][k], second[1][k], second[2][k])) for k in range(3)]
    turned = [place.direction((columns[0][i], columns[1][i], columns[2][i])) for i in range(3)]
    whole = tuple(
        tuple(turned[i][k] + moved[i] * c[k] + c[i] * moved[k] + mass * (c[i] * c[k]) for k in range(3))
        for i in range(3)
    )
    x, y, z = (a + mass * b for a, b in zip(moved, c, strict=True))
    return mass, (x, y, z), whole


def _point_mass(tree: Tree, point: Point, mass: Expression) -> None:
    """Add a point mass at a point of a body: to the link if it is rigid, as a separate link if it is elastic."""
    place = tree.locate(point)
    if place.link < 0:
        return
    if tree.links[place.link].modes is not None:
        tree.links.append(Link(place.attachment, place.turn, place.shift))
        place = Place(len(tree.links) - 1)
    tree.links[place.link].load(*_transfer_mass(place, mass, NULL, EMPTY))
