"""Witnesses of simulate, assemble and printed joint forces: each broken line is noticed by its own command."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from inspect import getsource
from itertools import count
from pathlib import Path
from textwrap import dedent
from types import FunctionType

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import simulate as command
from mbconcord.formalisms import registry
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.reports import reactions
from mbconcord.simulation import rows as multipliers
from mbconcord.simulation.continuation import find_nearest
from mbconcord.simulation.keeping import Placed
from mbconcord.simulation.motion import events as friction
from mbconcord.simulation.motion import run as motion
from mbconcord.simulation.motion import stretch as step
from mbconcord.simulation.motion.equations import MotionEquations
from mbconcord.simulation.motion.events import Events
from mbconcord.simulation.motion.formulas import formulas
from mbconcord.simulation.motion.run import RunSettings
from mbconcord.simulation.motion.stretch import Stretch
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses.assembly import check_rows
from mbconcord.validation.witnesses.evaluated import check_numbers
from mbconcord.validation.witnesses.runs import made as made_of
from mbconcord.validation.witnesses.runs import run as run_of
from mbconcord.validation.witnesses.runs.equations import check_closed, leave_out
from mbconcord.validation.witnesses.runs.made import GAPS, POWER, Made
from mbconcord.validation.witnesses.runs.run import BALANCE, LAST, describe, explain_last, neighbour, run_checked

from ...cli.commands import Run, runner

pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")

run = pytest.fixture(runner)
FIXTURES = Path(__file__).parents[3] / "fixtures"
SLIDER = str(FIXTURES / "native/slider_crank.mbs.json")
CRANE = str(FIXTURES / "mbsd/patu655.mbsd")
PENDULUM = str(FIXTURES / "mbsd/double_pendulum.mbsd")
BENNETT = str(FIXTURES / "overconstrained/bennett.mbs.json")
BLOCK = "u(x)\"(3 - 5 sign(x')) $2"
PRESS = "z(a) i1 $1 #crank > z(b) i2 $1 #rod \\ u(s)°2.9 $1 #slider ; g-y \\ #rod z(p) = < #slider"
SPEED = {"v": {"x": 2}}
HALF = {"q": {"a": 0.5}}


@pytest.fixture(autouse=True)
def models(run: Run) -> None:
    for name, text in (
        ("block.mbsd", BLOCK), ("press.mbsd", PRESS), ("fast.json", json.dumps(SPEED)), ("half.json", json.dumps(HALF)),
        ("motion.csv", "t,a\n0,0.3\n0.1,0.32\n0.2,0.38\n0.3,0.48\n0.4,0.62\n0.5,0.8\n"),
    ):  # fmt: skip
        Path(name).write_text(text, encoding="utf-8")


def broken(monkeypatch: pytest.MonkeyPatch, function: Callable[..., object], right: str, wrong: str) -> None:
    """Put other code into a function, wherever it is known by name."""
    assert isinstance(function, FunctionType)
    source = dedent(getsource(function))
    assert source.count(right) == 1, f"{right!r} is not once in {function.__qualname__}"
    made: dict[str, object] = {}
    exec(
        compile(
            f"from __future__ import annotations\n{source.replace(right, wrong)}", function.__code__.co_filename, "exec"
        ),
        function.__globals__ | {"property": lambda f: f},
        made,
    )
    new = made[function.__name__]
    assert isinstance(new, FunctionType)
    monkeypatch.setattr(function, "__code__", new.__code__)


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("(self.start.state.q, self.start.state.v)", "(self.start.state.v, self.start.state.q)", "first row"),
        ("self.t + step * np.arange", "self.t + 1.3 * step * np.arange", "between the steps of 0.0015 s"),
        ("self.t + step * np.arange", "self.t + 2 * step * np.arange", "no row at t = 0.0015, a multiple of"),
    ],
    ids=["positions for rates", "longer steps", "every second step"],
)  # fmt: skip
def test_the_first_row_is_the_state_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, run: Run, right: str, wrong: str, words: str
) -> None:
    assert run("simulate", PENDULUM, "--until", "0.3").code == 0
    broken(monkeypatch, motion._Run.__init__, right, wrong)
    done = run("simulate", PENDULUM, "--until", "0.3")
    assert done.code == 1 and words in done.err


def test_rows_that_stand_still_while_rates_go_on_are_seen(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    broken(monkeypatch, motion._Run._is_needed, ".size > 0", ".size <= 0")
    done = run("simulate", SLIDER, "--until", "0.02")
    assert done.code == 1 and "does not move by what its rates and accelerations say" in done.err


OSCILLATOR = 'u(x)"(-(6.283185307179586 w)^2 x) $1 ; w = '
PULSES = 'u(x)"(100 (1 + sign(sin(50 t) - 0.99))) $1'
STICKS = "u(x)\"(-100 (x - 0.1 t) - 3 sign(x')) $2"
STIFF = "u(x)\"(-1e8 (x - sin(t)) - 1e5 x') $1"
SHAKEN = "i(0.1 sin(w t)) #cart > z(a)°30 -j1 $1 [0,0,0] ; g-y ; w = 125.66370614359172"
#: Right runs: the text, the start, the options.
RIGHT = {
    "a row each period": (f"{OSCILLATOR}1", {"v": {"x": 1}}, "--until 6 --step-out 1"),
    "a row each two periods": (f"{OSCILLATOR}1", {"v": {"x": 1}}, "--until 12 --step-out 2 --tolerance 1e-3"),
    "a row each microsecond": (f"{OSCILLATOR}1000000", {"v": {"x": 1}}, "--until 6e-6 --step-out 1e-6"),
    "a row each ten million seconds": (f"{OSCILLATOR}0.0000001", {"v": {"x": 1}}, "--until 6e7 --step-out 1e7"),
    "two rows": (f"{OSCILLATOR}1", {"v": {"x": 1}}, "--until 0.001 --step-out 0.001"),
    "three rows": (f"{OSCILLATOR}1", {"v": {"x": 1}}, "--until 0.002 --step-out 0.001"),
    "small steps at a late time": (f"{OSCILLATOR}1", {"t": 1e6, "v": {"x": 1000}}, "--until 1000000.000001"),
    "friction that sticks": (STICKS, {}, "--until 2 --method lsoda --tolerance 1e-6"),
    "stiff": (STIFF, {}, "--until 5 --method radau --tolerance 1e-6"),
    "pulses": (PULSES, {}, "--until 3"),
    "a support that turns back": ("i(abs(sin(20 t))) #cart > z(a)°30 -j1 $1 [0,0,0] g9.81-y", {}, "--until 1"),
    "a support, a row each period": (SHAKEN, {}, "--until 1 --step-out 0.05"),
    "a closed loop with large tolerance": (PRESS, {}, "--until 0.3 --tolerance 1e-2 --step-out 0.0005"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "start", "options"), RIGHT.values(), ids=RIGHT)
def test_no_right_run_is_said_to_stand_still(run: Run, text: str, start: dict[str, object], options: str) -> None:
    Path("right.mbsd").write_text(text, encoding="utf-8")
    Path("start.json").write_text(json.dumps(start), encoding="utf-8")
    done = run("simulate", "right.mbsd", "--state", "start.json", *options.split())
    assert done.code == 0, done.err


NATIVE = ("quick_return", "torsion_shaft", "ball_on_turntable", "rubber_mounts")
CHECK = ["check", SLIDER, "--states", "2", "--claims", "none", "--exact", "off", "--report", "r.md"]
SLIDING = ["simulate", "block.mbsd", "--until", "0.5", "--state", "fast.json"]
ALONG = ["simulate", "press.mbsd", "--motion", "motion.csv"]
CLOSING = ["assemble", "press.mbsd", "--state", "half.json"]
SHORT = {name: ["simulate", name, "--until", "0.3"] for name in (SLIDER, CRANE, PENDULUM, BENNETT)}
EVENT = ["simulate", PENDULUM, "--until", "1", "--event", "z1 - 0.5"]
CHANGES = "accelerations along the constraints"
FORCES = "accelerations and multipliers"
#: A function, what stands in it, what stands there wrongly, the command, the quantity that it names.
MUTANTS = [
    (multipliers.unique, " / lengths", "", SHORT[SLIDER], FORCES),
    (friction.smooth_friction, "v * v", "v / v", SLIDING, f"{FORCES} x"),
    (Stretch.row, "work = float", "work = -float", SHORT[CRANE], BALANCE),
    (Stretch.row, "- reference - work", "- reference + work", SHORT[CRANE], BALANCE),
    (Stretch.row, "kinetic, potential, H =", "potential, kinetic, H =", SHORT[PENDULUM], "kinetic energy"),
    (step.IntegrationProblem.power, "- explicit", "+ explicit", SHORT[CRANE], POWER),
    (step.IntegrationProblem.power, "float(forces @ v)", "2 * float(forces @ v)", SLIDING, POWER),
    (MotionEquations.evaluate, "rest - y0 @ columns", "rest + y0 @ columns", SHORT[BENNETT], CHANGES),
    (MotionEquations.evaluate, "(a, reactions, power[0]", "(1.001 * a, reactions, power[0]", SHORT[SLIDER], FORCES),
    (MotionEquations.evaluate, "(a, reactions, power[0]", "(a, -reactions, power[0]", SHORT[SLIDER], FORCES),
    (command._choose_rows, "row.kinetic + row.potential", "row.potential", SHORT[PENDULUM], "printed energy"),
    (MotionEquations.solve_multipliers, "threshold * 1e-2)", "threshold * 1e-2) * 2", ALONG, FORCES),
    (Events.find_in_step, "else find_root(", "else 0.7 * find_root(", EVENT, "events z1"),
    (Events.find_in_step, "signs[:-1] * signs[1:] <= 0", "signs[:-1] * signs[1:] > 0", EVENT, "events z1"),
    (Placed.distance.fget, "max(initial", "min(initial", CLOSING, "distance"),
    (Placed.distance.fget, "np.abs(self.shift / self.units)", "(self.shift / self.units)", CLOSING, "distance"),
    (reactions._six, "6 * i : 6 * i + 6", "6 * i + 1 : 6 * i + 7", CHECK, "printed joint forces"),
    (reactions._number, "x if abs(x)", "-x if abs(x)", CHECK, "printed joint forces"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("function", "right", "wrong", "asked", "quantity"), MUTANTS)
def test_the_command_notices_its_broken_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, function: FunctionType, right: str, wrong: str, asked: list[str],
    quantity: str,
) -> None:  # fmt: skip
    sound = run(*asked)
    assert sound.code == 0 and quantity + " at t" not in sound.err, sound.err
    broken(monkeypatch, function, right, wrong)
    done = run(*asked)
    assert done.code == 1, done.out + done.err
    assert quantity in (done.out if asked[0] == "check" else done.err)
    if asked[0] != "check":
        (line, *_) = [x for x in done.err.splitlines() if quantity in x]
        assert (" error: " in line and " by direct" in line) or " by work" in line or " by own rows" in line


@pytest.mark.slow
def test_no_witness_is_said_in_the_head_and_notices_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, multipliers.unique, " / lengths", "")
    done = run("simulate", SLIDER, "--until", "0.3", "--no-witness")
    assert done.code == 0 and done.out.splitlines()[0].endswith("s; no witness")
    assert "witnessed" not in done.out
    assert run("simulate", SLIDER, "--until", "0.3", "--json", "--no-witness").json["witnesses"] == []


@pytest.mark.slow
@pytest.mark.rest
def test_json_and_python_have_every_witness(run: Run) -> None:
    found = run("simulate", CRANE, "--until", "0.3", "--json").json["witnesses"]
    told = [c.quantity for c in mbconcord.simulate(CRANE, 0.3).witnesses]
    for quantities in ([c["quantity"] for c in found], told):  # the last state is found again where that is little work
        assert [quantity for quantity in quantities if quantity != "last state"] == [
            "accelerations and multipliers", "power", "accelerations along the constraints", "gaps of the constraints",
            "kinetic energy", "potential energy", "balance of energy and work", "first row",
        ]  # fmt: skip
    assert {c["verdict"] for c in found if c["quantity"] != LAST} == {"agrees"}


def test_counts_of_work_and_no_clock_decide_whether_the_last_state_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count(0.0, 100.0)
    monkeypatch.setattr(time, "process_time", lambda: next(ticks))
    found = [c for c in mbconcord.simulate(PENDULUM, 0.3).witnesses if c.quantity == LAST]
    monkeypatch.setattr(run_of, "MOST_WORK", 30)
    found += [c for c in mbconcord.simulate(PENDULUM, 0.3).witnesses if c.quantity == LAST]
    assert [c.verdict for c in found] == ["agrees", "not checked"]
    assert "evaluations more, and 10 are made at the most" in found[1].explanation


def test_a_loose_tolerance_is_a_warning_with_the_part_of_the_energies(run: Run) -> None:
    """A pendulum at tolerance 0.05 loses a part of its energy, and at 1e-9 nothing."""
    done = run("simulate", PENDULUM, "--until", "2", "--tolerance", "0.05")
    assert done.code == 0
    assert "warning: energies and work do not balance by up to" in done.err
    assert "not checked: balance of energy and work (at tolerance 0.05 the steps may err" in done.out
    assert "do not balance" not in run("simulate", PENDULUM, "--until", "2").err


def test_what_steps_cannot_have_erred_is_an_error_at_every_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Energy that leaks slowly is within a loose tolerance, and beyond a tight one."""
    broken(monkeypatch, Stretch.row, "- reference - work", "- reference - work + 1e-3 * t")
    found = {
        tolerance: {c.quantity: c for c in mbconcord.simulate(PENDULUM, 1.0, tolerance=tolerance).witnesses}[BALANCE]
        for tolerance in (1e-5, 1e-9)
    }  # fmt: skip
    assert found[1e-5].verdict == "agrees" and found[1e-9].verdict == "disagrees"


@pytest.mark.parametrize(("method", "tolerance"), [("radau", 1e-3), ("radau", 1e-6), ("lsoda", 1e-6)])
def test_work_that_is_done_and_lost_between_rows_is_in_what_steps_may_err(method: str, tolerance: float) -> None:
    """A stiff damped line: 5e5 J within a millisecond, rows each 0.05 s."""
    system = mbconcord.read(text="u(x)\"(-1e8 x - 1e5 x') $1", format="mbsd").system
    found = mbconcord.simulate(system, 10.0, q=State(q={"x": 1.0}), method=method, tolerance=tolerance)
    (told,) = (c for c in found.witnesses if c.quantity == BALANCE)
    assert told.verdict != "disagrees", told.explanation
    assert told.verdict == "agrees" or "the steps may err" in told.explanation


def test_what_steps_may_err_is_a_part_of_work_that_rows_do_not_show() -> None:
    """Half a joule is done within 0.1 ms and lost again; the largest energy of a row is below 1e-5 J."""
    system = mbconcord.read(text="u(x)\"(-1e4 x - 1e3 x') $0.01", format="mbsd").system
    found = mbconcord.simulate(system, 4.0, q=State(q={"x": 1.0}), method="radau", tolerance=1e-9, step_out=2.0)
    (said,) = (line for line in describe(found.witnesses) if line.startswith("the balance is within"))
    joules = float(said.rpartition(", ")[2].removesuffix(" J"))
    assert max(abs(row.kinetic) for row in found.found) < 1e-5
    assert joules > 0.1


def test_a_wrong_balance_of_a_stiff_line_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    system = mbconcord.read(text="u(x)\"(-1e8 x - 1e5 x') $1", format="mbsd").system
    broken(monkeypatch, Stretch.row, "work = float", "work = -float")
    for v, tolerance in ((1.0, 1e-3), (100.0, 1e-6)):
        found = mbconcord.simulate(system, 10.0, q=State(v={"x": v}), method="radau", tolerance=tolerance)
        assert [c.verdict for c in found.witnesses if c.quantity == BALANCE] == ["disagrees"]


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("method", ["dop853", "radau", "lsoda"])
@pytest.mark.parametrize("name", ["mbsd/double_pendulum.mbsd", *(f"native/{x}.mbs.json" for x in NATIVE)])
def test_sound_runs_agree_by_every_method(name: str, method: str) -> None:
    found = mbconcord.simulate(FIXTURES / name, 0.2, method=method, tolerance=1e-7)
    assert {c.verdict for c in found.witnesses} <= {"agrees", "not checked"}
    assert {c.quantity for c in found.witnesses if c.verdict == "not checked"} <= {LAST}


def test_a_kink_of_time_is_passed_by(run: Run) -> None:
    """At the time of a switch both sides are limits, and neither is the formula's value there."""
    Path("kicked.mbsd").write_text('u(x)"(sign(t - 0.5)) $2', encoding="utf-8")
    done = run("simulate", "kicked.mbsd", "--until", "1", "--step-out", "0.5")
    assert done.code == 0, done.err


def test_a_witness_that_cannot_answer_is_a_note(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise NumbersError(error("gravity", "it has no value"))

    monkeypatch.setattr(made_of, "bind", refuse)
    done = run("simulate", PENDULUM, "--until", "0.3")
    assert done.code == 0, done.err
    assert "not checked: accelerations and multipliers (gravity: error: it has no value)" in done.out


def test_an_end_that_growth_does_not_explain_is_an_error() -> None:
    system = mbconcord.read(PENDULUM).system
    by = registry.formalism("lagrange")
    found, _ = run_checked(system, by, State(), RunSettings(0.5))
    near, _ = run_checked(system, by, neighbour(system, State()), RunSettings(0.5))
    made = Made(system, found, formulas(system, by, {}), {}, 0.0, np.linspace(0, 0.5, 20), np.zeros(20))
    for off, verdict in ((1e-2, "disagrees"), (2e-8, "not checked")):
        last = Comparison("", "", LAST, "not checked", off, 1e-8, explanation="z1 ends elsewhere; errors grow")
        judged = explain_last(last, made, near)
        assert judged.verdict == verdict and "-fold" in judged.explanation


def test_gaps_that_are_not_those_of_the_rows_are_an_error() -> None:
    found = mbconcord.simulate(SLIDER, 0.1)
    assert {c.verdict for c in found.witnesses if c.quantity == GAPS} == {"agrees"}
    rows = tuple(replace(row, gap=1e-4) for row in found.found[:3])
    equations = formulas(found.model, registry.formalism("lagrange"), {})
    made = Made(found.model, replace(found, found=rows), equations, {}, 0.0, np.zeros(1), np.zeros(1))
    assert {c.verdict for c in check_closed(made, rows) if c.quantity == GAPS} == {"disagrees"}


@pytest.mark.parametrize("name", ["lagrange", "newton_euler", "virtual_work", "konoplev", "telegin"])
def test_rows_rank_and_gap_that_are_not_those_of_the_constraints_are_an_error(name: str) -> None:
    system, by = mbconcord.read(SLIDER).system, registry.formalism(name)
    near = find_nearest(system, [State()])
    motion = by.constrained_motion(system, Instance(system, [State()]).with_ranks(near.ranks))
    assert motion is not None
    bent = motion.D.copy()
    bent[0, np.abs(bent[0]).max(axis=1).argmax(), 0] += 1e-3
    right = (motion.D, motion.rank, near.gaps)
    for numbers, wrong in (
        (right, set()), ((bent, *right[1:]), {"D"}), ((right[0], right[1] + 1, right[2]), {"rank"}),
        ((right[0], right[1] - 1, right[2]), {"rank"}), ((*right[:2], right[2] + 1e-3), {"gap"}),
    ):  # fmt: skip
        found = check_rows(system, name, near.given, *numbers)
        assert {c.quantity for c in found if c.verdict != "agrees"} == wrong


def test_the_rows_of_a_state_that_is_off_the_constraints_are_not_checked() -> None:
    found = mbconcord.evaluate(SLIDER, {"crank": 0.3, "rod": 1.0, "piston": -1.0})
    (rows,) = (c for c in found.witnesses if c.quantity == "D and rank")
    assert (rows.verdict, rows.explanation) == ("not checked", "the state is off the constraints")
    assert [c.verdict for c in found.witnesses if c.quantity == "gap"] == ["agrees"]


def test_open_multipliers_are_left_out_and_the_others_are_judged() -> None:
    """Of a planar loop cut at a joint of space rows leave λ open."""
    system = mbconcord.read(text=PRESS, format="mbsd").system
    by = registry.formalism("lagrange")
    found, told = run_checked(system, by, State(), RunSettings(0.2))
    assert np.isnan(found.found[0].multipliers).any() and told[0].verdict == "agrees"


@pytest.mark.parametrize(("text", "until"), [
    ('u(x)"(sin(2*pi*t)) $1', 4.0), ('u(x)"(1e3*sin(2*pi*t)) $1 > z i1 $1', 0.5),
    ("i(0.1*sin(2*pi*t)) $1 > y $1", 0.5), ("i(0.1*sin(2*pi*t)) $1 > x $1", 1.0), ("n(sin(2*pi*t)) i1 $1 > x $1", 1.0),
])  # fmt: skip
def test_what_is_zero_but_for_rounding_at_a_moment_is_no_disagreement(text: str, until: float) -> None:
    system = mbconcord.read(text=text, format="mbsd").system
    found = mbconcord.simulate(system, until)
    assert not [c for c in found.witnesses if c.verdict == "disagrees"]
    for t in (0.5, 1.0, 1000.0):
        judged = mbconcord.evaluate(system, State(t)).witnesses
        assert judged and not [c for c in judged if c.verdict == "disagrees"]


def test_what_is_more_than_rounding_at_a_moment_is_a_disagreement() -> None:
    system = mbconcord.read(text='u(x)"(sin(2*pi*t)) $1', format="mbsd").system
    for name in ("applied", "acceleration"):
        (judged,) = check_numbers(system, "lagrange", [State(1.0)], {name: np.array([[1e-13]])})
        assert judged.verdict == "disagrees"


#: A closed gripper at the end of a falling arm: its fingers mirror each other, and nothing moves them.
GRIPPER = "<robot name='g'><link name='base'/>" + "".join(
    f"<link name='{name}'><inertial><origin xyz='{centre}'/><mass value='{mass}'/><inertia ixx='0.1' iyy='0.2' "
    f"izz='0.3' ixy='0.01' ixz='0' iyz='0.02'/></inertial></link><joint name='{name}_joint' type='{kind}'>"
    f"<parent link='{carrier}'/><child link='{name}'/><origin xyz='{at}' rpy='{turn}'/><axis xyz='0 1 0'/>"
    f"{more}</joint>"
    for name, carrier, kind, mass, centre, at, turn, more in (
        ("arm", "base", "continuous", 2, "0.3 0.1 0", "0 0 1", "0.1 0.2 0.3", ""),
        ("left", "arm", "prismatic", 0.1, "0 0 0.1", "0.5 0.03 0", "-0.1 0 0",
         "<limit lower='-1' upper='1' effort='1' velocity='1'/>"),
        ("right", "arm", "prismatic", 0.1, "0 0 0.1", "0.5 -0.03 0", "-0.1 0 0",
         "<limit lower='-1' upper='1' effort='1' velocity='1'/><mimic joint='left_joint' multiplier='-1'/>"),
    )
) + "</robot>"  # fmt: skip


def test_rounding_along_the_constraints_is_that_of_the_largest_acceleration() -> None:
    """Fingers that no force moves have accelerations of 1e-17, whose sum is no zero: that was a disagreement."""
    found = mbconcord.simulate(mbconcord.read(text=GRIPPER, format="urdf"), 0.05)
    assert not [d for d in found.diagnostics if d.severity == "error"]


def test_rounding_of_rows_that_depend_on_others_is_no_row() -> None:
    """Three rows of two ranks left forces of 1e-1 along coordinates that they do not hold."""
    rows = np.array([[-3e-15, -2.7e-15, -0.208, 0.964], [1.8e-15, 1.2e-15, -0.735, -0.228], [3.5e-15, 4e-15, 0, 0]])
    rows[2] += 0.42 * rows[1] + 0.24 * rows[0]
    assert leave_out(rows, np.ones_like(rows)) == pytest.approx(np.diag([1.0, 1.0, 0.0, 0.0]), abs=1e-12)


def test_a_row_has_its_own_scale_and_rounding_of_its_terms_is_no_row() -> None:
    rows = np.array(
        [[1e-30, -1e-30, 0, 0], [0, 0, 0, 1], [0, 3e-13, 0, 0]]
    )  # a factor, a row, and a remainder of 1 - 1
    left = leave_out(rows, np.array([[1e-30, 1e-30, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]]))
    assert left @ [1, -1, 5, 7] == pytest.approx([0, 0, 5, 0], abs=1e-12)
    assert left @ [1, 1, 0, 0] == pytest.approx([1, 1, 0, 0], abs=1e-12)
    unknown = leave_out(rows, np.full_like(rows, np.inf))  # a row without a bound is one
    assert unknown @ [1, 1, 0, 0] == pytest.approx([0, 0, 0, 0], abs=1e-12)


@pytest.mark.parametrize("factor", ["1", "1e-6", "1e-20", "1e20"])
def test_forces_along_rows_of_any_factor_are_left_out(factor: str) -> None:
    """Two rows, each written twice: below 1e-14 of the other the run was accused of the forces along them."""

    def sliding(name: str, mass: float) -> dict[str, object]:
        joint = [{"translation": "x", "coordinate": name}]
        return {"name": f"block {name}", "parent": None, "joint": joint, "inertia": {"mass": mass}}

    gaps = ("x - y", "2*x - 2*y", f"{factor}*(z - w)", f"2*{factor}*(z - w)")
    text = {
        "format": "mbconcord",
        "name": "blocks",
        "version": 1,
        "coordinates": [{"name": name} for name in "xyzw"],
        "bodies": [sliding("x", 1), sliding("y", 2), sliding("z", 1), sliding("w", 3)],
        "forces": [
            {"kind": "joint_effort", "name": name, "coordinate": name, "effort": effort}
            for name, effort in (("x", "3"), ("z", "5"))
        ],
        "constraints": [{"kind": "holonomic", "name": gap, "expression": gap} for gap in gaps],
    }
    found = mbconcord.simulate(mbconcord.read(text=json.dumps(text), format="native"), 0.1)
    assert not [d for d in found.diagnostics if d.severity == "error"]
    assert found.q[-1] == pytest.approx([0.005, 0.005, 0.00625, 0.00625], rel=1e-9)  # t²/2 of 3/(1 + 2), 5/(1 + 3)


def test_a_motion_of_nanometres_is_not_beside_one_metre() -> None:
    """The gap of the last state was a part of 1 + |y| alone: x was wrong by a tenth of its largest without a word."""
    told = {}
    for size in (1e-9, 1.0):
        text = f"u(x)°{size}\"(-1e4*x) $1 #m > z(th)'1e-30 $1 [1,1,1] #w"
        found = mbconcord.simulate(mbconcord.read(text=text, format="mbsd"), 2.0)
        told[size] = [d.message for d in found.diagnostics if "largest" in d.message]
    assert not told[1.0] and len(told[1e-9]) == 1 and told[1e-9][0].startswith("half the tolerance moves x")
