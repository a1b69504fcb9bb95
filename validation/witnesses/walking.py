"""Judge the numbers of a walking machine: masses, feet and margins, from the model's fields without its formalism.

The margin is the least, over all horizontal directions n, of the distance along n from the mass centre to the farthest
standing foot. Inside the support polygon it is the distance to the nearest edge, outside minus the distance to the
nearest point. No polygon is constructed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from mbconcord.model.force import Point
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass

from ..judge.comparison import ArrayDifference, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.tolerances import RUN
from .direct.formulas import bind
from .direct.tree import NAME, DirectTree, obstacles

#: Tolerance of feet that were placed at given points, relative to 1 m and their distance.
REACHED: Final = 1e-9
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class PrintedStance:
    """Printed numbers of one stance, with the numbers that the user gave for it.

    Attributes
    ----------
    name, state, standing : name and state of the step; numbers of the legs that stand
    weights : masses (kg) and positions (m) of the hull and the payload
    mass, centre, plumb, margin : printed mass (kg), mass centre, its horizontal coordinates, and margin (m)
    expected : numbers of the legs that should stand; None if unknown
    feet : given positions of feet, by number of the leg (m)
    """

    name: str
    state: State
    standing: tuple[int, ...]
    weights: Sequence[tuple[float, Triple]]
    mass: float
    centre: Triple
    plumb: tuple[float, float]
    margin: float
    expected: tuple[int, ...] | None = None
    feet: Mapping[int, Triple] | None = None


def check_walk(
    system: System, bodies: Sequence[str], foot: Triple, axes: tuple[str, str], stances: Sequence[PrintedStance]
) -> Iterator[Comparison]:
    """Yield comparisons of stances with the direct witness; ``bodies`` are the legs' last ones, ``foot`` is on each."""
    states = [s.state for s in stances]
    against = obstacles(system)
    if against or system.gravity is None:
        why = against[0].reason if against else "there is no gravity"
        yield Comparison("walk", NAME, "stances", "not checked", explanation=why)
        return
    for s in stances:
        if s.expected is not None and s.standing != s.expected:
            said = f"{s.name}: legs {_listed(s.standing)} stand, expected {_listed(s.expected)}"
            yield Comparison("walk", NAME, "standing", "disagrees", explanation=said)
    tree = DirectTree(system, bind(system, states, at_rest=True))
    mass, moment = np.zeros(len(states)), np.zeros((len(states), 3))
    for solid in tree.solids:
        mass, moment = mass + solid.mass, moment + solid.mass[:, None] * solid.frame.r
    loads = np.array([[m for m, _ in s.weights] for s in stances])
    places = np.array([[at for _, at in s.weights] for s in stances])
    mass, moment = mass + loads.sum(axis=1), moment + np.einsum("sk,ska->sa", loads, places)
    centre = moment / mass[:, None]
    feet = np.stack([tree.locate(Point(name, vector(foot))).r for name in bodies], axis=1)
    gravity = tree.f.values(system.gravity.direction)[0]
    far = 1.0 + np.linalg.norm(feet, axis=2).max(axis=1) + np.linalg.norm(centre, axis=1)
    known = all(axis in "xyz" for axis in axes)
    across = tuple(axis for axis, g in zip("xyz", gravity, strict=True) if g == 0)
    if len(across) == 2 and across != tuple(axes):
        said = f"horizontal axes are {', '.join(axes)}, expected {', '.join(across)}"
        yield Comparison("walk", NAME, "plumb point", "disagrees", explanation=said)
    plumb = centre[:, ["xyz".index(axis) for axis in axes]] if known else np.zeros((len(states), 0))
    given = np.array(
        [[(s.feet or {}).get(i + 1, feet[k, i]) for i in range(len(bodies))] for k, s in enumerate(stances)]
    )
    margins = [_margin(centre[k], feet[k, [i - 1 for i in s.standing]], gravity) for k, s in enumerate(stances)]
    for quantity, printed, own, size, names, tolerance in (
        ("mass", [s.mass for s in stances], mass, mass, ("mass",), RUN),
        ("mass centre", [s.centre for s in stances], centre, far, tuple("xyz"), RUN),
        ("plumb point", [s.plumb if known else () for s in stances], plumb, far, axes, RUN),
        ("margin", [s.margin for s in stances], np.array(margins), far, ("margin",), RUN),
        ("feet", given.reshape(len(states), -1), feet.reshape(len(states), -1), far,
         tuple(f"foot{i + 1}.{axis}" for i in range(len(bodies)) for axis in "xyz"), REACHED),
    ):  # fmt: skip
        x, y = (np.array(v, dtype=float).reshape(len(states), -1) for v in (printed, own))
        if x.size:
            ones = np.ones(len(states))
            scale = np.broadcast_to(size[:, None], x.shape)
            yield worst("walk", NAME, quantity, ArrayDifference(x, y, scale, tolerance * ones, ones), states, names)


def _margin(centre: Array, feet: Array, gravity: Array) -> float:
    """Return the margin of standing feet (k, 3) about a centre: the least of their reach over horizontal directions."""
    if not len(feet):
        return -np.inf
    down = gravity / np.linalg.norm(gravity)
    apart = feet - centre
    apart = apart - np.outer(apart @ down, down)
    sides = np.array([np.cross(down, a - b) for a in apart for b in apart])
    found = []
    for n in (*sides, *apart):
        size = float(np.linalg.norm(n))
        if size > RUN:
            found += [float((apart @ n).max()) / size, float((apart @ -n).max()) / size]
    return min(found, default=0.0)


def _listed(legs: Sequence[int]) -> str:
    return " ".join(map(str, legs)) or "none"
