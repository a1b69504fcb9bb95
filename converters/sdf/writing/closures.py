"""Cut joints as joints: those that one joint of SDF is, and that are closed where all coordinates are zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mbconcord.converters.constants import Numbers
from mbconcord.converters.floats import HERE, Pose
from mbconcord.converters.poses import pose
from mbconcord.converters.steps import Transformations
from mbconcord.converters.turns import back, opposite
from mbconcord.model import Constant, ElementaryTransformation, FrameCoincidence, System
from mbconcord.model.expressions import ZERO

from ..vocabulary import TYPES
from .groups import alike

#: Two frames are one where nothing is farther apart (m, and of the axes 1).
CLOSED = 1e-12


@dataclass(frozen=True)
class Closure:
    """A joint that closes a loop: its name and kind, the way from the parent to its frame, and its axes."""

    place: str
    name: str
    kind: str
    origin: Transformations
    moving: Transformations
    parent: str | None
    child: str | None


def closures(system: System, numbers: Numbers) -> Iterator[Closure]:
    """The cut joints that can be written."""
    places: dict[str | None, Pose] = {None: HERE}
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            if len(places) == 1:
                places |= _standing(system, numbers)
            found = _closure(constraint, places, numbers)
            if found is not None:
                yield found


def _closure(c: FrameCoincidence, places: dict[str | None, Pose], numbers: Numbers) -> Closure | None:
    first, place = c.first.transformations, f"constraints/{c.name}"
    moving = [i for i, et in enumerate(first) if et.coordinate]
    start = moving[0] if moving else len(first)
    count = len(moving)
    together = first[start : start + count]
    names = tuple(et.coordinate or "" for et in together)
    kind = alike(together, names)
    if kind is None or c.first.body == c.second.body:
        return None
    ends = [
        places[frame.body].then(_pose(frame.transformations, numbers, place)) for frame in (c.first, c.second)
    ]
    apart = max(np.abs(ends[0].R - ends[1].R).max(), np.abs(ends[0].p - ends[1].p).max())
    if not apart < CLOSED:
        return None
    name = names[0].removesuffix(TYPES.get(kind, ("",))[0]) if names else c.name
    if c.second.body is not None:
        return Closure(place, name, kind, first[:start], together, c.first.body, c.second.body)
    if count > 1:  # the world is no child, and several turns are not those of the way back
        return None
    origin = (*c.second.transformations, *back(first[start + count :]))
    return Closure(place, name, kind, origin, tuple(map(opposite, together)), None, c.first.body)


def _standing(system: System, numbers: Numbers) -> dict[str | None, Pose]:
    """Where bodies are with all coordinates zero."""
    found: dict[str | None, Pose] = {None: HERE}
    for body in system.bodies:
        own = _pose(body.joint, numbers, f"bodies/{body.name}/joint")
        found[body.name] = found[body.parent].then(own)
    return found


def _pose(steps: Transformations, numbers: Numbers, place: str) -> Pose:
    still = [
        ElementaryTransformation(et.kind, et.axis, Constant(ZERO)) if et.coordinate else et for et in steps
    ]
    p, R = pose(
        [ElementaryTransformation(et.kind, et.axis, Constant(et.amount)) for et in still], numbers, place
    )
    return Pose(np.array(R, dtype=float), np.array(p, dtype=float))
