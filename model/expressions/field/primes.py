"""Random primes p = 4 S l m + 1 that are proven, with the roots of unity that angles need.

S is smooth: i and the roots of unity of all usual fractions of a turn are in the field. l is a large random prime: in
the subgroup of order l every rational power is unique, ``b^(n/d) = b^(n d^-1 mod l)``. No step of the proof that p is
prime is left to chance (Pocklington 1914): a prime factor of p - 1 above the root of p, and one base, prove it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from random import Random
from typing import Final

from mbconcord.records import dataclass

# Square roots of rationals: by roots of unity, or by independent atoms.
#
# ``√(n/d) = √(n d)/d``. The root of a prime q that divides S is in the field of the roots of unity: ``√2 = ζ_8 +
# ζ_8⁻¹``, and for odd q the sum of Gauss, ``Σ (a/q) ζ_q^a``, is √q, or i √q where q = 3 mod 4; so cos 45° is √2/2,
# with its sign. Roots of what is coprime to S are independent of these and of each other: atoms, one for each element
# of a coprime base.


class Surds:
    """Radicands n d of the roots of rationals in a graph, split into a square, primes of S, and atoms."""

    def __init__(self, rationals: Iterable[Fraction]) -> None:
        self.parts: dict[Fraction, tuple[Fraction, tuple[int, ...]]] = {}
        rests = {}
        for value in rationals:
            square, primes, rest = _split_square(value.numerator * value.denominator)
            rests[value] = Fraction(square, value.denominator), primes, rest
        base = coprime_base(rest for _, _, rest in rests.values())
        for value, (factor, primes, rest) in rests.items():
            atoms = list(primes)
            for atom in base:
                power = 0
                while rest % atom == 0:
                    rest //= atom
                    power += 1
                factor *= atom ** (power // 2)
                atoms += [atom] * (power % 2)
            self.parts[value] = factor, tuple(atoms)

    def atoms(self, smooth: int) -> list[int]:
        """List integers whose roots are atoms of their own, where S is ``smooth``."""
        return sorted({n for _, found in self.parts.values() for n in found if smooth % n})


def _split_square(n: int) -> tuple[int, tuple[int, ...], int]:
    """Return square, primes, rest with n = square² Π primes rest; only primes below a thousand are searched."""
    square, primes = 1, []
    for q in (2, *SMALL):
        power = 0
        while n % q == 0:
            n //= q
            power += 1
        square *= q ** (power // 2)
        primes += [q] * (power % 2)
    root = math.isqrt(n)
    return (square * root, tuple(primes), 1) if root * root == n else (square, tuple(primes), n)


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Return pairwise coprime integers above 1, none a square, of which all are products."""
    base: list[int] = []
    waiting = [n for n in numbers if n > 1]
    while waiting:
        n = waiting.pop()
        root = math.isqrt(n)
        if root * root == n:
            waiting.append(root)
            continue
        for k, other in enumerate(base):
            common = math.gcd(n, other)
            if common > 1:
                if n != other:
                    del base[k]
                    waiting += [x for x in (common, n // common, other // common) if x > 1]
                break
        else:
            base.append(n)
    return sorted(base)


def smooth_root(q: int, field: Prime) -> int:
    """Return √q of a prime q that divides S, with the sign given by the roots of unity."""
    p = field.p
    turns = 4 * field.smooth
    if q == 2:
        eighth = pow(field.root, turns // 8, p)
        return (eighth + pow(eighth, -1, p)) % p
    part = pow(field.root, turns // q, p)
    total = sum((1 if pow(a, q // 2, q) == 1 else -1) * pow(part, a, p) for a in range(1, q)) % p
    return total if q % 4 == 1 else total * pow(field.unit, -1, p) % p


#: S without more asked for: 4 S turns hold the degrees, their decimals, and sevenths, elevenths, thirteenths.
SMOOTH: Final = 2**10 * 3**3 * 5**9 * 7 * 11 * 13
#: Bits of l, and of m.
ORDER_BITS: Final = 140
COFACTOR_BITS: Final = 24
#: Strong tests to these bases prove all primes below 3.3e24 (Sorenson & Webster 2017).
BASES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
PROVEN_BITS: Final = 80
#: Candidates are divided by these first.
SMALL: Final = tuple(n for n in range(3, 1000) if all(n % k for k in range(2, math.isqrt(n) + 1)))


@dataclass(frozen=True, slots=True)
class Prime:
    """A prime field.

    Attributes
    ----------
    p : int
    order : int
        l, the prime order of the subgroup that exponentials are drawn from.
    smooth : int
        S.
    root : int
        A random primitive root of unity of order 4 S: e^(i pi / (2 S)).
    unit : int
        ``root^S``: the imaginary unit.
    nonresidue : int
        No square in the field.
    """

    p: int
    order: int
    smooth: int
    root: int
    unit: int
    nonresidue: int


def draw_prime(dice: Random, divisor: int = 1) -> Prime:
    """Draw a random prime whose S is a multiple of ``divisor``."""
    smooth = math.lcm(SMOOTH, divisor)
    turns = 4 * smooth
    order = proven_prime(dice, max(ORDER_BITS, turns.bit_length() + COFACTOR_BITS + 4))
    p = _above(dice, order, order.bit_length() + turns.bit_length() + COFACTOR_BITS, turns)
    root = _of_order(dice, p, turns)
    nonresidue = next(n for n in iter(lambda: dice.randrange(2, p), 0) if pow(n, (p - 1) // 2, p) != 1)
    return Prime(p, order, smooth, root, pow(root, smooth, p), nonresidue)


@lru_cache(maxsize=256)
def prime_of(seed: int, divisor: int = 1) -> Prime:
    """Return the prime drawn from a seed, once per process."""
    return draw_prime(Random(seed), divisor)


def proven_prime(dice: Random, bits: int) -> int:
    """Draw a random proven prime of ``bits`` bits: a small one by strong tests, a large one from one half as long."""
    if bits > PROVEN_BITS:
        return _above(dice, proven_prime(dice, bits // 2 + 2), bits, 2)
    while True:
        n = dice.getrandbits(bits) | 1 << bits - 1 | 1
        if is_prime(n):
            return n


def _above(dice: Random, factor: int, bits: int, cofactor: int) -> int:
    """Draw a random proven prime n = cofactor · factor · r + 1 of ``bits`` bits.

    The proof: factor is a prime above the root of n, a^(n-1) = 1, and a^((n-1)/factor) - 1 shares no divisor with n.
    """
    step = cofactor * factor
    while True:
        n = step * dice.randrange((1 << bits - 1) // step + 1, (1 << bits) // step) + 1
        if factor * factor <= n or not all(n % q for q in SMALL):
            continue
        a = dice.randrange(2, n - 1)
        if pow(a, n - 1, n) == 1 and math.gcd(pow(a, (n - 1) // factor, n) - 1, n) == 1:
            return n


def _strong(n: int, base: int) -> bool:
    """Return True if n passes the strong test to a base."""
    twos = (n - 1 & 1 - n).bit_length() - 1
    x = pow(base, n - 1 >> twos, n)
    if x in (1, n - 1):
        return True
    for _ in range(twos - 1):
        x = x * x % n
        if x == n - 1:
            return True
    return False


def _of_order(dice: Random, p: int, turns: int) -> int:
    """Draw a random element of order ``turns``, whose prime factors are known."""
    factors = prime_factors(turns) or {}
    while True:
        x = pow(dice.randrange(2, p), (p - 1) // turns, p)
        if all(pow(x, turns // q, p) != 1 for q in factors):
            return x


def prime_factors(n: int) -> dict[int, int] | None:
    """Return prime factors of n > 0 with their exponents; None if two of them exceed a thousand (not searched)."""
    found: dict[int, int] = {}
    for q in (2, *SMALL):
        while n % q == 0:
            found[q] = found.get(q, 0) + 1
            n //= q
    if n > 1:
        if n > SMALL[-1] ** 2 and not (n.bit_length() <= PROVEN_BITS and is_prime(n)):
            return None
        found[n] = 1
    return found


def is_prime(n: int) -> bool:
    """Return True if an odd n of up to 80 bits is prime."""
    return all(n % q or n == q for q in SMALL) and all(_strong(n, base) for base in BASES if base < n)
