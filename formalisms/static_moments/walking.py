"""Walking machines: a hull and regular legs; the machine's static moment, and its margin of static stability.

The machine's moment about C_d, the mass centre of the augmented hull, is the sum of its legs' moments about
their points of suspension (sections 9 and 10 of the paper): m̄_c = m_d d̄ + Σ m̄_l, where d = 0. So the
mass centre stands at C_d + m̄_c / m, and the machine stands as long as this point's plumb line meets the
support polygon.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mbconcord.model import State, System
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ZERO, Expression, evaluate, substitute, symbol
from mbconcord.model.numbers import environment

from .frames import frames
from .links import Link, children, links
from .moments import moments, subsystem_masses
from .writeout import WriteOut, in_fixed_axes, write_out

Array = NDArray[np.float64]


def machine_moment(leg: System, legs: int) -> dict[str, Expression]:
    """m̄_c of a machine with so many equal legs, over НКО: the scalar of each vector.

    Constants m_di are those of the first leg, the same for all; m_qj is written m_j q, with q numbered
    through the machine: leg l of n bodies has q_{n(l-1)+1} to q_{nl}. A vector that is not of the fixed
    frame has the leg's number behind its own: ``x_1`` of leg 3 is ``x_1_3``.

    Raises
    ------
    FormalismError
        The table of a leg has several roots: a leg hangs from the hull at one point.
    """
    made = links(leg)
    roots = [k.coordinate for k in children(made)[0]]
    if len(roots) != 1:
        found = f"a leg with {len(roots)} roots ({', '.join(roots)}); expected one"
        raise FormalismError(error("bodies", found, "one body of a leg has the base 0: the hull"))
    written = write_out(moments(made))
    terms = expanded(written, 1)
    n = len(made)
    total: dict[str, Expression] = {}
    for number in range(1, legs + 1):
        own = {
            symbol(f"m_q{k.number}"): symbol(f"m_{k.number}") * symbol(f"q{n * (number - 1) + k.number}")
            for k in made
        }
        for unit, scalar in terms.items():
            name = unit if unit in ("x", "y", "z") else f"{unit}_{number}"
            total[name] = total.get(name, ZERO) + substitute([scalar], own)[0]
    return total


def expanded(written: WriteOut, number: int) -> dict[str, Expression]:
    """m̄_i over m_di and m_qj alone, without the sums introduced on the way: the scalar of each vector."""
    meaning: dict[Expression, Expression] = {}
    for made in written.sums:
        summands = substitute(made.summands, meaning)
        meaning[symbol(made.scalar.name)] = sum(summands, ZERO)
    terms = written.of(number).terms
    return {term.unit: substitute([term.shown], meaning)[0] for term in terms}


def mass_centre(machine: System, state: State, hull_mass: float, hull_centre: ArrayLike) -> Array:
    """Mass centre of a machine whose hull is the fixed frame, in its axes (m): shape (3,).

    (m_h c_h + Σ (m_l R_l + m̄_l)) / m over the legs l, with R_l their points of suspension.
    """
    made = links(machine)
    written, placed = write_out(moments(made)), frames(made)
    masses = subsystem_masses(made)
    roots: Sequence[Link] = children(made)[0]
    values = environment(machine, [state])[0]
    total, moment = float(hull_mass), float(hull_mass) * np.asarray(hull_centre, dtype=float)
    for root in roots:
        own = [masses[root.number], *root.arm, *in_fixed_axes(written.of(root.number), placed)]
        m, *rest = (float(x) for x in evaluate(own, values))
        total += m
        moment = moment + m * np.array(rest[:3]) + np.array(rest[3:])
        if not root.revolute:
            axis = evaluate(list(placed.joint_axis(root)), values)
            moment = moment + m * values[root.coordinate] * np.array(axis, dtype=float)
    result: Array = moment / total
    return result


def support_polygon(feet: ArrayLike) -> Array:
    """The convex hull of the feet, counter-clockwise: (K, 2) of (N, 2), in the horizontal plane."""
    points = sorted({(float(x), float(y)) for x, y in np.asarray(feet, dtype=float)})
    if len(points) < 3:
        return np.array(points).reshape(-1, 2)
    half = [_chain(points), _chain(points[::-1])]
    return np.array(half[0][:-1] + half[1][:-1])


def _chain(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for p in points:
        while len(chain) > 1 and _left(chain[-2], chain[-1], p) <= 0:
            chain.pop()
        chain.append(p)
    return chain


def _left(a: tuple[float, float], b: tuple[float, float], p: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def stability_margin(point: ArrayLike, feet: ArrayLike) -> float:
    """Distance (m) of the plumb point from the nearest edge of the support polygon; negative outside.

    Two feet or fewer support nothing: the margin is minus the distance from the segment or point.
    """
    p, polygon = np.asarray(point, dtype=float), support_polygon(feet)
    if not len(polygon):
        return -float("inf")
    ends = np.roll(polygon, -1, axis=0)
    distance = min(_distance(p, a, b) for a, b in zip(polygon, ends, strict=True))
    turns = [_left(tuple(a), tuple(b), tuple(p)) for a, b in zip(polygon, ends, strict=True)]
    inside = len(polygon) > 2 and all(turn >= 0 for turn in turns)
    return distance if inside else -distance


def _distance(p: Array, a: Array, b: Array) -> float:
    """From a point to a segment."""
    edge = b - a
    length = float(edge @ edge)
    at = 0.0 if length == 0 else min(1.0, max(0.0, float((p - a) @ edge) / length))
    return float(np.linalg.norm(p - a - at * edge))
