"""check for programs that show findings at lines of models: GitHub, SARIF, JUnit; the action, the hook."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import mbconcord
from mbconcord.api.check import Check
from mbconcord.converters import registry as formats
from mbconcord.formalisms.registry import formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.system import System
from mbconcord.reports import FORMS, render
from mbconcord.reports.annotations import RULES, annotate, commands
from mbconcord.witnessed import STATES
from tests.cli.commands import Run, runner

ROOT = Path(__file__).resolve().parents[2]
URDF = """<robot name="r"><link name="a"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit effort="1" velocity="1"/>{}</joint>
<link name="b"><inertial><mass value="1"/><origin xyz="1 0 0"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>
"""
MJCF = """<mujoco><worldbody>
<body name="b"><inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="j" axis="0 0 1" frictionloss="2"/></body></worldbody></mujoco>
"""
TWO = "--formalisms", "lagrange,newton_euler", "--states", "2", "--claims", "none"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    done = runner(capsys, monkeypatch, tmp_path)
    for name, text in {
        "rubs.urdf": URDF.format('<dynamics friction="2"/>').replace("revolute", "planar"),
        "rubs.xml": MJCF,
        "light.mbsd": "z(q) i2 $2\n> z(p) i0 $0 ; g-y\n",
        "bad.mbsd": "z(q)\nj-2 $3 ( ; g\n",
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    return done


class Wrong(type(formalism("lagrange"))):  # type: ignore[misc]
    """Lagrange's equations with the inertia along the last coordinate doubled."""

    name = "wrong"

    def derive(self, system: System) -> Derivation:
        own = super().derive(system)
        M = [list(row) for row in own.quantities["M"]]
        M[-1][-1] *= 2
        return replace(own, formalism="wrong", quantities={**own.quantities, "M": tuple(map(tuple, M))})


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Check:
    file = tmp_path_factory.mktemp("wrong") / "arm, 1.mbsd"
    file.write_text("z(q) i2 $2\n> i1 z(elbow)\ni2 $3 ; g-y\n", encoding="utf-8")
    return mbconcord.check(str(file), formalisms=["lagrange", Wrong()], states=2, claims=())


#: Files -> level, rule, line and column of their findings, and words of them.
FINDINGS = [
    ("one.mbsd", []),
    ("rubs.urdf", [("error", "left-out", 2, 1, "1 dry friction of a joint")]),
    ("rubs.xml", [("error", "left-out", 3, 1, "1 dry friction of a joint")]),
    ("bad.mbsd", [("error", "refused", 2, 8, "this '(' is never closed")]),
    ("light.mbsd", [("error", "not-checked", 1, 1, "mass matrix is singular")]),
]


@pytest.mark.parametrize(("file", "said"), FINDINGS)
def test_findings_stand_at_their_lines(run: Run, file: str, said: list[tuple[str, str, int, int, str]]) -> None:
    """The same ones in GitHub's log, in SARIF; what JUnit does not pass is among them."""
    done = run("check", file, *TWO, "--report", "github", "--report", "r.sarif")
    lines = [line for line in done.out.splitlines() if line.startswith("::")]
    results = json.loads(Path("r.sarif").read_text("utf-8"))["runs"][0]["results"]
    assert len(lines) == len(results) == len(said)
    for line, result, (level, rule, at, column, words) in zip(lines, results, said, strict=True):
        assert line.startswith(f"::{level} file={file},line={at},col={column},title=mbconcord%3A {RULES[rule][:9]}")
        (place,) = result["locations"]
        region = {"startLine": at, "startColumn": column}
        assert place["physicalLocation"] == {"artifactLocation": {"uri": file}, "region": region}
        assert (result["level"], result["ruleId"]) == (level, rule)
        assert words in line and words in result["message"]["text"]
    assert done.code == (0 if not said else 2 if "refused" in said[0] else 3)


def test_files_are_named_from_the_root_of_the_checkout(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A job's working-directory is often a folder of models, and GitHub looks from the root."""
    models = tmp_path / "my models"
    models.mkdir()
    for at in (models / "rubs.urdf", tmp_path.parent / "outside.urdf"):
        at.write_text(Path("rubs.urdf").read_text("utf-8"), encoding="utf-8")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.chdir(models)
    for given, named, uri in (
        ("rubs.urdf", "my models/rubs.urdf", "my%20models/rubs.urdf"),
        (str(models / "rubs.urdf"), "my models/rubs.urdf", "my%20models/rubs.urdf"),
        ("../rubs.urdf", "rubs.urdf", "rubs.urdf"),
        (str(tmp_path.parent / "outside.urdf"),) * 2 + ((tmp_path.parent / "outside.urdf").as_uri(),),
    ):
        done = run("check", given, *TWO, "--report", "github", "--report", "r.sarif")
        assert f"::error file={named},line=2," in done.out
        assert f'"uri": "{uri}"' in Path("r.sarif").read_text("utf-8")


def test_a_link_in_a_ring_is_named_as_it_was_given(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ring.urdf").symlink_to("ring.urdf")
    monkeypatch.setenv("GITHUB_WORKSPACE", "")
    assert "::error file=ring.urdf,line=1," in run("check", "ring.urdf", "--report", "github").out


def test_a_disagreement_stands_at_the_coordinate(wrong: Check) -> None:
    first, *_ = found = annotate(wrong)
    assert {a.rule for a in found} == {"disagreement"} and {a.level for a in found} == {"error"}
    assert first.message.startswith("M[elbow, elbow]: lagrange and wrong disagree\n")
    assert "\nreproduce: mbconcord check " in first.message
    assert (first.location.line, first.location.column) == (2, 6)
    (line, *_) = commands(found)
    assert line.startswith("::error file=") and "arm%2C 1.mbsd,line=2,col=6,title=" in line and "%0A" in line
    uri = json.loads(render([wrong], "r.sarif"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert uri["artifactLocation"]["uri"].startswith("file:///") and uri["artifactLocation"]["uri"].endswith(
        "arm%2C%201.mbsd"
    )
    failed = [case for case in ElementTree.fromstring(render([wrong], "r.xml")).iter("testcase") if len(case)]
    assert failed and {case.get("line") for case in failed if "M:" in str(case.get("name"))} == {"2"}
    assert all(str(case.get("file")).endswith("arm, 1.mbsd") for case in failed)


def test_what_is_accepted_is_a_warning(run: Run) -> None:
    done = run("check", "rubs.urdf", *TWO, "--report", "github", "--accept-omissions", "joint-friction=1")
    (line,) = (line for line in done.out.splitlines() if line.startswith("::"))
    assert done.code == 0 and line.startswith("::warning file=rubs.urdf,line=2,") and line.endswith("; accepted")


def test_what_a_catalog_expects_is_no_finding(run: Run) -> None:
    row = '[[model]]\nfile = "light.mbsd"\nwitnesses = []\nzero = ["h", "applied"]\nverdict = '
    for verdict, code in (('"not checked"\nreason = "no inertia along p"', 0), ('"agrees"', 1)):
        Path("c.toml").write_text(f"{row}{verdict}\n", encoding="utf-8")
        done = run("check", "light.mbsd", *TWO, "--report", "github", "--expect", "c.toml")
        lines = [line for line in done.out.splitlines() if line.startswith("::")]
        assert done.code == code, done.err
        assert len(lines) == code and all("title=mbconcord%3A the check differs" in line for line in lines)


def test_the_summary_of_a_job_grows(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("# before\n", encoding="utf-8")
    run("check", "one.mbsd", "light.mbsd", "bad.mbsd", *TWO, "--report", "github")
    text = Path("summary.md").read_text("utf-8")
    assert text.count(STATES) == 1 and text.index(STATES) < text.index("| model |")
    assert text.startswith("# before\n## Models checked by mbconcord\n")
    assert "\n3 files: 1 agrees, 1 not checked, 1 refused\n" in text
    assert "\n| one.mbsd | agrees |" in text and "\n| light.mbsd | not checked |" in text
    assert "\n* error: bad.mbsd:2:8: " in text
    run("check", "one.mbsd", *TWO)
    assert Path("summary.md").read_text("utf-8") == text


def test_json_on_standard_output_stays_json(run: Run) -> None:
    done = run("check", "rubs.urdf", *TWO, "--report", "github", "--json")
    assert done.json["verdict"] == "agrees in part" and "::error file=rubs.urdf" in done.err


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMS)
def test_every_report_names_the_models_that_were_refused(run: Run, suffix: str) -> None:
    for files in (["bad.mbsd"], ["bad.mbsd", "one.mbsd"]):
        assert run("check", *files, *TWO, "--report", f"r{suffix}").code == 2
        text = Path(f"r{suffix}").read_text("utf-8")
        assert "bad.mbsd" in text and "never closed" in text
    if suffix == ".xml":
        bad, one = sorted(ElementTree.fromstring(text), key=lambda suite: str(suite.get("name")))
        assert (bad.get("errors"), one.get("errors"), bad[0].get("line")) == ("1", "0", "2")


# --- what the repository has for the jobs of others ---------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("bash"), reason="the action is a line of bash")
def test_the_action_checks_and_keeps_names_of_files_whole(run: Run, tmp_path: Path) -> None:
    steps = re.findall(r"^      run: (.*)$", (ROOT / "action.yml").read_text("utf-8"), re.MULTILINE)
    assert steps[0] == 'python -m pip install --quiet "$GITHUB_ACTION_PATH"' and len(steps) == 2
    assert "${{" not in "".join(steps)  # what others write into an input is no text of the script
    own = tmp_path / "bin" / "python"
    own.parent.mkdir()
    own.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
    own.chmod(0o755)
    given = {"MODELS": "o*.mbsd rubs.urdf", "ARGUMENTS": shlex.join(TWO), "REPORT": "the report.xml"}
    names = re.findall(
        r"^        (\w+): \$\{\{ inputs\.(\w+) \}\}$", (ROOT / "action.yml").read_text("utf-8"), re.MULTILINE
    )
    assert {name for name, _ in names} == given.keys() and all(name == input.upper() for name, input in names)
    env = os.environ | given | {"PATH": f"{own.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-e", "-c", steps[1]], env=env, capture_output=True, encoding="utf-8")
    assert done.returncode == 3, done.stderr
    assert "::error file=rubs.urdf,line=2," in done.stdout and "2 files: " in done.stdout
    assert len(ElementTree.fromstring(Path("the report.xml").read_text("utf-8"))) == 2


@pytest.mark.slow
def test_the_hook_takes_models_and_no_other_files(run: Run) -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    hook = dict(re.findall(r"^[- ] (\w+): (.*)$", text, re.MULTILINE))
    suffixes = {s for name in formats.names() for s in formats.format_named(name).suffixes}
    general = {".xml", ".dat", ".world", "input.dat"}
    assert {s for s in suffixes if re.search(hook["files"], f"models/a{s}")} == suffixes - general
    assert not any(re.search(hook["files"], name) for name in ("a.py", "a.csv", "package.json", "a.urdf.txt"))
    program, *words = shlex.split(hook["entry"]) + hook["args"].strip("[]").split(", ")
    assert program == "mbconcord" and hook["language"] == "python"
    assert run(*words, "one.mbsd", "two.mbsd").code == 0
    assert run(*words, "one.mbsd", "rubs.urdf").code == 3
