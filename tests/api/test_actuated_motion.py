"""Efforts elsewhere than at what a table of motion drives: vectors, power, dead points, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.model.diagnostics import MbconcordError

from ..cli.commands import Run, runner
from .test_reactions import EXPECTED, FOLDER, TOLERANCE

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")

run = pytest.fixture(runner)
CASES = {case["model"].partition(".")[0]: case for case in EXPECTED["efforts_elsewhere"] if "effort" in case}
TIMES = np.array([0.0, 0.01, 0.02, 0.03])


def table(q: dict[str, float], v: dict[str, float], a: dict[str, float]) -> pandas.DataFrame:
    """A motion of constant accelerations from a state."""
    columns = {"t": TIMES}
    for name, x in a.items():
        columns |= {name: q[name] + v[name] * TIMES + x * TIMES**2 / 2, f"{name}'": v[name] + x * TIMES}
        columns |= {f"{name}''": np.full(len(TIMES), x)}
    return pandas.DataFrame(columns)


def follow(name: str, actuated: list[str] | None, **options: object) -> mb.Simulation:
    case = CASES[name]
    state = mb.State.from_json(case["state"])
    motion = table(state.q, state.v, case["driven"])
    return mb.simulate(FOLDER / case["model"], motion=motion, q=state.q, actuated=actuated, **options)


@pytest.mark.parametrize("name", ["four_bar_passive", "belt_driven", "cylinder_boom"])
def test_the_first_row_is_that_of_the_vector(name: str) -> None:
    case = CASES[name]
    found = follow(name, case["actuated"])
    assert not [d for d in found.diagnostics if d.severity == "error"]
    size = max(map(abs, case["effort"].values()))
    frame = found.to_frame()
    efforts = {x: frame[f"effort[{x}]"][0] for x in case["actuated"]}
    assert efforts == pytest.approx(case["effort"], rel=0, abs=10 * TOLERANCE * size)
    assert not [c for c in frame.columns if "drive of" in c]
    assert {"agrees"} <= {c.verdict for c in found.witnesses} <= {"agrees", "not checked"}


def test_by_power_the_crank_does_what_the_rocker_would() -> None:
    """With one degree of freedom u_a a' = u_c c' holds at every row, whatever drives it."""
    at_crank = follow("four_bar_passive", ["a"], forces=True).to_frame()
    at_rocker = follow("four_bar_passive", None).to_frame()
    power = at_rocker["lambda[drive of c]"] * at_rocker["c'"]
    np.testing.assert_allclose(at_crank["effort[a]"] * at_crank["a'"], power, rtol=1e-9)
    borne = [at_crank[f"joint_forces[crank, {x}]"][0] for x in ("Fx", "Fy", "Mz")]
    crank = CASES["four_bar_passive"]["joint_forces"]["crank"]
    np.testing.assert_allclose(borne, [crank[0], crank[1], crank[5]], rtol=0, atol=1e-7)


def test_a_dead_point_has_no_effort_and_says_when() -> None:
    model = FOLDER / "slider_crank.mbs.json"
    a = np.array([-0.02, -0.01, 0.0, 0.01])
    motion = pandas.DataFrame({"t": TIMES, "a": a, "a'": np.full(4, 1.0), "a''": np.full(4, 2.0)})
    start = {"a": -0.02, "b": 0.0275, "s": 0.55}
    found = mb.simulate(model, motion=motion, q=start, actuated="s", forces=True)
    effort = found.to_frame()["effort[s]"]
    assert np.isnan(effort).tolist() == [False, False, True, False]
    (said,) = (d for d in found.diagnostics if d.place == "actuated/s")
    assert said.severity == "warning" and "does not act on a at t = 0.02" in said.message
    driven = mb.simulate(model, motion=motion, q=start).to_frame()
    motor = 2.0  # N m of the crank's own, which goes on acting where the piston drives
    power = ((driven["lambda[drive of a]"] - motor) * driven["a'"])[[0, 1, 3]]
    np.testing.assert_allclose((effort * driven["s'"])[[0, 1, 3]], power, rtol=1e-7)


@pytest.mark.parametrize(
    ("actuated", "driven", "said"),
    [
        (["x"], ["x", "q"], "2 accelerations are given and 1 effort is sought"),
        (["x"], ["q"], "it leaves x free"),
        (["x", "y"], ["x", "q"], "there is no coordinate and no parameter 'y'"),
    ],
)
def test_what_cannot_be_is_refused(actuated: list[str], driven: list[str], said: str) -> None:
    motion = table({"x": 0.0, "q": 0.2}, {"x": 0.5, "q": 0.8}, {"x": 1.0, "q": 0.0})
    with pytest.raises(MbconcordError, match=said):
        mb.simulate(FOLDER / "pole_on_cart.mbs.json", motion=motion, driven=driven, actuated=actuated)


def test_on_the_command_line(run: Run) -> None:
    case = CASES["cylinder_boom"]
    state = mb.State.from_json(case["state"])
    table(state.q, state.v, case["driven"]).to_csv("motion.csv", index=False)
    words = ["simulate", str(FOLDER / case["model"]), "--motion", "motion.csv", "--actuated", "F"]
    done = run(*words)
    assert done.code == 0, done.err
    assert "effort F" in done.out and "962.629" in done.out and "or what --actuated names" in done.out
    assert run(*words, "--json").json["columns"]["effort[F]"][0] == pytest.approx(case["effort"]["F"])
    refused = run("simulate", str(FOLDER / case["model"]), "--until", "1", "--actuated", "F")
    assert refused.code == 2 and "--actuated: error: nothing is driven without --motion" in refused.err
    assert not Path("out.csv").exists()
