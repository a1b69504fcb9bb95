"""Files that the programs of robots take are taken: declared code pages, spherical joints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.model import ReadError

HEAD = '<?xml version="1.0" encoding="{}"?>\n'
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ROBOT = '<robot name="r"><link name="base"/><link name="{0}">' + MASS + "</link>{1}</robot>"
JOINT = '<joint name="j" type="continuous"><parent link="base"/><child link="{0}"/></joint>'


@pytest.mark.parametrize(
    ("page", "name", "word"),
    [("ISO-8859-1", "iso8859-1", "épaule"), ("windows-1251", "cp1251", "плечо"), ("Shift_JIS", "shift_jis", "肩")],
)
def test_code_page_that_a_file_declares_is_taken(page: str, name: str, word: str, tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_bytes((HEAD.format(page) + ROBOT.format(word, JOINT.format(word))).encode(name))
    reading = registry.read(file)
    assert [body.name for body in reading.system.bodies] == ["base", word]
    assert [(o.kind, o.what) for o in reading.system.omissions] == [("encoding", name)]
    made = mbconcord.convert(file, tmp_path / "again.urdf", verify=True)
    assert registry.read(tmp_path / "again.urdf").system.bodies == reading.system.bodies
    assert [loss.reason for loss in made.losses] == ["a URDF is in UTF-8"]


@pytest.mark.parametrize(
    "head", [HEAD.format("UTF-8"), HEAD.format("rot13"), HEAD.format("utf-7"), HEAD.format("nonsense"), ""]
)
def test_bytes_that_are_in_no_page_that_is_declared_are_refused(head: str, tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_bytes(head.encode() + ROBOT.format("é", "").encode("latin-1"))
    with pytest.raises(ReadError, match="is not UTF-8"):
        registry.read(tmp_path / "r.urdf")


BALL = """<robot name="r"><link name="world"/><link name="b"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>
  <inertia ixx="0.3" iyy="0.2" izz="0.25" ixy="0.01" ixz="0" iyz="0.02"/></inertial></link>
  <joint name="j" type="spherical"><origin xyz="1 0 0" rpy="0.3 0.2 0.1"/><parent link="world"/><child link="b"/>
  {}</joint></robot>"""


def test_spherical_joint_is_three_turns() -> None:
    model = mbconcord.read(text=BALL.format(""), format="urdf")
    assert model.system.coordinate_names == ("j_RZ", "j_RY", "j_RX")
    assert mbconcord.check(model, states=2, formalisms=["lagrange", "newton_euler"]).stands
    damped = registry.read_text(BALL.format('<dynamics damping="1"/>'), "r.urdf").system
    assert [o.place for o in damped.omissions if o.acts] == ["joint-damping/j"] and not damped.forces
    for target in ("mjcf", "sdf"):
        made = mbconcord.convert(model, to=target, verify=True)
        assert made.verification is not None and made.verification.stands and 'type="ball"' in made.text


def test_spherical_joint_is_a_ball_of_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    theirs = mujoco.MjModel.from_xml_string(BALL.format(""))
    ours = mujoco.MjModel.from_xml_string(
        mbconcord.convert(mbconcord.read(text=BALL.format(""), format="urdf"), to="mjcf").text
    )
    assert theirs.jnt_type.tolist() == ours.jnt_type.tolist()
    for model in (theirs, ours):
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    found = []
    for model in (theirs, ours):
        data, q = mujoco.MjData(model), np.array([0.5, 0.1, -0.7, 0.5])
        data.qpos[:], data.qvel[:] = q / np.linalg.norm(q), [0.3, -0.2, 0.5]
        mujoco.mj_forward(model, data)
        found.append(data.qacc.copy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
