"""Poses, velocities, accelerations and Jacobians of bodies' frames through Python and the command line."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.cli.options.shared import split_names
from mbconcord.fixtures import folder
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.model import NamedPoint, Point, System
from mbconcord.model.diagnostics import FormalismError, NumbersError
from mbconcord.model.expressions import number, symbol
from mbconcord.model.kinematics import PointMotion

from ..cli.commands import Run, runner

#: Two bars of lengths 0.5 and 0.4 in a plane; frames are at their ends.
VECTORS = Path(__file__).parents[2].parent / "shared" / "specs" / "vectors" / "asked"
TEXT = "z(q1) i(0.5) $2 #upper > z(q2) i(0.4) $1 #hand g9.81-y"
ROD = "z(q1) i2 $1 #rod g9.81-y"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    made = runner(capsys, monkeypatch, tmp_path)
    Path("arm.mbsd").write_text(TEXT, encoding="utf-8")
    Path("state.json").write_text('{"q": {"q1": 0.3, "q2": 0.4}, "v": {"q1": 1, "q2": 2}}', encoding="utf-8")
    return made


def asked(text: str, *names: str, **numbers: object) -> mbconcord.results.Numbers:
    return mbconcord.evaluate(mbconcord.read(text=text, format="mbsd"), quantities=names, **numbers)  # type: ignore[arg-type]


def test_a_planar_arm_by_hand() -> None:
    names = ("position(hand)", "velocity(hand)", "velocity(hand, in=body)", "angular_velocity(hand)", "jacobian(hand)",
             "drift(hand)", "velocity(hand, in=upper)")  # fmt: skip
    found = asked(TEXT, *names, q=[0.3, 0.4], v=[1.0, 2.0])
    c, s, c12, s12 = math.cos(0.3), math.sin(0.3), math.cos(0.7), math.sin(0.7)
    v = [-0.5 * s - 3 * 0.4 * s12, 0.5 * c + 3 * 0.4 * c12, 0]
    expected = {
        "position(hand)": [0.5 * c + 0.4 * c12, 0.5 * s + 0.4 * s12, 0],
        "velocity(hand)": v,
        "velocity(hand, in=body)": [c12 * v[0] + s12 * v[1], c12 * v[1] - s12 * v[0], 0],
        "velocity(hand, in=upper)": [c * v[0] + s * v[1], c * v[1] - s * v[0], 0],
        "angular_velocity(hand)": [0, 0, 3],
        "jacobian(hand)": [[-0.5 * s - 0.4 * s12, -0.4 * s12], [0.5 * c + 0.4 * c12, 0.4 * c12],
                           [0, 0], [0, 0], [0, 0], [1, 1]],
        "drift(hand)": [-0.5 * c - 9 * 0.4 * c12, -0.5 * s - 9 * 0.4 * s12, 0, 0, 0, 0],
    }  # fmt: skip
    for name, numbers in expected.items():
        np.testing.assert_allclose(found[name], numbers, rtol=0, atol=1e-14, err_msg=name)
    witnesses = {c.b for c in found.witnesses}
    assert witnesses == {"direct", "newton_euler", "virtual_work", "konoplev"}
    assert {c.verdict for c in found.witnesses} == {"agrees"}
    assert len(found.witnesses) == len(names) * len(witnesses)


def test_a_point_off_the_origin_moves_as_a_body_welded_there() -> None:
    kinds = ("pose", "position", "velocity", "angular_velocity", "acceleration", "jacobian", "drift")
    at: dict[str, object] = {"q": [0.3, 0.4], "v": [1.0, 2.0]}
    found = asked(TEXT, *(f"{kind}(hand, [0.1, -0.2, 0.3])" for kind in kinds), **at)
    welded = asked(f"{TEXT} > i0.1 j-0.2 k0.3 $0 #tip", *(f"{kind}(tip)" for kind in kinds), **at)
    for kind in kinds:
        np.testing.assert_allclose(
            found[f"{kind}(hand, [0.1, -0.2, 0.3])"], welded[f"{kind}(tip)"], rtol=0, atol=1e-13, err_msg=kind
        )
    assert {c.verdict for c in found.witnesses} == {"agrees"}


def test_a_point_that_has_a_name_moves_as_a_body_welded_there() -> None:
    kinds = ("pose", "position", "velocity", "angular_velocity", "acceleration", "jacobian", "drift")
    arm = mbconcord.read(text=f"{TEXT}; l = 0.1", format="mbsd").system
    arm = replace(arm, points=(NamedPoint("tip, end", "hand", (symbol("l"), -2 * symbol("l"), number("0.3"))),))
    at: dict[str, object] = {"q": [0.3, 0.4], "v": [1.0, 2.0]}
    words = ['{}("tip, end")', '{}("tip, end", [0.1, 0, 0])', '{}("tip, end", in=body)', '{}(upper, in="tip, end")']
    welded = ["{}(tip)", "{}(tip, [0.1, 0, 0])", "{}(tip, in=body)", "{}(upper, in=tip)"]
    names = [word.format(kind) for word in words for kind in kinds]
    found = mbconcord.evaluate(arm, quantities=names, **at)  # type: ignore[arg-type]
    others = [word.format(kind) for word in welded for kind in kinds]
    expected = asked(f"{TEXT} > i0.1 j-0.2 k0.3 $0 #tip", *others, **at)
    for name, other in zip(names, others, strict=True):
        np.testing.assert_allclose(found[name], expected[other], rtol=0, atol=1e-13, err_msg=name)
    assert {c.verdict for c in found.witnesses} == {"agrees"}
    with pytest.raises(NumbersError, match=r"there is no body or point 'tip' \(did you mean 'tip, end'"):
        mbconcord.evaluate(arm, quantities="velocity(tip)", **at)  # type: ignore[arg-type]


@pytest.mark.skipif(not VECTORS.exists(), reason="the vectors of the specification stand beside the project")
def test_points_of_a_moving_gimbal_by_an_oracle_in_60_digits() -> None:
    expected = json.loads((VECTORS / "expected.json").read_text(encoding="utf-8"))["01_kinematics"]
    model = mbconcord.read(VECTORS / "01_kinematics.mbs.json").system
    names = [name for name in expected["values"] if "(" in name]
    state = expected["state"]
    at = {key: [state[key][name] for name in model.coordinate_names] for key in "qva"}
    found = mbconcord.evaluate(model, t=state["t"], quantities=names, **at)
    for name in names:
        wanted = expected["values"][name]
        np.testing.assert_allclose(found[name], wanted, rtol=0, atol=expected["tolerance"], err_msg=name)
    assert {c.verdict for c in found.witnesses} == {"agrees"}


def test_of_an_elastic_body_the_origin_alone_is_known() -> None:
    model = folder("elastic") / "nodal_tree.mbs.json"
    body = next(x.name for x in mbconcord.read(model).system.bodies if x.modes)
    q = [0.02 * i for i in range(9)]
    found = mbconcord.evaluate(model, quantities=f"velocity({body})", q=q, v=q)
    assert {c.verdict for c in found.witnesses} == {"agrees"}
    with pytest.raises(NumbersError, match="points besides the origin are not known"):
        mbconcord.evaluate(model, quantities=f"velocity({body}, [1, 0, 0])", q=q)


def test_acceleration_is_of_the_motion_that_happens_and_the_result_says_which() -> None:
    free = asked(ROD, "acceleration(rod)", q=[0.0], v=[3.0])
    np.testing.assert_allclose(free["acceleration(rod)"], [-18, -9.81, 0], rtol=1e-14)
    assert str(free.motion) == "free"
    given = asked(ROD, "acceleration(rod)", "angular_acceleration(rod)", q=[0.0], v=[3.0], a=[5.0])
    np.testing.assert_allclose(given["acceleration(rod)"], [-18, 10, 0], rtol=1e-14)
    np.testing.assert_allclose(given["angular_acceleration(rod)"], [0, 0, 5], rtol=1e-14)
    assert str(given.motion) == "as the states give it"
    held = asked(ROD, "acceleration(rod)", q=[0.0], v=[3.0], hold="q1")
    np.testing.assert_allclose(held["acceleration(rod)"], [-18, 0, 0], rtol=1e-14, atol=1e-14)


def test_without_inertia_there_are_velocities_and_no_accelerations() -> None:
    found = asked("z(q1) i2 $0 #rod", "velocity(rod)", "acceleration(rod)", q=[0.0], v=[3.0])
    np.testing.assert_allclose(found["velocity(rod)"], [0, 6, 0], atol=1e-14)
    assert np.isnan(found["acceleration(rod)"]).all()
    assert any(d.severity == "error" for d in found.diagnostics)


def test_many_states_have_an_axis_and_labels() -> None:
    q = np.linspace(0, 1, 14).reshape(7, 2)
    found = asked(TEXT, "pose(hand)", "velocity(hand)", "jacobian(hand)", q=q)
    assert found["pose(hand)"].shape == (7, 3, 4)
    assert found["jacobian(hand)"].shape == (7, 6, 2)
    pytest.importorskip("pandas", reason="pandas is not installed")
    columns = [str(name) for name in found.to_frame().columns]
    assert "pose(hand)[x, ex]" in columns and "pose(hand)[z, r]" in columns
    assert "velocity(hand)[y]" in columns
    assert "jacobian(hand)[wz, q2]" in columns


def test_closed_mechanisms_answer_by_their_open_tree() -> None:
    model = folder("native") / "slider_crank.mbs.json"
    found = mbconcord.evaluate(model, quantities=["velocity(rod)", "acceleration(rod)"], v=[1.0, 0.0, 0.0])
    assert found["velocity(rod)"].shape == (3,)
    assert {c.verdict for c in found.witnesses} <= {"agrees", "agrees, zero"}


class Wrong(Lagrange):
    """Lagrange, with the velocity of a point reversed."""

    def motions(self, system: System, points: Sequence[Point]) -> tuple[PointMotion, ...]:
        x: tuple[PointMotion, ...] = super().motions(system, points)
        return tuple(replace(each, v=(-each.v[0], -each.v[1], -each.v[2])) for each in x)


def test_a_wrong_sign_disagrees_with_everybody() -> None:
    found = asked(TEXT, "velocity(hand)", "position(hand)", q=[0.3, 0.4], v=[1.0, 2.0], formalism=Wrong())
    wrong = {c.quantity for c in found.witnesses if c.verdict == "disagrees"}
    assert wrong == {"velocity(hand)"}
    assert len([c for c in found.witnesses if c.verdict == "disagrees"]) == 4
    assert any(d.message.startswith("velocity(hand)") and d.severity == "error" for d in found.diagnostics)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("velocity(hnd)", "there is no body or point 'hnd' (did you mean 'hand'?"),
        ("velocity(hand, in=uper)", "there is no body or point 'uper' (did you mean 'upper'?"),
        ('velocity(hand, in="world")', "there is no body or point 'world' (write in=world without quotes)"),
        ("speed(hand)", "there is no quantity 'speed' of a body"),
        ("velocity(hand, of=3)", "there is no option 'of' (known: in)"),
        ("velocity(hand, [1, 2])", "'[1, 2]' is no point (write [x, y, z], in m along the body's axes)"),
        ("velocity(hand, [1, 2, nan])", "'[1, 2, nan]' is no point"),
        ("velocity(hand, [1e400, 0, 0])", "'[1e400, 0, 0]' is no point"),
        ("velocity(hand, upper)", "'upper' is no point"),
        ("poses", "there is none here (known: M, h, "),
        ("poses", ", pose(BODY), position(BODY), velocity(BODY), "),
    ],
)
def test_unknown_places_and_kinds_are_refused_with_what_is_similar(name: str, message: str) -> None:
    with pytest.raises(NumbersError) as caught:
        asked(TEXT, name)
    assert f"quantities/{name}" in str(caught.value)
    assert message in str(caught.value)


def test_a_word_that_is_a_body_too_is_refused_and_quotes_name_the_body() -> None:
    """`in=world` beside a body named world meant the fixed frame in silence, `in=body` beside one named body that."""
    for word, remedy in (("world", "leave it out for those of the world"), ("body", "in=hand for those of 'hand'")):
        text = TEXT.replace("#upper", f"#{word}")
        with pytest.raises(NumbersError) as caught:
            asked(text, f"velocity(hand, in={word})")
        message = f"in={word} may mean the body '{word}' too (write in=\"{word}\" for the axes of that body, {remedy})"
        assert message in str(caught.value)
        given: dict[str, object] = {"q": [0.3, 0.4], "v": [1.0, 2.0]}
        name = f'velocity("hand", in="{word}")'
        wanted = asked(TEXT, "velocity(hand, in=upper)", **given)["velocity(hand, in=upper)"]
        assert np.array_equal(asked(text, name, **given)[name], wanted)
    own = asked(TEXT.replace("#hand", "#body"), "velocity(body, in=body)", **given)["velocity(body, in=body)"]
    assert np.array_equal(own, asked(TEXT, "velocity(hand, in=body)", **given)["velocity(hand, in=body)"])
    with pytest.raises(NumbersError, match="there is no body or point 'world'"):
        asked(TEXT, 'velocity(hand, in="world")')


@pytest.mark.parametrize("body", ["arm, left", "arm)", "[1, 2", 'the "hand"', "in=world", "the hand (2)", "a\\", "M,h"])
def test_names_in_quotes_hold_commas_brackets_and_blanks(body: str) -> None:
    system = mbconcord.read(text=TEXT, format="mbsd").system
    named = replace(system, bodies=(system.bodies[0], replace(system.bodies[1], name=body)))
    quoted = json.dumps(body)
    names = [f"velocity({quoted}, [0, 0.1, 0], in={quoted})", f"jacobian({quoted})", "M"]
    assert split_names([",".join(names)]) == names
    given: dict[str, object] = {"q": [0.3, 0.4], "v": [1.0, 2.0], "witness": False}
    found = mbconcord.evaluate(named, quantities=names, **given)
    usual = mbconcord.evaluate(system, quantities=["velocity(hand, [0, 0.1, 0], in=body)", "jacobian(hand)"], **given)
    for name, other in zip(names, usual, strict=False):
        assert np.array_equal(found[name], usual[other])


def test_a_formalism_without_motions_says_who_has_them() -> None:
    with pytest.raises(FormalismError, match=r"static_moments has no motions of points .take lagrange, newton_euler"):
        asked(TEXT, "velocity(hand)", formalism="static_moments")


def test_the_command_prints_vectors_side_by_side_and_keeps_commas_in_brackets(run: Run) -> None:
    words = ("evaluate", "arm.mbsd", "--state", "state.json", "--quantity")
    done = run(*words, "velocity(hand, in=body),angular_velocity(hand),pose(hand)")
    assert done.code == 0
    assert "   velocity(hand, in=body)  angular_velocity(hand)\n" in done.out
    assert "pose(hand)  ex" in done.out
    found = run(*words, "velocity(hand, in=body),jacobian(upper)", "--json").json
    assert len(found["velocity(hand, in=body)"]) == 3
    assert len(found["jacobian(upper)"]) == 6
    assert any("Frames of bodies" in sentence for sentence in found["assumes"])
    assert {c["b"] for c in found["witnesses"]} == {"direct", "newton_euler", "virtual_work", "konoplev"}


def test_the_command_says_of_which_motion_accelerations_are(run: Run) -> None:
    done = run("evaluate", "arm.mbsd", "--state", "state.json", "--quantity", "acceleration(hand)", "--hold", "q1")
    assert done.code == 0
    assert done.out.startswith("motion: held: q1; free: q2")


def test_multipliers_that_nobody_asked_for_are_no_finding_at_the_head(run: Run) -> None:
    """Rows of the slider-crank depend on each other: their multipliers are not determined, its accelerations are."""
    crank = str(folder("native") / "slider_crank.mbs.json")
    found = run("evaluate", crank, "--quantity", "acceleration(rod)")
    assert found.code == 0 and "not checked" not in found.out
    asked_for = run("evaluate", crank, "--quantity", "reactions")
    assert "not checked: lambda (no number at a state)" in asked_for.out


@pytest.mark.parametrize("names", [None, ["acceleration(hand)"], ["acceleration", "effort"]])
def test_efforts_elsewhere_are_judged_once(names: list[str] | None) -> None:
    """Torque at the shoulder holds the elbow of a bar that begins to fall: q1'' = -g/(0.5 + 0.4)."""
    found = mbconcord.evaluate(
        mbconcord.read(text=TEXT, format="mbsd"), quantities=names, hold="q2", actuated="q1", formalism="lagrange"
    )
    assert found.motion is not None
    np.testing.assert_allclose(found.motion.acceleration, [[-10.9, 0]], rtol=0, atol=1e-12)
    assert not [d for d in found.diagnostics if d.severity == "error"]
    assert {c.verdict for c in found.witnesses} <= {"agrees", "agrees, zero"}


def test_where_masses_sum_to_nothing_there_is_no_mass_centre() -> None:
    """With one body m x / m is x, also for m = 0."""
    found = mbconcord.evaluate(
        mbconcord.read(text="u(x) $(m) g ; m=0", format="mbsd"), q=[[1.0], [2.0]], quantities="center_of_mass",
        parameters={"m": [2.0, 0.0]},
    )  # fmt: skip
    np.testing.assert_array_equal(found["center_of_mass"], [[1, 0, 0], [np.nan] * 3])
    assert any(d.severity == "error" for d in found.diagnostics)
    assert {c.verdict for c in found.witnesses} <= {"agrees", "not checked"}


def test_a_body_named_world_that_is_the_fixed_frame_is_no_second_meaning() -> None:
    name = "velocity(arm, [1, 0, 0], in=world)"
    joint = '<joint name="a" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/></joint>'
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    arm = f'<link name="arm"><inertial><mass value="1"/>{inertia}</inertial></link>'
    model = mbconcord.read(text=f'<robot name="r"><link name="world"/>{arm}{joint}</robot>', format="urdf")
    np.testing.assert_array_equal(mbconcord.evaluate(model, quantities=name, v=[2.0])[name], [0, 2, 0])


def test_an_energy_beyond_floats_is_an_error(run: Run) -> None:
    Path("fast.json").write_text('{"v": {"q1": 1e200}}', encoding="utf-8")
    done = run("evaluate", "arm.mbsd", "--quantity", "kinetic_energy", "--state", "fast.json", "-q")
    assert done.code == 2 and "kinetic_energy: error: it has no number" in done.err
