"""Files beside UM's input.dat: states (.xv) and parameters (.par), as bytes and on the command line."""

from __future__ import annotations

import json
import struct
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.um.beside import encode, list_losses, model_name, read_par, read_xv, write_par, write_xv
from mbconcord.model import State
from mbconcord.model.diagnostics import NumbersError, ReadError

from . import um_files

#: A state as UM writes it: q = (1, 2, 3), q' = 0; by hand from the layout of the format.
THREE = b"xv3" + bytes.fromhex(
    "000000000000f03f 0000000000000040 0000000000000840" + "00" * 24
)  # fmt: skip
DOUBLE = registry.read_text("z°30 i > z'0.5 i g", "double.mbsd").system


def test_the_bytes_of_a_state():
    vectors = read_xv(THREE)
    assert vectors.q.tolist() == [1.0, 2.0, 3.0]
    assert vectors.v.tolist() == [0.0, 0.0, 0.0]
    assert encode([1, 2, 3], [0, 0, 0]) == THREE


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(numbers, numbers), max_size=120))
def test_every_state_comes_back_bit_by_bit(rows):
    """Also where the first bytes of the numbers look like digits of the count."""
    q, v = [q for q, _ in rows], [v for _, v in rows]
    data = encode(q, v)
    assert len(data) == 2 + len(str(len(rows))) + 16 * len(rows)
    back = read_xv(data)
    assert struct.pack(f"<{len(q)}d", *back.q) == struct.pack(f"<{len(q)}d", *q)
    assert struct.pack(f"<{len(v)}d", *back.v) == struct.pack(f"<{len(v)}d", *v)


@pytest.mark.parametrize("n", [1, 2, 9, 10, 33])
@pytest.mark.parametrize("byte", list(b"0123456789"))
def test_numbers_that_begin_with_digits_are_not_the_count(n, byte):
    q = [struct.unpack("<d", bytes([byte] * 8))[0]] * n
    assert read_xv(encode(q, q)).q.tolist() == q


REFUSED = {
    "empty": (b"", "expected b'xv'"),
    "another file": (b"par\nm1 = 1\n", "expected b'xv'"),
    "no count": (b"xv", "expected the number of coordinates"),
    "no digits": (b"xv\x00\x00", "expected the number of coordinates"),
    "cut off": (THREE[:-1], "50 bytes; expected 51 for 3 coordinates"),
    "too long": (THREE + b"\0", "52 bytes; expected 51 for 3 coordinates"),
    "hostile count": (b"xv999999999", "11 bytes"),
    "hostile size": (b"xv2000000" + bytes(32_000_000), "expected at most 20,000,000"),
    "leading zero": (b"xv03" + b"\0" * 48, "expected 3 for 0 coordinates"),
    "NaN": (encode([1.0, np.nan], [0, 0]), "coordinate 2 of 2 is nan"),
    "infinite": (encode([1.0], [np.inf]), "velocity 1 of 1 is inf"),
}


@pytest.mark.parametrize(("data", "message"), REFUSED.values(), ids=REFUSED)
def test_other_bytes_are_refused(data, message):
    with pytest.raises(ReadError, match=message) as problem:
        read_xv(data, "last.xv")
    assert "last.xv" in str(problem.value)


def test_a_state_of_a_model():
    """The order is the model's; what a state leaves open is the model's initial value."""
    data = write_xv(State(q={"z2": 0.25}), DOUBLE)
    state = read_xv(data).state(DOUBLE)
    assert state.q == {"z1": pytest.approx(np.pi / 6, rel=1e-15), "z2": 0.25}
    assert state.v == {"z1": 0.0, "z2": 0.5}


def test_what_a_state_file_cannot_hold():
    state = State(t=2.0, a={"z1": 1.0}, parameters={"m1": 3.0})
    assert [loss.place for loss in list_losses(state)] == ["state/t", "state/a/z1", "state/parameters/m1"]
    assert list_losses(State(q={"z1": 1.0}, v={"z1": 1.0})) == []


def test_a_state_of_another_model():
    with pytest.raises(NumbersError, match=r"last.xv holds 3 coordinates; expected the model's 2"):
        read_xv(THREE).state(DOUBLE, "last.xv")


def test_parameters():
    text = "par\nR = 5\nforce_x = -1.77853126896611\nFL.p1 = 0.05\n"
    values = read_par(text)
    assert values == {
        "R": Fraction(5), "force_x": Fraction("-1.77853126896611"), "FL.p1": Fraction("0.05"),
    }  # fmt: skip
    assert write_par({name: float(x) for name, x in values.items()}) == text


@given(st.lists(numbers, max_size=20))
def test_every_parameter_comes_back(values):
    named = {f"p{i}": value for i, value in enumerate(values)}
    assert {name: float(x) for name, x in read_par(write_par(named)).items()} == named


PARAMETERS_REFUSED = {
    "empty": ("", ReadError, "found an empty file, expected 'par'"),
    "no head": ("m1 = 1\n", ReadError, "found 'm1 = 1', expected 'par'"),
    "no number": ("par\n\nm1 = a\n", NumbersError, "x.par:3:1: error: 'a' is not a finite number"),
    "underscore": ("par\nm1 = 1_0\n", NumbersError, "x.par:2:1: error: '1_0' is not a finite number"),
    "tiny": ("par\nm1 = 1e-400\n", NumbersError, "x.par:2:1: error: '1e-400' is beyond the range of floats"),
    "no equals sign": ("par\nm1\n", NumbersError, "x.par:2:1: error: 'm1' is not name = number"),
    "no name": ("par\n = 2\n", NumbersError, "x.par:2:1"),
    "not finite": ("par\nm1 = 1e999\n", NumbersError, "beyond the range of floats"),
    "twice": ("par\nm1 = 1\nm1 = 2\n", NumbersError, "x.par:3:1: error: parameters/m1: it has a number twice"),
}


@pytest.mark.parametrize(("text", "kind", "message"), PARAMETERS_REFUSED.values(), ids=PARAMETERS_REFUSED)
def test_bad_parameters_are_refused(text, kind, message):
    with pytest.raises(kind) as problem:
        read_par(text, "x.par")
    assert message in str(problem.value)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Runs a command in an empty folder with a double pendulum; its code and both outputs."""
    monkeypatch.chdir(tmp_path)
    Path("double.mbsd").write_text("z i > z i g\n", encoding="utf-8")
    Path("single.mbsd").write_text("z i g\n", encoding="utf-8")
    Path("state.json").write_text('{"q": {"z1": 0.25}, "v": {"z2": -1.5}}', encoding="utf-8")

    def call(command):
        code = main(command.split())
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_a_state_is_written_and_read(run):
    assert run("convert double.mbsd out.xv --state state.json")[0] == 0
    assert Path("out.xv").read_bytes() == b"xv2" + struct.pack("<4d", 0.25, 0, 0, -1.5)
    code, out, err = run("evaluate double.mbsd --formalism lagrange --state out.xv --json")
    assert code == 0
    assert json.loads(out)["q"] == [0.25, 0.0]
    assert json.loads(out)["v"] == [0.0, -1.5]
    assert "the numbers of out.xv are taken in the model's order: z1, z2" in err


def test_a_state_is_written_again(run):
    run("convert double.mbsd one.xv --state state.json")
    assert run("convert double.mbsd two.xv --state one.xv")[0] == 0
    assert Path("one.xv").read_bytes() == Path("two.xv").read_bytes()


@pytest.mark.parametrize("command", ["check double.mbsd", "compare double.mbsd double.mbsd"])
def test_commands_take_a_state(run, command):
    run("convert double.mbsd out.xv --state state.json")
    code, out, _ = run(f"{command} --state out.xv --json")
    assert code == 0
    assert '"agrees"' in out


@pytest.mark.parametrize(
    "command",
    ["check single.mbsd", "compare single.mbsd single.mbsd", "evaluate single.mbsd --formalism lagrange",
     "convert single.mbsd other.xv"],
)  # fmt: skip
def test_a_count_that_does_not_match_is_bad_input(run, command):
    run("convert double.mbsd out.xv")
    code, _, err = run(f"{command} --state out.xv")
    assert code == 2
    assert "out.xv holds 2 coordinates; expected the model's 1" in err
    assert not Path("other.xv").exists()


def test_parameters_are_written_and_read(run):
    assert run("convert double.mbsd out.par --set m2=2.5")[0] == 0
    assert Path("out.par").read_bytes() == b"par\ni1 = 1\nm1 = 1\ni2 = 1\nm2 = 2.5\ng = 9.81\n"
    code, out, _ = run("evaluate double.mbsd --formalism lagrange --set out.par --json")
    assert code == 0
    assert json.loads(out)["parameters"]["m2"] == 2.5
    code, _, err = run("evaluate single.mbsd --formalism lagrange --set out.par")
    assert code == 0
    assert "out.par has 2 names that the model does not have: ignored: i2, m2" in err


def test_files_beside_a_model_of_um(run):
    """UM's order is the model's, without a note; identifiers of subsystems have a dot in UM's files."""
    Path("six_legs.dat").write_text(um_files.text("six_legs"), encoding="utf-8")
    assert run("convert six_legs.dat start.xv --set FL_l1=0.075")[0] == 0
    assert run("convert six_legs.dat start.par --set FL_l1=0.075")[0] == 0
    lines = Path("start.par").read_text("utf-8").splitlines()
    assert "FL.l1 = 0.075" in lines
    command = "evaluate six_legs.dat --formalism newton_euler --state start.xv --set start.par --json"
    code, out, err = run(command)
    assert code == 3  # its contacts are left out
    assert "order" not in err
    numbers = json.loads(out)
    assert numbers["parameters"]["FL_l1"] == 0.075
    assert numbers["q"] == read_xv(Path("start.xv").read_bytes()).q.tolist()
    assert len(numbers["q"]) == 24


def test_names_that_become_one_are_refused(run):
    Path("two.par").write_text("par\nFL.p1 = 1\nFL_p1 = 2\n", encoding="utf-8")
    code, _, err = run("evaluate double.mbsd --formalism lagrange --set two.par")
    assert code == 2
    assert "parameters/FL_p1: error: two.par: two of UM's names are this one in the model" in err


@um_files.real
@pytest.mark.parametrize("name", ["pose_test", "single_leg", "test_hexapod", "to_delete"])
def test_real_files_beside_a_model(name):
    """What UM saved is read as a state of the model it was saved beside, and written to the same bytes."""
    folder = um_files.REAL / name
    model = registry.read(folder / "input.dat").system
    for file in ("input.xv", "last.xv"):
        data = (folder / file).read_bytes()
        assert write_xv(read_xv(data).state(model), model) == data
    start = read_xv((folder / "input.xv").read_bytes())
    assert read_xv(write_xv(State(), model)).q == pytest.approx(start.q, abs=1e-15)
    text = (folder / "last.par").read_text("utf-8")
    values = {name: float(x) for name, x in read_par(text).items()}
    assert write_par(values) == text
    assert {model_name(name) for name in values} <= {p.name for p in model.parameters}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("convert double.mbsd out.xv --verify", "--verify: error: out.xv holds no model"),
        ("convert double.mbsd out.par --to mbsd", "--to: error: out.par holds no model"),
        ("convert double.mbsd out.mbsd --state state.json", "--state: error: out.mbsd holds a model"),
        ("evaluate double.mbsd --formalism lagrange --state none.xv", "none.xv: error: No such file"),
    ],
)
def test_what_makes_no_sense_is_refused(run, command, message):
    code, _, err = run(command)
    assert code == 2
    assert message in err
    assert not list(Path().glob("out.*"))


def test_losses_are_refused_when_strict(run):
    Path("late.json").write_text('{"t": 1}', encoding="utf-8")
    code, _, err = run("convert double.mbsd out.xv --state late.json --strict")
    assert code == 1
    assert "state/t" in err
    assert not Path("out.xv").exists()
    code, out, _ = run("convert double.mbsd out.xv --state late.json --json")
    assert code == 0
    assert json.loads(out)["losses"][0]["place"] == "state/t"
