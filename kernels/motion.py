"""Accelerations of a machine as expressions: M q'' = F + Dᵀ λ, D q'' + γ̃ = 0, by Gram-Schmidt in the metric of M.

With M = L d Lᵀ and Y = L⁻¹ Dᵀ the rows are made orthogonal one after the other in the metric 1/d, which needs no
square root; y = L⁻¹ F is moved onto them, q'' = L⁻ᵀ (y / d). Zeros of the expressions stay zeros: coordinates are
eliminated in the order of least fill, which has none for trees, and rows that share no body do not meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final

from mbconcord.model.expressions import ONE, ZERO, Expression, number
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
    lengths, sizes (m,) : squares of the lengths of the rows in the metric, whole and beyond the rows before them

    Raises
    ------
    NoPivotError
        A coordinate has no inertia, whatever the numbers.
    """

    def __init__(self, M: Sequence[Sequence[Expression]], D: Sequence[Sequence[Expression]]) -> None:
        metric = self._metric = _Metric(M)
        #: Each row as it is before rows before it are taken from it, and after.
        self._rows = [metric.lower({i: x for i, x in enumerate(row) if x is not ZERO}) for row in D]
        self._given, parts = list(self._rows), [*metric.sound]
        lengths = self.lengths = [metric.dot(row, row) for row in self._rows]
        self.sizes: list[Expression] = []
        least = SHORT_SQUARED * _total(lengths)
        self._share: dict[tuple[int, int], Expression] = {}  # of row k in row l
        self._inverses: list[Expression] = []
        for k, row in enumerate(self._rows):
            size = metric.dot(row, row)
            self.sizes.append(size)
            real = indicate(size - DEPENDENT_SQUARED * (lengths[k] + least))
            parts.append(real)
            self._inverses.append(real / (size * real + (ONE - real)))
            for later in range(k + 1, len(self._rows)):
                part = metric.dot(row, self._rows[later])
                if part is not ZERO:
                    part = self._share[k, later] = part * self._inverses[k]
                    self._rows[later] = _add(self._rows[later], -part, row)
        self.sound = _total(parts)

    def solve(
        self, F: Sequence[Expression], rest: Sequence[Expression]
    ) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
        """Solve for accelerations q'' (n,) and multipliers λ (m,); ``rest`` (m,) is γ̃."""
        metric, rows = self._metric, self._rows
        y = metric.lower({i: x for i, x in enumerate(F) if x is not ZERO})
        known = [-x - metric.dot(row, y) for x, row in zip(rest, self._given, strict=True)]
        weights = list(known)
        for k, row in enumerate(rows):
            for later in range(k + 1, len(rows)):
                if (k, later) in self._share:
                    known[later] = known[later] - self._share[k, later] * known[k]
            weights[k] = known[k] * self._inverses[k]
            if weights[k] is not ZERO:
                y = _add(y, weights[k], row)
        multipliers = weights
        for k in reversed(range(len(rows))):
            for later in range(k + 1, len(rows)):
                if (k, later) in self._share:
                    multipliers[k] = multipliers[k] - self._share[k, later] * multipliers[later]
        return tuple(metric.upper(y)), tuple(multipliers)


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
            others = list(column)
            for a, k in enumerate(others):
                for j in others[:a]:
                    value = left[k].get(j, ZERO) - self.below[i][k] * column[j]
                    left[k][j] = left[j][k] = value

    def lower(self, b: Vector) -> Vector:
        """Return L⁻¹ b."""
        found = dict(b)
        for i in self.order:
            x = found.get(i, ZERO)
            if x is not ZERO:
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
    found = dict(a)
    for i, x in b.items():
        found[i] = found.get(i, ZERO) + factor * x
    return found


def _total(values: Iterable[Expression]) -> Expression:
    return sum(values, ZERO)


def indicate(a: Expression) -> Expression:
    """Return an expression that is 1 where a > 0, 0 where a ≤ 0, NaN where a is NaN."""
    if a.constant:
        return ONE
    return number(Fraction(1, 2)) * (apply("sign", a - number(LEAST)) + ONE)
