"""Constraints of a model beside those of its text: where their ends and frames are, and what their rows are.

Coordinates of cut joints are 0.5, 1.5, … on both sides; a row is compared with its rate along the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.model.constraint import FrameCoincidence, Holonomic, PointCoincidence, Rod
from mbconcord.model.system import System

from ..direct.binding import ORDERS
from ..direct.formulas import Formulas
from ..direct.motion import through
from ..direct.series import constant
from ..direct.witness import Tree
from ..judge.motion import Array
from ..second.machine import Steps
from ..second.poses import reached
from ..second.world import World

POSE: Final = tuple(x for row in "xyz" for x in (*(f"R[{row},{column}]" for column in "xyz"), f"r[{row}]"))
#: Numbers (S, k) of the model and of the text, their scales, and what each is.
Sides = tuple[Array, Array, Array, list[str]]


def constraints(system: System, tree: Tree, worlds: list[World], reach: Callable[[World], float]) -> Sides:
    """Both sides of every constraint at S states; positions in parts of how far the machine reaches."""
    far = np.fmax(np.array([reach(w) for w in worlds])[:, None], 1.0)
    found: list[Sides] = []
    for c in system.constraints:
        if isinstance(c, Rod):
            found.append(_rod(c, tree, worlds, far))
        elif isinstance(c, PointCoincidence):
            found.append(_joined(c, tree, worlds, far))
        elif isinstance(c, FrameCoincidence):
            found += (_frame(c, side, system, tree, worlds, far) for side in ("first", "second"))
        elif isinstance(c, Holonomic):
            found.append(_row(c, tree, worlds))
    if not found:
        return np.zeros(0), np.zeros(0), np.zeros(0), []
    x, y, z = (np.concatenate([side[k] for side in found], axis=1) for k in range(3))
    return x, y, z, [entry for side in found for entry in side[3]]


def _named(items: Sequence[Any], name: str) -> Any:
    return next(item for item in items if item.name == name)


def _scaled(theirs: Array, own: Array, scale: Array, entries: list[str]) -> Sides:
    return theirs, own, np.broadcast_to(scale, theirs.shape), entries


def _rod(c: Rod, tree: Tree, worlds: list[World], far: Array) -> Sides:
    theirs = np.column_stack([*(tree.at(end).r for end in (c.first, c.second)), tree.f.value(c.length)])
    rods = [_named(w.machine.rods, c.name) for w in worlds]
    own = [(*w.place(r.first)[0], *w.place(r.second)[0], r.length) for w, r in zip(worlds, rods, strict=True)]
    entries = [f"{c.name} {end}{a}" for end in "12" for a in "xyz"] + [f"{c.name} length"]
    return _scaled(theirs, np.array(own), far, entries)


def _joined(c: PointCoincidence, tree: Tree, worlds: list[World], far: Array) -> Sides:
    theirs = np.column_stack([tree.at(end).r for end in (c.first, c.second)])
    pairs = [_named(w.machine.joined, c.name) for w in worlds]
    own = [(*w.place(p.first)[0], *w.place(p.second)[0]) for w, p in zip(worlds, pairs, strict=True)]
    return _scaled(theirs, np.array(own), far, [f"{c.name} {end}{a}" for end in "12" for a in "xyz"])


def _frame(
    c: FrameCoincidence, side: str, system: System, tree: Tree, worlds: list[World], far: Array
) -> Sides:
    angles = {name: constant(np.full(tree.f.count, k + 0.5), ORDERS) for k, name in enumerate(c.auxiliary)}
    f = Formulas({**tree.f.symbols, **angles}, system.functions, ORDERS, tree.f.count)
    frame = getattr(c, side)
    pose = through(tree.frames[frame.body], frame.transformations, [*tree.names, *c.auxiliary], f)
    theirs = np.concatenate([pose.R, pose.r[:, :, None]], axis=2).reshape(-1, len(POSE))
    own = [_pose(w, *getattr(_named(w.machine.closures, c.name), side)) for w in worlds]
    return _scaled(theirs, np.array(own), far, [f"{c.name} {side} {part}" for part in POSE])


def _pose(world: World, body: str | None, steps: Steps) -> Array:
    """The pose of a frame on a body, row by row."""
    names = [step.coordinate for step in steps if step.coordinate]
    pose = world.poses[body].then(reached(steps, lambda name: (names.index(name) + 0.5, 0.0, 0.0)))
    return pose.T[:3].ravel()


def _row(c: Holonomic, tree: Tree, worlds: list[World]) -> Sides:
    """The value of a row, and its rate along the motion."""
    series = tree.f.of(c.expression)
    theirs = np.column_stack([series.c[0], series.c[1]])
    rows = [_named(w.machine.rows, c.name) for w in worlds]
    own = np.array([(row.value, row.rate) for row in rows])
    size = np.array([(row.size, row.speed) for row in rows])
    return _scaled(theirs, own, np.fmax(size, np.abs(theirs)), [f"{c.name} row", f"{c.name} rate"])
