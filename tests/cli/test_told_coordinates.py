"""Which coordinate is which: told by names, by a conversion, by the user; what is searched stands in the verdict."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .commands import Run, runner

SET = f"um:{Path(str(files('mbconcord.fixtures'))) / 'um_equations' / 'double_pendulum'}"
QUICK = ("--formalisms", "newton_euler", "--states", "1")
#: A chain whose names are the numbers of other bodies.
CHAIN = "z(q2) i(L) $1 [1,1,1] > z(q3) i(L) $2 [2,1,2] > z(q1) i(L) $3 [1,2,2] ; g9.81-y ; L=0.7\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    call = runner(capsys, monkeypatch, tmp_path)
    Path("chain.mbsd").write_text(CHAIN, encoding="utf-8")
    Path("turned.mbsd").write_text("z i > -z i g-y\n", encoding="utf-8")
    return call


@pytest.mark.slow
def test_a_conversion_knows_which_coordinate_became_which(run: Run) -> None:
    done = run("convert", "chain.mbsd", "chain.tp.csv", "--verify")
    assert done.code == 0
    assert "coordinates matched by given names: q2 = q1, q3 = q2, q1 = q3" in done.err
    by_name = run("compare", "chain.mbsd", "chain.tp.csv", "--states", "2")
    assert by_name.code == 1 and "matched by name" in by_name.out
    told = run("compare", "chain.mbsd", "chain.tp.csv", "--states", "2", "--coordinates", "q2=q1,q3=q2,q1=q3")
    assert told.code == 0 and told.out.startswith("the same machine\n")


@pytest.mark.slow
def test_what_two_models_are_matched_by_is_part_of_the_verdict(run: Run) -> None:
    assert run("convert", "two.mbsd", "two.tp.csv").code == 0
    found = run("compare", "two.mbsd", "two.tp.csv", "--states", "2")
    assert found.code == 0
    assert found.out.startswith("the same machine after matching z1 = q1, z2 = q2\n")
    assert "no other matching has its structure, and with it the equations are proved identical" in found.out
    told = run("compare", "two.mbsd", "two.tp.csv", "--states", "2", "--coordinates", "z1=q1,z2=q2", "--json")
    assert (told.code, told.json["verdict"], told.json["stands"]) == (0, "agrees", True)


def test_a_matching_that_is_not_the_only_one_is_left_to_be_told(run: Run) -> None:
    """Two equal pendulums side by side: which is which nobody knows, and the exit code says so."""
    arm = """<link name="{0}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
    joint = '<joint name="{1}" type="continuous"><parent link="w"/><child link="{0}"/><axis xyz="0 1 0"/></joint>'
    for name, joints in (("one.urdf", "ab"), ("other.urdf", "cd")):
        links = "".join((arm + joint).format(f"l{k}", own) for k, own in enumerate(joints))
        Path(name).write_text(f'<robot name="r"><link name="w"/>{links}</robot>', encoding="utf-8")
    found = run("compare", "one.urdf", "other.urdf", "--states", "2")
    assert (found.code, found.out.splitlines()[0]) == (5, "the same machine after matching a = c, b = d")
    assert "(where it is meant: --coordinates a=c,b=d)" in found.out
    assert run("compare", "one.urdf", "other.urdf", "--states", "2", "--coordinates", "a=c,b=d").code == 0


BAD = {
    ("compare", "two.mbsd", "two.mbsd", "--coordinates", "z1"): "--coordinates: error: found 'z1', expected one=other",
    ("compare", "two.mbsd", "two.mbsd", "--coordinates", "z1=z1,z1=z2"): "z1 is named twice",
    ("compare", "two.mbsd", "two.mbsd", "--coordinates", "z3=z1"): "A has no coordinate 'z3' (known: z1, z2)",
    ("check", "two.mbsd", "--map", "bodies:1=body1"): "--map bodies: error: found no --against",
    ("check", "two.mbsd", "--against", SET, "--map", "bodies:1=arm"): "the model has no body 'arm'",
    ("check", "two.mbsd", "--against", SET, "--map", "bodies:3=body1"): "found '3', expected one of 1, 2",
    ("check", "two.mbsd", "--against", SET, "--map", "bodies:1=body1,2=body1"): "the body body1 is named twice",
}


@pytest.mark.parametrize("arguments", BAD)
def test_what_is_told_wrongly_is_refused(run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.code == 2 and BAD[arguments] in done.err


@pytest.mark.slow
def test_every_report_says_what_was_searched(run: Run) -> None:
    for suffix in (".md", ".html", ".xml", ".json"):
        done = run("check", "turned.mbsd", "--against", SET, *QUICK, "--report", f"r{suffix}", "--json")
        assert (done.code, done.json["headline"]) == (3, "agrees after reversing z2")
        assert (done.json["verdict"], done.json["stands"]) == ("agrees after matching", False)
        text = Path(f"r{suffix}").read_text("utf-8")
        if suffix == ".xml":
            suite = ElementTree.fromstring(text)[0]
            (case,) = (c for c in suite if c.get("name") == "matching")
            assert case[0].tag == "skipped" and "reversing z2" in case[0].get("message", "")
            assert (suite.get("skipped"), suite.get("tests")) == ("1", str(len(suite.findall("testcase"))))
        else:
            assert "agrees after reversing z2" in text
        if suffix == ".json":
            assert json.loads(text)
        elif suffix != ".xml":
            assert "--map coordinates:1=z1,2=-z2" in text


def test_what_is_told_of_coordinates_and_bodies_stands(run: Run) -> None:
    told = ("--map", "coordinates:1=z1,2=-z2", "--map", "bodies:1=body1,2=body2")
    done = run("check", "turned.mbsd", "--against", SET, *QUICK, *told)
    assert done.code == 0 and "turned.mbsd: agrees  (" in done.out
    assert "--map coordinates:1=z1,2=-z2 --map bodies:1=body1,2=body2" in done.out.partition("reproduce:")[2]
    wrong = run("check", "turned.mbsd", "--against", SET, *QUICK, *told[:2], "--map", "bodies:1=body2,2=body1")
    assert wrong.code == 1


def test_a_body_that_was_found_by_its_motion_is_part_of_the_verdict(run: Run) -> None:
    """A print says of no body which it is: the last one is taken, or the one that it fits."""
    Path("print.txt").write_text("_bodyposition[1] := _i1*_c1;\n_bodyposition[2] := _i1*_s1;\n_bodyposition[3] := 0;\n")
    found = run("check", "two.mbsd", "--against", "um:print.txt", *QUICK)
    assert found.code == 3 and "agrees after taking print for body1" in found.out
    assert "where this is meant: --map bodies:print=body1" in found.out
    assert run("check", "two.mbsd", "--against", "um:print.txt", *QUICK, "--map", "bodies:print=body1").code == 0
