"""Degrees of scalars and bits of their numbers: the basis of the chance of an error.

A scalar is N / Π d_k^e_k: a polynomial N in the symbols and the bases of exponentials, with whole coefficients,
over a number and powers of the divisors d_k that a plan divides by. A sum of two has the larger powers of
both, like fractions with a common denominator: otherwise the bound would double with every division.

Verdict on two scalars: identical, different, or undecided and why.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from mbconcord.records import dataclass

from ..node import ADD, CALL, FUN, MUL, NEG, NUM, Expression
from ..program import DIV, SUB
from .angles import HALF_TURN, Angle, Monomial, arc_of, arc_parts
from .plan import ROOT, SAME, SIZE, TURN, WHOLE, Plan, PlanStep, radicand, whole

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
        """Log2 of the bound of the chance, for all draws together."""
        return min(0.0, self.degree - CERTAINTY) * self.draws

    def __str__(self) -> str:
        return f"2^{math.ceil(self.log2)}" if self.log2 > -math.inf else "0"


IDENTICAL: Final = "identical"
DIFFERS: Final = "differs"
UNDECIDED: Final = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on two expressions.

    Attributes
    ----------
    kind : "identical", "differs" or "undecided"
        Identical: equal as functions, so for all states and parameters where both are defined.
    reason : why it is undecided
    chance : probability that an "identical" is wrong
    """

    kind: str
    reason: str = ""
    chance: Chance | None = None

    def __str__(self) -> str:
        if self.kind == IDENTICAL:
            return f"identical (chance of error at most {self.chance})"
        return f"undecided: {self.reason}" if self.reason else self.kind


class Size(NamedTuple):
    """Size of a scalar A/B: degrees of A and B, and bits of their coefficients when made integers."""

    above: float
    below: float
    bits: float
    under: float = 0.0

    def __sub__(self, other: Size) -> Size:
        """Return the size of a difference or sum."""
        above = max(self.above + other.below, other.above + self.below)
        bits = self.bits + other.bits + self.under + other.under + 1
        return Size(above, self.below + other.below, bits, self.under + other.under)

    def __mul__(self, other: Size) -> Size:  # type: ignore[override]
        return Size(*(a + b for a, b in zip(self, other, strict=True)))


NONE: Final = Size(0.0, 0.0, 0.0)


def largest(sizes: Iterable[Size]) -> Size:
    """Return an upper bound of the sizes."""
    return Size(*map(max, zip(NONE, *sizes, strict=True)))


class PolynomialSize(NamedTuple):
    """Size of a polynomial: its degree, log2 of the sum of its absolute coefficients, and the power of a plan's common
    denominator that makes them integers, up to a power of two no larger than the degree.
    """

    degree: float
    norm: float
    whole: float

    def __mul__(self, other: PolynomialSize) -> PolynomialSize:  # type: ignore[override]
        return PolynomialSize(*(a + b for a, b in zip(self, other, strict=True)))

    def power(self, n: int) -> PolynomialSize:
        """Return the size of the n-th power."""
        return PolynomialSize(*(n * a for a in self))


class Over(NamedTuple):
    """Size of a polynomial over a power of a shared denominator; its first three fields as in PolynomialSize."""

    degree: float
    norm: float
    whole: float
    power: float


_ONE: Final = PolynomialSize(0.0, 0.0, 0.0)


class Denominators:
    """Products of powers of divisors, each referred to by a number; number 0 is the product 1."""

    def __init__(self) -> None:
        self.product = [_ONE]
        self._powers: list[dict[int, int]] = [{}]
        self._numbers: dict[frozenset[tuple[int, int]], int] = {frozenset(): 0}
        self._divisors: list[PolynomialSize] = []
        self._times: dict[tuple[int, int], int] = {}
        self._common: dict[tuple[int, int], int] = {}

    def divisor(self, numerator: PolynomialSize) -> int:
        """Register a new divisor and return its number."""
        self._divisors.append(numerator)
        return self._number({len(self._divisors) - 1: 1})

    def times(self, a: int, b: int) -> int:
        """Return the number of the product of two denominators."""
        if not a or not b:
            return a or b
        found = self._times.get((a, b))
        if found is None:
            powers = dict(self._powers[a])
            for k, n in self._powers[b].items():
                powers[k] = powers.get(k, 0) + n
            found = self._times[a, b] = self._number(powers)
        return found

    def common(self, a: int, b: int) -> int:
        """Return the number of the lowest common denominator of two."""
        if a == b or not b:
            return a
        found = self._common.get((a, b))
        if found is None:
            powers = dict(self._powers[a])
            for k, n in self._powers[b].items():
                if powers.get(k, 0) < n:
                    powers[k] = n
            found = self._common[a, b] = self._number(powers)
        return found

    def union(self, numbers: Iterable[int]) -> int:
        """Return the number of the lowest common denominator of many."""
        powers: dict[int, int] = {}
        for number in numbers:
            for k, n in self._powers[number].items():
                if powers.get(k, 0) < n:
                    powers[k] = n
        return self._number(powers)

    def remove_common(self, a: int, b: int) -> tuple[int, int]:
        """Return the numbers of both denominators without their common factors."""
        if not a or not b:
            return a, b
        one, other = self._powers[a], self._powers[b]
        same = {k: min(n, other[k]) for k, n in one.items() if k in other}
        return tuple(  # type: ignore[return-value]
            self._number({k: n - same.get(k, 0) for k, n in x.items() if n > same.get(k, 0)}) for x in (one, other)
        )

    def _number(self, powers: dict[int, int]) -> int:
        key = frozenset(powers.items())
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._powers)
            self._powers.append(powers)
            degree = norm = whole = 0.0
            for k, n in powers.items():
                own = self._divisors[k]
                degree, norm, whole = degree + n * own[0], norm + n * own[1], whole + n * own[2]
            self.product.append(PolynomialSize(degree, norm, whole))
        return found


class Sizes:
    """Sizes of all steps of a plan, and their chances of error.

    Values that are random functions of their arguments may coincide by chance: that counts for every pair. A root of a
    non-number doubles the degree, as the conjugate vanishes with it.
    """

    def __init__(self, plan: Plan, drawn: bool = False) -> None:
        self.plan, self._drawn = plan, drawn
        self._above: list[float] = []
        self._norm: list[float] = []
        self._whole: list[float] = []
        self._under: list[int] = []
        self._known = Denominators()
        self._periods = _periods(plan.angles.terms.values())
        numbers = {step.node.data for _, step in plan.special if step.op is NUM}
        self._unit = math.log2(math.lcm(*(x.denominator for x in numbers)))
        self._measure()
        keyed = [s for _, s in plan.special if s.op in _KEYED or s.node.op is FUN]
        most = max((sum(self.find_size(i)[:2]) for s in keyed for i in s.args), default=0.0)
        self._meeting = len(keyed) ** 2 * most

    def find_size(self, place: int) -> Size:
        """Return the size of a step."""
        own, below = self._numerator_size(place), self._known.product[self._under[place]]
        return Size(own.degree, below.degree, self._bits(own), self._bits(below))

    def over_one(self, places: Sequence[int]) -> tuple[list[Over], PolynomialSize]:
        """Write steps as polynomials over powers of one common denominator, and return that too."""
        known = self._known
        common, found = known.product[known.union({self._under[place] for place in places})], []
        for place in places:
            own = self._numerator_size(place)
            if self._under[place]:
                under = known.product[self._under[place]]
                degree, norm, whole = (x + a - b for x, a, b in zip(own, common, under, strict=True))
                found.append(Over(degree, norm, whole, 1.0))
            else:
                found.append(Over(own.degree, own.norm, own.whole, 0.0))
        return found, common

    def combine(self, of: Over, common: PolynomialSize) -> Size:
        """Return the size of sums and products of such polynomials."""
        above, norm, whole = (a + of.power * b for a, b in zip(of, common, strict=False))
        bits = self._bits(PolynomialSize(above, norm, whole))
        return Size(above, of.power * common.degree, bits, of.power * self._bits(common))

    def _bits(self, polynomial: PolynomialSize) -> float:
        """Bound the bits of coefficients after multiplication to integers."""
        return polynomial.norm + polynomial.whole * self._unit + polynomial.degree

    def chance(self, size: Size, draws: int) -> Chance:
        """Bound the chance of error for a scalar of this size."""
        total = 2 * size.above + size.bits + self._meeting
        return Chance(math.log2(total) + len(self.plan.roots) if total else -math.inf, draws)

    def _measure(self) -> None:
        above, norm, whole, under = self._above, self._norm, self._whole, self._under
        more_above, more_norm, more_whole = above.append, norm.append, whole.append
        more_under = under.append
        times, common, product = self._known.times, self._known.common, self._known.product
        for step in self.plan.steps:
            op, args, _ = step
            if op is MUL:
                a, b = args
                more_above(above[a] + above[b])
                more_norm(norm[a] + norm[b])
                more_whole(whole[a] + whole[b])
                u, v = under[a], under[b]
                more_under(times(u, v) if u and v else u or v)
            elif op is ADD or op is SUB:
                a, b = args
                one, other, p, q, k, m = above[a], above[b], norm[a], norm[b], whole[a], whole[b]
                u, v = under[a], under[b]
                if u != v:
                    w = common(u, v)
                    d, n, r = product[w]
                    d1, n1, r1 = product[u]
                    d2, n2, r2 = product[v]
                    one, p, k = one + d - d1, p + n - n1, k + r - r1
                    other, q, m = other + d - d2, q + n - n2, m + r - r2
                    u = w
                more_above(one if one > other else other)
                more_norm((p if p > q else q) + 1)
                more_whole(k if k > m else m)
                more_under(u)
            else:
                found, u = self._other(step)
                more_above(found.degree)
                more_norm(found.norm)
                more_whole(found.whole)
                more_under(u)

    def _numerator_size(self, place: int) -> PolynomialSize:
        return PolynomialSize(self._above[place], self._norm[place], self._whole[place])

    def _other(self, step: PlanStep) -> tuple[PolynomialSize, int]:
        """Return the numerator of a step other than a sum or product, and the number of its denominator."""
        op, args, node = step
        if op is DIV:
            return self._divide(*args)
        if op is WHOLE:
            return self._raise_to_power(args[0], whole(node) or 0)
        if op is TURN:
            turned = self._measure_turn(node.args[0])
            return turned, self._known.divisor(turned) if node.data == "tan" else 0
        if op is NUM:
            size = math.log2(abs(node.data.numerator) or 1) - math.log2(node.data.denominator)
            return PolynomialSize(0.0, max(size, 0.0), float(node.data.denominator > 1)), 0
        if op is ROOT or op is SIZE:
            own = PolynomialSize(float(self._drawn), _bits(radicand(node)[0].data), 0.0)
            return (own * self._numerator_size(args[0]), self._under[args[0]]) if args else (own, 0)
        one = PolynomialSize(1.0, 0.0, 0.0)
        if op is NEG or op is SAME or (op is FUN and node.data == "abs"):
            own = self._numerator_size(args[0])
            return (own * one if op is FUN and self._drawn else own), self._under[args[0]]
        return (_ONE if op is FUN and node.data == "sign" and not self._drawn else one), 0

    def _divide(self, a: int, b: int) -> tuple[PolynomialSize, int]:
        """Return the size of a/b, whose numerator contains the denominators of b."""
        known = self._known
        under, over = known.remove_common(self._under[a], self._under[b])
        return self._numerator_size(a) * known.product[over], known.times(under, known.divisor(self._numerator_size(b)))

    def _raise_to_power(self, a: int, n: int) -> tuple[PolynomialSize, int]:
        """Return the size of an integer power a^n."""
        known, under = self._known, 0
        own = self._under[a] if n >= 0 else known.divisor(self._numerator_size(a))
        for _ in range(abs(n)):
            under = known.times(under, own)
        return (self._numerator_size(a) if n >= 0 else known.product[self._under[a]]).power(abs(n)), under

    def _measure_turn(self, argument: Expression) -> PolynomialSize:
        """Return the size of a sine or cosine: half the sum or difference of two powers."""
        degree = whole = 0.0
        for monomial, c in self.plan.angles.terms[argument].items():
            arc = arc_of(monomial, c)
            if arc is not None:
                parts = [self._numerator_size(self.plan.place[x]) for x in arc_parts(arc)]
                degree += float(abs(c)) * sum(part.degree for part in parts)
                whole += float(abs(c)) * sum(part.whole for part in parts)
            elif monomial != HALF_TURN:
                degree += float(abs(c) * self._periods[monomial])
        return PolynomialSize(max(1.0, degree), 0.0, whole)


_KEYED: Final = frozenset((FUN, CALL, ROOT))


def _periods(angles: Iterable[Angle]) -> dict[Monomial, int]:
    """Return monomial -> lowest common denominator of its coefficients: its base is that power of a variable."""
    found: dict[Monomial, int] = {}
    for angle in angles:
        for monomial, c in angle.items():
            found[monomial] = math.lcm(found.get(monomial, 1), c.denominator)
    return found


def _bits(value: Fraction) -> float:
    return float(value.numerator.bit_length() + value.denominator.bit_length())
