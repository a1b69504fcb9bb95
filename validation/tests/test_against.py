"""A model against generated equations: agreement, matching of coordinates and bodies, and what differs where."""

from __future__ import annotations

import json
import random
import shutil
import tomllib
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.um.equations import read
from mbconcord.formalisms.registry import names
from mbconcord.model import ModelError, NumbersError
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.reports import render
from mbconcord.reports.text import one_file
from mbconcord.validation import errata
from mbconcord.validation.against import against, numbers, symbolic
from mbconcord.validation.draw import draw
from mbconcord.validation.kinematics import Kinematics

from .um_sets import write_set

FIXTURES = Path(str(files("mbconcord.fixtures")))
SETS = FIXTURES / "um_equations"
CANONICAL = ("M", "h", "gravity", "applied", "inverse_dynamics")
MOTIONS = (
    "body_position", "body_orientation", "body_velocity", "body_angular_velocity", "body_acceleration",
    "body_angular_acceleration", "body_jacobian", "body_screws",
)  # fmt: skip
MODELS = [
    "mbsd/branched.mbsd", "mbsd/springs.mbsd", "mbsd/driven_arm.mbsd", "mbsd/gimbal.mbsd", "robots/ur5.mbsd",
    "um/reference_model.mbs.json", "um/suspension/input.dat", "um/back_to_base/input.dat",
]  # fmt: skip
PRINT_9 = "_bodyposition[1] := 0;\n_bodyposition[2] := -_k1*_s1;\n_bodyposition[3] := -_c1*_k1;\n"


def model(name):
    return registry.read(FIXTURES / name).system


def text_model(text, file="model.mbsd"):
    return registry.read_text(text, file).system


def open_parameters(system):
    return [p.name for p in system.parameters if p.value is None]


def set_of(system, folder, **options):
    return read(str(write_set(system, folder, open_parameters(system), **options)))


def verdicts(evidence):
    """Quantity -> verdicts of its comparisons."""
    found = {}
    for c in evidence.comparisons:
        found.setdefault(c.quantity, set()).add(c.verdict)
    return found


def said(evidence, place):
    return " ".join(d.message for d in evidence.diagnostics if d.place == place)


def test_the_pendulum_agrees_with_every_formalism_in_every_quantity():
    evidence = against(model("mbsd/zi_zig.mbsd"), read(str(SETS / "double_pendulum")))
    assert evidence.verdict == "agrees"
    assert tuple(verdicts(evidence)) == CANONICAL + MOTIONS
    witnesses = {c.b for c in evidence.comparisons if c.quantity == "gravity"}
    assert witnesses == set(names())
    assert {c.b for c in evidence.comparisons if c.quantity == "M"} == set(names()) - {"static_moments"}
    assert evidence.against.coordinates == ((1, "z1"), (2, "z2"))
    assert evidence.against.bodies == ((1, "body1"), (2, "body2"))


@pytest.mark.parametrize("name", MODELS)
def test_written_sets_agree(name, tmp_path):
    """Trees with springs, dampers, efforts, drives, offset centres, branches and turned axes."""
    system = model(name)
    evidence = against(system, set_of(system, tmp_path), states=3)
    assert evidence.verdict == "agrees", [str(c) for c in evidence.comparisons if c.verdict != "agrees"]
    assert set(verdicts(evidence)) == {*CANONICAL, *MOTIONS}
    assert evidence.against.by == "order"


@pytest.mark.parametrize("options", [{"centred": True}, {"along_path": True}], ids=str)
def test_points_and_columns_that_a_set_may_count_otherwise(options, tmp_path):
    """Positions of centres of mass; columns of Jacobians along the path of a branch."""
    system = model("mbsd/branched.mbsd")
    names_of = system.coordinate_names
    paths = [
        [names_of.index(c) for b in system.path(body.name) for c in b.coordinates] for body in system.bodies
    ]
    assert any(sorted(path) != list(range(len(path))) for path in paths)
    if "centred" in options:
        system = model("um/gripper/input.dat")
        assert any(any(body.inertia.centre) for body in system.bodies)
    evidence = against(system, set_of(system, tmp_path, **options), states=3)
    assert evidence.verdict == "agrees"
    if "centred" in options:
        assert "centres of mass" in said(evidence, "um/bodies")


#: Wrong copies of the pendulum's set: file, text, wrong text, quantities that disagree, entry, monomials (um, model).
WRONG = {
    "a sign in M": (
        "PendulumE", "_->_[39] = _->_[35]+_->_[37];", "_->_[39] = _->_[35]-_->_[37];",
        {"M", "inverse_dynamics", "h"} - {"h"}, "M", ("z1", "z2"), {"i1*i2*m2*cos(z2)": (-1, 1)},
    ),
    "a factor in M": (
        "PendulumE", "_->_[62] = _->_[40]+", "_->_[62] = _->_[37]+",
        {"M"}, "M", ("z1", "z1"), {"i1*i2*m2*cos(z2)": (1, 2)},
    ),
    "an element of M": (
        "PendulumE", "_lMassMatrix[1][0] = _->_[39];", "_lMassMatrix[1][0] = 0;",
        {"M"}, "M", ("z1", "z2"), {"i2^2*m2": (0, 1), "i1*i2*m2*cos(z2)": (0, 1)},
    ),
    "a Coriolis term": (
        "PendulumE", "_->_[44] = _->_[12]*_v[0];", "_->_[44] = _v[0]*_v[0];",
        {"h", "inverse_dynamics"}, "h", ("z1",), None,
    ),
    "a centrifugal term": (
        "PendulumE", "_->_[52] = _->_[38]*", "_->_[52] = -_->_[38]*",
        {"h", "inverse_dynamics"}, "h", ("z2",), {"i1*i2*m2*z1'^2*sin(z2)": (-1, 1)},
    ),
    "the lever of a weight": (
        "PendulumE", "_->_[57] = _->_[10]*", "_->_[57] = _->_[8]*",
        {"gravity", "inverse_dynamics"}, "gravity", ("z1",), {"g*i1*m2*cos(z1)": (0, -1)},
    ),
    "the sign of a weight": (
        "PendulumE", "+_->_[58]-_->_[59]", "+_->_[58]+_->_[59]",
        {"gravity", "inverse_dynamics"}, "gravity", ("z2",), None,
    ),
    "an inertia force": (
        "PendulumE", "_->_[50] = _->_[35]*_->_ap[1];", "_->_[50] = _->_[35]*_->_ap[0];",
        {"inverse_dynamics"}, "inverse_dynamics", ("z2",), {"i2^2*m2*z2''": (0, 1), "i2^2*m2*z1''": (2, 1)},
    ),
    "an angle in the driver": (
        "AlPendulum", "_->_s2 = sin( _x[1] );", "_->_s2 = sin( _x[0] );", None, "h", None, None,
    ),
    "a position": (
        "_KPendulum", "_bodyposition[1] = _->_[11];", "_bodyposition[1] = _->_[9];",
        {"body_position"}, "body_position", ("body2 y",), {"i1*sin(z1)": (0, 1)},
    ),
    "an orientation not transposed": (
        "_KPendulum", "_bodyorientation[0][1] = _->_[5];", "_bodyorientation[0][1] = -_->_[5];",
        {"body_orientation"}, "body_orientation", ("body2 xy",), None,
    ),
    "a velocity": (
        "_KPendulum", "_bodyvelocity[0] = -_->_[15];", "_bodyvelocity[0] = _->_[15];",
        {"body_velocity"}, "body_velocity", ("body1 x",), {"i1*z1'*sin(z1)": (1, -1)},
    ),
    "an angular velocity": (
        "_KPendulum", "_angularvelocity[2] = _->_[13];", "_angularvelocity[2] = _v[1];",
        {"body_angular_velocity"}, "body_angular_velocity", ("body2 z",), {"z1'": (0, 1)},
    ),
    "an acceleration": (
        "_KPendulum", "_bodyacceleration[1] = _->_[26];", "_bodyacceleration[1] = _->_[24];",
        {"body_acceleration"}, "body_acceleration", ("body1 y",), {"i1*z1'^2*sin(z1)": (0, -1)},
    ),
    "an angular acceleration": (
        "_KPendulum", "_angularacceleration[2] = _->_[20];", "_angularacceleration[2] = _->_ap[0];",
        {"body_angular_acceleration"}, "body_angular_acceleration", ("body2 z",), None,
    ),
    "a column of a Jacobian": (
        "_KPendulum", "_b[0][1] = -_->_[9];", "_b[0][1] = _->_[9];",
        {"body_jacobian"}, "body_jacobian", ("body2 vx z2",), None,
    ),
    "a column that is not written": (
        "_KPendulum", "      _b[0][1] = -_->_[9];\n      _b[1][1] = _->_[8];\n      _b[2][1] = 0;\n"
        "      _b[3][1] = 0;\n      _b[4][1] = 0;\n      _b[5][1] = 1;\n", "",
        {"body_jacobian"}, "body_jacobian", ("body2 wz z2",), None,
    ),
    "a screw": (
        "_KPendulum", "_slocal[0][1] = -_->_[6];", "_slocal[0][1] = _->_[6];",
        {"body_screws"}, "body_screws", ("body2 vy z2",), None,
    ),
}  # fmt: skip


def wrong_copy(tmp_path, file, old, new):
    folder = tmp_path / "C"
    shutil.copytree(SETS / "double_pendulum" / "C", folder)
    path = folder / f"{file}.hpp"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    return read(str(tmp_path))


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_copy_is_found_where_it_is_wrong(case, tmp_path):
    file, old, new, quantities, quantity, entry, monomials = WRONG[case]
    evidence = against(model("mbsd/zi_zig.mbsd"), wrong_copy(tmp_path, file, old, new), states=4)
    assert evidence.verdict == "disagrees"
    assert evidence.against.by == "order"
    found = {q for q, v in verdicts(evidence).items() if "disagrees" in v}
    if case == "a sign in M":  # M and the residual share the wrong element
        assert found == {"M", "inverse_dynamics"}
    elif quantities is None:
        assert {"h", "gravity", "body_position"} <= found
    else:
        assert found == quantities
    of_it = [c for c in evidence.comparisons if c.quantity == quantity and c.verdict == "disagrees"]
    expected = 1 if quantity in MOTIONS else len(names()) - (quantity != "gravity")
    assert len(of_it) == expected
    if entry is not None:
        assert all(set(c.entry) == set(entry) for c in of_it)
    if monomials is not None:
        (listed,) = [t for c in of_it for t in c.terms]
        assert {t.monomial: (t.first, t.second) for t in listed.terms} == monomials


@pytest.mark.parametrize("case", ["a sign in M", "a position"])
def test_the_referee_names_the_generated_equations(case, tmp_path):
    evidence = against(model("mbsd/zi_zig.mbsd"), wrong_copy(tmp_path, *WRONG[case][:3]), states=3)
    for c in evidence.comparisons:
        if c.verdict == "disagrees" and c.quantity in CANONICAL:
            assert "stand against um" in c.explanation


def reordered(system, seed):
    """The same machine in native JSON with shuffled and reversed coordinates, forces left out; what was reversed."""
    rnd, data = random.Random(seed), json.loads(registry.write(system, "native").text)
    rnd.shuffle(data["coordinates"])
    reversed_ones = {c["name"] for c in data["coordinates"] if rnd.random() < 0.5}
    for body in data["bodies"]:
        for et in body.get("joint", []):
            kind = "rotation" if "rotation" in et else "translation"
            if et.get("coordinate") in reversed_ones:
                et[kind] = (
                    f"-{et[kind]}".replace("--", "") if isinstance(et[kind], str) else [-x for x in et[kind]]
                )
    data.pop("forces", None)
    return registry.read_text(json.dumps(data), "x.mbs.json", "native").system, reversed_ones


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["mbsd/zi_zig.mbsd", "mbsd/branched.mbsd", "um/reference_model.mbs.json"])
def test_reversed_and_reordered_coordinates_are_found_and_shown(name, seed, tmp_path):
    system = model(name)
    equations = set_of(system, tmp_path)
    other, turned = reordered(system, seed)
    evidence = against(other, equations, states=3)
    assert all(
        c.verdict == "agrees"
        for c in evidence.comparisons
        if c.quantity not in ("applied", "inverse_dynamics")
    )
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


def test_a_joint_force_turns_with_its_coordinate(tmp_path):
    name = "um/reference_model.mbs.json"
    equations, text = set_of(model(name), tmp_path), (FIXTURES / name).read_text("utf-8")
    evidence = against(turned_about(text, "-a"), equations, states=3)
    assert (evidence.verdict, evidence.against.coordinates[-1]) == ("agrees", (7, "-turn"))
    (c, *_) = [c for c in evidence.comparisons if c.quantity == "applied"]
    assert all(c.state.parameters["a"] for c in evidence.comparisons if c.state)
    assert c.scale is not None


def test_a_matching_by_the_mass_matrix_alone(tmp_path):
    """Without positions the signs of M tell which coordinates are reversed."""
    system = model("mbsd/branched.mbsd")
    write_set(system, tmp_path, open_parameters(system))
    (tmp_path / "_KObj.hpp").unlink()
    other, turned = reordered(system, 1)
    assert 0 < len(turned) < len(system.coordinates)
    evidence = against(other, read(str(tmp_path)), states=3)
    assert verdicts(evidence)["M"] == verdicts(evidence)["h"] == {"agrees"}
    assert evidence.against.by == "the numbers"


@pytest.mark.parametrize("name", ["mbsd/gimbal.mbsd", "mbsd/branched.mbsd", "robots/ur5.mbsd"])
def test_formulas_of_the_motion_have_the_numbers_of_the_kinematics(name):
    """What is compared term by term is what is compared in numbers."""
    drawn = draw(model(name), 3, 1)
    k = Kinematics(drawn.system, drawn.states)
    body = max(drawn.system.bodies, key=lambda b: len(drawn.system.path(b.name)))
    f = symbolic.frame(drawn.system, body.name, False)
    motion = k.frame(body.name)
    for quantity in ("position", "orientation", "velocity", "angular_velocity", "acceleration"):
        expected, size = numbers.expected_motion(quantity, motion, k)
        flat = expected.reshape(k.count, -1)
        labels = [a + b for a in "xyz" for b in "xyz"] if quantity == "orientation" else "xyz"
        for i, label in enumerate(labels):
            formula = symbolic.entry(drawn.system, quantity, label, f)
            assert abs(k.scalars([formula])[0] - flat[:, i]) == pytest.approx(0, abs=1e-10 * size.max())
    turning = np.einsum("sji,sjk->sik", motion.rotation, motion.turning)
    assert np.abs(turning).max() > 0.1
    for row, axis in enumerate("xyz"):
        for j, c in enumerate(drawn.system.coordinate_names):
            for kind, expected in (("v", motion.moving), ("w", turning)):
                formula = symbolic.entry(drawn.system, "jacobian", f"{kind}{axis} {c}", f)
                size = 1 + motion.path.max()
                assert k.scalars([formula])[0] == pytest.approx(expected[:, row, j], abs=1e-10 * size)


def test_a_pairing_that_is_given_is_used_and_checked():
    system, equations = model("mbsd/zi_zig.mbsd"), read(str(SETS / "double_pendulum"))
    right = against(system, equations, states=2, coordinates={"1": "z1", "2": "z2"})
    assert (right.verdict, right.against.by) == ("agrees", "the command")
    wrong = against(system, equations, states=2, coordinates={"1": "z2", "2": "z1"})
    assert wrong.verdict == "disagrees"
    shifted = text_model("nzi>zi g-y ; nu1=0.5")
    assert against(shifted, equations, states=2).verdict == "disagrees"
    found = against(shifted, equations, states=2, coordinates={"1": "z1+0.5", "2": "z2"})
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
        against(model("mbsd/zi_zig.mbsd"), read(str(SETS / "double_pendulum")), coordinates=coordinates)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zi", "the generated equations have 2 coordinates, the model has 1"),
        ("zi>zi>zi", "the generated equations have 2 coordinates, the model has 3"),
        ("z(m1)i$(q)>zi; q=1", "the generated equations have an identifier of this name"),
    ],
)
def test_a_model_of_another_machine_is_refused(text, message):
    with pytest.raises(ModelError) as caught:
        against(text_model(text), read(str(SETS / "double_pendulum")))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "quantities"),
    [
        ("zi>zj g-y", {"M", "h", "gravity"}),
        ("z-i>zi g-y", {"M", "h", "gravity"}),
        ("zi>zi$2 g-y", {"M"}),
        ("zi>zi[0.1,0.1,0.1] g-y", {"M"}),
        ('z"(2)i>zig-y', {"applied"}),
    ],
)
def test_a_machine_that_differs_disagrees(text, quantities):
    evidence = against(text_model(text), read(str(SETS / "double_pendulum")), states=3)
    found = {q for q, v in verdicts(evidence).items() if v != {"agrees"}}
    assert quantities <= found
    assert evidence.verdict != "agrees"


def test_a_force_that_the_equations_cannot_take_is_not_checked():
    """The pendulum's set has no joint forces: an effort of the model has no place there."""
    evidence = against(text_model('z"(2)i>zig-y'), read(str(SETS / "double_pendulum")), states=2)
    reasons = {c.quantity: c.explanation for c in evidence.comparisons if c.verdict == "not checked"}
    assert set(reasons) == {"applied", "inverse_dynamics"}
    assert "no joint force along z1" in reasons["applied"]


@pytest.mark.parametrize(
    ("absent", "unchecked"),
    [
        ("EqPendulum", {"h", "gravity", "applied", "inverse_dynamics"}),
        ("PendulumE", set(CANONICAL)),
        ("_KPendulum", set()),
    ],
)
def test_a_missing_file_never_makes_agreement_of_what_it_holds(absent, unchecked, tmp_path):
    shutil.copytree(SETS / "double_pendulum" / "C", tmp_path / "C")
    (tmp_path / "C" / f"{absent}.hpp").unlink()
    evidence = against(model("mbsd/zi_zig.mbsd"), read(str(tmp_path)), states=2)
    assert {c.quantity for c in evidence.comparisons if c.verdict == "not checked"} == unchecked
    assert evidence.verdict == ("not checked" if unchecked else "agrees")
    assert f"{absent}.hpp is missing" in said(evidence, "um/files")
    assert bool(set(verdicts(evidence)) & set(MOTIONS)) is (absent != "_KPendulum")


def test_closed_loops_are_left_out_and_said_to_be(tmp_path):
    system = model("mbsd/four_bar.mbsd")
    assert system.constraints
    evidence = against(system, set_of(system, tmp_path), states=3)
    assert verdicts(evidence).pop("constraints") == {"not checked"}
    assert all(v == {"agrees"} for q, v in verdicts(evidence).items() if q != "constraints")
    assert (evidence.verdict, set(verdicts(evidence)) > {*CANONICAL, *MOTIONS}) == ("not checked", True)


def test_the_print_of_figure_9(tmp_path):
    """Its third row, as the paper has it, is of the other sign."""
    file = tmp_path / "fig9.txt"
    file.write_text(PRINT_9)
    evidence = against(text_model("xk"), read(str(file)), states=3)
    (comparison,) = evidence.comparisons
    assert (comparison.verdict, comparison.entry) == ("disagrees", ("body1 z",))
    (terms,) = comparison.terms
    assert [(t.monomial, t.first, t.second) for t in terms.terms] == [("k1*cos(x1)", -1, 1)]
    file.write_text(PRINT_9.replace("-_c1", "_c1"))
    assert against(text_model("xk"), read(str(file)), states=3).verdict == "agrees"
    assert against(text_model("x-k"), read(str(file)), states=3).verdict == "disagrees"


def test_the_print_of_figure_12_differs_where_the_errata_say(tmp_path):
    folder = FIXTURES / "um_prints" / "manipulator_position.toml"
    rows = tomllib.loads(folder.read_text("utf-8"))["fig12"]["rows"]
    lines = []
    for number, row in enumerate(rows, 1):
        formula = " ".join(row.split())
        named = "".join(f"_{word}" if word[0].isalpha() else word for word in _words(formula))
        lines.append(f"_bodyposition[{number}] := {named};")
    file = tmp_path / "fig12.txt"
    file.write_text("\n".join(lines))
    given = {"1": "z1", "2": "x1", "3": "x2 + pi/2", "4": "x3", "5": "z2", "6": "z3"}
    evidence = against(model("mbsd/arm.mbsd"), read(str(file)), states=3, coordinates=given)
    (comparison,) = evidence.comparisons
    found = {t.entry[0]: {(m.monomial, m.first, m.second) for m in t.terms} for t in comparison.terms}
    expected = {
        f"body6 {axis}": {(d.monomial, d.second, d.first) for d in row}
        for axis, row in zip("xyz", errata.manipulator_differences()["fig12"], strict=True)
    }
    assert found == expected
    assert "base" in said(evidence, "um/identifiers")


def _words(formula):
    word = ""
    for sign in formula:
        if sign.isalnum():
            word += sign
            continue
        if word:
            yield word
        word = ""
        yield sign
    if word:
        yield word


def test_a_print_of_more_coordinates_than_the_model_has_is_refused(tmp_path):
    file = tmp_path / "print.txt"
    file.write_text(PRINT_9.replace("_s1", "_s3"))
    with pytest.raises(ModelError, match="uses coordinate 3, the model has 1"):
        against(text_model("xk"), read(str(file)))


@pytest.mark.parametrize("source", ["um", "um:", ":x", "mbsd:x", "nothing:x"])
def test_sources_that_name_no_equations(source):
    with pytest.raises(MbconcordError):
        registry.read_equations(source)


PENDULUM = str(FIXTURES / "mbsd" / "zi_zig.mbsd")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}"], 0),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum' / 'C' / '_KPendulum.hpp'}"], 3),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum_wrong'}"], 1),
        ([PENDULUM, "--against", "um:/nowhere"], 2),
        ([PENDULUM, "--against", "native:x"], 2),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}", "--coordinates", "1=z2,2=z1"], 1),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}", "--coordinates", "1=z1,1=z2"], 2),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}", "--coordinates", "z1"], 2),
        ([PENDULUM, "--coordinates", "1=z1"], 2),
        ([PENDULUM, PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}"], 2),
        ([str(FIXTURES / "mbsd" / "zig.mbsd"), "--against", f"um:{SETS / 'double_pendulum'}"], 2),
    ],
)
def test_exit_codes(arguments, code, capsys):
    assert main(["check", *arguments, "--states", "2", "--formalisms", "lagrange,newton_euler"]) == code
    captured = capsys.readouterr()
    assert ("error: " in captured.err) is (code == 2)


def test_json_and_reports(capsys, tmp_path):
    command = ["check", PENDULUM, "--against", f"um:{SETS / 'double_pendulum_wrong'}", "--json"]
    assert main([*command, "--report", str(tmp_path / "report.html")]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["against"]["matching"] == {"by": "order", "coordinates": {"1": "z1", "2": "z2"}}
    assert data["against"]["bodies"] == {"1": "body1", "2": "body2"}
    (terms,) = {json.dumps(p["terms"]) for p in data["pairs"] if p["quantity"] == "h" and "terms" in p}
    assert json.loads(terms) == [
        {
            "entry": ["z1"],
            "terms": [{"monomial": "i1*i2*m2*z1'*z2'*sin(z2)", "a": -1.0, "b": -2.0}],
            "more": 0,
            "reason": "",
        }
    ]
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Against um:" in page
    assert "i1*i2*m2*z1&#39;*z2&#39;*sin(z2)" in page
    evidence = against(model("mbsd/zi_zig.mbsd"), read(str(SETS / "double_pendulum_wrong")), PENDULUM)
    for form in ("r.md", "r.xml", "r.json"):
        assert "i1*i2*m2*z1'*z2'*sin(z2)" in render([evidence], form).replace("&#39;", "'")
    shown = one_file(evidence, ["--against", "um:x"])
    assert "h[z1]: um disagrees with lagrange, newton_euler, virtual_work, konoplev, telegin" in shown
    command = next(line for line in shown.splitlines() if "reproduce: " in line)
    assert "um," not in command
    assert "--against um:x" in command


def test_coefficients_are_shown_short_and_compared_as_printed_digits(tmp_path):
    """A program prints 15 digits: what differs beyond them is no monomial that differs."""
    equations = wrong_copy(tmp_path, "PendulumC", "_->_[12] = 2;", "_->_[12] = 2.000000000000001;")
    evidence = against(model("mbsd/zi_zig.mbsd"), equations, states=3)
    assert evidence.verdict == "agrees"
    shutil.rmtree(tmp_path / "C")
    equations = wrong_copy(tmp_path, "PendulumC", "_->_[12] = 2;", "_->_[12] = 2.00001;")
    evidence = against(model("mbsd/zi_zig.mbsd"), equations, states=3)
    (terms,) = [t for c in evidence.comparisons if c.quantity == "M" for t in c.terms]
    assert [(t.monomial, t.first) for t in terms.terms] == [("i1*i2*m2*cos(z2)", Fraction("2.00001"))]
