"""A conversion to a format that cannot hold the model says so in one line, and ends with 3 until that is accepted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mbconcord
from mbconcord.cli.options.accepted import OMISSIONS, PARTS
from mbconcord.converters import registry
from mbconcord.model import System
from mbconcord.model.diagnostics import MbconcordError

from ...formats.format_models import FEATURED
from ..commands import Run, runner

DRIVEN = 'z(q)"(5 - 3 q) i $2 g-y'
LINE = "arm.urdf: not the same machine: what is lost acts on the motion: forces=1"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    call = runner(capsys, monkeypatch, tmp_path)
    Path("driven.mbsd").write_text(DRIVEN, encoding="utf-8")
    return call


@pytest.mark.slow
@pytest.mark.parametrize("detail", [(), ("--quiet",), ("--verbose",)], ids=str)
def test_a_lost_force_is_another_machine(run: Run, detail: tuple[str, ...]) -> None:
    done = run("convert", "driven.mbsd", "arm.urdf", "--force", *detail)
    assert done.code == 3 and Path("arm.urdf").exists()
    assert done.err.splitlines()[-1] == f"{LINE} (to accept: --accept-losses forces=1)"
    told = run("convert", "driven.mbsd", "arm.urdf", "--force", "--json").json
    assert told["stands"] is False and [x["place"] for x in told["losses"] if x["acts"]] == ["forces/q"]
    accepted = run("convert", "driven.mbsd", "arm.urdf", "--force", "--accept-losses", "forces=1", *detail)
    assert accepted.code == 0 and accepted.err.splitlines()[-1] == LINE
    for other in ("forces=2", "gravity=1", "forces=1,gravity=1"):
        assert run("convert", "driven.mbsd", "arm.urdf", "--force", "--accept-losses", other).code == 3
    verified = run("convert", "driven.mbsd", "arm.urdf", "--force", "--verify", *detail)
    assert verified.code == 1 and LINE in verified.err.splitlines() and "to accept" not in verified.err


RUBS = {
    "r.urdf": '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="2"/><inertia ixx="1" ixy="0" '
    'ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
    '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><dynamics friction="0.5"/></joint></robot>',
    "m.xml": '<mujoco><worldbody><body name="b"><joint name="j" axis="1 0 0" frictionloss="0.5"/><inertial pos="0 0 0" '
    'mass="2" diaginertia="1 1 1"/></body></worldbody></mujoco>',
}


@pytest.mark.parametrize("verify", [(), ("--verify",)], ids=["", "verified"])
@pytest.mark.parametrize(
    ("given", "out", "accepted"),
    [
        ("r.urdf", "r.xml", ("--accept-losses", "forces=1")),
        ("m.xml", "m.urdf", ("--accept-omissions", "joint-friction=1")),
        ("m.xml", "m.sdf", ("--accept-omissions", "joint-friction=1")),
    ],
)
def test_another_law_of_dry_friction_is_another_machine(
    run: Run, given: str, out: str, accepted: tuple[str, str], verify: tuple[str, ...]
) -> None:
    """MuJoCo's is a soft constraint, that of URDF and SDF Coulomb's law; no comparison has the two in its equations."""
    Path(given).write_text(RUBS[given], encoding="utf-8")
    done = run("convert", given, out, "--force", *verify)
    assert done.code == 3 and Path(out).exists() and "0.5" in Path(out).read_text("utf-8")
    line = f"{out}: not the same machine: what is lost acts on the motion: {accepted[1]}"
    assert done.err.splitlines()[-1] == f"{line} (to accept: {' '.join(accepted)})"
    taken = run("convert", given, out, "--force", *verify, *accepted)
    assert taken.code == 0 and taken.err.splitlines()[-1] == line


def test_nothing_lost_that_acts_is_0(run: Run) -> None:
    done = run("convert", "one.mbsd", "one.tp.csv")
    assert done.code == 0 and "lost in tp" in done.err and "same machine" not in done.err
    wrong = run("convert", "one.mbsd", "two.tp.csv", "--accept-losses", "forces=1")
    assert wrong.code == 3 and "no loss acts on the motion" in wrong.err
    assert run("convert", "one.mbsd", "two.tp.csv", "--accept-losses", "force=1").code == 2


def test_a_text_that_is_not_compared_is_told(run: Run) -> None:
    said = "one.json: not compared with one.mbsd (--verify compares them)"
    plain = ("convert", "one.mbsd", "one.json", "--to", "native", "--force")
    assert run(*plain).err.splitlines()[-1] == said
    assert "not compared" not in run(*plain, "--verify").err + run(*plain, "--quiet").err
    assert run(*plain, "--json").json["not_checked"] == ["text"]
    assert "not_checked" not in run(*plain, "--json", "--verify").json
    refused = run("convert", "one.mbsd", "one.tp.csv", "--strict")
    assert refused.code == 1 and "not written" in refused.err and "not compared" not in refused.err


def test_omissions_that_the_other_format_loses_act_too(run: Run) -> None:
    suspension = str(mbconcord.fixtures.folder() / "um" / "suspension" / "input.dat")
    done = run("convert", suspension, "car.mbs.json", "--quiet")
    assert done.code == 0  # native files hold what was left out
    lost = run("convert", suspension, "car.mbsd", "--quiet")
    options = re.search(r"\(to accept: (.*)\)$", lost.err.splitlines()[-1])
    assert lost.code == 3 and options and "--accept-omissions contact=" in options[1]
    assert run("convert", suspension, "again.mbsd", "--quiet", *options[1].split()).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("system", FEATURED.values(), ids=FEATURED)
def test_losses_act_where_the_result_is_another_machine(system: System) -> None:
    for name in registry.names():
        if registry.format_named(name).write is None:
            continue
        try:
            made = mbconcord.convert(system, to=name, physics="ignore", verify=True)
        except MbconcordError:
            continue
        assert {x.place.partition("/")[0] for x in made.acting} <= {*PARTS, OMISSIONS}
        assert made.verification is not None
        if made.verification.verdict == "disagrees":
            assert made.acting, f"{name}: {made.verification}"


def test_losses_of_one_kind_are_one_line_those_that_act_first(run: Run) -> None:
    link = '<link name="{}"><visual><geometry><box size="1 1 1"/></geometry></visual></link>'
    joint = '<joint name="j" type="planar"><parent link="a"/><child link="b"/><dynamics friction="1"/></joint>'
    text = f"<robot name='r'>{link.format('a')}{link.format('b')}<gazebo/><sensor name='s'/>{joint}</robot>"
    Path("r.urdf").write_text(text, encoding="utf-8")
    rows = run("convert", "r.urdf", "r.mbsd").err.splitlines()
    at = next(i for i, line in enumerate(rows) if line.startswith("---")) + 1
    assert rows[at].startswith("omissions/joint-friction/j ")
    assert [row for row in rows if row.startswith("omissions/image: a, b ")]
    assert "omissions/image/a " in run("convert", "r.urdf", "r2.mbsd", "--verbose").err
