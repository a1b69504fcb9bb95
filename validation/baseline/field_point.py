"""One point of one prime field, the same for ever: values there are known by what they stand for.

A symbol has the value that the hash of its name gives, whatever a derivation asks for first. So equal functions have
equal residues, on every machine and by every derivation that is right.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import sha256
from random import Random
from typing import Any, Final

from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.field import Plan, Point, Value
from mbconcord.model.expressions.field.extension import Extended
from mbconcord.model.expressions.field.point import NoRootError, Values
from mbconcord.model.expressions.field.primes import Prime
from mbconcord.model.expressions.field.roots import dependent
from mbconcord.model.expressions.field.taint import Taint

#: The prime of all baselines, as :func:`mbconcord.model.expressions.field.primes.draw_prime` once drew it.
PRIME: Final = Prime(
    p=0x9B2DC8C1687523A5D11269E0030951C0467408A4A24BF72F3D001,
    order=0xDA2476257C9C395667771DAE39B80041C3D,
    smooth=0x31296D77FC00,
    root=0x42826657D4BFD9467052E8976B71F205F194AD2B90B7A60ACE372,
    unit=0x1754AD7363F84298D5C474F4269784707EAB2949B54C396157091,
    nonresidue=0x1FA6DD0BA1657149B127D61D6917E7DA9D40055A961211F297050,
)
#: Seed of the points by which roots that depend on others are found.
SEED: Final = 0


class NamedPoint(Point):
    """A point whose random values are hashes of what they are the values of."""

    def __init__(self, atoms: bool = False) -> None:
        super().__init__(Random(SEED), PRIME, atoms)

    def drawn(self, key: Hashable) -> Value:
        """The element of a key, other than zero."""
        if key not in self._drawn:
            self._drawn[key] = 1 + hashed(named(key)) % (self.field.p - 1)
        return self._drawn[key]

    def bit(self, key: Hashable) -> int:
        """The bit of a key."""
        return hashed(named(key)) & 1

    def _base(self, monomial: frozenset[Any]) -> Value:
        """e^(i monomial): the element of the subgroup of prime order that the hash gives, other than 1."""
        key, p = ("base", monomial), self.field.p
        ((kind, value),) = monomial if len(monomial) == 1 else ((None, 0),)
        if kind == "arc":
            found: Value = value
            return found
        attempt = 0
        while key not in self._drawn:
            drawn = 2 + hashed(f"{attempt} {named(key)}") % (p - 2)
            base = pow(drawn, (p - 1) // self.field.order, p)
            if base != 1:
                self._drawn[key] = base
            attempt += 1
        return self._drawn[key]


def hashed(text: str) -> int:
    """A whole number of 256 bits."""
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")


def named(key: Any) -> str:
    """What a value stands for, as a text that is the same in every process."""
    if isinstance(key, Expression):
        return f"{key.op}:{key.data}"
    if isinstance(key, Extended):
        return f"{key.a}+{key.b}s"
    if isinstance(key, tuple):
        return f"({','.join(map(named, key))})"
    if isinstance(key, frozenset):
        return f"{{{','.join(sorted(map(named, key)))}}}"
    return str(key)


class Residues:
    """Values of all steps of a plan at the point, and which of them are no exact word about the functions."""

    def __init__(self, plan: Plan) -> None:
        bound = dependent(plan, SEED)
        point, by_value = NamedPoint(), False
        try:
            self.values: Values = point.run(plan, (), bound)
        except NoRootError:
            point, by_value = NamedPoint(atoms=True), True
            self.values = point.run(plan, (), bound)
        self._taint = Taint(plan, bound, set(self.values.poles), "", by_value)
        self.point = point

    def why_not(self, place: int) -> str:
        """Why the value of a step is none of the function alone; empty where it is."""
        return "; ".join(self._taint.of((place,)).values())
