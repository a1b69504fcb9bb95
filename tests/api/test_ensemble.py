"""Many motions at once: those of simulate, with an error that halving the step tells, on the constraints."""

from __future__ import annotations

import inspect
import sys
import types

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.api.compiling import closed
from mbconcord.api.ensemble import STAGES
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import DisagreementError, NumbersError
from mbconcord.validation.judge.closed.closed_states import closed_states

PENDULUM = "z j-2 $3 g9.81"


@pytest.fixture
def pendulum():
    """Read a pendulum."""
    return mb.read(text=PENDULUM, format="mbsd").system


def on_constraints(file, count):
    """Return a model and states on its constraints as rows of positions, then rates."""
    system = mb.read(folder() / file).system
    names = system.coordinate_names
    states = closed_states(system, count, 1).states
    return system, np.array([[*(s.q[n] for n in names), *(s.v[n] for n in names)] for s in states])


@pytest.mark.parametrize("backend", ["numpy", "python"])
def test_motions_are_those_of_simulate(pendulum, backend):
    pytest.importorskip("scipy", reason="simulate needs the extra [sim]")
    starts = np.array([[0.1, 0.0], [1.5, -0.3], [3.0, 2.0]])
    many = mb.ensemble(pendulum, starts, 2.0, 0.01, backend=backend)
    assert many.t[-1] == 2.0
    for i, start in enumerate(starts):
        run = mb.simulate(pendulum, q=start, until=2.0, step_out=2.0, tolerance=1e-11, witness=False)
        assert abs(many.q[-1, i, 0] - run.found[-1].q[0]) < 2 * many.difference[i] + 1e-9
    assert [d.message for d in many.diagnostics] == ["3 motions compared with simulate's at 1e-10"]


def test_half_the_step_has_a_sixteenth_of_the_error(pendulum):
    first, second = (mb.ensemble(pendulum, [[1.0, 0.5]], 2.0, h, witness=False).difference[0] for h in (0.02, 0.01))
    assert 12 < first / second < 20


@pytest.mark.slow
@pytest.mark.parametrize("file", ["mbsd/four_bar.mbsd", "mbsd/patu655.mbsd", "native/chaplygin_sleigh.mbs.json"])
def test_constraints_are_kept(file):
    system, starts = on_constraints(file, 3)
    many = mb.ensemble(system, starts, 0.1, 0.001, witness=False)
    assert many.gap.max() < 1e-10
    end = mb.evaluate(system, many.q[-1], many.v[-1])
    assert not [d for d in end.diagnostics if "violate" in d.message or "off the constraints" in d.message]


def test_a_motion_does_not_depend_on_others(pendulum):
    starts = np.random.default_rng(0).uniform(-2, 2, (9, 2))
    whole = mb.ensemble(pendulum, starts, 0.5, 0.01, witness=False)
    for i in (0, 4, 8):
        alone = mb.ensemble(pendulum, starts[i : i + 1], 0.5, 0.01, witness=False)
        assert np.array_equal(alone.q[:, 0], whole.q[:, i])


@pytest.mark.parametrize("name", ["l", "step", "part", "gap"])
def test_each_motion_has_its_own_parameters(name):
    pendulum = mb.read(text=f"z j(-{name}) $3 g9.81 ; {name} = 2", format="mbsd")
    lengths = np.array([1.0, 2.0, 4.0])
    many = mb.ensemble(pendulum, [[0.01, 0.0]] * 3, 1.0, 0.01, parameters={name: lengths}, witness=False)
    expected = 0.01 * np.cos(np.sqrt(9.81 / lengths))
    assert np.abs(many.q[-1, :, 0] - expected).max() < 1e-6


def test_one_state_is_taken_with_each_value_of_a_parameter():
    pendulum = mb.read(text="z j(-l) $3 g9.81 ; l = 2", format="mbsd")
    lengths, start = np.array([1.0, 2.0, 4.0]), mb.State(0.0, {"z1": 0.01}, {"z1": 0.02})
    many = mb.ensemble(pendulum, start, 1.0, 0.01, parameters={"l": lengths}, witness=False)
    own = mb.ensemble(pendulum, [[0.01, 0.02]] * 3, 1.0, 0.01, parameters={"l": lengths}, witness=False)
    assert np.array_equal(many.q, own.q) and many.diagnostics == ()
    with pytest.raises(NumbersError, match="l is given twice"):
        mb.ensemble(pendulum, mb.State(parameters={"l": 1.0}), 1.0, 0.01, parameters={"l": lengths})


def test_starts_that_are_moved_and_times_that_are_not_taken_are_told():
    bar = folder() / "mbsd/four_bar.mbsd"
    (said,) = mb.ensemble(bar, [[0.1] * 6] * 2, 0.1, 0.01, witness=False).diagnostics
    assert said.severity == "warning" and "2 starts of 2 moved onto the constraints: positions by 0.2" in said.message
    (said,) = mb.ensemble(bar, mb.State(1.0), 0.1, 0.01, witness=False).diagnostics
    assert said.severity == "warning" and "begin at t = 0" in said.message


def test_quartiles_stand_in_the_table(pendulum):
    pytest.importorskip("pandas")
    many = mb.ensemble(pendulum, np.linspace([0.1, 0.0], [0.5, 0.0], 5), 0.2, 0.01, rows=6, witness=False)
    table = many.to_frame()
    assert len(table) == len(many.t) <= 6
    assert list(table["z1 median"][:1]) == [pytest.approx(0.3)]
    assert (table["z1 min"] <= table["z1 25 %"]).all()
    assert "5 motions" in repr(many)


@pytest.mark.parametrize(
    ("until", "step", "said"),
    [(1.0, 0.3, "not an even number"), (1.0, 0.0, "above 0"), (-1.0, 0.1, "above 0"), (1.0, float("nan"), "above 0"),
     (0.1, 0.1, "not an even number"), (1e9, 0.01, "1e.11 steps .* at most"), (1.0, 1e-320, "inf steps .* at most")],
)  # fmt: skip
def test_steps_that_do_not_fit_are_refused(pendulum, until, step, said):
    with pytest.raises(NumbersError, match=said):
        mb.ensemble(pendulum, [[0.1, 0.0]], until, step)


def test_cut_joints_that_cannot_be_kept_are_refused():
    with pytest.raises(NumbersError, match="positions of cut joints"):
        mb.ensemble(folder() / "overconstrained/bennett.mbs.json", [[0.0] * 6], 1.0, 0.01)


def test_a_motion_that_stops_is_told(pendulum):
    made = mb.Mechanism("pushed").body("b", mass=2).slides("x", "x").effort("f", "x", "sqrt(1 - x)")
    many = mb.ensemble(made, [[0.0, 2.0], [-9.0, 0.0]], 1.0, 0.01, witness=False)
    (said,) = many.diagnostics
    assert said.severity == "error" and "1 motion of 2 could not go on, the first is number 0" in said.message
    assert np.isfinite(many.q[-1, 1]).all()


def test_a_wrong_step_is_seen_beside_simulate(pendulum, monkeypatch):
    pytest.importorskip("scipy", reason="simulate needs the extra [sim]")
    wrong = (*STAGES[:3], (1.000006, 0.0))  # less than the comparison of two steps sees
    monkeypatch.setattr(sys.modules["mbconcord.api.ensemble"], "STAGES", wrong)
    many = mb.ensemble(pendulum, [[1.0, 0.0]], 2.0, 0.01)
    assert any(d.severity == "error" and "from simulate's" in d.message for d in many.diagnostics)


def test_a_wrong_step_is_seen_beside_the_table_without_simulate(pendulum, monkeypatch):
    wrong = ((1.0, 0.4), *STAGES[1:])
    monkeypatch.setattr(sys.modules["mbconcord.api.ensemble"], "STAGES", wrong)
    with pytest.raises(DisagreementError, match=r"witness/steps: .*by their table"):
        mb.ensemble(pendulum, [[1.0, 0.0]], 2.0, 0.01, witness=False)


@pytest.mark.slow
def test_a_motion_on_constraints_does_not_depend_on_others():
    """One motion of those together has no state on the constraints, and ends."""
    system, starts = on_constraints("mbsd/four_bar.mbsd", 9)
    starts[4] = 1e300
    whole = mb.ensemble(system, starts, 0.02, 0.001, rows=5, witness=False)
    assert np.isnan(whole.q[-1]).any(axis=1).tolist() == [i == 4 for i in range(9)]
    for i in (0, 8):
        alone = mb.ensemble(system, starts[i : i + 1], 0.02, 0.001, rows=21, witness=False)
        assert np.array_equal(alone.q[::5, 0], whole.q[:, i]) and np.array_equal(alone.v[::5, 0], whole.v[:, i])
        assert 0 < alone.gap[0] == whole.gap[i]


#: Changes of what a result says of its motions, each with what the witness says.
WRONG = {
    "a difference of other steps": ("2 * step, steps // 2, [steps // 2]", "step, steps, [steps]", "by their table"),
    "a difference of positions alone": ("[q[-1], v[-1]], axis", "[q[-1], coarse[1][-1]], axis", "by their table"),
    "half the difference": ("np.abs(last - other)", "0.5 * np.abs(last - other)", "by their table"),
    "rows at other times": ("t = step * np.array(kept)", "t = step * np.array(kept) ** 1.01", "simulate's"),
    "a row within": ("kept)\n    coarse", "kept)\n    q[3] *= 1.001\n    coarse", "simulate's"),
    "a gap of nothing": ("last = np.con", "q[2, :, 0] *= 1.001; gap *= 0\n    last = np.con", "its gap is 0"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_what_a_result_says_of_its_motions_has_a_witness(name, monkeypatch):
    pytest.importorskip("scipy", reason="simulate needs the extra [sim]")
    right, wrong, said = WRONG[name]
    source = inspect.getsource(module := sys.modules["mbconcord.api.ensemble"])
    assert source.count(right) == 1
    made = types.ModuleType(module.__name__)
    made.__dict__.update(vars(module))
    exec(compile(source.replace(right, wrong), module.__file__, "exec"), made.__dict__)
    model = folder() / "mbsd" / ("four_bar.mbsd" if "gap" in name else "double_pendulum.mbsd")
    system = mb.read(model).system
    start = [[0.3, -0.2, 0.5, 1.0]] if "gap" not in name else {}
    made_many = made.ensemble(system, start, 0.2, 0.01, backend="numpy")
    honest = mb.ensemble(system, start, 0.2, 0.01, backend="numpy")
    assert not [d for d in honest.diagnostics if d.severity == "error"]
    assert any(d.severity == "error" and said in d.message for d in made_many.diagnostics)


def test_rows_of_a_singular_position_end_a_motion(monkeypatch):
    system, starts = on_constraints("mbsd/four_bar.mbsd", 2)
    solve = closed.solve_closed

    def unsound(by, model):
        found = solve(by, model)
        return closed.replace(found, sound=found.sound + 1)

    monkeypatch.setattr("mbconcord.api.compiling.compile.solve_closed", unsound)
    many = mb.ensemble(system, starts, 0.01, 0.001, witness=False, backend="numpy")
    assert np.isnan(many.q[-1]).all()
    assert many.diagnostics[0].severity == "error"


def test_what_is_left_out_of_the_motions_is_said():
    """A fluid acts on all motions; a stop on those that pass it, from the first row on that does."""
    drag, stop = '<option density="1000" viscosity="1"/>', 'range="-20 20"'
    text = """<mujoco>{}<worldbody><body><joint name="j" axis="0 1 0" {}/>
    <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05" mass="1"/></body></worldbody></mujoco>"""
    plain, wet, stopped = (
        mb.read(text=text.format(*x), format="mjcf").system for x in (("", ""), (drag, ""), ("", stop))
    )
    small, large = [[0.1, 0.0]], [[0.1, 0.0], [0.2, 3.0]]
    assert "without" not in repr(mb.ensemble(plain, large, 1.0, 0.01, witness=False))
    assert "without 1 fluid around the bodies" in repr(mb.ensemble(wet, small, 1.0, 0.01, witness=False))
    assert "without" not in repr(mb.ensemble(stopped, small, 1.0, 0.01, witness=False))
    many = mb.ensemble(stopped, large, 1.0, 0.01, witness=False)
    assert "without 1 limit of a joint" in repr(many)
    (first,) = many.left_out.since.values()
    passed = np.abs(many.q[:, 1, 0]) > np.deg2rad(20)
    assert first == many.t[passed][0] > 0
