"""Simple images, so that a user sees something: a rod along a body to or from a joint, else a ball.

Images have no effect on the motion.
"""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model import Body, Constant, ElementaryTransformation, System
from mbconcord.model.expressions import ZERO
from mbconcord.model.transformation import Vector

from ..document import Block
from .fields import Fields, block, quoted
from .printer import formula, unconfirmed

#: Radius of rods and of balls (m).
ROD, BALL = "0.02", "0.05"
_PLACE = [(f"p{k}{axis}", "") for k in (1, 2) for axis in "xyz"]
#: The turn that takes +z, along which UM's cylinders lie, to an axis: number of the axis of rotation, degrees.
_TURNS = {
    (0, 1): ("2", "90"),
    (0, -1): ("2", "-90"),
    (1, 1): ("1", "-90"),
    (1, -1): ("1", "90"),
    (2, -1): ("1", "180"),
}


def image(body: Body, system: System, fields: Fields) -> Block:
    """The image of a body: ``go`` with one element."""
    head = [("name", quoted(fields.names.body(body.name))), *_PLACE, *_angles()]
    return block("go", None, head, [_rod(body, system, fields) or _ball()])


def _rod(body: Body, system: System, fields: Fields) -> Block | None:
    """A cylinder from the body's origin back to its joint, or on to the joint of the first body it carries."""
    back = _along(reversed(body.joint))
    carried = system.children(body.name)
    onward = _along(carried[0].joint) if carried else None
    for shift, sign in ((back, -1), (onward, 1)):
        if shift is None:
            continue
        axis = [k for k in range(3) if shift[k]]
        if len(axis) != 1:
            continue
        length = fields.defined(shift[axis[0]])
        if length.op == "neg" or (length.op == "num" and length.value < 0):
            length, sign = -length, -sign
        if unconfirmed(length) is not None:
            continue
        turn = _TURNS.get((axis[0], sign))
        size = [
            ("h", formula(length, fields.names.parameters)),
            ("r1", ROD),
            ("r2", ROD),
            ("npc", "20"),
            ("npl", "2"),
        ]
        return _element("CYLINDER", turn, size)
    return None


def _along(items: Iterable[ElementaryTransformation]) -> Vector | None:
    """The sum of the constant shifts that come first; None when there are none."""
    total = [ZERO, ZERO, ZERO]
    for et in items:
        if not et.is_translation or not isinstance(et.motion, Constant):
            break
        total = [t + et.amount * part for t, part in zip(total, et.axis, strict=True)]
    return (total[0], total[1], total[2]) if any(total) else None


def _ball() -> Block:
    return _element("ELLIPSOID", None, [("abc", ",".join([BALL] * 3)), ("nm", "40"), ("nl", "25")])


def _element(kind: str, turn: tuple[str, str] | None, size: list[tuple[str, str]]) -> Block:
    """A graphical element: its place, its looks, its size."""
    looks = [("width", "1"), ("Density", "7800"), ("SurfaceWidth", "5"), ("WireSection", "5")]
    head = [("type", kind), ("VisibleSide", "vsFront"), ("material", "6520998,6520998,0,0,10,1")]
    return block("ge", None, [*head, *_PLACE, *_angles(turn), *looks, *size])


def _angles(turn: tuple[str, str] | None = None) -> list[tuple[str, str]]:
    axis, angle = turn or ("", "0")
    first = [("axis1", axis)] if turn else []
    return [*first, ("angle1", angle), ("angle2", "0"), ("angle3", "0")]
