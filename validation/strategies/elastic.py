"""Random elastic trees."""

from __future__ import annotations

from mbconcord.model import (
    Body,
    Coordinate,
    Effort,
    ElasticModes,
    Gravity,
    Inertia,
    Motion,
    System,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.beams import ClampedFree, Mode, Sine, axial, beam, bending, power, round_section, torsion
from mbconcord.model.expressions import as_expression
from mbconcord.model.transformation import ElementaryTransformation, vector

from .choices import Choices, Seeded
from .trees import random_tensor

AXES = ("x", "y", "z", "-x", "-y", "-z")
#: Modes that are drawn, in the order in which they join a beam.
MODES: tuple[Mode, ...] = (
    bending(2, ClampedFree(1)), bending(3, power(2)), torsion(Sine(1)), bending(2, power(3)), axial(power(1)),
)  # fmt: skip


def elastic_tree(seed: int, bodies: int, imposed: bool = False) -> System:
    """Build a branched tree of rigid and elastic bodies: 1 to 4 modes each, children at nodes and frames, any joints.

    ``imposed``: drives impose the accelerations of some joints (χ = 1). Every body has mass, so M is regular.
    """
    return build_elastic(Choices(Seeded(seed)), bodies, imposed)


def build_elastic(c: Choices, bodies: int, imposed: bool = False) -> System:
    """Build an elastic tree of that many bodies from choices; see :func:`elastic_tree`."""
    names: list[str] = []
    made: list[Body] = []
    coordinates: list[Coordinate] = []
    for i in range(bodies):
        parent = None if not i else made[i - 1 if c.once_in(2) else c.integer(0, i - 1)]
        joint: list[ElementaryTransformation] = [*_offset(c)]
        for _ in range(c.pick((1, 1, 2)) if not c.once_in(6) or not i else 0):
            name = f"q{len(names) + 1}"
            names.append(name)
            make = translation if c.once_in(3) else rotation
            joint.append(make(_axis(c, len(names)), name))
            drive: Effort | Motion | None = None
            if imposed and c.once_in(2):
                drive = Motion(as_expression(c.decimal(-5, 5)))
            elif c.once_in(2):
                drive = Effort(as_expression(c.decimal(-2, 2)))
            coordinates.append(Coordinate(name, drive=drive))
        elastic = c.once_in(2) or i == bodies - 1
        node = c.pick(("mid", "tip")) if parent and parent.modes and not c.once_in(4) else None
        modes: ElasticModes | None = None
        if elastic:
            inertia, modes = _beam(c, f"e{i + 1}_")
            coordinates += [Coordinate(n) for n in modes.coordinates]
        else:
            inertia = Inertia(as_expression(c.positive()), vector(c.point()), random_tensor(c))
        made.append(
            Body(f"b{i + 1}", parent.name if parent else None, tuple(joint), inertia, modes=modes, parent_node=node)
        )
    down = c.direction()
    return System("elastic", tuple(coordinates), gravity=Gravity(as_expression(9.81), vector(down)), bodies=tuple(made))


def _axis(c: Choices, number: int) -> tuple[int, int, int]:
    """Pick directions; successive ones are never parallel."""
    x, y, z = c.direction()
    return (x, y, z) if number % 2 else (z + 2 * y, x, y + x or 1)


def _offset(c: Choices) -> list[ElementaryTransformation]:
    found = list(shift(tuple(x / 3 for x in c.point()))) if c.once_in(2) else []
    if c.once_in(2):
        found.append(rotation(c.direction(), c.decimal(-2, 2)))
    return found


def _beam(c: Choices, stem: str) -> tuple[Inertia, ElasticModes]:
    count = c.pick((1, 2, 3, 4))
    chosen = list(MODES)
    while len(chosen) > count:
        chosen.pop(c.integer(0, len(chosen) - 1))
    return beam(
        c.pick((1, 0.5, 0.8)), round_section(c.pick((0.02, 0.03, 0.015))),
        {f"{stem}{k + 1}": mode for k, mode in enumerate(chosen)},
        young=7e8, density=2700, axis=c.pick(AXES), nodes={"mid": 0.3, "tip": 0.5},
        damping=c.pick((0.02, 0.0)), rotary=c.once_in(3),
    )  # fmt: skip
