"""Konoplev's aggregates against the vectors of an independent derivation, and against their own identities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.arithmetic import Batch, Symbolic
from mbconcord.formalisms.konoplev.canonical import arrays, nodes
from mbconcord.formalisms.konoplev.pair import matrices
from mbconcord.formalisms.konoplev.screw import Transfer
from mbconcord.model import (
    AddedInertia,
    Body,
    Coordinate,
    Flywheel,
    Gravity,
    Inertia,
    ModelError,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import TIME, cos, sin, symbol
from mbconcord.validation.benchmarks.pair_trees import random_pairs
from mbconcord.validation.faults.injection import injected
from mbconcord.validation.faults.models import subjects
from mbconcord.validation.faults.tables import konoplev as faults
from mbconcord.validation.judge.kinematics import Kinematics
from mbconcord.validation.judge.scale import scales

from ...reference.konoplev import OPEN, system, vector
from .konoplev_numbers import ROADS, at_once, by_graph, close, full, state_of, values

# --- vectors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [by_graph, at_once])
@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("name", OPEN)
def test_vectors(name, road, how):
    data = vector(name)
    found = how(Konoplev(**ROADS[road]), system(data), [State()])
    assert close(found["M"][0], full(data["A_upper"]))
    assert close(found["gravity"][0] - found["h"][0], np.subtract(data["Q"], data["b"]))
    if name != "G1":  # there Q has the flywheel's I ψ'' + J ψ', which the canonical equations put into h
        assert close(found["h"][0], data["b"])
    assert close(found["acceleration"][0], data["qdd"])


@pytest.mark.parametrize("name", OPEN)
def test_structural_matrix_twists_and_B_of_the_vectors(name):
    data = vector(name)
    model = system(data)
    native = Konoplev(axes="body").derive(model).native
    for ours, theirs in (("S", "S"), ("S'", "Sdot"), ("V", "V"), ("B", "B")):
        assert close(values(native[ours], model), data[theirs]), ours


def test_central_twist_and_W_of_the_paper_mechanism():
    data = vector("E1")
    model = system(data)
    native = Konoplev().derive(model).native
    assert close(values(native["V"], model)[12:], data["V3_central"])
    assert close(values(native["W"], model), [0] * 12 + data["W3_central"])


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


def test_disjoint_branches_have_blocks_of_structural_zeros():
    model = system(vector("R1"))
    M = Konoplev().derive(model).quantities["M"]
    zeros = {(i, k) for i, row in enumerate(M) for k, x in enumerate(row) if not x and i < k}
    branch_a, branch_b = {6, 7, 8, 11}, {9, 10}
    assert {(min(i, k), max(i, k)) for i in branch_a for k in branch_b} <= zeros


# --- a balanced flywheel ----------------------------------------------------------------------------


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
    turned = body.flywheels[0].inertia.rotated(frame.c)
    centre = tuple(a + b for a, b in zip(frame.o, turned.centre, strict=True))
    welded = body.inertia.merged(Inertia(turned.mass, centre, turned.tensor))
    bodies = (with_wheel.bodies[0], Body(body.name, body.parent, body.joint, welded))
    without = System("welded", with_wheel.coordinates, gravity=with_wheel.gravity, bodies=bodies)
    a, b = at_once(Konoplev(), with_wheel, [State()]), at_once(Konoplev(), without, [State()])
    for name in ("M", "h", "gravity"):
        assert close(a[name], b[name], 1e-13), name


def _pairs(joint):
    from mbconcord.formalisms.konoplev.mechanism import pairs

    return pairs(joint, split=False)


def _nodes(derivation):
    from mbconcord.model.expressions import topological

    return set(topological(derivation.outputs()))


# --- roads ------------------------------------------------------------------------------------------

JOINTS: dict[str, tuple[tuple[Any, ...], int]] = {
    "translations in any order": ((translation("z", "a"), translation("x", "b"), rotation("y", "c")), 1),
    "constant and coordinate in one slot": ((rotation("x", 0.3), rotation("x", "a"), rotation("-x", 0.1)), 1),
    "constant shift along a general axis": ((translation((1, 2, 2), 0.3), rotation("z", "a")), 1),
    "rotations against the order": ((rotation("z", "a"), rotation("y", "b"), rotation("x", "c")), 3),
    "shift after a rotation": ((rotation("z", "a"), translation("x", "b")), 2),
    "two coordinates in one slot": ((translation("x", "a"), translation("-x", "b")), 2),
    "rotation about a general axis": ((rotation((2, 3, 6), "a"),), 3),
    "shift along a general axis": ((translation((2, 3, 6), "a"),), 3),
    "general axis in the plane of x and z": ((rotation((3, 0, 4), "a"),), 2),
    "nothing": ((), 1),
    "shift by zero": ((translation("x", 0), rotation("z", 0)), 1),
}


@pytest.mark.parametrize("name", JOINTS)
def test_roads(name):
    joint, count = JOINTS[name]
    names = [et.coordinate for et in joint if et.coordinate]
    tip = Body("tip", "body", (rotation("x", "tip"),), Inertia(1, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25)))
    body = Body("body", None, joint, Inertia(1, (0.3, -0.1, 0.2), (0.2, 0.3, 0.4, 0.01, 0.02, 0.03)))
    model = System(
        "one", tuple(map(Coordinate, [*names, "tip"])), gravity=Gravity(9.81, (1, 2, 3)), bodies=(body, tip)
    )
    road = Konoplev().roads(model)[0]
    assert len(road.links) == count and road.native is (count == 1)
    assert ("one pair" if count == 1 else "fictitious") in str(road)
    assert values(Konoplev().derive(model).native["pairs"], model)[0] == count
    state = state_of(model, 5)
    reference = registry.formalism("lagrange").evaluate(model, [state]).quantities
    for options in ROADS.values():
        found = at_once(Konoplev(**options), model, [state])
        for quantity in ("h", "gravity", "inverse_dynamics"):
            assert close(found[quantity], reference[quantity], 1e-13), quantity


# --- agreement --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(100))
def test_agreement_on_trees_of_his_pairs(seed):
    """Joints of 1, 2, 3 and 6 coordinates: 1e-12 of the scale by every road, with every other formalism."""
    model, states = random_pairs(seed)
    options = list(ROADS.values())[seed % len(ROADS)]
    sizes = scales(Kinematics(model, states))
    numbers = (at_once(Konoplev(**options), model, states), by_graph(Konoplev(**options), model, states))
    for name in ("lagrange", "newton_euler", "virtual_work"):
        theirs = registry.formalism(name).evaluate(model, states).quantities
        for quantity in ("M", "h", "gravity", "inverse_dynamics"):
            size = sizes.mass if quantity == "M" else sizes.rows[quantity]
            for ours in numbers:
                assert (np.abs(ours[quantity] - theirs[quantity]) <= 1e-12 * size).all(), (name, quantity)


# --- bad input --------------------------------------------------------------------------------------


def test_singular_angles_are_named():
    joint = tuple(rotation(a, f"t{a}") for a in "xyz")
    body = Body("gimbal", None, joint, Inertia(1, (0.1, 0, 0), (0.2, 0.3, 0.4)))
    model = System("gimbal", tuple(Coordinate(f"t{a}") for a in "xyz"), bodies=(body,))
    good, bad = State(q={"ty": 1.5}), State(q={"ty": np.pi / 2})
    assert not Konoplev().evaluate(model, [good]).diagnostics
    found = Konoplev().evaluate(model, [good, bad])
    message = str(found.diagnostics[0])
    assert "bodies/gimbal/joint" in message and "coordinate ty" in message and "1.5708" in message
    assert np.isfinite(found.quantities["acceleration"][0]).all()
    assert np.isnan(found.quantities["acceleration"][1]).all()


def test_constant_right_angle_between_two_free_ones_is_named():
    joint = (rotation("x", "a"), rotation("y", np.pi / 2), rotation("z", "b"))
    body = Body("gimbal", None, joint, Inertia(1, (0.1, 0, 0), (0.2, 0.3, 0.4)))
    model = System("gimbal", (Coordinate("a"), Coordinate("b")), bodies=(body,))
    assert "constant" in str(Konoplev().evaluate(model, [State()]).diagnostics[0])


def submerged(rows: Any) -> System:
    joint = (translation("x", "x"), rotation("z", "a"))
    body = Body("hull", None, joint, Inertia(2, (0, 0, 0), (0.2, 0.3, 0.4)), AddedInertia(rows))
    return System("hull", (Coordinate("x"), Coordinate("a")), bodies=(body,))


def test_added_inertia_that_makes_the_mass_matrix_singular_is_named():
    rows = [[0] * 6 for _ in range(6)]
    rows[5][5] = -1
    found = Konoplev().evaluate(submerged(rows), [State()])
    assert "bodies/hull/added_inertia" in str(found.diagnostics[0])
    assert "-0.6" in str(found.diagnostics[0])
    rows[5][5], rows[3][3] = 0, -1  # indefinite, but not along any coordinate
    assert not Konoplev().evaluate(submerged(rows), [State()]).diagnostics
    rows[0][1] = 1
    with pytest.raises(ModelError, match="not symmetric"):
        submerged(rows)


def test_systems_with_nothing_in_them():
    fixed = Body("fixed", None, (translation("x", 1), rotation("z", 0.3)), Inertia(1, (0.1, 0, 0), (1, 1, 1)))
    ghost = Body("ghost", None, (rotation("z", "a"),))
    for bodies, names in (((), ()), ((fixed,), ()), ((ghost,), ("a",))):
        model = System("nothing", tuple(map(Coordinate, names)), bodies=bodies)
        n = len(names)
        for how in (by_graph, at_once):
            found = how(Konoplev(), model, [State(), State()])
            assert found["M"].shape == (2, n, n) and not found["M"].any()
            assert found["h"].shape == found["gravity"].shape == found["applied"].shape == (2, n)
        assert not any(stage.assignments for stage in Konoplev().listing(model).stages[3:])


# --- faults -----------------------------------------------------------------------------------------


def test_honest_code_is_right_where_faults_are_not():
    assert _right(Konoplev())


@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda fault: fault.title)
def test_faults_are_caught(fault):
    with injected(fault) as wrong:
        assert not _right(wrong)


def _right(formalism: Any) -> bool:
    """Whether the canonical quantities are those of the vectors, and of Lagrange for what the vectors lack."""
    for name in OPEN:
        data = vector(name)
        found = Formalism.evaluate(formalism, system(data), [State()]).quantities
        forces = found["gravity"][0] - found["h"][0]
        if not close(found["M"][0], full(data["A_upper"])) or not close(
            forces, np.subtract(data["Q"], data["b"])
        ):
            return False
    return all(_like_lagrange(formalism, x.system, x.states) for x in subjects()) and _like_lagrange(
        formalism, *everything()
    )


def _like_lagrange(formalism: Any, model: System, states: Sequence[State]) -> bool:
    found = Formalism.evaluate(formalism, model, states).quantities
    expected = registry.formalism("lagrange").evaluate(model, states).quantities
    return all(close(found[key], expected[key], 1e-11) for key in ("M", "h", "gravity", "applied"))


def everything() -> tuple[System, list[State]]:
    """Prescribed motion, negative and general axes, and every kind of force."""
    from mbconcord.model import Bipolar, JointEffort, LinearLaw, Point, PointForce, Wrench

    bodies = (
        Body("a", None, (translation("-y", "q1"), rotation("x", sin(2 * TIME)), rotation("z", "q2")),
             Inertia(1.3, (0.1, 0.2, -0.3), (0.3, 0.4, 0.5, 0.02, -0.03, 0.04))),
        Body("b", "a", (translation("x", 0.4 + 0.2 * TIME * TIME), rotation((2, 3, 6), "q3"), rotation("-y", "q4")),
             Inertia(0.8, (-0.2, 0.1, 0.1), (0.2, 0.1, 0.25))),
    )  # fmt: skip
    forces = (
        Bipolar(
            "spring", Point("a", (0.1, 0.2, 0.3)), Point("b", (0.3, -0.1, 0.2)), LinearLaw(k=10, l0=0.2, d=3)
        ),
        PointForce("push", Point("b", (0.2, 0.1, -0.3)), (1, symbol("q1"), -2)),
        Wrench("twist", Point("a", (0.1, 0, 0.2)), (0, 1, 2), (0.3, symbol("q2'"), 0.1)),
        JointEffort("motor", "q4", -2 * symbol("q4'")),
    )
    names = ("q3", "q1", "q4", "q2")
    model = System(
        "everything", tuple(map(Coordinate, names)), (), (), Gravity(9.81, (0.2, 0.3, -1)), bodies, forces
    )
    return model, [state_of(model, seed) for seed in (1, 2)]


def test_the_two_arithmetics_share_the_structural_zeros():
    model = system(vector("R1"))
    symbolic = Konoplev().aggregates(model, Symbolic())
    numeric = Konoplev().aggregates(model, Batch(model, [State()]))
    for a, b in zip(symbolic.bodies, numeric.bodies, strict=True):
        for row, other in zip(a.rows.values(), b.rows.values(), strict=True):
            for x, y in zip(row, other, strict=True):
                assert bool(nodes(x)) or y.__class__ is int or abs(float(np.squeeze(y))) < 1e-15
