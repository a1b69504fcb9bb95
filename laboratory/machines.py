"""Machines of the laboratory: fixtures, those that papers print, long branched chains of beams for stability and speed.

Chains of four-bars (A02 of the IFToMM benchmark): rods of 1 m, 1 kg that pass positions with all in line.

The example of Sargsyan, Stepanyan & Gevorgyan 2005, section 4, and what its text leaves open as variants.
Base – 1 – 2 – 3, and 4 in the middle of 2: thin round rods, all of them along x where q = 0; link 2 bends. Torques of
1 N m turn the first three joints, and joint 4 has the acceleration 100 rad/s². The figures of the text are lost; the
assumptions are those of docs/elastic.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from math import cos, pi, sin
from random import Random
from typing import Any

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import Body, Coordinate, Effort, ElasticModes, Gravity, Inertia, Motion, Point, State, System
from mbconcord.model.beams import ClampedFree, Mode, beam, bending, power, round_section, static
from mbconcord.model.body import tensor
from mbconcord.model.constraint import PointCoincidence
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import as_expression
from mbconcord.model.transformation import rotation, shift, translation, vector
from mbconcord.records import dataclass, field


def fixture(file: str) -> System:
    """Read a model of the fixtures: ``robots/ur5.mbsd``."""
    return read(folder() / file).system


GRAVITY = Gravity(as_expression(9.81), (as_expression(0), as_expression(-1), as_expression(0)))
DOWN = Gravity(as_expression(9.81), vector((0, 0, -1)))


def rod(length: Fraction = Fraction(1)) -> Inertia:
    """Return a uniform rod of 1 kg along x."""
    across = length * length / 12
    return Inertia(as_expression(1), vector((length / 2, 0, 0)), tensor((0, across, across, 0, 0, 0)))


def four_bars(n: int) -> System:
    """Build n cranks and a last one hinged at (i, 0), with couplers closed at the next tip; all of 1 m."""
    bodies, start, loops = [], dict[str, float](), []
    for i in range(n + 1):
        bodies.append(Body(f"crank{i}", None, (*shift((i, 0, 0)), rotation("z", f"a{i}")), rod()))
        start[f"a{i}"] = pi / 2
        if i < n:
            bodies.append(Body(f"coupler{i}", f"crank{i}", (*shift((1, 0, 0)), rotation("z", f"b{i}")), rod()))
            start[f"b{i}"] = -pi / 2
            loops.append((f"coupler{i}", (1, 0, 0), f"crank{i + 1}", (1, 0, 0)))
    return _closed(f"{n} four-bars", start, bodies, loops)


def serial_four_bars(n: int) -> System:
    """Build the same machine as one chain of couplers; every crank but the first hangs on it, cut at its hinge."""
    bodies = [Body("crank0", None, (rotation("z", "a0"),), rod())]
    start, loops, parent = {"a0": pi / 2}, [], "crank0"
    for i in range(n):
        bodies.append(Body(f"coupler{i}", parent, (*shift((1, 0, 0)), rotation("z", f"b{i}")), rod()))
        bodies.append(Body(f"crank{i + 1}", f"coupler{i}", (*shift((1, 0, 0)), rotation("z", f"a{i + 1}")), rod()))
        start |= {f"b{i}": 0 if i else -pi / 2, f"a{i + 1}": -pi / 2}
        loops.append((f"crank{i + 1}", (1, 0, 0), None, (i + 1, 0, 0)))
        parent = f"coupler{i}"
    return _closed(f"{n} serial", start, bodies, loops)


def upright(n: int, speed: float = 1.0) -> State:
    """Return the state of :func:`four_bars` with upright cranks whose tips move to the right."""
    q = {f"a{i}": pi / 2 for i in range(n + 1)} | {f"b{i}": -pi / 2 for i in range(n)}
    v = {f"a{i}": -speed for i in range(n + 1)} | {f"b{i}": speed for i in range(n)}
    return State(q=q, v=v)


def serial_upright(n: int, speed: float = 1.0) -> State:
    """Return the same state of :func:`serial_four_bars`."""
    v = {"a0": -speed, "b0": speed} | {f"a{i}": -speed for i in range(1, n + 1)}
    return State(v=v | {f"b{i}": 0.0 for i in range(1, n)})


def delta() -> System:
    """Build a delta robot: arms, forearms with mass on universal joints, a platform that shifts alone."""
    bodies = [Body("platform", None, tuple(translation(x, x) for x in "xyz"), rod(Fraction(1, 10)))]
    start, loops = {"x": 0, "y": 0, "z": -0.8}, []
    for i, angle in enumerate((0, 2 * pi / 3, 4 * pi / 3)):
        hip = (rotation("z", angle), translation("x", 0.2), rotation("y", f"a{i}"))
        universal = (translation("x", 0.3), rotation("y", f"b{i}"), rotation("z", f"c{i}"))
        bodies.append(Body(f"arm{i}", None, hip, rod()))
        bodies.append(Body(f"forearm{i}", f"arm{i}", universal, rod(Fraction(83, 100))))
        start |= {f"a{i}": 0.3, f"b{i}": 1.8, f"c{i}": 0}
        loops.append((f"forearm{i}", (0.83, 0, 0), "platform", (cos(angle) / 20, sin(angle) / 20, 0)))
    return _closed("delta", start, bodies, loops, DOWN)


def stewart() -> System:
    """Build a Stewart platform: it moves freely on six legs, cylinders on universal joints and pistons."""
    free = (*(translation(x, x) for x in "xyz"), *(rotation(x, f"r{x}") for x in "xyz"))
    heavy = Inertia(as_expression(10), vector((0, 0, 0)), tensor((1, 1, 2, 0, 0, 0)))
    bodies, loops = [Body("platform", None, free, heavy)], []
    start = {x: float(x == "z") for x in (*"xyz", "rx", "ry", "rz")}
    for i in range(6):
        foot, top = (pi / 3 * (i + side * (-1) ** i) for side in (0.3, -0.3))
        foot, top = (cos(foot), sin(foot), 0), (0.5 * cos(top), 0.5 * sin(top), 0)
        universal = (*shift(foot), rotation("y", f"a{i}"), rotation("z", f"b{i}"))
        bodies.append(Body(f"cylinder{i}", None, universal, rod()))
        bodies.append(Body(f"piston{i}", f"cylinder{i}", (translation("x", f"s{i}"),), rod(Fraction(-1, 2))))
        x, y, length = top[0] - foot[0], top[1] - foot[1], math.dist((*top[:2], 1), foot)
        start |= {f"a{i}": math.atan2(-1, x), f"b{i}": math.asin(y / length), f"s{i}": length}
        loops.append((f"piston{i}", (0, 0, 0), "platform", top))
    return _closed("Stewart platform", start, bodies, loops, DOWN)


def _closed(
    name: str, start: Mapping[str, float], bodies: list[Body], loops: list[Any], gravity: Gravity = GRAVITY
) -> System:
    """Build a machine of its coordinates and where they begin, bodies, and bodies' points that coincide."""
    points = ((Point(a, vector(at)), Point(b, vector(there))) for a, at, b, there in loops)
    constraints = tuple(PointCoincidence(f"loop{i}", *ends) for i, ends in enumerate(points))
    coordinates = tuple(Coordinate(x, position=as_expression(value)) for x, value in start.items())
    return System(name, coordinates, gravity=gravity, bodies=tuple(bodies), constraints=constraints)


#: Radius (m), density (kg/m³), Young's modulus (Pa), lengths of the links (m).
RADIUS, DENSITY, YOUNG = 0.003, 7800, 2e11
LENGTHS = (0.1, 0.35, 0.35, 0.35)
#: Torque of the first three joints (N m), acceleration of the fourth (rad/s², or m/s² where it slides).
TORQUE, ACCELERATION = 1, 100
#: The state at which vectors of the moving machine are given, beside rest.
MOVING = State(
    0.0,
    {"q1": 0.2, "q2": -0.3, "q3": 0.8, "q4": 0.125, "e1": -0.002},
    {"q1": 3.0, "q2": -5.0, "q3": 12.0, "q4": 5.0, "e1": 0.4},
)


@dataclass(frozen=True)
class Variant:
    """Choices that the text leaves open: modes of link 2, options of its beam, gravity, the kind of joint 4, equations.

    ``thick``: sections of the rigid rods have inertia too.
    """

    modes: tuple[Mode, ...] = (bending(2, ClampedFree(1)),)
    options: Mapping[str, Any] = field(default_factory=dict)
    gravity: Gravity | None = None
    slides: bool = False
    stiff: bool = False
    thick: bool = False
    form: str = "full"


#: The first is what the fixture four_links holds.
VARIANTS: dict[str, Variant] = {
    "as assumed": Variant(),
    "two clamped-free modes": Variant((bending(2, ClampedFree(1)), bending(2, ClampedFree(2)))),
    "three clamped-free modes": Variant(tuple(bending(2, ClampedFree(k)) for k in (1, 2, 3))),
    "shape x^2": Variant((bending(2, power(2)),)),
    "shapes x^2, x^3": Variant((bending(2, power(2)), bending(2, power(3)))),
    "line of a force at the tip": Variant((bending(2, static()),)),
    "link 2 rigid": Variant(stiff=True),
    "rotary inertia": Variant(options={"rotary": True}, thick=True),
    "inertia of the undeformed link": Variant(form="frozen"),
    "stiffened": Variant(options={"stiffened": True}),
    "gravity along -y": Variant(gravity=Gravity(as_expression(9.81), vector((0, -1, 0)))),
    "joint 4 slides across link 2": Variant(slides=True),
}


def four_links(name: str = "as assumed") -> System:
    """Build the machine in a variant."""
    chosen = VARIANTS[name]
    names = [f"e{k + 1}" for k in range(len(chosen.modes))]
    inertia, modes = beam(
        LENGTHS[1], round_section(RADIUS), dict(zip(names, chosen.modes, strict=True)), young=YOUNG, density=DENSITY,
        nodes={"tip": LENGTHS[1], "mid": LENGTHS[1] / 2}, **chosen.options,
    )  # fmt: skip
    rod = partial(round_rod, section=RADIUS**2 / 4 if chosen.thick else 0.0)
    across = (rotation("z", math.pi / 2), translation("x", "q4"))
    bodies = (
        Body("1", None, (rotation("z", "q1"),), rod(LENGTHS[0])),
        Body("2", "1", (translation("x", LENGTHS[0]), rotation("z", "q2")), inertia, modes=modes),
        Body("3", "2", (rotation("z", "q3"),), rod(LENGTHS[2]), parent_node="tip"),
        Body("4", "2", across if chosen.slides else (rotation("z", "q4"),), rod(LENGTHS[3]), parent_node="mid"),
    )
    coordinates = (
        *(Coordinate(f"q{k}", drive=Effort(as_expression(TORQUE))) for k in (1, 2, 3)),
        Coordinate("q4", drive=Motion(as_expression(ACCELERATION))),
        *map(Coordinate, names),
    )
    made = System("four links", coordinates, gravity=chosen.gravity, bodies=bodies)
    return rigid(made) if chosen.stiff else made


def round_rod(length: float, section: float) -> Inertia:
    """Return a rigid rod along x; ``section`` is the square of its section's radius of gyration (m²), 0: thin."""
    mass = DENSITY * math.pi * RADIUS**2 * length
    about = mass * (length**2 / 3 + section)
    return Inertia.about_origin(mass, (length / 2, 0, 0), (2 * mass * section, about, about))


def soft_arm() -> System:
    """Read an elastic arm with everything: bending both ways, torsion, extension, rotary inertia and damping.

    At the tip of the nodal beam is a rotation about a general axis, near its middle a slide; on the rotation a beam
    along another axis. Forces at nodes, between nodes and the ground, and along a mode.
    """
    return fixture("elastic/soft_arm.mbs.json")


def elastic_chain(count: int) -> System:
    """Build a branched chain of beams, two bending modes each: every third hangs at the middle of the last but one.

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
        drive = (
            Motion(as_expression(random.uniform(-1, 1))) if k % 3 == 1 else Effort(as_expression(random.uniform(-1, 1)))
        )
        coordinates += [Coordinate(f"q{k}", drive=drive), Coordinate(f"a{k}"), Coordinate(f"b{k}")]
    return System("chain", tuple(coordinates), gravity=DOWN, bodies=tuple(bodies))


def elastic_arm(count: int) -> System:
    """Build an arm of beams in series, two bending modes each, with joints about two transverse axes in turn."""
    inertia, modes = _link()
    bodies, coordinates = [], []
    for k in range(count):
        own = replace(modes, coordinates=(f"a{k}", f"b{k}"))
        parent, node = (f"L{k - 1}", "tip") if k else (None, None)
        joint = (rotation("zy"[k % 2], f"q{k}"),)
        bodies.append(Body(f"L{k}", parent, joint, inertia, modes=own, parent_node=node))
        coordinates += [*map(Coordinate, (f"q{k}", f"a{k}", f"b{k}"))]
    return System("arm", tuple(coordinates), gravity=DOWN, bodies=tuple(bodies))


@cache
def _link() -> tuple[Inertia, ElasticModes]:
    return beam(
        0.5, round_section(0.01), {"a": bending(2, power(2)), "b": bending(3, power(2))},
        young=7e10, density=2700, nodes={"tip": 0.5, "mid": 0.25}, rotary=True,
    )  # fmt: skip


def small_state(system: System, seed: int) -> State:
    """Draw a state with modal coordinates of a few millimetres and milliradians, as linear modes require."""
    random = Random(seed)
    modal = {name for body in system.bodies for name in body.modal}

    def draw_values(joint: float, mode: float) -> dict[str, float]:
        return {name: random.uniform(-1, 1) * (mode if name in modal else joint) for name in system.coordinate_names}

    return State(0.0, draw_values(2.0, 3e-3), draw_values(2.0, 0.1), draw_values(5.0, 1.0))
