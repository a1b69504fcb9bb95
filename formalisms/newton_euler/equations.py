"""The canonical quantities of a system, in any arithmetic: the passes in their order.

Forces in joints: the wrenches transmitted by the inward pass, at the origin and in the axes of each body.

For them, links keep their own masses: regrouped masses give the same equations, but other forces in the joints.

Shift of link origins along the axes of their joints, which makes components of offsets between links vanish.

Any point of a joint's axis may be its link's origin, and every vanishing component of an offset saves products in the
outward and the inward pass. From the base to the tips each origin moves to the point where an offset loses a component,
and the link's contents are shifted accordingly; frames end up on common normals as in Denavit & Hartenberg 1955.
Lengths are exact, so all functions remain the same.

Mass matrix by composite rigid bodies.

Column j of M has the forces along all joints if coordinate j alone accelerates by one, with all rates zero:
all links beyond joint j move as one composite body. Walker & Orin 1982, method 3; Featherstone 2008,
section 6.2.

Armatures: the moment of inertia that rotors reflect on joints, and the coupling of joints through tendons.

An armature with inertia a and coefficients c acts along coordinate i with -a c_i (cᵀ q''). If it belongs to one joint,
it is reflected on the joint, I = a c², and is added to the joint's inertia D in forward dynamics (Featherstone 2008,
section 9.6: rotors). If it couples several joints, let M_0 be the mass matrix without it; z = M_0⁻¹ c takes one more
run of the articulated bodies, and (Sherman & Morrison 1950)

    (M_0 + a c cᵀ)⁻¹ r = x - z a (cᵀ x) / (1 + a cᵀ z) ,   x = M_0⁻¹ r .
"""

from __future__ import annotations

# Regrouping of mass properties: those without effect on a joint are moved to the link before it.
#
# A revolute joint does not notice a mass on its axis, nor a needle along it: they lie still in the parent link,
# and may as well belong to it. A prismatic joint does not notice a tensor of inertia without a mass. Handing
# these over from the tips to the base leaves a link between revolute joints without mass, without a first
# moment along its axis and with one moment of inertia less: the minimal inertial parameters. The equations of
# motion remain the same, exactly; only the forces inside a joint, which do no work, become those of another
# machine. Gautier & Khalil 1990; Khalil & Kleinfinger 1987.
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

from mbconcord.model import Motion as Imposed
from mbconcord.model import System
from mbconcord.model.expressions import ZERO, Expression, evaluate
from mbconcord.model.joint_forces import list_jointed_bodies
from mbconcord.records import dataclass

from . import articulated, outward
from .loads import Loads, loads
from .outward import Wrench
from .tree import NULL, UNITS, Link, Mass, Place, Tree, tree_of
from .vectors import (
    NEXT,
    PLACE,
    Graph,
    Number,
    Scalars,
    Vector,
    add_along_axis,
    apply,
    cross,
    minus,
    plus,
    symmetric,
    times,
    transpose,
    triple,
)


@dataclass(frozen=True, slots=True)
class Rotor:
    """An armature: its name, its inertia a, and its coefficients c by the index of the coordinate."""

    name: str
    inertia: Number
    coefficients: dict[int, Number]

    def turning(self, rates: Sequence[Number]) -> Number:
        """Return c · x for values x of all coordinates."""
        terms = [c * rates[i] for i, c in self.coefficients.items()]
        return sum(terms[1:], terms[0])


@dataclass(frozen=True, slots=True)
class Response:
    """Response to a load: accelerations of all coordinates, and efforts of those with imposed accelerations."""

    accelerations: list[Number]
    drives: dict[int, Number]

    def less(self, other: Response, share: Number) -> Response:
        """Subtract a share of another response from this one."""
        return Response(
            [x - share * y for x, y in zip(self.accelerations, other.accelerations, strict=True)],
            {i: x - share * other.drives[i] for i, x in self.drives.items()},
        )


def rotors_of(system: System, scalars: Scalars) -> list[Rotor]:
    """Return the armatures of a system in the given arithmetic."""
    place = {name: i for i, name in enumerate(system.coordinate_names)}
    numbers = iter(scalars.to_scalars([x for armature in system.armatures for x in armature.expressions]))
    return [
        Rotor(x.name, next(numbers), {place[name]: next(numbers) for name in x.coefficients}) for x in system.armatures
    ]


def sum_reflected_inertias(rotors: Sequence[Rotor]) -> dict[int, Number]:
    """Return by coordinate the moment of inertia a c² of armatures that belong to this joint alone."""
    found: dict[int, Number] = {}
    for rotor in rotors:
        if len(rotor.coefficients) == 1:
            ((i, c),) = rotor.coefficients.items()
            own = rotor.inertia * (c * c)
            found[i] = found[i] + own if i in found else own
    return found


def add_to(matrix: Any, rotors: Sequence[Rotor]) -> None:
    """Add a c cᵀ of every armature to a mass matrix."""
    for rotor in rotors:
        for i, c in rotor.coefficients.items():
            for k, d in rotor.coefficients.items():
                matrix[i, k] = matrix[i, k] + rotor.inertia * (c * d)


def resisting(rotors: Sequence[Rotor], accelerations: Sequence[Number], forces: Sequence[Number]) -> list[Number]:
    """Add the torques of the armatures, a c (cᵀ q''), to the forces along the coordinates."""
    total = [*forces]
    for rotor in rotors:
        push = rotor.inertia * rotor.turning(accelerations)
        for i, c in rotor.coefficients.items():
            total[i] = total[i] + c * push
    return total


def couple_armatures(
    free: Response, rotors: Sequence[Rotor], response: Callable[[Mapping[int, Number]], Response]
) -> Response:
    """Add the armatures of several joints to a motion that was computed without them.

    ``response(c)`` is the response of the joints at rest to efforts c alone, without these armatures.
    """
    several = [rotor for rotor in rotors if len(rotor.coefficients) > 1]
    waiting = [response(rotor.coefficients) for rotor in several]
    found = free
    for k, rotor in enumerate(several):
        own = waiting[k]
        part = rotor.inertia / (1 + rotor.inertia * rotor.turning(own.accelerations))
        found = found.less(own, part * rotor.turning(found.accelerations))
        later = waiting[k + 1 :]
        waiting[k + 1 :] = [x.less(own, part * rotor.turning(x.accelerations)) for x in later]
    return found


def composites(links: Sequence[Link]) -> list[Mass]:
    """Compute the mass properties of each link together with all links it carries, about its own origin."""
    masses = [link.mass for link in links]
    for i in range(len(links) - 1, -1, -1):
        link = links[i]
        if link.parent >= 0:
            masses[link.parent] = masses[link.parent].plus(link.transfer_mass(masses[i]))
    return masses


def unit_acceleration(mass: Mass, revolute: bool, axis: int) -> tuple[Vector, Vector]:
    """Return force and moment that a composite body needs for unit acceleration of its joint.

    Revolute: f = e × m c, n = J e. Prismatic: f = m e, n = m c × e.
    """
    i, k = NEXT[axis]
    zero = mass.mass * 0
    across = [zero, zero, zero]
    across[i], across[k] = -mass.moment[k], mass.moment[i]
    e_cross = (across[0], across[1], across[2])
    if revolute:
        column = PLACE[axis]
        return e_cross, (mass.tensor[column[0]], mass.tensor[column[1]], mass.tensor[column[2]])
    force = [zero, zero, zero]
    force[axis] = mass.mass
    return (force[0], force[1], force[2]), (-e_cross[0], -e_cross[1], -e_cross[2])


@dataclass(frozen=True, slots=True)
class MassMatrix:
    """Mass matrix M, (n, n) or (n, n, states), and the columns of forces and moments at each link, if kept."""

    matrix: Any
    columns: list[Any]


def mass_matrix(links: Sequence[Link], bodies: Sequence[Mass], count: int, scalars: Scalars) -> MassMatrix:
    """Compute M from the composite bodies of the links.

    The forces of all coordinates beyond a joint are carried inward together, as the columns of one array;
    because subtrees are contiguous, so are their columns.
    """
    order = [link.coordinate for link in links if link.coordinate is not None]
    first, end = _extents(links)
    result, columns = scalars.blank(count, count), scalars.blank(6, len(order))
    kept: list[Any] = []
    for i in range(len(links) - 1, -1, -1):
        link, at, to = links[i], first[i], first[end[i]]
        if link.coordinate is not None:
            force, moment = unit_acceleration(bodies[i], link.revolute, link.axis)
            for row, value in enumerate((*force, *moment)):
                columns[row, at] = value
            own = columns[3 * link.revolute + link.axis, at:to]
            result[link.coordinate, order[at:to]] = own
            result[order[at:to], link.coordinate] = own
        if scalars.keeps:
            kept.insert(0, columns[:, at:to].copy())
        if link.parent >= 0 and at < to:
            f, n = columns[0:3, at:to], columns[3:6, at:to]
            force = link.inward((f[0], f[1], f[2]))
            moment = minus(link.inward((n[0], n[1], n[2])), cross(force, link.offset))
            for row, value in enumerate((*force, *moment)):
                columns[row, at:to] = value
    return MassMatrix(result, kept)


def _extents(links: Sequence[Link]) -> tuple[list[int], list[int]]:
    """Return for each link the number of coordinates before it, and the index after its subtree."""
    first = [0]
    for link in links:
        first.append(first[-1] + (link.coordinate is not None))
    end = [*range(1, len(links) + 1)]
    for i in range(len(links) - 1, -1, -1):
        if links[i].parent >= 0:
            end[links[i].parent] = max(end[links[i].parent], end[i])
    return first, end


def slid(tree: Tree) -> Tree:
    """Move link origins along their axes; the bodies' frames stay where they are."""
    links, slides = [*tree.links], [ZERO] * len(tree.links)
    carried: list[list[int]] = [[] for _ in links]
    for i, link in enumerate(links):
        if link.parent >= 0:
            carried[link.parent].append(i)
    for i, own in enumerate(carried):
        for slide in _slides(links[i], [links[k] for k in own]):
            moved, *children = _slide_link(links[i], [links[k] for k in own], slide)
            if _components([moved, *children]) > _components([links[i], *(links[k] for k in own)]):
                continue
            slides[i], links[i] = slide, moved
            for k, child in zip(own, children, strict=True):
                links[k] = child
            break
    places = {name: _shift_place(place, links, slides) for name, place in tree.places.items()}
    return Tree(tuple(links), places)


def _slides(link: Link, children: Sequence[Link]) -> Iterator[Expression]:
    """Yield lengths (m) by which a link's origin may slide along its axis, the best first.

    The slide makes the offset from the carrier zero along the axis's largest component. An offset from the fixed frame
    costs no operations; so there, slides make a carried link's offset zero along the axis.
    """
    if link.parent < 0:
        yield from islice((child.shift[link.axis] for child in children if child.shift[link.axis]), 2)
        return
    e = _axis(link)
    if all(x.constant for x in e):
        k = _largest(e)
        if link.shift[k]:
            yield -(link.shift[k] / e[k])


def _slide_link(link: Link, children: Sequence[Link], slide: Expression) -> list[Link]:
    """Return the link with its origin moved by ``slide``, then the links that it carries, with their new offsets."""
    e = _axis(link)
    shift = [*plus(link.shift, times(e, slide))]
    if link.parent >= 0:
        shift[_largest(e)] = ZERO  # by the choice of the slide: the sum need not see it
    back = add_along_axis(NULL, link.axis, -slide)
    moved = replace(link, shift=triple(shift), mass=link.mass.shift(back))
    return [moved, *(replace(child, shift=plus(child.shift, back)) for child in children)]


def _shift_place(place: Place, links: Sequence[Link], slides: Sequence[Expression]) -> Place:
    """Express a frame fixed to a link relative to the link's new origin."""
    if place.link < 0:
        return place
    return replace(place, shift=add_along_axis(place.shift, links[place.link].axis, -slides[place.link]))


def _axis(link: Link) -> Vector:
    """Return the joint's axis in the carrier's axes."""
    return transpose(link.turn or UNITS)[link.axis]


def _largest(e: Vector) -> int:
    """Return the index of the largest component of a constant unit vector, by absolute value."""
    sizes = [abs(float(x)) for x in evaluate(e, {})]
    return sizes.index(max(sizes))


def _components(links: Sequence[Link]) -> int:
    """Count the nonzero components of offsets, without links on the fixed frame."""
    return sum(bool(x) for link in links if link.parent >= 0 for x in link.shift)


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
