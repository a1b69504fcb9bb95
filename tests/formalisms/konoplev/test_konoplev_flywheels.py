"""Flywheels in Konoplev's aggregates: the objects of vector G1, balanced and resting wheels."""

from __future__ import annotations

from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.canonical import arrays
from mbconcord.formalisms.konoplev.mechanism import pairs
from mbconcord.formalisms.konoplev.pair import matrices
from mbconcord.formalisms.konoplev.vectors import Batch, Transfer
from mbconcord.model import Body, Coordinate, Flywheel, Gravity, Inertia, State, System, rotation, shift, translation
from mbconcord.model.expressions import TIME, cos, sin, topological

from ...reference.konoplev import system, vector
from ..numbers import close, values
from .konoplev_numbers import at_once


def test_flywheel_of_G1():
    data = vector("G1")
    model = system(data)
    whole = Konoplev().aggregates(model, Batch(model, [State()]))
    body = whole.bodies[1]
    (rotor,) = body.inertia.rotors
    assert close(arrays(rotor.I, 1)[0], data["I"])
    assert close(arrays(rotor.J(body.twist), 1)[0], data["J"])
    assert close(arrays(body.inertia.rate, 1)[0][4], data["Adot_row5"])
    state = State(a=dict(zip(model.coordinate_names, data["qdd"], strict=True)))
    torque = Konoplev().derive(model).native["motor_torques"]
    assert close(values(torque, model, state), [data["motor_torque"]], 1e-11)


def carrier(wheel: Inertia) -> System:
    mounting = (*shift([0.1, -0.2, 0.3]), rotation("y", 0.5))
    spin = Flywheel("wheel", mounting, wheel, 3 * TIME + sin(TIME))
    joint = (*(translation(a, f"s{a}") for a in "xyz"), *(rotation(a, f"t{a}") for a in "xyz"))
    body = Body("body", None, joint, Inertia(2, (0.1, 0, -0.1), (0.3, 0.4, 0.5, 0.01, 0, 0)), None, (spin,))
    names = [c for et in joint if (c := et.coordinate)]
    return System("carrier", tuple(map(Coordinate, names)), gravity=Gravity(9.81, (0, 0, -1)), bodies=(body,))


def test_balanced_axisymmetric_flywheel_leaves_no_angle_in_the_equations():
    steady = Konoplev().derive(carrier(Inertia(0.5, (0, 0, 0.1), (0.02, 0.02, 0.05))))
    angle = 3 * TIME + sin(TIME)
    assert sin(angle) not in _nodes(steady) and cos(angle) not in _nodes(steady)
    unbalanced = Konoplev().derive(carrier(Inertia(0.5, (0.01, 0, 0.1), (0.02, 0.02, 0.05))))
    assert sin(angle) in _nodes(unbalanced)


def test_a_flywheel_at_rest_is_a_part_of_its_carrier():
    data = vector("G1")
    wheel = data["bodies"][1]["flywheels"][0] | {"psi": 0.0, "dpsi": 0.0, "ddpsi": 0.0}
    data["bodies"][1]["flywheels"] = [wheel]
    with_wheel = system(data)
    body = with_wheel.bodies[1]
    frame = Transfer((0, 0, 0))
    for pair in _pairs(body.flywheels[0].mounting):
        frame = frame.then(matrices(pair, lambda x: x).transfer)
    turned = body.flywheels[0].inertia.rotate(frame.c)
    centre = tuple(a + b for a, b in zip(frame.o, turned.centre, strict=True))
    welded = body.inertia.merge(Inertia(turned.mass, centre, turned.tensor))
    bodies = (with_wheel.bodies[0], Body(body.name, body.parent, body.joint, welded))
    without = System("welded", with_wheel.coordinates, gravity=with_wheel.gravity, bodies=bodies)
    a, b = at_once(Konoplev(), with_wheel, [State()]), at_once(Konoplev(), without, [State()])
    for name in ("M", "h", "gravity"):
        assert close(a[name], b[name], 1e-13), name


def _pairs(joint):
    return pairs(joint, split=False)


def _nodes(derivation):
    return set(topological(derivation.outputs()))
