"""Square roots of rationals: by roots of unity, or by independent atoms.

``√(n/d) = √(n d)/d``. The root of a prime q that divides S is in the field of the roots of unity: ``√2 = ζ_8 + ζ_8⁻¹``,
and for odd q the sum of Gauss, ``Σ (a/q) ζ_q^a``, is √q, or i √q where q = 3 mod 4; so cos 45° is √2/2, with its sign.
Roots of what is coprime to S are independent of these and of each other: atoms, one for each element of a coprime base.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from .primes import SMALL, Prime


class Surds:
    """Radicands n d of the roots of rationals in a graph, split into a square, primes of S, and atoms."""

    def __init__(self, rationals: Iterable[Fraction]) -> None:
        self.parts: dict[Fraction, tuple[Fraction, tuple[int, ...]]] = {}
        rests = {}
        for value in rationals:
            square, primes, rest = _split(value.numerator * value.denominator)
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
        """Whole numbers whose roots are atoms of their own, where S is ``smooth``."""
        return sorted({n for _, found in self.parts.values() for n in found if smooth % n})


def _split(n: int) -> tuple[int, tuple[int, ...], int]:
    """square, primes, rest with n = square² Π primes rest; only primes below a thousand are sought."""
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
    """Whole numbers above 1, no two with a factor in common and none a square, of which all are products."""
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
    """√q of a prime q that divides S, with the sign that the roots of unity give it."""
    p = field.p
    turns = 4 * field.smooth
    if q == 2:
        eighth = pow(field.root, turns // 8, p)
        return (eighth + pow(eighth, -1, p)) % p
    part = pow(field.root, turns // q, p)
    total = sum((1 if pow(a, q // 2, q) == 1 else -1) * pow(part, a, p) for a in range(1, q)) % p
    return total if q % 4 == 1 else total * pow(field.unit, -1, p) % p
