"""What a reader left out stands in what every command says, and in its exit code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .commands import Run, runner

UM = """with main; autogravity=true;
with const;
cnst=(k# 5);
with egravity; gravityz=-1;
with body1; name="B1"; m=1; ixx=1; iyy=1; izz=1;
with joint1; name="j"; type=rotat; bd1="Base0"; bd2="B1";
with jnt1dof; e1x=0; e1y=1; e1z=0; e2x=0; e2y=1; e2z=0; ro2x=1; ro2y=0; ro2z=0; x0=0;
with cfrc1; name="foot"; type=plane_point; f=0.3;
with cfrc2; name="hand"; type=plane_point; f=0.3;
with sfrc1; name="bush"; type=bushing; parameters=k#;
with sensor; name ="top"; body="B1";
with end;
"""
QUICK = ("--formalisms", "lagrange,newton_euler", "--states", "1")
ALL = "contact=2,bushing=1"
WITHOUT = "without 2 contacts, 1 bushing"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    call = runner(capsys, monkeypatch, tmp_path)
    Path("a").mkdir()
    Path("a/input.dat").write_text(UM, encoding="utf-8")
    Path("b.dat").write_text(UM.replace("f=0.3", "f=0.4", 1), encoding="utf-8")
    return call


#: what is accepted -> exit code, words
CODES = [
    (None, 3, "to accept: --accept-omissions contact=2,bushing=1"),
    (ALL, 0, "accepted"),
    ("bushing=1, contact=2", 0, "accepted"),
    ("contact=2", 3, "not accepted: found 2 contacts, 1 bushing, accepted 2 contacts"),
    ("contact=3,bushing=1", 3, "accepted 3 contacts, 1 bushing"),
    ("contact=2,bushing=1,sensor=1", 3, "accepted 2 contacts, 1 bushing, 1 sensor"),
]


@pytest.mark.parametrize(("accept", "code", "words"), CODES)
def test_a_baseline_of_what_leaves_out_is_the_same_but_for_that(
    run: Run, accept: str | None, code: int, words: str
) -> None:
    assert run("baseline", "save", "a/input.dat").code == 0
    options = ("--accept-omissions", accept) if accept else ()
    done = run("baseline", "check", "a/input.dat", *options)
    assert done.code == code and words in done.out and f"same, {WITHOUT}" in done.out
    told = run("baseline", "check", "a/input.dat", *options, "--json").json["models"]["a/input.dat"]
    assert told["stands"] == (code == 0) and told["left_out"] == {"contact": 2, "bushing": 1}


@pytest.mark.parametrize(("accept", "code", "words"), CODES)
@pytest.mark.parametrize("command", ["check", "compare", "convert", "native"])
def test_the_exit_code_is_zero_for_exactly_what_is_accepted(
    run: Run, command: str, accept: str | None, code: int, words: str
) -> None:
    options = ("--accept-omissions", accept) if accept else ()
    file = "a/input.dat"
    if command == "native":  # after a trip through another format too
        assert run("convert", file, "a.mbs.json").code == 0
        command, file = "check", "a.mbs.json"
    done = {
        "check": lambda: run("check", file, *QUICK, *options),
        "compare": lambda: run("compare", file, file, "--states", "1", *options),
        "convert": lambda: run("convert", file, "out.mbs.json", "--verify", *options),
    }[command]()
    assert done.code == (4 if (command, code) == ("compare", 3) else code)
    assert WITHOUT in done.out + done.err and words in done.out + done.err


def table(text: str) -> str:
    return f"[tool.mbconcord.accept-omissions]\n{text}\n"


#: text of pyproject.toml in the folder above -> exit code
PROJECTS: dict[str, int] = {
    "[tool.other]\nx = 1": 3,
    "no TOML": 3,
    "[tool.mbconcord]": 3,
    table('"a/input.dat" = { contact = 2, bushing = 1 }'): 0,
    table('"./a/../a/input.dat" = { contact = 2, bushing = 1 }'): 0,
    table('"a/input.dat" = { contact = 2 }'): 3,
    table('"b.dat" = { contact = 2, bushing = 1 }'): 3,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", PROJECTS)
def test_a_project_says_it_of_each_file(run: Run, text: str) -> None:
    Path("pyproject.toml").write_text(text, encoding="utf-8")
    assert run("check", "a/input.dat", *QUICK).code == PROJECTS[text]
    assert run("check", "a/input.dat", *QUICK, "--accept-omissions", ALL).code == 0
    assert run("check", "a/input.dat", *QUICK, "--accept-omissions", "contact=1").code == 3


def test_the_project_of_the_working_directory_decides(run: Run) -> None:
    Path("pyproject.toml").write_text(table('"a/input.dat" = { contact = 1 }'), encoding="utf-8")
    Path("a/pyproject.toml").write_text("[tool.other]", encoding="utf-8")
    assert run("check", "a/input.dat", *QUICK).code == 3
    Path("a/pyproject.toml").write_text(table('"input.dat" = { contact = 2, bushing = 1 }'), encoding="utf-8")
    done = run("check", "a/input.dat", *QUICK)
    assert done.code == 3 and "a/pyproject.toml: note: its [tool.mbconcord.accept-omissions] is not taken" in done.err
    Path("pyproject.toml").unlink()
    assert run("check", "a/input.dat", *QUICK).code == 3
    os.chdir("a")
    done = run("check", "input.dat", *QUICK)
    assert done.code == 0 and "not taken" not in done.err
    assert run("compare", "input.dat", "input.dat", "--states", "1").code == 0


BAD_OPTIONS = {
    "contact": "found 'contact', expected kind=count (for example contact=19,bushing=1)",
    "contact=": "found 'contact=', expected kind=count",
    "contact=0": "found 'contact=0', expected kind=count",
    "contact=1.5": "found 'contact=1.5', expected kind=count",
    "contact=1,": "found '', expected kind=count",
    "contcat=1": "unknown kind 'contcat' (did you mean 'contact'? known: contact, bushing",
    "contact=1,contact=1": "the kind contact is named twice",
}


@pytest.mark.parametrize("text", BAD_OPTIONS)
@pytest.mark.parametrize("command", [("check", "a/input.dat"), ("compare", "b.dat", "b.dat")])
def test_a_wrong_option(run: Run, command: Sequence[str], text: str) -> None:
    done = run(*command, "--accept-omissions", text)
    assert done.code == 2
    assert f"--accept-omissions: error: {BAD_OPTIONS[text]}" in done.err


#: text -> line, column, words
BAD_PROJECTS = {
    "[tool]\nmbconcord = 3": (2, 1, "[tool.mbconcord] is int 3, expected a table"),
    "[tool.mbconcord]\naccept-omissions = [1]": (2, 1, "[tool.mbconcord.accept-omissions] is list [1]"),
    "[tool.mbconcord]\naccept = 1": (2, 1, "unknown key 'accept' in [tool.mbconcord] (did you mean 'accept-om"),
    table('"a/input.dat" = 19'): (2, 2, "what is accepted for 'a/input.dat' is int 19, expected a table"),
    table('"a/input.dat" = { contact = "2" }'): (2, 2, "found contact = '2', expected a count of one or more"),
    table('"a/input.dat" = { contact = true }'): (2, 2, "found contact = True, expected a count"),
    table('"a/input.dat" = { contact = 0 }'): (2, 2, "found contact = 0, expected a count"),
    table('"other.dat" = { contcat = 1 }'): (2, 17, "unknown kind 'contcat' (did you mean 'contact'?"),
    "[tool.mbconcord": (1, 1, "no TOML"),
    "[tool.mbconcord]\nx = = 2": (2, 5, "no TOML"),
}  # fmt: skip


@pytest.mark.parametrize("text", BAD_PROJECTS)
def test_a_wrong_project(run: Run, text: str) -> None:
    Path("pyproject.toml").write_text(text, encoding="utf-8")
    line, column, words = BAD_PROJECTS[text]
    done = run("check", "a/input.dat", *QUICK)
    assert done.code == 2 and words in done.err
    assert f"pyproject.toml:{line}:{column}: error: " in done.err and "Traceback" not in done.err


def test_two_models_that_leave_out_different_things(run: Run) -> None:
    done = run("compare", "a/input.dat", "b.dat", "--states", "1", "--accept-omissions", ALL)
    assert done.code == 3 and "the same machine" not in done.out
    assert "contact/foot: 'f=0.3' in A, 'f=0.4' in B" in done.out
    told = run("compare", "a/input.dat", "b.dat", "--states", "1", "--json").json
    assert [d["place"] for d in told["left_out_differently"]] == ["contact/foot"]
    assert (told["verdict"], told["stands"]) == ("not checked", False)


def test_a_parameter_that_only_what_is_left_out_uses(run: Run) -> None:
    Path("c.dat").write_text(UM.replace("k# 5", "k# 6"), encoding="utf-8")
    done = run("compare", "a/input.dat", "c.dat", "--states", "1")
    assert done.code == 3 and "bushing/bush: k = 5 in A, k = 6 in B" in done.out
    assert "the same machine" in run("compare", "a/input.dat", "c.dat", "--set", "k=7", "--states", "1").out


@pytest.mark.slow
@pytest.mark.parametrize("out", ["x.mbsd", "x.mbs.json", "x.dat"])
def test_a_conversion_says_it_whether_it_is_a_loss_or_is_kept(run: Run, out: str) -> None:
    done = run("convert", "a/input.dat", out, "--verify", "--set", "k=6")
    assert done.code == 3 and f"the same machine {WITHOUT}" in done.err
    assert ("omissions/contact: foot" in done.err) == (out == "x.mbsd")
    assert run("convert", "a/input.dat", out, "--verify", "--accept-omissions", ALL).code == 0


@pytest.mark.parametrize("suffix", [".md", ".html", ".xml", ".json"])
def test_every_report_says_it(run: Run, suffix: str) -> None:
    run("check", "a/input.dat", *QUICK, "--report", f"r{suffix}")
    text = Path(f"r{suffix}").read_text("utf-8")
    if suffix == ".xml":
        suite = ElementTree.fromstring(text)[0]
        (case,) = (c for c in suite if c.get("name") == "left out of the model")
        assert "2 contacts, effect on the motion forces: foot, hand" in case[0].get("message", "")
        assert "left out: a loss for the motion" in suite.findtext("system-err", "")
        cases = str(len(suite.findall("testcase")))
        assert (case[0].tag, suite.get("skipped"), suite.get("tests")) == ("skipped", "1", cases)
    else:
        assert f"agrees {WITHOUT}" in text
        assert all(name in text for name in ("foot", "hand", "bush"))


def test_the_command_that_repeats_a_check_accepts_the_same(run: Run) -> None:
    out = run("check", "a/input.dat", *QUICK, "--accept-omissions", ALL).out
    assert f"--accept-omissions {ALL}" in out.partition("reproduce:")[2]


def test_info_lists_what_is_left_out(run: Run) -> None:
    lines = [line.split() for line in run("info", "a/input.dat").out.splitlines()]
    for row in ("contact foot forces", "contact hand forces", "bushing bush forces", "1 sensor none"):
        assert row.split() in lines
    told = run("info", "a/input.dat", "--json").json["omissions"]
    assert [o["kind"] for o in told] == ["contact", "contact", "bushing", "sensor"]
    assert told[0]["what"] == 'with cfrc; name="foot"; type=plane_point; f=0.3;'


def test_info_does_not_call_stops_and_contacts_without_effect(run: Run) -> None:
    robot = """<mujoco><worldbody><body><joint name="j" range="0 1"/><geom name="g" size="1"/></body></worldbody>
        <contact><exclude body1="a" body2="b"/></contact>
        <actuator><motor joint="j" ctrlrange="-1 1"/></actuator><sensor><clock/></sensor></mujoco>"""
    Path("m.xml").write_text(robot, encoding="utf-8")
    lines = [" ".join(line.split()) for line in run("info", "m.xml").out.splitlines()]
    for row in ("1 limit of a joint", "1 contact", "1 collision shape", "1 limit of a drive"):
        assert f"{row} where it is reached" in lines
    assert "1 sensor none" in lines


def test_of_several_files_each_says_its_own(run: Run) -> None:
    done = run("check", "a/input.dat", "one.mbsd", *QUICK)
    assert done.code == 3
    assert f"agrees {WITHOUT}" in done.out and "2 files: 1 agrees, 1 agrees in part" in done.out


CATALOG = """[witnesses.two]
M = ["lagrange", "newton_euler"]
[[model]]
file = "a/input.dat"
witnesses = ["two"]
zero = ["h", "applied"]
"""
#: an entry's left_out -> exit code, words
EXPECTED = {
    "{ contact = 2, bushing = 1 }": (0, "as expected"),
    "": (1, "left_out: 2 contacts, 1 bushing left out, expected nothing (where that is known, give the entry"),
    "{ contact = 2 }": (1, "2 contacts, 1 bushing left out, expected 2 contacts"),
    "{ contact = 3, bushing = 1 }": (1, "expected 3 contacts, 1 bushing"),
    "{ contcat = 2 }": (2, "unknown kind 'contcat' (did you mean 'contact'? known: contact, bushing"),
    "{ contact = 0 }": (2, "found contact = 0, expected a count of one or more"),
    "{ contact = true }": (2, "found contact = True, expected a count"),
    "3": (2, "expected a table of counts, found 3"),
}  # fmt: skip


@pytest.mark.parametrize("left_out", EXPECTED)
def test_a_catalog_says_what_is_left_out(run: Run, left_out: str) -> None:
    entry = f"left_out = {left_out}\n" if left_out else ""
    Path("catalog.toml").write_text(CATALOG + entry, encoding="utf-8")
    done = run("check", "a/input.dat", *QUICK, "--claims", "none", "--expect", "catalog.toml")
    code, words = EXPECTED[left_out]
    assert done.code == code, done.err
    assert words in done.out + done.err
