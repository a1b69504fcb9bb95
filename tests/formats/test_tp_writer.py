"""Writing tables: round trips, degradation, and every loss named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.tp.writer import to_plain_table
from mbconcord.model import (
    Body,
    Coordinate,
    Function,
    Gravity,
    Inertia,
    Parameter,
    System,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.expressions import PI_NODE, TIME, ZERO, as_expression, call, number, symbol
from mbconcord.model.transformation import vector
from mbconcord.validation.compare import same_machine
from mbconcord.validation.strategies.trees import random_system

from .test_tp import LEG, TABLES, system, text

DOWN = Gravity(number("9.81"), vector((0, -1, 0)))


def written(model):
    return registry.write(model, "tp")


def back(model):
    return system(written(model).text)


@pytest.mark.parametrize("name", TABLES)
def test_through_mbsd_and_back(name):
    """The same text comes back, from numbers and from a table without masses; nothing is lost on the way."""
    model = system(text(name))
    line = registry.write(model, "mbsd")
    assert line.losses == ()
    again = registry.read_text(line.text, "t.mbsd").system
    assert written(again).text == written(model).text
    assert written(again).losses == ()


@pytest.mark.parametrize("name", [n for n in TABLES if n.startswith("table")])
def test_a_table_of_the_paper_is_written_as_it_was(name):
    assert written(system(text(name))).text == text(name)


@pytest.mark.parametrize(
    ("full", "paper"),
    [("polar", "table1"), ("cylindrical", "table2"), ("cartesian", "table3"), ("spherical", "table4"),
     ("leg", "table5"), ("angular", "table6"), ("two_arm", "table7")],
)  # fmt: skip
def test_an_extended_table_without_its_columns_is_the_paper_s(full, paper):
    assert to_plain_table(written(system(text(f"{full}.tp.csv"))).text) == text(f"{paper}.tp.csv")


def on_axes(model):
    """The model with axes put on coordinate axes and rotations made quarter turns."""
    bodies = []
    for body in model.bodies:
        joint = []
        for et in body.joint:
            letter = max(
                "xyz",
                key=lambda a: abs(float(et.axis["xyz".index(a)].value if et.axis["xyz".index(a)].op == "num" else 0)),
            )
            if et.coordinate:
                joint.append(replace(et, axis=vector([1 if a == letter else 0 for a in "xyz"])))
            elif et.is_translation:
                joint += shift([number("0.3"), number("-0.2"), number("0.5")])
            else:
                joint.append(rotation(letter, PI_NODE / 2))
        bodies.append(replace(body, joint=tuple(joint)))
    coordinates = tuple(replace(c, drive=None, velocity=ZERO) for c in model.coordinates)
    return replace(model, bodies=tuple(bodies), coordinates=coordinates, gravity=DOWN, forces=(), functions=())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
def test_random_trees_stay_the_same_machine(seed):
    """Merged bodies, split joints, moved and turned frames: the same dynamics, and each is reported."""
    model = on_axes(random_system(seed, 2 + seed % 5))
    values = {p.name: 1.5 for p in model.parameters if p.value is None}
    model = replace(
        model,
        parameters=tuple(
            replace(p, value=as_expression(values[p.name])) if p.name in values else p for p in model.parameters
        ),
    )
    writing = written(model)
    again = system(writing.text)
    flipped = {loss.place for loss in writing.losses if loss.what == "its sign"}
    if not flipped:
        assert same_machine(model, again, 2).verdict == "agrees"
    assert written(again).text == writing.text
    places = [loss.place for loss in writing.losses]
    for body in model.bodies:
        if not body.coordinates:
            assert f"bodies/{body.name}" in places
        elif len(body.coordinates) > 1:
            assert f"bodies/{body.name}/joint" in places


def model_with(**changes):
    body = Body("body1", None, (translation("x", "q1"),), Inertia(number(2)))
    return replace(System("m", (Coordinate("q1"),), (), (), DOWN, (body,)), **changes)


HEAVY = Inertia(number(1), vector((0, 0, 0)), tuple(map(number, (1, 1, 1, 0, 0, 0))))
LOSSES = [
    ({"coordinates": (Coordinate("q1", 0, 2),)}, "coordinates/q1/velocity", "velocity"),
    ({"coordinates": (Coordinate("q1", -2),)}, "coordinates/q1", "sign"),
    ({"functions": (Function("f", ("t",)),)}, "functions/f", "function"),
    ({"parameters": (Parameter("m", number(2)),)}, "parameters/m", "name"),
    ({"bodies": (Body("cart", None, (translation("x", "q1"),), HEAVY),)}, "bodies/cart", "'cart'"),
    ({"bodies": (Body("body1", None, (translation((3, 0, 4), "q1"),), HEAVY),)}, "bodies/body1/joint", "(0.6, 0, 0.8)"),
    (
        {
            "functions": (Function("f", ("t",), TIME),),
            "bodies": (Body("body1", None, (translation("y", call("f", [TIME])), translation("x", "q1")), HEAVY),),
        },
        "bodies/body1/joint",
        "prescribed",
    ),
    ({"bodies": (Body("body1", None, (translation("x", "q1"), *shift((0, 1, 0))), HEAVY),)}, "bodies/body1", "frame"),
]


@pytest.mark.parametrize(("changes", "place", "piece"), LOSSES, ids=[f"{p} {w}" for _, p, w in LOSSES])
def test_losses(changes, place, piece):
    losses = written(model_with(**changes)).losses
    assert any(loss.place == place and piece in loss.what for loss in losses), list(map(str, losses))
    assert written(model_with()).losses == ()


def test_welded_bodies_are_merged_and_those_on_the_ground_left_out():
    joint = (*shift((0, 2, 0)), rotation("z", as_expression(1)))
    bodies = (
        Body("body1", None, (translation("x", "q1"),), Inertia(number(2))),
        Body("plate", "body1", joint, HEAVY),
        Body("post", None, (), HEAVY),
    )
    model = model_with(bodies=bodies)
    writing = written(model)
    assert [(x.place, x.reason.partition(":")[2]) for x in writing.losses] == [
        ("bodies/plate", " merged with body 1"), ("bodies/post", " it does not move: left out"),
    ]  # fmt: skip
    (body,) = back(model).bodies
    assert body.inertia.mass is number(3)
    assert body.inertia.centre[1].value == pytest.approx(2 / 3, rel=1e-15)


def test_the_order_of_coordinates_is_that_of_the_bodies():
    names = ("q2", "q1")
    bodies = tuple(Body(f"body{n}", None, (translation("x", f"q{n}"),), Inertia(number(n))) for n in (1, 2))
    model = model_with(coordinates=tuple(map(Coordinate, names)), bodies=bodies)
    assert [loss.place for loss in written(model).losses] == ["coordinates"]


def test_parameters_without_value_leave_columns_out():
    mass = Inertia(symbol("m"))
    model = model_with(parameters=(Parameter("m"),), bodies=(Body("body1", None, (translation("x", "q1"),), mass),))
    writing = written(model)
    assert writing.text.splitlines() == [
        "i;i-1;КП;q;d;x;y;z;R_x;R_y;R_z;I_xx;I_yy;I_zz;I_xy;I_xz;I_yz",
        "1;0;ПКП;x;0;x;y;z;0;0;0;0;0;0;0;0;0",
    ]
    assert [(x.place, x.what) for x in writing.losses] == [
        ("bodies", "the masses"), ("parameters/m", "the parameter"),
    ]  # fmt: skip


def test_a_direction_that_is_no_axis_needs_numbers():
    inertia = Inertia(symbol("m"), vector((1, 1, 0)))
    model = model_with(parameters=(Parameter("m"),), bodies=(Body("body1", None, (translation("x", "q1"),), inertia),))
    with pytest.raises(WriteError, match="along no axis"):
        written(model)


def test_a_model_without_motion_has_no_table():
    with pytest.raises(WriteError, match="no body moves"):
        written(System("nothing", bodies=(Body("post", None),)))


@pytest.mark.slow
def test_the_program_writes_tables_and_workbooks(tmp_path, capsys):
    source = tmp_path / "leg.tp.csv"
    source.write_text(text("leg.tp.csv"), encoding="utf-8")
    book, again, line = tmp_path / "leg.tp.xlsx", tmp_path / "again.tp.csv", tmp_path / "leg.mbsd"
    for a, b in ((source, book), (book, line), (line, again)):
        assert main(["convert", str(a), str(b), "--strict", "--verify"]) == 0, capsys.readouterr().err
    assert again.read_text(encoding="utf-8") == written(system(text("leg.tp.csv"))).text
    assert main(["convert", str(source), "-", "--to", "tp"]) == 0
    assert capsys.readouterr().out == again.read_text(encoding="utf-8")


def test_a_table_of_the_paper_through_the_program(tmp_path, capsys):
    source, line, again = (tmp_path / name for name in ("a.tp.csv", "a.mbsd", "b.tp.csv"))
    source.write_text(LEG, encoding="utf-8")
    assert main(["convert", str(source), str(line), "--strict"]) == 0
    assert main(["convert", str(line), str(again), "--strict"]) == 0
    assert again.read_text(encoding="utf-8") == LEG
    assert main(["evaluate", str(source), "--formalism", "lagrange"]) == 2
    assert "m_o1" in capsys.readouterr().err
