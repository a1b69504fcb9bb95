"""Static moments of subsystems by Timofeev: write-out and statics.

``links`` → ``moments`` → ``write_out`` is the paper's sequence; :func:`walker` treats hulls with legs.

Walking machines: a hull with legs (sections 9 and 10 of the paper), the moments of the legs and of the machine.

The machine's moment about C_d, the mass centre of the augmented hull, is the sum of its legs' moments about their
points of suspension: m̄_c = m_d d̄ + Σ m̄_l, where d = 0. So the mass centre is at C_d + m̄_c / m, and the machine is
stable as long as this point's plumb line meets the support polygon.

Forces in joints from static moments: the load of each joint from the masses, the weights and the forces beyond it.

The first moment of what joint k carries about the fixed origin is m_k r_k + m̄_k, with r_k the pole O_k, so that

    F_k = (m_k r_k + m̄_k)'' - m_k g - Σ F ,

F the loads on the bodies that joint k carries. A body of the link, with axes e_i in the fixed frame and second moments
P_ij = ∫ ρ_i ρ_j dm about its centre c, has about c the inertial moment Σ P_ij e_i × e_j'', without angular velocity:

    N_k = Σ_own [ (c - r_k) × m (c'' - g) + Σ P_ij e_i × e_j'' ] + Σ_j [ N_j + (r_j - r_k) × F_j ] - Σ loads .

At rest F_k = -m_k g and N_k = -m̄_k × g: the statics of section 1 in all directions, not only along the joint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from typing import ClassVar
from unicodedata import normalize

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import Body, System
from mbconcord.model.derivation import Assignment, Derivation, Lazy, LazySequence, Stage
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import HALF, ZERO, Expression, sqrt, substitute, symbol, time_derivative
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.force import Bipolar, Point, PointForce, Wrench
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, list_jointed_bodies
from mbconcord.model.naming import Named, Namer
from mbconcord.model.notation.listing import Leg, Walker
from mbconcord.records import dataclass

from . import writeout
from .links import (
    NONE,
    UNIT,
    Columns,
    Frames,
    Link,
    Seat,
    Triple,
    children,
    cross,
    dot,
    frames,
    from_frame,
    minus,
    plus,
    poles,
    positions,
    seat_bodies,
    times,
    to_frame,
)
from .machine import Machine, Part, machine_lines
from .moments import Moment, moments, subsystem_masses
from .writeout import MACRON, Result, WriteOut, in_fixed_axes, static_moments, write_out


@dataclass(frozen=True)
class Load:
    """A force (N) at a point (m, from the origin of the fixed frame) of a link, and a moment (N m), in fixed axes."""

    link: int
    at: Triple
    force: Triple
    moment: Triple = NONE


@dataclass(frozen=True)
class Places:
    """Poses of the bodies' frames in fixed axes, from their seats on the links and the links' axes and poles."""

    seats: Mapping[str | None, Seat]
    axes: Mapping[int, Columns]
    poles: Mapping[int, Triple]

    def frame(self, body: str | None) -> Columns:
        """Return the axes of a body's frame."""
        seat = self.seats[body]
        first, second, third = (from_frame(self.axes[seat.link], column) for column in seat.axes)
        return first, second, third

    def origin(self, body: str | None) -> Triple:
        """Return the origin of a body's frame."""
        seat = self.seats[body]
        return plus(self.poles[seat.link], from_frame(self.axes[seat.link], seat.origin))

    def point(self, point: Point) -> Triple:
        """Return the position of a body's point."""
        return plus(self.origin(point.body), from_frame(self.frame(point.body), point.position))


def loads(system: System, places: Places) -> Iterator[Load]:
    """Yield every force at a point, wrench and bipolar element, except those on the fixed frame."""
    for force in system.forces:
        if isinstance(force, Bipolar):
            yield from _bipolar(system, force, places)
        elif isinstance(force, (PointForce, Wrench)):
            link, frame = places.seats[force.point.body].link, places.frame(force.point.body)
            turning = from_frame(frame, force.moment) if isinstance(force, Wrench) else NONE
            if link:
                push = from_frame(frame, force.force) if force.follows else force.force
                yield Load(link, places.point(force.point), push, turning)


def _bipolar(system: System, force: Bipolar, places: Places) -> Iterator[Load]:
    """Yield the two forces of a bipolar element along the line of its points; a positive one pushes them apart."""
    first, second = places.point(force.first), places.point(force.second)
    apart = minus(second, first)
    length = sqrt(dot(apart, apart))
    if not length:
        raise FormalismError(
            error(f"forces/{force.name}", "its two points coincide: no line between them", "move one of them")
        )
    (growth,) = time_derivative([length], system.coordinate_names)
    part = force.force_per_length(length, growth)
    push = times(force.force(length, growth) / length if part is None else part, apart)
    for end, at, own in ((force.first, first, minus(NONE, push)), (force.second, second, push)):
        if places.seats[end.body].link:
            yield Load(places.seats[end.body].link, at, own)


@dataclass(frozen=True)
class Mass:
    """A body of a link in fixed axes: mass, centre from the origin of the fixed frame, second moments, and its axes."""

    link: int
    mass: Expression
    centre: Triple
    second: Columns
    axes: Columns


def joint_forces(system: System) -> tuple[tuple[Expression, ...], ...]:
    """Derive the force (N) and moment (N m) in the joint of each moving body, at its origin and in its axes: k×6."""
    whole = system.lump_masses()
    made, seats = seat_bodies(whole)
    placed = frames(made)
    places = Places(seats, placed.axes, poles(made, placed))
    acting = [*loads(whole, places)]
    forces = _forces(whole, made, placed, places, acting)
    about = _moments(whole, made, places, acting, forces)
    found = []
    for name in list_jointed_bodies(system):
        link, axes = seats[name].link, places.frame(name)
        arm = minus(places.origin(name), places.poles[link])
        turning = minus(about[link], cross(arm, forces[link]))
        found.append((*to_frame(axes, forces[link]), *to_frame(axes, turning)))
    return tuple(found)


def _forces(
    system: System, made: Sequence[Link], placed: Frames, places: Places, acting: Sequence[Load]
) -> dict[int, Triple]:
    """Compute F_k of every link, in fixed axes."""
    parts = moments(made)
    moment, firsts = static_moments(parts, placed), []
    for part in parts:
        about_pole = moment[part.link.number]
        firsts.append(plus(times(part.mass, places.poles[part.link.number]), about_pole))
    carried = children(made)
    pushes: dict[int, Triple] = {}
    for link in reversed(made):
        own = [pushes[j.number] for j in carried[link.number]]
        own += [load.force for load in acting if load.link == link.number]
        pushes[link.number] = _sum(own)
    fall = system.gravity_vector
    return {
        part.link.number: minus(minus(growth, times(part.mass, fall)), pushes[part.link.number])
        for part, growth in zip(parts, _twice(system, firsts), strict=True)
    }


def _moments(
    system: System, made: Sequence[Link], places: Places, acting: Sequence[Load], forces: dict[int, Triple]
) -> dict[int, Triple]:
    """Compute N_k of every link about its pole, in fixed axes."""
    masses = [_mass(body, places) for body in system.bodies if not body.inertia.is_zero]
    own: dict[int, list[Triple]] = {link.number: [] for link in made}
    for mass, centre, *axes in _differentiate_bodies(system, [m for m in masses if m.link]):
        needed = times(mass.mass, minus(centre, system.gravity_vector))
        own[mass.link].append(cross(minus(mass.centre, places.poles[mass.link]), needed))
        own[mass.link] += [cross(from_frame(mass.axes, row), axis) for row, axis in zip(mass.second, axes, strict=True)]
    for load in acting:
        arm = minus(load.at, places.poles[load.link])
        own[load.link].append(minus(NONE, plus(cross(arm, load.force), load.moment)))
    carried = children(made)
    found: dict[int, Triple] = {}
    for link in reversed(made):
        total = _sum(own[link.number])
        for j in carried[link.number]:
            arm = minus(places.poles[j.number], places.poles[link.number])
            total = plus(total, plus(found[j.number], cross(arm, forces[j.number])))
        found[link.number] = total
    return found


def _mass(body: Body, places: Places) -> Mass:
    """Compute the mass properties of a body in fixed axes. P = ½ tr(I) E - I."""
    rows, axes = body.inertia.matrix(), places.frame(body.name)
    half = HALF * (rows[0][0] + rows[1][1] + rows[2][2])
    first, second, third = (minus(times(half, e), row) for e, row in zip(UNIT, rows, strict=True))
    centre = plus(places.origin(body.name), from_frame(axes, body.inertia.centre))
    return Mass(places.seats[body.name].link, body.inertia.mass, centre, (first, second, third), axes)


def _differentiate_bodies(system: System, masses: Sequence[Mass]) -> list[tuple[Mass, Triple, Triple, Triple, Triple]]:
    """List the bodies, each with c'' of its centre and e_1'', e_2'', e_3'' of its axes."""
    vectors = iter(_twice(system, [v for mass in masses for v in (mass.centre, *mass.axes)]))
    return [(mass, next(vectors), next(vectors), next(vectors), next(vectors)) for mass in masses]


def _twice(system: System, vectors: Sequence[Triple]) -> list[Triple]:
    """Differentiate vectors twice with respect to time."""
    names = system.coordinate_names
    rates = time_derivative([x for v in vectors for x in v], names)
    found = iter(time_derivative(rates, names))
    return [(next(found), next(found), next(found)) for _ in vectors]


def _sum(vectors: Sequence[Triple]) -> Triple:
    total = NONE
    for v in vectors:
        total = plus(total, v)
    return total


def walker(system: System, count: int | None = None) -> Walker:
    """Derive the moments of a machine whose hull is the fixed frame; with ``count``, of that many copies of the model.

    Raises
    ------
    FormalismError
        There are no legs, or one leg has several roots: a leg hangs from the hull at one point.
    """
    whole = system.lump_masses()
    made, seats = seat_bodies(whole)
    parts = moments(made)
    written = write_out(parts)
    roots = children(made)[0]
    if not roots:
        raise FormalismError(error("bodies", "no body of the model moves: there are no legs", "one leg is one table"))
    if count is not None:
        one_root(made)
    legs = [behind(made, root) for root in roots]
    own = [
        Part(expand_sums(written, leg[0].number), tuple(k.number for k in leg), tuple(k.coordinate for k in leg))
        for leg in legs
    ]
    known = constants(parts)
    lines, names = machine_lines(Machine(tuple(own) if count is None else (own[0],) * count, count is not None, known))
    placed, masses = frames(made), subsystem_masses(made)
    total, moment = ZERO, NONE
    hanging = [in_fixed_axes(written.find_result(root.number), placed) for root in roots]
    for root, own_moment in zip(roots, hanging, strict=True):
        mass = masses[root.number]
        at = root.arm if root.revolute else plus(root.arm, times(root.q, placed.joint_axis(root)))
        total = total + mass
        moment = plus(moment, plus(times(mass, at), own_moment))
    meanings: dict[str, Sequence[Expression]] = {}  # coordinates may be called x and y, as vectors are
    for shown, name in ({name: name for name in known} | names).items():
        unit = placed.units.get(name) if MACRON in normalize("NFD", shown) else None
        meanings[shown] = unit or (known.get(name, symbol(name)),)
    hanging *= count or 1
    meanings |= {f"m{MACRON}_{i}": x for i, x in enumerate(hanging, 1)} | {f"m{MACRON}_c": reduce(plus, hanging)}
    carriers = {name: seat.link for name, seat in seats.items()}
    standing = () if count is not None else tuple(_leg(whole, leg, carriers) for leg in legs)
    distances = tuple(k.coordinate for k in made if not k.revolute)
    return Walker(lines, standing, total, moment, distances, meanings)


def one_root(made: Sequence[Link]) -> Link:
    """Return the link by which a leg hangs from the hull."""
    roots = children(made)[0]
    if len(roots) != 1:
        found = f"a leg with {len(roots)} roots ({', '.join(r.coordinate for r in roots)}); expected one"
        raise FormalismError(error("bodies", found, "one body of a leg has the base 0: the hull"))
    return roots[0]


def behind(made: Sequence[Link], root: Link) -> list[Link]:
    """List a link and all links that it carries, in order."""
    found, held = [root], {root.number}
    for link in made:
        if link.base in held:
            found.append(link)
            held.add(link.number)
    return found


def _leg(system: System, leg: Sequence[Link], carriers: Mapping[str | None, int]) -> Leg:
    numbers = {k.number for k in leg}
    bodies = tuple(b.name for b in system.bodies if carriers[b.name] in numbers)
    return Leg(bodies, tuple(k.coordinate for k in leg))


def constants(parts: Sequence[Moment]) -> dict[str, Expression]:
    """Return the constants m_i and m_di of every link, by name."""
    found = {f"m_{part.link.number}": part.mass for part in parts}
    return found | {scalar.name: scalar.value for part in parts for scalar in part.scalars}


def expand_sums(written: WriteOut, number: int) -> dict[str, Expression]:
    """Return the scalar of each vector in m̄_i, i = ``number``, over m_di and m_qj alone, without intermediate sums."""
    meaning: dict[Expression, Expression] = {}
    for made in written.sums:
        summands = substitute(made.summands, meaning)
        meaning[symbol(made.scalar.name)] = sum(summands, ZERO)
    terms = written.find_result(number).terms
    return {term.unit: substitute([term.shown], meaning)[0] for term in terms}


# The intermediates under the paper's names, and its own lines.


def stages(system: System, moments: Sequence[Moment], written: WriteOut, placed: Frames) -> tuple[Stage, ...]:
    """List masses, m_di and m_qj, the write-out, and the vectors НКО in fixed axes."""
    shifts = [m.shift for m in moments if m.shift is not None and m.shift.value]
    namer = Namer(system.names, is_compound)

    def all_of(items: Iterable[Named]) -> tuple[Assignment, ...]:
        """Name every item, even trivial ones: the lines of the paper use these names."""
        return tuple(Assignment(namer.fresh(name), x) for name, x in items)

    made = [
        Stage("m", "masses m_i of the subsystems", all_of(_masses(moments))),
        Stage(
            "m_d", "m_di = m_i d_i, first moments of the augmented bodies",
            all_of((s.name, s.value) for m in moments for s in m.scalars),
        ),
        Stage("m_q", "m_qj = m_j q_j", all_of((s.name, s.value) for s in shifts)),
        Stage(
            "m_c, m_r", "static moments of the subsystems about their poles, (1)-(2)",
            all_of((s.scalar.name, s.scalar.value) for s in written.sums),
            tuple(written.lines()),
        ),
        Stage("НКО", "vectors НКО in fixed axes", namer.assignments(_units(written, placed))),
    ]  # fmt: skip
    return tuple(stage for stage in made if stage.assignments or stage.written)


def _masses(moments: Iterable[Moment]) -> Iterator[Named]:
    return ((f"m_{m.link.number}", m.mass) for m in moments if m.mass.args)


def _units(written: WriteOut, placed: Frames) -> Iterator[Named]:
    for unit in written.units:
        for axis, x in zip("XYZ", placed.units[unit], strict=True):
            yield f"{unit}_{axis}", x


def is_compound(x: Expression) -> bool:
    """Return True if a component is worth a name: not cos(q1) or a number."""
    return x.op in ("add", "mul") and not x.constant


class StaticMoments(Formalism):
    """Static moments m̄_i of subsystems; gravity from them.

    The weight of a revolute link and all it carries has the moment m̄_i × g about its pole; for a prismatic
    link, the weight m_i g acts along the axis::

        Q_i = q̄_i · (m̄_i × g)      (revolute)          Q_i = m_i q̄_i · g      (prismatic)

    Identity: Q = -∂Π/∂q with Π = -g · Σ m_p r_p. Armatures have no weight. For deep machines m̄_i is summed in fixed
    axes (:mod:`.writeout`); their write-out is computed on request.
    """

    name: ClassVar[str] = "static_moments"
    title: ClassVar[str] = "Static moments of subsystems (Timofeev)"
    reference: ClassVar[str] = "Timofeev, Formalism of writing out static moments, eqs. (1)-(2)"
    takes: ClassVar[frozenset[str]] = OPEN_TREES | {"armatures", "follower_forces"}

    def derive(self, system: System) -> Derivation:
        """Derive gravity; native ``static_moments`` are m̄_i of every link in fixed axes (kg m), link by link.

        Other native quantities: ``r``, the origins of the bodies' frames in fixed axes (m), and forces in the joints.
        """
        self.require(system)
        whole = system.lump_masses()
        made, seats = seat_bodies(whole)
        parts = moments(made)
        written = cache(lambda: write_out(parts))
        placed = frames(made)
        fall = whole.gravity_vector
        if writeout.deep(parts):
            about = writeout.sum_moments(parts, placed)
            forces = {m.link.coordinate: writeout.force(m, about[m.link.number], placed, fall) for m in parts}
        else:
            forces = {m.link.coordinate: force(m, written().find_result(m.link.number), placed, fall) for m in parts}
        gravity = tuple(forces.get(name, ZERO) for name in system.coordinate_names)
        bodies = tuple(body.name for body in system.bodies)
        native = Lazy(
            {
                "static_moments": lambda: tuple(in_fixed_axes(written().find_result(k.number), placed) for k in made),
                "r": lambda: positions(made, seats, placed, bodies),
                JOINT_FORCES: lambda: joint_forces(system),
            }
        )
        shown = LazySequence(lambda: stages(system, parts, written(), placed))
        axes = ("x", "y", "z")
        indices = {
            "static_moments": ((), axes), "r": (bodies, axes), JOINT_FORCES: (list_jointed_bodies(system), COMPONENTS),
        }  # fmt: skip
        return Derivation(self.name, system, {"gravity": gravity}, shown, native, indices=indices)

    def walker(self, system: System, legs: int | None = None) -> Walker:
        """Derive the moments of a walking machine, or of one made of ``legs`` copies of the model (sections 9, 10)."""

        self.require(system)
        return walker(system, legs)

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...]:
        """Derive the forces in the joints of a tree from the static moments of the carried bodies."""
        self.require(system)
        return joint_forces(system)


def force(moment: Moment, result: Result, placed: Frames, fall: Triple) -> Expression:
    """Compute gravity's generalized force of one coordinate: q̄ · (m̄ × g) = Σ M_u (q̄ × ū) · g over НКО."""
    link = moment.link
    if not link.revolute:
        return moment.mass * dot(placed.joint_axis(link), fall)
    own = axis_name(link)
    total = ZERO
    for term in result.terms:
        if own is None:
            arm = cross(placed.joint_axis(link), placed.units[term.unit])
        elif term.unit == own[1]:  # a vector along the joint's axis has no moment about it
            continue
        else:
            arm = times(own[0], placed.cross(own[1], term.unit))
        total = total + term.value * dot(arm, fall)
    return total


def axis_name(link: Link) -> tuple[Expression, str] | None:
    """Return sign and name of the joint's axis, if it is an axis of the link."""
    along = [i for i, a in enumerate(link.axis) if a]
    return (link.axis[along[0]], link.names[along[0]]) if len(along) == 1 else None
