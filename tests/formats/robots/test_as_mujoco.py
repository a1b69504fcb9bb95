"""as=mujoco: what <mujoco> in a URDF says of masses, inertia and gravity, by closed forms and by MuJoCo itself."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.converters.format import Reading
from mbconcord.converters.urdf.vocabulary import APPLIED
from mbconcord.model.diagnostics import MbconcordError

from ...cli.commands import Run, runner

run = pytest.fixture(runner)


def inertial(mass: float, xx: float, yy: float, zz: float, xy: float = 0) -> str:
    moments = f'ixx="{xx}" ixy="{xy}" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"'
    return f'<inertial><origin xyz="0.1 0 0.05"/><mass value="{mass}"/><inertia {moments}/></inertial>'


def shaped(shape: str) -> str:
    return f'<collision><origin xyz="0 0.2 0.3" rpy="0.3 0.2 0.1"/><geometry>{shape}</geometry></collision>'


BALL, BOX = shaped('<sphere radius="0.1"/>'), shaped('<box size="0.1 0.2 0.3"/>')
TIP = inertial(0.5, 0.001, 0.002, 0.0025)


def robot(inside: str, first: str = inertial(2, 0.03, 0.02, 0.025, 0.004), tip: str = TIP) -> str:
    """A base, a link that turns, another that slides on it, and a tip that is fixed to that one."""
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    links = {"base": inertial(3, 0.1, 0.2, 0.25), "one": first, "two": inertial(1, 0.01, 0.01, 0.01), "tip": tip}
    joints = (
        f'<joint name="j1" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/>{limit}</joint>'
        '<joint name="j2" type="prismatic"><origin xyz="0.3 0 0" rpy="0.4 0 0.2"/><parent link="one"/>'
        f'<child link="two"/><axis xyz="1 0 0"/>{limit}</joint>'
        '<joint name="f" type="fixed"><origin xyz="0.2 0 0.1"/><parent link="two"/><child link="tip"/></joint>'
    )
    made = "".join(f'<link name="{name}">{inside}</link>' for name, inside in links.items())
    return f'<robot name="r">\n<mujoco>{inside}</mujoco>\n{made}{joints}</robot>'


def read(text: str) -> Reading:
    return mb.read(text=text, format="urdf", program="mujoco")


def masses(reading: Reading) -> dict[str, float]:
    return {body.name: float(body.inertia.mass.value) for body in reading.system.bodies}


ODD = inertial(2, 0.01, 0.02, 0.06)
TRIED = {
    "nothing": robot(""),
    "total": robot('<compiler settotalmass="10"/>'),
    "total, not fused": robot('<compiler settotalmass="10" fusestatic="false"/>'),
    "least mass": robot('<compiler boundmass="1.5"/>'),
    "least inertia": robot('<compiler boundinertia="0.021"/>'),
    "balance": robot('<compiler balanceinertia="true"/>', first=ODD),
    "bounds, balance, total": robot(
        '<compiler boundmass="1.5" boundinertia="0.015" balanceinertia="true" settotalmass="7"/>', first=ODD
    ),
    "a tip without inertia": robot("", tip=""),
    "a tip that its shapes weigh": robot("", tip=BALL + BOX),
    "a tip that bounds give inertia": robot('<compiler boundmass="1.5" boundinertia="0.02"/>', tip=""),
    "all that bounds and shapes give": robot(
        '<compiler boundmass="1.5" boundinertia="0.02" settotalmass="7" inertiagrouprange="1 5"/>', tip=BOX, first=""
    ),
    "not from shapes": robot('<compiler inertiafromgeom="false"/>', tip=BOX),
    "of other groups": robot('<compiler inertiagrouprange="1 5"/>', tip=BOX),
    "cylinder": robot("", tip=shaped('<cylinder radius="0.1" length="0.5"/>')),
    "gravity": robot('<option gravity="1 -2 -3"/>'),
    "no gravity": robot('<option><flag gravity="disable"/></option>'),
}


@pytest.mark.parametrize("name", TRIED)
def test_mujoco_reads_the_same(name: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="compares with MuJoCo, which is not installed")
    model = mujoco.MjModel.from_xml_string(TRIED[name])
    data, q, v = mujoco.MjData(model), [0.3, -0.2], [0.7, 1.1]
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    M = np.zeros((2, 2))
    mujoco.mj_fullM(model, data, M) if mujoco.__version__ >= "3.5" else mujoco.mj_fullM(model, M, data.qM)
    ours = mb.evaluate(read(TRIED[name]), q, v, witness=False)
    assert ours["M"] == pytest.approx(M, rel=1e-9, abs=1e-12)
    assert ours["h"] - ours["gravity"] == pytest.approx(data.qfrc_bias, rel=1e-9, abs=1e-9)


def test_masses_by_hand() -> None:
    """The base is welded to the world: it counts for the total where fixed links stay."""
    found = masses(read(TRIED["total"]))
    assert found["one"] + found["two"] + found["tip"] == pytest.approx(10) and found["one"] == pytest.approx(20 / 3.5)
    assert masses(read(TRIED["total, not fused"]))["base"] == pytest.approx(30 / 6.5)
    assert masses(read(TRIED["least mass"])) == {"base": 3, "one": 2, "two": 1.5, "tip": 1.5}
    ball, box = 1000 * pi * 4 / 3 * 0.1**3, 1000 * 0.1 * 0.2 * 0.3
    assert masses(read(TRIED["a tip that its shapes weigh"]))["tip"] == pytest.approx(ball + box)
    assert masses(read(TRIED["of other groups"]))["tip"] == masses(read(TRIED["not from shapes"]))["tip"] == 0
    _, one, *_ = read(TRIED["balance"]).system.bodies
    assert [x.value for x in one.inertia.tensor[:3]] == pytest.approx([0.03] * 3)
    assert read(TRIED["no gravity"]).system.gravity is None


@pytest.mark.parametrize("key", sorted(APPLIED))
def test_the_remedy_is_named_where_it_works(key: str) -> None:
    value = {"balanceinertia": "true", "inertiagrouprange": "1 5", "gravity": "0 0 -1"}
    tag = "option" if key == "gravity" else "compiler"
    text = robot(f'<{tag} {key}="{value.get(key, "10")}"/>')
    plain, applied = mb.read(text=text, format="urdf"), read(text)
    assert any(
        f"{key} of <mujoco> acts in MuJoCo" in d.message and "--read as=mujoco" in d.remedy for d in plain.diagnostics
    )
    acts = [o for o in plain.system.omissions if o.effect != "none"]
    assert [o.place for o in acts] == [f"extension/(MuJoCo: {key})"]
    assert [o for o in applied.system.omissions if o.effect != "none"] == []
    assert not any("left out here" in d.message for d in applied.diagnostics)


def test_what_is_not_applied_stays_left_out() -> None:
    text = robot('<compiler settotalmass="10"/><option density="1.2"/>')
    plain, applied = mb.read(text=text, format="urdf"), read(text)
    assert not any("--as" in d.remedy for d in plain.diagnostics)
    (left,) = (o for o in applied.system.omissions if o.effect != "none")
    assert left.place == "extension/(MuJoCo: density)" and left.effect == "forces"
    (left,) = (
        o for o in read(robot("", tip=shaped('<mesh filename="a.stl"/>'))).system.omissions if o.effect != "none"
    )
    assert left.place == "computed-inertia/tip" and left.effect == "inertia"
    (left,) = (o for o in read(robot('<compiler inertiafromgeom="true"/>')).system.omissions if o.effect != "none")
    assert left.place == "extension/(MuJoCo: inertiafromgeom)"


@pytest.mark.parametrize("inside", ['<compiler settotalmass="ten"/>', "<compiler/><compiler/>"])
def test_what_mujoco_refuses_is_refused(inside: str) -> None:
    with pytest.raises(MbconcordError, match=r"ten|twice"):
        read(robot(inside))


#: Attributes of MuJoCo's compiler, options and flags that stand in its documentation, and values of every kind.
ATTRIBUTES = {
    "compiler": """autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb
        eulerseq meshdir texturedir discardvisual usethread fusestatic inertiafromgeom inertiagrouprange saveinertial
        assetdir alignfree conflict other""",
    "option": """timestep impratio tolerance noslip_tolerance ls_tolerance ccd_tolerance sleep_tolerance gravity wind
        magnetic density viscosity o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations
        ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints actuatorgroupdisable other""",
    "flag": """constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart filterparent
        actuation refsafe sensor midphase eulerdamp autoreset nativeccd island override energy fwdinv invdiscrete
        multiccd sleep other""",
}
VALUES = (
    "1", "0", "TRUE", "False", "true", "false", "true ", "auto", "", "0.5 1", "0 1", "-3 7", "1 2 3", "1.5", "1e1",
    "1,5", "0,5", "- 1", "1f", " 1 ", "+1", "3000000000 1", "31", "0 1 2 3 4 5", "xyz", "xy", "XyZ", "enable", "Enable",
    "disable", "local", "global", "radian", "degree", "rk4", "RK4", "elliptic", "Newton", "merge", "1e400",
)  # fmt: skip


SMALL = (
    f'<robot name="r"><mujoco/><link name="a"/><link name="b">{TIP}</link><joint name="j" type="continuous">'
    '<parent link="a"/><child link="b"/></joint></robot>'
)


@pytest.mark.parametrize(("tag", "key"), [(tag, key) for tag, keys in ATTRIBUTES.items() for key in keys.split()])
def test_mujoco_refuses_the_same_values(tag: str, key: str) -> None:
    mujoco = pytest.importorskip("mujoco", reason="compares with MuJoCo, which is not installed")
    if mujoco.__version__ < "4":
        pytest.skip(f"MuJoCo {mujoco.__version__} knows other attributes than 4.0")
    made = {}
    for value in VALUES:
        inside = f'<{tag} {key}="{value}"/>' if tag != "flag" else f'<option><flag {key}="{value}"/></option>'
        text = SMALL.replace("<mujoco/>", f"<mujoco>{inside}</mujoco>")
        taken = []
        for take in (mujoco.MjModel.from_xml_string, read):
            try:
                take(text)
            except (ValueError, MbconcordError):
                taken.append(False)
            else:
                taken.append(True)
        made[value] = taken
    assert [value for value, (theirs, ours) in made.items() if theirs != ours] == []


@pytest.mark.parametrize("said", ['balanceinertia="1"', 'fusestatic="False"', 'inertiagrouprange="0.5 1"'])
def test_a_refused_value_is_named(said: str) -> None:
    with pytest.raises(MbconcordError, match=f"{said.partition('=')[0]} of <compiler>.*MuJoCo (refuses|takes)"):
        read(robot(f"<compiler {said}/>"))


def test_the_command_line(run: Run) -> None:
    Path("r.urdf").write_text(TRIED["total"], encoding="utf-8")
    asked = ("evaluate", "r.urdf", "--formalism", "newton_euler", "--quantity", "M", "--json")
    plain, done = run(*asked), run(*asked, "--read", "as=mujoco")
    assert (plain.code, done.code) == (3, 0) and "--read as=mujoco applies it" in plain.err
    assert done.json["M"][1][1] == pytest.approx(plain.json["M"][1][1] * 10 / 3.5, rel=1e-12)
    Path("m.mbsd").write_text("ug", encoding="utf-8")
    assert run("info", "m.mbsd", "--read", "as=mujoco").code == 2


def test_mujoco_reads_the_file_and_no_second_reading_does(run: Run) -> None:
    pytest.importorskip("mujoco", reason="compares with MuJoCo, which is not installed")
    Path("r.urdf").write_text(TRIED["total"], encoding="utf-8")
    asked = "--formalisms lagrange,newton_euler --states 2 --against mujoco --json"
    words = ("check", "r.urdf", *asked.split())
    done = run(*words, "--read", "as=mujoco")
    found = done.json
    assert done.code == 0 and found["read_once"] and found["verdict"] == "agrees"
    assert "version" in str([d for d in found["diagnostics"] if "mujoco" in str(d)])
    assert run(*words).code == 1
