"""The equations as tiers (ярусы), item 8 of the paper: lists of named scalars, each over the names of earlier tiers.

A-I rows s, A-II rows z, A-III the matrix A(q); b-I twists V, b-II W, b-III ``b¹ = S W``, b-IV rates of the rows, b-V
``b² = Z Ṡᵀ q̇``; Q-I weights, Q-II their generalized forces; U-I and U-II the same of all other forces; D-I the rows of
constraints, D-II their ``γ̃ = Ḋᵀ q̇ + γ̇``. The equations, (4.1) with (4.6), and (4.8), follow. An absent name means
zero; one whose value vanishes identically, as the paper's b²₁, is written as 0 and used nowhere. Names are the paper's:
``s_{3,3}^{2-5}`` is component 3 of the row of body 3 that belongs to direction 5 of the pair of body 2. Tiers A-0, b-0,
… hold auxiliary names of systems with long rows.

The function of each tier takes results of earlier tiers as arguments and puts its own lines into ``names``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Any, ClassVar

from mbconcord.model.expressions import as_expression, to_text
from mbconcord.model.expressions.latex import latex_name
from mbconcord.model.expressions.mathml import mathml_name
from mbconcord.model.notation.listing import Listing, Notation, ReportSection
from mbconcord.model.notation.simplification import without_zeros

from ..aggregates import mass_matrix, project_wrenches, with_armatures
from ..body import Axes
from ..canonical import column, nodes, square
from ..forces import efforts, loads
from ..mechanism import Mechanism
from ..structure import Direction, Rows, bias
from ..vectors import REST, Symbolic, Vector, absent, add, plus, times, to_column_axes
from .closing import Named, NamedPlaces, balances, closing, name_rows, rates
from .naming import TITLES, Names, TierLoad, absolute, loads_table, named_forces, named_row, named_vector, tier_loads

# Notation of tier names: ``s_{3,3}^{2-5}`` has a letter, a subscript and a superscript.


NAME = re.compile(r"(?P<letter>[^_{}^]+)_\{(?P<below>[^{}]*)\}(?:\^\{(?P<above>[^{}]*)\})?")
LATEX = {
    "ṡ": r"\dot{s}",
    "Ȧ": r"\dot{A}",
    "Θ": r"\Theta",
    "γ̃": r"\tilde{\gamma}",
    "λ": r"\lambda",
    "dl": r"\dot{l}",
    "dx": r"\dot{x}",
    "dV": r"\dot{V}",
}
MATHML = {"ṡ": "s", "Ȧ": "A", "dl": "l", "dx": "x", "dV": "V"}
CODE = {"ṡ": "ds", "Ȧ": "dA", "Θ": "Theta", "γ̃": "gamma_rate", "λ": "lambda"}


class TierNotation(Notation):
    """Notation with the paper's names; in JSON, items have body, component and row, and tiers their cost."""

    stages: ClassVar[str] = "tiers"

    def latex(self, name: str) -> str:
        """Typeset a name such as ``s_{3,3}^{2-5}`` in LaTeX, with the dots of rates."""
        match = NAME.fullmatch(name)
        if not match:
            return latex_name(name)
        above = f"^{{{match['above']}}}" if match["above"] else ""
        return f"{LATEX.get(match['letter'], match['letter'])}_{{{match['below']}}}{above}"

    def mathml(self, name: str) -> str:
        """Typeset such a name in MathML."""
        match = NAME.fullmatch(name)
        if not match:
            return mathml_name(name)
        letter = f"<mi>{escape(MATHML.get(match['letter'], match['letter']))}</mi>"
        if match["letter"] in MATHML:
            letter = f"<mover>{letter}<mo>˙</mo></mover>"
        below, above = (f"<mtext>{escape(match[part] or '')}</mtext>" for part in ("below", "above"))
        return f"<msubsup>{letter}{below}{above}</msubsup>" if match["above"] else f"<msub>{letter}{below}</msub>"

    def code(self, name: str) -> str:
        """Write ``s_{3,3}^{2-5}`` as ``s_3,3__2-5}``; characters that programs do not allow are replaced later."""
        flat = name.replace("}^{", "__").replace("_{", "_")
        for letter, spelled in CODE.items():
            flat = flat.replace(letter, spelled)
        return flat

    def mapping(self, listing: Listing) -> dict[str, Any]:
        """Return the tiers for JSON: body, component and direction of every named item, and the work of each tier."""
        *loads, whole = tier_loads(listing.stages)
        tiers = [
            {
                "object": stage.name.split("-")[0],
                "tier": stage.name.partition("-")[2],
                "title": stage.title,
                "items": [parts(a.name) | {"expression": to_text(a.expression)} for a in stage.assignments],
                "work": work(load),
            }
            for stage, load in zip(listing.stages, loads, strict=True)
        ]
        return {self.stages: tiers, "work": work(whole)}


def parts(name: str) -> dict[str, Any]:
    """Parse the name of an item into its parts."""
    found: dict[str, Any] = {"name": name}
    match = NAME.fullmatch(name)
    if match:
        below = match["below"].split(",")
        if len(below) == 2 and all(part.isdigit() for part in below):
            found |= {"body": int(below[0]), "component": int(below[1])}
        direction = match["above"] or ""
        if "-" in direction:
            found["row"] = direction
    return found


def work(load: TierLoad) -> dict[str, Any]:
    """Return the cost of a tier."""
    return {"operations": load.operations, "critical_path": load.critical_path, "average_parallelism": load.parallelism}


TIERS = TierNotation()


def tiers(name: str, mechanism: Mechanism, axes: Axes) -> Listing:
    """List the equations over names; the values of M, h, gravity and applied are names, or sums of two.

    Evaluating the assignments in order gives the numbers of the canonical quantities, and of D and γ̃ of constraints.
    """
    lines, order = Names(), mechanism.system.coordinate_names
    made = name_rows(mechanism, axes, lines)
    z = products(made, lines)
    A = matrix(made, z, lines)
    first = inertial_forces(made, lines)
    second = rate_forces(made, z, lines)
    b = {d: add(first.get(d, 0), second.get(d, 0)) for d in made.tree.free()}
    Q = weights(made, lines)
    places = NamedPlaces(made, lines)
    U = list_applied_forces(made, places, lines)
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
    return replace(found, sections=(ReportSection("work of the tiers", table=loads_table(found.stages)),))


def products(made: Named, names: Names) -> dict[int, Rows]:
    """Write tier A-II: rows of Z = S A."""
    return {
        number: {
            d: named_row(names, "A-II", "z", number, d, to_column_axes(row, inertia.matrix))
            for d, row in made.rows[number].items()
        }
        for number, inertia in made.inertias.items()
    }


def matrix(made: Named, z: Mapping[int, Rows], names: Names) -> dict[tuple[Direction, Direction], Any]:
    """Write tier A-III: A(q) = Z Sᵀ, and the terms of armatures."""
    own = mass_matrix((z[number], made.rows[number]) for number in made.inertias)
    found = with_armatures(own, made.mechanism.system, made.tree, Symbolic().to_scalar)
    return {(i, j): names.give("A-III", f"A_{{{j.name}}}^{{{i.name}}}", x) for (i, j), x in found.items()}


def inertial_forces(made: Named, names: Names) -> dict[Direction, Any]:
    """Write tiers b-I to b-III: twists V = Sᵀ q̇, then W and the flywheels' N, then b¹ = S (W + N)."""
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
    return named_forces(names, "b-III", "b", "^{1}", project_wrenches(forces))


def rate_forces(made: Named, z: Mapping[int, Rows], names: Names) -> dict[Direction, Any]:
    """Write tiers b-IV and b-V: rows of Ṡ, then b² = Z Ṡᵀ q̇."""
    turning = rates(made, names)
    accelerations = ((z[number], _bias(made, number, turning[number], names)) for number in made.inertias)
    return named_forces(names, "b-V", "b", "^{2}", project_wrenches(accelerations))


def _bias(made: Named, number: int, turning: Rows, names: Names) -> Vector:
    """Compute V̇ at q̈ = 0; sums get the name ``dV_{p,i}^{0,p}``, single products no name."""
    return tuple(
        names.give("b-V", f"dV_{{{number},{i}}}{absolute(number)}", x) if is_sum(x) else x
        for i, x in enumerate(bias(made.rows[number], turning), 1)
    )


def weights(made: Named, names: Names) -> dict[Direction, Any]:
    """Write tiers Q-0 to Q-II: gravity in the axes of every link, weights G, and S G."""
    fall: dict[int, Vector] = {0: tuple(made.mechanism.system.gravity_vector)}
    forces = []
    for number, link in made.tree.links.items():
        turned = to_column_axes(fall[link.parent], made.tree.matrices[number].transfer.c)
        fall[number] = tuple(names.shorten("Q-0", f"g_{{{number},{i}}}", x) for i, x in enumerate(turned, 1))
        inertia = made.inertias.get(number)
        if inertia:
            g = to_column_axes(fall[number], inertia.seat.c) if inertia.seat else fall[number]
            forces.append((made.rows[number], named_vector(names, "Q-I", "G", number, inertia.weight(g))))
    return named_forces(names, "Q-II", "Q", "", project_wrenches(forces))


def list_applied_forces(made: Named, places: NamedPlaces, names: Names) -> dict[str, Any]:
    """Write tiers U-0 to U-II: all other forces on the bodies, and S F + u by coordinate."""
    system = made.mechanism.system
    wrenches: dict[int, Vector] = {}
    for number, wrench in loads(system, places):
        wrenches[number] = plus(wrenches.get(number, REST), wrench)
    acting = []
    for number, wrench in wrenches.items():
        inertia = made.inertias.get(number)
        seated = inertia.seat.inverse().wrench(wrench) if inertia and inertia.seat else wrench
        acting.append((made.rows[number], named_vector(names, "U-I", "F", number, seated)))
    total = {d.coordinate: value for d, value in project_wrenches(acting).items()}
    for coordinate, effort in efforts(system, Symbolic()):
        total[coordinate] = add(total.get(coordinate, 0), effort)
    return {
        d.coordinate: names.give("U-II", f"U_{{{d.name}}}", total.get(d.coordinate, 0))
        for d in made.tree.free()
        if d.coordinate
    }


def is_sum(x: Any) -> bool:
    """Return True if a scalar is a sum or a negated sum."""
    if absent(x):
        return False
    node = as_expression(x)
    return (node.args[0] if node.op == "neg" else node).op == "add"
