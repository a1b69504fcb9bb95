"""A contact that the model leaves out is told where a point or a sphere of it passes its plane, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.um.um_files import REAL, real

from ..commands import Run, runner

UM = """with main; version=80 ;
  type=mbs;  autogravity=true;
with const;
  cnst=(L# 2);
  cnst=(floor# -1);
with egravity; gravityz=-1;
with body1; name="bar"; ppjoint=0; igrobj=1;
  m=1; ixx=1; ixy=; ixz=; iyy=1; iyz=; izz=1; rcx=1; rcy=; rcz=;
with body2; name="foot"; ppjoint=0; igrobj=1;
  m=1; ixx=1; ixy=; ixz=; iyy=1; iyz=; izz=1; rcx=; rcy=; rcz=;
with joint1; name="jBase0_bar"; type=rotat; bd1="Base0"; bd2="bar";
  with jnt1dof;
    ro1x=; ro1y=; ro1z=; ro2x=; ro2y=; ro2z=;
  e1x=0; e1y= 1.; e1z=0; e2x=0; e2y= 1.; e2z=0;
  constx=0; consta=0; x0=0;
with joint2; name="jbar_foot"; type=transl; bd1="bar"; bd2="foot";
  with jnt1dof;
    ro1x=L; ro1y=; ro1z=; ro2x=; ro2y=; ro2z=;
  e1x= 1.; e1y=0; e1z=0; e2x= 1.; e2y=0; e2z=0;
  constx=0; consta=0; x0=0;
  with cfrc; name="C"; type=plane_point; bd1="foot"; bd2="Base0"; reverse=true;
    ro1x=; ro1y=; ro1z=; ro2x=; ro2y=; ro2z=;
    px=; py=; pz=floor; ex=0; ey=0; ez= 1.; minx=; maxx=; clearance=;
    points={
      '' '' '1'
      'L/4' '' '0.25'
    };
    sx=; sy=; sz=-0.5; sr=0.25;
with end;
"""
#: What is changed of the file -> the event at which it passes the plane; None: nobody knows where the plane is.
ROWS: dict[tuple[str, ...], str | None] = {
    (): "1 - (2.5 + q2)*sin(q1) + 0.25*cos(q1)",
    ("'0.25'", "'-0.25'"): "1 - (2.5 + q2)*sin(q1) - 0.25*cos(q1)",
    ("floor# -1", "floor# -2"): "2 - (2.5 + q2)*sin(q1) + 0.25*cos(q1)",
    ("plane_point", "plane_sphere"): "0.75 - (2 + q2)*sin(q1) - 0.5*cos(q1)",
    ("ex=0; ey=0; ez= 1.", "ex=3; ey=0; ez= 4."): "0.8 + (2.5 + q2)*(0.6*cos(q1) - 0.8*sin(q1)) "
    "+ 0.25*(0.8*cos(q1) + 0.6*sin(q1))",
    ("reverse=true", "reverse=false"): None,
    ("ro2x=; ro2y=; ro2z=;\n    px", "ro2x=; ro2y=; ro2z=1;\n    px"): None,
    ("clearance=;", "clearance=0.1;"): None,
    ("'L/4'", "'nobody/4'"): None,
    ("ez= 1.; minx", "ez=0; minx"): None,
    ("plane_point", "sphere_sphere"): None,
    ('bd1="foot"; bd2="Base0"', 'bd1="foot"; bd2="bar"'): None,
}  # fmt: skip


MJCF = """<mujoco><option><flag contact="enable"/></option><worldbody>
<geom name="floor" type="plane" pos="0 0 -0.4" size="1 1 1"/>
<body name="arm" pos="0 0 0"><joint name="q1" axis="0 1 0"/><inertial pos="0.5 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
<geom name="G" pos="0.5 0 0" type="sphere" size="0.1"/></body></worldbody></mujoco>"""
SPHERE = 'pos="0.5 0 0" type="sphere" size="0.1"'
#: The same of a shape of a robot and a plane of the world; None: not all is known, or they do not touch.
SHAPES: dict[tuple[str, ...], str | None] = {
    (): "0.3 - 0.5*sin(q1)",
    (SPHERE, 'pos="0.5 0 0" size="0.1"'): "0.3 - 0.5*sin(q1)",
    (SPHERE, 'type="capsule" fromto="0.5 0 0 0 0 0" size="0.1"'): "0.3 - 0.5*sin(q1)",
    (SPHERE, 'type="cylinder" fromto="0.5 0 0 0 0 0" size="0.1"'): "0.4 - 0.5*sin(q1) - 0.1*abs(cos(q1))",
    (SPHERE, 'type="box" pos="0.5 0 0" size="0.1 0.2 0.3"'): "0.4 - 0.6*sin(q1) - 0.3*cos(q1)",
    (SPHERE, 'type="ellipsoid" pos="0.5 0 0" size="0.1 0.2 0.3"'):
        "0.4 - 0.5*sin(q1) - sqrt(0.01*sin(q1)^2 + 0.09*cos(q1)^2)",
    ('pos="0 0 -0.4"', 'pos="0 0 -0.4" zaxis="3 0 4"'): "0.22 - 0.4*sin(q1) + 0.3*cos(q1)",
    ('<body name="arm" pos="0 0 0">', '<body name="arm" pos="0 0 0.1" euler="0 0 90">'): "0.4 - 0.5*sin(q1)",
    (SPHERE, 'pos="0.5 0 0" type="mesh"'): None,
    (SPHERE, SPHERE + ' margin="0.1"'): None,
    (SPHERE, SPHERE + ' contype="2" conaffinity="2"'): None,
    ("</mujoco>", '<contact><exclude body1="arm" body2="world"/></contact></mujoco>'): None,
    ('name="floor" type="plane"', 'name="floor" type="box"'): None,
}  # fmt: skip


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def write(*change: str) -> None:
    text = UM
    if change:
        assert change[0] in text
        text = text.replace(*change)
    Path("input.dat").write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("change", ROWS)
def test_simulation_names_the_instant_at_which_a_contact_passes_its_plane(run: Run, change: tuple[str, ...]) -> None:
    write(*change)
    event, motion = ROWS[change], ("simulate", "input.dat", "--until", "1.5", "--json")
    told = run(*motion).json
    assert told["stands"] is False and told["left_out"] == {"contact": 1}
    if event is None:
        assert "passed_at" not in told
        return
    other = run(*motion, "--stop", event).json
    assert other["stopped"] and told["passed_at"] == {"contact/C": pytest.approx(other["reached"], abs=1e-6)}
    assert run("convert", "input.dat", "m.mbs.json", "--accept-omissions", "contact=1").code == 0
    assert run("simulate", "m.mbs.json", *motion[2:]).json["passed_at"] == told["passed_at"]


@pytest.mark.slow
@pytest.mark.parametrize("change", SHAPES)
def test_simulation_names_the_instant_at_which_a_shape_passes_a_plane_of_the_world(
    run: Run, change: tuple[str, ...]
) -> None:
    assert not change or change[0] in MJCF
    Path("m.xml").write_text(MJCF.replace(*change) if change else MJCF, encoding="utf-8")
    event, motion = SHAPES[change], ("simulate", "m.xml", "--until", "0.8")
    told = run(*motion, "--json")
    if event is None:
        assert told.code == 0 and "passed_at" not in told.json and "no shape is watched" in run(*motion).out
        return
    other = run(*motion, "--stop", event, "--json").json
    assert other["stopped"] and told.json["passed_at"] == {
        "collision-shape/G": pytest.approx(other["reached"], abs=1e-6)
    }
    assert told.code == 3 and run(*motion, "--accept-omissions", "collision-shape=1").code == 0
    short = run("simulate", "m.xml", "--until", "0.01")
    assert (
        short.code == 0
        and "2 collision shapes (of the shapes 1 watched against planes, none against each other)" in short.out
    )


@pytest.mark.parametrize("flag", ["contact", "constraint"])
def test_shapes_that_touch_nothing_are_images(run: Run, flag: str) -> None:
    Path("m.xml").write_text(MJCF.replace('contact="enable"', f'{flag}="disable"'), encoding="utf-8")
    done = run("simulate", "m.xml", "--until", "0.8")
    assert done.code == 0 and "reached" not in done.out


def test_states_below_a_plane_are_told_by_every_command_that_has_some(run: Run) -> None:
    write()
    Path("past.json").write_text('{"q": {"q1": 1.4}}', encoding="utf-8")
    Path("motion.csv").write_text("t,q1,q2\n0,0,0\n1,1.4,0\n", encoding="utf-8")
    verbs = {
        "evaluate": ("--formalism", "lagrange", "--state", "past.json"),
        "linearize": ("--at", "past.json", "--no-witness"),
        "animate": ("motion.csv", "page.html"),
    }
    for verb, arguments in verbs.items():
        done = run(verb, "input.dat", *arguments)
        words = "C (reached at t = 1 s)" if verb == "animate" else "C (reached)"
        assert done.code == 3 and words in done.out, verb
    lower = run("evaluate", "input.dat", *verbs["evaluate"], "--set", "floor=-3")
    assert lower.code == 3 and "1 contact" in lower.out and "reached" not in lower.out


@pytest.mark.slow
@real
def test_a_hexapod_says_when_its_first_foot_passes_the_floor(run: Run) -> None:
    """Its soles stand 35 mm above the floor and fall freely."""
    told = run("simulate", str(REAL / "test_hexapod" / "input.dat"), "--until", "1", "--json").json
    assert len(told["passed_at"]) == 7
    assert min(told["passed_at"].values()) == pytest.approx((2 * 0.035 / 9.81) ** 0.5, abs=1e-5)
