"""Joints that move freely: a body of the world in six coordinates, a ball in three."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from mbconcord.model import Body, ElementaryTransformation

from ..vocabulary import BALL, FREE


@dataclass(frozen=True)
class Group:
    """The coordinates of one free or ball joint, and where they stand in the joint of the body."""

    name: str
    kind: str
    first: int
    coordinates: tuple[str, ...]


def group(body: Body, order: Sequence[str], apart: Set[str]) -> Group | None:
    """The free or ball joint that a body's coordinates are; None where they are written one by one.

    They are called as they would be read, and stand together in ``order``; none of them is one of ``apart``, of which
    something is said by itself.
    """
    names = body.coordinates
    for kind, endings, axes in (("free", FREE, "xyzzyx"), ("ball", BALL, "zyx")):
        if len(names) < len(endings):
            continue
        own = names[-len(endings) :]
        name = own[0].removesuffix(endings[0])
        if own != tuple(name + ending for ending in endings) or {*own} & apart:
            continue
        at = order.index(own[0])
        first = next(i for i, et in enumerate(body.joint) if et.coordinate == own[0])
        moving = body.joint[first : first + len(endings)]
        if tuple(order[at : at + len(endings)]) != own or not _along(moving, axes, kind):
            continue
        after = body.joint[first + len(endings) :]
        if kind == "free" and (body.parent is not None or after or len(names) > 6):
            continue
        if kind == "ball" and any(not et.is_translation or et.coordinate for et in after):
            continue
        return Group(name, kind, first, own)
    return None


def _along(moving: Sequence[ElementaryTransformation], axes: str, kind: str) -> bool:
    """Whether transformations are those of the joint, without constants between them."""
    if len(moving) != len(axes):
        return False
    slides = 3 if kind == "free" else 0
    return all(
        et.coordinate and et.is_translation == (i < slides) and [str(x) for x in et.axis] == _unit(axis)
        for i, (et, axis) in enumerate(zip(moving, axes, strict=True))
    )


def _unit(axis: str) -> list[str]:
    return ["1" if a == axis else "0" for a in "xyz"]
