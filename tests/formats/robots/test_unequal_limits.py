"""Limits of two texts are compared as numbers, whatever the formats: they are named, and change no verdict."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import mbconcord
from mbconcord.cli import main

INERTIA = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/>'
URDF = f"""<robot name="r"><link name="world"/><link name="a"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
  {INERTIA}</inertial></link><joint name="j" type="TYPE"><parent link="world"/><child link="a"/><axis xyz="0 1 0"/>
  LIMIT</joint></robot>"""
LIMIT = '<limit lower="-1" upper="{}" effort="10" velocity="{}"/>'
MJCF = """<mujoco><compiler angle="{}"/><worldbody><body name="a"><joint name="j" axis="0 1 0" {}/>
  <inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.2 0.2"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.11"><model name="m"><link name="a"><inertial><pose>0.3 0 0 0 0 0</pose><mass>2</mass><inertia>
  <ixx>0.1</ixx><iyy>0.2</iyy><izz>0.2</izz></inertia></inertial></link><joint name="j" type="revolute">
  <parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>{}</upper>
  <effort>10</effort><velocity>{}</velocity></limit></axis></joint></model></sdf>"""


def urdf(upper: float, velocity: float | str) -> str:
    return URDF.replace("TYPE", "revolute").replace("LIMIT", LIMIT.format(upper, velocity))


NONE = URDF.replace("TYPE", "continuous").replace("LIMIT", "")
FORCE = 'actuatorfrcrange="-10 10" actuatorfrclimited="true"'
DEGREES = MJCF.format("degree", f'range="-57.29577951308232 57.29577951308232" {FORCE}')
#: Texts of A and of B -> what differs of each; empty: nothing.
PAIRS = {
    "an end": (urdf(1, 2), urdf(1.5, 2), "upper 1", "upper 1.5"),
    "a speed": (urdf(1, 2), urdf(1, 3), "velocity 2", "velocity 3"),
    "other formats": (urdf(1, 2), SDF.format(1.5, 3), "upper 1, velocity 2", "upper 1.5, velocity 3"),
    "equal numbers": (urdf(1, 2), SDF.format(1.0, "2.00"), "", ""),
    "degrees": (SDF.format(1, 1e9), DEGREES, "", ""),
    "degrees and radians": (DEGREES, MJCF.format("radian", f'limited="true" range="-1 1" {FORCE}'), "", ""),
    "other degrees": (DEGREES, MJCF.format("radian", f'range="-1 1.5" {FORCE}'), "upper 1", "upper 1.5"),
    "none": (
        NONE, urdf(1, 2), "no lower, no upper, no symmetric effort", "lower -1, upper 1, effort 10",
    ),
    "no speed, as of all MJCF": (DEGREES, urdf(1, 2), "", ""),
    "a margin": (
        MJCF.format("radian", 'range="-1 1" margin="0.5" solreflimit="0.02 1"'),
        MJCF.format("radian", 'range="-1 1" margin="0"'), "margin 0.5", "the usual stop",
    ),
    "a hardness, which only MJCF has": (DEGREES.replace("range", 'solimplimit="0.5" range', 1), urdf(1, 2), "", ""),
    "an uneven effort": (
        MJCF.format("radian", 'range="-1 1" actuatorfrcrange="-5 10"'), urdf(1, 2), "no symmetric effort", "effort 10",
    ),
}  # fmt: skip


def save(name: str, text: str) -> str:
    formats = {"<robot": ".urdf", "<mujoco": ".xml", "<sdf": ".sdf"}
    file = Path(name + next(suffix for begin, suffix in formats.items() if text.startswith(begin)))
    file.write_text(text, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("pair", PAIRS)
def test_limits_that_differ_are_named_in_both_orders(pair, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    a, b, first, second = PAIRS[pair]
    for number, (one, other, said) in enumerate(((a, b, (first, second)), (b, a, (second, first)))):
        files = save(f"one{number}", one), save(f"other{number}", other)
        assert main(["compare", *files, "--states", "2"]) == 0
        out = capsys.readouterr().out
        lines = [line for line in out.splitlines() if line.startswith("limits differ") or "joint-limit" in line]
        assert lines == ([f"limits differ: j, {said[0]} in A, {said[1]} in B"] if first else [])
        beside = "; where the motion reaches them, these differ: 1 limit of a joint" if first else ""
        assert out.startswith(f"the same machine{beside}\n")


DRY = MJCF.format("radian", 'frictionloss="0.5" {}')
MOTOR = '</worldbody><actuator><motor joint="j" nsample="60" delay="{}"/></actuator>'
WIND = SDF.format(1, 2).replace(
    "<model ", '<world name="w"><wind><linear_velocity>{} 0 0</linear_velocity></wind><model '
)
WIND = WIND.replace("<inertial>", "<enable_wind>true</enable_wind><inertial>").replace("</model>", "</model></world>")
#: Texts of A and of B, and whether a verdict may call them the same.
SOLVED = {
    "friction of another softness": (DRY.format('solreffriction="0.5 1"'), DRY.format(""), False),
    "the usual softness": (DRY.format('solreffriction="0.02 1"'), DRY.format(""), True),
    "equal friction": (DRY.format('solreffriction="0.5 1"'), DRY.format('solreffriction="0.50 1"'), True),
    "a late control": tuple(MJCF.format("radian", "").replace("</worldbody>", MOTOR.format(x)) for x in ("0.1", "0.2")),
    "no late control": tuple(MJCF.format("radian", "").replace("</worldbody>", MOTOR.format(x)) for x in ("0", "0.")),
    "wind": (WIND.format(1), WIND.format(2)),
}


@pytest.mark.parametrize("pair", SOLVED)
def test_what_acts_and_stands_in_no_equation_is_compared(pair, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    one, other, *same = SOLVED[pair]
    code = 0 if same == [True] or pair == "no late control" else 3
    files = save("one", one), save("other", other)
    assert main(["compare", *files, "--states", "2", "-q"]) == main(["compare", *files[::-1], "--states", "2"]) == code


def test_a_margin_is_written_or_lost_with_a_word(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    file = save("one", MJCF.format("degree", 'range="-20 20" margin="0.5" frictionloss="1" solreffriction="0.1 1"'))
    assert main(["convert", file, "one.mbs.json"]) == 0
    heavier = Path("one.mbs.json").read_text("utf-8").replace('"mass": 2', '"mass": 3')
    Path("two.mbs.json").write_text(heavier, encoding="utf-8")
    assert main(["convert", "two.mbs.json", "two.xml"]) == 0
    text = Path("two.xml").read_text("utf-8")
    assert 'mass="3"' in text and 'margin="0.5"' in text and 'solreffriction="0.1 1.0"' in text
    main(["convert", file, "one.urdf", "--verbose"])
    assert "margin of the stop" in capsys.readouterr().err


@pytest.mark.slow
def test_limits_of_joints_of_other_names_and_of_texts_that_hold_none(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    one, other = save("one", urdf(1, 2)), save("other", urdf(1.5, 2).replace('name="j"', 'name="k"'))
    found = mbconcord.compare(one, other, states=2, coordinates={"j": "k"})
    assert found.limits == ("limits differ: j, upper 1 in A, upper 1.5 in B",) and found.differences == ()
    built = mbconcord.compare(one, mbconcord.read(one).system, states=2)
    assert built.limits == ()
    assert mbconcord.compare(one, mbconcord.read(text="y(j) i0.3 $2 [0, 0, 0] g-z", format="mbsd")).limits == ()


@pytest.mark.parametrize("other", [SDF.format("1.0", "2e0").replace("-1<", "-1.00<"), urdf(1, 2)])
def test_one_number_written_in_two_ways_is_no_difference(other, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    one = SDF.format(1, 2) if other.startswith("<sdf") else other.replace('"-1"', '"-1.0"').replace('"2"', '"+2."')
    found = mbconcord.compare(save("one", one), save("other", other), states=2)
    assert found.limits == () == found.differences
    stiff = other.replace("<velocity>", "<stiffness>1</stiffness><velocity>").replace("effort=", 'odd="1" effort=')
    assert [d.kind for d in mbconcord.compare(save("one", one), save("stiff", stiff), states=2).differences][:1]


@pytest.mark.slow
def test_a_row_of_a_fleet_names_them(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = save("one", urdf(1, 2)), save("other", SDF.format(1.5, 2))
    assert main(["compare", *files, "--states", "2", "--report", "r.csv", "-q"]) == 0
    (row,) = csv.DictReader(Path("r.csv").read_text("utf-8").splitlines())
    head = "the same machine; where the motion reaches them, these differ: 1 limit of a joint"
    assert row["verdict"] == "agrees" and row["cause"] == f"{head}; limits differ: j, upper 1 in A, upper 1.5 in B"


@pytest.mark.parametrize(("upper", "named"), [(1.047198, False), (1.0472, True)])
def test_limits_within_the_digits_printed_do_not_differ(upper, named, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """A save of six or seven digits is the same machine; its limits were listed as others."""
    monkeypatch.chdir(tmp_path)
    many = urdf(1.0471975511965976, 2).replace('"0.1"', '"0.12345678901"').replace('"0.3 0 0"', '"0.33333333333 0 0"')
    few = urdf(upper, 2).replace('"0.1"', '"0.1234568"').replace('"0.3 0 0"', '"0.3333333 0 0"')
    found = mbconcord.compare(save("many", many), save("few", few))
    assert found.verdict == "agrees to digits" and bool(found.limits) is named, found.limits
