"""Changes of one body's joint that converters and authors make by mistake, the commonest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Final

from mbconcord.model.expressions import PI_NODE as PI
from mbconcord.model.expressions import Expression, as_expression
from mbconcord.model.transformation import AXES, Constant, ElementaryTransformation, Vector, rotation

from .inertia import INCH

Joint = tuple[ElementaryTransformation, ...]
Made = tuple[str, Joint]
QUARTERS: Final = ((1, "90"), (-1, "-90"), (2, "180"))


def changes(joint: Joint) -> Iterator[Made]:
    """Clauses about ``{b}`` and the joint that it has where they are true."""
    yield from _axes(joint)
    yield from _angles(joint)
    yield from _offsets(joint)
    yield from _orders(joint)
    yield from _positions(joint)


def _axes(joint: Joint) -> Iterator[Made]:
    for i, et in enumerate(joint):
        if et.coordinate is None:
            continue
        x, y, z = et.axis
        what = f"the axis of {et.coordinate} in the joint of {{b}}"
        yield f"{what} points the other way", _put(joint, i, replace(et, axis=(-x, -y, -z)))
        for name, axis in AXES.items():
            if axis != et.axis:
                yield f"{what} is {name}", _put(joint, i, replace(et, axis=axis))
        for order in list(permutations(range(3)))[1:]:
            turned: Vector = (et.axis[order[0]], et.axis[order[1]], et.axis[order[2]])
            if turned not in (et.axis, *AXES.values()):
                words = "".join("xyz"[k] for k in order)
                yield (
                    f"{what} has its components in the order {words}",
                    _put(joint, i, replace(et, axis=turned)),
                )
        for k in range(3):
            if et.axis[k] and sum(map(bool, et.axis)) > 1:
                mirrored = tuple(-a if j == k else a for j, a in enumerate(et.axis))
                said = f"{what} has the other sign in {'xyz'[k]}"
                yield said, _put(joint, i, replace(et, axis=mirrored))  # type: ignore[arg-type]
        kind = "rotation" if et.is_translation else "translation"
        moves = "turns" if et.is_translation else "shifts"
        yield f"{et.coordinate} {moves} {{b}}", _put(joint, i, replace(et, kind=kind))  # type: ignore[arg-type]


def _angles(joint: Joint) -> Iterator[Made]:
    turns = [i for i, et in enumerate(joint) if _still(et) and not et.is_translation]
    if not turns:
        return
    degrees = as_expression(180) / PI
    whole = "the constant turns of the joint of {b} are"
    yield f"{whole} transposed", _transposed(joint, turns)
    if len(turns) > 1:
        yield f"{whole} made in the reverse order", _reversed(joint, turns)
        yield f"{whole} negative", _scaled(joint, turns, as_expression(-1))
    yield f"{whole} degrees taken as radians", _scaled(joint, turns, degrees)
    yield f"{whole} radians taken as degrees", _scaled(joint, turns, 1 / degrees)
    yield f"{whole} dropped", _without(joint, turns)
    for i in turns:
        what = f"the turn of {joint[i].amount} about {_axis(joint[i])} in the joint of {{b}} is"
        yield f"{what} negative", _scaled(joint, [i], as_expression(-1))
        if len(turns) > 1:
            yield f"{what} dropped", _without(joint, [i])
        for name, axis in AXES.items():
            if axis != joint[i].axis:
                yield f"{what} about {name}", _put(joint, i, replace(joint[i], axis=axis))
    for order in list(permutations(turns))[1:] if 2 < len(turns) < 4 else ():
        made = list(joint)
        for place, taken in zip(turns, order, strict=True):
            made[place] = joint[taken]
        words = ", ".join(_axis(joint[i]) for i in order)
        yield f"{whole} made in the order {words}", tuple(made)


def _offsets(joint: Joint) -> Iterator[Made]:
    shifts = [i for i, et in enumerate(joint) if _still(et) and et.is_translation]
    if not shifts:
        return
    whole = "the offset of the joint of {b}"
    yield f"{whole} points the other way", _scaled(joint, shifts, as_expression(-1))
    yield f"{whole} is dropped", _without(joint, shifts)
    for what, factor in SCALES:
        yield f"{whole} {what}", _scaled(joint, shifts, as_expression(factor))
    for i in shifts if len(shifts) > 1 else ():
        along = f"{whole} along {_axis(joint[i])}, {joint[i].amount},"
        yield f"{along} has the other sign", _scaled(joint, [i], as_expression(-1))
        yield f"{along} is dropped", _without(joint, [i])
    for order in list(permutations("xyz"))[1:]:
        words = "".join(order)
        taken = dict(zip(AXES.values(), (AXES[name] for name in order), strict=True))
        made = tuple(
            replace(et, axis=taken[et.axis]) if i in shifts and et.axis in taken else et
            for i, et in enumerate(joint)
        )
        if made != joint:
            yield f"{whole} has its components in the order {words}", made


SCALES: Final[Sequence[tuple[str, int | Fraction]]] = (
    ("is in millimetres and taken as metres", 1000), ("is divided by 1000", Fraction(1, 1000)),
    ("is in centimetres and taken as metres", 100), ("is in inches and taken as metres", 1 / INCH),
    ("is turned from inches into metres", INCH), ("is doubled", 2), ("is halved", Fraction(1, 2)),
)  # fmt: skip


def _orders(joint: Joint) -> Iterator[Made]:
    shifts = tuple(et for et in joint if _still(et) and et.is_translation)
    turns = tuple(et for et in joint if _still(et) and not et.is_translation)
    moves = tuple(et for et in joint if not _still(et))
    made: list[Made] = []
    if shifts and turns:
        made.append(
            ("the offset of the joint of {b} is made after its constant turns", (*turns, *shifts, *moves))
        )
        made.append(
            ("the offset of the joint of {b} is made before its constant turns", (*shifts, *turns, *moves))
        )
    if moves and (shifts or turns):
        made.append(("the joint of {b} moves before its constant transformations", (*moves, *shifts, *turns)))
        made.append(("the joint of {b} moves after its constant transformations", (*shifts, *turns, *moves)))
        made.append(("the offset of the joint of {b} is made after its motion", (*turns, *moves, *shifts)))
    if len(moves) > 1:
        backwards = iter(reversed(moves))
        turned = tuple(et if _still(et) else next(backwards) for et in joint)
        made.append(("the coordinates of the joint of {b} act in the reverse order", turned))
    yield from (pair for pair in made if pair[1] != joint)


def _positions(joint: Joint) -> Iterator[Made]:
    """Where a coordinate's zero is."""
    for i, et in enumerate(joint):
        if et.coordinate is None or et.is_translation:
            continue
        for quarters, words in QUARTERS:
            turned = rotation(et.axis, Constant(as_expression(Fraction(quarters, 2)) * PI))
            yield f"{et.coordinate} is counted from {words} degrees", (*joint[:i], turned, *joint[i:])


def _still(et: ElementaryTransformation) -> bool:
    return isinstance(et.motion, Constant)


def _axis(et: ElementaryTransformation) -> str:
    return next((name for name, axis in AXES.items() if axis == et.axis), f"({', '.join(map(str, et.axis))})")


def _put(joint: Joint, i: int, et: ElementaryTransformation) -> Joint:
    return (*joint[:i], et, *joint[i + 1 :])


def _without(joint: Joint, places: Sequence[int]) -> Joint:
    return tuple(et for i, et in enumerate(joint) if i not in places)


def _scaled(joint: Joint, places: Sequence[int], factor: Expression) -> Joint:
    return _each(joint, places, lambda value: value * factor)


def _each(joint: Joint, places: Sequence[int], change: Callable[[Expression], Expression]) -> Joint:
    return tuple(
        replace(et, motion=Constant(change(et.amount))) if i in places else et for i, et in enumerate(joint)
    )


def _reversed(joint: Joint, places: Sequence[int]) -> Joint:
    made = list(joint)
    for place, taken in zip(places, reversed(places), strict=True):
        made[place] = joint[taken]
    return tuple(made)


def _transposed(joint: Joint, places: Sequence[int]) -> Joint:
    return _scaled(_reversed(joint, places), places, as_expression(-1))
