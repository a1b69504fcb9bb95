"""Virtual displacements admitted by rows: each row removes one direction from those left by earlier rows.

After one of two nearly equal rows, the other would add only their difference, which has few digits: so rows with a
large part in the remaining space are chosen first, and long rows before short ones. At a state read from printed digits
dependent rows differ by rounding: if the rank of the mechanism is known, no more rows than that are chosen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.evaluation import Array
from mbconcord.model.numbers import ANY_RANK
from mbconcord.records import dataclass

#: A row of length 1 that sees less than this of the displacements that are left depends on the rows that took others.
DEPENDENT = 1e-9
#: The first row goes next that sees this part of what any row sees of the displacements that are left.
MUCH = 0.1
#: A row smaller than this part of the largest entry of D (of 1, where all are smaller) is rounding: it is zero.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Admitted:
    """Displacements of n coordinates that m constraint rows of length 1 admit.

    Attributes
    ----------
    chosen : numbers of the r rows that are independent, in order
    L (r, r), B (n, r) : D = L Bᵀ for these rows, B orthonormal, L triangular
    left (n, n - r) : orthonormal admitted displacements, at right angles to B
    shares (m, r) : coefficients of the chosen rows in every row
    differing (m,) : True for rows not chosen for lack of rank that are independent of the chosen ones at this state
    """

    chosen: list[int]
    L: Array
    B: Array
    left: Array
    shares: Array
    differing: NDArray[np.bool_]

    @property
    def unique(self) -> Array:
        """Mask (m,) of unique multipliers: those of chosen rows of which no other row contains a share."""
        others = [i for i in range(len(self.shares)) if i not in self.chosen]
        found = np.zeros(len(self.shares), dtype=bool)
        found[self.chosen] = np.abs(self.shares[others]).max(axis=0, initial=0.0) <= DEPENDENT
        return found


def admit_displacements(rows: Array, lengths: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK) -> Admitted:
    """Return the displacements that rows (m, n) of length 1 admit; the last ``drives`` rows are chosen after others.

    ``lengths`` (m,) are the rows' lengths before they were scaled to 1: a short row has the rounding of the long terms
    in it. ``most`` are the largest ranks of the rows without those of drives, and with them.

    A reflection turns the part of a row in the remaining displacements into the first of these, which is removed: the
    others stay orthonormal to rounding, however nearly dependent the rows are.
    """
    m, n = rows.shape
    left, taken = np.eye(n), list[Array]()
    chosen = list[int]()
    seen = rows
    for asked, rank in zip((m - drives, m), most, strict=True):
        while left.size and len(chosen) < rank:
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
    differing = np.linalg.norm(seen, axis=1) > DEPENDENT
    differing[chosen] = False
    return Admitted(chosen, L, B, left, np.asarray(shares), differing)


def _beyond(x: Array, mirror: Array) -> Array:
    """Apply the reflection with the normal ``mirror`` to the rows of x, and remove the first column."""
    return (x - 2 * np.outer(x @ mirror, mirror) / (mirror @ mirror))[:, 1:]


def measure_formulas(D: Array, terms: Array) -> Array:
    """Return the sizes (N, m) of rows: for formulas their largest entry as a power of two, 1 for rows of bodies.

    ``terms`` (N, m, n) are sums of the absolute terms of each entry, zero for rows of bodies. A formula with no entry
    above :data:`DEPENDENT` times its terms gets a much larger size, so that the divided row counts as zero.
    """
    entries = np.abs(D)
    sees = (entries > DEPENDENT * terms).any(axis=2)
    beyond = 4 * DEPENDENT / ROUNDING
    sizes = np.where(sees, entries.max(axis=2, initial=0.0), beyond * terms.max(axis=2, initial=0.0))
    known = (terms > 0).any(axis=2) & (sizes > 0) & np.isfinite(sizes)
    powers = np.round(np.log2(np.where(known, sizes, 1.0)))
    return np.asarray(np.ldexp(1.0, powers.astype(int)))


def without_rounding(D: Array) -> Array:
    """Set rows of D (m, n) that are pure rounding to exact zeros: they belong to motions that no coordinate has."""
    size = np.abs(D).max(axis=1, initial=0.0)
    return np.where((size > ROUNDING * max(1.0, size.max(initial=0.0)))[:, None], D, 0.0)
