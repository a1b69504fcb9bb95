"""Spheres and points on planes by a law that the user assumes: forces, motion, verdict, what is left out, refusals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import mbconcord as mb

from .commands import Run, runner

run = pytest.fixture(runner)
VECTORS = Path(__file__).parents[2].parent / "shared" / "specs" / "vectors" / "mechanics" / "contact.expected.json"
LAW = "contact=hunt_crossley,k=1e4,d=0.3"
SIN, COS = np.sin(0.05), np.cos(0.05)

#: A ball of 1 kg and radius 0.1 m that a slide raises from its centre at 0.6 m above a floor.
BALL = """<mujoco model="ball"><worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <body name="ball" pos="0 0 0.6"><joint name="z" type="slide" axis="0 0 1"/>
    <geom name="skin" size="0.1" mass="1"/></body>
</worldbody></mujoco>
"""
SDF = """<sdf version="1.9"><world name="w">
  <model name="ground"><static>true</static><link name="earth"><collision name="floor"><geometry>
    <plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
  <model name="toy"><link name="ball"><pose>0 0 0.6 0 0 0</pose><inertial><mass>1</mass></inertial>
    <collision name="skin"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link>
  <joint name="z" type="prismatic"><parent>world</parent><child>ball</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></world></sdf>
"""
UM = """with main; autogravity=true;
with const;
cnst=(h# 0.6);
with egravity; gravityz=-1;
with body1; name="B"; m=1; ixx=1; iyy=1; izz=1;
with joint1; name="z"; type=comm; bd1="Base0"; bd2="B";
with et; type=tc; ex=0; ey=0; ez=0.6;
with et; type=tv; ex=0; ey=0; ez=1; coord0=0;
with cfrc; name="foot"; type=plane_{kind}; bd1="B"; bd2="Base0"; reverse=true; px=; py=; pz={at}; ex=0; ey=0; ez=1;
clearance=; {points}
with end;
"""
TEXTS = {
    "mjcf": BALL,
    "sdf": SDF,
    "um ball": UM.format(kind="sphere", at=0, points="sx=; sy=; sz=; sr=0.1;"),
    "um point": UM.format(kind="point", at=0, points="points={ '' '' '-0.1' };"),
    "um lower": UM.format(kind="point", at=0.5, points="points={ '' '' 'h-0.2' };"),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("z", "rate", "expected"), [(-0.4, -2.0, 0.0), (-0.51, -1.0, 130.0), (-0.52, 1.0, 140.0)])
def test_what_touches_presses_by_the_law_assumed(name: str, z: float, rate: float, expected: float) -> None:
    """1e4·0.01 (1 + 0.3·1) as it falls, 1e4·0.02 (1 - 0.3·1) as it rises."""
    system = mb.read(text=TEXTS[name], format=name.split()[0], assume=LAW).system
    found = mb.evaluate(system, q=[z], v=[rate])["applied"]
    plain = mb.evaluate(mb.read(text=TEXTS[name], format=name.split()[0]).system, q=[z], v=[rate])["applied"]
    assert found - plain == pytest.approx([expected], abs=1e-9)


@pytest.mark.skipif(not VECTORS.is_file(), reason="the vectors lie beside the repository")
def test_a_ball_of_a_robot_bounces_as_the_vectors_say() -> None:
    (vector,) = (v for v in json.loads(VECTORS.read_text(encoding="utf-8")) if v["model"] == "ball_hc.mbs.json")
    reading = mb.read(text=BALL, format="mjcf", assume=LAW)
    motion = mb.simulate(reading, until=2, step_out=0.25, tolerance=1e-10, witness=False)
    found = dict(zip(motion.t.tolist(), motion.q[:, 0] + 0.6, strict=True))
    for row in vector["rows"]:
        assert found[row["t"]] == pytest.approx(row["z"], abs=vector["tolerance"])


@pytest.mark.parametrize(
    ("shape", "q", "depths"),
    [
        ('type="capsule" size="0.1 0.2" axisangle="0 1 0 90"', (-0.52, 0.0), (0.02, 0.02)),
        ('type="capsule" fromto="-0.3 0 0 0.1 0 0" size="0.1"', (-0.52, 0.05), (0.02 - 0.3 * SIN, 0.02 + 0.1 * SIN)),
        ('type="box" size="0.3 0.2 0.1"', (-0.52, 0.05), [0.1 * COS + x * SIN - 0.08 for x in (0.3, 0.3, -0.3, -0.3)]),
    ],
)  # fmt: skip
def test_ends_of_capsules_and_corners_of_boxes_press(
    shape: str, q: tuple[float, float], depths: Sequence[float]
) -> None:  # fmt: skip
    """A turn by q about y lowers a point at x by x sin q; the body's centre is 0.6 m + z above the floor."""
    text = BALL.replace('size="0.1" mass', f"{shape} mass")
    text = text.replace('<geom name="skin"', '<joint name="turn" type="hinge" axis="0 1 0"/><geom name="skin"')
    reading = mb.read(text=text, format="mjcf", assume=LAW)
    plain = mb.evaluate(mb.read(text=text, format="mjcf").system, q=q)["applied"]
    found = mb.evaluate(reading.system, q=q)["applied"] - plain
    assert found[0] == pytest.approx(1e4 * sum(max(0.0, x) for x in depths), abs=1e-9)
    (told,) = (o for o in reading.system.omissions if o.kind == "assumed-contact")
    assert f", pressed at its {'ends' if 'capsule' in shape else 'corners'}; {LAW}" in told.what


def test_a_plane_that_leans_and_friction() -> None:
    """A sphere pressed into a plane x = y, moved along z: k δ (1 + d·0), and mu N against the slip."""
    text = BALL.replace('type="plane"', 'type="plane" zaxis="1 1 0"')
    text = text.replace('axis="0 0 1"', 'axis="1 0 0"').replace("</body>", '<joint name="up" type="slide"/></body>')
    plain = mb.evaluate(mb.read(text=text, format="mjcf").system, q=[-0.1, 0], v=[0, 3])["applied"]
    system = mb.read(text=text, format="mjcf", assume=f"{LAW},mu=0.5,v_s=1e-9").system
    depth = 0.1 + 0.1 * 0.5**0.5
    found = mb.evaluate(system, q=[-0.1, 0], v=[0, 3])["applied"] - plain
    assert found == pytest.approx([1e4 * depth * 0.5**0.5, -0.5 * 1e4 * depth], rel=1e-12)


def test_a_verdict_names_the_law_and_is_not_complete(run: Run) -> None:
    file = Path("ball.xml")
    file.write_text(BALL, encoding="utf-8")
    told = run("check", str(file), "--assume", LAW)
    assert (run("check", str(file)).code, told.code) == (0, 3)
    assert f"law of 1 contact assumed by --assume {LAW}" in told.out
    assert f"--read assume={LAW}" in told.out.partition("reproduce:")[2]
    both = BALL.replace("<joint ", '<joint limited="true" range="-1 1" ')
    file.write_text(both, encoding="utf-8")
    stop = "stop=kelvin_voigt,k=100"
    told = run("check", str(file), "--assume", f"{stop},{LAW}")
    assert told.code == 3 and f"law of 1 stop, 1 contact assumed by --assume {stop},{LAW}" in told.out


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('size="0.1"', 'type="cylinder" size="0.1 0.1"'), "a cylinder has no ends or corners"),
        (('name="skin"', 'contype="2" conaffinity="2"'), "there is no plane at rest that it may touch"),
        (("</worldbody>", '</worldbody><contact><exclude body1="world" body2="ball"/></contact>'), "there is no plane"),
        (('name="skin"', 'name="skin" margin="0.1"'), "when it touches is a rule of a program"),
    ],
)
def test_what_is_not_made_stays_an_omission_with_the_reason(change: tuple[str, str], reason: str) -> None:
    second = '<body name="other"><joint name="x" type="slide"/><geom size="0.1" mass="1"/></body>'
    text = BALL.replace(*change).replace("</worldbody>", f"{second}</worldbody>")
    system = mb.read(text=text, format="mjcf", assume=LAW).system
    found = {o.place.partition("/")[2]: o for o in system.omissions if o.kind == "collision-shape"}
    own = found.get("skin") or found["ball.1"]
    assert f"; not by {LAW}: {reason}" in own.what and own.effect == "none"
    assert f"; by {LAW} it touches planes alone" in found["other.1"].what
    assert [o.place for o in system.omissions if o.kind == "assumed-contact"] == ["collision-shape/other.1"]


def test_a_ball_alone_leaves_out_nothing_but_its_plane() -> None:
    found = mb.read(text=BALL, format="mjcf", assume=LAW).system.omissions
    assert [(o.kind, o.effect) for o in found] == [("collision-shape", "none"), ("assumed-contact", "forces")]


def test_a_reader_no_longer_says_that_contacts_are_left_out() -> None:
    text = TEXTS["um ball"]
    plain, told = (mb.read(text=text, format="um", assume=law).diagnostics for law in ((), LAW))
    assert any("cfrc" in d.message for d in plain) and not any("cfrc" in d.message for d in told)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ("contact=hunt,k=1", "there is no law 'hunt'"),
        ("contact=hunt_crossley,k=-1", "found -1, expected a number that is positive"),
        ("contact=hunt_crossley,k=1,mu=0.3", "found mu alone"),
        ("contact=hunt_crossley,k=1,mu=-0.3,v_s=1", "found -0.3, expected a number that is not negative"),
        ("contact=hunt_crossley,k=1,q=1", "found 'q' in"),
        ("stop=kelvin_voigt,k=1,mu=1", "found 'mu' in"),
    ],
)
def test_laws_that_are_none_are_refused(law: str, words: str) -> None:
    with pytest.raises(mb.MbconcordError, match=f"--assume.*{words}"):
        mb.read(text=BALL, format="mjcf", assume=law)


def test_a_model_without_planes_touches_nothing() -> None:
    with pytest.raises(mb.MbconcordError, match="no point or sphere on a plane at rest"):
        mb.read(text=BALL.replace('type="plane"', 'type="box"'), format="mjcf", assume=LAW)


def test_a_contact_is_written_to_native_and_lost_elsewhere() -> None:
    reading = mb.read(text=BALL, format="mjcf", assume=LAW)
    text = mb.write(reading, "native").text
    assert '"kind": "contact"' in text and mb.read(text=text, format="native").system == reading.system
    assert any(x.acts and x.place == "forces/skin_contact" for x in mb.write(reading, "sdf").losses)
    assert np.isfinite(mb.evaluate(reading.system, q=[-0.51])["applied"]).all()


@pytest.mark.slow
def test_a_ball_of_a_rigid_law_bounces_and_slides() -> None:
    """Impacts at √(1/g) and twice that, each of which takes mu (1 + e) of the rate of the fall from that of x."""
    text = BALL.replace('<geom name="skin"', '<joint name="x" type="slide" axis="1 0 0"/><geom name="skin"')
    reading = mb.read(text=text, format="mjcf", assume="contact=rigid,e=0.5,mu=0.1")
    found = mb.simulate(reading, 0.7, v={"x": 5})
    impacts = [(row.event, row.t) for row in found.found if row.event]
    assert impacts == [("impact skin_contact", pytest.approx(k / 9.81**0.5)) for k in (1, 2)]
    assert found.last.v["x"] == pytest.approx(5 - 0.1 * 1.5 * 1.5 * 9.81**0.5, abs=1e-9)
    assert all(c.verdict == "agrees" for c in found.witnesses if c.verdict != "not checked")
    assert [o.kind for o in reading.system.omissions] == ["collision-shape", "assumed-contact", "rigid-element"]
