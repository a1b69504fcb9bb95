"""Joints that close loops become cut joints: two frames coincide, the joint's own coordinates being auxiliary."""

from __future__ import annotations

from collections.abc import Collection

from mbconcord.model import ElementaryTransformation, Frame, FrameCoincidence

from .links import Link


def closures(cuts: list[Link], taken: Collection[str]) -> tuple[FrameCoincidence, ...]:
    """The cut joints; their coordinates are named c1_1, c1_2, … by number of joint and of coordinate."""
    made = []
    used = set(taken)
    for number, link in enumerate(cuts, 1):
        transformations: list[ElementaryTransformation] = []
        index = 0
        for step in link.steps:
            name = None
            if step.freedom is not None:
                index += 1
                name = f"c{number}_{index}"
                while name in used:
                    name += "_"
                used.add(name)
            transformations.append(step.transformation(name))
        made.append(
            FrameCoincidence(link.name, Frame(link.first, tuple(transformations)), Frame(link.second))
        )
    return tuple(made)
