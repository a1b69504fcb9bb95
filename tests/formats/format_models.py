"""The models on which every format is tried: all fixtures, the least model of each feature, random models."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from random import Random

import pytest
from hypothesis import strategies as st

from mbconcord.converters import registry
from mbconcord.converters.registry import Reading
from mbconcord.fixtures import folder
from mbconcord.model import (
    AddedInertia,
    Armature,
    Bipolar,
    Body,
    Bushing,
    Coordinate,
    Effort,
    ElasticModes,
    Flywheel,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    Mapped,
    Motion,
    Nonholonomic,
    Point,
    PointCoincidence,
    PointForce,
    Prescribed,
    Rod,
    System,
    Torsion,
    Wrench,
    translation,
)
from mbconcord.model.expressions import TIME, ZERO, as_expression, number, symbol
from mbconcord.model.transformation import vector
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.machines import random_constraints
from mbconcord.validation.strategies.special_trees import ball_joints, gyrostats, planar_system
from mbconcord.validation.strategies.strategies import systems

#: Formats that another program composes, of an extra; their own tests read facts.
COMPOSED = {"usd"}
#: The columns of the table: a format is covered by its name in the registry.
READ = tuple(name for name in registry.names() if registry.format_named(name).read is not None and name not in COMPOSED)
WRITTEN = tuple(name for name in registry.names() if registry.format_named(name).write is not None)
#: The same as parameters of tests, which read what is written.
COLUMNS = tuple(
    pytest.param(name, marks=pytest.mark.skipif(find_spec("pxr") is None, reason="usd-core is not installed"))
    if name in COMPOSED
    else name
    for name in WRITTEN
)

#: Every file of the fixtures whose suffix is a format's.
FIXTURES = tuple(
    sorted(
        path.relative_to(folder()).as_posix()
        for path in folder().rglob("*")
        if path.is_file() and registry.by_suffix(path.name) is not None
    )
)


def owner(fixture: str) -> str:
    """The name of the format of a fixture."""
    found = registry.by_suffix(fixture)
    assert found is not None
    return found.name


def contents(fixture: str) -> bytes:
    """The bytes of a fixture."""
    return (folder() / fixture).read_bytes()


@cache
def reading(fixture: str) -> Reading:
    """A fixture as it is read."""
    return registry.read(folder() / fixture, physics="ignore")  # the numbers of one are drawn: no wheel has them


BODY = Body("body1", None, (translation("x", "q1"),), Inertia(number(2), tensor=tuple(map(number, (1, 1, 1, 0, 0, 0)))))
#: A body that slides along x, without anything a format might not hold.
PLAIN = System("plain", (Coordinate("q1"),), (), (), Gravity(number("9.81"), vector((0, -1, 0))), (BODY,))

_AT, _GROUND = Point("body1", vector((0, 0, 1))), Point(None)
_DIAGONAL = [[as_expression(int(i == k)) for k in range(6)] for i in range(6)]


def _modes() -> ElasticModes:
    """One mode that moves the body's mass along y; the undeformed body is that of its inertia."""

    def zeros(rows: int, columns: int) -> list[list[int]]:
        return [[0] * columns for _ in range(rows)]

    half = number("0.5")
    whole = [[half, 0, 0], [0, half, 0], [0, 0, half]]
    moving = [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    return ElasticModes(
        ("e1",), zeros(1, 3), ((whole, zeros(3, 3)), (zeros(3, 3), moving)), [[1]], [[1]],
        (zeros(3, 3), zeros(3, 1), zeros(1, 1)),
    )  # fmt: skip


def _with(**parts: object) -> System:
    return replace(PLAIN, **parts)


def _carrying(**parts: object) -> System:
    return replace(PLAIN, bodies=(replace(BODY, **parts),))


#: feature -> the plain model with it and nothing else.
FEATURED: dict[str, System] = {
    "prescribed_motion": _carrying(joint=(translation("y", Prescribed(TIME)), *BODY.joint)),
    "mapped_motion": _carrying(joint=(translation("y", Mapped(3 * symbol("q1"))), *BODY.joint)),
    "joint_efforts": _with(forces=(JointEffort("q1", "q1", -symbol("q1")),)),
    "effort_drives": _with(coordinates=(Coordinate("q1", drive=Effort(-symbol("q1"))),)),
    "motion_drives": _with(coordinates=(Coordinate("q1", drive=Motion(number(1))),)),
    "bipolar_forces": _with(forces=(Bipolar("bipolar1", _AT, _GROUND, 1 - symbol("@")),)),
    "point_forces": _with(forces=(PointForce("f", _AT, vector((1, 2, 3))),)),
    "wrenches": _with(forces=(Wrench("f", _AT, vector((1, 2, 3)), vector((3, 2, 1))),)),
    "follower_forces": _with(forces=(PointForce("f", _AT, vector((1, 2, 3)), "body"),)),
    "kinematic_words": _with(forces=(JointEffort("q1", "q1", -symbol("vy(body1)")),)),
    "bushings": _with(forces=(Bushing("f", Frame(None), Frame("body1"), _DIAGONAL, preload=range(6)),)),
    "torsions": _with(forces=(Torsion("f", Frame(None), Frame("body1"), 1 - symbol("@")),)),
    "rods": _with(constraints=(Rod("rod1", _AT, _GROUND, number(2)),)),
    "point_coincidences": _with(constraints=(PointCoincidence("c", _AT, _GROUND),)),
    "cut_joints": _with(
        constraints=(FrameCoincidence("closure1", Frame("body1", (translation("z", "free"),)), Frame(None)),)
    ),
    "holonomic_rows": _with(constraints=(Holonomic("c", symbol("q1") - TIME),)),
    "nonholonomic_rows": _with(constraints=(Nonholonomic("c", {"q1": number(1)}, ZERO),)),
    "added_inertia": _carrying(added_inertia=AddedInertia(_DIAGONAL)),
    "flywheels": _carrying(flywheels=(Flywheel("rotor", (), BODY.inertia, TIME),)),
    "elastic_modes": _with(coordinates=(*PLAIN.coordinates, Coordinate("e1")), bodies=(replace(BODY, modes=_modes()),)),
    "armatures": _with(armatures=(Armature("rotor", number("0.1"), {"q1": number(3)}),)),
}


def closed(seed: int) -> System:
    """A random planar linkage or spatial forest with constraints that hold at a state of it."""
    drawn = draw(planar_system(seed, 2 + seed % 3, spatial=seed % 2 == 0), 1, seed)
    random, (start,) = Random(seed), drawn.states
    start = replace(start, q={name: random.uniform(-2, 2) for name in start.q})
    return random_constraints(seed, drawn.system, start, most=2)


_SEEDS = st.integers(0, 9999)
#: How many models of a family a format is tried on.
EXAMPLES = 10
#: The random models of :mod:`mbconcord.validation.strategies`.
RANDOM: dict[str, st.SearchStrategy[System]] = {
    "trees": systems(max_bodies=5),
    "carriers": systems(max_bodies=3, flywheels=True, added_inertia=True),
    "planar": _SEEDS.map(lambda seed: planar_system(seed, 1 + seed % 4)),
    "closed": _SEEDS.map(closed),
    "gyrostats": st.builds(gyrostats),
    "ball joints": st.builds(ball_joints),
}
