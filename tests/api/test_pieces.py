"""Functions of pieces in formulas: max, min, clip, step, where, from the text to verdicts, motions and code."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.validation.witnesses.second import formula as second

#: A force with every function of pieces, in a rate, a coordinate and time.
FORCE = "-max(0, k*x) - min(x', 3, c) + clip(-k*x, -2, 2) + step(t - 1) + where(x' >= 0.5, x^2, if(x < -1, 1, c))"


def slide(force: str, **parameters: float) -> mb.Mechanism:
    """Build a mass of 2 kg on a slide with a force along it."""
    made = mb.Mechanism("slide").parameters(**parameters).body("mass", mass=2).slides("x", along="x")
    return made.effort("force", "x", force)


def test_formalisms_and_the_second_reading_agree_on_every_piece(tmp_path: Path) -> None:
    text = f'x"({FORCE}) $2; k = 100, c = 0.7'
    (tmp_path / "a.mbsd").write_text(text, encoding="utf-8")
    found = mb.check(tmp_path / "a.mbsd")
    assert found.verdict == "agrees"
    assert {c.exact.kind for c in found.comparisons if c.exact} == {"identical"}
    assert "second reading" in {c.b for c in found.comparisons}
    for file in ("b.mbs.json", "b.mbsd"):
        mb.convert(tmp_path / "a.mbsd", tmp_path / file)
        assert mb.compare(tmp_path / "a.mbsd", tmp_path / file).verdict == "agrees"


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("max(3*x, 0)", "where(x > 0, 3*x, 0)", "agrees"),
        ("max(3*x, 0)", "(3*x + abs(3*x))/2", "agrees"),
        ("where(x > 0, 1, 2)", "where(-2*x < 0, 1, 2)", "agrees"),
        ("where(x > 0, 1, 2)", "where(x <= 0, 2, 1)", "agrees"),
        ("clip(x, -1, 1)", "min(1, max(-1, x))", "agrees"),
        ("max(3*x, 0)", "where(x > 0.001, 3*x, 0)", "disagrees"),
        ("max(3*x, 0)", "max(3*x, 1e-7)", "disagrees"),
        ("clip(x, -1e4, 1e4)", "x", "disagrees"),
        ("where(x > 0, 1, 2)", "where(x > 0, 2, 1)", "disagrees"),
    ],
)
def test_pieces_are_compared_by_conditions_and_pieces(first: str, second: str, verdict: str) -> None:
    assert mb.compare(slide(first), slide(second)).verdict == verdict


def test_a_function_of_such_a_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mbsd").write_text('x"(step(t)) $2; step(t) = t^2', encoding="utf-8")
    with pytest.raises(mb.MbconcordError, match=r"error: functions/step: step means step\(a\) in every formula"):
        mb.read(tmp_path / "a.mbsd")


@pytest.mark.parametrize("x, wanted", [(-1.0, 0.0), (0.0, 7.0), (2.0, 7.0)])
def test_an_edge_belongs_to_the_piece_whose_condition_holds_there(x: float, wanted: float) -> None:
    for made in (slide("where(x >= 0, 14, 0)"), slide("where(x < 0, 0, 14)")):
        assert mb.evaluate(made, {"x": x})["acceleration"] == pytest.approx([wanted], abs=1e-14)
        made_fast = mb.compile(made, "acceleration")
        assert made_fast(np.array([x]), np.zeros(1))["acceleration"] == pytest.approx([wanted], abs=1e-14)


def test_a_drive_that_saturates_moves_as_its_pieces_say() -> None:
    """x'' = min(t, 1): x(1) = 1/6 and x'(1) = 1/2, so x(2) = 1/6 + 1/2 + 1/2."""
    run = mb.simulate(slide("2*min(t, 1)"), 2.0, tolerance=1e-10)
    assert run.q[-1] == pytest.approx([7 / 6], abs=1e-9)


def test_a_mass_bounces_on_a_spring_that_only_pushes() -> None:
    """A fall from h = 0.5 m onto k = 800 N/m: at rest deepest at d with m g (h + d) = k d²/2."""
    made = slide("-2*9.81 + max(0, -800*x)")
    run = mb.simulate(made, 0.6, q={"x": 0.5}, tolerance=1e-10)
    weight = 2 * 9.81
    deepest = (weight + math.sqrt(weight**2 + 2 * 800 * weight * 0.5)) / 800
    assert -run.q[:, 0].min() == pytest.approx(deepest, rel=1e-3)


def test_linearize_takes_the_piece_of_its_state_and_refuses_an_edge() -> None:
    made = slide("-max(100*x, 20*x)")
    assert mb.linearize(made, {"x": 1.0}).K.tolist() == [[100.0]]
    with pytest.raises(mb.MbconcordError, match="have a kink at the state"):
        mb.linearize(made, {"x": 0.0})


OWN = '''
import numpy as np
def equations(q, v, k):
    x, = q
    return [[2]], [-max(0, k * x) + np.clip(v[0], -2, 2) - np.minimum(x, 1) + np.fmax(x, v[0])]
'''  # fmt: skip
MODEL = "-max(0, k*x) + clip(x', -2, 2) - min(x, 1) + max(x, x')"


def test_own_equations_in_python_have_pieces(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    model = slide(MODEL, k=100.0)
    found = mb.check(model, against=f"python:{tmp_path / 'own.py'}:equations", states=4)
    assert found.verdict == "agrees"
    (tmp_path / "own.py").write_text(OWN.replace("-2, 2)", "-2, 3)"), encoding="utf-8")
    assert mb.check(model, against=f"python:{tmp_path / 'own.py'}:equations", states=4).verdict == "disagrees"


def test_states_of_a_check_are_on_both_sides_of_every_edge(monkeypatch: pytest.MonkeyPatch) -> None:
    """No state drawn by size alone is beyond 500 m: a reader that drops the stop there is noticed."""
    text = 'u(x)"(-max(0, 1000*(x - 500))) $2'
    model = mb.read(text=text, format="mbsd")
    found = mb.check(model, states=4)
    assert {bool(s.q["x"] > 500) for s in found.states} == {True, False}
    assert found.verdict == "agrees"
    monkeypatch.setitem(second.FUNCTIONS, "max", lambda a, _: a)
    assert mb.check(model, states=4).verdict == "disagrees"


def test_an_edge_that_no_state_reaches_is_told() -> None:
    notes = [str(d) for d in mb.check(slide("max(x - 1e9, 0)"), states=3).diagnostics]
    assert any("no state has 1000000000 - x < 0" in note for note in notes)
    notes = [str(d) for d in mb.check(slide("abs(x^2 + 1)"), states=3).diagnostics]
    assert not any("no state has" in note for note in notes)


def test_a_mass_that_vanishes_where_a_sign_does_is_not_singular_elsewhere() -> None:
    """M = diag(m r², m): the point at r = 0, where sign(r) is zero, has no accelerations; all others have."""
    found = mb.check(mb.read(text='z(a) u(r)"(-3*sign(r)) $1', format="mbsd"), states=3)
    reasons = {c.exact.reason for c in found.comparisons if c.exact}
    assert found.verdict == "agrees"
    assert not any("singular" in reason for reason in reasons)
