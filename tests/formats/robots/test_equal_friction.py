"""Dry friction of equal value in two formats is no difference: both have it as Coulomb's law, or neither has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbconcord.cli import main

URDF = """<robot name="r"><link name="world"/><link name="a"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial></link>
  <joint name="j" type="continuous"><parent link="world"/><child link="a"/><axis xyz="0 1 0"/>
  <dynamics damping="0.1" friction="FRICTION"/></joint></robot>"""
MJCF = """<mujoco><compiler angle="radian"/><worldbody><body name="a">
  <joint name="j" axis="0 1 0" damping="0.1" frictionloss="FRICTION"/>
  <inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.2 0.2"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.11"><model name="m"><link name="a"><inertial><pose>0.3 0 0 0 0 0</pose><mass>2</mass><inertia>
  <ixx>0.1</ixx><iyy>0.2</iyy><izz>0.2</izz></inertia></inertial></link><joint name="j" type="continuous">
  <parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz><dynamics><damping>0.1</damping>
  <friction>FRICTION</friction></dynamics></axis></joint></model></sdf>"""
TEXTS = {"r.urdf": URDF, "m.xml": MJCF, "m.sdf": SDF, "again.urdf": URDF, "again.xml": MJCF}
PAIRS = [("r.urdf", "m.xml"), ("m.xml", "r.urdf"), ("r.urdf", "m.sdf"), ("m.xml", "m.sdf"), ("r.urdf", "again.urdf")]


ALIKE = "dry friction is in no equation and the same in both texts: j"
SOFTENED = (
    "the same machine but for dry friction along j: by Coulomb's law in one, in the other MuJoCo's soft constraint"
)


def compare(folder, capsys, one: str, other: str, first: str, second: str, *more: str) -> tuple[int, str]:
    for name, friction in ((one, first), (other, second)):
        (folder / name).write_text(TEXTS[name].replace("FRICTION", friction), "utf-8")
    code = main(["compare", str(folder / one), str(folder / other), *more])
    return code, capsys.readouterr().out


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_equal_dry_friction_is_no_difference(tmp_path, capsys, one, other) -> None:
    code, said = compare(tmp_path, capsys, one, other, "0.5", "0.50")
    mixed = "m.xml" in (one, other)  # MuJoCo has another law
    assert code == 0 and said.startswith(f"{SOFTENED} of the same size\n" if mixed else "the same machine\n")
    assert ALIKE not in said and ("of the same size and not the same law: j" in said) is mixed


def test_a_cause_is_looked_for_between_models_without_it(tmp_path, capsys) -> None:
    (tmp_path / "r.urdf").write_text(URDF.replace("FRICTION", "0.5"), "utf-8")
    (tmp_path / "m.xml").write_text(MJCF.replace("FRICTION", "0.5").replace('mass="2"', 'mass="3"'), "utf-8")
    assert main(["compare", str(tmp_path / "r.urdf"), str(tmp_path / "m.xml"), "--why"]) == 1
    said = capsys.readouterr()
    assert "a mass" in said.out and "another model" not in said.err and "error" not in said.err


def test_equal_friction_of_two_texts_of_mujoco_is_no_difference(tmp_path, capsys) -> None:
    code, said = compare(tmp_path, capsys, "m.xml", "again.xml", "0.5", "0.50")
    assert code == 0 and said.startswith("the same machine\n") and ALIKE in said


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize(("first", "second"), [("0.5", "0.51"), ("0.5", "0"), ("0", "0.5")])
def test_unequal_dry_friction_is_one(tmp_path, capsys, one, other, first, second) -> None:
    code, said = compare(tmp_path, capsys, one, other, first, second)
    if "0.5" in {one: first, other: second}.get("m.xml", ""):  # MuJoCo's is left out of both
        assert code == 3 and "not the same is left out of the two" in said
    else:  # Coulomb's law acts
        assert code == 1 and said.startswith("not the same machine") and "applied" in said


BALL = """<mujoco><compiler angle="radian"/><worldbody><body name="a">
  <joint name="j" type="{}" frictionloss="FRICTION"/>
  <inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.2 0.2"/></body></worldbody></mujoco>"""
TEXTS |= {"ball.xml": BALL.format("ball"), "free.xml": BALL.format("free")}
TEXTS |= {f"{kind}.urdf": URDF.replace("continuous", kind) for kind in ("floating", "planar")}
SEVERAL = ["ball.xml", "free.xml", "floating.urdf", "planar.urdf"]
TEXTS |= {f"again_{file}": TEXTS[file] for file in SEVERAL}


@pytest.mark.parametrize("file", SEVERAL)
def test_dry_friction_of_several_coordinates_is_the_same_where_texts_and_frames_are(tmp_path, capsys, file) -> None:
    for friction, expected in (("0.50", 0), ("0.6", 3)):
        code, said = compare(tmp_path, capsys, file, f"again_{file}", "0.5", friction, "--states", "2")
        assert code == expected
        assert ("equal as texts on equal frames" in said.partition("\n")[0]) is (expected == 0)


def test_who_accepts_it_counts_it(tmp_path, capsys) -> None:
    code, said = compare(tmp_path, capsys, "r.urdf", "m.xml", "1", "1", "--accept-omissions", "joint-friction=1")
    assert code == 0 and "without 1 dry friction" in said


@pytest.mark.slow
@pytest.mark.parametrize("first", ["r.urdf", "m.xml", "m.sdf"])
def test_a_conversion_holds_dry_friction_there_and_back(tmp_path, capsys, first) -> None:
    """Also into its own format: both texts have it, so it is no difference; where its law changes a loss acts."""
    (tmp_path / first).write_text(TEXTS[first].replace("FRICTION", "0.5"), "utf-8")
    for number, to in enumerate(("urdf", "mjcf", "sdf")):
        there, back = tmp_path / f"{number}.{to}.xml", tmp_path / f"back{number}{Path(first).suffix}"
        changes = (first == "m.xml") is not (to == "mjcf")
        soft = [("--accept-omissions", "joint-friction=1"), ("--accept-losses", "forces=1")]
        ways = ((tmp_path / first, there, "--to", to), (there, back, "--from", to))
        for words, accepted in zip(ways, soft if first == "m.xml" else soft[::-1], strict=True):
            for verify in ((), ("--verify",)):
                assert main(["convert", *map(str, words), "--force", *verify]) == (3 if changes else 0)
                told = capsys.readouterr().err
                assert f"not the same machine: what is lost acts on the motion: {accepted[1]}" in told or not changes
                assert (SOFTENED in told) is (changes and bool(verify))
                assert (ALIKE in told) is (not changes and to == "mjcf" and bool(verify))
                if changes:
                    assert main(["convert", *map(str, words), "--force", *verify, *accepted]) == 0
                    capsys.readouterr()
