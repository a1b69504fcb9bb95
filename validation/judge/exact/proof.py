"""Exact agreement of a trial's witnesses: whether each pair's equations are the same functions.

An exact difference is a disagreement, whatever floats say, unless the model's own numbers are rounded: then floats
decide.

Derivations use premises, that an axis is a unit vector or that the integrals of an elastic body belong to one body, in
different forms. If a model's rounded decimals violate a premise in their last digits, the equations are not identical
functions, which says nothing about the derivations.

Constrained motion at random points of prime fields: the row space, accelerations, reactions.

At a random position, to which the mechanism is fitted (:mod:`.closing`), rates are drawn that satisfy D q' + γ = 0.
Dependent rows need no choice: with an a_0 that satisfies D a_0 = -γ̃, and N, whose columns span the null space of D,

    Nᵀ M N z = Nᵀ (gravity + applied - h - M a_0) ,   a = a_0 + N z ,   Dᵀ λ = M a + h - gravity - applied

Formalisms may choose their rows in several ways: the space that these span is compared, and the rows themselves, D
and γ̃ entry by entry up to a number, where they have the same name and are of a constraint of one meaning only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Final, Literal

from mbconcord.model.body import Body
from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.derivation import QUANTITIES, Derivation
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.elastic.modes import ElasticModes
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, UNDECIDED, vanish
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation
from mbconcord.records import dataclass, replace

from ..bounds import BoundedEquations
from ..evidence import CONSTRAINED, Comparison
from ..exactness import NOT_TRIED, Exactness
from ..referee import judge
from ..tolerances import REFEREE_DIGITS
from ..trial import Trial
from .equations import DRAWS, ExactEquations, exact_equations

if TYPE_CHECKING:
    pass

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import Nonholonomic
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import TIME, rate, symbol, symbols
from mbconcord.model.expressions.field import Plan, Point, Sample, Size, Value
from mbconcord.model.expressions.field.extension import inverse
from mbconcord.model.expressions.field.linear import dot, rational, reduce_rows
from mbconcord.model.expressions.field.point import NoRootError
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.mixed import drive_row, find_imposed_accelerations

from ..bounds import PARTS, ROWS
from ..evidence import ACCELERATION, RANK, REACTIONS
from ..exactness import together
from .closing import CannotCloseError, SymbolicClosure, assign_turns, closed_anywhere, open_ends
from .equations import Points, SampledScalars, motion, sides, sum_sizes

SINGULAR = "its equations have no solution, or more than one, at a random position"
#: Positions that are known exactly.
INITIAL, STRAIGHT = "at its initial position, for all rates", "where all coordinates are zero, for all rates"
#: Said where the position that is drawn leaves no motion, and the model has one.
SPECIAL = "it moves by its special lengths only, and no position of it is known exactly"


@dataclass(frozen=True)
class ClosedEquations:
    """Values of several closed derivations at the same random points.

    Attributes
    ----------
    points : Points
    system : System
    found : formalism -> compared quantity -> its scalars
    rows : formalism -> row name -> its D and γ̃, for rows of one meaning
    freedom : degrees of freedom of the mechanism at these points
    scope : the positions for which the results hold, in words; empty: any position
    """

    points: Points
    system: System
    found: Mapping[str, Mapping[str, SampledScalars]]
    rows: Mapping[str, Mapping[str, SampledScalars]]
    freedom: int
    scope: str = ""

    def compare(self, a: str, b: str, quantity: str) -> Exactness | None:
        """Decide whether a quantity of two formalisms is identical; None if one of them does not give it.

        For the rank, compare the space that the rows span, and single rows of the same meaning.
        """
        found = self._compare(a, b, quantity)
        return replace(found, scope=self.scope) if found is not None and found.kind == "identical" else found

    def _compare(self, a: str, b: str, quantity: str) -> Exactness | None:
        if not {a, b} <= self.found.keys():
            return None
        names = self.system.coordinate_names
        x, y = (self.found[name][quantity] for name in (a, b))
        entries = [(name,) for name in names]
        if quantity != RANK:
            return self.points.compare(x, y, entries)
        whole = [(f"row {i + 1}", name) for i in range(len(x) // len(names)) for name in names]
        spanned = self.points.compare(x, y, whole)
        if spanned.kind == "differs":
            return replace(spanned, reason="the space of the rows")
        own = [
            self.points.compare(
                mine, self._in_proportion(mine, self.rows[b][name]), [*((name, q) for q in names), (name, "γ̃")]
            )
            for name, mine in self.rows[a].items()
            if name in self.rows[b]
        ]
        return together([spanned, *own])

    def _in_proportion(self, mine: SampledScalars, row: SampledScalars) -> SampledScalars:
        """Return ``row`` times the rational number that makes it equal to ``mine``; unchanged if there is none."""
        factors = set()
        for (point, _), x, y in zip(self.points, mine.values, row.values, strict=True):
            k = next((i for i, value in enumerate(y) if value != 0), None)
            p = point.field.p
            factors.add(None if k is None else rational(x[k] * inverse(y[k], p) % p, p))
        (factor,) = factors if len(factors) == 1 else (None,)
        if factor is None or factor == 1:
            return row
        return self.points.compute(
            lambda point, values: [point.number(factor) * y % point.field.p for y in values], [row], row.size
        )

    def sides(self, quantity: str) -> str:
        """Group formalisms that agree: ``a, b and c stand against d``."""
        return sides({name: own[quantity] for name, own in self.found.items()})


def closed_equations(
    system: System, formalisms: Sequence[Formalism], freedom: int, seed: int = 0
) -> ClosedEquations | str:
    """Evaluate the equations of some formalisms at the same random points; or say why this is impossible.

    ``freedom``: degrees of freedom of the given mechanism; its lengths are special if a fitted one has fewer.
    """
    try:
        found = _draw_equations(closed_anywhere(system), formalisms, seed)
        if found.freedom < freedom:
            found = _draw_equations(_exact_position(system), formalisms, seed)
            return found if found.freedom == freedom else SPECIAL
        return found
    except CannotCloseError as problem:
        return str(problem)
    except NoRootError:
        return "no position of it has all its roots in the fields that were drawn"


def _draw_equations(closed: SymbolicClosure, formalisms: Sequence[Formalism], seed: int) -> ClosedEquations:
    """Derive and evaluate the equations of those formalisms that take the closed system."""
    system = closed.system
    taking = [f for f in formalisms if not f.constraint_obstacles(system)]
    derived = {f.name: made for f in taking if (made := f.derive_closed(system)) is not None}
    if len(derived) < 2:
        raise CannotCloseError("fewer than two formalisms take it where it is closed at any position")
    return _Position(closed, derived, seed).equations()


class _Position:
    """Derivations at random positions with random rates that satisfy the constraints."""

    def __init__(self, closed: SymbolicClosure, derivations: Mapping[str, Derivation], seed: int) -> None:
        self.closed, self.system = closed, closed.system
        self.names = self.system.coordinate_names
        self.derivations = derivations
        scalars = {name: _scalars(d) for name, d in derivations.items()}
        turned = [x for turn in closed.turns for x in (turn.cosine, turn.sine, turn.square or ZERO)]
        every = [*([x for own in parts.values() for x in own] for parts in scalars.values()), turned]
        lines = [program(define(own, self.system.functions)) for own in every]
        self.plan, (*outputs, self._turned) = Plan.of_programs(lines, closed.definitions)
        self.places: dict[str, dict[str, list[int]]] = {}
        for (name, parts), own in zip(scalars.items(), outputs, strict=True):
            left = iter(own)
            self.places[name] = {part: [next(left) for _ in x] for part, x in parts.items()}
        self.leading = next((n for n, parts in scalars.items() if "γ" in parts), next(iter(scalars)))
        self._require_rates(scalars)
        solved = (i for parts in self.places.values() for part in ("M", "D") for i in parts.get(part, ()))
        self.points = Points(Sample(self.plan, DRAWS, seed, self._prepare, joined=solved))

    def _require_rates(self, scalars: Mapping[str, Mapping[str, Sequence[Expression]]]) -> None:
        """Raise if no method is known to draw rates that satisfy the constraints."""
        own = scalars[self.leading]
        timed = TIME.data in symbols([x for name in ROWS for x in own[name]])
        if "γ" not in own and (timed or any(isinstance(c, Nonholonomic) for c in self.system.constraints)):
            raise CannotCloseError("no formalism says which rates satisfy the constraints")

    def _prepare(self, point: Point) -> None:
        """Compute angles that close the mechanism at the point's position, and rates that satisfy its constraints."""
        if self.closed.turns:
            values = point.run(self.plan)
            parts = [values[i] for i in self._turned]
            assign_turns(point, self.closed.turns, [parts[k : k + 3] for k in range(0, len(parts), 3)])
        values = point.run(self.plan)
        own, n, p = self.places[self.leading], len(self.names), point.field.p
        drives = set(map(drive_row, find_imposed_accelerations(self.system)))
        rows, before = [], [point.draw(rate(name)) for name in self.names]
        for k, name in enumerate(self.derivations[self.leading].rows):
            if name not in drives:
                row = [values[i] for i in own["D"][k * n : (k + 1) * n]]
                speed = values[own["γ"][k]] if "γ" in own else dot(row, before)
                rows.append([*row, -speed % p])
        found = reduce_rows(rows, p, n)
        if found.torn:
            raise CannotCloseError("no rates satisfy the constraints at a random position")
        after = list(before)
        for one, pivot in zip(found.rows, found.pivots, strict=True):
            after[pivot] = (before[pivot] + one[n]) % p
        for name, value in zip(self.names, after, strict=True):
            point.assign(rate(name), value)

    def equations(self) -> ClosedEquations:
        """Compute the compared quantities."""
        n = len(self.names)
        found, rows = {}, {}
        for name, places in self.places.items():
            parts = {part: self.points.sample_steps(own) for part, own in places.items()}
            wanted = [parts[part] for part in (*PARTS, *ROWS)]
            size = self._size(wanted)
            motion = self.points.compute(self._motion, wanted, size, SINGULAR)
            space = self.points.compute(self._space, [parts["D"]], size)
            found[name] = {RANK: space, ACCELERATION: motion[:n], REACTIONS: motion[n:]}
            rows[name] = self._rows(name, places)
        rank = max(len(own[RANK]) for own in found.values()) // n
        return ClosedEquations(self.points, self.system, found, rows, n - rank, self.closed.scope)

    def _space(self, point: Point, D: Sequence[Value]) -> list[Value]:
        """Reduce the rows to echelon form: the same for all rows that span one space."""
        return [x for row in reduce_rows(self._matrix(D), point.field.p).rows for x in row]

    def _motion(
        self, point: Point, mass: Sequence[Value], h: Sequence[Value], gravity: Sequence[Value],
        applied: Sequence[Value], D: Sequence[Value], rest: Sequence[Value],
    ) -> list[Value] | None:  # fmt: skip
        """Solve for accelerations, then reactions Dᵀ λ; None if constraints are contradictory or leave no inertia."""
        p = point.field.p
        rows = [[*row, -x % p] for row, x in zip(self._matrix(D), rest, strict=True)]
        force = [(x + y - z) % p for x, y, z in zip(gravity, applied, h, strict=True)]
        return motion(self._matrix(mass), force, rows, p)

    def _matrix(self, flat: Sequence[Value]) -> list[list[Value]]:
        n = len(self.names)
        return [list(flat[k : k + n]) for k in range(0, len(flat), n or 1)]

    def _rows(self, formalism: str, places: Mapping[str, Sequence[int]]) -> dict[str, SampledScalars]:
        """Return D and γ̃ of the rows with a unique meaning: not of cut joints, whose rows may be combined."""
        n, found = len(self.names), {}
        plain = [c.name for c in self.system.constraints if not isinstance(c, FrameCoincidence)]
        for k, name in enumerate(self.derivations[formalism].rows):
            if any(name == own or name.startswith(f"{own} (") for own in plain):
                found[name] = self.points.sample_steps([*places["D"][k * n : (k + 1) * n], places["γ̃"][k]])
        return found

    def _size(self, parts: Sequence[SampledScalars]) -> Size:
        """Bound the size of accelerations and reactions.

        Both are quotients of determinants of M, D and the right sides. Degrees are multiplied by that of the rates,
        which are such quotients of D themselves, and by that of angles, which are roots of squares.
        """
        mass, *rest, D, shaking = (part.size for part in parts)
        n = len(self.names)
        rates = _determinants(n, sum_sizes([D] * n + [Size(1.0, 0.0, 0.0)]))
        row = sum_sizes([mass] * n + [D] * n + rest + [shaking])
        whole = _determinants(2 * n, row)
        factor = 4 * (1 + rates.above)
        return Size(*(factor * x for x in whole))


def _determinants(n: int, row: Size) -> Size:
    """Bound the size of a quotient of two determinants, each of n rows of size ``row``."""
    degree = n * (row.above + row.below)
    return sum_sizes([Size(degree, degree, n * (row.bits + row.under + n))] * 2)


def _scalars(derivation: Derivation) -> dict[str, list[Expression]]:
    """Collect the scalars that determine the motion."""
    found = {name: list(flatten(derivation.quantities[name])) for name in PARTS}
    return found | {name: list(flatten(derivation.native[name])) for name in (*ROWS, "γ") if name in derivation.native}


def _exact_position(system: System) -> SymbolicClosure:
    """Return the mechanism at a position that satisfies its constraints exactly: the initial one, or q = 0.

    Raises
    ------
    CannotCloseError
        The constraints are satisfied at neither position.
    """
    values = {symbol(p.name): p.value for p in system.parameters if p.value is not None}
    given = {symbol(c.name): c.position for c in system.coordinates if c.position is not None}
    gaps = open_ends(system)
    start = {symbol(name): ZERO for name in system.coordinate_names} | given
    for position, where in ((start, INITIAL), (dict.fromkeys(start, ZERO), STRAIGHT)):
        for parameters, of in ({}, ""), (values, ", with the parameters' values"):
            definitions = {**parameters, **position}
            if all(v.kind == IDENTICAL for v in vanish(gaps, definitions, draws=1)):
                return SymbolicClosure(system, definitions, scope=where + of)
    raise CannotCloseError(SPECIAL)


#: Whether exact agreement is looked at: where it costs no more than the budget, always, never.
Mode = Literal["auto", "on", "off"]
MODES: Final[tuple[Mode, ...]] = ("auto", "on", "off")
#: Operations in prime fields that ``auto`` allows: about a second.
BUDGET: Final = 1_000_000
SIZE: Final = Exactness(NOT_TRIED, "size")


@dataclass(frozen=True)
class ProofRequest:
    """Settings of a proof of exact agreement.

    ``seed`` of the random points. ``given``: the author's model, if functions without a formula were given a random
    one: then the proof holds for every function.
    """

    mode: Mode = "auto"
    seed: int = 0
    given: System | None = None


def require_mode(mode: str) -> None:
    """Raise :class:`MbconcordError` if there is no mode of this name."""
    if mode not in MODES:
        raise MbconcordError(error("exact", f"found {mode!r}", f"known: {', '.join(MODES)}"))


def operations(equations: Mapping[str, BoundedEquations]) -> int:
    """Count operations in prime fields: every step at every point, and an elimination."""
    n = len(next(iter(equations.values())).names)
    return DRAWS * (sum(each.size for each in equations.values()) + n**3 // 3)


def exactly(found: Sequence[Comparison], made: Trial, asked: ProofRequest) -> tuple[Comparison, ...]:
    """Return the comparisons; those of pairs of formalisms with the result of the proof, see :class:`Exactness`.

    The proof covers the canonical quantities, and constrained motions if the trial has some.
    """
    return _of_motions(_of_tree(found, made, asked), made, asked)


def _of_tree(found: Sequence[Comparison], made: Trial, asked: ProofRequest) -> tuple[Comparison, ...]:
    equations = made.equations

    def prove(names: Sequence[str]) -> ExactEquations:
        return exact_equations({name: equations[name] for name in names}, asked.seed, asked.given)

    def confirm(c: Comparison, x: Exactness) -> Exactness:
        derivations = {name: equations[name].derivation for name in (c.a, c.b)}
        return in_digits(derivations, replace(c, entry=x.entry), x)

    return _attach_proofs(found, QUANTITIES, equations, asked, prove, confirm)


def _of_motions(found: Sequence[Comparison], made: Trial, asked: ProofRequest) -> tuple[Comparison, ...]:
    equations = {name: own.equations for name, own in made.motions.items() if own.equations is not None}
    ranks = [rank for name in equations for rank in made.motions[name].solution.rank]
    freedom = len(made.names) - int(max(ranks, default=0))

    def prove(names: Sequence[str]) -> ClosedEquations | str:
        pass  # not before: most models have no constraints

        formalisms = [f for f in made.formalisms if f.name in names]
        return closed_equations(made.original, formalisms, freedom, asked.seed)

    return _attach_proofs(found, CONSTRAINED, equations, asked, prove)


def in_digits(derivations: Mapping[str, Derivation], c: Comparison, x: Exactness) -> Exactness:
    """Turn an undecided proof into "differs" if the two sides differ in 50 digits at the comparison's state."""
    if x.kind != UNDECIDED or judge(derivations, c).verdict != "derivations differ":
        return x
    return replace(x, kind=DIFFERS, reason=f"in {REFEREE_DIGITS} digits; {x.reason}")


def _attach_proofs(
    found: Sequence[Comparison],
    quantities: Sequence[str],
    equations: Mapping[str, BoundedEquations],
    asked: ProofRequest,
    proved: Callable[[Sequence[str]], ExactEquations | ClosedEquations | str],
    confirmed: Callable[[Comparison, Exactness], Exactness] = lambda c, x: x,
) -> tuple[Comparison, ...]:
    """Attach proofs to the comparisons of these quantities between formalisms that have equations."""
    pairs = [
        i for i, c in enumerate(found) if not c.claim and c.quantity in quantities and {c.a, c.b} <= equations.keys()
    ]
    if asked.mode == "off" or not pairs:
        return tuple(found)
    told: dict[int, Exactness] = {}
    why = ""
    sides: Callable[[str], str] = str
    if asked.mode == "auto" and operations(equations) > BUDGET:
        told = dict.fromkeys(pairs, SIZE)
    else:
        names = list(dict.fromkeys(name for i in pairs for name in (found[i].a, found[i].b)))
        known = proved(names)
        for i in pairs:
            c = found[i]
            x = Exactness(UNDECIDED, known) if isinstance(known, str) else known.compare(c.a, c.b, c.quantity)
            if x is not None:
                told[i] = x
        if not isinstance(known, str) and any(x.entry for x in told.values()):
            why, sides = approximate(known.system), known.sides
            told = {i: x if why or not x.entry else confirmed(found[i], x) for i, x in told.items()}
    return tuple(with_proof(c, told[i], sides, why) if i in told else c for i, c in enumerate(found))


def with_proof(c: Comparison, x: Exactness, sides: Callable[[str], str], why: str) -> Comparison:
    """Attach a proof to a comparison; ``why`` names a premise that the model violates: then "differs" means nothing."""
    if x.entry and why:
        return replace(c, exact=replace(x, kind=UNDECIDED, reason=why))
    if x.kind != DIFFERS or c.verdict == "disagrees":
        return replace(c, exact=x)
    text = f"proved to differ: {c.quantity}{x.where} of {c.a} and of {c.b} are different functions"
    said = filter(None, (f"{text} ({x.reason})" if x.reason else text, sides(c.quantity)))
    explanation = ". ".join(filter(None, ("; ".join(said), c.explanation)))
    return replace(c, exact=x, verdict="disagrees", explanation=explanation)


#: Place, what it is taken for, and what should be zero.
Premise = tuple[str, str, Expression]


def approximate(system: System) -> str:
    """Name the premise that the model satisfies only up to rounding; empty if there is none."""
    asked = [premise for premise in _premises(system) if premise[2]]
    for (place, said, _), found in zip(asked, vanish(x for _, _, x in asked), strict=True):
        if found.kind != IDENTICAL:
            return f"the model's numbers are rounded: {place}: {said} to rounding only"
    turned = (
        f"bodies/{body.name}/modes/nodes/{node.name}"
        for body in system.bodies
        for node in (body.modes.nodes if body.modes else ())
        if any(x for row in node.rotation for x in row)
    )
    place = next(turned, "")
    return f"{place}: its turn is a power series, which derivations break off after different terms" if place else ""


def _premises(system: System) -> Iterator[Premise]:
    for body in system.bodies:
        yield from _axes(f"bodies/{body.name}/joint", body.joint)
        for flywheel in body.flywheels:
            yield from _axes(f"bodies/{body.name}/flywheels/{flywheel.name}", flywheel.mounting)
        if body.modes is not None:
            yield from _elastic(f"bodies/{body.name}/modes", body, body.modes)
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            for side in (constraint.first, constraint.second):
                yield from _axes(f"constraints/{constraint.name}", side.transformations)


def _axes(place: str, steps: Sequence[ElementaryTransformation]) -> Iterator[Premise]:
    for step in steps:
        yield place, "an axis is a unit vector", sum((x * x for x in step.axis), -ONE)


def _elastic(place: str, body: Body, modes: ElasticModes) -> Iterator[Premise]:
    P = modes.second_moments
    count = len(P)
    for k, m in combinations_with_replacement(range(count), 2):
        said = f"P_{k}{m} is the transpose of P_{m}{k}"
        for i, j in product(range(3), repeat=2):
            yield f"{place}/second_moments", said, P[k][m][i][j] - P[m][k][j][i]
    for name, matrix in (("stiffness", modes.stiffness), ("damping", modes.damping)):
        for k, row in enumerate(matrix):
            for m in range(k):
                yield f"{place}/{name}", "it is symmetric", row[m] - matrix[m][k]
    own = P[0][0]
    sections = modes.section_inertia[0] if modes.section_inertia else ((ZERO,) * 3,) * 3
    xx, yy, zz, xy, xz, yz = body.inertia.tensor_about_origin()
    about = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    for i, j in product(range(3), repeat=2):
        whole = own[0][0] + own[1][1] + own[2][2] if i == j else ZERO
        said = "the body's tensor is tr(P_00) E - P_00 + I_s"
        yield f"{place}/second_moments", said, whole - own[i][j] + sections[i][j] - about[i][j]
