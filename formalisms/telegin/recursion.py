"""The spatial form's sweeps as steps of links: its functions, called once for each kind of link with symbols.

Memory of a link: ω, ε, a and u of its motion; m, s and J of its augmented body, to which carried links add theirs; P
and N of the inward sweep, which begin at zero. All but u are in the link's own axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain

from mbconcord.model import System
from mbconcord.model.expressions import Expression
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
from mbconcord.model.transformation import AXES, Vector
from mbconcord.model.transformation import Kind as Moves

from .loads import Loads, Places
from .spatial import Motion, compute_inertial_wrench, driven, propagate_motion, transmit_wrench
from .tree import Augmented, Link, add_child, add_sliding_child, alone, tree
from .vectors import NULL, E, Matrix, plus

SIX = ("xx", "yy", "zz", "xy", "xz", "yz")
#: Where the six of a symmetric matrix stand among its rows.
PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
VECTORS = {name: tuple(f"{name}_{i}" for i in "xyz") for name in ("ω", "ε", "a", "u", "s", "P", "N")}
BODY = {"m": ("m",), "J": tuple(f"J_{i}" for i in SIX)}

#: Kind of motion, number of its axis (None: any), whether the axes are turned at q = 0, whether it is prescribed.
Key = tuple[Moves, int | None, bool, bool]
COORDINATE_AXES = tuple(AXES.values())


def recursion(name: str, system: System) -> Recursion:
    """Build inverse dynamics of an open tree as a recursion, under the formalism's name."""
    made = tree(system)
    kinds: dict[Key, int] = {}
    links = []
    place = {coordinate: i for i, coordinate in enumerate(system.coordinate_names)}
    for link in made.links.values():
        axis = COORDINATE_AXES.index(link.axis) if link.axis in COORDINATE_AXES else None
        key = link.kind, axis, link.setting != E, link.coordinate is None
        motion = None if link.coordinate else (link.q, link.rate, link.acceleration)
        coordinate = place[link.coordinate] if link.coordinate else None
        kind = kinds.setdefault(key, len(kinds))
        links.append(Steps(kind, link.base - 1, coordinate, motion, tuple(_numbers(link, key))))
    ground = {slot: -g for slot, g in zip(VECTORS["a"], system.gravity_vector, strict=True)}
    efforts = tuple(Loads(system, made, Places(made)).efforts.values())
    found = tuple(kind_of(*key) for key in kinds)
    return Recursion(name, VECTORS | BODY, (False, True), found, tuple(links), ground, efforts)


def _numbers(link: Link, key: Key) -> Iterator[Expression]:
    """Yield the numbers that distinguish a link from others of its kind."""
    _, axis, turned, _ = key
    yield from (link.mass, *link.moment, *_six(link.tensor), *link.offset)
    if axis is None:
        yield from link.axis
    if turned:
        yield from chain.from_iterable(link.setting)


@cache
def kind_of(moves: Moves, axis: int | None, turned: bool, prescribed: bool) -> LinkKind:
    """Build the recursion steps for links of one kind."""
    count = 13 + (3 if axis is None else 0) + (9 if turned else 0)
    given = iter([number_of(i) for i in range(count)])

    def triple() -> Vector:
        return next(given), next(given), next(given)

    mass, moment = next(given), triple()
    tensor = _square([next(given) for _ in SIX])
    offset = triple()
    n = triple() if axis is None else COORDINATE_AXES[axis]
    setting = (triple(), triple(), triple()) if turned else E
    link = Link(
        1, moves, n, setting, offset, AMOUNT, RATE, ACCELERATION, None if prescribed else "q", "", mass, moment, tensor
    )  # fmt: skip
    words = (
        f"{moves}, axis {'any' if axis is None else 'xyz'[axis]}",
        "turned" if turned else "",
        "prescribed" if prescribed else "",
    )
    return LinkKind(", ".join(filter(None, words)), count, (_outward(link), _inward(link)))


def _outward(link: Link) -> RecursionStep:
    """Compute a link's motion, and its augmented body before carried links are added; its P and N start at zero."""
    now = propagate_motion(link, _motion(carrier), link.acceleration)
    found = {"ω": now.omega, "ε": now.epsilon, "a": now.a, "u": now.u, "P": NULL, "N": NULL}
    return RecursionStep(_vectors(found) | _of_body(alone(link)))


def _inward(link: Link) -> RecursionStep:
    """Add a link's own wrench to that of the links it carries, pass the sum to its base, augment the base's body."""
    body, motion = _body(own), _motion(own)
    P, N = compute_inertial_wrench(body, motion)
    P, N = plus(_vector(own, "P"), P), plus(_vector(own, "N"), N)
    p, _, turning = transmit_wrench(link, body.m, motion.u, P, NULL, N)
    base = add_child(_body(carrier), body.m, link)
    base = base if link.turns else add_sliding_child(base, body.m, link)
    passed = {"P": plus(_vector(carrier, "P"), p), "N": plus(_vector(carrier, "N"), turning)}
    return RecursionStep({}, _vectors(passed) | _of_body(base), driven(link, body, motion, P, NULL, N))


Whose = Callable[[str], Expression]


def _vector(whose: Whose, name: str) -> Vector:
    x, y, z = map(whose, VECTORS[name])
    return x, y, z


def _motion(whose: Whose) -> Motion:
    return Motion(*(_vector(whose, name) for name in ("ω", "ε", "a", "u")))


def _body(whose: Whose) -> Augmented:
    return Augmented(whose("m"), _vector(whose, "s"), _square([whose(slot) for slot in BODY["J"]]))


def _vectors(found: dict[str, Vector]) -> dict[str, Expression]:
    return {slot: x for name, v in found.items() for slot, x in zip(VECTORS[name], v, strict=True)}


def _of_body(body: Augmented) -> dict[str, Expression]:
    tensor = dict(zip(BODY["J"], _six(body.J), strict=True))
    return {"m": body.m} | _vectors({"s": body.s}) | tensor


def _six(T: Matrix) -> tuple[Expression, ...]:
    return tuple(T[i][k] for i, k in PLACES)


def _square(six: list[Expression]) -> Matrix:
    xx, yy, zz, xy, xz, yz = six
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
