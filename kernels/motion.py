"""Accelerations of a machine as expressions: M q'' = F + Dᵀ λ, D q'' + γ̃ = 0, by Gram-Schmidt in the metric of M.

With M = L d Lᵀ and Y = L⁻¹ Dᵀ the rows are made orthogonal one after the other in the metric 1/d, which needs no
square root; y = L⁻¹ F is moved onto them, q'' = L⁻ᵀ (y / d). Zeros of the expressions stay zeros: coordinates are
eliminated in the order of least fill, which has none for trees, and rows that share no body do not meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from mbconcord.model.expressions import ONE, ZERO, Expression, number, sqrt
from mbconcord.model.expressions.functions import apply
from mbconcord.records import dataclass

#: A row of which less than this part of its length is beyond the rows before it depends on them.
DEPENDENT: Final = Fraction(1, 10**9)
#: A row that is shorter than this part of all rows together weighs no more than one that has it.
SHORT: Final = Fraction(1, 10**6)
#: An inertia of which less than this part is beyond what other coordinates move is rounding.
ROUNDING: Final = Fraction(1, 10**11)
#: Less than any number that is not zero.
LEAST: Final = Fraction(1, 10**300)

Vector = dict[int, Expression]
Results = tuple[Expression, ...]


class NoPivotError(ArithmeticError):
    """A coordinate has no inertia in the expressions of M."""


@dataclass(frozen=True)
class SolvedMotion:
    """Accelerations and multipliers of n coordinates and m rows, as expressions.

    Attributes
    ----------
    acceleration (n,), multipliers (m,) : q'', λ
    sound : number of coordinates with inertia plus number of independent rows; n + m if no pivot is mere rounding
    """

    acceleration: tuple[Expression, ...]
    multipliers: tuple[Expression, ...]
    sound: Expression


def solve_motion(
    M: Sequence[Sequence[Expression]], F: Sequence[Expression], D: Sequence[Sequence[Expression]],
    rest: Sequence[Expression],
) -> SolvedMotion:  # fmt: skip
    """Solve for accelerations and multipliers with M, F, D and γ̃ (``rest``), by :class:`MotionFactors` used once."""
    factors = MotionFactors(M, D)
    return SolvedMotion(*factors.solve(F, rest), factors.sound)


class MotionFactors:
    """Factors of M (n, n) and D (m, n), by which M q'' = F + Dᵀ λ, D q'' + γ̃ = 0 is solved for any F and γ̃.

    Attributes
    ----------
    sound : as of :class:`SolvedMotion`
    lengths, sizes (m,) : squares of the lengths of the rows in the metric, whole and beyond those taken before them

    Raises
    ------
    NoPivotError
        A coordinate has no inertia, whatever the numbers.
    """

    def __init__(self, M: Sequence[Sequence[Expression]], D: Sequence[Sequence[Expression]]) -> None:
        metric = self._metric = _Metric(M)
        lowered = [metric.lower({i: x for i, x in enumerate(row) if x is not ZERO}) for row in D]
        self._order = _order_rows([{*row} for row in lowered])
        self._rows = [lowered[i] for i in self._order]  # from each those before it are taken
        self._given, parts = list(self._rows), [*metric.sound]
        lengths = self.lengths = [metric.dot(row, row) for row in lowered]
        self.sizes = list(lengths)
        least = SHORT_SQUARED * _total(lengths)
        self._share: dict[tuple[int, int], Expression] = {}  # of row k in row l
        self._inverses: list[Expression] = []
        for k, row in enumerate(self._rows):
            size = self.sizes[self._order[k]] = metric.dot(row, row)
            real = indicate(size - DEPENDENT_SQUARED * (lengths[self._order[k]] + least))
            parts.append(real)
            self._inverses.append(real / (size * real + (ONE - real)))
            for later in range(k + 1, len(self._rows)):
                part = metric.dot(row, self._rows[later])
                if part is not ZERO:
                    part = self._share[k, later] = part * self._inverses[k]
                    self._rows[later] = _add(self._rows[later], -part, row)
        self.sound = _total(parts)

    def solve(self, F: Sequence[Expression], rest: Sequence[Expression]) -> tuple[Results, Results]:
        """Solve for accelerations q'' (n,) and multipliers λ (m,); ``rest`` (m,) is γ̃."""
        metric, rows = self._metric, self._rows
        y = metric.lower({i: x for i, x in enumerate(F) if x is not ZERO})
        known = [-rest[i] - metric.dot(row, y) for i, row in zip(self._order, self._given, strict=True)]
        for (k, later), part in self._share.items():
            known[later] = known[later] - part * known[k]
        multipliers = [x * inverse for x, inverse in zip(known, self._inverses, strict=True)]
        for x, row in zip(multipliers, rows, strict=True):
            y = y if x is ZERO else _add(y, x, row)
        for (k, later), part in reversed(self._share.items()):
            multipliers[k] = multipliers[k] - part * multipliers[later]
        placed = dict(zip(self._order, multipliers, strict=True))
        return tuple(metric.upper(y)), tuple(placed[i] for i in range(len(rows)))


def _order_rows(rows: Sequence[set[int]]) -> list[int]:
    """Return the order of rows, given by their coordinates: first those that are short and meet few of the others."""
    left, order = dict(enumerate(rows)), list[int]()
    met = {i: {k for k in left if k != i and left[i] & left[k]} for i in left}
    while left:
        i = min(left, key=lambda i: (len(left[i]) * len(met[i]), i))
        order, row = [*order, i], left.pop(i)
        for k in met[i]:
            left[k], met[k] = left[k] | row, (met[k] | met[i]) - {i, k}
    return order


DEPENDENT_SQUARED: Final = number(DEPENDENT * DEPENDENT)
SHORT_SQUARED: Final = number(SHORT * SHORT)


class _Metric:
    """The factors M = L d Lᵀ as expressions.

    Attributes
    ----------
    sound : for each coordinate 1 where its pivot is an inertia, 0 where it is rounding
    """

    def __init__(self, M: Sequence[Sequence[Expression]]) -> None:
        count = len(M)
        left = {i: {k: x for k, x in enumerate(row) if x is not ZERO and k != i} for i, row in enumerate(M)}
        pivots = [M[i][i] for i in range(count)]
        self.order: list[int] = []
        self.below: list[Vector] = [{} for _ in range(count)]
        self.inverses: list[Expression] = [ZERO] * count
        self.sound: list[Expression] = []
        while left:
            i = min(left, key=lambda x: (len(left[x]), x))
            column = left.pop(i)
            if pivots[i] is ZERO:
                raise NoPivotError
            self.order.append(i)
            self.inverses[i] = ONE / pivots[i]
            self.sound.append(ONE if pivots[i] is M[i][i] else indicate(pivots[i] - number(ROUNDING) * M[i][i]))
            for k, x in column.items():
                del left[k][i]
                factor = self.below[i][k] = x * self.inverses[i]
                pivots[k] = pivots[k] - factor * x
            for j, k in combinations(column, 2):
                left[k][j] = left[j][k] = left[k].get(j, ZERO) - self.below[i][k] * column[j]

    def lower(self, b: Vector) -> Vector:
        """Return L⁻¹ b."""
        found = dict(b)
        for i in self.order:
            if (x := found.get(i, ZERO)) is not ZERO:
                found = _add(found, -x, self.below[i])
        return {i: x for i, x in found.items() if x is not ZERO}

    def upper(self, y: Vector) -> list[Expression]:
        """Return L⁻ᵀ (y / d)."""
        found = [ZERO] * len(self.order)
        for i in reversed(self.order):
            value = y.get(i, ZERO) * self.inverses[i]
            for k, factor in self.below[i].items():
                value = value - factor * found[k]
            found[i] = value
        return found

    def dot(self, a: Vector, b: Vector) -> Expression:
        """Return aᵀ d⁻¹ b."""
        return _total(a[i] * self.inverses[i] * b[i] for i in self.order if i in a and i in b)


def _add(a: Vector, factor: Expression, b: Vector) -> Vector:
    """Return a + factor b."""
    return a | {i: a.get(i, ZERO) + factor * x for i, x in b.items()}


def reflect(
    rows: Sequence[Sequence[Expression]], count: int
) -> tuple[list[list[Expression]], list[Expression], list[Expression]]:
    """Return rows turned by Householder's reflections that make their first columns triangular.

    With them, for each of these columns, squares of its size beyond the columns before it, and of its length.
    """
    A, sizes, lengths = [list(row) for row in rows], list[Expression](), list[Expression]()
    for j in range(count):
        x = [ZERO] * j + [row[j] for row in A[j:]]
        sizes.append(_total(a * a for a in x))
        lengths.append(_total(row[j] * row[j] for row in rows))
        size = sqrt(sizes[-1])
        sign = ONE if x[j].constant else 2 * indicate(x[j] + 2 * number(LEAST)) - ONE
        x[j] = x[j] + sign * size
        share = ONE / (sign * size * x[j])
        for c in range(j, len(A[0])):
            part = share * _total(a * row[c] for a, row in zip(x, A, strict=True))
            for a, row in zip(x, A, strict=True):
                row[c] = row[c] - part * a
    return A, sizes, lengths


def _total(values: Iterable[Expression]) -> Expression:
    return sum(values, ZERO)


def indicate(a: Expression) -> Expression:
    """Return an expression that is 1 where a > 0, 0 where a ≤ 0, NaN where a is NaN."""
    if a.constant:
        return ONE
    return number(Fraction(1, 2)) * (apply("sign", a - number(LEAST)) + ONE)
