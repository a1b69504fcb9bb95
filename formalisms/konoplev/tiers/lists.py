"""The equations as tiers (ярусы), item 8 of the paper: lists of named scalars, each over the names of earlier tiers.

A-I rows s, A-II rows z, A-III the matrix A(q); b-I twists V, b-II W, b-III ``b¹ = S W``, b-IV rates of the rows,
b-V ``b² = Z Ṡᵀ q̇``; Q-I weights, Q-II their generalized forces; U-I and U-II the same of all other forces; D-I the rows
of constraints, D-II their ``γ̃ = Ḋᵀ q̇ + γ̇``. The equations, (4.1) with (4.6), and (4.8), follow. A name that is absent
means zero; one whose value vanishes identically, as the paper's b²₁, is 0 where it stands and used nowhere. Names are
the paper's: ``s_{3,3}^{2-5}`` is component 3 of the row of body 3 that belongs to direction 5 of the pair of body 2.
Tiers A-0, b-0, … hold auxiliary names of systems whose rows are long.

Each stage takes what it needs of earlier ones as values and puts its own lines into ``names``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mbconcord.model.expressions import as_expression
from mbconcord.model.notation.listing import Listing
from mbconcord.model.notation.section import Section
from mbconcord.model.notation.simplification import without_zeros

from ..aggregates import mass_matrix, projected, with_armatures
from ..arithmetic import Symbolic
from ..body import Axes
from ..canonical import column, nodes, square
from ..forces import efforts, loads
from ..mechanism import Mechanism
from ..screw import REST
from ..structure import Direction, Rows, bias
from ..vectors import Vector, absent, add, against, plus, times
from .closing import balances, closing
from .labels import TITLES, absolute, named_forces, named_row, named_vector
from .naming import Names
from .notation import TIERS
from .parallelism import loads_table
from .places import NamedPlaces
from .rows import Named, named, rates


def tiers(name: str, mechanism: Mechanism, axes: Axes) -> Listing:
    """The equations over names; the values of M, h, gravity and applied are names, or sums of two.

    Evaluating the assignments in order gives the numbers of the canonical quantities, and of D and γ̃ of constraints.
    """
    lines, order = Names(), mechanism.system.coordinate_names
    made = named(mechanism, axes, lines)
    z = products(made, lines)
    A = matrix(made, z, lines)
    first = inertial_forces(made, lines)
    second = rate_forces(made, z, lines)
    b = {d: add(first.get(d, 0), second.get(d, 0)) for d in made.tree.free()}
    Q = weights(made, lines)
    places = NamedPlaces(made, lines)
    U = applied(made, places, lines)
    closed = closing(made, places, lines)
    quantities = {
        "M": nodes(square(A, order)),
        "h": nodes(column(b, order)),
        "gravity": nodes(column(Q, order)),
        "applied": nodes(tuple(U.get(coordinate, 0) for coordinate in order)),
    }
    listing = Listing(
        name,
        mechanism.system,
        quantities,
        lines.stages(TITLES),
        native={"D": closed.D, "γ̃": closed.rest} if closed.rows else {},
        rows=closed.rows,
        notation=TIERS,
        balances=balances(made.tree, A, (first, second), (Q, U), closed),
        unknowns=closed.multipliers,
    )
    found = without_zeros(listing)
    return replace(found, sections=(Section("work of the tiers", table=loads_table(found.stages)),))


def products(made: Named, names: Names) -> dict[int, Rows]:
    """Tier A-II: rows of Z = S A."""
    return {
        number: {
            d: named_row(names, "A-II", "z", number, d, against(row, inertia.matrix))
            for d, row in made.rows[number].items()
        }
        for number, inertia in made.inertias.items()
    }


def matrix(made: Named, z: Mapping[int, Rows], names: Names) -> dict[tuple[Direction, Direction], Any]:
    """Tier A-III: A(q) = Z Sᵀ, and what armatures add."""
    own = mass_matrix((z[number], made.rows[number]) for number in made.inertias)
    found = with_armatures(own, made.mechanism.system, made.tree, Symbolic().of)
    return {(i, j): names.give("A-III", f"A_{{{j.name}}}^{{{i.name}}}", x) for (i, j), x in found.items()}


def inertial_forces(made: Named, names: Names) -> dict[Direction, Any]:
    """Tiers b-I to b-III: twists V = Sᵀ q̇, then W and the flywheels' N, then b¹ = S (W + N)."""
    twists, forces = {}, []
    for number in made.inertias:
        moving = (times(d.rate, row) for d, row in made.rows[number].items())
        twists[number] = named_vector(names, "b-I", "V", number, plus(REST, *moving), absolute(number))
    for number, inertia in made.inertias.items():
        twist = twists[number]
        W = named_vector(names, "b-II", "W", number, inertia.gyroscopic(twist), absolute(number))
        reactions = plus(REST, *(rotor.reaction(twist) for rotor in inertia.rotors))
        N = named_vector(names, "b-II", "N", number, reactions, absolute(number))
        forces.append((made.rows[number], plus(W, N)))
    return named_forces(names, "b-III", "b", "^{1}", projected(forces))


def rate_forces(made: Named, z: Mapping[int, Rows], names: Names) -> dict[Direction, Any]:
    """Tiers b-IV and b-V: rows of Ṡ, then b² = Z Ṡᵀ q̇."""
    turning = rates(made, names)
    accelerations = ((z[number], _bias(made, number, turning[number], names)) for number in made.inertias)
    return named_forces(names, "b-V", "b", "^{2}", projected(accelerations))


def _bias(made: Named, number: int, turning: Rows, names: Names) -> Vector:
    """V̇ where q̈ = 0; sums get the name ``dV_{p,i}^{0,p}``, single products none."""
    return tuple(
        names.give("b-V", f"dV_{{{number},{i}}}{absolute(number)}", x) if is_sum(x) else x
        for i, x in enumerate(bias(made.rows[number], turning), 1)
    )


def weights(made: Named, names: Names) -> dict[Direction, Any]:
    """Tiers Q-0 to Q-II: gravity in the axes of every link, weights G, and S G."""
    fall: dict[int, Vector] = {0: tuple(made.mechanism.system.gravity_vector)}
    forces = []
    for number, link in made.tree.links.items():
        turned = against(fall[link.parent], made.tree.matrices[number].transfer.c)
        fall[number] = tuple(names.shorten("Q-0", f"g_{{{number},{i}}}", x) for i, x in enumerate(turned, 1))
        inertia = made.inertias.get(number)
        if inertia:
            g = against(fall[number], inertia.seat.c) if inertia.seat else fall[number]
            forces.append((made.rows[number], named_vector(names, "Q-I", "G", number, inertia.weight(g))))
    return named_forces(names, "Q-II", "Q", "", projected(forces))


def applied(made: Named, places: NamedPlaces, names: Names) -> dict[str, Any]:
    """Tiers U-0 to U-II: all other forces on the bodies, and S F + u by coordinate."""
    system = made.mechanism.system
    wrenches: dict[int, Vector] = {}
    for number, wrench in loads(system, places):
        wrenches[number] = plus(wrenches.get(number, REST), wrench)
    acting = []
    for number, wrench in wrenches.items():
        inertia = made.inertias.get(number)
        seated = inertia.seat.inverse().wrench(wrench) if inertia and inertia.seat else wrench
        acting.append((made.rows[number], named_vector(names, "U-I", "F", number, seated)))
    total = {d.coordinate: value for d, value in projected(acting).items()}
    for coordinate, effort in efforts(system, Symbolic()):
        total[coordinate] = add(total.get(coordinate, 0), effort)
    return {
        d.coordinate: names.give("U-II", f"U_{{{d.name}}}", total.get(d.coordinate, 0))
        for d in made.tree.free()
        if d.coordinate
    }


def is_sum(x: Any) -> bool:
    """Whether a scalar is a sum, or the opposite of one."""
    if absent(x):
        return False
    node = as_expression(x)
    return (node.args[0] if node.op == "neg" else node).op == "add"
