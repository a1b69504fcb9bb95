"""``check --against fmu:FILE`` of Co-Simulation alone: motions that agree, wrong ones, and ones that tell nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mbconcord as mb
from mbconcord.api.check import Check
from mbconcord.model import State

from ..cli.commands import Run, runner
from ..kernels.compiler import needs_compiler
from .test_fmu_witness import ARM, build, insert

pytestmark = needs_compiler
#: Gentle starts of the arm, which inner steps of a hundredth of a second follow.
STARTS = [State(q={"a": 0.3, "b": -0.4}, v={"a": 0.5, "b": -0.8}), State(q={"a": -1.0, "b": 0.2}, v={"b": 0.4})]
MOVED = "for (int i = 0; i < COORDINATES; ++i) dx[COORDINATES + i]"
AFTER = "evaluate_motion(s, d->p, dx + COORDINATES);"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def check(path: Path, text: str = ARM, **options: Any) -> Check:
    told = {x: options.pop(x) for x in ("coordinates", "rates", "inputs") if x in options}
    own = mb.own(f"fmu:{path}", allow_binary=True, **told)
    options = {"formalisms": ["lagrange"], "states": STARTS} | options
    found: Check = mb.check(mb.read(text=text, format="mbsd"), against=own, **options)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("version", "step"), [(2, None), (3, None), (3, 0.001)])
def test_motions_agree_and_accelerations_are_not_claimed(tmp_path: Path, version: int, step: float | None) -> None:
    found = check(build(tmp_path, text=ARM, version=version, kind="cs", step=step))
    assert found.verdict == "agrees", found.comparisons
    assert {c.quantity for c in found.comparisons} == {"motion: positions", "motion: rates"}
    span = 0.992 if step else 1  # of an even number of steps
    assert found.headline.startswith(f"agrees, in motion alone: 4 of {span} s with efforts, to ")
    assert found.headline.endswith(" of the way: never for accelerations, nor events and stops elsewhere")
    worst = max(c.discrepancy or 0.0 for c in found.comparisons)
    assert f"to {worst:.1g} of the way" in found.headline and worst < 1e-5
    assert found.to_json()["against"]["asked"] in found.headline


#: Changes of the C of an FMU of Co-Simulation alone, none of which may pass.
WRONG = {
    "weights upwards": (AFTER, f"{AFTER} {{ double u[2] = {{0}}, w[2]; double z[STATE]; place(t, x, z); "
                        "z[3] = z[4] = 0; evaluate_motion(z, d->p, w); (void)u; "
                        f"{MOVED} -= 2 * w[i]; }}"),
    "an acceleration of the other sign": (AFTER, f"{AFTER} dx[COORDINATES + 1] *= -1;"),
    "efforts change places": (AFTER, "double p[SET]; memcpy(p, d->p, sizeof p); p[0] = d->p[1]; p[1] = d->p[0]; "
                              "evaluate_motion(s, p, dx + COORDINATES);"),
    "efforts of the other sign": (AFTER, "double p[SET]; memcpy(p, d->p, sizeof p); p[0] = -p[0]; p[1] = -p[1]; "
                                  "evaluate_motion(s, p, dx + COORDINATES);"),
    "efforts in N mm": (AFTER, "double p[SET]; memcpy(p, d->p, sizeof p); p[0] /= 1e3; p[1] /= 1e3; "
                        "evaluate_motion(s, p, dx + COORDINATES);"),
    "no efforts": (AFTER, "double p[SET]; memcpy(p, d->p, sizeof p); p[0] = p[1] = 0; "
                   "evaluate_motion(s, p, dx + COORDINATES);"),
    "angles in degrees": ("*value = d->x[r - VR_X];", "*value = d->x[r - VR_X] * (r < VR_X + 2 ? 57.29577951 : 1);"),
    "positions change places": ("*value = d->x[r - VR_X];", "*value = d->x[r < VR_X + 2 ? 1 - r + VR_X : r - VR_X];"),
    "rates of the other sign": ("*value = d->x[r - VR_X];", "*value = (r < VR_X + 2 ? 1 : -1) * d->x[r - VR_X];"),
    "time is slow": ("return integrate(&c->d, t + h) ?", "return integrate(&c->d, t + h * 0.9) ?"),
    "nothing moves": ("return integrate(&c->d, t + h) ?", "return 1 ?"),
    "noise": ("*value = d->x[r - VR_X];", "*value = d->x[r - VR_X] + rand() * 1e-2 / RAND_MAX;"),
    "damping": (AFTER, f"{AFTER} {MOVED} -= 0.2 * x[COORDINATES + i];"),
    "a parameter that is not taken": ("d->p[r - VR_P] = value", "(r < VR_P + 2 ? d->p[r - VR_P] = value : 0)"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("step", [None, 0.001], ids=["controlled", "fixed"])
@pytest.mark.parametrize("fault", WRONG)
def test_no_wrong_motion_agrees(tmp_path: Path, fault: str, step: float | None) -> None:
    change = insert(*WRONG[fault])
    version = 3 if step and "integrate" not in WRONG[fault][0] else 2  # whose steps do not say where they end
    path = build(tmp_path, change, text=ARM, version=version, kind="cs", step=step)
    text = ARM.replace("m=3", "m=4") if fault.startswith("a parameter") else ARM
    found = check(path, text)
    assert found.verdict == "disagrees" or (fault == "noise" and found.verdict == "not checked"), found.comparisons
    assert "agrees, in" not in found.headline


@pytest.mark.slow
@pytest.mark.parametrize("step", [None, 0.001])
def test_a_late_change_is_seen(tmp_path: Path, step: float | None) -> None:
    late = insert(AFTER, f"{AFTER} if (t > 0.8) dx[COORDINATES] -= 1;")
    assert check(build(tmp_path, late, text=ARM, kind="cs", step=step)).verdict == "disagrees"


#: What an FMU does in a step, or before -> what is said of it.
HARM = {
    "hangs": ("for (;;) { }", "no answer in"),
    "crashes": ("*(volatile int *)0 = 1;", "its process ended with"),
    "ends": ("exit(0);", "its process ended with exit code 0"),
    "fails": ('return fail(c, "no more");', "DoStep gives status 3"),
    "is no number": ("c->d.x[0] = NAN; return OK;", "gives status 3"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("harm", HARM)
def test_an_fmu_that_fails_in_a_step_is_no_verdict(
    run: Run, tmp_path: Path, harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mbconcord.validation.against import fmu_archive

    monkeypatch.setattr(fmu_archive, "FMU_SECONDS", 5.0)
    code, said = HARM[harm]
    build(
        tmp_path, insert("    c->d.t = t;\n", f"    if (t > 0.5) {{ {code} }}\n    c->d.t = t;\n"), text=ARM, kind="cs"
    )
    (tmp_path / "arm.mbsd").write_text(ARM, encoding="utf-8")
    done = run("check", "arm.mbsd", "--against", "fmu:made2.fmu", "--allow", "binary", "--formalisms", "lagrange")
    assert done.code == 2 and said in done.err and "nothing is said of the model" in done.err
    assert "agrees" not in done.out


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.005, 0.02])
def test_inner_steps_that_are_too_long_are_no_disagreement(tmp_path: Path, step: float) -> None:
    """At drawn states of this light arm its rates are 60 rad/s and more."""
    try:
        found = check(build(tmp_path, text=ARM, version=3, kind="cs", step=step), states=3)
    except mb.MbconcordError as problem:
        assert "no step leads on" in str(problem)
    else:
        assert found.verdict != "disagrees"


def test_steps_that_end_early_are_refused(tmp_path: Path) -> None:
    path = build(tmp_path, insert("*last = COMPONENT->d.t;", "*last = t;"), text=ARM, version=3, kind="cs")
    with pytest.raises(mb.MbconcordError, match="it ends its step from 0 s at 0 s"):
        check(path)


@pytest.mark.slow
def test_names_and_inputs_are_told_or_refused(tmp_path: Path) -> None:
    path = build(tmp_path, text=ARM, kind="cs", inputs="a")
    found = check(path, coordinates={"a": "q.a"}, rates={"b": "v.b"})
    assert found.verdict == "agrees" and " of 1 s without efforts, to" in found.headline
    swapped = check(path, coordinates={"a": "q.b", "b": "q.a"}, rates={"a": "v.b", "b": "v.a"})
    assert swapped.verdict == "disagrees"
    for told, said in (
        ({"coordinates": {"a": "q.x"}}, "q of a needs one variable of the FMU for it"),
        ({"rates": {"c": "v.a"}}, "the model has no 'c'"),
        ({"coordinates": {"a": "q.b"}}, "q of b needs one variable"),
    ):
        with pytest.raises(mb.MbconcordError, match=said):
            check(path, **told)


@pytest.mark.slow
def test_starts_that_are_not_taken_are_counted_once(tmp_path: Path) -> None:
    """The model starts where the FMU does."""
    ignore = insert("if (r >= VR_X && r < VR_DX) d->x[r - VR_X] = value;", "if (r >= VR_X && r < VR_DX) return 1;")
    start = State(q={"a": 0.6, "b": -0.2})
    found = check(build(tmp_path, ignore, text=ARM, kind="cs", q=start))
    assert found.verdict == "agrees" and "in motion alone: 2 of 1 s with efforts" in found.headline


def test_a_coordinate_that_rests_in_every_motion_is_not_checked(tmp_path: Path) -> None:
    """The FMU drives y away from zero, where the model draws it back; both begin at zero and stay there."""
    two = 'u(x)"(-4*x) v(y)"(-9*y) $1'
    wrong = insert(AFTER, f"{AFTER} dx[COORDINATES + 1] *= -1;")
    path = build(tmp_path, wrong, text=two, kind="cs", inputs="none")
    found = check(path, two, states=[State(q={"x": 0.3})])
    assert found.verdict != "agrees"
    assert [c.explanation for c in found.comparisons if c.verdict == "not checked"] == ["nothing moves along y"]


@pytest.mark.slow
def test_a_longer_motion_is_asked_for(tmp_path: Path) -> None:
    path = build(tmp_path, text=ARM, kind="cs")
    assert "of 0.25 s with efforts" in check(path, simulate=0.25).headline
    both = build(tmp_path, text=ARM)
    with pytest.raises(mb.MbconcordError, match="an FMU of Model Exchange is asked for equations"):
        check(both, simulate=0.25)
