"""Limits of joints by a law that the user assumes: forces, verdict, exit code, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mbconcord as mb

from .commands import Run, runner

run = pytest.fixture(runner)

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="1" effort="3" velocity="2"/></joint>
</robot>
"""
MJCF = """<mujoco model="arm"><worldbody><body name="upper"><joint name="elbow" type="hinge" axis="0 1 0" range="-0.5 1"
  limited="true"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>
  <compiler angle="radian"/></mujoco>
"""
SDF = """<sdf version="1.9"><model name="arm">
  <link name="upper"><inertial><mass>1</mass></inertial></link>
  <joint name="elbow" type="revolute"><parent>world</parent><child>upper</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-0.5</lower><upper>1</upper></limit></axis></joint>
</model></sdf>
"""
LAW = "stop=kelvin_voigt,k=100,c=2"


@pytest.mark.parametrize(("format", "text"), [("urdf", URDF), ("mjcf", MJCF), ("sdf", SDF)])
@pytest.mark.parametrize(("q", "v", "expected"), [(0.3, 5.0, 0.0), (1.1, 1.0, -12.0), (-0.7, -1.0, 22.0)])
def test_limits_press_by_the_law_assumed(format: str, text: str, q: float, v: float, expected: float) -> None:
    """100·0.1 + 2·1 against the motion, 100·0.2 + 2·1 the other way."""
    system = mb.read(text=text, format=format, assume=LAW).system
    assert mb.evaluate(system, q=[q], v=[v])["applied"] == pytest.approx([expected], abs=1e-12)


def test_a_verdict_names_the_law_and_is_not_complete(run: Run) -> None:
    file = Path("arm.urdf")
    file.write_text(URDF, encoding="utf-8")
    plain, told = run("check", str(file)), run("check", str(file), "--assume", LAW)
    assert (plain.code, told.code) == (0, 3)
    assert f"law of 1 stop assumed by --assume {LAW}" in told.out
    again = run("check", str(file), "--assume", "stop=hunt_crossley,k=100,d=0.3")
    assert again.code == 3


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ("stop=kelvin,k=1", "there is no law 'kelvin'"),
        ("stop=kelvin_voigt,k=0", "found 0, expected a number that is positive"),
        ("stop=rigid,e=2", "found the restitution 2, expected one from 0 to 1"),
        ("stop=rigid,k=1", "rigid has no k"),
        ("stop=kelvin_voigt,q=1", "found 'q' in"),
        ("wheel=kelvin_voigt,k=1", "found 'wheel' in"),
    ],
)
def test_laws_that_are_none_are_refused(law: str, words: str) -> None:
    with pytest.raises(mb.MbconcordError, match=f"--assume.*{words}"):
        mb.read(text=URDF, format="urdf", assume=law)


def test_a_model_without_limits_has_no_stop() -> None:
    with pytest.raises(mb.MbconcordError, match="no limit of a joint"):
        mb.read(text=URDF.replace("revolute", "continuous"), format="urdf", assume=LAW)


def test_a_stop_is_written_to_native_and_lost_elsewhere() -> None:
    reading = mb.read(text=URDF, format="urdf", assume=LAW)
    text = mb.write(reading, "native").text
    assert '"kind": "stop"' in text and mb.read(text=text, format="native").system == reading.system
    assert any(x.acts and x.place == "forces/elbow_stop" for x in mb.write(reading, "sdf").losses)


@pytest.mark.slow
def test_a_rigid_stop_holds_a_falling_arm(run: Run) -> None:
    """An arm of 1 kg at 0.5 m falls from the horizontal by 1 rad: its stop takes what the weight gave."""
    Path("arm.xml").write_text(MJCF.replace('pos="0 0 0"', 'pos="0.5 0 0"'), encoding="utf-8")
    told = run("simulate", "arm.xml", "--assume", "stop=rigid,e=0", "--until", "2", "--impacts", "simultaneous")
    assert told.code == 3 and "law of 1 stop assumed by --assume, effect on the motion" in told.out
    assert "impact elbow_stop" in told.out and "meets elbow_stop" in told.out and "rigid element" not in told.out
    assert "lost in impacts: 4.127" in told.out and "Moreau's time stepping is off in elbow by" in told.out
    checked = run("check", "arm.xml", "--assume", "stop=rigid,e=0")
    assert checked.code == 3 and "rigid element" in checked.out


TENDONS = """<mujoco model="tendons"><option gravity="0 0 0"/><worldbody><site name="top" pos="0 0 1"/>
  <body name="a"><joint name="x" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/></body>
  <body name="b"><joint name="y" type="slide" axis="1 0 0"/><geom size="0.1" mass="3"/></body>
  <body name="c" pos="0 0 1"><joint name="z" type="slide" axis="0 0 1"/><geom size="0.1" mass="1"/>
    <site name="hook"/></body></worldbody>
  <tendon><fixed name="sum" limited="true" range="-1 2"><joint joint="x" coef="1"/><joint joint="y" coef="-2"/></fixed>
    <spatial name="rope" limited="true" range="0 0.5"><site site="top"/><site site="hook"/></spatial></tendon></mujoco>
"""


@pytest.mark.slow
def test_limited_tendons_stop() -> None:
    """W (1, 1/3) Wᵀ = 7/3 of W = (1, -2): the impulse 6/7 stops the rate 2 of x - 2 y; a rope stops its body."""
    reading = mb.read(text=TENDONS, format="mjcf", assume="stop=rigid,e=0")
    found = mb.simulate(reading, 3, v={"x": 1, "y": -0.5, "z": 1}, step_out=0.5)
    assert [(row.event, row.t) for row in found.found if row.event.startswith("impact")] == [
        ("impact rope_stop", pytest.approx(0.5)), ("impact sum_stop", pytest.approx(1)),
    ]  # fmt: skip
    assert [*found.last.v.values()] == pytest.approx([1 / 7, 1 / 14, 0], abs=1e-14)
    assert all(c.verdict == "agrees" for c in found.witnesses if c.verdict != "not checked")
    strut = mb.read(text=TENDONS.replace("0 0.5", "0.1 0.5"), format="mjcf", assume="stop=rigid,e=0").system
    assert [o.place for o in strut.omissions if o.kind == "joint-limit"] == ["joint-limit/rope"]


def test_a_run_and_its_table_play_where_stops_are_met() -> None:
    found = mb.simulate(mb.read(text=MJCF, format="mjcf", assume=LAW), 0.5, v=[3.0], step_out=0.1)
    (row,) = (row for row in found.found if row.event == "meets elbow_stop")
    for shown in (found.animate(), mb.animate(found.model, found)):
        events = json.loads(shown.html.partition('id="data">')[2].partition("</script>")[0])["events"]
        assert events[0] == [float(f"{row.t:.9g}"), row.event, [["elbow", 1.0, "rad"]], []]


def test_what_is_accepted_is_read_before_anything_is_computed(run: Run) -> None:
    file = Path("arm.xml")
    file.write_text(MJCF, encoding="utf-8")
    done = run("simulate", str(file), "--until", "1", "--accept-omissions", "all", "--output", "rows.csv")
    assert done.code == 2 and "found 'all', expected kind=count" in done.err and not Path("rows.csv").exists()
