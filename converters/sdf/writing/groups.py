"""Joints of several coordinates: balls, universal joints, screws, and links that nothing carries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mbconcord.converters.constants import Numbers
from mbconcord.converters.mimics import linear_in
from mbconcord.converters.steps import Transformations
from mbconcord.model import Body, Holonomic, System
from mbconcord.model.expressions import PI_NODE, TWO, ZERO, Expression, substitute, symbol, symbols
from mbconcord.model.transformation import AXES, Vector

from ..vocabulary import FREE, TYPES

Whole = tuple[str, str, Vector | None, int]


def whole(
    moving: Transformations, body: Body, order: Sequence[str], single: Mapping[str, Collection[str]]
) -> Whole | None:
    """Name, kind, axis and number of transformations of a joint of several coordinates, as it would be read.

    ``order`` are the coordinates of the model, ``single`` by kind those that need a joint of their own.
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
    """The kind of the joint that moves so, its coordinates called as they would be read; None: there is none."""
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


def _along(moving: Transformations, axes: str) -> bool:
    return [et.axis for et in moving] == [AXES[axis] for axis in axes]


def _free(moving: Transformations) -> bool:
    return [et.is_translation for et in moving] == [True] * 3 + [False] * 3 and _along(moving, "xyzzyx")


def _ball(moving: Transformations) -> bool:
    return len(moving) == 3 and not any(et.is_translation for et in moving) and _along(moving, "zyx")


def _universal(moving: Transformations) -> bool:
    return len(moving) == 2 and not any(et.is_translation for et in moving)


def _screw(moving: Transformations) -> bool:
    turn, slide = moving
    return not turn.is_translation and slide.is_translation and turn.axis == slide.axis


def pitches(system: System, numbers: Numbers) -> Mapping[str, tuple[Holonomic, Expression]]:
    """Rows s - p q / 2π = 0 between a coordinate q and one that is called as its slide: by q, with the pitch p."""
    found = {}
    ending = TYPES["screw"][1]
    for row in system.constraints:
        if not isinstance(row, Holonomic):
            continue
        formula = numbers.definitions.of([row.expression])[0]
        names = [n for n in system.coordinate_names if n in symbols([formula])]
        turn = next((n for n in names if n + ending in names), None)
        if len(names) != 2 or turn is None or turn in found:
            continue
        q, s = symbol(turn), symbol(turn + ending)
        along = linear_in(numbers, substitute([formula], {q: ZERO})[0], s)
        about = linear_in(numbers, substitute([formula], {s: ZERO})[0], q)
        if along is None or about is None or along[1] or about[1] or not (along[0] and about[0]):
            continue
        found[turn] = row, -(about[0] / along[0]) * (TWO * PI_NODE)
    return found
