"""Joints as generalized joints: a list of elementary transformations from body 1, the parent, to body 2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mbconcord.model import Constant, ElementaryTransformation, FrameCoincidence, Prescribed, System
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.transformation import Vector

from ..document import Block
from .fields import Fields, block, quoted

Transformation = ElementaryTransformation
#: Block of the force along a coordinate.
Efforts = Mapping[str, Block]


def joints(system: System, fields: Fields, efforts: Efforts, names: Mapping[str, str]) -> Iterator[Block]:
    """The joints that carry the bodies, in the order that gives the coordinates theirs, then those that close loops.

    ``names``: of joints that have one already, by the bodies they carry.
    """
    starts = {c.name: c.position for c in system.coordinates}
    order = _order(system)
    bodies = {body.name: body for body in system.bodies}
    written = tuple(name for body in order for name in bodies[body].coordinates)
    if written != system.coordinate_names:
        listed = ", ".join(system.coordinate_names)
        fields.lose("coordinates", f"the order {listed}", f"UM numbers them by joints: {', '.join(written)}")
    number = 0
    for number, name in enumerate(order, 1):
        body = bodies[name]
        made = list(_transformations(body.joint, f"bodies/{name}/joint", fields, starts, efforts))
        yield _joint(number, fields.names.body(body.parent), fields.names.body(name), made, names.get(name))
    for closure in (c for c in system.constraints if isinstance(c, FrameCoincidence)):
        number += 1
        place = f"constraints/{closure.name}"
        listed = f" {', '.join(closure.auxiliary)}" if closure.auxiliary else ""
        reason = "no UM file seen closes a loop; it is written as a joint that does"
        fields.lose(place, f"certainty about the loop and the names{listed} of its coordinates", reason)
        items = (*closure.first.transformations, *_inverse(closure.second.transformations))
        made = list(_transformations(items, place, fields, {}, efforts))
        first, second = (fields.names.body(end.body) for end in (closure.first, closure.second))
        yield _joint(number, first, second, made, closure.name)


def _joint(
    number: int, first: str, second: str, transformations: Sequence[Block], name: str | None = None
) -> Block:
    """A generalized joint, named after its bodies where it has no name; without transformations, an empty shift."""
    empty = block("et", None, [("type", "tc"), ("ex", ""), ("ey", ""), ("ez", "")])
    return block(
        "joint",
        number,
        [
            ("name", quoted(name or f"j{first}_{second}")),
            ("type", "comm"),
            ("bd1", quoted(first)),
            ("bd2", quoted(second)),
        ],
        transformations or [empty],
    )


def _order(system: System) -> list[str]:
    """Bodies by the first coordinate of their joints; one without coordinates keeps its place behind another."""
    index = {name: i for i, name in enumerate(system.coordinate_names)}
    keys: dict[str, int] = {}
    last = -1
    for body in system.bodies:
        last = min((index[name] for name in body.coordinates), default=last)
        keys[body.name] = last
    return sorted(keys, key=keys.__getitem__)


def _transformations(
    items: Iterable[Transformation],
    place: str,
    fields: Fields,
    starts: Mapping[str, Expression],
    efforts: Efforts,
) -> Iterator[Block]:
    """The blocks of a joint; constant shifts along x, y, z that follow each other are one block."""
    waiting: list[Expression] = []
    for i, et in enumerate(items):
        where = f"{place}/{i}"
        if et.coordinate is None:
            amount = fields.held(where, et.amount) if isinstance(et.motion, Prescribed) else et.amount
            if not et.is_translation:
                yield from _shift(waiting, where, fields)
                yield _turn("rc", et.axis, fields.number(where, amount, degrees=True), where, fields)
                continue
            first = next(k for k in range(3) if et.axis[k])
            if first < len(waiting):
                yield from _shift(waiting, where, fields)
            parts = [amount * part for part in et.axis]
            waiting += [ZERO] * (first - len(waiting))
            waiting += parts[first : max(k for k in range(3) if et.axis[k]) + 1]
            continue
        yield from _shift(waiting, where, fields)
        start = fields.number(
            f"coordinates/{et.coordinate}", starts.get(et.coordinate, ZERO), degrees=not et.is_translation
        )
        made = _turn("tv" if et.is_translation else "rv", et.axis, start, where, fields)
        yield block(made.keyword, None, [(a.key, a.value) for a in made.attributes], [efforts[et.coordinate]])
    yield from _shift(waiting, place, fields)


def _shift(waiting: list[Expression], place: str, fields: Fields) -> Iterator[Block]:
    """The block of the constant shifts that wait; none for none."""
    if any(waiting):
        values = [*waiting, ZERO, ZERO][:3]
        parts = zip(("ex", "ey", "ez"), (fields.formula(place, v) for v in values), strict=True)
        yield block("et", None, [("type", "tc"), *parts])
    waiting.clear()


def _turn(kind: str, axis: Vector, amount: str, place: str, fields: Fields) -> Block:
    """A block with an axis of numbers and an amount: ``rc``, ``rv`` or ``tv``."""
    parts = zip(("ex", "ey", "ez"), (fields.number(place, part) for part in axis), strict=True)
    return block("et", None, [("type", kind), *parts, ("coord0", amount)])


def _inverse(items: Sequence[Transformation]) -> Iterator[Transformation]:
    """The transformations that lead back; none of them has a coordinate."""
    for et in reversed(items):
        kind = Prescribed if isinstance(et.motion, Prescribed) else Constant
        yield ElementaryTransformation(et.kind, et.axis, kind(-ONE * et.amount))
