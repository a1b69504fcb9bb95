"""Reading equations that Universal Mechanism generated: C++ sets and prints, good and bad ones."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from importlib.resources import files
from math import cos, sin
from pathlib import Path

import numpy as np
import pytest

from laboratory.bench import um as um_reference
from mbconcord.converters import registry
from mbconcord.converters.um.equations import outputs as limits
from mbconcord.converters.um.equations import read
from mbconcord.formalisms import registry as formalisms
from mbconcord.model.diagnostics import ReadError
from mbconcord.model.equations import UNNAMED
from mbconcord.model.expressions import evaluate
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.witnesses.um import numbers
from mbconcord.validation.witnesses.um.pairing import by_order

from ...work import at_most
from .um_sets import write_set

FIXTURES = Path(str(files("mbconcord.fixtures")))
PENDULUM = FIXTURES / "um_equations" / "double_pendulum"
REFERENCE = um_reference.read_states()
SHARED_MODEL = Path(__file__).resolve().parents[4] / "shared" / "um" / "reference" / "input.dat"
NAMES = ("ry", "rx", "rz", "z", "y", "x", "turn")
FILES = {
    "_TPendulum.hpp", "PendulumC.hpp", "AlPendulum.hpp", "PendulumE.hpp", "EqPendulum.hpp", "_KPendulum.hpp",
    "CtPendulum.hpp",
}  # fmt: skip
PRINT_9 = "_bodyposition[1] := 0;\n_bodyposition[2] := -_k1*_s1;\n_bodyposition[3] := -_c1*_k1;\n"


def environment(row):
    """Values of the symbols of generated equations at a state of the reference numbers."""
    found = {"_jf1": row["joint_force"], "a": 0.0}
    for order, key in enumerate("qva"):
        found |= {f"_x{i + 1}" + "'" * order: x for i, x in enumerate(row[key])}
    for kind in ("force", "moment"):
        for n in (1, 2):
            found |= {f"_{kind}{n}_{axis}": row[f"body_{kind}"][n - 1][i] for i, axis in enumerate("xyz")}
    return found


def close(found, expected, tolerance=1e-10):
    """Relative to the largest number."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    return np.abs(found - expected).max() <= tolerance * max(np.abs(expected).max(), 1e-300)


def test_reference_states_are_not_all_trivial():
    assert sum(any(row["residual"]) for row in REFERENCE) >= 20
    assert sum(any(map(any, row["body_force"])) and any(map(any, row["body_moment"])) for row in REFERENCE) >= 5
    assert sum(bool(row["joint_force"]) for row in REFERENCE) >= 5


def test_um_models_read_from_their_own_file_give_the_same_numbers():
    if not SHARED_MODEL.exists():
        pytest.skip("not run: ../shared/um/reference/input.dat, a file of UM itself, is not here")
    system = registry.read(SHARED_MODEL).system
    for name in formalisms.names():
        if name != "static_moments":
            assert max(um_reference.worst(formalisms.formalism(name), system)) <= 1e-10


@pytest.mark.parametrize(
    "quantity", ["position", "orientation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"]
)
def test_kinematics_give_the_motion_that_um_generated(quantity):
    k = TreeKinematics(
        um_reference.add_loads(um_reference.model()), [um_reference.state(row, NAMES) for row in REFERENCE]
    )
    for n, body in enumerate(k.system.bodies):
        found, _ = numbers.expected_motion(quantity, k.frame(body.name), k)
        for i, row in enumerate(REFERENCE):
            assert close(found[i], row["bodies"][n][quantity])


@pytest.mark.slow
def test_a_written_set_is_read_with_the_numbers_that_um_generated(tmp_path):
    """Signs, axes, transposition: what the reader makes of a set are UM's numbers for the same machine."""
    equations = read(str(write_set(um_reference.model(), tmp_path, ["a"])))
    assert (equations.count, equations.identifiers, equations.joint_forces) == (7, ("a",), (1,))
    for row in REFERENCE:
        values = environment(row)
        assert close([evaluate(r, values) for r in equations.mass_matrix], um_reference.mass_matrix(row))
        assert close(evaluate(equations.residual, values), row["residual"])
        for n, body in enumerate(row["bodies"], 1):
            motion = equations.bodies[n]
            for quantity in ("position", "velocity", "angular_velocity", "acceleration", "angular_acceleration"):
                assert close(evaluate(getattr(motion, quantity), values), body[quantity])
            assert close([evaluate(r, values) for r in motion.orientation], body["orientation"])
            assert close([evaluate(r, values) for r in motion.screws], body["screws"])
            columns = [evaluate(motion.jacobian[i], values) for i in sorted(motion.jacobian)]
            assert close(np.transpose(columns), body["jacobian"])


def test_the_double_pendulum_written_by_hand_is_the_closed_form():
    """Spec of MBSD, line zi>zig: M, h and, with weights as body forces, Q."""
    equations = read(str(PENDULUM))
    assert equations.count == 2
    assert equations.identifiers == ("i1", "i2", "m1", "m2")
    assert {d.place for d in equations.diagnostics} == {"um/forces"}
    rng = random.Random(3)
    for _ in range(20):
        i1, i2, m1, m2, g, z1, z2, v1, v2, a1, a2 = (rng.uniform(0.5, 2) for _ in range(11))
        values = {"i1": i1, "i2": i2, "m1": m1, "m2": m2, "_x1": z1, "_x2": z2, "_x1'": v1, "_x2'": v2}
        values |= {"_x1''": a1, "_x2''": a2, "_force1_y": -m1 * g, "_force2_y": -m2 * g, "_force1_x": 0.0}
        values |= {"_force2_x": 0.0, "_moment1_z": 0.0, "_moment2_z": 0.0}
        m11 = m1 * i1**2 + m2 * (i1**2 + 2 * i1 * i2 * cos(z2) + i2**2)
        m12, m22 = m2 * i2 * (i1 * cos(z2) + i2), m2 * i2**2
        h = -m2 * i1 * i2 * v2 * (2 * v1 + v2) * sin(z2), m2 * i1 * i2 * v1**2 * sin(z2)
        q = -g * ((m1 + m2) * i1 * cos(z1) + m2 * i2 * cos(z1 + z2)), -g * m2 * i2 * cos(z1 + z2)
        found = [evaluate(row, values) for row in equations.mass_matrix]
        assert np.allclose(found, [[m11, m12], [m12, m22]], rtol=1e-13)
        expected = m11 * a1 + m12 * a2 + h[0] - q[0], m12 * a1 + m22 * a2 + h[1] - q[1]
        assert np.allclose(evaluate(equations.residual, values), expected, rtol=1e-12)


def test_capitals_in_names_of_files_tell_nothing(tmp_path):
    """A copy by a program that knows none: folder c, files in small letters."""
    (tmp_path / "c").mkdir()
    for file in (PENDULUM / "C").iterdir():
        shutil.copy(file, tmp_path / "c" / file.name.lower())
    found, known = (
        replace(read(str(folder)), source="", diagnostics=(), statements={}, places={}, repeated=None)
        for folder in (tmp_path, PENDULUM)
    )
    assert found == known


def test_a_folder_that_holds_the_set_itself_and_one_that_holds_C():
    inner, outer = read(str(PENDULUM / "C")), read(str(PENDULUM))
    assert inner.residual == outer.residual
    assert inner.mass_matrix == outer.mass_matrix


def test_statements_run_in_the_order_of_the_file(tmp_path):
    """A smaller number after a larger one, and a second meaning of the same element."""
    text = "void DoElement( VectRPtr _x, VectRPtr _v, integer _mode, integer _isubs )\n{ switch( _mode ) { case 1 : {\n"
    text += "_->_[5] = _x[0]*_x[0];\n_->_[1] = _->_[5]+_x[1];\n_->_[5] = 3;\n_->_[2] = _->_[5]*_->_[1];\nbreak; }\n"
    text += "case 4 : { _lMassMatrix[0][0] = _->_[2]; _lMassMatrix[1][1] = 1; break; } } }"
    file = tmp_path / "ObjE.hpp"
    file.write_text(text)
    equations = read(str(file))
    assert evaluate(equations.mass_matrix[0], {"_x1": 2.0, "_x2": 5.0}) == [27.0, 0.0]
    assert str(equations.mass_matrix[1][0]) == "0"


def test_a_case_without_break_runs_on_into_the_next_one(tmp_path):
    body = "case 1 : { _bodyposition[0] = 1; } case 2 : { _bodyposition[1] = 2; _bodyposition[2] = 3; break; }"
    file = tmp_path / "_KObj.hpp"
    file.write_text(
        "void CoorCalc( coordin &_bodyposition, VectRPtr _x, VectRPtr _v, integer _index, integer _isubs )\n"
        f"{{ switch( _index ) {{ {body} }} }}"
    )
    positions = {n: list(map(str, m.position)) for n, m in read(str(file)).bodies.items()}
    assert positions == {1: ["1", "2", "3"], 2: ["0", "2", "3"]}


def copy(tmp_path, **edits):
    """The pendulum's set with edits: file -> (old, new), None to leave the file out."""
    folder = tmp_path / "C"
    shutil.copytree(PENDULUM / "C", folder)
    for stem, edit in edits.items():
        file = folder / f"{stem}.hpp"
        if edit is None:
            file.unlink()
            continue
        text = file.read_text("utf-8")
        assert edit[0] in text
        file.write_text(text.replace(edit[0], edit[1], 1), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("absent", "lost"),
    [
        ("_TPendulum", set()),
        ("CtPendulum", set()),
        ("AlPendulum", set()),
        ("EqPendulum", {"residual"}),
        ("_KPendulum", {"bodies"}),
        ("PendulumE", {"mass_matrix", "residual", "position"}),
        ("PendulumC", {"mass_matrix", "residual"}),
    ],
)
def test_a_missing_file_is_reported_and_takes_only_what_it_tells(tmp_path, absent, lost):
    whole, equations = read(str(PENDULUM)), read(str(copy(tmp_path, **{absent: None})))
    assert f"{absent}.hpp is missing" in " ".join(d.message for d in equations.diagnostics)
    assert (equations.mass_matrix is None) is ("mass_matrix" in lost)
    assert (equations.residual is None) is ("residual" in lost)
    assert (not equations.bodies) is ("bodies" in lost)
    if "mass_matrix" not in lost:
        assert equations.mass_matrix == whole.mass_matrix
    if "residual" not in lost:
        assert equations.residual == whole.residual
    if equations.bodies:
        assert equations.bodies[1].orientation == whole.bodies[1].orientation
        assert (equations.bodies[1].position is None) is ("position" in lost)


E9 = "      _->_[9] = _->i2*_->_[5];\n"
RIGHT = "_->i2*_->_[5]"
#: File, text, what is put in its place, and what the message says.
BAD = {
    "read before written": ("PendulumE", E9, "", "_->_[9] is read before it is written; expected"),
    "an identifier of no struct": ("PendulumE", "_->i1*_->_c1", "_->i7*_->_c1", "_->i7 is read before"),
    "outside the work array": ("PendulumE", "_->_[63] =", "_->_[64] =", "expected 0 to 63"),
    "a coordinate too many": ("PendulumE", "_v[0]*_v[0]", "_v[0]*_v[2]", "coordinate 2; expected 0 to 1"),
    "a huge index": ("PendulumE", "_v[0]*_v[0]", "_v[0]*_v[99999999999]", "out of range"),
    "an index that is no number": ("EqPendulum", "_Frc_Vctr[1]", "_Frc_Vctr[i]", "expected whole numbers"),
    "upper triangle": ("PendulumE", "_lMassMatrix[1][0]", "_lMassMatrix[0][1]", "the lower triangle"),
    "a fourth component": ("_KPendulum", "_bodyposition[2] = 0;", "_bodyposition[3] = 0;", "3 elements"),
    "a seventh row": ("_KPendulum", "_b[5][0]", "_b[6][0]", "6 by n"),
    "a third body": ("PendulumE", "_bForce[_isubs-1][0][0]", "_bForce[_isubs-1][2][0]", "expected 1 to 2"),
    "a fourth axis": ("PendulumE", "_bForce[_isubs-1][0][0]", "_bForce[_isubs-1][0][3]", "expected 0, 1 or 2"),
    "a fraction for a flag": ("AlPendulum", "_isubs = -2;", "_isubs = -2.0000001;", "expected a whole number"),
    "an unknown statement": ("PendulumE", E9, "while (1) { }\n", "generated C++: found '{', expected"),
    "an unknown sign": ("PendulumE", RIGHT, "_->i2%_->_[5]", "generated C++: found '%', expected"),
    "an unknown function": ("PendulumE", RIGHT, "system( _->_[5] )", "found the function system, expected one of"),
    "a division by zero": ("PendulumE", RIGHT, "_->_[5]/0", "division by zero"),
    "a huge number": ("PendulumE", RIGHT, "1e99999*_->_[5]", "out of range"),
    "an endless comment": ("PendulumE", E9, "/* ", "found the end, expected"),
    "a truncated file": ("EqPendulum", "_->_[61];", "", "generated C++: found"),
    "a call of itself": ("PendulumE", E9, "DoElement( _x, _v, 1, _isubs );\n", "DoElement calls itself"),
    "deep brackets": ("PendulumE", RIGHT, "(" * 100 + "1" + ")" * 100, "nested deeper than"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_sets_are_refused_with_place_found_and_expected(tmp_path, case):
    stem, old, new, message = BAD[case]
    with pytest.raises(ReadError) as caught:
        read(str(copy(tmp_path, **{stem: (old, new)})))
    (finding,) = caught.value.diagnostics
    assert message in finding.message
    assert Path(finding.location.file).name == f"{stem}.hpp"
    text = (tmp_path / "C" / f"{stem}.hpp").read_text("utf-8").splitlines()
    assert 1 <= finding.location.line <= len(text) + 1


def test_a_place_is_that_of_the_operand(tmp_path):
    with pytest.raises(ReadError) as caught:
        read(str(copy(tmp_path, PendulumE=(E9, ""))))
    where = caught.value.diagnostics[0].location
    line = (tmp_path / "C" / "PendulumE.hpp").read_text("utf-8").splitlines()[where.line - 1]
    assert line[where.column - 1 :].startswith("_->_[9]")


def test_an_unknown_call_is_reported_and_what_it_sets_is_left_out(tmp_path):
    edit = ("_->_[6] = _->i1*_->_c1;", "Fetch( _isubs, _->_[6] );")
    equations = read(str(copy(tmp_path, PendulumE=edit)))
    said = " ".join(d.message for d in equations.diagnostics)
    assert "this call is not known here" in said
    assert "position" in said
    assert equations.residual is None
    assert equations.bodies[1].position is None
    assert equations.mass_matrix is not None


def test_closed_loops_are_reported(tmp_path):
    edit = ("break;", "_Error[0] = 1; break;")
    assert read(str(copy(tmp_path, CtPendulum=edit))).loops is True


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: p / "absent", "No such file"),
        (lambda p: p, "no equations that Universal Mechanism generated; expected"),
        (lambda p: written(p / "empty.hpp", b""), "the file is empty"),
        (lambda p: written(p / "binary.hpp", b"void\0"), "a binary file"),
        (lambda p: written(p / "other.txt", b"_bodysize[1] := 2;"), "expected one of _bodyposition"),
        (lambda p: written(p / "other.txt", b"_bodyposition[4] := 2;"), "found the index 4, expected 1, 2 or 3"),
        (lambda p: written(p / "other.txt", b"_bodyposition[1] := 2;"), "row 2, 3 is missing"),
        (lambda p: written(p / "twice.txt", PRINT_9.encode() * 2), "written twice"),
        (lambda p: written(p / "other.txt", b"_bodyposition[1] := _s1 _c1;"), "found '_c1', expected"),
        (lambda p: written(p / "other.txt", b"_bodyposition[1] := _q[1,2];"), "found _q[1,2], expected a name"),
        (lambda p: two_objects(p), "the equations of 2 objects (A, B)"),
    ],
)  # fmt: skip
def test_bad_places_and_prints_are_refused(tmp_path, make, message):
    with pytest.raises(ReadError) as caught:
        read(str(make(tmp_path)))
    assert message in str(caught.value)


def written(path, data):
    path.write_bytes(data)
    return path


def two_objects(folder):
    for name in "AB":
        (folder / f"Eq{name}.hpp").write_text("")
    return folder


@pytest.mark.parametrize("limit", ["UM_EQUATION_BYTES", "UM_SET_CHARACTERS"])
def test_files_that_are_too_large_are_refused(monkeypatch, limit):
    monkeypatch.setattr(limits, limit, 1000)
    with pytest.raises(ReadError, match=r"more than 1,000 (bytes|characters)"):
        read(str(PENDULUM))


@pytest.mark.rest
@pytest.mark.slow
def test_a_large_set_is_read_in_time(tmp_path):
    """20,000 statements, 1 MB."""
    lines = "".join(f"      _->_[{i}] = _->_[{i - 1}]*_->_c1+_->_s2*_v[{i % 2}];\n" for i in range(1000, 21000))
    made = "      _->_[999] = _->_c1;\n" + lines
    folder = copy(tmp_path, PendulumE=(E9, E9 + made), PendulumC=("64*sizeof", "30000*sizeof"))
    with at_most(20):
        assert read(str(folder)).count == 2


def test_nothing_outside_the_folder_is_read(tmp_path):
    """Include lines name files; none of them is opened."""
    edit = ('#include"CtvSt.hpp"', '#include"../../../../etc/passwd"\n#include"/dev/zero"')
    assert read(str(copy(tmp_path, PendulumE=edit))).count == 2


def test_comments_of_the_author_in_cp1251(tmp_path):
    folder = copy(tmp_path)
    file = folder / "C" / "PendulumE.hpp"
    file.write_bytes("/* маятник */\r\n".encode("cp1251") + file.read_bytes().replace(b"\n", b"\r\n"))
    assert read(str(folder)).residual == read(str(PENDULUM)).residual


def test_prints_count_from_one_and_join_broken_names(tmp_path):
    file = tmp_path / "print.txt"
    file.write_text(
        "{ end }\n_bodyposition[1] := _k1*_\n_s2+_x[3]; _bodyposition[2] := 2*_v[1];\n_bodyposition[3]:=1-_c1\n;"
    )
    equations = read(str(file))
    assert equations.count is None
    assert equations.identifiers == ("k1",)
    values = {"k1": 2.0, "_x1": 0.3, "_x2": 0.7, "_x3": 5.0, "_x1'": 4.0}
    assert np.allclose(evaluate(equations.bodies[UNNAMED].position, values), [2 * sin(0.7) + 5, 8, 1 - cos(0.3)])


def test_pairing_by_order_is_the_identity():
    system = um_reference.model()
    assert [p.coordinate for p in by_order(system, 7).pairs] == list(NAMES)
    assert {p.name for p in (PENDULUM / "C").iterdir()} == FILES


#: A line of the set of the double pendulum that is deleted -> why the code cannot run.
BROKEN = {
    "    _PzAll[i-1]->_ = (real_*)UMGetMem( 64*sizeof(real_) );\n": "InPzMem does not allocate the work array",
    "void EqCalc": "EqCalc uses _->_ and sets no _, expected _ = _PzAll[…]",
}


@pytest.mark.parametrize("number", ["-3", "2", "0"])
def test_another_sign_of_a_failure_is_a_doubt(number, tmp_path):
    folder = copy(tmp_path, AlPendulum=("_isubs = -2;", f"_isubs = {number};"))
    doubts = [doubt for kind, doubt in read(str(folder)).doubts if kind == "code"]
    assert doubts == [f"AllCalc sets _isubs to {number}, expected -2, by which UM is told of a failure"]


@pytest.mark.parametrize("line", BROKEN)
def test_code_that_cannot_run_is_a_doubt(line, tmp_path):
    shutil.copytree(PENDULUM / "C", tmp_path, dirs_exist_ok=True)
    assert not [doubt for doubt in read(str(tmp_path)).doubts if doubt[0] == "code"]
    (path,) = (path for path in tmp_path.iterdir() if line in path.read_text())
    before, text = path.read_text().split(line, 1)
    fetched = "  _ = _PzAll[SubIndx[_isubs-1]-1];\n"
    path.write_text(before + (text if line.endswith("\n") else line + text.replace(fetched, "", 1)))
    assert ("code", BROKEN[line]) in read(str(tmp_path)).doubts
