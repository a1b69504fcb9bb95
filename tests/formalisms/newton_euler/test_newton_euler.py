"""Newton–Euler against closed forms of textbooks with time, wrenches and springs; what it does not take."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from laboratory.faults.models import subjects
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.formalisms.newton_euler.tree import alignment
from mbconcord.formalisms.registry import formalism
from mbconcord.model import (
    Bipolar,
    Body,
    Constant,
    Coordinate,
    Effort,
    Flywheel,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Point,
    PointForce,
    Prescribed,
    State,
    System,
    Wrench,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.expressions import PI_NODE, TIME, evaluate, rate, sin, symbol
from mbconcord.model.force import LENGTH, LENGTH_RATE
from mbconcord.model.transformation import unit_vector

from ..numbers import close, derived

NE = NewtonEuler()
ALL = ("M", "h", "gravity", "applied", "inverse_dynamics", "acceleration")

M, L, G, T, Z, V = 1.7, 0.8, 9.81, 0.6, 0.7, -1.3
HANGING = (rotation("z", "z"), translation("y", Constant(-L)))
DOWN = Gravity(G, (0, -1, 0))
S = sin(2 * TIME) / 5
S0, S1, S2 = math.sin(2 * T) / 5, 2 * math.cos(2 * T) / 5, -4 * math.sin(2 * T) / 5


def one(joint, inertia=None, forces=(), coordinate="z", gravity=None, drive=None):
    inertia = inertia or Inertia(M)
    return System("one", (Coordinate(coordinate, drive=drive),), gravity=gravity, forces=forces,
                  bodies=(Body("b", None, tuple(joint), inertia),))  # fmt: skip


def at(system, q=Z, v=V, a=0.0, **more):
    (name,) = system.coordinate_names
    found = derived(NE, system, State(T, {name: q}, {name: v}, {name: a}, **more))
    return {k: float(np.ravel(x)[0]) for k, x in found.items()}


PRESCRIBED = {
    # m l² z'' + m l s'' cos z = -m g l sin z: support moved sideways
    "support moved sideways": (
        one((translation("x", Prescribed(S)), *HANGING), gravity=DOWN),
        (M * L**2, M * L * S2 * math.cos(Z), -M * G * L * math.sin(Z)),
    ),
    "support moved along a general axis": (
        one((translation((3, 0, 4), Prescribed(S)), *HANGING), gravity=DOWN),
        (M * L**2, M * L * 0.6 * S2 * math.cos(Z), -M * G * L * math.sin(Z)),
    ),
    "bead on a turning rod": (
        one((rotation("z", Prescribed(S)), translation("x", "u")), coordinate="u"),
        (M, -M * Z * S1**2, 0),
    ),
    "pendulum on a turning shaft": (
        one((rotation("y", Prescribed(S)), *HANGING), gravity=DOWN),
        (M * L**2, -M * L**2 * S1**2 * math.sin(Z) * math.cos(Z), -M * G * L * math.sin(Z)),
    ),
    "arm of changing length": (
        one((rotation("z", "z"), translation("x", Prescribed(1 + S)))),
        (M * (1 + S0) ** 2, 2 * M * (1 + S0) * S1 * V, 0),
    ),
    "wheel spun on an arm": (
        one(
            (rotation("z", "z"), translation("x", Constant(L)), rotation("z", Prescribed(S))),
            Inertia(M, tensor=(0.2, 0.2, 0.3)),
        ),
        (M * L**2 + 0.3, 0.3 * S2, 0),
    ),
    # gyroscope: a symmetric rotor spun about x on a gimbal turning about z has no moment about z but from s''
    "rotor across the gimbal": (
        one((rotation("z", "z"), rotation("x", Prescribed(S))), Inertia(M, tensor=(0.5, 0.2, 0.3))),
        (0.2 * math.sin(S0) ** 2 + 0.3 * math.cos(S0) ** 2, 2 * (0.2 - 0.3) * math.sin(S0) * math.cos(S0) * S1 * V, 0),
    ),
}


@pytest.mark.parametrize("case", PRESCRIBED)
def test_prescribed_motion(case):
    system, (mass, h, gravity) = PRESCRIBED[case]
    found = at(system, a=0.9)
    assert close(found["M"], mass)
    assert close(found["h"], h)
    assert close(found["gravity"], gravity)
    assert close(found["inverse_dynamics"], mass * 0.9 + h - gravity)
    assert close(found["acceleration"], (gravity - h) / mass)


#: the hanging point mass at angle z: its position and direction of motion per unit of z
TIP = np.array([L * math.sin(Z), -L * math.cos(Z)])
ALONG = np.array([L * math.cos(Z), L * math.sin(Z)])
ANCHOR = np.array([0.5, 0.9])
SPAN = TIP - ANCHOR
LONG = float(np.hypot(*SPAN))
TIP_POINT, ANCHOR_POINT, GROUND = Point("b"), Point(None, (0.5, 0.9, 0)), Point(None, (1, 2, 3))
LAW = 3 * LENGTH + 2 * LENGTH_RATE + TIME
PUSHED = (3 * LONG + 2 * (SPAN @ ALONG) * V / LONG + T) * (SPAN @ ALONG) / LONG
LINEAR = LinearLaw(f0=0.1, k=2, l0=0.5, d=0.7, q=1.1, w=1.3, a=0.2)
FORCES = {
    "force at the tip, world axes": ([PointForce("f", TIP_POINT, (2, 3, 5))], ALONG @ (2, 3)),
    "force off the tip, world axes": (
        [PointForce("f", Point("b", (0.3, 0, 0.2)), (2, 3, 5))],
        ALONG @ (2, 3) + 0.3 * (math.cos(Z) * 3 - math.sin(Z) * 2),
    ),
    "force that depends on the state": (
        [PointForce("f", TIP_POINT, (symbol("z"), rate("z"), TIME))],
        ALONG @ (Z, V),
    ),
    "wrench": ([Wrench("w", TIP_POINT, (2, 3, 5), (7, 11, 13))], ALONG @ (2, 3) + 13),
    "bipolar, first point fixed": ([Bipolar("s", ANCHOR_POINT, TIP_POINT, LAW)], PUSHED),
    "bipolar, second point fixed": ([Bipolar("s", TIP_POINT, ANCHOR_POINT, LAW)], PUSHED),
    "linear bipolar": (
        [Bipolar("s", ANCHOR_POINT, TIP_POINT, LINEAR)],
        (0.1 - 2 * (LONG - 0.5) - 0.7 * (SPAN @ ALONG) * V / LONG + 1.1 * math.sin(1.3 * T + 0.2))
        * (SPAN @ ALONG) / LONG,
    ),
    "forces on the fixed frame": (
        [PointForce("f", GROUND, (2, 3, 5)), Bipolar("s", GROUND, ANCHOR_POINT, LAW)],
        0,
    ),
    "joint effort": ([JointEffort("e", "z", 2 * symbol("z") - rate("z") + TIME)], 2 * Z - V + T),
    "linear joint effort": (
        [JointEffort("e", "z", LINEAR)],
        0.1 - 2 * (Z - 0.5) - 0.7 * V + 1.1 * math.sin(1.3 * T + 0.2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FORCES)
def test_applied_forces(case):
    forces, expected = FORCES[case]
    system = one(HANGING, forces=tuple(forces), drive=Effort(symbol("z") * 4))
    found = at(system, a=0.9)
    total = expected + 4 * Z
    assert close(found["applied"], total)
    assert close(found["inverse_dynamics"], M * L**2 * 0.9 - total)
    assert close(found["acceleration"], total / (M * L**2))
    assert found["gravity"] == 0


def test_a_moment_stands_in_body_axes():
    """After half of a half turn about x the body's y axis is the joint's z axis."""
    joint = (rotation("z", "z"), rotation("x", Constant(PI_NODE / 2)))
    found = at(one(joint, Inertia(M, tensor=(1, 1, 1)), [Wrench("w", Point("b"), moment=(2, 3, 5))]))
    assert close(found["applied"], 3)


def test_masses_of_bipolar_elements_stand_on_their_ends():
    anchored = at(one(HANGING, forces=[Bipolar("s", ANCHOR_POINT, TIP_POINT, LENGTH, mass=0.6)], gravity=DOWN))
    heavier = at(one(HANGING, Inertia(M + 0.3), [Bipolar("s", ANCHOR_POINT, TIP_POINT, LENGTH)], gravity=DOWN))
    for name in ALL:
        assert close(anchored[name], heavier[name])


@pytest.mark.slow
def test_masses_of_bipolar_elements_are_those_of_the_lumped_system():
    system, states = subjects()[0].system, subjects()[0].states
    a, b = (evaluate_derivation(NE.derive(s), states).quantities for s in (system, system.lump_masses()))
    for name in ALL:
        assert close(a[name], b[name], 1e-12)


# --- obstacles ---


def test_what_is_not_taken_is_an_obstacle():
    wheel = Flywheel("wheel", (), Inertia(1), TIME)
    system = one(HANGING)
    system = replace(system, bodies=(replace(system.bodies[0], flywheels=(wheel,)),))
    assert [o.feature for o in NE.obstacles(system)] == ["flywheels"]
    for ask in (NE.derive, lambda s: NE.evaluate(s, [State()])):
        with pytest.raises(FormalismError, match="flywheels"):
            ask(system)


def test_a_bipolar_element_of_no_length_is_refused():
    with pytest.raises(FormalismError, match=r"forces/s: .* always coincide"):
        NE.derive(one(HANGING, forces=[Bipolar("s", TIP_POINT, TIP_POINT, LENGTH)]))


def test_registered_under_its_name():
    assert isinstance(formalism("newton_euler"), NewtonEuler)


@pytest.mark.parametrize("n", [(0, 0, 1), (0, -1, 0), (3, 0, 4), (-2, 1, 2), (1, 1, 1), (-5, -4, 3)])
def test_alignment_carries_the_coordinate_axis_into_the_joint_axis(n):
    axis, turn = alignment(unit_vector(n))
    m = np.array([evaluate(row, {}) for row in turn])
    assert close(m[:, axis], np.array(n) / math.sqrt(sum(x * x for x in n)))
    assert close(m.T @ m, np.eye(3))
    assert close(np.linalg.det(m), 1)
