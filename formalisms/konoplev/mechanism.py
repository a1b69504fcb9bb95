"""Conversion of the model's joints to Konoplev's tree of bodies and pairs.

A joint whose elementary transformations are in the order of a pair, translations before rotations about x, y, z in this
order, is one pair with up to six coordinates. Any other joint is split: massless fictitious bodies are inserted between
its pairs (the paper, end of §4). A transformation along or about a general axis e is put between constant rotations
that bring e3 into e.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mbconcord.model.body import Body
from mbconcord.model.expressions import ONE, ZERO, Expression, sqrt
from mbconcord.model.system import System
from mbconcord.model.transformation import AXES, ElementaryTransformation, Vector
from mbconcord.records import dataclass

from .pair import ROTATIONS, TRANSLATIONS, Pair, Slot


@dataclass(frozen=True, slots=True)
class Link:
    """A body of Konoplev's tree.

    Attributes
    ----------
    number : int
        Number from 1; a parent has a smaller one than its child.
    parent : int
        Number of the parent; 0 is the fixed frame.
    pair : Pair
    body : Body or None
        The model's body; None for a fictitious one.
    """

    number: int
    parent: int
    pair: Pair
    body: Body | None


@dataclass(frozen=True, slots=True)
class Road:
    """The treatment of a joint: one native pair, or several with fictitious bodies between them."""

    body: str
    links: tuple[int, ...]

    @property
    def native(self) -> bool:
        """True for one pair."""
        return len(self.links) == 1

    @property
    def words(self) -> str:
        """Description of the treatment; joints treated alike have the same text."""
        if self.native:
            return "joint taken as one native pair"
        count = len(self.links)
        bodies = "a fictitious body" if count == 2 else f"{count - 1} fictitious bodies"
        return f"joint split into {count} pairs with {bodies}"

    def __str__(self) -> str:
        if self.native:
            return f"one pair, body {self.links[0]}"
        *fictitious, last = map(str, self.links)
        return f"split into {len(self.links)} pairs: fictitious bodies {', '.join(fictitious)}, body {last}"


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Konoplev's tree of a system; rods and bipolar elements are already lumped."""

    system: System
    links: tuple[Link, ...]
    roads: tuple[Road, ...]

    @property
    def numbers(self) -> dict[str | None, int]:
        """Number of the link of every body of the model; 0 for the fixed frame."""
        return {None: 0} | {link.body.name: link.number for link in self.links if link.body}


def mechanism(system: System, split: bool = False) -> Mechanism:
    """Build Konoplev's tree of a system. ``split`` gives every elementary transformation a body of its own."""
    whole = system.lump_masses()
    links: list[Link] = []
    roads: list[Road] = []
    numbers: dict[str | None, int] = {None: 0}
    for body in whole.bodies:
        parent = numbers[body.parent]
        found = list(pairs(body.joint, split))
        for i, pair in enumerate(found, 1):
            links.append(Link(len(links) + 1, parent, pair, body if i == len(found) else None))
            parent = len(links)
        numbers[body.name] = parent
        roads.append(Road(body.name, tuple(range(parent - len(found) + 1, parent + 1))))
    return Mechanism(whole, tuple(links), tuple(roads))


Step = dict[int, Slot]


def pairs(joint: Iterable[ElementaryTransformation], split: bool) -> Iterator[Pair]:
    """Yield the pairs of a joint; at least one."""
    slots: Step = {}
    for step in (step for et in joint for step in steps(et)):
        merged = merge(slots, step) if in_order(slots, step) else None
        if slots and (split or merged is None):
            yield pair(slots)
            merged = step
        slots = merged or step
    yield pair(slots)


def pair(slots: Step) -> Pair:
    """Build the pair with these slots filled."""
    one, two, three, four, five, six = (slots.get(alpha, Slot()) for alpha in range(1, 7))
    return Pair((one, two, three, four, five, six))


def in_order(slots: Step, step: Step) -> bool:
    """Return True if a step may follow in the same pair: translations first, then rotations about x, y, z."""
    turned = max((alpha for alpha in slots if alpha in ROTATIONS), default=0)
    return turned == 0 or all(alpha >= turned for alpha in step)


def merge(slots: Step, step: Step) -> Step | None:
    """Return the slots with a step added; None if a slot would get two coordinates, or an angle without amount."""
    merged = dict(slots)
    for alpha, new in step.items():
        old = slots.get(alpha)
        if old is None:
            merged[alpha] = new
        elif (old.coordinate and new.coordinate) or old.direct or new.direct:
            return None
        else:
            free = old if old.coordinate else new
            merged[alpha] = Slot(old.known + new.known, free.coordinate, free.sign)
    return merged


def steps(et: ElementaryTransformation) -> Iterator[Step]:
    """Split an elementary transformation into steps along or about pair axes; yield nothing for an identity."""
    slot = Slot(coordinate=et.coordinate) if et.coordinate else Slot(et.amount)
    if slot == Slot():
        return
    first = TRANSLATIONS[0] if et.is_translation else ROTATIONS[0]
    for number, axis in enumerate(AXES.values()):
        if et.axis == axis:
            yield {first + number: slot}
            return
        if et.axis == tuple(-x for x in axis):
            yield {first + number: Slot(-slot.known, slot.coordinate, -slot.sign)}
            return
    if et.is_translation and not et.coordinate:
        yield {alpha: Slot(et.amount * x) for alpha, x in zip(TRANSLATIONS, et.axis, strict=True) if x}
        return
    yield from tilt_step(et.axis, {first + 2: slot})


def tilt_step(axis: Vector, step: Step) -> Iterator[Step]:
    """Yield rotations c1(ψ4), c2(ψ5) that bring e3 into ``axis``, then ``step`` along or about e3, and the way back."""
    x, y, z = axis
    cos5 = sqrt(y * y + z * z)
    cos4, sin4 = z / cos5, -y / cos5
    four, five = (cos4, sin4), (cos5, x)
    there = [{4: Slot(direct=four)}, {5: Slot(direct=five)}]
    back = [{5: Slot(direct=opposite(five))}, {4: Slot(direct=opposite(four))}]
    for each in (*there, step, *back):
        if all(slot.direct != (ONE, ZERO) for slot in each.values()):
            yield each


def opposite(circular: tuple[Expression, Expression]) -> tuple[Expression, Expression]:
    """Return (cos, sin) of the opposite angle."""
    return circular[0], -circular[1]
