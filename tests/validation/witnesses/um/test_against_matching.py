"""Coordinates and bodies of a model and of generated equations: found by the numbers, given, refused."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.converters.um.equations import read
from mbconcord.model import NumbersError
from mbconcord.validation.against.programs import check_against
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.states import draw
from mbconcord.validation.witnesses.um import body_formulas, numbers

from ....formats.um.um_sets import write_set
from .against_models import FIXTURES, SETS, model, open_parameters, said, set_of, text_model, verdicts


def reordered(system, seed):
    """The same machine in native JSON with shuffled and reversed coordinates, forces left out; what was reversed."""
    rnd, data = random.Random(seed), json.loads(registry.write(system, "native").text)
    rnd.shuffle(data["coordinates"])
    reversed_ones = {c["name"] for c in data["coordinates"] if rnd.random() < 0.5}
    for body in data["bodies"]:
        for et in body.get("joint", []):
            kind = "rotation" if "rotation" in et else "translation"
            if et.get("coordinate") in reversed_ones:
                et[kind] = f"-{et[kind]}".replace("--", "") if isinstance(et[kind], str) else [-x for x in et[kind]]
    data.pop("forces", None)
    return registry.read_text(json.dumps(data), "x.mbs.json", "native").system, reversed_ones


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["mbsd/zi_zig.mbsd", "mbsd/branched.mbsd", "um/reference_model.mbs.json"])
def test_reversed_and_reordered_coordinates_are_found_and_shown(name, seed, tmp_path):
    system = model(name)
    equations = set_of(system, tmp_path)
    other, turned = reordered(system, seed)
    evidence = check_against(other, equations, states=3)
    assert all(c.verdict == "agrees" for c in evidence.comparisons if c.quantity not in ("applied", "inverse_dynamics"))
    expected = tuple((i, f"-{q}" if q in turned else q) for i, q in enumerate(system.coordinate_names, 1))
    if name == "mbsd/zi_zig.mbsd" and turned == set(system.coordinate_names):
        assert evidence.against.coordinates in (expected, tuple((i, q.strip("-")) for i, q in expected))
    else:
        assert evidence.against.coordinates == expected
    if turned:
        assert "reversed: " in said(evidence, "um/coordinates")


def turned_about(text, effort):
    """The reference model with its last joint counted the other way round, and an effort along it."""
    data = json.loads(text)
    data["bodies"][1]["joint"][0]["rotation"] = "-x"
    data["forces"][0]["effort"] = effort
    return registry.read_text(json.dumps(data), "x.mbs.json", "native").system


@pytest.mark.slow
def test_a_joint_force_turns_with_its_coordinate(tmp_path):
    name = "um/reference_model.mbs.json"
    equations, text = set_of(model(name), tmp_path), (FIXTURES / name).read_text("utf-8")
    evidence = check_against(turned_about(text, "-a"), equations, states=3)
    assert (evidence.headline, evidence.against.coordinates[-1]) == ("agrees after reversing turn", (7, "-turn"))
    (c, *_) = [c for c in evidence.comparisons if c.quantity == "applied"]
    assert all(c.state.parameters["a"] for c in evidence.comparisons if c.state)
    assert c.scale is not None


@pytest.mark.slow
def test_a_matching_by_the_mass_matrix_alone(tmp_path):
    """Without positions the signs of M tell which coordinates are reversed."""
    system = model("mbsd/branched.mbsd")
    write_set(system, tmp_path, open_parameters(system))
    (tmp_path / "_KObj.hpp").unlink()
    other, turned = reordered(system, 1)
    assert 0 < len(turned) < len(system.coordinates)
    evidence = check_against(other, read(str(tmp_path)), states=3)
    assert verdicts(evidence)["M"] == verdicts(evidence)["h"] == {"agrees"}
    assert evidence.against.by == "the numbers"


@pytest.mark.parametrize("name", ["mbsd/gimbal.mbsd", "mbsd/branched.mbsd", "robots/ur5.mbsd"])
def test_formulas_of_the_motion_have_the_numbers_of_the_kinematics(name):
    """What is compared term by term is what is compared in numbers."""
    drawn = draw(model(name), 3, 1)
    k = TreeKinematics(drawn.system, drawn.states)
    body = max(drawn.system.bodies, key=lambda b: len(drawn.system.path(b.name)))
    f = body_formulas.frame(drawn.system, body.name, False)
    motion = k.frame(body.name)
    for quantity in ("position", "orientation", "velocity", "angular_velocity", "acceleration"):
        expected, size = numbers.expected_motion(quantity, motion, k)
        flat = expected.reshape(k.count, -1)
        labels = [a + b for a in "xyz" for b in "xyz"] if quantity == "orientation" else "xyz"
        for i, label in enumerate(labels):
            formula = body_formulas.body_formula(drawn.system, quantity, label, f)
            assert abs(k.scalars([formula])[0] - flat[:, i]) == pytest.approx(0, abs=1e-10 * size.max())
    formulas = [body_formulas.body_formula(drawn.system, "angular_acceleration", axis, f) for axis in "xyz"]
    expected, size = numbers.expected_motion("angular_acceleration", motion, k)
    for i, formula in enumerate(formulas):
        assert k.scalars([formula])[0] == pytest.approx(expected[:, i], abs=1e-10 * (1 + size.max()))
    turning = np.einsum("sji,sjk->sik", motion.rotation, motion.turning)
    assert np.abs(turning).max() > 0.1
    for row, axis in enumerate("xyz"):
        for j, c in enumerate(drawn.system.coordinate_names):
            for kind, expected in (("v", motion.moving), ("w", turning)):
                formula = body_formulas.body_formula(drawn.system, "jacobian", f"{kind}{axis} {c}", f)
                size = 1 + motion.path.max()
                assert k.scalars([formula])[0] == pytest.approx(expected[:, row, j], abs=1e-10 * size)
    origin = np.cross(motion.turning, -motion.position[:, :, None], axis=1) + motion.moving
    for j, c in enumerate(drawn.system.coordinate_names):
        screw = k.scalars(body_formulas.screw(drawn.system, f, c))
        for row in range(3):
            assert screw[row] == pytest.approx(origin[:, row, j], abs=1e-10 * size)
            assert screw[3 + row] == pytest.approx(motion.turning[:, row, j], abs=1e-10 * size)


@pytest.mark.slow
def test_a_pairing_that_is_given_is_used_and_checked():
    system, equations = model("mbsd/zi_zig.mbsd"), read(str(SETS / "double_pendulum"))
    right = check_against(system, equations, states=2, coordinates={"1": "z1", "2": "z2"})
    assert (right.verdict, right.against.by) == ("agrees", "the command")
    wrong = check_against(system, equations, states=2, coordinates={"1": "z2", "2": "z1"})
    assert wrong.verdict == "disagrees"
    shifted = text_model("nzi>zi g-y ; nu1=0.5")
    assert check_against(shifted, equations, states=2).verdict == "disagrees"
    found = check_against(shifted, equations, states=2, coordinates={"1": "z1+0.5", "2": "z2"})
    assert found.verdict == "agrees"


@pytest.mark.parametrize(
    ("coordinates", "message"),
    [
        ({"1": "z1"}, "no coordinate for number 2"),
        ({"1": "z1", "2": "z1"}, "named twice"),
        ({"1": "z1", "2": "2*z2"}, "expected a coordinate"),
        ({"1": "z1", "2": "z1+z2"}, "expected a coordinate"),
        ({"1": "z1", "2": "z2+i1"}, "expected a coordinate"),
        ({"1": "z1", "2": "q"}, "known: z1, z2"),
        ({"1": "z1", "2": "z2)"}, "expected a coordinate"),
        ({"1": "z1", "3": "z2"}, "expected a number from 1 to 2"),
        ({"x": "z1"}, "expected a number from 1 to 2"),
    ],
)
def test_a_pairing_that_is_none_is_refused(coordinates, message):
    with pytest.raises(NumbersError) as caught:
        check_against(model("mbsd/zi_zig.mbsd"), read(str(SETS / "double_pendulum")), coordinates=coordinates)
    assert message in str(caught.value)
