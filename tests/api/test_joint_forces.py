"""Forces in joints through the functions of Python and the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.api import joint_forces as turned
from mbconcord.api.joint_forces import joint_forces
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import System
from mbconcord.model.diagnostics import FormalismError, MbconcordError
from mbconcord.model.expressions import symbol
from mbconcord.model.force import JointEffort
from mbconcord.model.numbers import Instance
from mbconcord.records import replace
from mbconcord.simulation.assembly import assemble
from mbconcord.validation.judge.states import draw

from ..cli.commands import Run, runner

ASKED = ("evaluate", "arm.mbsd", "--formalism", "newton_euler", "--quantity")
OTHERS = [name for name in BUILT_IN if name != "newton_euler"]
HONEST = turned._rotate
TEXT = "z(q1) i(0.5) $2 > z(q2) i(0.4) $1 g9.81-y"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    made = runner(capsys, monkeypatch, tmp_path)
    Path("arm.mbsd").write_text(TEXT, encoding="utf-8")
    Path("held.json").write_text('{"q": {"q1": 0.3}, "a": {"q2": 2}}', encoding="utf-8")
    return made


def test_arrays_with_names_of_joints_and_components() -> None:
    arm = mbconcord.read(text=TEXT, format="mbsd")
    q, v, a = np.zeros((2, 2)), np.ones((2, 2)), np.array([[0, 0], [1, 2.0]])
    found = mbconcord.evaluate(arm, q, v, a=a, formalism="newton_euler", quantities="joint_forces")
    assert found["joint_forces"].shape == (2, 2, 6)
    labels = [str(name) for name in found.to_frame().columns if str(name).startswith("joint_forces")]
    bodies = [body.name for body in arm.system.bodies]
    assert labels == [f"joint_forces[{b}, {c}]" for b in bodies for c in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")]
    compiled = mbconcord.compile(arm, "joint_forces", "newton_euler")
    np.testing.assert_allclose(compiled(q, v, a=a)["joint_forces"], found["joint_forces"], rtol=1e-13, atol=1e-13)


def test_who_has_none_says_who_does() -> None:
    crank = folder() / "native" / "slider_crank.mbs.json"
    with pytest.raises(MbconcordError, match="known: lagrange, newton_euler, virtual_work, konoplev"):
        mbconcord.evaluate(crank, formalism="telegin", quantities="joint_forces")


@pytest.mark.slow
def test_the_command_line_shows_every_witness_and_whether_they_agree(run: Run) -> None:
    done = run(*ASKED, "joint_forces", "--state", "held.json", "-q")
    assert done.code == 0
    assert "motion: given: q2; free: q1  (q1'' = " in done.out
    every = ", ".join(("newton_euler", *OTHERS, "bodies", "efforts", "balance"))
    assert f"{every} agree to " in done.out and "gravity" not in done.out
    assert "motion: free  (q1'' = " in run(*ASKED, "joint_forces", "-q").out
    held = run(*ASKED, "joint_forces", "-q", "--hold", "all").out
    assert "motion: held: q1, q2  (q1'' = 0, q2'' = 0; effort q1: " in held


def test_in_json_joints_are_by_witness(run: Run) -> None:
    told = (*ASKED, "joint_forces,M", "--state", "held.json", "--json", "--axes")
    fixed, body = (run(*told, axes).json for axes in ("fixed", "body"))
    assert {"M", "joint_forces"} < {*fixed} and "h" not in fixed
    first, second = fixed["joint_forces"]["joints"]
    assert (first["carrier"], second["carrier"]) == ("fixed", first["body"])
    assert {*first["by"]} == {"newton_euler", *OTHERS}
    c, s = np.cos(0.3), np.sin(0.3)
    x, y, _ = body["joint_forces"]["joints"][0]["by"]["newton_euler"]["force"]
    assert first["by"]["newton_euler"]["force"] == pytest.approx([c * x - s * y, s * x + c * y, 0], abs=1e-12)


def test_a_disagreement_is_exit_code_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = formalism("static_moments").joint_forces

    def wrong(system: System) -> Any:
        (first, *others), *joints = honest(system)
        return ((first + 1, *others), *joints)

    monkeypatch.setattr(formalism("static_moments"), "joint_forces", wrong, raising=False)
    done = run(*ASKED, "joint_forces", "-q")
    assert done.code == 1
    assert "newton_euler and bodies: agrees" in done.out
    apart = [line for line in done.out.splitlines() if "disagrees" in line]
    assert len(apart) >= len(BUILT_IN) and all("static_moments" in line for line in apart)
    assert " Fx: " in done.out
    found = mbconcord.evaluate("arm.mbsd", formalism="newton_euler", quantities="joint_forces")
    assert any(d.severity == "error" and "static_moments" in d.message for d in found.diagnostics)


def test_a_witness_that_has_none_says_why(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that do not take the model, and those that would open too many joints."""
    crank = str(folder() / "elastic" / "slider_crank.mbs.json")
    words = ("evaluate", crank, "--formalism", "lagrange", "--quantity", "joint_forces", "--json")
    told = {c["a"]: c for c in run(*words).json["joint_forces"]["comparisons"]}
    assert {*told} == {"bodies", *BUILT_IN} - {"lagrange", "virtual_work"}
    assert {c["verdict"] for c in told.values()} == {"not checked"}
    sums = "sums over the bodies do not know elastic bodies"
    assert told["bodies"]["explanation"] == f"{sums}; formalisms are not compared without them"
    assert told["flexible"]["explanation"] == "flexible does not take coinciding points"
    moved = run("simulate", crank, "--until", "0.001", "--forces", "--formalism", "lagrange", "-q")
    assert f"joint_forces ({sums}" in moved.out
    monkeypatch.setattr("mbconcord.validation.witnesses.sums.joint_forces.MOST_OPENED", 5)
    arm = run(*ASKED, "joint_forces", "-q").out
    assert "lagrange: not checked, it opens joints, too many with 2 bodies" in arm and "telegin: not" not in arm


@pytest.mark.slow
@pytest.mark.parametrize("axes", ["fixed", "carrier"])
@pytest.mark.parametrize("file", ["arm.mbsd", str(folder() / "native" / "slider_crank.mbs.json")])
def test_forces_in_other_axes_are_turned_by_poses_of_a_formalism_too(
    run: Run, axes: str, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("evaluate", file, "--formalism", "newton_euler", "--quantity", "joint_forces", "-q", "--axes", axes)
    done = run(*words, "--state", "held.json") if file == "arm.mbsd" else run(*words)
    assert done.code == 0 and "newton_euler, poses by lagrange agree to" in done.out and "disagrees" not in done.out
    monkeypatch.setattr(turned, "_rotate", lambda turn, x: HONEST(turn.swapaxes(1, 2), x))
    done = run(*words, "--state", "held.json") if file == "arm.mbsd" else run(*words)
    assert done.code == 1 and "newton_euler and poses by lagrange: disagrees" in done.out


def test_quantities_that_are_not_there(run: Run) -> None:
    done = run(*ASKED, "H,joint_force", "-q")
    assert (done.code, done.out) == (2, "")
    assert "there is no 'H' here" in done.err and "did you mean 'joint_forces'?" in done.err


def test_arrays_of_a_model_with_constraints() -> None:
    crank = mbconcord.read(folder() / "native" / "slider_crank.mbs.json")
    asked = ("joint_forces", "cut_forces")
    found = mbconcord.evaluate(crank, formalism="newton_euler", quantities=asked)
    assert found["joint_forces"].shape == (len(crank.system.bodies), 6) and found["cut_forces"].shape == (1, 6)
    assert [d.place for d in found.diagnostics if "not determined" in d.message]
    labels = [str(name) for name in found.to_frame().columns if str(name).startswith("cut_forces")]
    assert labels == [f"cut_forces[slide, {c}]" for c in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")]


@pytest.mark.parametrize("file", ["mbsd/double_pendulum.mbsd", "native/slider_crank.mbs.json"])
@pytest.mark.parametrize("problem", [FormalismError("two coordinates alone"), KeyError("opened")], ids=["own", "key"])
def test_another_formalism_that_fails_on_opened_joints_is_told(
    file: str, problem: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of another package, for one machine: it is no reason to refuse the forces of those who have them."""
    model = mbconcord.read(folder() / file)
    n = len(model.system.coordinates)

    class Small(type(formalism("lagrange"))):  # type: ignore[misc]
        name = "small"

        def derive(self, system: System) -> Any:
            if len(system.coordinates) > n:
                raise problem
            return replace(super().derive(system), formalism="small")

    honest, others = registry.formalism, registry.names()
    monkeypatch.setattr(registry, "names", lambda: (*others, "small"))
    monkeypatch.setattr(registry, "formalism", lambda name: Small() if name == "small" else honest(name))
    drawn = draw(model.system, 2, 1)
    at = assemble(drawn.system, drawn.states).states if drawn.system.constraints else drawn.states
    free = Instance(drawn.system, [replace(state, a={}) for state in at])
    found = joint_forces(drawn.system, free, formalism("newton_euler"))
    (silent,) = (c for c in found.comparisons if c.a == "small")
    assert silent.verdict == "not checked" and found.agree and "lagrange" in found.by
    assert silent.explanation.startswith("it does not take the model with joints opened: " + type(problem).__name__)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("at", ["q1", "q2"])
def test_an_infinite_effort_is_no_disagreement_of_those_who_have_it_not(run: Run, at: str) -> None:
    """It has no number, which is exit code 2, and nobody is wrong."""
    pair = mbconcord.read("arm.mbsd").system
    push = JointEffort("push", at, -1 / symbol(at))
    text = mbconcord.write(replace(pair, forces=(push,)), "native").text
    Path("pushed.mbs.json").write_text(text, encoding="utf-8")
    words = ("--hold", "q1", "--quantity", "joint_forces,effort")
    done = run("evaluate", "pushed.mbs.json", *words, "--json")
    assert done.code == 2 and "effort: error: it has no number" in done.err
    assert "disagrees" not in done.out and "RuntimeWarning" not in done.err


@pytest.mark.parametrize("mass", [0, 1e-9, 1e-12])
def test_rods_without_mass_bear_what_the_slider_needs(mass: float) -> None:
    """By hand: F = m s'', along the rod F/cos, at the wall m g + F tan; their own terms were of size 0: all erred."""
    r, length, m, turn, rate = 0.2, 0.5, 3.0, 0.7, 10.0
    lean = np.arcsin(r * np.sin(turn) / length)
    leans = r * np.cos(turn) * rate / (length * np.cos(lean))
    twice = (length * np.sin(lean) * leans**2 - r * np.sin(turn) * rate**2) / (length * np.cos(lean))
    speed = -r * np.sin(turn) * rate - length * np.sin(lean) * leans
    force = -m * (r * np.cos(turn) * rate**2 + length * (np.cos(lean) * leans**2 + np.sin(lean) * twice))
    at = {"a": turn, "b": -lean - turn, "s": r * np.cos(turn) + length * np.cos(lean)}
    text = rf"z(a) i0.2 ${mass} #crank > z(b) i0.5 ${mass} #rod \ u(s) $3 #slider ; g-y \ #rod z(p) = < #slider"
    machine = mbconcord.read(text=text, format="mbsd")
    rates = {"a": rate, "b": -leans - rate, "s": speed}
    found = mbconcord.evaluate(machine, at, rates, a={"a": 0}, quantities="joint_forces")
    assert not [c for c in found.witnesses if c.verdict == "disagrees"]
    six = found["joint_forces"].reshape(3, 6)
    assert six[2, 1] == pytest.approx(m * 9.81 + force * np.tan(lean), rel=1e-9)
    assert six[1, 0] == pytest.approx(force / np.cos(lean), rel=1e-9)
