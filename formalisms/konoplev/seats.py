"""Transfer from the frame of one body's aggregate to the next: L_c,parent⁻¹ L_p L_c as one element of the group, (1.1).

A row transferred from aggregate to aggregate is rotated once per pair, instead of into the axes of a body's frame and
out of them again. For a pair with one direction of mobility, all constants of the element are multiplied beforehand:
about the axis e_k the rotation is ``R = e_k e_kᵀ + (E - e_k e_kᵀ) cos θ + <e_k> sin θ``, so an entry of ``P R Q`` with
constant P and Q costs two multiplications.
"""

from __future__ import annotations

from collections.abc import Mapping

from .mechanism import Link
from .pair import ROTATIONS, Of, Pair, Slot, rotation
from .structure import Rows, Tree, transfer_rows
from .vectors import (
    Matrix,
    Scalar,
    Transfer,
    absent,
    from_column_axes,
    minus,
    plus,
    product,
    skew,
    sum_matrices,
    times,
    to_column_axes,
    transpose,
)  # fmt: skip

#: Rows from which on an element for all of them costs less than each over the origins.
FEWEST = 2
#: e_1, e_2, e_3.
AXES = ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))


def seated_rows(
    tree: Tree, seats: Mapping[int, Transfer | None], origin: Mapping[int, Rows], of: Of
) -> dict[int, Rows]:
    """Compute rows of S of every link in its aggregate's frame: ``origin``, rows at the link's origin, times L_c.

    They are transferred from the parent's aggregate if that costs less than from ``origin``: if there are several rows,
    the pair's own rotation has no zeros, its constants are no symbols, and at most one direction is mobile.
    """
    rows: dict[int, Rows] = {0: {}}
    for number, link in tree.links.items():
        before, after = seats.get(link.parent), seats.get(number)
        known = simple(link.pair) and all(constant(tree.links.get(n)) for n in (link.parent, number))
        full = not any(absent(x) for row in tree.matrices[number].transfer.c for x in row)
        if not (known and full and len(rows[link.parent]) >= FEWEST):
            rows[number] = transfer_rows(after, origin[number])
            continue
        own = {d: tree.matrices[number].rows[d.alpha] for d in tree.directions[number]}
        rows[number] = transfer_rows(element(link.pair, before, after, of), rows[link.parent]) | transfer_rows(
            after, own
        )
    return rows


def simple(pair: Pair) -> bool:
    """Return True if a pair has at most one direction of mobility, and its other slots are numbers without symbols."""
    fixed = (slot for alpha, slot in enumerate(pair.slots, 1) if alpha not in pair.mobile)
    return len(pair.mobile) <= 1 and all(x.constant for s in fixed for x in (s.known, *(s.direct or ())))


def constant(link: Link | None) -> bool:
    """Return True if the place of a link's aggregate contains no symbols."""
    return link is None or link.body is None or all(x.constant for x in link.body.inertia.centre)


def element(pair: Pair, before: Transfer | None, after: Transfer | None, of: Of) -> Transfer:
    """Compute L_before⁻¹ L L_after of a pair with at most one direction of mobility."""
    before, after = before or Transfer((0, 0, 0)), after or Transfer((0, 0, 0))
    alpha = next(iter(pair.mobile), None)
    fixed = Pair(tuple(Slot() if a == alpha else slot for a, slot in enumerate(pair.slots, 1)))  # type: ignore[arg-type]
    shift = to_column_axes(minus(tuple(of(slot.amount) for slot in fixed.slots[:3]), before.o), before.c)
    circular = [tuple(of(x) for x in slot.circular) for slot in fixed.slots[3:]]
    if alpha not in ROTATIONS:
        c = product(transpose(before.c), rotation(*circular))
        o = plus(shift, from_column_axes(c, after.o))
        if alpha is not None:
            column = to_column_axes(AXES[alpha - 1], before.c)
            o = plus(o, times(of(pair.slots[alpha - 1].amount), column))
        return Transfer(o, product(c, after.c))
    k = alpha - ROTATIONS[0]
    one = (1.0, 0)
    first = rotation(*(circular[i] if i < k else one for i in range(3)))
    last = rotation(*(circular[i] if i > k else one for i in range(3)))
    P, Q = product(transpose(before.c), first), product(last, after.c)
    arm = from_column_axes(last, after.o)
    parts = [product(P, part) for part in rodrigues(k)]
    cosine, sine = (of(x) for x in pair.slots[alpha - 1].circular)
    scales: tuple[Scalar, Scalar, Scalar] = (1.0, cosine, sine)
    c = sum_matrices(*(_scale(s, product(part, Q)) for s, part in zip(scales, parts, strict=True)))
    arms = (times(s, from_column_axes(part, arm)) for s, part in zip(scales, parts, strict=True))
    return Transfer(plus(shift, *arms), c)


def rodrigues(k: int) -> tuple[Matrix, Matrix, Matrix]:
    """Return the rotation about e_k as parts of 1, of cos θ and of sin θ."""
    axial = tuple(tuple(1.0 if i == j == k else 0 for j in range(3)) for i in range(3))
    across = tuple(tuple(1.0 if i == j != k else 0 for j in range(3)) for i in range(3))
    return axial, across, skew(AXES[k])


def _scale(factor: Scalar, matrix: Matrix) -> Matrix:
    return tuple(times(factor, row) for row in matrix)
