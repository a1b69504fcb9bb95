"""The canonical quantities of derivations at random points of prime fields, and whether they are identical.

Every derivation is evaluated by the same straight-line program that computes its floats. Quantities that it does not
deliver but that follow from M, h and the forces are computed in the field: inverse dynamics, and accelerations by
elimination, where a pivot is never small, only zero::

    M a = gravity + applied - h
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product

from mbconcord.model.derivation import EFFORT
from mbconcord.model.expressions import rate
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, Plan, Point, Sample, Size, Value
from mbconcord.model.expressions.field.linear import dot, null_space, reduce_rows, solve, times
from mbconcord.model.expressions.field.plan import MANY, POLE
from mbconcord.model.expressions.field.sizes import largest
from mbconcord.model.expressions.traversal import no_search_for_cycles
from mbconcord.model.mixed import find_imposed_accelerations, free
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ..bounds import IMPOSED, PARTS, BoundedEquations
from ..exactness import Exactness


@dataclass(frozen=True)
class SampledScalars:
    """Some scalars at every point of a sample, for every choice of signs there.

    Attributes
    ----------
    values : for each run (a point with a choice of signs), the values of the scalars
    places : for each scalar, the numbers of the plan's steps that it is computed from
    size : upper bound of the size of every scalar
    missing : reason why the scalars have no value; empty if they have values
    """

    values: tuple[tuple[Value, ...], ...]
    places: tuple[tuple[int, ...], ...]
    size: Size
    missing: str = ""

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, part: slice) -> SampledScalars:
        return SampledScalars(tuple(v[part] for v in self.values), self.places[part], self.size, self.missing)

    @property
    def below(self) -> tuple[int, ...]:
        """All steps of the plan that any of the scalars is computed from, each once."""
        return tuple(dict.fromkeys(chain.from_iterable(dict.fromkeys(self.places))))


class Points:
    """A sample, run by run: every point with every choice of signs."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.turns = [k for k, (_, patterns) in enumerate(sample.runs) for _ in patterns]

    def __iter__(self) -> Iterator[tuple[Point, Sequence[Value]]]:
        return ((point, values) for point, patterns in self.sample.runs for values in patterns)

    def sample_steps(self, places: Sequence[int]) -> SampledScalars:
        """Return the values of the steps of the plan with these numbers."""
        values = tuple(tuple([run[i] for i in places]) for _, run in self)
        return SampledScalars(
            values, tuple((i,) for i in places), largest(map(self.sample.sizes.find_size, set(places)))
        )

    def compute(
        self,
        function: Callable[..., Sequence[Value] | None],
        parts: Sequence[SampledScalars],
        size: Size,
        missing: str = "",
    ) -> SampledScalars:
        """Compute scalars from others: ``function(point, *parts)`` at every run.

        If it returns None, they have no value, and ``missing`` says why.
        """
        below = tuple(dict.fromkeys(chain.from_iterable(part.below for part in parts)))
        absent = next((part.missing for part in parts if part.missing), "")
        found: list[tuple[Value, ...]] = []
        for k, (point, _) in enumerate(() if absent else self):
            values = function(point, *(part.values[k] for part in parts))
            if values is None and self.turns[k] < self.sample.draws:
                return SampledScalars((), (below,), size, missing)
            found.append(
                found[0] if values is None else tuple(values)
            )  # a zero of sign() may have no value: as elsewhere
        return SampledScalars(tuple(found), (below,) * (len(found[0]) if found else 1), size, absent)

    def symbols(self, drawn: Callable[[Point], Iterable[Value]]) -> SampledScalars:
        """Draw random values of symbols: ``drawn(point)`` at every run."""
        values = tuple(tuple(drawn(point)) for point, _ in self)
        return SampledScalars(values, ((),) * len(values[0]), Size(1.0, 0.0, 0.0))

    def compare(self, x: SampledScalars, y: SampledScalars, names: Sequence[tuple[str, ...]]) -> Exactness:
        """Decide whether ``x`` and ``y`` are identical; ``names`` are the names of their entries."""
        why = x.missing or y.missing
        if why:
            return Exactness("undecided", why)
        if len(x) != len(y):
            return Exactness("differs", f"{len(x)} and {len(y)} numbers")
        size = x.size - y.size
        if x.values == y.values:
            below = (*x.below, *y.below)
            if not {POLE, MANY} & self.sample.taint.find_reasons(below).keys():
                verdict = self.sample.judge([{True}], below, size)
                assert verdict.chance is not None
                return Exactness("identical", log2=verdict.chance.log2)
        return self._by_entry(x, y, names, size)

    def _by_entry(
        self, x: SampledScalars, y: SampledScalars, names: Sequence[tuple[str, ...]], size: Size
    ) -> Exactness:
        """Return the first entry that differs, else the first that is undecided."""
        found: Exactness | None = None
        worst = float("-inf")
        for i, name in enumerate(names):
            equal: list[set[bool]] = [set() for _ in self.sample.runs]
            for turn, a, b in zip(self.turns, x.values, y.values, strict=True):
                equal[turn].add(a[i] == b[i])
            verdict = self.sample.judge(equal, (*x.places[i], *y.places[i]), size)
            if verdict.kind == DIFFERS:
                return Exactness("differs", entry=name)
            if verdict.kind == IDENTICAL:
                assert verdict.chance is not None
                worst = max(worst, verdict.chance.log2)
            elif found is None:
                found = Exactness("undecided", verdict.reason, name)
        return found or Exactness("identical", log2=worst)


def sides(found: Mapping[str, SampledScalars]) -> str:
    """Group formalisms with equal scalars, if most agree: ``a, b and c stand against d``; else return an empty text."""
    groups: dict[object, list[str]] = {}
    for name, own in found.items():
        if not own.missing:
            groups.setdefault(own.values, []).append(name)
    most = max(groups.values(), key=len, default=[])
    others = [name for group in groups.values() if group is not most for name in group]
    if not 1 < len(most) > len(others):
        return ""
    return f"{', '.join(most[:-1])} and {most[-1]} stand against {', '.join(others)}"


#: Random points, each in a field of its own.
DRAWS = 2
#: Said where no acceleration follows from the equations.
SINGULAR = "the mass matrix is singular for all states"


@dataclass(frozen=True)
class ExactEquations:
    """Values of several derivations of one system at the same random points.

    Attributes
    ----------
    points : Points
    system : System
    quantities : formalism -> quantity -> its scalars, M row by row
    """

    points: Points
    system: System
    quantities: Mapping[str, Mapping[str, SampledScalars]]

    def compare(self, a: str, b: str, quantity: str) -> Exactness | None:
        """Decide whether a quantity of two formalisms is identical; None if one of them does not give it."""
        x, y = (self.quantities.get(name, {}).get(quantity) for name in (a, b))
        if x is None or y is None:
            return None
        return self.points.compare(x, y, entries(self.system.coordinate_names, quantity))

    def sides(self, quantity: str) -> str:
        """Group formalisms that agree: ``a, b and c stand against d``."""
        return sides({name: own[quantity] for name, own in self.quantities.items() if quantity in own})


def entries(names: Sequence[str], quantity: str) -> list[tuple[str, ...]]:
    """Name the entries of a quantity, in the order of its scalars."""
    return list(product(names, repeat=2 if quantity == "M" else 1))


def exact_equations(
    equations: Mapping[str, BoundedEquations], seed: int = 0, given: System | None = None
) -> ExactEquations:
    """Evaluate the equations of some formalisms at the same random points.

    ``given`` is the author's model, if its functions without formula got random ones, which a proof must not use.
    """
    with no_search_for_cycles():
        return _equations(equations, seed, given)


def _equations(equations: Mapping[str, BoundedEquations], seed: int, given: System | None) -> ExactEquations:
    system = next(iter(equations.values())).derivation.system
    lines = [each.program for each in equations.values()]
    if given is not None and given.functions != system.functions:
        lines = [each.lines(given.functions) for each in equations.values()]
    plan, outputs = Plan.of_programs(lines)
    masses = (own[each.places.get("M", slice(0))] for each, own in zip(equations.values(), outputs, strict=True))
    points = Points(Sample(plan, DRAWS, seed, joined=chain.from_iterable(masses)))
    completion = Completion(points, system)
    found = {}
    for (name, each), own in zip(equations.items(), outputs, strict=True):
        parts = {quantity: points.sample_steps(own[place]) for quantity, place in each.places.items()}
        found[name] = completion.complete(parts)
    return ExactEquations(points, system, found)


class Completion:
    """Adder of the quantities that follow from M, h and forces, computed once for formalisms with equal ones."""

    def __init__(self, points: Points, system: System) -> None:
        names = system.coordinate_names
        self.points, self.n = points, len(names)
        self._free, self._imposed = free(system), find_imposed_accelerations(system)
        self._a = points.symbols(lambda point: [point.draw(rate(name, 2)) for name in names])
        self._solved: dict[object, list[Value] | None] = {}

    def complete(self, parts: Mapping[str, SampledScalars]) -> dict[str, SampledScalars]:
        """Add missing inverse dynamics, accelerations and efforts to the quantities."""
        found = dict(parts)
        given = found.pop(IMPOSED, None)
        own = [found[name] for name in PARTS if name in found]
        if len(own) < len(PARTS):
            return found
        if "inverse_dynamics" not in found:
            found["inverse_dynamics"] = self._compute(self._inverse, [*own, self._a], size_row(own, self.n))
        if "acceleration" not in found or self._imposed:
            wanted = [*own, given] if given is not None else own
            motion = self._compute(self._motion, wanted, size_solution(own, self.n))
            found.setdefault("acceleration", motion[: self.n])
            if self._imposed:
                found.setdefault(EFFORT, motion[self.n :])
        return found

    def _compute(self, function: object, parts: Sequence[SampledScalars], size: Size) -> SampledScalars:
        return self.points.compute(function, parts, size, SINGULAR)  # type: ignore[arg-type]

    def _inverse(
        self, point: Point, mass: Sequence[Value], h: Sequence[Value], gravity: Sequence[Value],
        applied: Sequence[Value], a: Sequence[Value],
    ) -> list[Value]:  # fmt: skip
        """Return M a + h - gravity - applied."""
        n, p = self.n, point.field.p
        moved = (dot(mass[i * n : (i + 1) * n], a) for i in range(n))
        return [(m + x - y - z) % p for m, x, y, z in zip(moved, h, gravity, applied, strict=True)]

    def _motion(
        self, point: Point, mass: Sequence[Value], h: Sequence[Value], gravity: Sequence[Value],
        applied: Sequence[Value], given: Sequence[Value] = (),
    ) -> list[Value] | None:  # fmt: skip
        """Solve for accelerations and for the efforts of drives that impose some: a tree has no other rows."""
        n = self.n
        key = (point.field.p, mass, h, gravity, applied, given)
        if key not in self._solved:
            drives = [i for i in range(n) if i not in self._free]
            rows = [[*(int(k == i) for k in range(n)), x] for i, x in zip(drives, given, strict=True)]
            force = [x + y - z for x, y, z in zip(gravity, applied, h, strict=True)]
            own = [list(mass[i * n : (i + 1) * n]) for i in range(n)]
            self._solved[key] = motion(own, force, rows, point.field.p)
        return self._solved[key]


def size_row(own: Sequence[SampledScalars], n: int) -> Size:
    """Bound the size of a row of M a + other terms; ``own`` has M first, then these terms."""
    mass, *rest = (part.size for part in own)
    return sum_sizes([mass * Size(1.0, 0.0, 0.0)] * n + rest)


def size_solution(own: Sequence[SampledScalars], n: int) -> Size:
    """Bound the size of a solution by Cramer's rule: quotients of two determinants."""
    row = size_row(own, n)
    whole = Size(row.above + row.below, 0.0, row.bits)
    total = Size(n * whole.above, n * whole.above, n * (whole.bits + n))
    return sum_sizes([total] * 2)


def sum_sizes(terms: Sequence[Size]) -> Size:
    """Bound the size of a sum."""
    total = Size(0.0, 0.0, 0.0)
    for term in terms:
        total = total - term
    return total


def motion(
    mass: Sequence[Sequence[Value]], force: Sequence[Value], rows: Sequence[Sequence[Value]], p: int
) -> list[Value] | None:
    """Solve M a = F + Dᵀ λ, D a = -γ̃ for a and Dᵀ λ; None if rows contradict each other or leave no inertia."""
    n = len(force)
    found = reduce_rows(rows, p, n)
    if found.torn:
        return None
    a: list[Value] = [0] * n
    for row, pivot in zip(found.rows, found.pivots, strict=True):
        a[pivot] = row[n]
    left = [(f - m) % p for f, m in zip(force, times(mass, a, p), strict=True)]
    basis = null_space(found, n, p)
    moved = [times(mass, x, p) for x in basis]
    own = [[dot(x, y) % p for y in moved] for x in basis]
    z = solve(own, [dot(x, left) % p for x in basis], p)
    if z is None:
        return None
    a = [(x + sum((c * y[i] for c, y in zip(z, basis, strict=True)), 0)) % p for i, x in enumerate(a)]
    return [*a, *((m - f) % p for m, f in zip(times(mass, a, p), force, strict=True))]
