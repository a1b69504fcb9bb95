"""Which joint moves otherwise: the first coordinate of which the screw differs, and the change that makes it right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.model.body import Body
from mbconcord.model.system import System

from ..judge.motion import Array
from .answer import Cause, Step
from .joints import changes
from .pair import Pair

#: How many joints are changed together, at most.
JOINTS: Final = 3
#: Screws that differ by less, relative to the largest, are the same.
SAME: Final = 1e-10


def kinematics(pair: Pair) -> tuple[list[Step], str]:
    """Changes of joints after which all screws are the other's, and where the first difference is.

    None where no screw differs, or no changes were found that make all of them right.
    """
    target, system = pair.other.screws, pair.system
    steps: list[Step] = []
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
        steps.append(Step(tuple(found)))
        system = found[0].system
    right = target is None or not differing(pair.screws(system), target)
    return (steps if right else []), located


def jointed(system: System, bodies: Iterable[Body]) -> Iterator[Cause]:
    """All changes of the joints of some bodies."""
    for body in bodies:
        for words, joint in changes(body.joint):
            changed = tuple(replace(b, joint=joint) if b.name == body.name else b for b in system.bodies)
            place = f"bodies/{body.name}/joint"
            yield Cause(place, words.format(b=body.name), replace(system, bodies=changed))


def resting(pair: Pair, system: System) -> Iterator[Cause]:
    """Changes of joints that leave all screws as they are: they move what a body carries, or turn the ground."""
    before = pair.screws(system)
    for cause in jointed(system, system.bodies):
        if not differing(pair.screws(cause.system), before):
            yield cause


def differing(own: Array, target: Array) -> list[int]:
    """Numbers of the coordinates of which screws (N, n, 6) differ."""
    size = 1.0 + np.abs(target).max(initial=0.0)
    gap = np.abs(own - target).max(axis=(0, 2), initial=0.0)
    return [i for i, x in enumerate(gap.tolist()) if not x <= SAME * size]


def _one_joint(pair: Pair, system: System, number: int, target: Array) -> list[Cause]:
    """Changes of one joint that make a coordinate right and none wrong: with the most coordinates right come first.

    The joints next to it first; then those before, of which a change along an axis shows this far out only.
    """
    wrong = {*differing(pair.screws(system), target)}
    name = system.coordinate_names[number]
    path = system.path(next(b.name for b in system.bodies if name in (*b.coordinates, *b.modal)))
    near = _since([*path])
    for bodies in (near, [body for body in reversed(path) if body not in near]):
        found: list[tuple[int, Cause]] = []
        for cause in jointed(system, bodies):
            left = {*differing(pair.screws(cause.system), target)}
            if number not in left and left < wrong:
                found.append((len(left), cause))
        if found:
            least = min(left for left, _ in found)
            return [cause for left, cause in found if left == least]
    return []


def _since(path: list[Body]) -> list[Body]:
    """The last body of a path and those before it, up to the one that has the coordinate before."""
    found = [path.pop()]
    while path and not (len(found) > 1 and found[-1].coordinates):
        found.append(path.pop())
    return found
