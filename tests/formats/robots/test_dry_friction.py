"""Dry friction of joints in URDF and SDF by Coulomb's law: its numbers, its bad inputs, and what is said at rest."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbconcord
from mbconcord.model import JointEffort, ReadError
from mbconcord.model.expressions import apply, number, rate

from ...cli.commands import Run, runner
from .test_equal_friction import MJCF, SDF, URDF

TEXTS = {"urdf": URDF, "sdf": SDF}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def model(kind: str, friction: str = "0.5") -> mbconcord.Model:
    return mbconcord.read(text=TEXTS[kind].replace("FRICTION", friction), format=kind)


def build(effort: str) -> mbconcord.System:
    made = mbconcord.Mechanism("m").parameters(F=0.25).gravity(z=-9.81).body("a", mass=1, inertia=(1, 1, 1))
    return made.turns("j", about="y").effort("f", "j", effort).build()


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize(("speed", "force"), [(2.0, -0.7), (-2.0, 0.7), (0.001, -0.5001)])
def test_friction_opposes_the_motion_with_its_size(kind: str, speed: float, force: float) -> None:
    """-0.1 q' - 0.5 sign(q'): damping of 0.1 N m s and friction of 0.5 N m."""
    found = mbconcord.evaluate(model(kind), q={"j": 0.3}, v={"j": speed})
    assert found["applied"][0] == pytest.approx(force, abs=1e-15)
    assert found.left_out.stands


@pytest.mark.parametrize("kind", TEXTS)
def test_every_road_to_the_equations_has_it(kind: str) -> None:
    evidence = mbconcord.check(model(kind), states=2)
    assert evidence.stands and not evidence.left_out.words
    slid = [s.v["j"] > 0 for s in evidence.states]
    assert {*slid} == {True, False}, "both directions are drawn"


@pytest.mark.parametrize("kind", TEXTS)
def test_at_rest_it_may_hold_and_that_is_said(run: Run, kind: str) -> None:
    Path(f"r.{kind}").write_text(TEXTS[kind].replace("FRICTION", "0.5"), encoding="utf-8")
    Path("at.json").write_text('{"q": {"j": 1.5}}', encoding="utf-8")
    words = "evaluate", f"r.{kind}", "--state", "at.json", "--formalism", "lagrange"
    done = run(*words)
    assert done.code == 3 and "1 joint that dry friction may hold at rest, effect on the motion forces: j" in done.out
    assert run(*words, "--accept-omissions", "stiction=1").code == 0
    assert run(*words, "--quantity", "M").code == 0  # no force enters M
    done = run("equilibrium", f"r.{kind}", "--state", "at.json", "--no-witness")
    assert "dry friction along j holds positions around this one too" in done.out + done.err


@pytest.mark.parametrize("kind", TEXTS)
def test_linearization_refuses_it_at_rest(run: Run, kind: str) -> None:
    Path(f"r.{kind}").write_text(TEXTS[kind].replace("FRICTION", "0.5"), encoding="utf-8")
    done = run("linearize", f"r.{kind}")
    assert done.code == 2 and "forces/j_friction: the forces along j have a kink at the state" in done.err


@pytest.mark.parametrize(("kind", "line"), [("urdf", 3), ("sdf", 3)])
def test_friction_below_zero_is_refused_where_it_is(kind: str, line: int) -> None:
    with pytest.raises(ReadError, match=r"friction of 'j': found -0\.5, expected a number that is not neg") as refused:
        model(kind, "-0.5")
    assert [d.location.line for d in refused.value.diagnostics] == [line]


@pytest.mark.parametrize("to", TEXTS)
@pytest.mark.parametrize(
    ("effort", "said"), [("-(2 + 1)*sign(j')", "3"), ("-F*sign(j')", "0.25"), ("F*sign(-j')", "0.25")]
)
def test_the_law_of_another_format_is_written_as_friction(to: str, effort: str, said: str) -> None:
    native = build(effort)
    made = mbconcord.convert(native, to=to, verify=True)
    assert made.verification is not None and made.verification.stands
    assert (f'friction="{said}"' if to == "urdf" else f"<friction>{said}</friction>") in made.text
    assert not made.acting


OTHER = ["2*sign(j')", "-2*sign(j)", "-2*j*sign(j')", "1 - 2*sign(j')", "-2*sign(j' - 1)", "-0.1*j' - 2*sign(j')"]


@pytest.mark.parametrize("to", [*TEXTS, "mjcf"])
@pytest.mark.parametrize("effort", OTHER)
def test_other_laws_with_steps_are_lost_and_act(to: str, effort: str) -> None:
    """The derivative of sign is zero: -0.1 q' - 2 sign(q') looked linear, and was written as damping alone."""
    assert [loss.place for loss in mbconcord.convert(build(effort), to=to).acting] == ["forces/f"]


@pytest.mark.parametrize("to", [*TEXTS, "mjcf"])
def test_rows_with_steps_are_lost_and_act(to: str) -> None:
    made = mbconcord.Mechanism("m").body("a", mass=1, inertia=(1, 1, 1)).turns("j", about="y")
    made = made.body("b", on="a", mass=1, inertia=(1, 1, 1)).turns("k", about="y")
    made = made.holds("r", "k - 0.5*j - 0.1*sign(j)")
    assert "constraints/r" in [loss.place for loss in mbconcord.convert(made.build(), to=to).acting]


def test_mujoco_has_no_coulomb_law() -> None:
    made = mbconcord.convert(model("urdf"), to="mjcf", verify=True)
    (loss,) = made.acting
    assert loss.place == "forces/j_friction" and "soft constraint" in loss.reason
    assert 'frictionloss="0.5"' in made.text and made.verification is not None and made.verification.stands
    again = mbconcord.read(text=made.text, format="mjcf").system
    assert [(o.place, o.effect) for o in again.omissions if o.acts] == [("joint-friction/j", "forces")]
    assert mbconcord.read(text=MJCF.replace("FRICTION", "0.5"), format="mjcf").system.forces == again.forces


def test_the_force_has_the_name_of_its_joint() -> None:
    (force,) = (f for f in model("urdf").system.forces if f.name == "j_friction")
    assert force == JointEffort("j_friction", "j", -number("0.5") * apply("sign", rate("j")))
