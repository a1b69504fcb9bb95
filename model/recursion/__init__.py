"""Equations as steps of links: the operations of a recursive formalism at each link, written once per kind of link.

A recursion goes over a tree of links in passes, outward (a link after its carrier) or inward (a link before its
carrier). Every link has numbers of its own, the vectors of :attr:`Recursion.slots` as its memory, and the motion of its
joint. What it does in a pass is a :class:`RecursionStep`: expressions over symbols for its own memory (:func:`own`),
for that of its carrier (:func:`carrier`), for its numbers (:func:`number_of`), and for the motion of its joint
(:data:`AMOUNT`, :data:`RATE`, :data:`ACCELERATION`). Links that differ in numbers alone are of one :class:`LinkKind`,
so 10,000 of them are derived once, and run in time and memory linear in the links.

The generalized forces that the recursion finds, and what the efforts of the model take off them, are

    inverse_dynamics = M q'' + h - gravity - applied .
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mbconcord.records import dataclass, field

from ..expressions import Expression, symbol

#: The motion of a link's joint: shift or angle, its rate and its acceleration (m or rad, per s, per s²).
AMOUNT: Final = symbol("motion")
RATE: Final = symbol("motion'")
ACCELERATION: Final = symbol("motion''")

#: The carrier of the links that stand on the fixed frame.
FIXED: Final = -1


def own(slot: str) -> Expression:
    """Return the symbol of a slot in the link's memory."""
    return symbol(f"own {slot}")


def carrier(slot: str) -> Expression:
    """Return the symbol of a slot in its carrier's memory."""
    return symbol(f"carrier {slot}")


def number_of(place: int) -> Expression:
    """Return the symbol of a number of the link."""
    return symbol(f"number {place}")


@dataclass(frozen=True)
class RecursionStep:
    """Computation of a link in one pass.

    Attributes
    ----------
    own : slot -> its new value; all are computed before any is stored
    carrier : slot of the link's carrier -> its new value; inward passes only
    force : the generalized force along the link's coordinate; None in all passes but the last
    """

    own: Mapping[str, Expression] = field(default_factory=dict)
    carrier: Mapping[str, Expression] = field(default_factory=dict)
    force: Expression | None = None

    @property
    def results(self) -> Iterator[Expression]:
        """Results of the step, in order: new values of own slots, of slots of the carrier, the force."""
        yield from self.own.values()
        yield from self.carrier.values()
        if self.force is not None:
            yield self.force


@dataclass(frozen=True)
class LinkKind:
    """Links that differ in their numbers alone.

    Attributes
    ----------
    name : the kind in words
    numbers : how many numbers a link of this kind has
    steps : one for each pass
    """

    name: str
    numbers: int
    steps: tuple[RecursionStep, ...]


@dataclass(frozen=True, slots=True)
class RecursionLink:
    """One link.

    Attributes
    ----------
    kind : index of its kind
    carrier : index of the link that carries it, smaller than its own; :data:`FIXED`: the fixed frame
    coordinate : index of its coordinate; None if its motion is prescribed
    motion : shift or angle, rate and acceleration where they are prescribed, over t and parameters
    numbers : the link's numbers, as formulas of parameters
    """

    kind: int
    carrier: int
    coordinate: int | None
    motion: tuple[Expression, Expression, Expression] | None
    numbers: tuple[Expression, ...]


@dataclass(frozen=True)
class Recursion:
    """Inverse dynamics as steps of links.

    Attributes
    ----------
    formalism : source of the equations
    vectors : names of the vectors of a link's memory, each with its slots. A rotation of axes preserves the length of a
        vector, which bounds its errors
    inward : for each pass, whether it goes inward
    kinds, links : all kinds, and all links, each after its carrier
    ground : slot -> its value in the fixed frame, over parameters, due to weight alone; other slots are 0
    efforts : for each coordinate, the efforts of its drive and of others along it, subtracted from the forces
    """

    formalism: str
    vectors: Mapping[str, tuple[str, ...]]
    inward: tuple[bool, ...]
    kinds: tuple[LinkKind, ...]
    links: tuple[RecursionLink, ...]
    ground: Mapping[str, Expression]
    efforts: tuple[Expression, ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """Slots of all vectors of a link's memory, in their order."""
        return tuple(slot for vector in self.vectors.values() for slot in vector)

    @property
    def coordinates(self) -> int:
        """Number of coordinates."""
        return len(self.efforts)

    def inputs(self, kind: LinkKind) -> tuple[str, ...]:
        """List symbols that a step may need, in order: own memory, the carrier's, the motion, the numbers."""
        found = (*map(own, self.slots), *map(carrier, self.slots), AMOUNT, RATE, ACCELERATION)
        return tuple(x.data for x in (*found, *map(number_of, range(kind.numbers))))
