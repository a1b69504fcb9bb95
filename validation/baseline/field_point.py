"""A fixed point of one prime field: the value of each symbol depends only on the symbol's name.

A symbol's value is the hash of its name, independent of the order in which a derivation uses symbols. So equal
functions have equal residues, on every machine and by every correct derivation.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import sha256
from random import Random
from typing import Any, Final

from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.field import Plan, Point, Value, dependent
from mbconcord.model.expressions.field.extension import Extended
from mbconcord.model.expressions.field.plan import Taint
from mbconcord.model.expressions.field.point import FieldValues, NoRootError
from mbconcord.model.expressions.field.primes import Prime
from mbconcord.model.state import State
from mbconcord.model.system import System

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


class DrawnPoint(Point):
    """A point whose random values are hashes of their symbols."""

    def __init__(self, atoms: bool = False) -> None:
        super().__init__(Random(SEED), PRIME, atoms)

    def draw(self, key: Hashable) -> Value:
        """Return the nonzero field element that the hash of a key determines."""
        if key not in self._drawn:
            self._drawn[key] = 1 + hash_text(name_key(key)) % (self.field.p - 1)
        return self._drawn[key]

    def bit(self, key: Hashable) -> int:
        """Return the bit that the hash of a key determines."""
        return hash_text(name_key(key)) & 1

    def _base(self, monomial: frozenset[Any]) -> Value:
        """Return e^(i monomial): an element of the subgroup of prime order, other than 1, chosen by the hash."""
        key, p = ("base", monomial), self.field.p
        ((kind, value),) = monomial if len(monomial) == 1 else ((None, 0),)
        if kind == "arc":
            found: Value = value
            return found
        attempt = 0
        while key not in self._drawn:
            drawn = 2 + hash_text(f"{attempt} {name_key(key)}") % (p - 2)
            base = pow(drawn, (p - 1) // self.field.order, p)
            if base != 1:
                self._drawn[key] = base
            attempt += 1
        return self._drawn[key]


def hash_text(text: str) -> int:
    """Hash a text to an integer of 256 bits."""
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")


def name_key(key: Any) -> str:
    """Describe the key of a drawn value as a text that is the same in every process."""
    if isinstance(key, Expression):
        return f"{key.op}:{key.data}"
    if isinstance(key, Extended):
        return f"{key.a}+{key.b}s"
    if isinstance(key, tuple):
        return f"({','.join(map(name_key, key))})"
    if isinstance(key, frozenset):
        return f"{{{','.join(sorted(map(name_key, key)))}}}"
    return str(key)


class Residues:
    """Values of all steps of a plan at the point, and the steps that are not exact."""

    def __init__(self, plan: Plan) -> None:
        bound = dependent(plan, SEED)
        point, by_value = DrawnPoint(), False
        try:
            self.values: FieldValues = point.run(plan, (), bound)
        except NoRootError:
            point, by_value = DrawnPoint(atoms=True), True
            self.values = point.run(plan, (), bound)
        self._taint = Taint(plan, bound, set(self.values.poles), "", by_value)
        self.point = point

    def why_not(self, place: int) -> str:
        """Say why a step's value is not determined by the function alone; empty if it is."""
        return "; ".join(self._taint.find_reasons((place,)).values())


#: How many.
STATES: Final = 2


def states(system: System) -> tuple[State, ...]:
    """Draw positions, rates and accelerations from -1.5 to 1.5, and values of parameters without one."""
    names = system.coordinate_names
    open_ = [p.name for p in system.parameters if p.value is None and p.varies is None]
    return tuple(
        State(
            number(f"{k} t", positive=True),
            {name: number(f"{k} q {name}") for name in names},
            {name: number(f"{k} v {name}") for name in names},
            {name: number(f"{k} a {name}") for name in names},
            {name: number(f"{k} parameter {name}", positive=True) for name in open_},
        )
        for k in range(STATES)
    )


def number(of: str, positive: bool = False) -> float:
    """Return a number of three decimals, determined by a text: 0.1 to 1.5 in size, of either sign."""
    bits = hash_text(of)
    size = 100 + (bits >> 1) % 1401
    return (size if positive or bits & 1 else -size) / 1000
