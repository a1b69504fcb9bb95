"""Elastic machines: an arm with everything for faults, long branched chains of beams for stability and speed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

from mbconcord.model import (
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Effort,
    ElasticModes,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Motion,
    Point,
    PointForce,
    State,
    System,
    Wrench,
    rotation,
    shift,
    translation,
)
from mbconcord.model.beams import ClampedFree, Sine, axial, beam, bending, power, round_section, torsion, tubular
from mbconcord.model.body import tensor
from mbconcord.model.expressions import TIME, as_expression, sin, symbol
from mbconcord.model.transformation import vector


def soft_arm() -> System:
    """Build an elastic arm with everything: bending both ways, torsion, extension, rotary inertia and damping.

    At the tip of the nodal beam is a rotation about a general axis, near its middle a slide; on the rotation a beam
    along another axis. Forces at nodes, between nodes and the ground, and along a mode.
    """
    first = {
        "a1": bending(2, ClampedFree(1)), "a2": bending(3, power(2)), "a3": torsion(Sine(1)), "a4": axial(power(1)),
    }  # fmt: skip
    nodal, modes = beam(
        0.9, round_section(0.15), first, young=3e5, density=2500, nodes={"mid": 0.4, "tip": 0.9},
        damping=0.04, rotary=True,
    )  # fmt: skip
    leaf, own = beam(
        0.6, tubular(0.03, 0.02), {"b1": bending(3, power(3)), "b2": bending(3, power(2))}, young=5e7, density=1800,
        axis="-y", nodes={"end": 0.6}, damping=((0.3, 0.1), (0.1, 0.4)),
    )  # fmt: skip
    bodies = (
        Body(
            "post", None, (rotation((1, 2, 2), "turn"),),
            _solid(2, (0.1, 0.2, 0.3), (1, 2, 2.5, 0.1, -0.2, 0.3)),
        ),
        Body(
            "boom", "post", (*shift((0.2, -0.1, 0.3)), rotation((3, 0, 4), "lift")), nodal, modes=modes
        ),
        Body(
            "hook", "boom", (*shift((0.1, 0.2, -0.1)), rotation((2, -1, 2), Constant(as_expression(0.7))),
             rotation("y", "swing")),
            _solid(0.8, (0.2, -0.1, 0.1), (0.1, 0.2, 0.25, 0.01, 0, 0.02)), parent_node="tip",
        ),
        Body(
            "trolley", "boom", (*shift((0, 0.3, 0.1)), rotation((1, 1, 0), Constant(as_expression(0.4))),
             translation("z", "slide")),
            _solid(0.6, (0.1, 0.1, -0.2), (0.08, 0.1, 0.12)), parent_node="mid",
        ),
        Body("whip", "hook", (*shift((0.3, 0, 0.1)), rotation((0, 1, 1), "nod")), leaf, modes=own),
        Body("lamp", "boom", shift((0, 0, 0.2)), _solid(0.3, (0, 0.1, 0), (0.01, 0.01, 0.02)), parent_node="tip"),
    )  # fmt: skip
    names = ("turn", "lift", "a1", "a2", "a3", "a4", "swing", "slide", "nod", "b1", "b2")
    tip, middle, end = (
        Point("boom", vector((0.9, 0, 0))),
        Point("boom", vector((0.4, 0, 0))),
        Point("whip", vector((0, -0.6, 0))),
    )
    spring = LinearLaw(k=as_expression(20), l0=as_expression(0.5), d=as_expression(3))
    forces = (
        Wrench("push", tip, vector((3, -1, symbol("lift'"))), vector((0.5, -0.7, 0.9))),
        PointForce("wind", end, vector((1, 2, sin(TIME)))),
        Bipolar("cable", Point(None, vector((1, 2, -1))), middle, spring),
        Bipolar("rope", Point("trolley", vector((0.1, 0, 0.2))), end, spring),
        JointEffort("piezo", "a2", 2 * sin(TIME) - symbol("a2'")),
        JointEffort("motor", "swing", 1 - symbol("swing'") / 5),
    )
    coordinates = tuple(Coordinate(name) for name in names)
    gravity = Gravity(as_expression(9.81), vector((1, -2, -6)))
    return System("soft arm", coordinates, gravity=gravity, bodies=bodies, forces=forces)


def _solid(mass: float, centre: tuple[float, ...], moments: tuple[float, ...]) -> Inertia:
    return Inertia(as_expression(mass), vector(centre), tensor(map(as_expression, moments)))


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
    return System(
        "chain", tuple(coordinates), gravity=Gravity(as_expression(9.81), vector((0, 0, -1))), bodies=tuple(bodies)
    )


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
    gravity = Gravity(as_expression(9.81), vector((0, 0, -1)))
    return System("arm", tuple(coordinates), gravity=gravity, bodies=tuple(bodies))


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
