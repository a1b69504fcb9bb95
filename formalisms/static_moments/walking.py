"""Walking machines: a hull with legs (sections 9 and 10 of the paper), their moments and the machine's.

The machine's moment about C_d, the mass centre of the augmented hull, is the sum of its legs' moments about their
points of suspension: m̄_c = m_d d̄ + Σ m̄_l, where d = 0. So the mass centre is at C_d + m̄_c / m, and the machine is
stable as long as this point's plumb line meets the support polygon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mbconcord.model import System
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ZERO, Expression, substitute, symbol
from mbconcord.model.notation.section import Leg, Walker

from .frames import frames
from .links import Link, children, links, seat_bodies
from .machine import Machine, Part, machine_lines
from .moments import Moment, moments, subsystem_masses
from .vectors import NONE, plus, times
from .writeout import WriteOut, in_fixed_axes, write_out


def walker(system: System, count: int | None = None) -> Walker:
    """Derive the moments of a machine with the fixed frame as hull; or of ``count`` equal legs, the model being one.

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
    lines = machine_lines(
        Machine(tuple(own) if count is None else (own[0],) * count, count is not None, constants(parts))
    )
    placed, masses = frames(made), subsystem_masses(made)
    total, moment = ZERO, NONE
    for root in roots:
        mass = masses[root.number]
        at = root.arm if root.revolute else plus(root.arm, times(root.q, placed.joint_axis(root)))
        total = total + mass
        moment = plus(moment, plus(times(mass, at), in_fixed_axes(written.find_result(root.number), placed)))
    carriers = {name: seat.link for name, seat in seats.items()}
    standing = () if count is not None else tuple(_leg(whole, leg, carriers) for leg in legs)
    distances = tuple(k.coordinate for k in made if not k.revolute)
    return Walker(lines, standing, total, moment, distances)


def machine_moment(leg: System, legs: int) -> dict[str, Expression]:
    """Derive m̄_c of a machine with ``legs`` equal legs, over НКО: the scalar of each vector.

    Constants m_di are those of the first leg, the same for all; m_qj is written m_j q, with q numbered
    through the machine: leg l of n bodies has q_{n(l-1)+1} to q_{nl}. A vector that is not of the fixed
    frame has the leg's number behind its own: ``x_1`` of leg 3 is ``x_1_3``.

    Raises
    ------
    FormalismError
        The table of a leg has several roots: a leg hangs from the hull at one point.
    """
    made = links(leg)
    root = one_root(made)
    terms = expand_sums(write_out(moments(made)), root.number)
    n = len(made)
    total: dict[str, Expression] = {}
    for number in range(1, legs + 1):
        own = {
            symbol(f"m_q{k.number}"): symbol(f"m_{k.number}") * symbol(f"q{n * (number - 1) + k.number}") for k in made
        }
        for unit, scalar in terms.items():
            name = unit if unit in ("x", "y", "z") else f"{unit}_{number}"
            total[name] = total.get(name, ZERO) + substitute([scalar], own)[0]
    return total


def one_root(made: Sequence[Link]) -> Link:
    """Return the link by which a leg hangs from the hull."""
    roots = children(made)[0]
    if len(roots) != 1:
        found = f"a leg with {len(roots)} roots ({', '.join(r.coordinate for r in roots)}); expected one"
        raise FormalismError(error("bodies", found, "one body of a leg has the base 0: the hull"))
    return roots[0]


def behind(made: Sequence[Link], root: Link) -> list[Link]:
    """List a link and all that it carries, in order."""
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
    """Return m_i of every link, and its m_di, by name."""
    found = {f"m_{part.link.number}": part.mass for part in parts}
    return found | {scalar.name: scalar.value for part in parts for scalar in part.scalars}


def expand_sums(written: WriteOut, number: int) -> dict[str, Expression]:
    """Expand m̄_i over m_di and m_qj alone, without intermediate sums: the scalar of each vector."""
    meaning: dict[Expression, Expression] = {}
    for made in written.sums:
        summands = substitute(made.summands, meaning)
        meaning[symbol(made.scalar.name)] = sum(summands, ZERO)
    terms = written.find_result(number).terms
    return {term.unit: substitute([term.shown], meaning)[0] for term in terms}
