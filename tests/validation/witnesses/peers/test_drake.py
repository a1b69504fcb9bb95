"""Drake as a witness: the same numbers of URDF and SDF, by its own reader; what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry as formalisms
from mbconcord.model import State, System
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.validation.witnesses.peers.known import known_causes
from mbconcord.validation.witnesses.peers.peer import PeerError, open_peer, stack_states

from ....formats.um.um_files import placed
from .programs import Fake, known_of, needs

FREE = """<sdf version="1.9"><model name="m"><pose>1 2 3 0.1 0.2 0.3</pose><link name="a"><inertial><pose>0.1 -0.2 0.3
0.4 -0.7 1.1</pose><mass>2</mass><inertia><ixx>0.05</ixx><ixy>0.004</ixy><ixz>-0.003</ixz><iyy>0.04</iyy>
<iyz>0.002</iyz><izz>0.03</izz></inertia></inertial></link></model></sdf>"""
BALL = FREE.replace("</link>", '</link><joint name="j" type="ball"><parent>world</parent><child>a</child></joint>')
GEARED = FREE.replace(
    "</link>",
    '</link><joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>1 2 2</xyz><dynamics>'
    "<damping>0.5</damping><spring_stiffness>3</spring_stiffness><spring_reference>0.4</spring_reference></dynamics>"
    "</axis><drake:rotor_inertia>0.002</drake:rotor_inertia><drake:gear_ratio>9</drake:gear_ratio></joint>",
).replace("<sdf ", '<sdf xmlns:drake="http://drake.mit.edu" ')
AGREEING = {
    "a free body": ("sdf", FREE),
    "a ball": ("sdf", BALL),
    "a rotor and a spring": ("sdf", GEARED),
    **{f"{path.parent.name}/{path.stem}": (path.parent.name, path.read_text("utf-8"))
       for path in (*(folder() / "sdf" / f"{name}.sdf" for name in ("arm", "drone", "station")),
                    *(folder() / "urdf" / f"{name}.urdf" for name in ("arm", "gripper")))},
}  # fmt: skip


def at(system: System):
    """Three states, as arrays and as states."""
    q, v, a = np.random.default_rng(3).uniform(-1, 1, (3, 3, len(system.coordinates)))
    named = ([dict(zip(system.coordinate_names, map(float, x), strict=True)) for x in rows] for rows in (q, v, a))
    return q, v, a, [State(q=x, v=y, a=z) for x, y, z in zip(*named, strict=True)]


@pytest.mark.parametrize(("format", "text"), AGREEING.values(), ids=AGREEING)
def test_its_numbers_are_those_of_the_model(format, text):
    needs("pydrake")
    system = registry.read_text(text, "-", format).system.open_loops()
    peer = open_peer("drake", text, format)
    peer.fit(system)
    q, v, a, states = at(system)
    theirs = peer.numbers(q, v, a)
    own = evaluate_derivation(formalisms.formalism("newton_euler").derive(system), states).quantities
    for quantity, values in theirs.quantities.items():
        size = max(1.0, np.abs(own[quantity]).max())
        np.testing.assert_allclose(values, own[quantity], rtol=0, atol=2e-13 * size, err_msg=quantity)
    poses = stack_states([placed(system, state.q) for state in states])
    assert theirs.poses.keys() == {body.name for body in system.bodies}
    for name, values in theirs.poses.items():
        np.testing.assert_allclose(values, poses[name][:, :3], atol=2e-14)


REFUSED = {
    "a loop": ((folder() / "sdf" / "linkage.sdf").read_text("utf-8"), "refuses the model: The bodies and joints"),
    "a screw": (
        (folder() / "sdf" / "press.sdf").read_text("utf-8"),
        "has 1 degree of freedom in 'spindle', the model 2",
    ),
    "no file": ("<sdf/>", "refuses the file"),
}


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_what_it_does_not_take_is_said(text, words):
    needs("pydrake")
    system = registry.read_text(text if "<link" in text else FREE, "-", "sdf").system
    with pytest.raises(PeerError, match=words):
        open_peer("drake", text, "sdf").fit(system)


def said(text: str) -> str:
    peer = Fake()
    peer.name, peer.version = "drake", "1.51.1"  # type: ignore[misc]
    return known_causes(peer, text)


UNLIKE = """<joint name="u" type="universal"><axis><dynamics><damping>1</damping></dynamics></axis><axis2/></joint>"""
KNOWN = {
    "a tensor that no body has": (FREE.replace("<ixx>0.05", "<ixx>0.5"), "a ball of water (a)"),
    "a tensor as it should be": (FREE, ""),
    "no weight": (FREE.replace("</link>", "<gravity>false</gravity></link>"), "its weight (a)"),
    "weight": (FREE.replace("</link>", "<gravity>true</gravity></link>"), ""),
    "unlike damping": (f"<sdf>{UNLIKE}</sdf>", "alike (u)"),
    "like damping": (
        f"<sdf>{UNLIKE}</sdf>".replace(
            "<axis2/>", UNLIKE[UNLIKE.index("<axis>") : UNLIKE.index("<axis2")].replace("axis", "axis2")
        ),
        "",
    ),
}


@pytest.mark.parametrize(("text", "words"), KNOWN.values(), ids=KNOWN)
def test_what_is_known_of_it(text, words):
    found = said(text)
    assert found.endswith(words) if words else found == "", found


def test_several_known_differences_are_told_each_with_its_effect(tmp_path):
    needs("pydrake")
    inertia = '<inertial><mass value="1"/><inertia ixx="{}" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
    joints = "".join(
        f'<link name="b{i}">{inertia.format(xx)}</link><joint name="j{i}" type="continuous"><parent link="{p}"/>'
        f'<child link="b{i}"/><origin xyz="0.3 0 {i}" quat_xyzw="0 0.6 0 0.8"/></joint>'
        for i, p, xx in ((1, "world", 0.9), (2, "b1", 0.9), (3, "b2", 0.1))
    )
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r"><link name="world"/>{joints}</robot>', "utf-8")
    ball, turn = known_of(path, "drake")
    assert "by that of a ball of water (b1, b2): alone it changes M by" in ball
    assert "does not read quat_xyzw (j1, j2, j3): alone it changes M by" in turn


def test_a_universal_joint_is_damped_alike(tmp_path):
    needs("pydrake")
    axes = "".join(
        f"<{tag}><xyz>{xyz}</xyz><dynamics><damping>{d}</damping></dynamics></{tag}>"
        for tag, xyz, d in (("axis", "1 0 0", 0.5), ("axis2", "0 1 0", 0.2))
    )
    path = tmp_path / "m.sdf"
    joint = f'<joint name="u" type="universal"><parent>world</parent><child>a</child>{axes}</joint></model>'
    path.write_text(FREE.replace("</model>", joint), "utf-8")
    (said,) = known_of(path, "drake")
    assert "alike (u): alone it changes applied by" in said


@pytest.mark.parametrize("name", ["a tensor that no body has", "no weight"])
def test_what_is_known_of_it_is_so(name, tmp_path):
    needs("pydrake")
    text = KNOWN[name][0]
    path = tmp_path / "m.sdf"
    path.write_text(text, "utf-8")
    assert len(known_of(path, "drake")) == 1
    system = registry.read_text(text, "-", "sdf").system
    peer = open_peer("drake", text, "sdf")
    peer.fit(system)
    q, v, a, states = at(system)
    theirs = peer.numbers(q, v, a).quantities
    own = evaluate_derivation(formalisms.formalism("newton_euler").derive(system), states).quantities
    assert max(np.abs(theirs[k] - own[k]).max() for k in ("M", "applied")) > 0.01
