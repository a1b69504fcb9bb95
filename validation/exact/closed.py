"""Motion with constraints at random points of prime fields: the space of the rows, accelerations, reactions.

At a position that the mechanism is made to fit (:mod:`.closing`) rates are drawn that satisfy D q' + γ = 0. Rows that
depend on each other need no choice: with a_0 that satisfies D a_0 = -γ̃ and N, whose columns D takes to zero,

    Nᵀ M N z = Nᵀ (gravity + applied - h - M a_0) ,   a = a_0 + N z ,   Dᵀ λ = M a + h - gravity - applied

Formalisms may choose their rows in several ways: the space that these span is compared, and the rows themselves, D
and γ̃ entry by entry up to a number, where they have the same name and are of a constraint of one meaning only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import FrameCoincidence, Nonholonomic
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.expressions import TIME, ZERO, Expression, rate, symbol, symbols
from mbconcord.model.expressions.field import IDENTICAL, Plan, Point, Sample, Size, Value, vanish
from mbconcord.model.expressions.field.extension import inverse
from mbconcord.model.expressions.field.point import NoRootError
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.mixed import drive_row, imposed
from mbconcord.model.system import System

from ..constraints.agreement import ACCELERATION, RANK, REACTIONS
from ..exactness import Exactness, together
from ..judge.bounds import PARTS, ROWS
from .closing import CannotCloseError, Closed, assign_turns, closed_anywhere, open_ends
from .equations import DRAWS, added
from .linear import dot, null_space, rational, reduced, solved, times
from .scalars import Points, Scalars, sides

SINGULAR = "its equations have no solution, or more than one, at a random position"
#: Positions that are known exactly.
INITIAL, STRAIGHT = "at its initial position, for all rates", "where all coordinates are zero, for all rates"
#: Said where the position that is drawn leaves no motion, and the model has one.
SPECIAL = "it moves by its special lengths only, and no position of it is known exactly"


@dataclass(frozen=True)
class ClosedEquations:
    """What several closed derivations say at the same random points.

    Attributes
    ----------
    points : Points
    system : System
    found : formalism -> what is compared -> its scalars
    rows : formalism -> row name -> its D and γ̃, for rows of one meaning
    freedom : of the mechanism at these points
    scope : at which positions these are; empty: at all
    """

    points: Points
    system: System
    found: Mapping[str, Mapping[str, Scalars]]
    rows: Mapping[str, Mapping[str, Scalars]]
    freedom: int
    scope: str = ""

    def compared(self, a: str, b: str, quantity: str) -> Exactness | None:
        """Whether a quantity of two formalisms is identical; None where one of them does not give it.

        Of the rank: the space of the rows, and rows of the same meaning.
        """
        found = self._compared(a, b, quantity)
        return replace(found, scope=self.scope) if found is not None and found.kind == "identical" else found

    def _compared(self, a: str, b: str, quantity: str) -> Exactness | None:
        if not {a, b} <= self.found.keys():
            return None
        names = self.system.coordinate_names
        x, y = (self.found[name][quantity] for name in (a, b))
        entries = [(name,) for name in names]
        if quantity != RANK:
            return self.points.compared(x, y, entries)
        whole = [(f"row {i + 1}", name) for i in range(len(x) // len(names)) for name in names]
        spanned = self.points.compared(x, y, whole)
        if spanned.kind == "differs":
            return replace(spanned, reason="the space of the rows")
        own = [
            self.points.compared(
                mine,
                self._in_proportion(mine, self.rows[b][name]),
                [*((name, q) for q in names), (name, "γ̃")],
            )
            for name, mine in self.rows[a].items()
            if name in self.rows[b]
        ]
        return together([spanned, *own])

    def _in_proportion(self, mine: Scalars, row: Scalars) -> Scalars:
        """A row by the number that makes it the other, where there is one: rows are the same up to a number."""
        factors = set()
        for (point, _), x, y in zip(self.points, mine.values, row.values, strict=True):
            k = next((i for i, value in enumerate(y) if value != 0), None)
            p = point.field.p
            factors.add(None if k is None else rational(x[k] * inverse(y[k], p) % p, p))
        (factor,) = factors if len(factors) == 1 else (None,)
        if factor is None or factor == 1:
            return row
        return self.points.computed(
            lambda point, values: [point.number(factor) * y % point.field.p for y in values], [row], row.size
        )

    def sides(self, quantity: str) -> str:
        """Which formalisms give the same, where most do: ``a, b and c stand against d``."""
        return sides({name: own[quantity] for name, own in self.found.items()})


def closed_equations(
    system: System, formalisms: Sequence[Formalism], freedom: int, seed: int = 0
) -> ClosedEquations | str:
    """The equations of some formalisms at the same random points; why there are none.

    ``freedom`` of the mechanism as it is: where it is larger than at any position, its lengths are special.
    """
    try:
        found = _drawn(closed_anywhere(system), formalisms, seed)
        if found.freedom < freedom:
            found = _drawn(_exact_position(system), formalisms, seed)
            return found if found.freedom == freedom else SPECIAL
        return found
    except CannotCloseError as problem:
        return str(problem)
    except NoRootError:
        return "no position of it has all its roots in the fields that were drawn"


def _drawn(closed: Closed, formalisms: Sequence[Formalism], seed: int) -> ClosedEquations:
    """The equations of those formalisms that take the closed system."""
    system = closed.system
    taking = [f for f in formalisms if not f.constraint_obstacles(system)]
    derived = {f.name: made for f in taking if (made := f.derive_closed(system)) is not None}
    if len(derived) < 2:
        raise CannotCloseError("fewer than two formalisms take it where it is closed at any position")
    return _Position(closed, derived, seed).equations()


class _Position:
    """Derivations at random positions with random rates that satisfy the constraints."""

    def __init__(self, closed: Closed, derivations: Mapping[str, Derivation], seed: int) -> None:
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
        self.points = Points(Sample(self.plan, DRAWS, seed, self._prepare))

    def _require_rates(self, scalars: Mapping[str, Mapping[str, Sequence[Expression]]]) -> None:
        """Raise where the rates that satisfy the constraints are not known."""
        own = scalars[self.leading]
        timed = TIME.data in symbols([x for name in ROWS for x in own[name]])
        if "γ" not in own and (timed or any(isinstance(c, Nonholonomic) for c in self.system.constraints)):
            raise CannotCloseError("no formalism says which rates satisfy the constraints")

    def _prepare(self, point: Point) -> None:
        """Angles that close the mechanism at the position of the point, and rates that satisfy its constraints."""
        if self.closed.turns:
            values = point.run(self.plan)
            parts = [values[i] for i in self._turned]
            assign_turns(point, self.closed.turns, [parts[k : k + 3] for k in range(0, len(parts), 3)])
        values = point.run(self.plan)
        own, n, p = self.places[self.leading], len(self.names), point.field.p
        drives = set(map(drive_row, imposed(self.system)))
        rows, before = [], [point.drawn(rate(name)) for name in self.names]
        for k, name in enumerate(self.derivations[self.leading].rows):
            if name not in drives:
                row = [values[i] for i in own["D"][k * n : (k + 1) * n]]
                speed = values[own["γ"][k]] if "γ" in own else dot(row, before)
                rows.append([*row, -speed % p])
        found = reduced(rows, p, n)
        if found.torn:
            raise CannotCloseError("no rates satisfy the constraints at a random position")
        after = list(before)
        for one, pivot in zip(found.rows, found.pivots, strict=True):
            after[pivot] = (before[pivot] + one[n]) % p
        for name, value in zip(self.names, after, strict=True):
            point.assign(rate(name), value)

    def equations(self) -> ClosedEquations:
        """What is compared."""
        n = len(self.names)
        found, rows = {}, {}
        for name, places in self.places.items():
            parts = {part: self.points.of(own) for part, own in places.items()}
            wanted = [parts[part] for part in (*PARTS, *ROWS)]
            size = self._size(wanted)
            motion = self.points.computed(self._motion, wanted, size, SINGULAR)
            space = self.points.computed(self._space, [parts["D"]], size)
            found[name] = {RANK: space, ACCELERATION: motion[:n], REACTIONS: motion[n:]}
            rows[name] = self._rows(name, places)
        rank = max(len(own[RANK]) for own in found.values()) // n
        return ClosedEquations(self.points, self.system, found, rows, n - rank, self.closed.scope)

    def _space(self, point: Point, D: Sequence[Value]) -> list[Value]:
        """The rows in reduced echelon form: the same for all rows that span one space."""
        return [x for row in reduced(self._matrix(D), point.field.p).rows for x in row]

    def _motion(
        self, point: Point, mass: Sequence[Value], h: Sequence[Value], gravity: Sequence[Value],
        applied: Sequence[Value], D: Sequence[Value], rest: Sequence[Value],
    ) -> list[Value] | None:  # fmt: skip
        """Accelerations, then reactions Dᵀ λ; None where the constraints contradict each other, or leave no inertia."""
        n, p = len(self.names), point.field.p
        rows = [[*row, -x % p] for row, x in zip(self._matrix(D), rest, strict=True)]
        found = reduced(rows, p, n)
        if found.torn:
            return None
        a: list[Value] = [0] * n
        for row, pivot in zip(found.rows, found.pivots, strict=True):
            a[pivot] = row[n]
        M = self._matrix(mass)
        force = [(x + y - z) % p for x, y, z in zip(gravity, applied, h, strict=True)]
        left = [(f - m) % p for f, m in zip(force, times(M, a, p), strict=True)]
        basis = null_space(found, n, p)
        moved = [times(M, x, p) for x in basis]
        own = [[dot(x, y) % p for y in moved] for x in basis]
        z = solved(own, [dot(x, left) % p for x in basis], p)
        if z is None:
            return None
        a = [(x + sum((c * y[i] for c, y in zip(z, basis, strict=True)), 0)) % p for i, x in enumerate(a)]
        return [*a, *((m - f) % p for m, f in zip(times(M, a, p), force, strict=True))]

    def _matrix(self, flat: Sequence[Value]) -> list[list[Value]]:
        n = len(self.names)
        return [list(flat[k : k + n]) for k in range(0, len(flat), n)]

    def _rows(self, formalism: str, places: Mapping[str, Sequence[int]]) -> dict[str, Scalars]:
        """D and γ̃ of every row of a constraint that has one meaning: not of cut joints, whose rows may be combined."""
        n, found = len(self.names), {}
        plain = [c.name for c in self.system.constraints if not isinstance(c, FrameCoincidence)]
        for k, name in enumerate(self.derivations[formalism].rows):
            if any(name == own or name.startswith(f"{own} (") for own in plain):
                found[name] = self.points.of([*places["D"][k * n : (k + 1) * n], places["γ̃"][k]])
        return found

    def _size(self, parts: Sequence[Scalars]) -> Size:
        """What no acceleration and no reaction is larger than.

        Both are quotients of determinants of M, D and what stands beside them. Degrees are multiplied by that of
        the rates, which are such quotients of D themselves, and by that of angles, which are roots of squares.
        """
        mass, *rest, D, shaking = (part.size for part in parts)
        n = len(self.names)
        rates = _determinants(n, added([D] * n + [Size(1.0, 0.0, 0.0)]))
        row = added([mass] * n + [D] * n + rest + [shaking])
        whole = _determinants(2 * n, row)
        factor = 4 * (1 + rates.above)
        return Size(*(factor * x for x in whole))


def _determinants(n: int, row: Size) -> Size:
    """The size of a quotient of two determinants of n rows of such a size."""
    degree = n * (row.above + row.below)
    return added([Size(degree, degree, n * (row.bits + row.under + n))] * 2)


def _scalars(derivation: Derivation) -> dict[str, list[Expression]]:
    """What the motion is computed from."""
    found = {name: list(flatten(derivation.quantities[name])) for name in PARTS}
    return found | {
        name: list(flatten(derivation.native[name])) for name in (*ROWS, "γ") if name in derivation.native
    }


def _exact_position(system: System) -> Closed:
    """The mechanism at a position of its own that is known exactly: the initial one, or where all coordinates are zero.

    Raises
    ------
    CannotCloseError
        It is closed at neither.
    """
    values = {symbol(p.name): p.value for p in system.parameters if p.value is not None}
    given = {symbol(c.name): c.position for c in system.coordinates if c.position is not None}
    gaps = open_ends(system)
    start = {symbol(name): ZERO for name in system.coordinate_names} | given
    for position, where in ((start, INITIAL), (dict.fromkeys(start, ZERO), STRAIGHT)):
        for parameters, of in ({}, ""), (values, ", with the parameters' values"):
            definitions = {**parameters, **position}
            if all(v.kind == IDENTICAL for v in vanish(gaps, definitions, draws=1)):
                return Closed(system, definitions, scope=where + of)
    raise CannotCloseError(SPECIAL)
