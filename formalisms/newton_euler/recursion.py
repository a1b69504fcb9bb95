"""The passes as steps of links: the functions of the other modules, called once for each kind of link with symbols.

Memory of a link: ω, ω̇ and the acceleration a of its origin, the force f and the moment n that its joint transmits, and
the sine and the cosine of its angle, all in its own axes. U is computed from ω and ω̇ where it is needed. Links keep
their own masses: regrouping runs over all links, and its sums would grow over 10,000 bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from mbconcord.model import System
from mbconcord.model.expressions import ONE, ZERO, Expression, cos, sin
from mbconcord.model.recursion import (
    ACCELERATION,
    AMOUNT,
    RATE,
    LinkKind,
    Recursion,
    RecursionStep,
    carrier,
    number_of,
    own,
)
from mbconcord.model.recursion import RecursionLink as Steps

from . import outward
from .links import Link, Mass
from .loads import efforts
from .scalars import Graph
from .tree import NO_TENSOR, NULL, UNITS, tree_of
from .vectors import Vector, triple

AXES = "xyz"
VECTORS = {name: tuple(f"{name}_{i}" for i in AXES) for name in ("w", "dw", "a", "f", "n")}
TURNS = {"s": ("s",), "c": ("c",)}


def recursion(name: str, system: System) -> Recursion:
    """Build inverse dynamics of an open tree as a recursion, outward and inward, under the formalism's name."""
    kinds: dict[tuple[bool, int, bool, bool, bool], int] = {}
    links = []
    for link in tree_of(system).links:
        key = link.revolute, link.axis, link.turn is not None, link.bears, link.coordinate is None
        motion = None if link.coordinate is not None else (link.amount, link.rate, link.acceleration)
        kind = kinds.setdefault(key, len(kinds))
        links.append(Steps(kind, link.parent, link.coordinate, motion, tuple(_numbers(link))))
    ground = {f"a_{i}": -g for i, g in zip(AXES, system.gravity_vector, strict=True)}
    found = tuple(kind_of(*key) for key in kinds)
    own_efforts = efforts(system, Graph())
    return Recursion(name, VECTORS | TURNS, (False, True), found, tuple(links), ground, tuple(own_efforts))


def _numbers(link: Link) -> Iterator[Expression]:
    """Yield the numbers that distinguish links of one kind: placement and mass properties."""
    for row in link.turn or ():
        yield from row
    yield from link.shift
    if link.bears:
        yield from (link.mass.mass, *link.mass.moment, *link.mass.tensor)


@cache
def kind_of(revolute: bool, axis: int, turned: bool, bears: bool, prescribed: bool) -> LinkKind:
    """Build the recursion steps for links of one kind; ``turned`` if the joint's axes differ from its carrier's."""
    joint = f"{'revolute about' if revolute else 'prismatic along'} {AXES[axis]}"
    words = (joint, "turned" if turned else "", "" if bears else "without inertia", "prescribed" if prescribed else "")
    made = (sin(AMOUNT), cos(AMOUNT)) if revolute else (ZERO, ONE)
    kept = (own("s"), own("c")) if revolute else made
    first, last = (
        replace(_link(revolute, axis, turned, bears, *turn), coordinate=None if prescribed else 0)
        for turn in (made, kept)
    )
    numbers = (12 if turned else 3) + (10 if bears else 0)
    return LinkKind(", ".join(filter(None, words)), numbers, (_outward(first), _inward(last)))


def _outward(link: Link) -> RecursionStep:
    """Build the outward step: velocity and accelerations of a link, and the inertial wrench of the link itself."""
    w_carrier, dw_carrier = _vector(carrier, "w"), _vector(carrier, "dw")
    before = outward.Motion(
        w_carrier, dw_carrier, _vector(carrier, "a"), outward.compute_acceleration_matrix(w_carrier, dw_carrier)
    )
    w = outward.turning(link, link.outward(w_carrier))
    now = outward.motion(link, before, w, link.acceleration)
    force, moment = outward.inertial(link.mass, now) if link.bears else (NULL, NULL)
    found = {"w": w, "dw": now.dw, "a": now.a, "f": force, "n": moment}
    turn = {"s": link.sine, "c": link.cosine} if link.revolute else {}
    return RecursionStep(
        {slot: x for name, v in found.items() for slot, x in zip(VECTORS[name], v, strict=True)} | turn
    )


def _inward(link: Link) -> RecursionStep:
    """Build the inward step: a joint's wrench is added, in the carrier's frame, to the carrier's wrench."""
    wrench = _vector(own, "f"), _vector(own, "n")
    before = _vector(carrier, "f"), _vector(carrier, "n")
    passed = outward.together(before, outward.transmit_wrench(link, wrench))
    slots = (slot for name in ("f", "n") for slot in VECTORS[name])
    handed = dict(zip(slots, (*passed[0], *passed[1]), strict=True))
    return RecursionStep({}, handed, outward.along_joint(link, wrench))


def _vector(whose: Callable[[str], Expression], name: str) -> Vector:
    return triple([whose(slot) for slot in VECTORS[name]])


def _link(revolute: bool, axis: int, turned: bool, bears: bool, sine: Expression, cosine: Expression) -> Link:
    """Build a link whose numbers and motion are symbols."""
    blank = Link(
        0, UNITS if turned else None, NULL, revolute, axis, 0, AMOUNT, RATE, ACCELERATION, sine, cosine,
        Mass(ZERO, NULL, NO_TENSOR), bears,
    )  # fmt: skip
    placed = 12 if turned else 3
    numbers = [number_of(i) for i in range(placed + 10)]
    mass = numbers[placed:] if bears else [ZERO] * 10
    return blank.with_scalars(iter([*numbers[:placed], AMOUNT, RATE, ACCELERATION, sine, cosine, *mass]))
