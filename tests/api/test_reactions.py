"""Joint forces are those of the motion that happens: vectors decided outside of this project, and what is refused.

``reactions/`` has the models and ``expected.json``: values of a Newton-Euler solver in maximal coordinates, of closed
forms, and of MuJoCo where ``decided`` says so; none is of this project.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from laboratory.faults.models import closed_linkage, closed_tree, cut_fixture, cut_tree
from mbconcord.api.joint_forces import joint_forces
from mbconcord.api.moving import choose_motion
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import rotation, translation
from mbconcord.model.constraint import FrameCoincidence, Holonomic, PointCoincidence
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import symbol
from mbconcord.model.joint_forces import list_bodies
from mbconcord.model.numbers import Instance
from mbconcord.model.transformation import Frame
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

from ..cli.commands import Run, runner

FOLDER = Path(__file__).parent / "reactions"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
CASES = {case["model"].partition(".")[0]: case for case in EXPECTED["cases"]}
#: Of the largest number of a case.
TOLERANCE = 1e-9
#: Formalisms with joint forces of closed models.
CLOSED = ("lagrange", "newton_euler", "virtual_work", "konoplev")
ASKED = ("--formalism", "lagrange", "--quantity", "joint_forces")

run = pytest.fixture(runner)


@cache
def give(name: str, by: str) -> Any:
    """Evaluate a case once for all tests that look at it."""
    case = CASES[name]
    state, asked = mb.State.from_json(case["state"]), ["joint_forces"]
    asked += [quantity for quantity in ("cut_forces", "ground") if quantity in case and name != "beam_on_a_cart"]
    return mb.evaluate(FOLDER / case["model"], state, formalism=by, quantities=asked, hold=case["hold"], witness=False)


def takes(name: str, by: str) -> bool:
    system, one = mb.read(FOLDER / CASES[name]["model"]).system, formalism(by)
    return by in CLOSED if system.constraints else not one.obstacles(system)


TAKEN = [(name, by) for name in CASES for by in BUILT_IN if takes(name, by)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "by"), TAKEN)
def test_forces_are_those_of_the_vectors(name: str, by: str) -> None:
    case, found = CASES[name], give(name, by)
    for quantity, rows in (
        ("joint_forces", list_bodies(found.given.system)),
        ("cut_forces", case.get("cut_forces", ())),
    ):
        if quantity in found:
            expected = np.array([case[quantity][row] for row in rows], dtype=float).reshape(-1, 6)
            size = max(np.nanmax(np.abs(expected), initial=0.0), 1.0)
            np.testing.assert_allclose(found[quantity], expected, rtol=0, atol=TOLERANCE * size)


@pytest.mark.slow
def test_what_is_open_is_judged_in_the_axes_that_are_asked_for() -> None:
    """Loads are shared in any way along the cranks alone: across them all witnesses have numbers, not along the bar."""
    case, model = CASES["three_cranks"], mb.read(FOLDER / "three_cranks.mbs.json").system
    mid, end = model.constraints
    assert isinstance(mid, PointCoincidence) and isinstance(end, PointCoincidence)
    turned = PointCoincidence("mid", mid.second, mid.first)  # acts on the bar, in its axes: along them all is open
    cranked = Frame("right", (translation("x", 0.4), rotation("z", "e")))
    joined = FrameCoincidence("end", cranked, Frame("bar", (translation("x", 1),)))
    system = replace(model, constraints=(turned, joined))
    state = mb.State.from_json(case["state"])
    found = joint_forces(system, Instance(system, [state]), formalism("virtual_work"), "carrier")
    across = case["cut_forces"]["mid"][1]
    bar, places = found.bodies.index("bar"), [name for name, *_ in found.cuts]
    assert {"lagrange", "newton_euler", "konoplev", "static_moments", "flexible", "bodies"} < {*found.by}
    for six in (*(x[0, bar] for x in found.by.values()), *(x[0, places.index("mid")] for x in found.at_cuts.values())):
        assert six[1] == pytest.approx(-across, rel=TOLERANCE) and np.isnan(six[[0, 2]]).all() and abs(six[5]) < 1e-12
    for x in found.at_cuts.values():
        assert x[0, places.index("end"), 1] == pytest.approx(-across, rel=TOLERANCE)
    assert found.agree and "joint_forces" in {c.quantity for c in found.comparisons}
    (told,) = (d.message for d in found.findings if d.place == "bodies/bar/joint")
    assert told.startswith("Fx, Fz, Mx, My not determined")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CASES if name != "beam_on_a_cart"])
def test_the_ground_holds_the_machine(name: str) -> None:
    expected = np.array(CASES[name]["ground"])
    found = give(name, "virtual_work")["ground"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * max(1.0, np.abs(expected).max()))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "by"), TAKEN)
def test_the_motion_is_named_with_its_accelerations_and_efforts(name: str, by: str) -> None:
    case, motion = CASES[name], give(name, by).motion
    assert {key: sorted(getattr(motion, key)) for key in case["motion"]} == {
        k: sorted(x) for k, x in case["motion"].items()
    }
    names = motion.system.coordinate_names
    a, u = (dict(zip(names, x[0], strict=True)) for x in (motion.acceleration, motion.effort))
    size = max([1.0, *map(abs, case["acceleration"].values())])
    assert a == pytest.approx(case["acceleration"], rel=0, abs=TOLERANCE * size)
    size = max([1.0, *(abs(x) for six in case["joint_forces"].values() for x in six if x is not None)])
    assert {n: x for n, x in u.items() if n in motion.driven} == pytest.approx(
        case["effort"], rel=0, abs=TOLERANCE * size
    )


def test_every_formalism_with_joint_forces_is_asked() -> None:
    assert {by for _, by in TAKEN} == {*BUILT_IN} and {name for name, _ in TAKEN} == {*CASES}
    assert {by for name, by in TAKEN if name == "bracket"} == {*BUILT_IN}
    assert {by for name, by in TAKEN if name == "beam_on_a_cart"} == {"lagrange", "virtual_work", "flexible"}
    assert {by for name, by in TAKEN if name == "flywheel"} == {"lagrange", "virtual_work", "konoplev"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rod_released", "cart_given", "four_bar_held", "given_in_part"])
def test_the_head_names_the_motion(run: Run, name: str) -> None:
    case = CASES[name]
    Path("state.json").write_text(json.dumps(case["state"]), encoding="utf-8")
    words = ["evaluate", str(FOLDER / case["model"]), "--formalism", "newton_euler", "--quantity", "joint_forces", "-q"]
    words += ["--state", "state.json", *(["--hold", ",".join(case["hold"])] if case["hold"] else [])]
    head = next(line for line in run(*words).out.splitlines() if line.startswith("motion: "))
    first = {
        "rod_released": "motion: free  (q'' = -8.91818)",
        "cart_given": "motion: imposed: x; free: q  (x'' = 2, q'' = -5.85757; effort x: 3.85287)",
        "four_bar_held": "motion: held: a; the others as forces and constraints make them  (",
        "given_in_part": "motion: imposed: q2; given: q3; free: q1  (",
    }
    assert head.startswith(first[name])
    told = run(*words, "--json").json["joint_forces"]
    own = {key: [*x] if key != "constrained" else x for key, x in told["motion"].items()}
    assert own == {**case["motion"], "constrained": name == "four_bar_held"}
    assert told["effort"] == pytest.approx(case["effort"], abs=1e-9)


def test_hold_all_is_statics() -> None:
    found = mb.evaluate(
        FOLDER / "rod_driven.mbs.json",
        formalism="newton_euler",
        q=[0.0],
        v=[0.0],
        quantities="joint_forces",
        hold="all",
    )
    assert found["joint_forces"][0] == pytest.approx([0, 9.81, 0, 0, 0, 9.81]) and str(found.motion) == "held: q"
    assert "motion: held: q" in repr(found)


def test_the_effort_of_a_held_motor_is_told_beside_its_own(run: Run) -> None:
    Path("state.json").write_text('{"q": {"q": 0.6}, "v": {"q": 2}}', encoding="utf-8")
    words = ("evaluate", str(FOLDER / "rod_driven.mbs.json"), "--formalism", "lagrange", "--hold", "q", "-q")
    words += ("--state", "state.json")
    assert "effort q: 8.89654 (3.89654 beside its own 5)" in run(*words).out


def test_acceleration_and_effort_are_of_the_motion_that_is_held() -> None:
    found = mb.evaluate(FOLDER / "cart_given.mbs.json", t=1.0, hold="q", quantities=["acceleration", "effort"])
    assert found["acceleration"] == pytest.approx([2.0, 0.0])
    assert np.all(np.abs(found["effort"]) > 0.1)


REFUSED = [
    ("double_pendulum", {"hold": "z"}, "hold: error: there is no coordinate 'z'"),
    (
        "given_in_part",
        {"hold": "q3", "a": {"q3": 1.0}},
        "the state gives the acceleration of q3 .*leave one of both out",
    ),
    ("prescribed_spin", {"hold": "arm"}, "arm is moved by a formula of t"),
    (
        "four_bar",
        {"hold": "all"},
        "a, b, c cannot all be held, given or imposed: the machine has 1 degree of freedom .*leave 2",
    ),
    ("four_bar", {"driven": ["a"]}, "the state gives no acceleration of a"),
]


@pytest.mark.parametrize(("name", "options", "message"), REFUSED)
def test_refusals(name: str, options: dict[str, Any], message: str) -> None:
    q = CASES[name]["state"]["q"]
    with pytest.raises(MbconcordError, match=message):
        mb.evaluate(FOLDER / f"{name}.mbs.json", q, formalism="newton_euler", quantities="joint_forces", **options)


def test_a_choice_of_accelerations_that_nothing_depends_on_is_refused(run: Run, tmp_path: Path) -> None:
    """It was ignored."""
    file, at = FOLDER / "four_bar.mbs.json", {"q": CASES["four_bar"]["state"]["q"], "a": {"a": 1.0}}
    body = mb.read(file).system.bodies[0].name
    said = "driven: error: it chooses the motion of joint forces and of accelerations of bodies, and none of them"
    for quantities in (None, "M", "acceleration"):
        with pytest.raises(MbconcordError, match=said):
            mb.evaluate(file, **at, formalism="newton_euler", driven="a", quantities=quantities)
    for remedy in ("joint_forces", f"acceleration({body})"):
        mb.evaluate(file, **at, formalism="newton_euler", driven="a", quantities=remedy)
    given = tmp_path / "state.json"
    given.write_text(json.dumps(at))
    words = ("evaluate", str(file), "--state", str(given), "--driven")
    refused = run(*words, "a", "--formalism", "newton_euler")
    assert refused.code == 2 and f"--{said}" in refused.err
    for by in ("newton_euler", "telegin"):
        other = run(*words, "b", "--formalism", by, "--quantity", "joint_forces")
        assert other.code == 2 and "the state gives no acceleration of b" in other.err
    both = run(*words, "a", "--formalism", "telegin", "--drive", "a=1,0,0")
    assert both.code == 2 and "--driven: error: --drive says what is driven" in both.err


def test_accelerations_at_some_states_only_are_refused() -> None:
    states = [mb.State(a={"q1": 1.0}), mb.State()]
    with pytest.raises(MbconcordError, match="state/a/q1: error: given at some of the states only"):
        mb.evaluate(FOLDER / "double_pendulum.mbs.json", states, formalism="newton_euler", quantities="joint_forces")


def test_a_state_that_contradicts_a_drive_is_taken_with_a_warning() -> None:
    found = mb.evaluate(
        FOLDER / "cart_given.mbs.json", a={"x": 3.0}, formalism="newton_euler", quantities="joint_forces"
    )
    assert "3, and the drive of x imposes 1.5: the state's is taken" in [d.message for d in found.diagnostics]
    assert found.motion.acceleration[0, 0] == 3.0


def test_a_top_upright_has_no_motion_and_says_what_to_hold() -> None:
    model = FOLDER / "top.mbs.json"
    found = mb.evaluate(model, {"n": 0.0}, formalism="newton_euler", quantities="joint_forces")
    assert np.isnan(found["joint_forces"]).all()
    assert any("or hold it: --hold " in d.remedy for d in found.diagnostics if d.severity == "error")


def test_compiled_joint_forces_need_accelerations() -> None:
    compiled = mb.compile(FOLDER / "rod_released.mbs.json", "joint_forces", "newton_euler")
    with pytest.raises(MbconcordError, match="a: error: joint forces are functions of q''"):
        compiled([0.0], [0.0])


MOTIONS = ["double_pendulum", "four_bar", "four_bar_imposed", "dry_friction", "cart_given", "prescribed_spin"]


@pytest.mark.slow
@pytest.mark.parametrize("name", MOTIONS)
def test_along_a_run_forces_are_those_of_its_rows(name: str) -> None:
    case, model = CASES[name], FOLDER / f"{name}.mbs.json"
    start = mb.State.from_json(case["state"])
    made = mb.simulate(model, start.t + 0.05, q=start, step_out=0.01, forces=True)
    bodies = list_bodies(mb.read(model).system)
    columns = [[made.forces[f"joint_forces[{b}, {c}]"] for c in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")] for b in bodies]
    along = np.moveaxis(np.array(columns), 2, 0)
    expected = np.array([case["joint_forces"][body] for body in bodies], dtype=float)
    size = np.nanmax(np.abs(expected))
    slipping = 1e-6 if name == "dry_friction" else TOLERANCE  # v/√(v² + slip²) of a run is not quite sign(v)
    np.testing.assert_allclose(along[0], expected, rtol=0, atol=slipping * size)
    for given in (made, made.to_frame()):
        found = mb.evaluate(model, given, formalism="newton_euler", quantities="joint_forces")
        np.testing.assert_allclose(found["joint_forces"], along, rtol=0, atol=TOLERANCE * size)
        assert (
            "free" in str(found.motion)
            or "imposed" in str(found.motion)
            or str(found.motion).startswith("as the states give it, which is the model's own")
        )
    assert all(c.verdict == "agrees" for c in made.witnesses if c.quantity == "joint_forces")


def test_what_a_smoothed_run_needs_besides_is_told() -> None:
    start = mb.State.from_json(CASES["dry_friction"]["state"])
    made = mb.simulate(FOLDER / "dry_friction.mbs.json", start.t + 0.02, q=start, slip=0.1, forces=True)
    assert any("along s besides the model's own: the run smoothed friction" in d.message for d in made.diagnostics)


@pytest.mark.slow
def test_along_a_given_motion_the_driven_coordinates_are_given(run: Run) -> None:
    case = CASES["four_bar_imposed"]
    start, model = mb.State.from_json(case["state"]), FOLDER / "four_bar.mbs.json"
    import pandas

    a, v, rate = start.q["a"], start.v["a"], case["acceleration"]["a"]
    table = pandas.DataFrame({"t": [0.0, 0.1], "a": [a, a], "a'": [v, v], "a''": [rate, rate]})
    made = mb.simulate(model, motion=table, q=start, forces=True)
    expected = [np.nan if x is None else x for x in case["joint_forces"]["crank"]]
    found = [made.forces[f"joint_forces[crank, {c}]"][0] for c in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)
    again = mb.evaluate(model, made, formalism="newton_euler", quantities="joint_forces")
    assert str(again.motion).startswith("given: a")
    np.testing.assert_allclose(again["joint_forces"][0, 0], expected, rtol=0, atol=1e-7)


def test_welds_and_joints_by_time_agree_on_the_command_line(run: Run) -> None:
    for name, told in (("bracket", "motion: none, nothing moves"), ("shaken_pivot", "; as formulas of t say: slide")):
        done = run("evaluate", str(FOLDER / f"{name}.mbs.json"), *ASKED, "-q")
        assert done.code == 0 and told in done.out
        assert "lagrange, newton_euler, virtual_work, konoplev, static_moments, telegin, flexible, bodies, " in done.out


def test_a_tool_frame_bears_nothing(run: Run) -> None:
    Path("tool.mbsd").write_text("z(q1) i(0.5) $2 > i(0.3) $(0) g9.81-y", encoding="utf-8")
    done = run("evaluate", "tool.mbsd", *ASKED, "-q", "--read", "physics=ignore")
    assert "nothing is borne by: body2" in done.out, done


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_formalisms_with_opened_joints_agree_with_native_ones_and_the_sums(seed: int) -> None:
    """Random trees with welds, prescribed joints and every kind of load, a part of the coordinates held."""
    drawn = draw(random_system(seed, 3), 2, seed)
    system = drawn.system
    states = [replace(state, a={}) for state in drawn.states]
    hold = [c.name for i, c in enumerate(system.coordinates) if (seed + i) % 3 == 0]
    moving = choose_motion(system, states, formalism("newton_euler"), hold)
    evaluation = formalism("newton_euler").evaluate(moving.system, moving.states)
    moving = moving.solve(formalism("newton_euler"), evaluation, None)
    found = joint_forces(system, Instance(moving.system, moving.states), formalism("lagrange"), moving=moving)
    assert {*found.by} == {*BUILT_IN} and found.by["lagrange"].shape[1] == len(system.bodies)
    assert [c for c in found.comparisons if c.verdict != "agrees"] == []


def cut_off_origin(name: str) -> Any:
    """Make a closed fixture whose cuts coincide at frames off the second bodies' origins, turned from their axes."""
    closed = cut_fixture(name)
    off = (translation("x", 0.3), rotation((1, 2, 2), 0.7))
    cuts = tuple(
        replace(c, **{end: replace(x, transformations=(*x.transformations, *off)) for end, x in ends.items()})
        for c in closed.system.constraints
        for ends in ({"first": c.first, "second": c.second},)
    )
    return replace(closed, system=replace(closed.system, constraints=cuts))


LOOPS = {
    **{name: (cut_fixture, name) for name in ("slider_crank", "universal_joint")},
    **{f"{name} off": (cut_off_origin, name) for name in ("slider_crank", "universal_joint")},
    **{f"{make.__name__}_{i}": (make, i) for make in (closed_tree, cut_tree, closed_linkage) for i in range(2)},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_multipliers_of_opened_joints_are_the_native_forces_of_closed_models(name: str) -> None:
    make, which = LOOPS[name]
    closed = make(which)  # type: ignore[operator]
    states = closed.assembly.states
    one, other = (formalism(by).forces_with_constraints(closed.system, states) for by in ("lagrange", "virtual_work"))
    assert one is not None and other is not None
    for a, b in ((one.at_joints, other.at_joints), (one.at_cuts, other.at_cuts)):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-7 * (1 + np.nanmax(np.abs(b), initial=0.0)))


def judge(name: str, **change: Any) -> set[str]:
    """Names of the witnesses that contradict forces of a motion that is changed."""
    system, by = mb.read(FOLDER / CASES[name]["model"]).system, formalism("newton_euler")
    moving = choose_motion(system, [mb.State.from_json(CASES[name]["state"])], by, CASES[name]["hold"])
    moving = moving.solve(by, by.evaluate(moving.system, moving.states), None)
    moving = replace(moving, **{key: x(getattr(moving, key)) for key, x in change.items()})
    found = joint_forces(system, Instance(moving.system, moving.states), by, moving=moving)
    assert {"bodies", "balance", "efforts"} < {x for c in found.comparisons for x in (c.a, c.b)}
    return {c.b for c in found.comparisons if c.verdict == "disagrees"}


SPOILED = {
    "no accelerations": {"acceleration": lambda a: 0 * a},
    "accelerations a little off": {"acceleration": lambda a: a * (1 + 1e-6)},
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", SPOILED)
@pytest.mark.parametrize("name", ["arm_in_space", "cart_given", "double_pendulum", "geared_rotor", "prescribed_spin"])
def test_forces_of_another_motion_are_noticed_by_efforts_and_the_balance(name: str, fault: str) -> None:
    """The sums over the bodies and the formalisms agree at any accelerations."""
    assert judge(name) == set()
    seen = judge(name, **SPOILED[fault])
    if np.any(list(CASES[name]["acceleration"].values())):
        assert seen == {"efforts", "balance"}


def test_an_effort_that_is_not_of_the_motion_is_noticed() -> None:
    assert judge("cart_given", effort=lambda u: 0 * u) == {"efforts"}
    assert judge("rod_driven", own=lambda u: 0 * u) == {"efforts"}


@pytest.mark.slow
@pytest.mark.parametrize("component", range(6))
def test_a_wrong_force_is_noticed_by_the_balance(monkeypatch: pytest.MonkeyPatch, component: int) -> None:
    honest = formalism("newton_euler").joint_forces

    def wrong(system: Any) -> Any:
        *joints, last = honest(system)
        return (*joints, tuple(x * (1.001 if i == component else 1) + (i == component) for i, x in enumerate(last)))

    monkeypatch.setattr(formalism("newton_euler"), "joint_forces", wrong, raising=False)
    system = mb.read(FOLDER / "arm_in_space.mbs.json").system
    states = [mb.State.from_json(CASES["arm_in_space"]["state"])]
    found = joint_forces(system, Instance(system, states), formalism("newton_euler"))
    wrong_ones = [(c.a, c.b) for c in found.comparisons if c.verdict == "disagrees"]
    assert ("newton_euler", "balance") in wrong_ones and ("newton_euler", "bodies") in wrong_ones
    assert not any("newton_euler" not in pair for pair in wrong_ones)


ELSEWHERE = [(i, by) for i, _ in enumerate(EXPECTED["efforts_elsewhere"]) for by in CLOSED]


@pytest.mark.parametrize(("which", "by"), ELSEWHERE)
def test_efforts_elsewhere_than_at_what_is_driven(which: int, by: str) -> None:
    case = EXPECTED["efforts_elsewhere"][which]
    state = replace(mb.State.from_json(case["state"]), a=case["driven"])
    asked = {"formalism": by, "quantities": ["joint_forces"], "actuated": case["actuated"]}
    if "refused" in case:
        with pytest.raises(MbconcordError, match=case["refused"].partition(":")[0]):
            mb.evaluate(FOLDER / case["model"], state, **asked)
        return
    found = mb.evaluate(FOLDER / case["model"], state, **asked)
    size = max(map(abs, case["effort"].values()))
    efforts = {name: x[0] for name, x in found.motion.actuated.items()}
    assert efforts == pytest.approx(case["effort"], rel=0, abs=TOLERANCE * size)
    a = dict(zip(found.coordinates, found.motion.acceleration[0], strict=True))
    assert a == pytest.approx(case["acceleration"], rel=0, abs=TOLERANCE * max(1.0, *map(abs, a.values())))
    if "joint_forces" in case:
        expected = np.array(list(case["joint_forces"].values()), dtype=float)
        np.testing.assert_allclose(
            found["joint_forces"], expected, rtol=0, atol=TOLERANCE * np.nanmax(np.abs(expected))
        )
    assert not [d for d in found.diagnostics if d.severity == "error"]


@pytest.mark.slow
def test_actuated_on_the_command_line(run: Run) -> None:
    case = EXPECTED["efforts_elsewhere"][0]
    state = {**case["state"], "a": case["driven"]}
    Path("state.json").write_text(json.dumps(state), encoding="utf-8")
    words = ["evaluate", str(FOLDER / case["model"]), *ASKED, "--state", "state.json", "--actuated", "a", "-q"]
    done = run(*words)
    assert done.code == 0
    assert "motion: given: c; by efforts of: a; the others as forces and constraints make them  (" in done.out
    assert [line.split()[-1] for line in done.out.splitlines()[5:9] if line[:1] in "abc"][-3:] == ["0.0", "0.0", "2.0"]
    assert "effort a: 0.976764)" in done.out and ", efforts agree to" in done.out
    assert run(*words, "--json").json["joint_forces"]["effort"] == pytest.approx(case["effort"])


@pytest.mark.parametrize("by", CLOSED)
def test_the_effort_of_an_imposed_crank_is_the_multiplier_of_its_row(by: str) -> None:
    """The open tree would have another, 0.38982 N m, which contradicts the printed accelerations."""
    case = CASES["four_bar_imposed"]
    found = mb.evaluate(FOLDER / case["model"], mb.State.from_json(case["state"]), formalism=by)
    assert found["effort"] == pytest.approx([case["effort"]["a"], 0, 0], abs=1e-12)
    assert {c.verdict for c in found.witnesses} <= {"agrees", "not checked"}


@pytest.mark.parametrize("by", CLOSED)
def test_an_effort_beside_a_gear_is_that_of_its_power(by: str) -> None:
    """Wheels of 1 kg m², p = 2 q: for q'' = 3 the torque along p is (4 + 1) 3 / 2, and that joint bears it alone."""
    wheels = (
        mb.Mechanism("gear").body("a", mass=1, inertia=(1, 1, 1)).turns("p", about="z")
        .body("b", mass=1, inertia=(1, 1, 1)).turns("q", about="z").build()
    )  # fmt: skip
    geared = replace(wheels, constraints=(Holonomic("gear", symbol("p") - 2 * symbol("q")),))
    asked, given = ["joint_forces", "effort"], {"driven": ["q"], "actuated": ["p"], "witness": False}
    found = mb.evaluate(geared, [0, 0], [0, 0], a=[6, 3], formalism=by, quantities=asked, **given)
    assert found["effort"] == pytest.approx([7.5, 0], abs=1e-9)
    assert found["joint_forces"][:, 5] == pytest.approx([6, 3], abs=1e-9)


def test_who_takes_no_constraints_of_elastic_bodies_says_who_does() -> None:
    with pytest.raises(MbconcordError, match="lagrange or virtual_work takes this model"):
        mb.evaluate(folder() / "elastic" / "slider_crank.mbs.json", formalism="flexible", quantities="joint_forces")
