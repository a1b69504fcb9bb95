"""Elastic trees: random ones for agreement, and long branched chains of beams for stability and speed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

from mbconcord.model import (
    Body,
    Coordinate,
    Effort,
    ElasticModes,
    Gravity,
    Inertia,
    Motion,
    State,
    System,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.beams import ClampedFree, Mode, Sine, axial, beam, bending, power, round_section, torsion
from mbconcord.model.transformation import ElementaryTransformation

from .choices import Choices, Seeded
from .inertia import random_tensor

AXES = ("x", "y", "z", "-x", "-y", "-z")
#: Modes that are drawn, in the order in which they join a beam.
MODES: tuple[Mode, ...] = (
    bending(2, ClampedFree(1)), bending(3, power(2)), torsion(Sine(1)), bending(2, power(3)), axial(power(1)),
)  # fmt: skip


def elastic_tree(seed: int, bodies: int, imposed: bool = False) -> System:
    """A branched tree of rigid and elastic bodies: 1 to 4 modes each, children at nodes and at frames, any joints.

    ``imposed``: drives impose the accelerations of some joints (χ = 1). Every body has mass, so M is regular.
    """
    c = Choices(Seeded(seed))
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
            drive = None
            if imposed and c.once_in(2):
                drive = Motion(c.decimal(-5, 5))
            elif c.once_in(2):
                drive = Effort(c.decimal(-2, 2))
            coordinates.append(Coordinate(name, drive=drive))
        elastic = c.once_in(2) or i == bodies - 1
        node = c.pick(("mid", "tip")) if parent and parent.modes and not c.once_in(4) else None
        modes: ElasticModes | None = None
        if elastic:
            inertia, modes = _beam(c, f"e{i + 1}_")
            coordinates += [Coordinate(n) for n in modes.coordinates]
        else:
            inertia = Inertia(c.positive(), c.point(), random_tensor(c))
        made.append(
            Body(
                f"b{i + 1}",
                parent.name if parent else None,
                tuple(joint),
                inertia,
                modes=modes,
                parent_node=node,
            )
        )
    down = c.direction()
    return System("elastic", tuple(coordinates), gravity=Gravity(9.81, down), bodies=tuple(made))


def _axis(c: Choices, number: int) -> tuple[int, int, int]:
    """Directions no two of which in a row are parallel."""
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


def elastic_chain(count: int) -> System:
    """A branched chain of beams, two bending modes each: every third hangs in the middle of the last but one.

    Every third joint has an imposed acceleration, the others an effort.
    """
    inertia, modes = _link()
    random = Random(1)
    bodies, coordinates = [], []
    for k in range(count):
        parent = None if not k else f"L{k - 2 if k % 3 == 2 else k - 1}"
        node = None if not k else "mid" if k % 3 == 2 else "tip"
        axis = tuple(round(random.gauss(0, 1), 3) for _ in range(3))
        own = replace(modes, coordinates=(f"a{k}", f"b{k}"))
        bodies.append(Body(f"L{k}", parent, (rotation(axis, f"q{k}"),), inertia, modes=own, parent_node=node))
        drive = Motion(random.uniform(-1, 1)) if k % 3 == 1 else Effort(random.uniform(-1, 1))
        coordinates += [Coordinate(f"q{k}", drive=drive), Coordinate(f"a{k}"), Coordinate(f"b{k}")]
    return System("chain", tuple(coordinates), gravity=Gravity(9.81, (0, 0, -1)), bodies=tuple(bodies))


@cache
def _link() -> tuple[Inertia, ElasticModes]:
    return beam(
        0.5, round_section(0.01), {"a": bending(2, power(2)), "b": bending(3, power(2))},
        young=7e10, density=2700, nodes={"tip": 0.5, "mid": 0.25}, rotary=True,
    )  # fmt: skip


def small_state(system: System, seed: int) -> State:
    """A state whose modal coordinates are a few millimetres and milliradians, as linear modes want them."""
    random = Random(seed)
    modal = {name for body in system.bodies for name in body.modal}

    def drawn(joint: float, mode: float) -> dict[str, float]:
        return {
            name: random.uniform(-1, 1) * (mode if name in modal else joint)
            for name in system.coordinate_names
        }

    return State(0.0, drawn(2.0, 3e-3), drawn(2.0, 0.1), drawn(5.0, 1.0))
