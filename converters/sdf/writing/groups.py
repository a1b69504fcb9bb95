"""Joints of several coordinates: balls, universal joints, screws, and links without a joint."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from mbconcord.converters.constants import ConstantReader
from mbconcord.converters.floats import HERE, FloatPose
from mbconcord.converters.joints import Transformations, has_steps, linear_in
from mbconcord.converters.poses import back, opposite, pose
from mbconcord.model import Body, Constant, ElementaryTransformation, FrameCoincidence, Holonomic, System
from mbconcord.model.expressions import PI_NODE, TWO, ZERO, Expression, derivative, substitute, symbol, symbols
from mbconcord.model.transformation import AXES, Vector
from mbconcord.records import dataclass

from ..vocabulary import FREE, TYPES

# Cut joints as SDF's joints: those of a kind that SDF has, and whose frames meet at zero coordinates.


#: Largest distance (m, and 1 for axes) of two frames that count as equal.
CLOSED = 1e-12


@dataclass(frozen=True)
class SdfClosure:
    """A joint that closes a loop: its name and kind, the steps from the parent to its frame, and its axes."""

    place: str
    name: str
    kind: str
    origin: Transformations
    moving: Transformations
    parent: str | None
    child: str | None


def closures(system: System, numbers: ConstantReader) -> Iterator[SdfClosure]:
    """Yield the cut joints that can be written as joints of SDF."""
    places: dict[str | None, FloatPose] = {None: HERE}
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            if len(places) == 1:
                places |= _standing(system, numbers)
            found = _closure(constraint, places, numbers)
            if found is not None:
                yield found


def _closure(c: FrameCoincidence, places: dict[str | None, FloatPose], numbers: ConstantReader) -> SdfClosure | None:
    first, place = c.first.transformations, f"constraints/{c.name}"
    moving = [i for i, et in enumerate(first) if et.coordinate]
    start = moving[0] if moving else len(first)
    count = len(moving)
    together = first[start : start + count]
    names = tuple(et.coordinate or "" for et in together)
    kind = alike(together, names)
    if kind is None or c.first.body == c.second.body:
        return None
    ends = [places[frame.body].then(_pose(frame.transformations, numbers, place)) for frame in (c.first, c.second)]
    apart = max(np.abs(ends[0].R - ends[1].R).max(), np.abs(ends[0].p - ends[1].p).max())
    if not apart < CLOSED:
        return None
    name = names[0].removesuffix(TYPES.get(kind, ("",))[0]) if names else c.name
    if c.second.body is not None:
        return SdfClosure(place, name, kind, first[:start], together, c.first.body, c.second.body)
    if count > 1:  # the world is no child, and several turns are not those of the way back
        return None
    origin = (*c.second.transformations, *back(first[start + count :]))
    return SdfClosure(place, name, kind, origin, tuple(map(opposite, together)), None, c.first.body)


def _standing(system: System, numbers: ConstantReader) -> dict[str | None, FloatPose]:
    """Return the poses of bodies in the world at zero coordinates."""
    found: dict[str | None, FloatPose] = {None: HERE}
    for body in system.bodies:
        own = _pose(body.joint, numbers, f"bodies/{body.name}/joint")
        found[body.name] = found[body.parent].then(own)
    return found


def _pose(steps: Transformations, numbers: ConstantReader, place: str) -> FloatPose:
    still = [ElementaryTransformation(et.kind, et.axis, Constant(ZERO)) if et.coordinate else et for et in steps]
    p, R = pose([ElementaryTransformation(et.kind, et.axis, Constant(et.amount)) for et in still], numbers, place)
    return FloatPose(np.array(R, dtype=float), np.array(p, dtype=float))


Whole = tuple[str, str, Vector | None, int]


def whole(
    moving: Transformations, body: Body, order: Sequence[str], single: Mapping[str, Collection[str]]
) -> Whole | None:
    """Return name, kind, axis and count of transformations of a joint of several coordinates; None if there is none.

    ``order`` lists the model's coordinates; ``single`` has, by kind of joint, those that need a joint of their own.
    """
    for kind, endings, fits in (
        ("free", FREE, _free),
        ("ball", TYPES["ball"], _ball),
        ("universal", TYPES["universal"], _universal),
        ("screw", TYPES["screw"], _screw),
    ):
        count = len(endings)
        found = tuple(et.coordinate or "" for et in moving[:count])
        name = found[0].removesuffix(endings[0]) if found else ""
        if found != tuple(name + ending for ending in endings) or not fits(moving[:count]):
            continue
        at = order.index(found[0])
        if tuple(order[at : at + count]) != found or not {*single[kind]}.isdisjoint(found):
            continue
        if any(et.coordinate for et in moving[count:]):
            continue
        alone = body.parent is None and name == body.name and len(moving) == count
        if kind != "free" or alone:
            return name, kind, moving[0].axis, count
    return None


def alike(moving: Transformations, names: Sequence[str]) -> str | None:
    """Return the kind of joint that has these motions and gives their names when read; None if there is none."""
    if not names:
        return "fixed"
    if len(names) == 1:
        return "prismatic" if moving[0].is_translation else "continuous"
    for kind, fits in (("ball", _ball), ("universal", _universal)):
        endings = TYPES[kind]
        name = names[0].removesuffix(endings[0])
        if tuple(names) == tuple(name + ending for ending in endings) and fits(moving):
            return kind
    return None


def _has_axes(moving: Transformations, axes: str) -> bool:
    return [et.axis for et in moving] == [AXES[axis] for axis in axes]


def _free(moving: Transformations) -> bool:
    return [et.is_translation for et in moving] == [True] * 3 + [False] * 3 and _has_axes(moving, "xyzzyx")


def _ball(moving: Transformations) -> bool:
    return len(moving) == 3 and not any(et.is_translation for et in moving) and _has_axes(moving, "zyx")


def _universal(moving: Transformations) -> bool:
    return len(moving) == 2 and not any(et.is_translation for et in moving)


def _screw(moving: Transformations) -> bool:
    turn, slide = moving
    return not turn.is_translation and slide.is_translation and turn.axis == slide.axis


def pitches(system: System, numbers: ConstantReader) -> Mapping[str, tuple[Holonomic, Expression]]:
    """Return rows s - p q / 2π = 0 between a coordinate q and its slide s, by q, with the pitch p (m a turn)."""
    found = {}
    ending = TYPES["screw"][1]
    for row in system.constraints:
        if not isinstance(row, Holonomic):
            continue
        formula = numbers.definitions.apply([row.expression])[0]
        names = [n for n in system.coordinate_names if n in symbols([formula])]
        turn = next((n for n in names if n + ending in names), None)
        if len(names) != 2 or turn is None or turn in found or has_steps(formula):
            continue
        q, s = symbol(turn), symbol(turn + ending)
        if symbols([derivative(formula, x) for x in (q, s)]) & {*names}:
            continue  # before it is taken at zero
        along = linear_in(numbers, substitute([formula], {q: ZERO})[0], s)
        about = linear_in(numbers, substitute([formula], {s: ZERO})[0], q)
        if along is None or about is None or along[1] or about[1] or not (along[0] and about[0]):
            continue
        found[turn] = row, -(about[0] / along[0]) * (TWO * PI_NODE)
    return found
