"""Closed linkages for tests: of rows of numbers, and the six-bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbconcord.formalisms.telegin.closed.assembly import motion
from mbconcord.formalisms.telegin.closed.dynamics import ClosedLinkage
from mbconcord.model import Point, PointCoincidence, State, System

from ...reference.linkages import tree, triple
from ..numbers import close


def same(found: Any, expected: Any, tolerance: float = 1e-11) -> None:
    """To the twelve digits of the published vectors, of the largest number."""
    assert close(found, expected, tolerance), (found, expected)


Row = tuple[int, tuple[float, float], float, tuple[float, float], float]


def closed_system(
    rows: Sequence[Row], cuts: Sequence[Any], g: tuple[float, float], senses: Sequence[int] = (), forces: Any = ()
) -> System:
    """Links (base, R, mass, centre, moment of inertia) and cuts (link, point, link or 0, point)."""
    axes = ["z" if sense > 0 else "-z" for sense in senses or [1] * len(rows)]
    links = [(base, R, "R", axis, m, c, I) for (base, R, m, c, I), axis in zip(rows, axes, strict=True)]
    constraints = tuple(
        PointCoincidence(f"cut{i}", Point(f"b{e}", triple(p)), Point(f"b{f}" if f else None, triple(q)))
        for i, (e, p, f, q) in enumerate(cuts, 1)
    )
    return tree("closed", links, g, constraints=constraints, forces=forces)


#: name -> links, cuts, guess of the angles in absolute terms
SIX_BARS: dict[str, tuple[list[Row], list[Any], list[float]]] = {
    "Stephenson": (
        [
            (0, (0.0, 0.0), 1.2, (0.12, 0.03), 0.011),
            (1, (0.3, 0.0), 2.5, (0.5, -0.06), 0.16),
            (2, (0.9, 0.0), 1.7, (0.3, 0.04), 0.07),
            (2, (0.5, 0.4), 0.8, (0.35, -0.02), 0.03),
            (4, (0.7, 0.0), 0.9, (0.25, 0.05), 0.025),
        ],
        [(3, (0.7, 0.0), 0, (1.0, 0.1)), (5, (0.6, 0.0), 0, (1.5, 0.7))],
        [0.9, 0.67, -1.42, 0.1, -0.9],
    ),
    "Watt, ground": (
        [
            (0, (0.0, 0.0), 1.2, (0.12, 0.03), 0.011),
            (1, (0.3, 0.0), 2.5, (0.5, -0.06), 0.16),
            (2, (0.9, 0.0), 1.7, (0.3, 0.04), 0.07),
            (3, (0.2, 0.3), 0.8, (0.35, -0.02), 0.03),
            (4, (0.7, 0.0), 0.9, (0.25, 0.05), 0.025),
        ],
        [(3, (0.7, 0.0), 0, (1.0, 0.1)), (5, (0.6, 0.0), 0, (1.9, 0.2))],
        [0.9, 0.67, -1.42, 0.4, -0.9],
    ),
    "Watt, loop without the ground": (
        [
            (0, (0.0, 0.0), 1.2, (0.12, 0.03), 0.011),
            (1, (0.3, 0.0), 2.5, (0.5, -0.06), 0.16),
            (2, (0.9, 0.0), 1.7, (0.3, 0.04), 0.07),
            (2, (0.5, 0.4), 0.8, (0.35, -0.02), 0.03),
            (3, (0.2, 0.3), 0.9, (0.25, 0.05), 0.025),
        ],
        [(3, (0.7, 0.0), 0, (1.0, 0.1)), (4, (0.7, 0.0), 5, (0.45, 0.0))],
        [0.9, 0.67, -1.42, 0.9, 1.6],
    ),
}  # fmt: skip
GRAVITY = (2.0, -9.5)


def six_bar(name: str, senses: Sequence[int] = (1, 1, 1, 1, 1), forces: Any = ()) -> tuple[ClosedLinkage, State]:
    """The six-bar with its crank turning, assembled near the guess."""
    rows, cuts, absolute = SIX_BARS[name]
    linkage = ClosedLinkage(closed_system(rows, cuts, GRAVITY, senses, forces))
    angles = {
        f"q{k}": senses[k - 1] * (absolute[k - 1] - (absolute[row[0] - 1] if row[0] else 0.0))
        for k, row in enumerate(rows, 1)
    }
    start = angles["q1"]
    return linkage, motion(linkage, {"q1": (start, 4.0 * senses[0], -3.0 * senses[0])}, State(0.0, angles))
