"""``evaluate`` of closed linkages: driven coordinates, drives, reactions, joint forces, loops that do not close."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbconcord
from laboratory.faults.models import closed_linkage, cut_fixture
from mbconcord.api.linkages import driven_state, linkage_forces
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.formalisms.telegin.closed.dynamics import ClosedLinkage
from mbconcord.model import State

from .commands import Run, runner

FOUR_BAR, SLIDER = (str(folder() / f) for f in ("konoplev/four_bar.mbs.json", "native/slider_crank.mbs.json"))
BY = ("--formalism", "telegin")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def test_the_drive_of_a_four_bar(run: Run) -> None:
    """As by the vector form in absolute angles: another derivation, another cut of the equations."""
    done = run("evaluate", FOUR_BAR, *BY, "--drive", "q1=0.7,1.3,2", "--json")
    assert done.code == 0
    linkage, found = ClosedLinkage(mbconcord.read(FOUR_BAR).system), done.json
    names = found["coordinates"]
    q, v, a = (dict(zip(names, found[key], strict=True)) for key in ("q", "v", "acceleration"))
    other = linkage.inverse_dynamics(State(0, q, v, a), ["q1"])
    assert found["drives"]["q1"] == pytest.approx(other.drives["q1"], rel=1e-11)
    for name, joint in zip(names, found["joint_forces"], strict=True):
        assert joint["force"] == pytest.approx(other.joint_forces[name], rel=1e-10)
    assert {c["verdict"] for c in found["comparisons"]} == {"agrees"}
    assert {c["quantity"] for c in found["comparisons"]} == {"joint_forces", "drives"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_forces_of_random_linkages_agree(seed: int) -> None:
    closed = closed_linkage(seed)
    by = formalism("telegin")
    found = linkage_forces(closed.system, closed.states[0], by)
    motion = by.constrained_motion(closed.system, [closed.states[0]])
    if found.forces.diagnostics:
        assert np.isnan(motion.multipliers).any()
        return
    assert found.agree and len(found.comparisons) == 6
    np.testing.assert_allclose(found.forces.accelerations, motion.acceleration, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("change", ["reaction", "moment"])
def test_wrong_reactions_are_noticed(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, by = cut_fixture("slider_crank"), formalism("telegin")
    honest = by.linkage_forces(closed.system, [closed.states[0]])
    if change == "reaction":
        honest.reactions[0].force[0, 0] += 1e-6
    else:
        honest.moment[0, 1] += 1e-6
    monkeypatch.setattr(by, "linkage_forces", lambda *_: honest, raising=False)
    assert not linkage_forces(closed.system, closed.states[0], by).agree


def test_of_a_slider_crank_what_the_model_drives(run: Run) -> None:
    done = run("evaluate", SLIDER, *BY, "--quantity", "joint_forces", "-q")
    assert done.code == 0
    assert done.out.count("agrees") == 6 and "drive of" not in done.out
    state = run("evaluate", SLIDER, *BY, "--drive", "crank", "--json").json
    assert state["acceleration"][0] == 0  # what the state says of it
    assert len(state["drives"]) == 1


def test_the_driven_state_has_what_was_asked_for() -> None:
    system = mbconcord.read(SLIDER).system
    state = driven_state(system, {"crank": (0.5, 2.0, -1.0)}, State())
    assert (state.q["crank"], state.v["crank"], state.a["crank"]) == pytest.approx((0.5, 2.0, -1.0), abs=1e-12)
    assert formalism("telegin").constrained_motion(system, [state]).diagnostics == ()


REFUSED = [
    (("--drive", "crank=2.5,0,0", "--drive", "piston=1.2,0,0"),
     "error: constraints/slide: the linkage does not close at crank = 2.5, piston = 1.2: a gap of 0.648"),
    (("--drive", "crank=1"), "--drive: error: 'crank=1' is not name=q,v,a (for example"),
    (("--drive", "crank=1,x,2"), "--drive: error: crank: 'x' is not a finite number"),
    (("--drive", "crank", "--drive", "rod=1,2,3"), "--drive: error: some coordinates have numbers and some have none"),
    (("--drive", "krank"), "--drive: error: there is no coordinate 'krank'"),
    (("--drive", "krank=1,2,3"), "--drive: error: there is no coordinate 'krank'"),
    (("--drive", "crank", "--drive", "rod"), "--drive: error: driven coordinates: 2, degrees of freedom: 1"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_cannot_be_driven_says_why(run: Run, options: tuple[str, ...], message: str) -> None:
    done = run("evaluate", SLIDER, *BY, *options, "-q")
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lagrange", "konoplev"])
def test_others_give_them_by_multipliers_of_opened_joints(run: Run, name: str) -> None:
    done = run("evaluate", SLIDER, "--formalism", name, "--quantity", "joint_forces", "-q")
    assert done.code == 0 and f"cut_forces by {name}, " in done.out and "disagrees" not in done.out


NEWTON = ("--formalism", "newton_euler", "--quantity", "joint_forces")


@pytest.mark.slow
def test_newton_euler_gives_forces_in_space_at_cuts_and_in_joints(run: Run) -> None:
    done = run("evaluate", SLIDER, *NEWTON, "-q")
    assert done.code == 0 and "motion: free, as forces and constraints make it  (crank'' = " in done.out
    assert "at the cuts" in done.out
    assert "cut_forces by newton_euler, lagrange, virtual_work, konoplev, bodies agree" in done.out
    state = run("evaluate", SLIDER, *BY, "--quantity", "joint_forces", "--json").json
    found = run("evaluate", SLIDER, *NEWTON, "--json", "--axes", "fixed").json["joint_forces"]
    (cut,) = found["cuts"]
    assert (cut["constraint"], {*cut["by"]}) == (
        "slide",
        {"newton_euler", "lagrange", "virtual_work", "konoplev", "bodies"},
    )
    plane = np.array(state["plane"])
    for joint, planar in zip(found["joints"], state["joint_forces"], strict=True):
        own = np.nan_to_num(np.array(joint["by"]["newton_euler"]["force"], dtype=float))
        assert plane[:2] @ own == pytest.approx(planar["force"], abs=1e-9)


def test_forces_off_the_constraints_are_refused(run: Run) -> None:
    Path("off.json").write_text('{"q": {"crank": 0.1}}', encoding="utf-8")
    done = run("evaluate", SLIDER, *NEWTON, "--state", "off.json", "-q")
    assert done.code == 2 and "does not satisfy the constraints" in done.err and "mbconcord assemble" in done.err
