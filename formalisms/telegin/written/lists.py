"""The list of a planar linkage: names, coefficients by the form's letters, the equations, and the closure of loops.

Inputs of a list of equations.

Terms of each form's equations in the order of the paper: pairs of a coefficient and a variable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from mbconcord.model import System
from mbconcord.model.derivation import Nested
from mbconcord.model.expressions import ZERO, Expression, as_expression, to_text
from mbconcord.model.expressions.latex import latex_name
from mbconcord.model.expressions.mathml import mathml_name
from mbconcord.model.notation.listing import BalanceLine, Listing, Notation, Product, products
from mbconcord.records import dataclass, replace

from .. import planarity
from ..closed import cuts
from ..closed.parts import Cut, Loops
from ..forms import absolute
from ..forms.equations import Equations
from ..linkage import Coefficients, Linkage
from ..loads import Loads, Places
from ..planarity import equations
from ..plane import scalars
from ..tree import tree
from .named import Lines, NamedLinkage

#: A term: its factors.
Term = tuple[Expression, ...]
#: Coefficients of a form by letter, over names.
Letters = Mapping[str, Coefficients]
MINUS = as_expression(-1)


@dataclass(frozen=True)
class Shape:
    """Shape of the equation of link k in one form.

    Attributes
    ----------
    terms : left side, without gravity and loads
    difference : True if the right side is M_k - Σ M_i over the adjacent links instead of M_k
    relative : True if its accelerations are q'' instead of ε
    """

    terms: Callable[[NamedLinkage, Letters, int], Iterator[Term]]
    difference: bool = False
    relative: bool = False


def rud_terms(p: NamedLinkage, _: Letters, k: int) -> Iterator[Term]:
    """Yield Σ (J^c ε_i + J^s ω_i²) + J_k ε_k + Σ Σ (J^c_ij ε_i - J^s_ij ω_i²), (24)."""
    t, epsilon = p.topology, p.motion.epsilon
    for i in t.carriers(k):
        yield p.Jc[k, t.next_link(i, k)], epsilon[i]
        yield p.Js[k, t.next_link(i, k)], p.square[i]
    yield p.bodies[k].J, epsilon[k]
    for j in t.children[k]:
        for i in t.sub[j]:
            yield p.Jc[i, j], epsilon[i]
            yield MINUS, p.Js[i, j], p.square[i]


def matrix_terms(p: NamedLinkage, c: Letters, k: int) -> Iterator[Term]:
    """Yield Σ H_ki ε_i + Σ h_ki ω_i², (20)."""
    for letter, variables in (("H", p.motion.epsilon), ("h", p.square)):
        for i in p.topology.links:
            if (k, i) in c[letter]:
                yield c[letter][k, i], variables[i]


def absolute_terms(p: NamedLinkage, c: Letters, k: int) -> Iterator[Term]:
    """Yield Σ (A ε_i - B ω_i²) + Σ ([J_i + m_di R^x + Σ A_jj] ε_i + [m_di R^y - Σ B_jj] ω_i²), (1)."""
    t, epsilon = p.topology, p.motion.epsilon
    for i in t.carriers(k):
        yield c["A"][k, t.next_link(i, k)], epsilon[i]
        yield MINUS, c["B"][k, t.next_link(i, k)], p.square[i]
    for i in t.sub[k]:
        of_epsilon, of_square = absolute.link_coefficients(p, c["A"], c["B"], k, i)
        yield of_epsilon, epsilon[i]
        yield of_square, p.square[i]


def sums_terms(p: NamedLinkage, c: Letters, k: int) -> Iterator[Term]:
    """Yield Σ (A_ki ε_i + a_ki ω_i²) + Σ (B_ik ε_i + b_ik ω_i²), (6)."""
    t, epsilon = p.topology, p.motion.epsilon
    for i in t.carriers(k):
        yield c["A"][k, i], epsilon[i]
        yield c["a"][k, i], p.square[i]
    for i in t.sub[k]:
        yield c["B"][i, k], epsilon[i]
        yield c["b"][i, k], p.square[i]


def relative_terms(p: NamedLinkage, c: Letters, k: int) -> Iterator[Term]:
    """Yield Σ (H_ki q''_i + h_ki u_i) + H_kk q''_k + Σ (H_ik q''_i - h_ik u_i), (13)."""
    t, a = p.topology, p.motion.acceleration
    for i in t.carriers(k):
        yield c["H"][k, i], a[i]
        yield c["h"][k, i], p.u[i]
    yield c["H"][k, k], a[k]
    for i in t.find_descendants(k):
        yield c["H"][i, k], a[i]
        yield MINUS, c["h"][i, k], p.u[i]


_RELATIVE = Shape(relative_terms, relative=True)
#: The shape of every planar form.
SHAPES: Mapping[str, Shape] = {
    "rud": Shape(rud_terms, difference=True),
    "matrix": Shape(matrix_terms, difference=True),
    "absolute": Shape(absolute_terms),
    "absolute-sums": Shape(sums_terms),
    "absolute-recurrent": Shape(sums_terms),
    "relative": _RELATIVE,
    "relative-sums": _RELATIVE,
    "relative-recurrent": _RELATIVE,
}


@dataclass(frozen=True)
class Given:
    """Inputs of a list of equations.

    Attributes
    ----------
    system : the model, with its constraints
    linkage, sense : the model's tree as a planar linkage, and its sense (1 or -1) of each coordinate
    coordinates, bodies : names of the coordinate and of the body of each link, in order
    efforts : drive efforts of the model, by coordinate
    cuts : the model's constraints as cut joints
    """

    system: System
    linkage: Linkage
    sense: Mapping[str, Expression]
    coordinates: Sequence[str]
    bodies: Sequence[str]
    efforts: Mapping[str, Expression]
    cuts: Sequence[Cut] = ()


def prepare_given(system: System) -> Given:
    """Build the inputs from a system that the planar forms accept."""
    opened = replace(system.lump_masses(), constraints=())
    links = tree(opened)
    loads = Loads(opened, links, Places(links))
    plane = planarity.plane_of(links)
    p, sense = planarity.linkage(opened, links, loads, "components")
    return Given(
        system,
        p,
        sense,
        tuple(link.coordinate or "" for link in links.links.values()),
        tuple(link.body for link in links.links.values()),
        loads.efforts,
        tuple(cuts.cut(c, links, plane) for c in system.constraints),
    )


# The cut joints of a list: reactions F_r and their moments, and the closure of the loops.


class Closures:
    """Closure equations C ε + C' ω = 0, and moments C^T F_r of reactions on the right side of the equations.

    If the right side is M_k, which sums over the links that k carries, the moments are summed too: C S^{-T}.
    """

    def __init__(self, p: NamedLinkage, given: Given, lines: Lines, shape: Shape) -> None:
        self.p, self.given, self.lines, self.shape = p, given, lines, shape
        loops = Loops(p, given.cuts)
        self.rows = loops.names
        links = p.topology.links
        self.C: list[dict[int, Expression]] = []
        self.drift: list[Expression] = []
        self.F: list[Expression] = []
        self.unknowns: dict[str, str] = {}
        for r, row in enumerate(loops.jacobian, 1):
            named = zip(links, row, strict=True)
            self.C.append({k: lines.give("loops", f"C_{r}_{k}", x) for k, x in named})
        for r, name in enumerate(loops.names, 1):
            self.drift.append(lines.give("loops", f"dC_{r}", loops.drift[r - 1]))
            force = lines.unknown(f"F_r{(r + 1) // 2}_{'xy'[(r - 1) % 2]}")
            self.F.append(force)
            self.unknowns[str(force)] = f"reaction F_r of {name}, on the first body of the constraint (N)"

    @cached_property
    def summed_moments(self) -> list[dict[int, Expression]]:
        """C S^{-T} as names, by row and link k: moment about joint k of unit reactions on k and links it carries."""
        t = self.p.topology
        return [
            {k: self.lines.give("loops", f"CS_{r}_{k}", scalars(row[i] for i in t.sub[k])) for k in t.links}
            for r, row in enumerate(self.C, 1)
        ]

    def moments(self, k: int) -> list[Term]:
        """Return the terms (coefficient, reaction) of the moments in equation k."""
        rows = self.C if self.shape.difference else self.summed_moments
        return [(row[k], force) for row, force in zip(rows, self.F, strict=True)]

    @property
    def balances(self) -> tuple[BalanceLine, ...]:
        """Closure equations of all rows, differentiated twice, as lines of the list."""
        motion = self.p.motion
        rows, variables = (
            (self.summed_moments, motion.acceleration) if self.shape.relative else (self.C, motion.epsilon)
        )
        return tuple(
            BalanceLine(name, products(*((row[k], variables[k]) for k in row), (drift,)), ())
            for name, row, drift in zip(self.rows, rows, self.drift, strict=True)
        )

    @property
    def native(self) -> dict[str, Nested]:
        """D and γ̃ in the coordinates of the model; empty without cuts."""
        if not self.rows:
            return {}
        number = {name: k for k, name in enumerate(self.given.coordinates, 1)}
        t, sense = self.p.topology, self.given.sense
        D = tuple(
            tuple(
                sense[name] * scalars(row.get(i, ZERO) for i in t.sub[number[name]])
                for name in self.given.system.coordinate_names
            )
            for row in self.C
        )
        return {"D": tuple(tuple(map(self.lines.over_names, row)) for row in D), "γ̃": tuple(self.drift)}


# Typesetting of the paper's letters: J^c_ji, J^s_ji, G_0k, C'.


#: Letters with a mark that a plain name has beside them: letter, mark above, mark below.
MARKED = {
    "Jc": ("J", "c", ""), "Js": ("J", "s", ""), "G0": ("G", "", "0"), "dC": ("C", "′", ""), "CS": ("C", "S", ""),
}  # fmt: skip
NAME = re.compile(rf"({'|'.join(MARKED)})_(\d+(?:_\d+)*)")


class PaperNotation(Notation):
    """Notation that writes names of several letters, such as Jc or G0, as one letter with marks."""

    def latex(self, name: str) -> str:
        """Write ``Jc_2_1`` as J^{c}_{21}."""
        match = NAME.fullmatch(name)
        if match is None:
            return latex_name(name)
        letter, above, below = MARKED[match[1]]
        indices = ",".join(filter(None, (below, *match[2].split("_"))))
        mark = {"": "", "′": "^{\\prime}"}.get(above, f"^{{{above}}}")
        return f"{letter}{mark}_{{{indices}}}"

    def mathml(self, name: str) -> str:
        """Write a name in MathML."""
        match = NAME.fullmatch(name)
        if match is None:
            return mathml_name(name)
        letter, above, below = MARKED[match[1]]
        parts = filter(None, (below, *match[2].split("_")))
        indices = f"<mrow>{'<mo>,</mo>'.join(f'<mn>{part}</mn>' for part in parts)}</mrow>"
        if not above:
            return f"<msub><mi>{letter}</mi>{indices}</msub>"
        return f"<msubsup><mi>{letter}</mi>{indices}<mi>{above}</mi></msubsup>"


WRITTEN = PaperNotation()


def listing(formalism: str, given: Given, form: str) -> Listing:
    """List the equations of a form over names; evaluating the lines in order gives M, h, gravity, applied, D and γ̃."""
    lines = Lines(given.system.names)
    p = NamedLinkage(given.linkage, lines)
    made = equations(form, p)
    letters = _coefficients(made, lines)
    shape, drives = SHAPES[form], _drives(given, lines)
    loops = Closures(p, given, lines, shape)
    balances = [
        BalanceLine(given.coordinates[k - 1], _list_left_side(p, letters, shape, k), _right(p, drives, loops, shape, k))
        for k in p.topology.links
    ]
    quantities = _quantities(p, made, given, drives, lines)
    return Listing(
        formalism,
        given.system,
        quantities,
        lines.stages(),
        native=loops.native,
        rows=loops.rows,
        notation=WRITTEN,
        balances=(*balances, *loops.balances),
        unknowns=_unknowns(p, given, shape) | loops.unknowns,
    )


def _coefficients(made: Equations, lines: Lines) -> Letters:
    """Name the form's coefficients; without J^c, J^s, G and G_0, which have names, and L, which are whole equations."""
    found: dict[str, Coefficients] = {}
    for letter, values in made.coefficients.items():
        if letter in ("Jc", "Js", "G", "G0", "L"):
            continue
        named = found[letter] = {}
        for index, value in values.items():
            assert isinstance(index, tuple)
            name = "_".join((letter, *map(str, index)))
            named[index] = lines.give("coefficients", name, value)
    return found


def _drives(given: Given, lines: Lines) -> dict[int, Expression]:
    """Return the names of M_k by link, each with its line; the value is zero if the model does not drive the joint."""
    return {
        k: lines.always("drives", f"M_{k}", given.sense[name] * given.efforts[name])
        for k, name in enumerate(given.coordinates, 1)
    }


def _list_left_side(p: NamedLinkage, letters: Letters, shape: Shape, k: int) -> tuple[Product, ...]:
    """Return the terms on the left side of equation k: inertia minus gravity minus loads."""
    weight, load = (p.G[k], p.M_difference[k]) if shape.difference else (p.G0[k], p.M_sum[k])
    return products(*shape.terms(p, letters, k), (MINUS, weight), (MINUS, load))


def _right(
    p: NamedLinkage, drives: Mapping[int, Expression], loops: Closures, shape: Shape, k: int
) -> tuple[Product, ...]:
    """Return the terms on the right side of equation k: drives, and moments of the reactions of cut joints."""
    adjacent = p.topology.children[k] if shape.difference else ()
    return products((drives[k],), *((MINUS, drives[j]) for j in adjacent), *loops.moments(k))


def _quantities(
    p: NamedLinkage, made: Equations, given: Given, drives: Mapping[int, Expression], lines: Lines
) -> dict[str, Nested]:
    """Return M, h, gravity and applied forces over names, in the order and senses of the model's coordinates."""
    number = {name: k for k, name in enumerate(given.coordinates, 1)}
    names, sense, written = given.system.coordinate_names, given.sense, lines.over_names
    return {
        "M": tuple(
            tuple(written(sense[a] * sense[b] * made.mass.get((number[a], number[b]), ZERO)) for b in names)
            for a in names
        ),
        "h": tuple(written(sense[a] * made.h[number[a]]) for a in names),
        "gravity": tuple(sense[a] * p.G0[number[a]] for a in names),
        "applied": tuple(sense[a] * (p.M_sum[number[a]] + drives[number[a]]) for a in names),
    }


def _unknowns(p: NamedLinkage, given: Given, shape: Shape) -> dict[str, str]:
    """Map the unknowns ε_k to their descriptions; empty if the form has no ε."""
    if shape.relative:
        return {}
    epsilon = given.linkage.motion.epsilon
    return {
        str(p.motion.epsilon[k]): f"angular acceleration of {given.bodies[k - 1]}: {to_text(epsilon[k])}"
        for k in p.topology.links
    }
