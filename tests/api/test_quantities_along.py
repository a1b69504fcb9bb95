"""Kinematic quantities along a simulated motion: columns of its table, judged, and no states of another model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.fixtures import folder
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.model import Point, System
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.kinematics import PointMotion

from ..cli.commands import Run, runner

pytest.importorskip("scipy", reason="SciPy is not installed: the extra sim")
pytest.importorskip("pandas", reason="pandas is not installed: the extra sim")

TEXT = "z(q1) i(0.5) $2 #upper > z(q2) i(0.4) $1 #hand g9.81-y"
ASKED = ["position(hand)", "velocity(hand)", "velocity(hand, in=body)", "acceleration(hand)", "kinetic_energy",
         "potential_energy", "center_of_mass"]  # fmt: skip


def follow(**options: object) -> mbconcord.results.Simulation:
    model = mbconcord.read(text=TEXT, format="mbsd")
    return mbconcord.simulate(model, 0.2, quantities=ASKED, step_out=0.05, **options)  # type: ignore[arg-type]


def test_columns_are_what_evaluate_says_at_the_rows() -> None:
    made = follow()
    table = made.to_frame()
    at = mbconcord.evaluate(mbconcord.read(text=TEXT, format="mbsd"), q=made.q, v=made.v, a=made.a, quantities=ASKED)
    for column, x in at.to_frame()[[c for c in table.columns if c.startswith(tuple(ASKED))]].items():
        np.testing.assert_allclose(table[column], x, rtol=0, atol=1e-13, err_msg=str(column))
    np.testing.assert_allclose(table["kinetic_energy"], table["kinetic"], atol=1e-12)
    np.testing.assert_allclose(table["potential_energy"], table["potential"], atol=1e-12)
    judged = {c.quantity: set[str]() for c in made.witnesses}
    for c in made.witnesses:
        judged[c.quantity].add(c.verdict)
    assert all(judged[name] == {"agrees"} for name in ASKED)


def test_velocity_is_the_rate_of_position_along_the_motion() -> None:
    model = mbconcord.read(text=TEXT, format="mbsd")
    table = mbconcord.simulate(model, 0.2, quantities=ASKED, step_out=1e-3, tolerance=1e-12).to_frame()
    for of, rate in (("position(hand)", "velocity(hand)"), ("velocity(hand)", "acceleration(hand)")):
        for axis in "xyz":
            slope = np.gradient(table[f"{of}[{axis}]"], table["t"], edge_order=2)
            np.testing.assert_allclose(slope, table[f"{rate}[{axis}]"], atol=1e-3)


def test_a_run_goes_on_from_a_table_with_such_columns() -> None:
    first = follow()
    model = mbconcord.read(text=TEXT, format="mbsd")
    more = mbconcord.simulate(
        model, 0.3, quantities="kinetic_energy", resume=first.to_frame(), step_out=0.05
    ).to_frame()
    assert more["t"].iloc[-1] == 0.3 and not more["kinetic_energy"].isna().any()
    assert mbconcord.evaluate(model, q=first.to_frame(), quantities="M")["M"].shape == (5, 2, 2)


def test_a_formalism_without_motions_leaves_them_to_one_that_has() -> None:
    made = follow(formalism="telegin")
    assert any(str(d).startswith("quantities: note: by lagrange") for d in made.diagnostics)


def test_a_given_motion_of_a_closed_mechanism_has_them() -> None:
    import pandas

    model, t = folder("native") / "slider_crank.mbs.json", np.linspace(0, 0.1, 6)
    motion = pandas.DataFrame({"t": t, "crank": 0.2 + 3 * t, "crank'": 3.0, "crank''": 0.0})
    made = mbconcord.simulate(model, motion=motion, quantities=["velocity(rod)", "acceleration(rod)"])
    table = made.to_frame()
    at = mbconcord.evaluate(model, q=made.q, v=made.v, a=made.a, quantities=["acceleration(rod)"], driven=["crank"])
    np.testing.assert_allclose(table["acceleration(rod)[x]"], at["acceleration(rod)"][:, 0], atol=1e-9)
    assert {c.verdict for c in made.witnesses if c.quantity.endswith("(rod)")} == {"agrees"}


def test_a_wrong_sign_is_an_error_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    own = NewtonEuler.motions

    def motions(self: NewtonEuler, system: System, points: Sequence[Point]) -> tuple[PointMotion, ...]:
        return tuple(replace(x, v=(-x.v[0], -x.v[1], -x.v[2])) for x in own(self, system, points))

    monkeypatch.setattr(NewtonEuler, "motions", motions)
    made = follow(formalism="newton_euler")
    assert any(d.severity == "error" and d.message.startswith("velocity(hand)") for d in made.diagnostics)
    assert not any(d.severity == "error" and d.message.startswith("position(hand)") for d in made.diagnostics)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("velocity(hnd)", "there is no body or point 'hnd' (did you mean 'hand'?"),
        ("kinetic_enrgy", "there is none along a motion (did you mean 'kinetic_energy'?"),
        ("M", "there is none along a motion (known: "),
    ],
)
def test_names_are_refused_before_anything_is_integrated(name: str, message: str) -> None:
    model = mbconcord.read(text=TEXT, format="mbsd")
    with pytest.raises(NumbersError) as caught:
        mbconcord.simulate(model, 1e6, quantities=name)
    assert f"quantities/{name}" in str(caught.value) and message in str(caught.value)


def test_the_command_writes_them_and_says_of_which_motion(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run: Run = runner(capsys, monkeypatch, tmp_path)
    Path("arm.mbsd").write_text(TEXT, encoding="utf-8")
    words = ("simulate", "arm.mbsd", "--until", "0.1", "--step-out", "0.05", "--quantity")
    done = run(*words, "velocity(hand, in=body),acceleration(hand)", "--output", "out.csv")
    assert done.code == 0
    assert "Accelerations of frames are of the motion of the rows" in done.out
    assert "6 columns of the table" in done.out
    assert '"velocity(hand, in=body)[x]"' in Path("out.csv").read_text(encoding="utf-8").splitlines()[0]
