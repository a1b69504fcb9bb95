"""Virtual displacements that rows admit: each row takes one direction from those that are left of rows before it.

Where two rows see nearly the same displacements, the second would take what their difference sees, which has few
digits: a row that sees much of what is left goes first, and a long row before a short one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbconcord.model.evaluation import Array

#: A row of length 1 that sees less than this of the displacements that are left depends on the rows that took others.
DEPENDENT = 1e-9
#: The first row goes next that sees this part of what any row sees of the displacements that are left.
MUCH = 0.1
#: A row smaller than this part of the largest entry of D (of 1, where all are smaller) is rounding: it is zero.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Admitted:
    """What m rows of length 1 leave of the displacements of n coordinates.

    Attributes
    ----------
    chosen : numbers of the r rows that take a direction, in their order
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


def admitted(rows: Array, lengths: Array, drives: int = 0) -> Admitted:
    """Let the rows (m, n) take displacements from all that there are, those of drives, the last, after the others.

    ``lengths`` (m,) are what the rows had that are of length 1 now: a short one has the rounding of long ones.

    What a row sees of the displacements that are left is turned into the first of them by a reflection, and that one
    is taken away: the others stay orthonormal to rounding, however nearly the rows depend on each other.
    """
    m, n = rows.shape
    left, taken, chosen = np.eye(n), [], []
    seen = rows
    for asked in (m - drives, m):
        while left.size:
            parts = np.linalg.norm(seen[:asked], axis=1)
            sizes = np.where(parts > DEPENDENT, parts * lengths[:asked], 0.0)
            if sizes.max(initial=0.0) <= ROUNDING * lengths.max(initial=0.0):
                break
            i = int(np.argmax(sizes >= MUCH * sizes.max()))
            mirror = seen[i] / parts[i]
            chosen.append(i)
            taken.append(left @ mirror)
            mirror[0] += 1.0 if mirror[0] >= 0 else -1.0
            left, seen = (_beyond(x, mirror) for x in (left, seen))
    B = np.array(taken).reshape(len(taken), n).T
    L = rows[chosen] @ B
    shares = np.linalg.solve(L.T, (rows @ B).T).T if chosen else np.zeros((m, 0))
    return Admitted(chosen, L, B, left, shares)


def _beyond(x: Array, mirror: Array) -> Array:
    """Columns of x reflected, without the first."""
    return (x - 2 * np.outer(x @ mirror, mirror) / (mirror @ mirror))[:, 1:]


def without_rounding(D: Array) -> Array:
    """D (m, n) with exact zeros for rows that rounding alone made: of motions that no coordinate has."""
    size = np.abs(D).max(axis=1, initial=0.0)
    return np.where((size > ROUNDING * max(1.0, size.max(initial=0.0)))[:, None], D, 0.0)
