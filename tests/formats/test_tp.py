"""Tables of parameters: reading, and what they mean."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files

import numpy as np
import openpyxl
import pytest

from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.tp import FORMAT
from mbconcord.converters.tp.cells import FIXED, body_axes, noncollinear
from mbconcord.formalisms.registry import formalism, names
from mbconcord.model import NumbersError, ReadError, State
from mbconcord.model.derivation import EFFORT, QUANTITIES
from mbconcord.model.expressions import ZERO, number
from mbconcord.validation.check import check

from ..reference.linkages import TABLES as VECTORS

FOLDER = files("mbconcord.fixtures").joinpath("tp")
TABLES = sorted(p.name for p in FOLDER.iterdir() if p.name.endswith(".tp.csv"))
PRINTED = tomllib.loads(FOLDER.joinpath("printed.toml").read_text("utf-8"))
LEG = "i;КП;q;d;x;y;z\n1;ВКП;y;y;x_1;y;z_1\n2;ВКП;z_1;x_2;x_2;y_2;z_1\n3;ВКП;z_1;-y_3;x_3;y_3;z_1\n"
PLANAR = (
    "i-1;КП;q;d;x;y;z;m_o;R_x;R_y;c_x;c_y;I_zz\n"
    "0;ВКП;z;;x_1;y_1;z;2;0;0;0.3;0.1;0.05\n"
    "1;ПКП;x_1;0;x_1;y_1;z;1;0.5;0;0;0;0.01\n"
)


def text(name):
    return FOLDER.joinpath(name).read_text("utf-8")


def system(source, file="t.tp.csv"):
    return registry.read_text(source, file).system


def notes(source):
    return [d.message for d in registry.read_text(source, "t.tp.csv").diagnostics]


@pytest.mark.rest
@pytest.mark.slow
def test_the_folder_of_tables_is_green(capsys):
    """Every table by all formalisms, those without masses at drawn ones: exit code 0, nobody left out."""
    assert main(["check", str(FOLDER), "--states", "2", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [e["file"].rpartition("/")[2] for e in found] == TABLES
    for e in found:
        assert e["verdict"] == "agrees"
        assert [f["name"] for f in e["formalisms"] if not f["obstacles"]] == list(names())
        assert {c["quantity"] for c in e["pairs"] if not c["claim"]} == {*QUANTITIES} - {EFFORT}


@pytest.mark.parametrize("name", [n for n, e in PRINTED.items() if "nko" in e])
def test_the_list_of_noncollinear_vectors_is_the_printed_one(name):
    expected = ", ".join(PRINTED[name]["nko"])
    assert f"НКО = ({expected})" in notes(text(PRINTED[name]["file"]))


def test_a_prismatic_body_keeps_all_axes_and_a_revolute_one_its_own():
    assert body_axes(FIXED, "translation", 0, 1) == FIXED
    first = body_axes(FIXED, "rotation", 1, 1)
    second = body_axes(first, "rotation", 2, 2)
    assert (first, second) == (("x_1", "y", "z_1"), ("x_2", "y_2", "z_1"))
    assert noncollinear([second, first]) == ("y", "x_2", "y_2", "z_1", "x_1")


def test_a_row_is_a_shift_and_a_motion_of_the_pole():
    model = system(text("quadruped.tp.csv"))
    hip, thigh, foot = model.bodies[3:6]
    assert (hip.parent, thigh.parent, foot.parent) == (None, "body4", "body5")
    shown = [(et.kind, et.axis, et.motion) for et in thigh.joint]
    assert [(k, [str(x) for x in a]) for k, a, _ in shown] == [
        ("translation", ["1", "0", "0"]), ("translation", ["0", "1", "0"]), ("translation", ["0", "0", "1"]),
        ("translation", ["1", "0", "0"]),
    ]  # fmt: skip
    assert thigh.joint[3].coordinate == "q5" and model.coordinates[4].position is number("0.4")
    assert foot.joint[1].axis[1] is number(-1) and foot.joint[1].is_translation
    assert [str(x) for x in model.gravity_vector] == ["0", "-9.81", "0"]


ENGLISH = {"i": "body", "i-1": "base", "КП": "joint", "q": "axis", "d": "cg", "m_o": "own_mass"}


def english(source):
    head, *rows = source.splitlines()
    names = [ENGLISH.get(n, n) for n in head.split(";")]
    return "\n".join([";".join(names), *rows]).replace("ВКП", "R").replace("ПКП", "P") + "\n"


@pytest.mark.parametrize("name", ["leg.tp.csv", "table7.tp.csv", "hexapod.tp.csv"])
@pytest.mark.parametrize(
    "change",
    [
        english,
        lambda s: s.replace(";", ","),
        lambda s: s.replace(";", "\t"),
        lambda s: s.replace(".", ","),
        lambda s: "\ufeff" + s,
        lambda s: s.replace("\n", "\r\n"),
        lambda s: s + "\n;;;\n",
        lambda s: s.replace("-", "−"),
        lambda s: s.replace("ВКП", "BKП"),
        lambda s: "".join(f" {line} ".replace(";", " ; ") + "\n" for line in s.splitlines()),
    ],
    ids=["english", "commas", "tabs", "decimal comma", "BOM", "CRLF", "empty rows", "minus", "look-alikes", "blanks"],
)
def test_every_way_of_writing_a_table_is_the_same_model(name, change):
    assert replace(system(change(text(name))), omissions=()) == system(text(name))


def test_english_headers_stay():
    made = registry.write(system(english(text("leg.tp.csv"))), "tp")
    assert made.text.startswith("body;base;joint;axis;cg;x;y;z;own_mass;R_x")
    assert made.losses == ()
    assert registry.write(system(made.text), "tp").text == made.text


def test_what_a_workbook_holds_beside_the_table_is_an_omission(tmp_path):
    path = tmp_path / "t.tp.xlsx"
    path.write_bytes(registry.encode(registry.Writing(text("leg.tp.csv")), str(path), "tp"))
    book = openpyxl.load_workbook(path)
    book.worksheets[0]["A2"].comment = openpyxl.comments.Comment("the hip", "me")
    book.create_sheet("notes")["B2"] = "measured"
    book.create_sheet("empty")
    book.save(path)
    made = registry.read(path).system
    found = [(o.kind, o.place, o.what) for o in made.omissions]
    assert found == [("comment", "comment/A2", "the hip"), ("sheet", "sheet/notes", "notes, A1:B2")]
    assert [loss.what for loss in registry.write(made, "tp").losses] == [
        "the comment the hip", "the sheet of a workbook that the reader left out (effect on the motion: none)",
    ]  # fmt: skip


def test_a_stop_that_is_lost_acts_where_it_is_reached():
    """A loss of the range of a joint is no loss without effect: info and check say so, too."""
    tensor = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    joint = (
        '<parent link="w"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="0" velocity="0"/>'
    )
    robot = f'<link name="w"/><link name="a"><inertial><mass value="2"/>{tensor}</inertial></link>'
    made = registry.read_text(
        f'<robot name="r">{robot}<joint name="j" type="revolute">{joint}</joint></robot>', "urdf"
    ).system
    (loss,) = [loss for loss in registry.write(made, "tp").losses if loss.place == "omissions/joint-limit/j"]
    assert loss.what == "the limit of a joint that the reader left out (effect on the motion: where it is reached)"


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1251"])
def test_encodings(name, encoding, tmp_path):
    path = tmp_path / "t.tp.csv"
    path.write_bytes(text(name).encode(encoding))
    read = registry.read(path).system
    assert replace(read, omissions=()) == system(text(name))
    assert [o.what for o in read.omissions] == ([] if encoding == "utf-8" else [encoding])


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_a_workbook_holds_the_same_table(name, tmp_path):
    path = tmp_path / "t.tp.xlsx"
    path.write_bytes(registry.encode(registry.Writing(text(name)), str(path), "tp"))
    assert path.read_bytes().startswith(b"PK")
    assert registry.read(path).system == system(text(name))


def test_sniffing():
    assert registry.detect("a.csv", english(text("leg.tp.csv"))) is FORMAT
    assert registry.detect("-", LEG) is FORMAT
    assert not FORMAT.sniff("zi > zi g") and not FORMAT.sniff('{"format": "mbconcord"}')


@pytest.mark.parametrize(
    ("source", "same"),
    [
        (LEG.replace("i;", "i-1;").replace("\n1;", "\n0;").replace("\n2;", "\n1;").replace("\n3;", "\n2;"), LEG),
        ("".join(line.partition(";")[2] + "\n" for line in LEG.splitlines()), LEG),
    ],
    ids=["bases", "neither"],
)
def test_a_chain_needs_no_bases(source, same):
    assert system(source) == system(same)


def test_a_table_without_masses_says_which_numbers_are_missing():
    model = system(LEG)
    assert {"m_o1", "d_1", "d_3", "R_x2", "I_yz3"} <= {p.name for p in model.parameters}
    with pytest.raises(NumbersError) as caught:
        formalism("lagrange").evaluate(model, [State()])
    assert {d.place for d in caught.value.diagnostics} == {f"parameters/{p.name}" for p in model.parameters}
    assert any("m_o1" in note and "без значений" in note for note in notes(LEG))


def test_a_known_subsystem_mass_and_distance_are_enough_for_gravity():
    """m_i and d_i in place of own masses and centres: the same weight, and m_oi = m_i - Σ m_j."""
    case = VECTORS["spherical"]
    header, *rows = text("table4.tp.csv").splitlines()
    distances = [md / m for md, m in zip(case["m_di"], case["m_i"], strict=True)]
    more = [f"{row};{m!r};{d!r}" for row, m, d in zip(rows, case["m_i"], distances, strict=True)]
    model = system("\n".join([f"{header};m_i;d_i", *more]) + "\n")
    assert model.bodies[0].inertia.mass is number("2.24")
    parameters = {p.name: 0.3 for p in model.parameters}
    state = State(0, dict(zip(model.coordinate_names, case["q"], strict=True)), parameters=parameters)
    found = formalism("lagrange").evaluate(model, [state]).quantities["gravity"][0]
    np.testing.assert_allclose(found, case["Q_gravity"], rtol=1e-9, atol=1e-9)


def test_d_completes_the_digits_of_a_centre():
    """m_o c + Σ m_j R_j is exactly parallel to d, and the change is a rounding."""
    model = system(text("polar.tp.csv"))
    first, second = model.bodies
    moment = [
        first.inertia.mass * c + second.inertia.mass * et.motion.value
        for c, et in zip(first.inertia.centre, second.joint[:3], strict=True)
    ]
    assert moment[1] is ZERO and moment[2] is ZERO
    assert abs(first.inertia.centre[1].value - Fraction("0.391083333333")) < Fraction(1, 10**12)
    assert any("цифры дополнены" in note for note in notes(text("polar.tp.csv")))


def test_an_empty_d_follows_from_the_masses():
    source = text("quadruped.tp.csv")
    without = "\n".join(
        ";".join("" if i == 4 and n else cell for i, cell in enumerate(line.split(";")))
        for n, line in enumerate(source.splitlines())
    )
    assert system(without) == system(source)


def test_a_planar_table_needs_two_components_and_one_moment():
    model = system(PLANAR)
    assert [str(x) for x in model.bodies[0].inertia.tensor] == ["0.025", "0.025", "0.05", "0", "0", "0"]
    assert sum("I_zz / 2" in note for note in notes(PLANAR)) == 1
    assert check(model, states=2).verdict == "agrees"


def test_all_findings_of_a_table_come_at_once():
    broken = LEG.replace("ВКП;y;y", "ШКП;y;y").replace("ВКП;z_1;x_2", "ВКП;w;x_2").replace("-y_3;x_3", "-y_9;x_3")
    with pytest.raises(ReadError) as caught:
        system(broken)
    assert [d.location.line for d in caught.value.diagnostics] == [2, 3, 4]
