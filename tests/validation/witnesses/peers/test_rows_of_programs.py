"""Other programs give rows of constraints; what none of them saw is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.fixtures import folder
from mbconcord.model import State
from mbconcord.validation.check import check as judged
from mbconcord.validation.judge.witness import Original
from mbconcord.validation.witnesses.peers import peer
from mbconcord.validation.witnesses.peers.peer import Peer

from .programs import GRIPPER, needs

MACHINE = (
    '<mujoco><compiler angle="radian"/><worldbody><site name="sw" pos="0.2 0.1 0.4" euler="0.1 0.2 0.3"/>'
    '<body name="a" pos="0 0 0.5" euler="0.1 0 0.2"><joint name="qa" axis="0 1 0" ref="0.4" pos="0.05 0 0"/>INERTIAL'
    '<site name="sa" pos="0.1 0.2 0.05" quat="0.9 0.1 0.2 -0.3"/><body name="a2" pos="0.4 0 0" euler="0 0.3 0">'
    '<joint name="qb" axis="0 1 0.4"/>INERTIAL</body></body><body name="b" pos="0.8 0.2 0.5" euler="0.3 -0.2 0.5">'
    '<joint name="bx" type="slide" axis="1 0 0" ref="0.1"/><joint name="by" type="slide" axis="0 1 0"/>'
    '<joint name="bz" type="slide" axis="0 0 1"/><joint name="r1" axis="0 0 1"/><joint name="r2" axis="0 1 0"/>'
    '<joint name="r3" axis="1 0 0" ref="-0.2"/>INERTIAL<site name="sb" pos="0 -0.1 0.02" euler="0.5 0.1 -0.4"/></body>'
    '</worldbody><tendon><fixed name="t1"><joint joint="qa" coef="0.5"/><joint joint="qb" coef="-1.2"/></fixed>'
    '<fixed name="t2"><joint joint="bx" coef="2"/></fixed></tendon><equality>EQUALITY</equality></mujoco>'
).replace("INERTIAL", '<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>')
EQUALITIES = [
    '<connect site1="sa" site2="sb"/>',
    '<connect body1="a2" body2="b" anchor="0.1 0.1 0"/>',
    '<connect body1="b" anchor="0.1 0.1 0"/>',
    '<weld body1="a2" body2="b" anchor="0.1 0.2 0.3"/>',
    '<weld body1="a2" body2="b" relpose="0.3 0.1 0.2 1 0 0 0" anchor="0.1 0.2 0.3"/>',
    '<weld body1="a2" body2="b" relpose="0.3 0.1 0.2 2 0.2 0.4 0.6" torquescale="0.3"/>',
    '<weld site1="sb" site2="sw"/>',
    '<weld site1="sa" site2="sb"/>',
    '<weld body1="b"/>',
    '<weld body1="b" relpose="-0.1 0.2 0.3 0.9 0.1 0.2 0.1"/>',
    '<joint joint1="qa" joint2="qb" polycoef="0.1 2 0.3 -0.4 0.5"/>',
    '<joint joint1="bx" polycoef="0.2"/>',
    '<tendon tendon1="t1" tendon2="t2" polycoef="0.1 0.4"/>',
]
START = {"qa": 0.7, "qb": -0.3, "r1": 0.1, "r2": -0.1, "bx": 0.2}


def of_rows(found: mbconcord.results.Check, program: str = "mujoco") -> list[mbconcord.results.Comparison]:
    return [c for c in found.comparisons if c.quantity == f"{program}: constraints"]


@pytest.mark.slow
@pytest.mark.parametrize("equality", EQUALITIES)
def test_mujoco_gives_rows_of_every_equality(tmp_path, equality):
    """Residual and Jacobian agree at assembled states; its own residual is zero there, which ours says nothing of."""
    needs("mujoco")
    path = tmp_path / "m.xml"
    path.write_text(MACHINE.replace("EQUALITY", equality), "utf-8")
    found = mbconcord.check(
        path, formalisms=["newton_euler"], states=2, claims=("second_reading",), against="mujoco", exact="off"
    )
    assert [c.verdict for c in of_rows(found)] == ["agrees"]
    assert "poses, constraints" in next(d.message for d in found.diagnostics if d.message.startswith("asked for"))
    assert not [d for d in found.diagnostics if "saw" in d.message]
    (made,) = mbconcord.assemble(path, State(q=START), hold=())
    (rows,) = open_mjcf(path).constraints(np.array([[*made.state.q.values()]])).values()
    assert np.abs(rows.residuals).max() <= 4e-16  # two roundings of coordinates below one


def open_mjcf(path: Path) -> Peer:
    made = peer.open_peer("mujoco", path.read_text("utf-8"), "mjcf", str(path))
    made.fit(mbconcord.read(path).system)
    return made


FAULTS = {
    'anchor="0.1 0.2 0.3"': 'anchor="0.1 0.2 0.31"',
    'relpose="0.3 0.1 0.2 1 0 0 0"': 'relpose="0.3 0.1 0.2 1 1e-6 0 0"',
    'body1="a2" body2="b"': 'body1="b" body2="a2"',
    "weld": "connect",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_row_that_is_read_as_another_is_seen(tmp_path, fault):
    """MuJoCo reads the file, and the model is that of another text."""
    needs("mujoco")
    path, right = tmp_path / "m.xml", MACHINE.replace("EQUALITY", EQUALITIES[4].replace("<weld ", '<weld name="w" '))
    path.write_text(right, "utf-8")
    wrong = right.replace(fault, FAULTS[fault])
    if fault == "weld":
        wrong = wrong.replace('relpose="0.3 0.1 0.2 1 0 0 0"', "")
    system = mbconcord.read("m.xml", text=wrong).system
    original = Original(right, "mjcf", ("mujoco",), str(path))
    found = judged(system, formalisms=["newton_euler"], states=2, claims=(), original=original, exact="off")
    assert [c.verdict for c in of_rows(found)] == ["disagrees"]


@pytest.mark.parametrize(
    "change", [None, ('multiplier="-12.5"', 'multiplier="-12.51"'), ('offset="0.2"', 'offset="0.201"')]
)
def test_drake_gives_rows_of_mimics(change):
    """Drake reads the file, and the model is that of another text; it is asked, and saw the mimics."""
    needs("pydrake")
    right = GRIPPER.read_text("utf-8")
    wrong = right.replace(*change) if change else right
    assert (wrong != right) == bool(change)
    system = mbconcord.read("m.urdf", text=wrong).system
    original = Original(right, "urdf", ("drake",), str(GRIPPER))
    found = judged(system, formalisms=["newton_euler"], states=2, claims=(), original=original, exact="off")
    assert [c.verdict for c in of_rows(found, "drake")] == ["disagrees" if change else "agrees"]
    said = [*map(str, found.diagnostics)]
    assert "drake: note: asked for M, h, gravity, applied, inverse_dynamics, poses, constraints" in said
    assert not [each for each in said if "never saw" in each]


PAIR = (
    '<sdf version="1.11"><model name="m"><link name="base">INERTIAL</link><joint name="w" type="fixed"><parent>world'
    '</parent><child>base</child></joint><link name="a">INERTIAL</link><link name="b">INERTIAL</link>'
    '<joint name="j1" type="revolute"><parent>base</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>'
    '<joint name="j2" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>'
    '<mimic joint="j1"><multiplier>2</multiplier></mimic></axis></joint></model></sdf>'
).replace("INERTIAL", "<inertial><pose>0.1 0 0 0 0 0</pose><mass>1</mass></inertial>")


def test_drake_sees_no_mimic_of_an_sdf_and_the_verdict_says_so(tmp_path):
    needs("pydrake")
    path = tmp_path / "m.sdf"
    path.write_text(PAIR, "utf-8")
    found = mbconcord.check(path, formalisms=["newton_euler"], states=1, claims=(), against="drake", exact="off")
    assert of_rows(found, "drake") == []
    assert "drake: note: never saw constraint j2_mimic" in [*map(str, found.diagnostics)]


def test_what_no_program_saw_is_said(tmp_path):
    """Pinocchio gives no rows of mimics; the second reading has them, or was not asked."""
    needs("pinocchio")
    for claims, readers in ((("second_reading",), "mbconcord's two readers"), ((), "mbconcord's reader")):
        found = mbconcord.check(
            GRIPPER, formalisms=["newton_euler"], states=1, claims=claims, against="pinocchio", exact="off"
        )
        said = [*map(str, found.diagnostics)]
        unseen = "constraint right_finger_mimic, constraint thumb_turn_mimic"
        assert f"pinocchio: note: never saw {unseen}" in said
        assert f"programs: note: only {readers} saw {unseen}" in said
        assert "pinocchio: note: asked for M, h, gravity, applied, inverse_dynamics, poses" in said


def test_controls_are_given_to_mujoco_as_they_are_drawn():
    needs("mujoco")
    hopper = folder() / "mjcf" / "hopper.xml"
    asked = {"formalisms": ["newton_euler"], "states": 2, "claims": (), "against": "mujoco", "exact": "off"}
    found = mbconcord.check(hopper, **asked)
    assert {c.verdict for c in found.comparisons if c.claim == "mujoco"} == {"agrees"}
    assert not [d for d in found.diagnostics if "never saw" in d.message]
    still = dict.fromkeys(("hip_ctrl", "knee_ctrl", "ankle_ctrl"), 0.0)
    found = mbconcord.check(hopper, **asked, parameters=still)
    (said,) = (d.message for d in found.diagnostics if "never saw" in d.message)
    assert "parameter knee_ctrl (zero at all states)" in said
