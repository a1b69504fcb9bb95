"""Virtual displacements that rows admit: each row takes one direction from those that the rows before it admit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbconcord.model.evaluation import Array

#: A row of length 1 that sees less than this of the displacements which the rows before it admit depends on them.
DEPENDENT = 1e-9
#: A row smaller than this part of the largest entry of D (of 1, where all are smaller) is rounding: it is zero.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Admitted:
    """What m rows of length 1 leave of the displacements of n coordinates.

    Attributes
    ----------
    chosen : numbers of the r rows that take a direction
    L (r, r), B (n, r) : of these rows D = L Bᵀ, B orthonormal, L triangular
    left (n, n - r) : orthonormal displacements that are left, at right angles to B
    shares (m, r) : of the chosen rows in every row
    """

    chosen: list[int]
    L: Array
    B: Array
    left: Array
    shares: Array

    @property
    def unique(self) -> Array:
        """Which of the m multipliers are unique: those of chosen rows that no other row has a share of."""
        others = [i for i in range(len(self.shares)) if i not in self.chosen]
        found = np.zeros(len(self.shares), dtype=bool)
        found[self.chosen] = np.abs(self.shares[others]).max(axis=0, initial=0.0) <= DEPENDENT
        return found


def admitted(rows: Array) -> Admitted:
    """Take the rows (m, n) one after the other from all displacements.

    What a row sees of the displacements that are left is turned into the first of them by a reflection, and that one
    is taken away: the others stay orthonormal to rounding, however nearly the rows depend on each other.
    """
    m, n = rows.shape
    left, taken, chosen = np.eye(n), [], []
    for i, row in enumerate(rows):
        seen = row @ left
        size = float(np.linalg.norm(seen))
        if size <= DEPENDENT:
            continue
        mirror = seen / size
        chosen.append(i)
        taken.append(left @ mirror)
        mirror[0] += 1.0 if mirror[0] >= 0 else -1.0
        left = (left - 2 * np.outer(left @ mirror, mirror) / (mirror @ mirror))[:, 1:]
    B = np.array(taken).reshape(len(taken), n).T
    L = rows[chosen] @ B
    shares = np.linalg.solve(L.T, (rows @ B).T).T if chosen else np.zeros((m, 0))
    return Admitted(chosen, L, B, left, shares)


def without_rounding(D: Array) -> Array:
    """D (m, n) with exact zeros for rows that rounding alone made: of motions that no coordinate has."""
    size = np.abs(D).max(axis=1, initial=0.0)
    return np.where((size > ROUNDING * max(1.0, size.max(initial=0.0)))[:, None], D, 0.0)
