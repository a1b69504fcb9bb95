"""Degrees of scalars, and bits of the numbers in them: what the chance of an error is made of.

A scalar is N / Π d_k^e_k: a polynomial N in the symbols and the bases of exponentials, with whole coefficients,
over a number and powers of the divisors d_k that a plan divides by. Of a sum of two the powers are the larger ones of
both, as of fractions with common denominators: multiplied out without that, the bound would double with every division.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from ..node import ADD, CALL, FUN, MUL, NEG, NUM, Expression
from ..program import DIV, SUB
from .angles import HALF_TURN, Angle, Monomial, arc_of, arc_parts
from .chance import Chance
from .plan import ROOT, SAME, TURN, WHOLE, Plan, Step, radicand, whole


class Size(NamedTuple):
    """Of a scalar A/B: degrees of A and B, and bits of their coefficients when they are made whole."""

    above: float
    below: float
    bits: float
    under: float = 0.0

    def __sub__(self, other: Size) -> Size:
        """Of a difference, and of a sum."""
        above = max(self.above + other.below, other.above + self.below)
        bits = self.bits + other.bits + self.under + other.under + 1
        return Size(above, self.below + other.below, bits, self.under + other.under)

    def __mul__(self, other: Size) -> Size:  # type: ignore[override]
        return Size(*(a + b for a, b in zip(self, other, strict=True)))


NONE: Final = Size(0.0, 0.0, 0.0)


def largest(sizes: Iterable[Size]) -> Size:
    """What none of the scalars is above."""
    return Size(*map(max, zip(NONE, *sizes, strict=True)))


class Polynomial(NamedTuple):
    """Of a polynomial: its degree, log2 of the sum of the absolute values of its coefficients, and the power of the
    common denominator of all numbers of a plan that makes these whole, beside a power of two no larger than the degree.
    """

    degree: float
    norm: float
    whole: float

    def __mul__(self, other: Polynomial) -> Polynomial:  # type: ignore[override]
        return Polynomial(*(a + b for a, b in zip(self, other, strict=True)))

    def power(self, n: int) -> Polynomial:
        """Of its n-th power."""
        return Polynomial(*(n * a for a in self))


class Over(NamedTuple):
    """A polynomial over a power of a denominator that many share; the first three as of :class:`Polynomial`."""

    degree: float
    norm: float
    whole: float
    power: float


_ONE: Final = Polynomial(0.0, 0.0, 0.0)


class Denominators:
    """Products of powers of divisors, by number; 0 is 1."""

    def __init__(self) -> None:
        self.product = [_ONE]
        self._powers: list[dict[int, int]] = [{}]
        self._numbers: dict[frozenset[tuple[int, int]], int] = {frozenset(): 0}
        self._divisors: list[Polynomial] = []
        self._times: dict[tuple[int, int], int] = {}
        self._common: dict[tuple[int, int], int] = {}

    def divisor(self, numerator: Polynomial) -> int:
        """A new one."""
        self._divisors.append(numerator)
        return self._number({len(self._divisors) - 1: 1})

    def times(self, a: int, b: int) -> int:
        """The product of two."""
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
        """The common denominator of two."""
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
        """The common denominator of many."""
        powers: dict[int, int] = {}
        for number in numbers:
            for k, n in self._powers[number].items():
                if powers.get(k, 0) < n:
                    powers[k] = n
        return self._number(powers)

    def parted(self, a: int, b: int) -> tuple[int, int]:
        """Both without what they have in common."""
        if not a or not b:
            return a, b
        one, other = self._powers[a], self._powers[b]
        same = {k: min(n, other[k]) for k, n in one.items() if k in other}
        return tuple(  # type: ignore[return-value]
            self._number({k: n - same.get(k, 0) for k, n in x.items() if n > same.get(k, 0)})
            for x in (one, other)
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
            self.product.append(Polynomial(degree, norm, whole))
        return found


class Sizes:
    """Sizes of all steps of a plan, and the chances of what is known of them.

    What is random by the values of its arguments may meet another by chance: that counts for every pair. A root of
    other than a number doubles the degree, as the conjugate vanishes with it.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
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
        most = max((sum(self.of(i)[:2]) for s in keyed for i in s.args), default=0.0)
        self._meeting = len(keyed) ** 2 * most

    def of(self, place: int) -> Size:
        """The size of a step."""
        own, below = self._over(place), self._known.product[self._under[place]]
        return Size(own.degree, below.degree, self._bits(own), self._bits(below))

    def over_one(self, places: Sequence[int]) -> tuple[list[Over], Polynomial]:
        """Steps as polynomials over powers of one common denominator, and that."""
        known = self._known
        common, found = known.product[known.union({self._under[place] for place in places})], []
        for place in places:
            own = self._over(place)
            if self._under[place]:
                under = known.product[self._under[place]]
                degree, norm, whole = (x + a - b for x, a, b in zip(own, common, under, strict=True))
                found.append(Over(degree, norm, whole, 1.0))
            else:
                found.append(Over(own.degree, own.norm, own.whole, 0.0))
        return found, common

    def made(self, of: Over, common: Polynomial) -> Size:
        """The size of what sums and products of such polynomials make."""
        above, norm, whole = (a + of.power * b for a, b in zip(of, common, strict=False))
        bits = self._bits(Polynomial(above, norm, whole))
        return Size(above, of.power * common.degree, bits, of.power * self._bits(common))

    def _bits(self, polynomial: Polynomial) -> float:
        """Of coefficients made whole."""
        return polynomial.norm + polynomial.whole * self._unit + polynomial.degree

    def chance(self, size: Size, draws: int) -> Chance:
        """Of a scalar of this size."""
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

    def _over(self, place: int) -> Polynomial:
        return Polynomial(self._above[place], self._norm[place], self._whole[place])

    def _other(self, step: Step) -> tuple[Polynomial, int]:
        """The numerator of a step that is no sum and no product, and the number of its denominator."""
        op, args, node = step
        if op is DIV:
            return self._divided(*args)
        if op is WHOLE:
            return self._raised(args[0], whole(node) or 0)
        if op is TURN:
            turned = self._turned(node.args[0])
            return turned, self._known.divisor(turned) if node.data == "tan" else 0
        if op is NUM:
            size = math.log2(abs(node.data.numerator) or 1) - math.log2(node.data.denominator)
            return Polynomial(0.0, max(size, 0.0), float(node.data.denominator > 1)), 0
        if op is ROOT:
            own = Polynomial(0.0, _bits(radicand(node)[0].data), 0.0)
            return (own * self._over(args[0]), self._under[args[0]]) if args else (own, 0)
        if op is NEG or op is SAME or (op is FUN and node.data == "abs"):
            return self._over(args[0]), self._under[args[0]]
        return (_ONE if op is FUN and node.data == "sign" else Polynomial(1.0, 0.0, 0.0)), 0

    def _divided(self, a: int, b: int) -> tuple[Polynomial, int]:
        """a/b: the denominators of b are in the numerator."""
        known = self._known
        under, over = known.parted(self._under[a], self._under[b])
        return self._over(a) * known.product[over], known.times(under, known.divisor(self._over(b)))

    def _raised(self, a: int, n: int) -> tuple[Polynomial, int]:
        """a^n, n whole."""
        known, under = self._known, 0
        own = self._under[a] if n >= 0 else known.divisor(self._over(a))
        for _ in range(abs(n)):
            under = known.times(under, own)
        return (self._over(a) if n >= 0 else known.product[self._under[a]]).power(abs(n)), under

    def _turned(self, argument: Expression) -> Polynomial:
        """A sine or cosine: half a sum, or difference, of two powers."""
        degree = whole = 0.0
        for monomial, c in self.plan.angles.terms[argument].items():
            arc = arc_of(monomial, c)
            if arc is not None:
                parts = [self._over(self.plan.place[x]) for x in arc_parts(arc)]
                degree += float(abs(c)) * sum(part.degree for part in parts)
                whole += float(abs(c)) * sum(part.whole for part in parts)
            elif monomial != HALF_TURN:
                degree += float(abs(c) * self._periods[monomial])
        return Polynomial(max(1.0, degree), 0.0, whole)


_KEYED: Final = frozenset((FUN, CALL, ROOT))


def _periods(angles: Iterable[Angle]) -> dict[Monomial, int]:
    """The least common multiple of the denominators of every monomial: its base is that power of a variable."""
    found: dict[Monomial, int] = {}
    for angle in angles:
        for monomial, c in angle.items():
            found[monomial] = math.lcm(found.get(monomial, 1), c.denominator)
    return found


def _bits(value: Fraction) -> float:
    return float(value.numerator.bit_length() + value.denominator.bit_length())
