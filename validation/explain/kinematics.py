"""Wrong joints: the first coordinate whose screw axis differs, and the change that corrects it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import permutations
from typing import Final

import numpy as np

from mbconcord.converters.xml_text import parse
from mbconcord.model.body import Body
from mbconcord.model.expressions import PI_NODE as PI
from mbconcord.model.expressions import Expression, as_expression
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.model.transformation import AXES, Constant, ElementaryTransformation, Vector, rotation

from ..judge.motion import Array
from ..judge.progress import try_each
from .answer import Cause, CauseStep
from .inertia import INCH, Terms, rotation_matrix
from .numbers import NumberPair

Joint = tuple[ElementaryTransformation, ...]
Made = tuple[str, Joint]
QUARTERS: Final = ((1, "90"), (-1, "-90"), (2, "180"))


def changes(joint: Joint) -> Iterator[Made]:
    """Yield statements about a body, written ``{b}``, each with the body's joint if the statement holds."""
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
                yield (f"{what} has its components in the order {words}", _put(joint, i, replace(et, axis=turned)))
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
    yield f"{whole} transposed", _transpose(joint, turns)
    if len(turns) > 1:
        yield f"{whole} made in the reverse order", _reverse(joint, turns)
        yield f"{whole} negative", _scale(joint, turns, as_expression(-1))
    yield f"{whole} degrees taken as radians", _scale(joint, turns, degrees)
    yield f"{whole} radians taken as degrees", _scale(joint, turns, 1 / degrees)
    yield f"{whole} dropped", _remove(joint, turns)
    for i in turns:
        what = f"the turn of {joint[i].amount} about {_axis(joint[i])} in the joint of {{b}} is"
        yield f"{what} negative", _scale(joint, [i], as_expression(-1))
        if len(turns) > 1:
            yield f"{what} dropped", _remove(joint, [i])
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
    yield f"{whole} points the other way", _scale(joint, shifts, as_expression(-1))
    yield f"{whole} is dropped", _remove(joint, shifts)
    for what, factor in SCALES:
        yield f"{whole} {what}", _scale(joint, shifts, as_expression(factor))
    for i in shifts if len(shifts) > 1 else ():
        along = f"{whole} along {_axis(joint[i])}, {joint[i].amount},"
        yield f"{along} has the other sign", _scale(joint, [i], as_expression(-1))
        yield f"{along} is dropped", _remove(joint, [i])
    for order in list(permutations("xyz"))[1:]:
        words = "".join(order)
        taken = dict(zip(AXES.values(), (AXES[name] for name in order), strict=True))
        made = tuple(
            replace(et, axis=taken[et.axis]) if i in shifts and et.axis in taken else et for i, et in enumerate(joint)
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
        made.append(("the offset of the joint of {b} is made after its constant turns", (*turns, *shifts, *moves)))
        made.append(("the offset of the joint of {b} is made before its constant turns", (*shifts, *turns, *moves)))
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
    """Yield changes of the joint's pose at which a coordinate is zero."""
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


def _remove(joint: Joint, places: Sequence[int]) -> Joint:
    return tuple(et for i, et in enumerate(joint) if i not in places)


def _scale(joint: Joint, places: Sequence[int], factor: Expression) -> Joint:
    return _each(joint, places, lambda value: value * factor)


def _each(joint: Joint, places: Sequence[int], change: Callable[[Expression], Expression]) -> Joint:
    return tuple(replace(et, motion=Constant(change(et.amount))) if i in places else et for i, et in enumerate(joint))


def _reverse(joint: Joint, places: Sequence[int]) -> Joint:
    made = list(joint)
    for place, taken in zip(places, reversed(places), strict=True):
        made[place] = joint[taken]
    return tuple(made)


def _transpose(joint: Joint, places: Sequence[int]) -> Joint:
    return _scale(_reverse(joint, places), places, as_expression(-1))


#: How many joints are changed together, at most.
JOINTS: Final = 3
#: Screws that differ by less, relative to the largest, are the same.
SAME: Final = 1e-10


def kinematics(pair: NumberPair) -> tuple[list[CauseStep], str]:
    """Return changes of joints that make all screws equal to the other model's, and the place of the first difference.

    Changes are empty if no screw differs, or if none were found that correct all screws.
    """
    target, system = pair.other.screws, pair.system
    steps: list[CauseStep] = []
    located = ""
    for _ in range(JOINTS if target is not None else 0):
        assert target is not None
        wrong = differing(pair.screws(system), target)
        if not wrong:
            return steps, located
        name = system.coordinate_names[wrong[0]]
        located = located or f"the first joint that moves otherwise is that of {name}"
        found = _one_joint(pair, system, wrong[0], target)
        if not found:
            return [], located
        steps.append(CauseStep(tuple(found)))
        system = found[0].system
    right = target is None or not differing(pair.screws(system), target)
    return (steps if right else []), located


def list_joint_changes(system: System, bodies: Iterable[Body]) -> Iterator[Cause]:
    """Yield all changes of the joints of some bodies."""
    for body in bodies:
        for words, joint in try_each(changes(body.joint)):
            changed = tuple(replace(b, joint=joint) if b.name == body.name else b for b in system.bodies)
            place = f"bodies/{body.name}/joint"
            yield Cause(place, words.format(b=body.name), replace(system, bodies=changed))


def resting(pair: NumberPair, system: System) -> Iterator[Cause]:
    """Yield changes of joints that keep all screws: they only move a body's inertia, or turn the ground."""
    before = pair.screws(system)
    for cause in list_joint_changes(system, system.bodies):
        if not differing(pair.screws(cause.system), before):
            yield cause


def differing(own: Array, target: Array) -> list[int]:
    """Return the numbers of coordinates whose screws (N, n, 6) differ."""
    size = 1.0 + np.abs(target).max(initial=0.0)
    gap = np.abs(own - target).max(axis=(0, 2), initial=0.0)
    return [i for i, x in enumerate(gap.tolist()) if not x <= SAME * size]


def _one_joint(pair: NumberPair, system: System, number: int, target: Array) -> list[Cause]:
    """Find changes of one joint that correct a coordinate and break none, the most effective first.

    Nearest joints come first; then those before them: a shift along a joint's own axis shows only farther out.
    """
    wrong = {*differing(pair.screws(system), target)}
    name = system.coordinate_names[number]
    path = system.path(next(b.name for b in system.bodies if name in (*b.coordinates, *b.modal)))
    near = _take_last_joint([*path])
    for bodies in (near, [body for body in reversed(path) if body not in near]):
        found: list[tuple[int, Cause]] = []
        for cause in list_joint_changes(system, bodies):
            left = {*differing(pair.screws(cause.system), target)}
            if number not in left and left < wrong:
                found.append((len(left), cause))
        if found:
            least = min(left for left, _ in found)
            return [cause for left, cause in found if left == least]
    return []


def _take_last_joint(path: list[Body]) -> list[Body]:
    """Return the last body of a path and the bodies before it, as far as the one with the previous coordinate."""
    found = [path.pop()]
    while path and not (len(found) > 1 and found[-1].coordinates):
        found.append(path.pop())
    return found


#: Where a model that was read from URDF keeps its text.
TEXT = "urdf:text"


def read_turned_frames(system: System) -> dict[str, Terms]:
    """Return the rotation (3, 3) to link axes of every rotated inertial frame in a URDF."""
    kept = system.metadata.get(TEXT)
    return urdf("\n".join(kept)) if isinstance(kept, Sequence) else {}


def urdf(text: str) -> dict[str, Terms]:
    """Read the rotations from the text of a URDF; rpy rotates about fixed axes, Rz Ry Rx."""
    found = {}
    for link in parse(text, "-").root.all("link"):
        inertial = link.first("inertial")
        origin = None if inertial is None else inertial.first("origin")
        words = "" if origin is None else origin.attributes.get("rpy", "")
        angles = dict(zip("xyz", words.split(), strict=False))
        if any(word.strip("+-0.") for word in angles.values()):
            turns = [rotation_matrix(rotation(axis, parse_formula(angles[axis]))) for axis in "zyx"]
            found[link.attributes.get("name", "")] = reduce(np.matmul, turns)
    return found
