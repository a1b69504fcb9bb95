"""A stop that the model leaves out is told where the states pass it, at the first instant that they do."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbconcord

from ..commands import Run, runner

URDF = """<robot name="r"><link name="base"/><link name="a"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hip" type="revolute">
<parent link="base"/><child link="a"/><axis xyz="0 1 0"/><limit lower="-0.5" upper="0.5" effort="1" velocity="1"/>
</joint></robot>"""
SDF = """<sdf version="1.9"><model name="r"><link name="base"/><link name="a"><inertial><pose>0.5 0 0 0 0 0</pose>
<mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
<joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="hip" type="revolute"><parent>base</parent><child>a</child>
<axis><xyz>0 1 0</xyz><limit><lower>-0.5</lower><upper>0.5</upper></limit></axis></joint></model></sdf>"""
MJCF = """<mujoco><compiler angle="radian"/><worldbody><body><joint name="hip" axis="0 1 0" range="-0.5 0.5"/>
<inertial pos="0.5 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
TENDON = """<tendon><fixed name="cord" range="-1 1"><joint joint="hip" coef="2"/></fixed></tendon></mujoco>"""
FORMATS = {
    "urdf": URDF,
    "sdf": SDF,
    "xml": MJCF,
    "degrees.xml": MJCF.replace("radian", "degree").replace("0.5 0.5", "28.64788975654116 28.64788975654116"),
    "tendon.xml": MJCF.replace(' range="-0.5 0.5"', "").replace("</mujoco>", TENDON),
}
#: The motion of the pendulum passes 0.5 rad then, s: what --event hip-0.5 finds.
PASSES = 0.26825


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def write(name: str) -> str:
    Path(f"m.{name}").write_text(FORMATS[name], encoding="utf-8")
    return f"m.{name}"


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kept", [False, True])
def test_simulation_names_the_first_instant_beyond_a_stop(run: Run, name: str, kept: bool) -> None:
    model = write(name)
    if kept:  # a trip through the native format keeps what is known of the stop
        assert run("convert", model, "m.mbs.json").code == 0
        model = "m.mbs.json"
    before = run("simulate", model, "--until", "0.26", "--json")
    assert before.code == 0 and "passed_at" not in before.json
    done = run("simulate", model, "--until", "2", "--step-out", "0.1")
    assert done.code == 3 and f"(reached at t = {PASSES} s)" in done.out
    assert "to accept: --accept-omissions joint-limit=1" in done.out
    told = run("simulate", model, "--until", "2", "--json", "--plot", "page.html").json
    (instant,) = told["passed_at"].values()
    assert instant == pytest.approx(PASSES, abs=5e-6)
    assert (told["stands"], told["left_out"]) == (False, {"joint-limit": 1})
    assert "reached at t = 0.26825 s" in Path("page.html").read_text("utf-8")
    assert run("simulate", model, "--until", "2", "--accept-omissions", "joint-limit=1").code == 0
    assert not mbconcord.simulate(model, 2.0).left_out.stands


@pytest.mark.slow
@pytest.mark.parametrize("method", ["dop853", "radau", "lsoda"])
@pytest.mark.parametrize("rows", ["0.05", "3", "10"])
def test_the_instant_does_not_depend_on_how_far_apart_the_rows_are(run: Run, method: str, rows: str) -> None:
    """The last row, 10 s, is within the range again."""
    told = run("simulate", write("urdf"), "--until", "10", "--method", method, "--step-out", rows, "--json").json
    assert told["passed_at"] == {"joint-limit/hip": pytest.approx(PASSES, abs=5e-6)}


def test_a_run_that_goes_on_keeps_what_was_reached_before(run: Run) -> None:
    model = write("urdf")
    assert run("simulate", model, "--until", "1.2", "--output", "a.csv").code == 3
    told = run("simulate", model, "--until", "1.3", "--resume", "a.csv", "--step-out", "0.1", "--json").json
    assert told["passed_at"]["joint-limit/hip"] == pytest.approx(PASSES, abs=0.02)  # a row that stands beyond it


def test_states_beyond_a_stop_are_told_by_every_command_that_has_some(run: Run) -> None:
    model = write("urdf")
    Path("past.json").write_text('{"q": {"hip": -1.4}}', encoding="utf-8")
    Path("motion.csv").write_text("t,hip\n0,0\n1,0.6\n2,0\n", encoding="utf-8")
    verbs = {
        "evaluate": ("--formalism", "lagrange", "--state", "past.json"),
        "linearize": ("--at", "past.json", "--no-witness"),
        "equilibrium": ("--state", "past.json", "--no-witness"),
        "animate": ("motion.csv", "page.html"),
    }
    for verb, arguments in verbs.items():
        done = run(verb, model, *arguments)
        words = "hip (reached at t = 1 s)" if verb == "animate" else "hip (reached)"
        assert done.code == 3 and words in done.out, verb
    assert run("evaluate", model, *verbs["evaluate"], "--quantity", "M").code == 0  # a stop does not enter M
    assert "reached at t = 1 s" in Path("page.html").read_text("utf-8")


@pytest.mark.slow
def test_every_result_of_python_says_in_its_line_what_is_left_out(run: Run) -> None:
    dry = MJCF.replace('range="-0.5 0.5"', 'frictionloss="0.1"')
    model = mbconcord.read(text=dry, format="mjcf")
    near = mbconcord.equilibrium(model, {"hip": 1.5})
    results = (
        mbconcord.evaluate(model, {"hip": 1.4}), mbconcord.simulate(model, 0.1), mbconcord.derive(model, "lagrange"),
        mbconcord.compile(model, "acceleration"), near, mbconcord.linearize(model, near.state),
        mbconcord.animate(model, {"hip": [0, 1]}, t=[0, 1]),
        mbconcord.export(model, "code", "applied"),
    )  # fmt: skip
    for found in results:
        assert "without 1 dry friction of a joint" in repr(found), repr(found)
    assert "without" not in repr(mbconcord.compile(model, "M"))


def test_linear_motion_at_a_stop_is_not_free(run: Run) -> None:
    Path("edge.json").write_text('{"q": {"hip": 0.5}}', encoding="utf-8")
    done = run("linearize", write("urdf"), "--at", "edge.json", "--no-witness")
    assert done.code == 3 and "hip (reached)" in done.out


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("urdf", 'type="revolute"', 'type="continuous"'),
        ("urdf", 'lower="-0.5" upper="0.5" ', ""),
        ("urdf", 'lower="-0.5" upper="0.5" ', 'lower="-inf" upper="inf" '),
        ("sdf", 'type="revolute"', 'type="continuous"'),
        ("sdf", "<upper>0.5", "<upper>1e16"),
        ("xml", 'angle="radian"', 'angle="radian" autolimits="false"'),
        ("xml", 'range="', 'limited="false" range="'),
        ("xml", "<worldbody>", '<option><flag limit="disable"/></option><worldbody>'),
    ],
)
def test_what_stops_nothing_is_not_reached(run: Run, name: str, old: str, new: str) -> None:
    assert old in FORMATS[name]
    Path("m." + name).write_text(FORMATS[name].replace(old, new), encoding="utf-8")
    done = run("simulate", "m." + name, "--until", "0.5")
    assert done.code == 0 and "reached at" not in done.out


def test_one_table_of_a_project_accepts_for_check_and_for_simulation(run: Run) -> None:
    model = write("urdf")
    text = f'[tool.mbconcord.accept-omissions]\n"{model}" = {{ joint-limit = 1 }}\n'
    Path("pyproject.toml").write_text(text, encoding="utf-8")
    assert run("simulate", model, "--until", "2").code == 0
    assert run("check", model, "--formalisms", "lagrange,newton_euler", "--states", "1").code == 0
    Path("pyproject.toml").write_text(text.replace("1", "2"), encoding="utf-8")
    assert run("simulate", model, "--until", "2").code == 3


def test_a_gap_with_a_name_that_is_no_coordinate_is_refused(run: Run) -> None:
    assert run("convert", write("urdf"), "m.mbs.json").code == 0
    text = Path("m.mbs.json").read_text("utf-8")
    Path("m.mbs.json").write_text(text.replace('"hip + 0.5"', '"hop + 0.5"').replace('"hip + 1/2"', '"hop + 1/2"'))
    done = run("info", "m.mbs.json")
    assert done.code == 2 and "'hop' is not known here" in done.err
