"""Symmetric positive definite systems on the graph: M = L D Lᵀ, without a root and without a choice of pivots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..diagnostics import FormalismError, error
from ..expressions import ONE, ZERO, Expression

Rows = Sequence[Sequence[Expression]]
Matrix = tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True)
class Factors:
    """M = L D Lᵀ: L (n×n) with ones on its diagonal and zeros above, D a diagonal (n)."""

    lower: tuple[tuple[Expression, ...], ...]
    diagonal: tuple[Expression, ...]

    def solved(self, right: Sequence[Expression]) -> tuple[Expression, ...]:
        """x (n) of M x = right."""
        n, lower = len(self.diagonal), self.lower
        x = list(right)
        for i in range(n):
            x[i] = sum((-lower[i][k] * x[k] for k in range(i)), x[i])
        x = [value / pivot for value, pivot in zip(x, self.diagonal, strict=True)]
        for i in reversed(range(n)):
            x[i] = sum((-lower[k][i] * x[k] for k in range(i + 1, n)), x[i])
        return tuple(x)

    def solved_columns(self, right: Rows) -> Matrix:
        """X (n×k) of M X = right (n×k)."""
        columns = [self.solved(column) for column in zip(*right, strict=True)]
        return tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in right)

    def inverse(self) -> Matrix:
        """M⁻¹ (n×n)."""
        places = range(len(self.diagonal))
        return self.solved_columns([[ONE if i == k else ZERO for k in places] for i in places])


def factors(M: Rows, names: Sequence[str]) -> Factors:
    """The factors of a mass matrix whose coordinates have these names.

    Raises
    ------
    FormalismError
        A pivot is zero whatever the state: a coordinate without inertia.
    """
    lower: list[tuple[Expression, ...]] = []
    diagonal: list[Expression] = []
    for i, name in enumerate(names):
        scaled: list[Expression] = []  # L D of this row
        for k in range(i):
            scaled.append(sum((-scaled[j] * lower[k][j] for j in range(k)), M[i][k]))
        row = [x / pivot for x, pivot in zip(scaled, diagonal, strict=True)]
        pivot = sum((-x * y for x, y in zip(scaled, row, strict=True)), M[i][i])
        if pivot is ZERO:
            message = "no body has inertia along it: accelerations, and their derivatives, do not exist"
            raise FormalismError(error(f"coordinates/{name}", message, "give a body that it moves a mass"))
        lower.append((*row, ONE, *[ZERO] * (len(names) - i - 1)))
        diagonal.append(pivot)
    return Factors(tuple(lower), tuple(diagonal))
