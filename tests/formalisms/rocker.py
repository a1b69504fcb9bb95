"""Two bodies in space that move against each other in every way, and a state of them, for tests of constraints."""

from __future__ import annotations

from mbconcord.model import Body, Coordinate, Inertia, Point, State, System, rotation, translation
from mbconcord.model.expressions import TIME, sin


def rocker() -> System:
    """Two bodies in space that move against each other in every way."""
    joints = (
        (translation("x", "a"), rotation("y", "b"), rotation("z", "c")),
        (translation("z", 0.3 * sin(TIME)), rotation("x", "d"), translation("y", "e"), rotation((1, 2, 2), "f")),
    )
    bodies = tuple(
        Body(f"body{i}", None, joint, Inertia(1 + i, (0.1, 0.2, -0.1), (0.3, 0.4, 0.5, 0.01, 0.02, 0.03)))
        for i, joint in enumerate(joints, 1)
    )
    return System("rocker", tuple(map(Coordinate, "abcdef")), bodies=bodies)


STATE = State(
    0.4,
    dict(zip("abcdef", (0.3, -0.5, 0.8, 0.2, -0.7, 0.9), strict=True)),
    dict(zip("abcdef", (0.7, 0.4, -0.6, 1.1, 0.3, -0.8), strict=True)),
)


ENDS = (Point("body1", (0.4, -0.2, 0.3)), Point("body2", (0.1, 0.5, -0.3)))
