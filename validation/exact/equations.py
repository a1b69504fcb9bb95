"""The canonical quantities of derivations at random points of prime fields, and whether they are identical.

Every derivation is taken as the straight-line program that its numbers are computed with. What it does not deliver and
follows from M, h and the forces is computed in the field: inverse dynamics, and accelerations by elimination, where no
pivot is small, only zero::

    M a = gravity + applied - h
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from mbconcord.model.derivation import EFFORT
from mbconcord.model.expressions import rate
from mbconcord.model.expressions.collector import no_search_for_cycles
from mbconcord.model.expressions.field import Plan, Point, Sample, Size, Value
from mbconcord.model.mixed import free, imposed
from mbconcord.model.system import System

from ..exactness import Exactness
from ..judge.bounds import IMPOSED, PARTS, BoundedEquations
from .linear import dot, solved
from .scalars import Points, Scalars, sides

#: Random points, each in a field of its own.
DRAWS = 2
#: Said where no acceleration follows from the equations.
SINGULAR = "the mass matrix is singular for all states"


@dataclass(frozen=True)
class ExactEquations:
    """What several derivations of one system say at the same random points.

    Attributes
    ----------
    points : Points
    system : System
    quantities : formalism -> quantity -> its scalars, M row by row
    """

    points: Points
    system: System
    quantities: Mapping[str, Mapping[str, Scalars]]

    def compared(self, a: str, b: str, quantity: str) -> Exactness | None:
        """Whether a quantity of two formalisms is identical; None where one of them does not give it."""
        x, y = (self.quantities.get(name, {}).get(quantity) for name in (a, b))
        if x is None or y is None:
            return None
        return self.points.compared(x, y, entries(self.system.coordinate_names, quantity))

    def sides(self, quantity: str) -> str:
        """Which formalisms give the same, where most do: ``a, b and c stand against d``."""
        return sides({name: own[quantity] for name, own in self.quantities.items() if quantity in own})


def entries(names: Sequence[str], quantity: str) -> list[tuple[str, ...]]:
    """What the entries of a quantity are called, in the order of its scalars."""
    return list(product(names, repeat=2 if quantity == "M" else 1))


def exact_equations(
    equations: Mapping[str, BoundedEquations], seed: int = 0, given: System | None = None
) -> ExactEquations:
    """The equations of some formalisms at the same random points.

    ``given`` is the model as its author has it, where functions without a formula were given one: they keep none here.
    """
    with no_search_for_cycles():
        return _equations(equations, seed, given)


def _equations(equations: Mapping[str, BoundedEquations], seed: int, given: System | None) -> ExactEquations:
    system = next(iter(equations.values())).derivation.system
    lines = [each.program for each in equations.values()]
    if given is not None and given.functions != system.functions:
        lines = [each.lines(given.functions) for each in equations.values()]
    plan, outputs = Plan.of_programs(lines)
    points = Points(Sample(plan, DRAWS, seed))
    completion = Completion(points, system)
    found = {}
    for (name, each), own in zip(equations.items(), outputs, strict=True):
        parts = {quantity: points.of(own[place]) for quantity, place in each.places.items()}
        found[name] = completion.of(parts)
    return ExactEquations(points, system, found)


class Completion:
    """What follows from M, h and the forces, once for all that have the same."""

    def __init__(self, points: Points, system: System) -> None:
        names = system.coordinate_names
        self.points, self.n = points, len(names)
        self._free, self._imposed = free(system), imposed(system)
        self._a = points.symbols(lambda point: [point.drawn(rate(name, 2)) for name in names])
        self._solved: dict[object, list[Value] | None] = {}

    def of(self, parts: Mapping[str, Scalars]) -> dict[str, Scalars]:
        """The quantities with inverse dynamics, accelerations and efforts, where they are missing and follow."""
        found = dict(parts)
        given = found.pop(IMPOSED, None)
        own = [found[name] for name in PARTS if name in found]
        if len(own) < len(PARTS):
            return found
        if "inverse_dynamics" not in found:
            found["inverse_dynamics"] = self._computed(self._inverse, [*own, self._a], self._sum(own))
        if "acceleration" not in found or self._imposed:
            wanted = [*own, given] if given is not None else own
            motion = self._computed(self._accelerations, wanted, self._quotient(own))
            found.setdefault("acceleration", motion)
            if self._imposed:
                needed = self._computed(self._efforts, [*own, motion], self._quotient(own))
                found.setdefault(EFFORT, needed)
        return found

    def _computed(self, function: object, parts: Sequence[Scalars], size: Size) -> Scalars:
        return self.points.computed(function, parts, size, SINGULAR)  # type: ignore[arg-type]

    def _inverse(
        self, point: Point, mass: Sequence[Value], h: Sequence[Value], gravity: Sequence[Value],
        applied: Sequence[Value], a: Sequence[Value],
    ) -> list[Value]:  # fmt: skip
        """M a + h - gravity - applied."""
        n, p = self.n, point.field.p
        moved = (dot(mass[i * n : (i + 1) * n], a) for i in range(n))
        return [(m + x - y - z) % p for m, x, y, z in zip(moved, h, gravity, applied, strict=True)]

    def _accelerations(
        self, point: Point, mass: Sequence[Value], h: Sequence[Value], gravity: Sequence[Value],
        applied: Sequence[Value], given: Sequence[Value] = (),
    ) -> list[Value] | None:  # fmt: skip
        """a of M a = gravity + applied - h, where those along drives that impose them are given."""
        n, places = self.n, self._free
        key = (point.field.p, mass, h, gravity, applied, given)
        if key not in self._solved:
            a: list[Value] = [0] * n
            for i, value in zip((i for i in range(n) if i not in places), given, strict=True):
                a[i] = value
            rest = self._inverse(point, mass, h, gravity, applied, a)
            own = [[mass[i * n + k] for k in places] for i in places]
            found = solved(own, [-rest[i] for i in places], point.field.p)
            for i, value in zip(places, found or (), strict=False):
                a[i] = value
            self._solved[key] = None if found is None else a
        return self._solved[key]

    def _efforts(
        self, point: Point, mass: Sequence[Value], h: Sequence[Value], gravity: Sequence[Value],
        applied: Sequence[Value], a: Sequence[Value],
    ) -> list[Value]:  # fmt: skip
        """What the drives need: inverse dynamics along them, zero along the others."""
        needed = self._inverse(point, mass, h, gravity, applied, a)
        return [0 if i in self._free else x for i, x in enumerate(needed)]

    def _sum(self, own: Sequence[Scalars]) -> Size:
        """The size of a row of inverse dynamics."""
        mass, *rest = (part.size for part in own)
        return added([mass * Size(1.0, 0.0, 0.0)] * self.n + rest)

    def _quotient(self, own: Sequence[Scalars]) -> Size:
        """The size of a solution, by Cramer's rule: of quotients of two determinants."""
        row = self._sum(own)
        whole = Size(row.above + row.below, 0.0, row.bits)
        total = Size(self.n * whole.above, self.n * whole.above, self.n * (whole.bits + self.n))
        return added([total] * 2)


def added(terms: Sequence[Size]) -> Size:
    """The size of a sum."""
    total = Size(0.0, 0.0, 0.0)
    for term in terms:
        total = total - term
    return total
