"""Linear algebra over a prime field, or its quadratic extension: no pivot is small, only zero."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mbconcord.records import dataclass

from .extension import inverse
from .point import Value

Row = list[Value]


@dataclass(frozen=True)
class EchelonRows:
    """Rows in reduced echelon form.

    Attributes
    ----------
    rows : those that are not zero, each with a 1 at its pivot
    pivots : column of the pivot of each row
    torn : True if a row is zero in the columns of pivots but not in others: the equations contradict each other
    """

    rows: tuple[tuple[Value, ...], ...]
    pivots: tuple[int, ...]
    torn: bool = False

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return len(self.rows)


def reduce_rows(rows: Sequence[Sequence[Value]], p: int, columns: int | None = None) -> EchelonRows:
    """Reduce rows to reduced echelon form, with pivots among the first ``columns`` (None: all)."""
    left = [list(row) for row in rows]
    width = columns if columns is not None else len(left[0]) if left else 0
    done: list[Row] = []
    pivots: list[int] = []
    for column in range(width):
        k = next((i for i, row in enumerate(left) if row[column] != 0), None)
        if k is None:
            continue
        pivot = left.pop(k)
        factor = inverse(pivot[column], p)
        pivot = [x * factor % p for x in pivot]
        for group in (left, done):
            for i, row in enumerate(group):
                if row[column] != 0:
                    group[i] = _less(row, row[column], pivot, p)
        done.append(pivot)
        pivots.append(column)
    return EchelonRows(tuple(map(tuple, done)), tuple(pivots), any(x != 0 for row in left for x in row))


def _less(row: Row, times: Value, pivot: Row, p: int) -> Row:
    return [(x - times * y) % p for x, y in zip(row, pivot, strict=True)]


def solve(matrix: Sequence[Sequence[Value]], right: Sequence[Value], p: int) -> Row | None:
    """Solve a square system A x = b; None if A is singular."""
    n = len(right)
    left = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for column in range(n):
        k = next((i for i in range(column, n) if left[i][column] != 0), None)
        if k is None:
            return None
        left[column], left[k] = left[k], left[column]
        head = left[column]
        factor = inverse(head[column], p)
        head = left[column] = [x * factor % p for x in head[column:]]
        for i in range(column + 1, n):
            times = left[i][column]
            tail = left[i][column:]
            left[i][column:] = _less(tail, times, head, p) if times != 0 else tail
    found: Row = [0] * n
    for i in range(n - 1, -1, -1):
        row = left[i]
        found[i] = (row[-1] - dot(row[1:-1], found[i + 1 :])) % p
    return found


def dot(a: Sequence[Value], b: Sequence[Value]) -> Value:
    """Return the sum of products, not reduced modulo p."""
    total: Value = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def times(matrix: Sequence[Sequence[Value]], x: Sequence[Value], p: int) -> Row:
    """Return the product A x of a matrix and a vector, modulo p."""
    return [dot(row, x) % p for row in matrix]


def rational(x: Value, p: int, most: int = 1 << 40) -> Fraction | None:
    """Return the fraction with numerator and denominator below ``most`` that equals x in the field, or None."""
    if not isinstance(x, int):
        return None
    (a, b), (u, v) = (p, x), (0, 1)
    while b >= most:
        q = a // b
        (a, b), (u, v) = (b, a - q * b), (v, u - q * v)
    return Fraction(b, v) if v and abs(v) < most else None


def null_space(found: EchelonRows, width: int, p: int) -> list[Row]:
    """Return a basis of the null space of the rows."""
    free = [k for k in range(width) if k not in found.pivots]
    basis = []
    for column in free:
        vector: Row = [0] * width
        vector[column] = 1
        for row, pivot in zip(found.rows, found.pivots, strict=True):
            vector[pivot] = -row[column] % p
        basis.append(vector)
    return basis
