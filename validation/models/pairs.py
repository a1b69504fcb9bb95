"""Joints of several coordinates: ball joints, motions that share an axis, turned axes, a ring without mass."""

from __future__ import annotations

from mbconcord.model import (
    Body,
    Coordinate,
    Gravity,
    Inertia,
    Prescribed,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import TIME, as_expression, sin
from mbconcord.model.inertia import tensor
from mbconcord.model.transformation import vector


def ball_joints() -> System:
    """Three angles about x, y, z in one joint, alone and after shifts; bodies with principal axes along their own.

    At the end of the tree stand joints of one angle before or after two that are constant.
    """
    turns = [tuple(rotation(axis, f"{axis}{i}") for axis in "xyz") for i in (1, 2)]
    bodies = (
        Body("hip", None, (translation("x", "s1"), translation("z", "s2"), *turns[0]),
             _inertia(3, (0.2, -0.1, 0.3), (0.5, 0.7, 0.9))),
        Body("thigh", "hip", (*shift((0.4, -0.3, 0.2)), *turns[1]), _inertia(2, (-0.1, 0.3, 0.2), (0.3, 0.2, 0.4))),
        Body("foot", "thigh", (translation("y", "s3"), rotation("x", 0.4), rotation("y", "knee"),
                               rotation("y", Prescribed(sin(2 * TIME))), rotation("y", 0.3)),
             _inertia(1, (0.1, 0.2, -0.4), (0.1, 0.2, 0.15, 0.02, -0.01, 0.03))),
        Body("toe", "foot", (translation((0, 0, -1), Prescribed(TIME * TIME)), rotation("x", "bend")),
             _inertia(1, (0.2, 0.1, -0.1), (0.1, 0.2, 0.15, 0, 0, 0.03))),
        Body("claw", "toe", (*shift((0.3, 0.1, -0.2)), rotation("x", 0.5), rotation("y", -0.7), rotation("z", "grip")),
             _inertia(1, (0.1, -0.2, 0.1), (0.2, 0.1, 0.25, 0.01, 0.02, -0.03))),
        Body("nail", "claw", (*shift((0.1, 0.2, 0.1)), rotation("x", "turn"), rotation("y", 0.6), rotation("z", -0.4)),
             _inertia(1, (-0.1, 0.1, 0.2), (0.1, 0.15, 0.2, 0, 0.01, 0.02))),
        Body("ring", "toe", (rotation("y", 0.3),), _inertia(0, (0, 0, 0), (0.1, 0.2, 0.15))),
    )  # fmt: skip
    names = ("s1", "s2", "x1", "y1", "z1", "x2", "y2", "z2", "s3", "knee", "bend", "grip", "turn")
    gravity = Gravity(as_expression(9.81), vector((1, -2, -6)))
    return System("ball joints", tuple(map(Coordinate, names)), gravity=gravity, bodies=bodies)


def _inertia(mass: int, centre: tuple[float, ...], moments: tuple[float, ...]) -> Inertia:
    return Inertia(as_expression(mass), vector(centre), tensor(moments))
