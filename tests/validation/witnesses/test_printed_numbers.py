"""Witnesses of what walking, animations, base parameters and assembly print: right ones agree, wrong ones do not."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.api import moving
from mbconcord.api import walk as walking
from mbconcord.api.printed import compare_printed
from mbconcord.cli import assemble as assemble_cli
from mbconcord.cli import evaluate as evaluate_cli
from mbconcord.cli import main
from mbconcord.cli.io import json_files
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.model import State
from mbconcord.model.derivatives import DERIVED
from mbconcord.model.diagnostics import DisagreementError, FormalismError
from mbconcord.model.expressions import as_expression
from mbconcord.model.notation.simplification import simplify
from mbconcord.reports import description
from mbconcord.reports.animation import times
from mbconcord.reports.equations import render
from mbconcord.simulation import assembly, continuation, keeping, levenberg_marquardt
from mbconcord.simulation.keeping import place_state
from mbconcord.validation.judge.exact import base_parameters
from mbconcord.validation.judge.exact.base_parameters import Base
from mbconcord.validation.witnesses.assembly import check_assembly
from mbconcord.validation.witnesses.base import check_base
from mbconcord.validation.witnesses.evaluated import check_numbers
from mbconcord.validation.witnesses.tracks import BEGIN, check_page
from mbconcord.validation.witnesses.walking import PrintedStance, check_walk
from tests.fixture_models import MODELS

from .test_run import broken

FIXTURES = Path(str(folder()))
QUADRUPED = mb.read(FIXTURES / "tp/quadruped.tp.csv").system
FOUR_BAR = mb.read(FIXTURES / "mbsd/four_bar.mbsd").system

BODY = """<link name="{}"><inertial><origin xyz="0.1 0.02 0.03"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.12" izz="0.11" ixy="0.01" ixz="0.002" iyz="0.003"/></inertial></link>"""
#: The second axis is parallel to the first where the angle is a right one.
LEANING = f"""<robot name="two"><link name="base"/>{BODY.format("one")}{BODY.format("two")}
<joint name="a" type="continuous"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/></joint>
<joint name="b" type="continuous"><parent link="one"/><child link="two"/><origin xyz="0.3 0 0" rpy="{{angle}} 0 0"/>
  <axis xyz="0 1 0"/></joint></robot>"""


def stance(change: dict[str, object]) -> list[str]:
    """Verdicts of a stance of the quadruped with other numbers than were found."""
    name, made = walking.walker(QUADRUPED)
    state = State(q={"q1": 0.2, "q2": 0.1, "q5": 0.3})
    (found, *_) = walking.walk(QUADRUPED, made, name, walking.steps_of(QUADRUPED, made, state)).stances
    none = (0.0, (0.0, 0.0, 0.0))
    printed = PrintedStance(
        "all stand", state, (1, 2, 3, 4), (none, none), found.mass, found.centre, found.plumb, found.margin,
        (1, 2, 3, 4),
    )  # fmt: skip
    printed = replace(printed, **change)  # type: ignore[arg-type]
    bodies = [leg.foot for leg in made.legs]
    compared = check_walk(QUADRUPED, bodies, (0.0, 0.0, 0.0), ("x", "z"), [printed])
    return [c.quantity for c in compared if c.verdict == "disagrees"]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"mass": 23.999}, ["mass"]),
        ({"centre": (0.0, 0.0, 0.0)}, ["mass centre"]),
        ({"plumb": (0.0, 0.001)}, ["plumb point"]),
        ({"margin": 0.1}, ["margin"]),
        ({"standing": (1, 2, 3)}, ["standing", "margin"]),
        ({"feet": {1: (9.0, 9.0, 9.0)}}, ["feet"]),
    ],
)
def test_a_stance_is_judged_by_the_fields(change: dict[str, object], wrong: list[str]) -> None:
    assert stance(change) == wrong


def test_the_margin_is_the_same_outside_of_the_polygon_and_of_two_feet() -> None:
    name, made = walking.walker(QUADRUPED)
    steps = walking.steps_of(QUADRUPED, made, State())
    steps = (*steps, walking.WalkStep("row 2", 0.0, State(), (1, 3)), walking.WalkStep("row 3", 0.0, State(), (2,)))
    found = walking.walk(QUADRUPED, made, name, steps)
    margin = next(c for c in found.witnesses if c.quantity == "margin")
    assert margin.verdict == "agrees" and {s.margin > 0 for s in found.stances} == {True, False}


@pytest.mark.parametrize(
    "model", ["mbsd/branched.mbsd", "native/universal_joint.mbs.json", "elastic/soft_arm.mbs.json"]
)
def test_a_point_that_is_drawn_elsewhere_is_seen(model: str) -> None:
    system, t = mb.read(FIXTURES / model).system, np.linspace(0.0, 1.0, 4)
    q = np.sin(np.outer(t + 1.0, np.arange(1, len(system.coordinates) + 1)))
    html = mb.animate(system, q, t=t).html
    assert {c.verdict for c in check_page(system, html, t, q, {})} == {"agrees"}
    head, _, rest = html.partition(BEGIN)
    field, _, after = rest.partition('"points":"')
    points = np.frombuffer(b64decode(after.partition('"')[0]), dtype="<f4").copy()
    moved = b64encode((points + np.float32(0.01)).tobytes()).decode()
    wrong = head + BEGIN + field + f'"points":"{moved}"' + after.partition('"')[2]
    assert "disagrees" in {c.verdict for c in check_page(system, wrong, t, q, {})}


def turn_view(found: dict[str, Any]) -> None:
    found["axes"] = [found["axes"][i] for i in (1, 2, 0)]


def lift_view(found: dict[str, Any]) -> None:
    found["flat"] = not found["flat"]


def lose_axis(found: dict[str, Any]) -> None:
    next(j for j in found["joints"] if j[2] is not None)[2] = None


def lose_closure(found: dict[str, Any]) -> None:
    found["joints"] = [j for j in found["joints"] if j[0] != "closure"]


def drive_joint(found: dict[str, Any]) -> None:
    found["joints"][0][4] = 1


def slide_joint(found: dict[str, Any]) -> None:
    joint = found["joints"][0]
    joint[0] = "rotation" if joint[0] == "translation" else "translation"


def move_closure(found: dict[str, Any]) -> None:
    found["fixed"].append([0.3, 0.0, 0.4])
    next(j for j in found["joints"] if j[0] == "closure")[1] = -len(found["fixed"])


@pytest.mark.parametrize(
    ("model", "wrong"),
    [
        *((model, wrong) for model in ("mbsd/four_bar.mbsd", "mjcf/hopper.xml", "tp/polar.tp.csv", "sdf/press.sdf")
          for wrong in (turn_view, lift_view, drive_joint, slide_joint)),
        *(("mjcf/linkage.xml", wrong) for wrong in (lose_axis, lose_closure, move_closure)),
        ("mjcf/hopper.xml", lose_axis), ("tp/polar.tp.csv", lose_axis), ("mbsd/four_bar.mbsd", lose_closure),
        ("native/block_on_incline.mbs.json", turn_view),
    ],
)  # fmt: skip
def test_another_view_and_other_joints_are_seen(model: str, wrong: Callable[[dict[str, Any]], None]) -> None:
    """Tell a wrong plane, a joint drawn as a point or of another kind, a closure elsewhere; the rest agrees."""
    system, t = mb.read(FIXTURES / model).system, np.linspace(0.0, 1.0, 4)
    q = np.sin(np.outer(t + 1.0, np.arange(1, len(system.coordinates) + 1)))
    head, _, rest = mb.animate(system, q, t=t).html.partition(BEGIN)
    text, end, after = rest.partition("</script>")
    found = json.loads(text)
    wrong(found)
    html = head + BEGIN + json.dumps(found) + end + after
    assert "disagrees" in {c.verdict for c in check_page(system, html, t, q, {})}


def test_frames_between_rows_are_not_checked_and_go_on_from_row_to_row(monkeypatch: pytest.MonkeyPatch) -> None:
    run = mb.simulate(FIXTURES / "mbsd/double_pendulum.mbsd", 0.1)
    said = "not checked: what is between rows of a page"
    assert said in run.animate().html
    few = mb.read(FIXTURES / "mbsd/double_pendulum.mbsd").system
    assert said not in mb.animate(few, [[0.1, 0.2]], t=[0.0]).html
    honest = times._subdivide

    def wrong(states: times.States, pieces: int) -> tuple[np.ndarray, np.ndarray]:
        t, q = honest(states, pieces)
        return t + 0.01 * (np.arange(len(t)) % pieces), q

    monkeypatch.setattr(times, "_subdivide", wrong)
    with pytest.raises(DisagreementError, match="expected times from row to row"):
        run.animate()


@pytest.mark.slow
@pytest.mark.parametrize("model", ["mbsd/gimbal.mbsd", "robots/ur5.mbsd", "native/slider_crank.mbs.json"])
def test_base_parameters_are_judged_at_states_of_their_own(model: str) -> None:
    system = mb.read(FIXTURES / model).system
    found = mb.base_parameters(system)
    assert {c.verdict for c in check_base(system, found)} == {"agrees"}
    fewer = replace(found, base=found.base[:-1])
    assert {c.quantity for c in check_base(system, fewer) if c.verdict == "disagrees"} >= {"rank", "regrouped columns"}


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "model", [*MODELS, "urdf/arm.urdf", "urdf/gripper.urdf", "sdf/station.sdf", "robots/panda.mbsd"]
)
def test_the_rank_of_every_fixture_has_a_witness_that_takes_no_rounding_for_a_column(model: str) -> None:
    system = mb.read(FIXTURES / model, physics="ignore").system
    if any(body.modes for body in system.bodies) or not system.coordinates:
        pytest.skip("base parameters are those of rigid bodies that move")
    able = ("newton_euler", "lagrange", "virtual_work")
    by = next(n for n in able if not registry.formalism(n).obstacles(system.open_loops()))
    found = mb.base_parameters(system, by, physics="ignore")
    unchecked = [c.explanation for c in check_base(system, found) if c.verdict != "agrees"]
    assert not [why for why in unchecked if why != "what is added has no number"]


@pytest.mark.slow
def test_text_of_base_parameters_in_python_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sign that the text has wrong is a disagreement, as of the command."""
    right = base_parameters._term
    monkeypatch.setattr(base_parameters, "_term", lambda c, name: right(-c, name))
    with pytest.raises(DisagreementError, match=r"found 'body1.Jzz \+ 4 body1.m', expected 'body1.Jzz - 4 body1.m'"):
        mb.base_parameters(mb.read(text="z j-2 $3 g9.81", format="mbsd"))


def test_names_with_blanks_and_signs_stand_in_sums_of_base_parameters() -> None:
    """A link of a URDF may be called so: the reader of the text ended in an internal error."""
    arm = mb.Mechanism("arm").gravity(y=-9.81).body("upper arm", mass=1).turns("a", about="z").shift(x=1)
    arm.body("x - 2 y", on="upper arm", mass=1).turns("b", about="z").shift(x=2)
    assert "upper arm.Jzz - upper arm.m - x - 2 y.m" in map(str, mb.base_parameters(arm).base)


def test_no_base_parameter_of_an_arm_hangs_on_rounding() -> None:
    found = mb.base_parameters(FIXTURES / "urdf/arm.urdf")
    system = mb.read(FIXTURES / "urdf/arm.urdf").system
    assert found.rank == 3 + 7 + 4  # a turn about a leaning axis, one about any other, a slide across it
    one_more = replace(found, base=(*found.base, Base("upper_arm.Jxx", {})))
    wrong = [c.quantity for c in check_base(system, one_more) if c.verdict == "disagrees"]
    assert wrong == ["idle parameters", "rank"]


#: Lines between the rank and the screen that are broken.
SUMS: dict[str, tuple[Callable[..., object], str, str]] = {
    "what acts is idle": (base_parameters.base_parameters, "if k not in used", "if k in used"),
    "what acts is idle too": (base_parameters.base_parameters, "for _, k in exact", "for k, _ in exact"),
    "a row too few in the table": (base_parameters.BaseParameters.list_terms, "for b in self.base",
                                   "for b in self.base[1:]"),
    "another coefficient in the table": (base_parameters.BaseParameters.list_terms, "Fraction(1)", "Fraction(2)"),
    "an empty line": (description._base_parameters, 'in found["base"]:', 'in [{"text": ""}, *found["base"]]:'),
}  # fmt: skip


@pytest.mark.parametrize("name", SUMS)
def test_a_broken_list_of_base_parameters_is_seen_by_the_command(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["info", str(FIXTURES / "mbsd/double_pendulum.mbsd"), "--base-parameters"]
    assert main(command) == 0
    broken(monkeypatch, *SUMS[name])
    assert main(command) == 1
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("written", ["1.570796", "1.5707963", "1.57079633", "1.5707963268", "1.5707963267948966"])
def test_a_rank_that_right_angles_in_digits_decide_is_refused_with_the_remedy(written: str) -> None:
    text = LEANING.format(angle=written)
    said = rf"8; bodies: [^:]*: {written} is not quite a right angle.*--read snap-angles"
    with pytest.raises(FormalismError, match=said):
        mb.base_parameters(mb.read(text=text, format="urdf"))
    assert mb.base_parameters(mb.read(text=text, format="urdf", snap_angles=True)).rank == 4
    assert mb.base_parameters(mb.read(text=LEANING.format(angle="0.3"), format="urdf")).rank == 8


def test_a_rank_that_almost_parallel_axes_decide_is_not_checked_and_no_disagreement() -> None:
    read = mb.read(text=LEANING.format(angle="1.5707962"), format="urdf")
    said = [c for c in check_base(read.system, mb.base_parameters(read)) if c.quantity == "rank"]
    assert [c.verdict for c in said] == ["not checked"] and "almost parallel" in said[0].explanation


@pytest.mark.parametrize("angle", ["1.5707962", "1.57"])
def test_a_rank_beyond_what_almost_parallel_axes_explain_is_an_error(angle: str) -> None:
    read = mb.read(text=LEANING.format(angle=angle), format="urdf")
    found = mb.base_parameters(read)
    spare = [x for x in found.parameters if x not in {b.parameter for b in found.base}]
    wrong = replace(found, base=(*found.base, *(Base(x, {}) for x in spare[:1])))
    assert [c.verdict for c in check_base(read.system, wrong) if c.quantity == "rank"] == ["disagrees"]


def test_a_coefficient_that_is_added_wrongly_is_seen() -> None:
    system = mb.read(text="z j-2 $3 g9.81", format="mbsd").system
    found = mb.base_parameters(system)
    first = replace(found.base[0], added={name: -(c or 0) for name, c in found.base[0].added.items()})
    wrong = replace(found, base=(first, *found.base[1:]))
    assert {c.verdict for c in check_base(system, found)} == {"agrees"}
    assert "regrouped columns" in {c.quantity for c in check_base(system, wrong) if c.verdict == "disagrees"}


def test_the_rank_and_the_gap_of_an_assembly_have_a_witness() -> None:
    state = State(q={"z1": 0.3})
    found = place_state(FOUR_BAR, state, frozenset({"z1"}))
    rank, gap = int(found.assembly.rank[0]), float(found.assembly.gaps[0])
    assert {c.verdict for c in check_assembly(FOUR_BAR, state, found, rank, gap, True)} == {"agrees"}
    less = check_assembly(FOUR_BAR, state, found, rank - 1, gap, True)
    assert [c.quantity for c in less if c.verdict == "disagrees"] == ["rank"]
    (open_one,) = (replace(s, q={**s.q, "z1": s.q["z1"] + 0.01}) for s in found.assembly.extended)
    wrong = replace(found, assembly=replace(found.assembly, extended=(open_one,)))
    off = [c.quantity for c in check_assembly(FOUR_BAR, state, wrong, rank, gap, True) if c.verdict == "disagrees"]
    assert "largest gap" in off


SPRINGS = mb.read(FIXTURES / "mbsd/springs.mbsd").system
AT = [State(0.5, {"z1": 0.3, "x1": 0.2, "z2": -0.4}, {"z1": 1.0, "x1": -2.0}, {"z1": 0.1, "x1": 0.2, "z2": 0.3})]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["M", "h", "gravity", "applied", "inverse_dynamics", "acceleration", *DERIVED])
def test_an_evaluated_number_is_judged_by_the_fields(name: str) -> None:
    values = {p.name: 1.5 for p in SPRINGS.parameters if p.value is None}
    states = [replace(AT[0], q={n: AT[0].q.get(n, 0.1) for n in SPRINGS.coordinate_names}, parameters=values)]
    quantities = {k: np.asarray(v) for k, v in mb.evaluate(SPRINGS, states).quantities.items()}
    slopes = mb.evaluate(SPRINGS, states, quantities=list(DERIVED), witness=False).quantities
    found = {k: x if x.shape[:1] == (1,) else x[None] for k, x in {**quantities, **slopes}.items()}
    assert {c.verdict for c in check_numbers(SPRINGS, "lagrange", states, found)} == {"agrees"}
    x = found[name].copy()
    x[np.unravel_index(np.abs(x).argmax(), x.shape)] += 0.05
    wrong = [
        c.quantity for c in check_numbers(SPRINGS, "lagrange", states, {**found, name: x}) if c.verdict != "agrees"
    ]
    assert len(wrong) == 1 and name in wrong[0]


def test_reactions_are_put_back_into_the_equations() -> None:
    found = mb.evaluate(FOUR_BAR, mb.assemble(FOUR_BAR)[0].state)
    assert {c.quantity for c in found.witnesses if c.verdict == "agrees"} >= {"M", "acceleration in M a + h"}
    state, own = found.given.states()[:1], {k: np.asarray(v)[None] for k, v in found.quantities.items()}
    wrong = {**own, "reactions": own["reactions"] + 1e-3}
    assert "disagrees" in {c.verdict for c in check_numbers(FOUR_BAR, "lagrange", state, wrong)}


@pytest.mark.parametrize("notation", ["text", "python", "c", "json"])
def test_printed_equations_are_read_back(notation: str) -> None:
    made = simplify(registry.formalism("newton_euler").derive(mb.read(FIXTURES / "mbsd/double_pendulum.mbsd").system))
    printed = render(made, [], notation)
    assert "numbers are the interpreter's" in compare_printed(made, [], made, printed, notation).message
    wrong = json.loads(json.dumps(printed).replace("sin(", "cos("))
    with pytest.raises(DisagreementError, match="the interpreter"):
        compare_printed(made, [], made, wrong, notation)


#: Lines between a given state and the one that is evaluated that are broken, and the command that has to say so.
GIVEN: dict[str, tuple[Callable[..., object], str, str, str]] = {
    "other numbers": (json_files.with_floats, "float(exact(", "2 * float(exact(", "--state s.json"),
    "no parameters": (evaluate_cli.run, "file.to_state(system) if", "replace(file.to_state(system), parameters={}) if",
                      "--state s.json --set a=2"),
    "another seed": (evaluate_cli.run, "draw_states(system, 1, arguments.seed)[0]",
                     "draw_states(system, 1, arguments.seed + 1)[0]", "--seed 3"),
    "a seed where there is a state": (evaluate_cli.arguments, "state = parser.add_mutually_exclusive_group()",
                                      "state = parser", "--seed 3 --state s.json"),
    "given accelerations": (moving.impose, "state.a[name] for", "2 * state.a[name] for",
                            "--state s.json --quantity joint_forces"),
    "what is held moves": (moving.impose, "Motion(ZERO)", "Motion(ONE)", "--hold z2 --quantity acceleration"),
    "what is assembled is another": (keeping._place, "(q - at.q)[0, :n]", "(q + at.q)[0, :n]",
                                     "--assemble --state s.json"),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_the_state_that_is_evaluated_is_the_given_one(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, right, wrong, options = GIVEN[name]
    monkeypatch.chdir(tmp_path)
    given = {"t": 0.5, "q": {"z1": 0.3}, "v": {"z2": -0.5}} | ({"a": {"z1": 2.0}} if "given" in name else {})
    text = "z i(a)$2 > z i1 $1 g9.81-y" if "parameters" in name else "z i1$2 > z i1 $1 g9.81-y"
    Path("m.mbsd").write_text(text if "assembled" not in name else (FIXTURES / "mbsd/four_bar.mbsd").read_text())
    Path("s.json").write_text(json.dumps(given | ({"parameters": {"a": 3.0}} if "parameters" in name else {})))
    command = ["evaluate", "m.mbsd", "--formalism", "newton_euler", *options.split()]
    assert main(command) == (2 if "seed where" in name else 0), capsys.readouterr().err
    monkeypatch.setitem(function.__globals__, "ONE", as_expression(1))
    broken(monkeypatch, function, right, wrong)
    assert main(command) == 1
    assert "e: error: " in capsys.readouterr().err


#: Lines of the assembly that are broken, by what the command prints of it, of a state that is regular or laid flat.
ASSEMBLED: dict[str, tuple[Callable[..., object], str, str, str]] = {
    "what is held moves": (levenberg_marquardt.weight_rows, "[:, :, None] * moving", "[:, :, None]", "bent"),
    "coordinates of --hold move": (keeping._free, "name not in kept", "name in kept or True", "hold"),
    "folded for regular": (assembly.regularity, "clear_around & (around == rank[dependent])", "~clear_around", "loop"),
    "regular for folded": (assembly.regularity, "dependent.size:", "False:", "flat"),
    "another word": (assemble_cli.print_text, "if found.regular", "if not found.regular", "bent"),
    "way with both ends": (continuation.Nearest.shifts.fget, "(after - before)", "(after + before)", "off"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ASSEMBLED)
def test_a_broken_assembly_is_seen_by_the_command(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, right, wrong, how = ASSEMBLED[name]
    state = tmp_path / "s.json"
    state.write_text(json.dumps({"q": {"z1": 0.0, "z2": 0.0} if how == "flat" else {"z1": 0.3}}), encoding="utf-8")
    verb = "evaluate --formalism lagrange" if how == "off" else "assemble"
    options = {"hold": ["--hold", "z2"], "off": ["--quantity", "acceleration", "--json"]}.get(how, [])
    command = [*verb.split(), str(FIXTURES / "mbsd/four_bar.mbsd"), "--state", str(state), *options]
    command = ["assemble", str(FIXTURES / "overconstrained/bricard.mbs.json")] if how == "loop" else command
    assert main(command) in ((0, 2) if how == "off" else (0,)), capsys.readouterr().err
    broken(monkeypatch, function, right, wrong)
    assert main(command) == 1
    assert "e: error: " in capsys.readouterr().err
