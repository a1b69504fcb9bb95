"""Static moments of subsystems by Timofeev: write-out and statics.

``links`` → ``moments`` → ``write_out`` is the paper's sequence; :func:`walker` treats hulls with legs.

Walking machines: a hull with legs (sections 9 and 10 of the paper), the moments of the legs and of the machine.

The machine's moment about C_d, the mass centre of the augmented hull, is the sum of its legs' moments about their
points of suspension: m̄_c = m_d d̄ + Σ m̄_l, where d = 0. So the mass centre is at C_d + m̄_c / m, and the machine is
stable as long as this point's plumb line meets the support polygon.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from typing import ClassVar

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.derivation import Assignment, Derivation, Lazy, LazySequence, Stage
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ZERO, Expression, substitute, symbol
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, list_jointed_bodies
from mbconcord.model.naming import Named, Namer
from mbconcord.model.notation.listing import Leg, Walker

from . import writeout
from .joint_forces import joint_forces
from .links import Frames, Link, children, frames, positions, seat_bodies
from .machine import Machine, Part, machine_lines
from .moments import Moment, moments, subsystem_masses
from .vectors import NONE, Triple, cross, dot, plus, times
from .writeout import MACRON, Result, WriteOut, in_fixed_axes, write_out


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
    meanings: dict[str, Sequence[Expression]]
    letters = {name: name for name in known} | names
    meanings = {shown: placed.units.get(name) or (known.get(name, symbol(name)),) for shown, name in letters.items()}
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
