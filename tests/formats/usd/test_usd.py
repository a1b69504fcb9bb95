"""Stages read from stored facts, against numbers of hand-written kinematics that read no USD."""

import json
import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.converters.format import Reading
from mbconcord.converters.usd.reader import read_facts
from mbconcord.converters.usd.stage import in_model_units
from mbconcord.model import ReadError, System
from tests.cli.commands import runner
from tests.readers.seen import seen

HERE = Path(__file__).parent
FACTS = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))
EXPECTED = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
#: The vector of a body that the direct witness shows.
ARM = np.array([2.0, 3.0, 5.0])
MOVING = [name for name, row in EXPECTED.items() if "M" in row]
#: Rounding, of the largest entry; h of the vectors is from differences.
ROUNDING = 1e-12


@cache
def read(name: str) -> Reading:
    text = (HERE / "stages" / f"{name}.usda").read_text(encoding="utf-8")
    return read_facts(FACTS[name], f"{name}.usda", text)


def numbers(system: System, row: dict, quantity: str) -> np.ndarray:
    names = row["coordinates"]
    state = dict(zip(names, row["q"])) | {n + "'": v for n, v in zip(names, row["v"])}
    found = mbconcord.evaluate(system.open_loops(), state, quantities=[quantity], witness=False, physics="ignore")
    return np.asarray(found[quantity])


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "05_bad"])
def test_coordinates_of_a_stage(name):
    system = read(name).system
    assert list(system.coordinate_names) == EXPECTED[name]["coordinates"]
    assert {o.kind for o in system.omissions if o.acts} == set(EXPECTED[name].get("omissions", ()))


@pytest.mark.parametrize("quantity", ["M", "h", "gravity", "applied"])
@pytest.mark.parametrize("name", MOVING)
def test_numbers_of_a_stage(name, quantity):
    row = EXPECTED[name]
    expected = np.array(row[quantity])
    scale = np.abs(expected).max(initial=0.0) + np.abs(np.array(row["M"])).max() * (quantity != "M")
    off = np.abs(numbers(read(name).system, row, quantity) - expected).max()
    assert off <= ROUNDING * scale * (1e3 if quantity == "h" else 1)


@pytest.mark.parametrize("name", MOVING)
def test_poses_of_a_stage(name):
    row = EXPECTED[name]
    found = seen(read(name).system.open_loops(), dict(zip(row["coordinates"], row["q"])))
    for body, (R, p) in row["poses"].items():
        assert found.get(f"{body}.at", np.zeros(3)) == pytest.approx(np.array(p), abs=1e-12)
        assert found.get(f"{body}.arm", ARM) == pytest.approx(np.array(R) @ ARM, abs=1e-12)


def test_a_bad_stage_is_refused_with_every_finding():
    with pytest.raises(ReadError) as caught:
        read("05_bad")
    found = [str(d).partition("error: ")[2] for d in caught.value.diagnostics]
    for message in EXPECTED["05_bad"]["messages"]:
        words = message.replace("<", "").replace(">", "").replace("/", "")
        assert any(words in text.replace("<", "").replace(">", "").replace("/", "") for text in found), message


def test_a_loop_leaves_the_motion_of_the_parallelogram():
    (row,) = read("15_loop").system.constraints
    assert (row.name, row.auxiliary) == ("s", ("s",))


def test_two_joints_of_one_pair_hold_one_another():
    reading = read("14_parallel")
    (row,) = reading.system.constraints
    assert row.name == "second"
    assert any("the two hold one another" in d.message for d in reading.diagnostics)


def test_rows_of_mimics_are_zero_where_they_follow():
    from mbconcord.model.expressions import evaluate_float, symbol

    row = EXPECTED["17_mimic"]
    values = {symbol(n).data: q for n, q in zip(row["coordinates"], row["q"])}
    for constraint in read("17_mimic").system.constraints:
        assert abs(evaluate_float(constraint.expression, values)) < 1e-12


# Whose words are read.

WORDS = {
    "stage": 1, "metres": 1.0, "kilograms": 1.0, "up": "Z",
    "prims": [
        {"path": "/r", "type": "Xform"},
        {"path": "/s", "type": "PhysicsScene", "values": {"physics:gravityMagnitude": ["float", 9.81]}},
        {
            "path": "/r/b", "type": "Xform", "apis": ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "NewtonMassAPI"],
            "values": {
                "physics:mass": ["float", 2.0], "physics:centerOfMass": ["point3f", [0.5, 0.0, 0.0]],
                "physics:diagonalInertia": ["float3", [0.1, 0.2, 0.3]],
                "newton:inertia": ["double[]", [0.1, 0.4, 0.3, 0.0, 0.0, 0.0]],
            },
        },
        {
            "path": "/r/j", "type": "PhysicsRevoluteJoint", "targets": {"physics:body1": ["/r/b"]},
            "apis": ["NewtonJointAPI", "MjcJointAPI"],
            "values": {
                "physics:axis": ["token", "Y"], "mjc:armature": ["double", 0.01], "newton:friction": ["float", 0.5],
            },
        },
        {"path": "/r/m", "type": "MjcActuator"}, {"path": "/r/n", "apis": ["NewtonActuatorAPI"]},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("program", "moment", "armatures", "omissions"),
    [
        ("all", 0.4, 1, {"joint-friction", "actuator"}), ("physics", 0.2, 0, set()),
        ("newton", 0.4, 0, {"joint-friction", "actuator"}), ("mujoco", 0.2, 1, {"actuator"}),
    ],
)  # fmt: skip
def test_words_of_programs_are_read_or_not(program, moment, armatures, omissions):
    text = json.dumps(WORDS)
    reading = mbconcord.read(text=text, format="usd", program=program, physics="ignore")
    system = reading.system
    assert float(system.body("b").inertia.tensor[1].value) == moment
    assert len(system.armatures) == armatures
    assert {o.kind for o in system.omissions if o.acts} == omissions
    noted = [d.message for d in reading.diagnostics if d.place == "--read as"]
    assert bool(noted) == (program != "all") and bool(reading.text) == (program == "all")


def facts_with(*more: dict, **joint: object) -> dict:
    """Return the facts of a stage with a body on a hinge, these values and schemas of the hinge, and more prims."""
    apis, values = joint.pop("apis", ()), {key.replace("__", ":"): value for key, value in joint.items()}
    facts = json.loads(json.dumps(WORDS))
    prims = {prim["path"]: prim for prim in facts["prims"]}
    prims["/r/j"]["values"] = {"physics:axis": ["token", "Y"], **values}
    prims["/r/j"]["apis"] = [*apis]
    facts["prims"] = [*(prims[path] for path in ("/r", "/s", "/r/b", "/r/j")), *more]
    return facts


def test_a_stop_whose_low_end_is_above_the_high_one_is_left_out():
    facts = facts_with(physics__lowerLimit=["float", 10.0], physics__upperLimit=["float", -10.0])
    reading = read_facts(facts, "s.usda")
    found = [(o.kind, o.effect) for o in reading.system.omissions if o.acts]
    assert found == [("joint-limit", "geometry")] and any("is above" in d.message for d in reading.diagnostics)


LEADER = {
    "path": "/r/c", "apis": ["PhysicsRigidBodyAPI", "PhysicsMassAPI"],
    "values": {"physics:mass": ["float", 1.0], "physics:centerOfMass": ["point3f", [0.0, 0.0, 0.0]],
               "physics:diagonalInertia": ["float3", [1.0, 1.0, 1.0]]},
}, {
    "path": "/r/l", "type": "PhysicsRevoluteJoint", "targets": {"physics:body1": ["/r/c"]},
    "values": {"mjc:ref": ["double", -30.0], "physics:axis": ["token", "Y"]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "flags", "row"),
    [
        # y - pi/9 = pi/18 + 2 x + 0.5 x² - 0.25 x³ + 0.125 x⁴ at y = 0.5, l = 0.4, x = 0.4 + pi/6
        ("MjcEqualityJointAPI", {}, [-2.191306749778]),
        ("NewtonMimicAPI", {}, [-1.870796326795]),
        ("NewtonMimicAPI", {"mjc:flag:equality": ["bool", False]}, [-1.870796326795]),
        ("MjcEqualityJointAPI", {"mjc:flag:equality": ["bool", False]}, []),
        ("MjcEqualityJointAPI", {"mjc:flag:constraint": ["bool", False]}, []),
    ],
)  # fmt: skip
def test_equations_of_joints_have_references_and_powers_and_flags(schema, flags, row):
    from mbconcord.model.expressions import evaluate_float, symbol

    powers = {f"mjc__coef{k}": ["double", c] for k, c in ((2, 0.5), (3, -0.25), (4, 0.125))}
    rest = {"mjc__ref": ["double", 20.0], "newton__mimicCoef0": ["float", 10.0], "newton__mimicCoef1": ["float", 2.0]}
    facts = facts_with(*LEADER, apis=[schema], **rest, **powers)
    prims = {prim["path"]: prim for prim in facts["prims"]}
    prims["/r/j"]["targets"]["newton:mimicJoint"] = ["/r/l"]
    prims["/s"]["values"] |= flags
    system = read_facts(facts, "s.usda").system
    values = {symbol(n).data: q for n, q in (("j", 0.5), ("l", 0.4))}
    found = [evaluate_float(each.expression, values) for each in system.constraints]
    assert found == pytest.approx(row, abs=1e-10) and not [o for o in system.omissions if o.acts]


@pytest.mark.slow
def test_a_stage_is_another_machine_for_a_program_that_reads_fewer_words(capsys, monkeypatch, tmp_path):
    run = runner(capsys, monkeypatch, tmp_path)
    Path("s.usda").write_text(json.dumps(WORDS), encoding="utf-8")
    found = run("compare", "s.usda", "s.usda", "--read", "as=physics", "--why")
    assert found.code == 1 and "not the same machine" in found.out
    assert re.search(r"b tensor yy +0\.4 +0\.2 ", found.out) and re.search(r"j armature +0\.01 +0 ", found.out)
    assert "A is s.usda with the words of all programs, B with those that physics reads" in found.err
    whole = run("compare", "s.usda", "s.usda", "--read", "as=all", "--why")
    assert whole.code == 1
    heads = [line for line in whole.out.splitlines() if not line.startswith(" ")]
    assert [head.partition(" this is ")[0] for head in heads] == [
        "for a program that reads UsdPhysics alone", "for a program that reads UsdPhysics and the words of Newton",
        "for a program that reads UsdPhysics and the words of MuJoCo",
    ]  # fmt: skip
    assert all(" this is another machine" in head for head in heads)
    assert re.search(r"  b tensor yy +0\.4 +0\.2 ", whole.out.partition("of Newton")[0])
    rows = json.loads(run("compare", "s.usda", "s.usda", "--read", "as=all", "--json").out)["readings"]
    assert {name: row["verdict"] for name, row in rows.items()} == dict.fromkeys(
        ("physics", "newton", "mujoco"), "disagrees"
    )
    assert run("compare", "s.usda", "s.usda", "--read", "as=all", "--quiet").out.count("\n") == 3
    Path("r.urdf").write_text(URDF, encoding="utf-8")
    found = run("compare", "r.urdf", "s.usda", "--read", "as=physics")
    assert found.code == 0 and "the same machine" in found.out
    assert run("compare", "r.urdf", "s.usda").code != 0
    refused = run("info", "r.urdf", "--read", "as=physics")
    assert refused.code == 2 and "no program 'physics' is known to read urdf (known: mujoco)" in refused.err


URDF = """<robot name="r"><link name="w"/><link name="b"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.3"/></inertial></link>
<joint name="j" type="continuous"><parent link="w"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>"""


# Numbers: the shortest decimal, in the unit of the model, that single precision does not tell from the stage's.


@pytest.mark.parametrize(
    ("kind", "x", "factor", "degrees", "expected"),
    [
        ("float", 0.10000000149011612, "1", 0, "0.1"),
        ("float", 0.008726646192371845, "1", -1, "0.5"),  # 0.5 per radian
        ("float", 1000.0, "0.0000001", -1, "0.018/pi"),  # per degree, in grams and centimetres
        ("float", 30.0, "1", 1, "pi/6"),
        ("float", 20.053522109985352, "1", 1, "0.35"),
        ("float", 12.300000190734863, "0.01", 0, "0.123"),
        ("double", 0.1, "1", 0, "0.1"),
        ("double", 0.3, "0.01", 0, "0.003"),
    ],
)
def test_numbers_are_the_shortest_decimals(kind, x, factor, degrees, expected):
    assert str(in_model_units(kind, x, Fraction(factor), degrees)) == expected
