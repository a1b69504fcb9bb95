"""Konoplev's aggregates: the equations of a tree from the aggregates of its bodies, without differentiation.

Chains of revolute joints with generic constants, whose operations the paper counts in item 5.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import Body, Constant, Coordinate, Inertia, rotation, shift
from mbconcord.model.body import tensor
from mbconcord.model.derivation import Derivation, Lazy, LazySequence, Nested, Obstacle, Stage
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation, complete
from mbconcord.model.expressions import ZERO, Expression, Operations, as_expression, count_operations, number, sqrt
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.force import Point
from mbconcord.model.kinematics import PointMotion
from mbconcord.model.naming import Named, Namer
from mbconcord.model.notation.listing import Listing, ReportSection, SectionTable
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass

from .aggregates import Aggregates, Moving, aggregates, places
from .body import Axes
from .canonical import canonical_arrays, compute_canonical, nodes
from .diagnose import indefinite_medium, singular_angles
from .mechanism import Road, mechanism
from .native import indices, native
from .structure import Rows
from .tiers.naming import TITLES, absolute, component
from .vectors import Arithmetic, Batch, Symbolic, absent


@dataclass(frozen=True)
class Family:
    """Chains of a kind: their name, constants as functions of an integer, and the bodies' axes.

    ``products``: bodies have products of inertia in the axes of their frames; ``turned``: joint axes are not parallel.
    """

    title: str
    constant: Callable[[int], Expression]
    axes: Axes = "central"
    products: tuple[int, int, int] = (0, 0, 0)
    turned: bool = True


def irrational(n: int) -> Expression:
    """Return ±√((10 |n| + 3) / 1000), a number that no simplification combines with another; 0 for 0."""
    root = sqrt(abs(magnitude(n)))
    return root if n > 0 else -root if n < 0 else ZERO


def decimal(n: int) -> Expression:
    """Return ±(10 |n| + 3) / 1000, like the constants in users' files; 0 for 0."""
    return number(magnitude(n))


def magnitude(n: int) -> Fraction:
    """Return ±(10 |n| + 3) / 1000; 0 for 0."""
    return Fraction((10 * abs(n) + 3) * (1 if n > 0 else -1) if n else 0, 1000)


FAMILIES: Mapping[str, Family] = {
    "parallel": Family("principal central axes parallel to the body's axes", irrational),
    "decimals": Family("the same with decimals for constants", decimal),
    "rotated": Family("principal central axes turned against the body's axes", irrational, "principal", (1, -2, 3)),
    "full": Family(
        "the same bodies with full tensors in central axes parallel to the body's", irrational, "central", (1, -2, 3)
    ),
    "straight": Family("all joint axes parallel", irrational, turned=False),
}


def chain(m: int, kind: str) -> System:
    """Build m bodies with one rotation θ6 each after generic constant s, ψ4, ψ5 (no angles if straight)."""
    family = FAMILIES[kind]
    generic = family.constant
    bodies: list[Body] = []
    for i in range(1, m + 1):
        place = shift(map(generic, (i + 3, i + 7, -i - 5)))
        angles = (Constant(generic(i)), Constant(-generic(i + 2)))
        turns = (rotation("x", angles[0]), rotation("y", angles[1])) if family.turned else ()
        products = map(generic, family.products)
        moments = tensor((*map(generic, (2 * i + 40, 3 * i + 60, 2 * i + 80)), *products))
        inertia = Inertia(generic(i + 100), vector(map(generic, (i + 1, 2 * i + 1, -i - 2))), moments)
        joint = (*place, *turns, rotation("z", f"q{i}"))
        bodies.append(Body(f"b{i}", f"b{i - 1}" if i > 1 else None, joint, inertia))
    return System("chain", tuple(Coordinate(f"q{i}") for i in range(1, m + 1)), bodies=tuple(bodies))


def revolute_chain(system: System) -> int | None:
    """Return the number of links of a chain that the paper counts (one rotation per link, no flywheel), else None."""
    carriers = [None, *(body.name for body in system.bodies)]
    for body, carrier in zip(system.bodies, carriers, strict=False):
        moving = [et for et in body.joint if not isinstance(et.motion, Constant)]
        revolute = len(moving) == 1 and bool(moving[0].coordinate) and not moving[0].is_translation
        if body.parent != carrier or not revolute or body.flywheels or body.added_inertia:
            return None
    return len(system.bodies) or None


def stages(system: Aggregates, taken: Collection[str]) -> tuple[Stage, ...]:
    """List tiers A-I, A-II, b-I, b-II, b-IV and Q-I of a symbolic system.

    Each node keeps its first name; numbers and single symbols have none. ``taken`` are names of the model. The complete
    list over names alone is :func:`.lists.tiers`.
    """
    bodies = system.bodies
    groups: tuple[tuple[str, Iterable[tuple[str, Any]]], ...] = (
        ("A-I", (item for body in bodies for item in rows("s", body, body.rows))),
        ("A-II", (item for body in bodies for item in rows("z", body, body.z))),
        ("b-I", (item for body in bodies for item in components("V", body, body.twist, absolute(body.number)))),
        (
            "b-II",
            (
                item
                for body in bodies
                for item in components("W", body, body.inertia.gyroscopic(body.twist), absolute(body.number))
            ),
        ),
        ("b-IV", (item for body in bodies for item in rows("ṡ", body, body.rates))),
        ("Q-I", (item for body in bodies for item in components("G", body, body.inertia.weight(body.g)))),
    )
    namer = Namer(taken)
    made = (Stage(name, TITLES[name], namer.assignments(present(items))) for name, items in groups)
    return tuple(stage for stage in made if stage.assignments)


def rows(letter: str, body: Moving, found: Rows) -> Iterator[tuple[str, Any]]:
    """Yield the components of rows with their names."""
    for d, row in found.items():
        for i, x in enumerate(row, 1):
            yield component(letter, body.number, i, d), x


def components(letter: str, body: Moving, vector: Iterable[Any], of: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the components of a body's vector with their names."""
    for i, x in enumerate(vector, 1):
        yield f"{letter}_{{{body.number},{i}}}{of}", x


def present(items: Iterable[tuple[str, Any]]) -> Iterator[Named]:
    """Yield the items that are not structural zeros, as nodes."""
    return ((name, as_expression(value)) for name, value in items if not absent(value))


# Operations of A and b, compared with the paper's N_M and N_A: item 5.


HEADERS = (
    "m", "N_M, paper", "N_A, as printed", "N_A, corrected", "axes parallel, mul / add",
    "axes turned, full tensors, mul / add", "axes turned, principal, mul / add",
)  # fmt: skip
ABOUT = (
    "Multiplications and additions of A (upper triangle) and b of chains of m revolute joints beside the paper's "
    "item 5. The principal axes of the bodies are parallel to their frames, or turned against them: then "
    "the tensors are full in central axes parallel to the frames, as equations are derived, or the rows are turned "
    "into the principal axes. Sign changes, sines and cosines are not counted."
)

#: Operations of A and b of the chain of m links of a family.
Counted = Callable[[int, str], Operations]


def operations_of(derivation: Derivation) -> Operations:
    """Count the operations of A (upper triangle) and b together, in a derivation."""
    M, h = derivation.quantities["M"], derivation.quantities["h"]
    assert isinstance(M, tuple) and isinstance(h, tuple)
    upper = [x for i, row in enumerate(M) if isinstance(row, tuple) for x in row[i:]]
    return count_operations([*upper, *h])  # type: ignore[list-item]


def count_as_printed(m: int) -> tuple[int, int]:
    """Return N_M and N_A of the paper's item 5, with fractions in N_A where the paper prints rounded decimals.

    ``N_M = 2m³ + 37m² - 17m - 10``, ``N_A = 5/3 m³ + 51/2 m² - 73/6 m - 14``: 1652 and 1191 for m = 6, as printed.
    """
    return 2 * m**3 + 37 * m**2 - 17 * m - 10, (10 * m**3 + 153 * m**2 - 73 * m) // 6 - 14


def in_words(derivation: Derivation) -> str:
    """Describe the cost of A and b; for a chain of revolute joints, together with N_M and N_A."""
    found = operations_of(derivation)
    many, more = "s" * (found.mul != 1), "s" * (found.add != 1)
    own = f"A (upper triangle) and b need {found.mul} multiplication{many} and {found.add} addition{more}"
    m = revolute_chain(derivation.system)
    if m is None:
        return f"{own}; the paper's formulas are for chains of revolute joints, which this model is not."
    return (
        f"{own}; the paper's formulas give N_M = {count_as_printed(m)[0]} and N_A = {count_as_printed(m)[1]} for "
        f"a chain of m = {m}."
    )


def counts(counted: Counted) -> SectionTable:
    """Tabulate multiplications and additions of A and b for m = 1…8: the paper's counts and those measured.

    N_A is given with the rounded decimals of the paper's item 5, and with the exact fractions.
    """
    rows = []
    for m in range(1, 9):
        multiplications, additions = count_as_printed(m)
        decimals = Fraction("1.7") * m**3 + Fraction("25.5") * m**2 - Fraction("12.17") * m - 14
        found = (counted(m, kind) for kind in ("parallel", "full", "rotated"))
        cells = (m, multiplications, f"{float(decimals):.2f}", additions, *(f"{o.mul} / {o.add}" for o in found))
        rows.append(tuple(map(str, cells)))
    return SectionTable(HEADERS, tuple(rows), names=0)


def section(name: str, counted: Counted) -> ReportSection:
    """Format the counts as a section of a report."""
    return ReportSection(f"Operations of {name}", ABOUT, counts(counted))


class Konoplev(Formalism):
    """Konoplev's aggregates: A(q) q'' + B(q, q') q' = Q.

    Parameters
    ----------
    split : bool
        Give every elementary transformation a body of its own, as the end of §4 does.
    axes : "body", "central" or "principal"
        Frames in which the bodies' aggregates are written; a body with medium or flywheels keeps its own frame.
    """

    name: ClassVar[str] = "konoplev"
    title: ClassVar[str] = "Konoplev's aggregates"
    reference: ClassVar[str] = "Konoplev 1989, eqs. (1.1)-(4.8)"
    takes: ClassVar[frozenset[str]] = OPEN_TREES | {
        "bushings", "torsions", "flywheels", "added_inertia", "armatures", "follower_forces",
    }  # fmt: skip

    def __init__(self, split: bool = False, axes: Axes = "central") -> None:
        self.split, self.axes = split, axes

    def roads(self, system: System) -> tuple[Road, ...]:
        """List the joints that are native pairs and those that are split with fictitious bodies."""
        return mechanism(system, self.split).roads

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """Note the method chosen for every joint."""
        return tuple(Diagnostic("note", f"bodies/{road.body}", road.words) for road in self.roads(system))

    def derive(self, system: System) -> Derivation:
        """Derive M = A(q), h = b with inertia forces of flywheels, and gravity and applied forces, which make up Q."""
        self.require(system)
        whole = self.aggregates(system, Symbolic())
        quantities: dict[str, Nested] = {name: nodes(value) for name, value in compute_canonical(whole).items()}
        return Derivation(
            self.name, system, quantities, LazySequence(lambda: stages(whole, system.names)), native(whole),
            self.notes(system), indices=indices(whole),
        )  # fmt: skip

    def evaluate(self, system: System, states: Sequence[State]) -> Evaluation:
        """Compute numbers without a graph: the same aggregates, evaluated with arrays over the states.

        Diagnostics name joint and coordinate of singular angles, and bodies whose added inertia makes M singular.
        """
        self.require(system)
        whole = self.aggregates(system, Batch(system, states))
        quantities = canonical_arrays(whole, len(states))
        findings = (*singular_angles(whole, states), *indefinite_medium(whole, quantities["M"]))
        return complete(Evaluation(self.name, quantities, findings), system, states)

    def motions(self, system: System, points: Sequence[Point]) -> tuple[PointMotion, ...]:
        """Return the motion of points, from L, rows of S, twists and their rates at q̈ = 0."""
        self.require(system)
        moving = places(mechanism(system, self.split), Symbolic())
        return tuple(moving.motion(point, system.coordinate_names) for point in points)

    def listing(self, system: System) -> Listing:
        """Derive the same equations as the paper prints them: tiers of named scalars over earlier tiers' names.

        A model with constraints adds the tiers of D, and the equations with multipliers, (4.6)-(4.8).
        """
        from .tiers.lists import tiers  # not before: it is seldom asked for

        self.require_constraints(system)
        return tiers(self.name, mechanism(system, self.split), self.axes)

    def sections(self, derivation: Derivation) -> tuple[ReportSection, ...]:
        """Report the work of each tier (item 4 of the paper), and the cost of A and b beside the paper's (item 5)."""
        from .tiers.naming import LOADS, loads_table  # not before: it is seldom asked for

        loads = loads_table(self.listing(derivation.system).stages)
        return (ReportSection(f"Tiers of {self.name}", table=loads, note=f"{LOADS} {in_words(derivation)}"),)

    def appendix(self) -> tuple[ReportSection, ...]:
        """Report the operations for chains of m = 1…8 revolute joints beside the paper's counts."""
        return (section(self.name, count_chain_operations),)

    def divide(self, system: System, groups: Mapping[str, Sequence[str]]) -> Derivation:
        """Divide A and B into blocks of the groups, item 7 of the paper."""
        from .decomposition import divide_derivation  # not before: it is seldom asked for

        return divide_derivation(self.derive(system), groups)

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List the obstacles to motion with constraints: those of the open tree, and cut joints without rows here."""
        from .constraints.cut import cut_joints_refused  # not before: most models have no constraints

        return (*self.obstacles(system.open_loops()), *cut_joints_refused(system))

    def derive_closed(self, system: System) -> Derivation:
        """Derive equations of the open tree and of the constraints, with native ``D`` (m×n) and ``γ̃`` (m).

        ``M q'' + h = gravity + applied + Dᵀ λ``, ``D q'' + γ̃ = 0``; ``γ`` holds D q' + γ of (4.8).
        """
        return self._close_tree(system)

    def _close_tree(self, system: System, tree: Derivation | None = None) -> Derivation:
        from .constraints.rows import rows_of  # not before: most models have no constraints

        self.require_constraints(system)
        tree = tree or self.derive(system.open_loops())
        moving = places(mechanism(system, self.split), Symbolic())
        rows, names = rows_of(system.lump_masses(), moving), system.coordinate_names
        closing: dict[str, Nested] = {
            "D": nodes(tuple(tuple(row.D.get(name, 0) for name in names) for row in rows)),
            "γ": nodes(tuple(row.speed for row in rows)),
            "γ̃": nodes(tuple(row.rest for row in rows)),
        }
        native = Lazy({}) | tree.native | closing
        return replace(tree, system=system, native=native, notes=(), rows=tuple(row.name for row in rows))

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion:
        """Solve for accelerations, multipliers and reactions of a system with constraints at states, (4.7), (4.8)."""
        from .constraints.motion import constrained_motion  # not before: most models have no constraints

        self.require_constraints(system)
        return constrained_motion(self.name, self.aggregates(system, Batch(system, states)), states)

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion, Derivation]:
        """Return the motion, computed with arrays over the states, and the derived equations."""
        return self.constrained_motion(system, states), self._close_tree(system, tree)

    def aggregates(self, system: System, arithmetic: Arithmetic) -> Aggregates:
        """Compute the aggregates of a model in the given arithmetic."""
        return aggregates(mechanism(system, self.split), arithmetic, self.axes)


@cache
def count_chain_operations(m: int, kind: str) -> Operations:
    """Count the operations of A (upper triangle) and b of a chain of m links, derived at the first call."""
    return operations_of(Konoplev(axes=FAMILIES[kind].axes).derive(chain(m, kind)))
