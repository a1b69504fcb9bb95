"""How likely a random point hides a difference: degree over the size of what is drawn (Schwartz 1980, Zippel 1979).

A scalar is A/B of polynomials in the symbols and the bases of exponentials, with negative powers. Where the exponents
of a monomial add up to a at most, A other than zero vanishes at no more than the part 2 a/l of the points, l the order
of the subgroup that bases are drawn from. Its coefficients are numbers: one of h bits and more vanishes in no more
than h fields, of the more than 2^130 that are drawn from. Both are counted of 2^130 here, which is less than either.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from ..node import ADD, CALL, FUN, MUL, NEG, NUM, PI, SYM
from ..program import DIV, SUB
from .angles import HALF_TURN, Angle, Monomial
from .plan import ROOT, SAME, TURN, WHOLE, Plan, Step, radicand, whole

#: Bits of what points and fields are drawn from.
CERTAINTY: Final = 130


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance that equality at random points is no identity: at most 2^log2 (1 where it is above 0).

    ``degree``: log2 of the degree, and of all else that a point is drawn against.
    """

    degree: float
    draws: int

    @property
    def log2(self) -> float:
        """Of the bound for all draws together."""
        return min(0.0, self.degree - CERTAINTY) * self.draws

    def __str__(self) -> str:
        return f"2^{math.ceil(self.log2)}" if self.log2 > -math.inf else "0"


class Size(NamedTuple):
    """Of a scalar A/B: degrees of A and B, and bits of the numbers in them."""

    above: float
    below: float
    bits: float

    def __sub__(self, other: Size) -> Size:
        """Of a difference, and of a sum."""
        above = max(self.above + other.below, other.above + self.below)
        return Size(above, self.below + other.below, self.bits + other.bits + 1)

    def __mul__(self, other: Size) -> Size:  # type: ignore[override]
        return Size(self.above + other.above, self.below + other.below, self.bits + other.bits)


NONE: Final = Size(0.0, 0.0, 0.0)


def largest(sizes: Iterable[Size]) -> Size:
    """Degrees and bits that none of the scalars is above."""
    return Size(*map(max, zip(NONE, *sizes, strict=True)))


class Sizes:
    """Sizes of all steps of a plan, and the chances of what is known of them.

    What is random by the values of its arguments may meet another by chance: that counts for every pair. A root of
    other than a number doubles the degree, as the conjugate vanishes with it.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._above: list[float] = []
        self._below: list[float] = []
        self._bits: list[float] = []
        self._measure()
        keyed = [s for s in plan.steps if s.op in _KEYED or s.node.op is FUN]
        most = max((self._above[i] + self._below[i] for s in keyed for i in s.args), default=0.0)
        self._meeting = len(keyed) ** 2 * most

    def of(self, place: int) -> Size:
        """The size of a step."""
        return Size(self._above[place], self._below[place], self._bits[place])

    def chance(self, size: Size, draws: int) -> Chance:
        """Of a scalar of this size."""
        total = 2 * size.above + size.bits + self._meeting
        return Chance(math.log2(total) + len(self.plan.roots) if total else -math.inf, draws)

    def _measure(self) -> None:
        scale = _scales(self.plan.angles.terms.values())
        above, below, bits = self._above, self._below, self._bits
        for step in self.plan.steps:
            op, args, _ = step
            if op is MUL:
                a, b = args
                above.append(above[a] + above[b])
                below.append(below[a] + below[b])
                bits.append(bits[a] + bits[b])
            elif op is ADD or op is SUB:
                a, b = args
                one, other = above[a] + below[b], above[b] + below[a]
                above.append(one if one > other else other)
                below.append(below[a] + below[b])
                bits.append(bits[a] + bits[b] + 1)
            else:
                size = _size(step, [self.of(i) for i in args], self.plan, scale)
                above.append(size.above)
                below.append(size.below)
                bits.append(size.bits)


_KEYED: Final = frozenset((FUN, CALL, ROOT))


def _size(step: Step, args: list[Size], plan: Plan, scale: dict[Monomial, int]) -> Size:
    op, node = step.op, step.node
    if op is NUM:
        return Size(0.0, 0.0, _bits(node.data))
    if op is SYM or op is PI:
        return Size(1.0, 0.0, 0.0)
    if op is NEG or op is SAME:
        return args[0]
    if op is DIV:
        return args[0] * Size(args[1].below, args[1].above, args[1].bits)
    if op is WHOLE:
        n, a = whole(node) or 0, args[0]
        above, below = (a.above, a.below) if n > 0 else (a.below, a.above)
        return Size(abs(n) * above, abs(n) * below, abs(n) * a.bits)
    if op is TURN:
        angle = plan.angles.terms[node.args[0]]
        degree = float(sum(abs(c) * scale[m] for m, c in angle.items() if m != HALF_TURN))
        return Size(degree, degree if node.data == "tan" else 0.0, 2.0)
    if op is ROOT:
        bits = _bits(radicand(node)[0].data)
        return Size(args[0].above, args[0].below, args[0].bits + bits) if args else Size(0.0, 0.0, bits)
    if op is FUN and node.data in ("sign", "abs"):
        return args[0] if node.data == "abs" else NONE
    return Size(1.0, 0.0, 0.0)


def _scales(angles: Iterable[Angle]) -> dict[Monomial, int]:
    """The least common multiple of the denominators of every monomial: its base is that power of a variable."""
    found: dict[Monomial, int] = {}
    for angle in angles:
        for monomial, c in angle.items():
            found[monomial] = math.lcm(found.get(monomial, 1), c.denominator)
    return found


def _bits(value: Fraction) -> float:
    return float(value.numerator.bit_length() + value.denominator.bit_length())
