"""A model against a table of numbers: what agrees, what one wrong cell does, and what the digits leave open."""

from __future__ import annotations

import json
from dataclasses import replace
from math import cos, sin
from random import Random

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.model import Bipolar, Body, Coordinate, Inertia, Motion, Point, ReadError, System, rotation, translation
from mbconcord.model.expressions import number
from mbconcord.model.force import LENGTH, LENGTH_RATE
from mbconcord.validation.against.programs import against_table
from mbconcord.validation.witnesses.printed.reader import parse_table

from .against_models import model, text_model

WHO = ("lagrange", "newton_euler")
#: A body of mass m, its centre at L from the axis, its moment J about the axis.
PENDULUM = "z $(m) [J, J, J] {L, 0, 0} g ; L = 0.5, m = 2, J = 2"


def table(rows, form="{:.9g}", name="t.csv"):
    """A table of rows by header, all numbers in one form."""
    lines = [";".join(rows[0]), *(";".join(form.format(x) for x in row.values()) for row in rows)]
    return parse_table("\n".join(lines) + "\n", name)


def said(system, found, who=WHO):
    return against_table(system, found, formalisms=who, why=False)


def pendulum(n=8):
    """J z1'' = -m g L cos z1, and where the body is, in several units."""
    random = Random(5)
    for _ in range(n):
        q, v = random.uniform(-3, 3), random.uniform(-5, 5)
        q, v = float(f"{q:.7g}"), float(f"{v:.7g}")
        mass, length, inertia = 2.0, 0.5, 2.0
        weight = -mass * 9.81 * length * cos(q)
        yield {
            "z1 [rad, exact]": q,
            "z1' [rad/s, exact]": v,
            "z1'' [rad/s^2]": weight / inertia,
            "M[z1, z1] [kg m^2]": inertia,
            "gravity[z1] [N m]": weight,
            "h[z1] [N m]": 0.0,
            "position[body1, x] [mm]": 0.0,
            "centre_position[body1, x] [mm]": 1000 * length * cos(q),
            "centre_position[body1, y] [m]": length * sin(q),
            "centre_velocity[body1, y] [mm/s]": 1000 * length * v * cos(q),
            "angular_velocity[body1, z] [deg/s]": np.degrees(v),
        }


def bare(rows, *names):
    """The rows with these columns alone, and those of the state."""
    return [{k: x for k, x in row.items() if (k.startswith("z1") and "''" not in k) or k in names} for row in rows]


MODEL = text_model(PENDULUM)
COLUMNS = [name for name in next(pendulum()) if "exact" not in name]


def test_the_closed_form_agrees_in_every_column():
    found = said(MODEL, table(list(pendulum())))
    assert found.verdict == "agrees", [c for c in found.comparisons if c.verdict != "agrees"]
    assert {c.quantity for c in found.comparisons} == {
        "acceleration", "M", "gravity", "h", "body_position", "body_centre_position", "body_centre_velocity",
        "body_angular_velocity",
    }  # fmt: skip
    assert {c.b for c in found.comparisons if c.quantity == "M"} == set(WHO)


@pytest.mark.parametrize("name", [n for n in COLUMNS if not n.startswith(("h", "position"))])
def test_one_wrong_digit_in_one_cell_is_found_with_row_and_column(name):
    """Off by three units of the ninth digit, in one row of eight."""
    rows = list(pendulum())
    for at in (0, 5):
        wrong = [dict(row) for row in rows]
        shown = f"{wrong[at][name]:.9g}"
        wrong[at][name] = wrong[at][name] * (1 + 6e-8)
        assert f"{wrong[at][name]:.9g}" != shown
        found = said(MODEL, table(wrong))
        (c, *_) = [c for c in found.comparisons if c.verdict == "disagrees"]
        assert f"row {at + 1} (t.csv:{at + 2}), column {name}" in c.explanation
        assert "in 1 of 8 rows" in c.explanation
        assert found.verdict == "disagrees"


@pytest.mark.parametrize("name", [n for n in COLUMNS if not n.startswith(("h", "position", "M"))])
def test_a_wrong_sign_disagrees(name):
    rows = [{**row, name: -row[name]} for row in pendulum()]
    assert said(MODEL, table(rows)).verdict == "disagrees"


@pytest.mark.parametrize(("form", "verdict"), [("{:.7g}", "agrees"), ("{:.5f}", "agrees"), ("{:.1f}", "not checked")])
def test_digits_of_states_are_carried_into_results(form, verdict):
    """States that are rounded too: results differ by more than their own digits, and that is no disagreement."""
    rows = [{k.replace(", exact", ""): x for k, x in row.items()} for row in pendulum()]
    rows = bare(rows, "z1'' [rad/s^2]", "gravity[z1] [N m]")
    found = said(MODEL, table(rows, form))
    assert found.verdict == verdict, found.comparisons
    if verdict == "agrees":
        told = table([{k[:-1] + ", exact]": x for k, x in row.items()} for row in rows], form)
        assert said(MODEL, told).verdict == "disagrees"


def test_a_parameter_has_digits_and_values_of_its_own():
    rows = [{**row, "m [kg]": 2.0, "J [kg m^2]": 2.0} for row in bare(list(pendulum()), "gravity[z1] [N m]")]
    assert said(MODEL, table(rows)).verdict == "agrees"
    other = [{**row, "m [kg]": 3.0, "gravity[z1] [N m]": row["gravity[z1] [N m]"] * 1.5} for row in rows]
    assert said(MODEL, table(other)).verdict == "agrees"
    assert said(MODEL, table([{**row, "m [kg]": 3.0} for row in rows])).verdict == "disagrees"


def test_inverse_dynamics_takes_accelerations_as_given():
    rows = [
        {**row, "z1'' [rad/s^2]": 1.5, "inverse_dynamics[z1] [N m]": 1.5 * 2.0 - row["gravity[z1] [N m]"]}
        for row in pendulum()
    ]
    rows = [{k: x for k, x in row.items() if k.startswith(("z1", "inverse"))} for row in rows]
    found = said(MODEL, table(rows))
    assert [c.quantity for c in found.comparisons] == ["inverse_dynamics"] * 2
    assert found.verdict == "agrees"


def test_the_effort_of_a_drive_that_imposes_an_acceleration():
    """J a + m g L cos z1 along the drive; the printed acceleration is the imposed one."""
    driven = replace(MODEL, coordinates=(replace(MODEL.coordinates[0], drive=Motion(number(3))),))
    rows = [
        {**bare([row])[0], "z1'' [rad/s^2]": 3.0, "effort[z1] [N m]": 2.0 * 3 - row["gravity[z1] [N m]"]}
        for row in pendulum()
    ]
    found = said(driven, table(rows))
    assert found.verdict == "agrees", found.comparisons
    assert {c.quantity for c in found.comparisons} == {"acceleration", "effort"}
    rows[1]["effort[z1] [N m]"] *= 1.001
    assert said(driven, table(rows)).verdict == "disagrees"


def test_accelerations_of_bodies_need_those_of_the_coordinates():
    rows = [
        {
            **bare([row])[0],
            "z1'' [rad/s^2]": 2.0,
            "centre_acceleration[body1, x] [m/s^2]": 0.5 * (-2.0 * sin(q) - v**2 * cos(q)),
        }
        for row, (q, v) in ((row, (row["z1 [rad, exact]"], row["z1' [rad/s, exact]"])) for row in pendulum())
    ]
    assert said(MODEL, table(rows)).verdict == "agrees"
    with pytest.raises(ReadError, match="no column for z1''"):
        said(MODEL, table([{k: x for k, x in row.items() if "''" not in k} for row in rows]))


def springs():
    """The force k (l - s) - d s' of a spring to (3, 0, 0), and where the body is."""
    random = Random(3)
    for _ in range(5):
        x, y, vx, vy = (float(f"{random.uniform(-1, 1):.6g}") for _ in range(4))
        s = ((3 - x) ** 2 + y**2) ** 0.5
        rate = (-(3 - x) * vx + y * vy) / s
        yield {
            "x1 [m, exact]": x, "y1 [m, exact]": y, "z1 [rad, exact]": 0.5, "x1' [m/s, exact]": vx,
            "y1' [m/s, exact]": vy, "z1' [rad/s, exact]": -1.0, "force[F] [kN]": (50 * (1 - s) - 2 * rate) / 1000,
        }  # fmt: skip


def test_the_value_of_a_force():
    system = spring_model()
    assert said(system, table(list(springs()))).verdict == "agrees"
    wrong = [{**row, "force[F] [kN]": -row["force[F] [kN]"]} for row in springs()]
    assert said(system, table(wrong)).verdict == "disagrees"


def spring_model():
    body = Body(
        "a", None, (translation("x", "x1"), translation("y", "y1"), rotation("z", "z1")),
        Inertia(number(2), (number(0), number(0), number(0)), tuple(map(number, (1, 1, 1, 0, 0, 0)))),
    )  # fmt: skip
    law = number(50) * (number(1) - LENGTH) - number(2) * LENGTH_RATE
    force = Bipolar("F", Point("a"), Point(None, (number(3), number(0), number(0))), law)
    return System("sprung", tuple(map(Coordinate, ("x1", "y1", "z1"))), (), (), None, (body,), (force,))


BEAD = model("native/bead_on_parabola.mbs.json")


def beads(n=6):
    """y = x²/2 + sin(3t)/10: x'' (1 + x²) = -x (x'² - 0.9 sin 3t + g)."""
    random = Random(1)
    for _ in range(n):
        t, x, v = (float(f"{random.uniform(-1, 1):.7g}") for _ in range(3))
        a = -x * (v * v - 0.9 * sin(3 * t) + 9.81) / (1 + x * x)
        yield {
            "t [s]": t, "x [m]": x, "y [m]": x * x / 2 + sin(3 * t) / 10, "x' [m/s]": v,
            "y' [m/s]": x * v + 0.3 * cos(3 * t), "x'' [m/s^2]": a, "y'' [m/s^2]": x * a + v * v - 0.9 * sin(3 * t),
        }  # fmt: skip


def test_a_history_of_a_model_with_constraints():
    who = ("lagrange", "konoplev")
    found = said(BEAD, table(list(beads())), who)
    assert found.verdict == "agrees", found.comparisons
    assert [(c.quantity, c.b) for c in found.comparisons] == [("acceleration", name) for name in who]
    wrong = [{**row, "x'' [m/s^2]": row["x'' [m/s^2]"] + 1e-5} for row in beads()]
    assert said(BEAD, table(wrong), who).verdict == "disagrees"


def test_a_state_off_the_constraints_is_none_of_the_model():
    rows = [dict(row) for row in beads()]
    rows[3]["y [m]"] += 1e-4
    with pytest.raises(ReadError, match="row 4: no state of the model") as caught:
        said(BEAD, table(rows), ("lagrange",))
    assert caught.value.diagnostics[0].location.line == 5
    rows[3]["y [m]"] -= 1e-4
    rows[2]["y' [m/s]"] += 1e-4
    with pytest.raises(ReadError, match="row 3: no state"):
        said(BEAD, table(rows), ("lagrange",))


def test_one_row_is_told_to_be_little():
    found = said(MODEL, table(list(pendulum(1))))
    assert found.verdict == "agrees"
    (warning,) = [d for d in found.diagnostics if d.severity == "warning"]
    assert "one row is one state" in warning.message and warning.location.line == 2 and warning.remedy


FREE = text_model("z $(m) [1, 1, 1] {1, 0, 0} g")
REFUSED = [
    (MODEL, "w [rad];z1 [rad];M[z1, z1] [kg m^2]", (1, 1), "the model has no 'w'"),
    (MODEL, "z1 [rad];m9 [kg];M[z1, z1] [kg m^2]", (1, 10), "no 'm9'"),
    (MODEL, "z1 [rad];M[z1, z2] [kg m^2]", (1, 10), "no coordinate 'z2'"),
    (MODEL, "z1 [rad];M[z1] [kg m^2]", (1, 10), "so many indices: 1"),
    (MODEL, "z1 [rad];gravity [N m]", (1, 10), "has no unit, or no index"),
    (MODEL, "z1 [m];M[z1, z1] [kg m^2]", (1, 1), "measures m"),
    (MODEL, "z1 [rad];z1' [rad];z1'' [rad/s^2]", (1, 10), "measures rad or 1"),
    (MODEL, "z1 [rad];M[z1, z1] [kg]", (1, 10), "measures kg"),
    (MODEL, "z1 [rad];gravity[z1] [N]", (1, 10), "measures kg m s^-2"),
    (MODEL, "z1 [rad];t [m];gravity[z1] [N m]", (1, 10), "measures m"),
    (MODEL, "z1 [rad];position[leg, x] [m]", (1, 10), "no body 'leg'"),
    (MODEL, "z1 [rad];position[body1, w] [m]", (1, 10), "axis 'w'"),
    (MODEL, "z1 [rad];position[body1, x] [m/s]", (1, 10), "measures m s^-1"),
    (MODEL, "z1 [rad];force[spring] [N]", (1, 10), "no force 'spring'"),
    (MODEL, "z1 [rad];z1' [rad/s]", (1, 1), "nothing to compare"),
    (MODEL, "z1' [rad/s];M[z1, z1] [kg m^2]", (1, 1), "no column for z1"),
    (MODEL, "z1 [rad];z1'' [rad/s^2]", (1, 1), "no column for z1'"),
    (MODEL, "z1 [rad];h[z1] [N m]", (1, 1), "no column for z1'"),
    (FREE, "z1 [rad];M[z1, z1] [kg m^2]", (1, 1), "without a value, in the model and in the table: m"),
]


@pytest.mark.parametrize(("system", "header", "at", "piece"), REFUSED, ids=[row[1] for row in REFUSED])
def test_refused_with_place_reason_and_remedy(system, header, at, piece):
    row = ";".join("1" for _ in header.split(";"))
    with pytest.raises(ReadError) as caught:
        said(system, parse_table(f"{header}\n{row}\n{row}\n", "t.csv"))
    first = caught.value.diagnostics[0]
    assert (first.location.line, first.location.column) == at, str(first)
    assert piece in first.message and first.remedy, str(first)


@pytest.mark.slow
def test_the_program(tmp_path, capsys):
    source, numbers = tmp_path / "p.mbsd", tmp_path / "p.csv"
    source.write_text(PENDULUM, encoding="utf-8")
    rows = bare(list(pendulum()), "z1'' [rad/s^2]", "M[z1, z1] [kg m^2]")

    def written(rows):
        lines = [";".join(rows[0]), *(";".join(f"{x:.9g}" for x in row.values()) for row in rows)]
        numbers.write_text("\n".join(lines) + "\n", encoding="utf-8")

    command = ["check", str(source), "--against", f"table:{numbers}", "--formalisms", ",".join(WHO)]
    written(rows)
    assert main(command) == 0
    assert main([*command, "--json"]) == 0
    shown = capsys.readouterr().out
    assert '"by": "name"' in shown and "8 rows with acceleration, M" in shown.replace(
        "M, acceleration", "acceleration, M"
    )
    rows[2]["z1'' [rad/s^2]"] *= -1
    written(rows)
    assert main(command) == 1
    assert f"row 3 ({numbers}:4), column z1'' [rad/s^2]" in capsys.readouterr().out
    assert main([*command, "--map", "coordinates:1=z1"]) == 2
    assert "whose columns name its states" in capsys.readouterr().err
    numbers.write_text("z1;M[z1, z1] [kg m^2]\n0;1\n", encoding="utf-8")
    assert main(command) == 2
    assert f"{numbers}:1:1: error: column 1: 'z1' has no unit" in capsys.readouterr().err


@pytest.mark.slow
def test_a_function_of_python(tmp_path):
    file = tmp_path / "t.csv"
    rows = bare(list(pendulum()), "M[z1, z1] [kg m^2]")
    lines = [";".join(rows[0]), *(";".join(f"{x:.9g}" for x in row.values()) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = mbconcord.check(MODEL, against=f"table:{file}", formalisms=WHO)
    assert found.verdict == "agrees"
    assert json.loads(json.dumps(found.to_json()))["against"]["equations"] == f"table:{file}"
    other = mbconcord.check(MODEL, parameters={"J": 3}, against=f"table:{file}", formalisms=WHO)
    assert other.verdict == "disagrees"


@pytest.mark.parametrize("value", ["2000000.0", "0.0", "2.3"])
def test_coarse_digits_hide_no_difference_that_is_larger(value):
    found = said(MODEL, parse_table(f"z1 [rad];M[z1, z1] [kg m^2]\n0.5;{value}\n0.7;{value}\n", "t.csv"))
    assert {c.verdict for c in found.comparisons} == {"disagrees"}
    near = said(MODEL, parse_table("z1 [rad];M[z1, z1] [kg m^2]\n0.5;2.0\n0.7;2.0\n", "t.csv"))
    assert {c.verdict for c in near.comparisons} == {"not checked"}


def test_rows_that_could_not_be_compared_are_told():
    rows = [{"z1 [rad, exact]": q, "gravity[z1] [N m]": -9.81 * cos(q)} for q in (0.5, 0.7)]
    lines = "".join(f"{q['z1 [rad, exact]']};{q['gravity[z1] [N m]']:.9g}\n" for q in rows)
    found = said(MODEL, parse_table(f"z1 [rad, exact];gravity[z1] [N m]\n{lines}1e300;0\n", "t.csv"))
    assert found.verdict == "agrees"
    assert any("1 of 3 states could not be compared" in d.message for d in found.diagnostics)
