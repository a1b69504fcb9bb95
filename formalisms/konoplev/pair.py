"""Kinematic pairs r = (s1, s2, s3, θ4, θ5, θ6), (1.4)-(1.8), (3.1), (3.5).

First the origin is shifted by s in the axes of the parent, then the axes are rotated by ``c = c1(θ4) c2(θ5) c3(θ6)``.
Each of the six may be constant, a coordinate, a given function of time, or a sum of these: (1.5) is extended to
``r = r_0(t) + f q``, so that ``ṙ = ṙ_0 + f q̇``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mbconcord.model.expressions import TIME, ZERO, Expression, cos, derivative, rate, sin, symbol
from mbconcord.records import dataclass

from .vectors import Matrix, Transfer, Vector, add, cross, mul, plus, sub, times

#: Number of a slot, 1 to 6, as the paper counts α.
TRANSLATIONS = (1, 2, 3)
ROTATIONS = (4, 5, 6)

Of = Callable[[Expression], Any]


@dataclass(frozen=True, slots=True)
class Slot:
    """One of the six functions r_α: ``known + sign · q``.

    Attributes
    ----------
    known : Expression
        Constant part plus prescribed function of time (m or rad).
    coordinate : str or None
    sign : 1 or -1
        -1 where the model's axis points against the pair's.
    direct : (cos, sin) or None
        Cosine and sine of a constant angle for which the model gives these instead of an amount.
    """

    known: Expression = ZERO
    coordinate: str | None = None
    sign: int = 1
    direct: tuple[Expression, Expression] | None = None

    @property
    def amount(self) -> Expression:
        """r_α."""
        return self.known + self.sign * symbol(self.coordinate) if self.coordinate else self.known

    @property
    def circular(self) -> tuple[Expression, Expression]:
        """(cos, sin) of the angle."""
        return self.direct or (cos(self.amount), sin(self.amount))

    @property
    def rate(self) -> Expression:
        """ṙ_α, including the rate of the known part."""
        known = derivative(self.known, TIME)
        return known + self.sign * rate(self.coordinate) if self.coordinate else known

    @property
    def bias(self) -> Expression:
        """r̈_α where q̈ = 0."""
        return derivative(derivative(self.known, TIME), TIME)

    @property
    def moves(self) -> bool:
        """True if the slot is a direction of mobility: free or prescribed."""
        return bool(self.coordinate or self.rate)


@dataclass(frozen=True, slots=True)
class Pair:
    """The six slots of a kinematic pair."""

    slots: tuple[Slot, Slot, Slot, Slot, Slot, Slot] = (Slot(), Slot(), Slot(), Slot(), Slot(), Slot())

    @property
    def mobile(self) -> tuple[int, ...]:
        """Numbers α of the directions of mobility."""
        return tuple(alpha for alpha, slot in enumerate(self.slots, 1) if slot.moves)


@dataclass(frozen=True, slots=True)
class PairMatrices:
    """Matrices of a pair for the aggregates: L, the rows f_αᵀ Mᵀ and their rates f_αᵀ Ṁᵀ, by α.

    ``M = diag(cᵀ, ε)`` (6×6) gives the relative twist ``V = M ṙ``, (3.1), in the axes of the body.
    """

    transfer: Transfer
    rows: dict[int, Vector]
    row_rates: dict[int, Vector]


def matrices(pair: Pair, of: Of) -> PairMatrices:
    """Compute L, M f and Ṁ f of a pair, (1.7), (1.8), (3.5), in the arithmetic of ``of`` (expression -> scalar)."""
    shift = tuple(of(slot.amount) for slot in pair.slots[:3])
    c4, s4, c5, s5, c6, s6 = (of(x) for slot in pair.slots[3:] for x in slot.circular)
    speeds = [of(slot.rate) for slot in pair.slots[3:]]
    c = rotation((c4, s4), (c5, s5), (c6, s6))
    turn = epsilon((c5, s5), (c6, s6))
    turn_rate = epsilon_rate((c5, s5), (c6, s6), speeds[1], speeds[2])
    spin = plus(*(times(speed, column) for speed, column in zip(speeds, turn, strict=True)))
    rows, rates = {}, {}
    for alpha in pair.mobile:
        sign = pair.slots[alpha - 1].sign
        if alpha in TRANSLATIONS:
            row = (*c[alpha - 1], 0, 0, 0)
            row_rate = (*cross(c[alpha - 1], spin), 0, 0, 0)
        else:
            row = (0, 0, 0, *turn[alpha - 4])
            row_rate = (0, 0, 0, *turn_rate[alpha - 4])
        rows[alpha] = apply_sign(sign, row)
        rates[alpha] = apply_sign(sign, row_rate)
    return PairMatrices(Transfer(shift, c), rows, rates)


def apply_sign(sign: int, row: Vector) -> Vector:
    """Return the row, negated for sign -1."""
    return row if sign > 0 else tuple(sub(0, x) for x in row)


Circular = tuple[Any, Any]


def rotation(four: Circular, five: Circular, six: Circular) -> Matrix:
    """Return c = c1(θ4) c2(θ5) c3(θ6), (1.7); columns are the body's axes in those of the parent."""
    (c4, s4), (c5, s5), (c6, s6) = four, five, six
    s4s5, c4s5 = mul(s4, s5), mul(c4, s5)
    return (
        (mul(c5, c6), sub(0, mul(c5, s6)), s5),
        (add(mul(c4, s6), mul(s4s5, c6)), sub(mul(c4, c6), mul(s4s5, s6)), sub(0, mul(s4, c5))),
        (sub(mul(s4, s6), mul(c4s5, c6)), add(mul(s4, c6), mul(c4s5, s6)), mul(c4, c5)),
    )


def epsilon(five: Circular, six: Circular) -> tuple[Vector, Vector, Vector]:
    """Return the columns of ε = [c3ᵀ c2ᵀ e1 | c3ᵀ e2 | e3], (1.8): ω = ε θ̇ in the body's axes. det ε = cos θ5."""
    (c5, s5), (c6, s6) = five, six
    return (mul(c5, c6), sub(0, mul(c5, s6)), s5), (s6, c6, 0), (0, 0, 1.0)


def epsilon_rate(five: Circular, six: Circular, rate5: Any, rate6: Any) -> tuple[Vector, Vector, Vector]:
    """Compute the columns of ε̇, (3.5).

    ``(<e3>ᵀ c3ᵀ c2ᵀ θ̇6 + c3ᵀ c2ᵀ <e2>ᵀ θ̇5) e1 | <e3>ᵀ c3ᵀ e2 θ̇6 | 0``
    """
    (c5, s5), (c6, s6) = five, six
    first, second, _ = epsilon(five, six)
    tilted = (sub(0, mul(s5, c6)), mul(s5, s6), c5)  # c3ᵀ c2ᵀ <e2>ᵀ e1
    return (
        plus(times(rate6, turned_third(first)), times(rate5, tilted)),
        times(rate6, turned_third(second)),
        (0, 0, 0),
    )


def turned_third(a: Vector) -> Vector:
    """Return <e3>ᵀ a = a × e3."""
    return a[1], sub(0, a[0]), 0
