"""Elastic machines: an arm with everything for faults, long branched chains of beams for stability and speed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import Body, Coordinate, Effort, ElasticModes, Gravity, Inertia, Motion, State, System, rotation
from mbconcord.model.beams import beam, bending, power, round_section
from mbconcord.model.expressions import as_expression
from mbconcord.model.transformation import vector


def soft_arm() -> System:
    """Read an elastic arm with everything: bending both ways, torsion, extension, rotary inertia and damping.

    At the tip of the nodal beam is a rotation about a general axis, near its middle a slide; on the rotation a beam
    along another axis. Forces at nodes, between nodes and the ground, and along a mode.
    """
    return read(folder("elastic") / "soft_arm.mbs.json").system


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
