"""Why two models differ: planted faults are named, nothing that does not fit is, and pairs of faults, too."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.fixtures import folder
from mbconcord.model import Armature
from mbconcord.model.expressions import ONE
from mbconcord.validation.compare import same_machine
from mbconcord.validation.explain import Causes, why
from mbconcord.validation.explain.numbers import Said, compute_numbers, states
from mbconcord.validation.explain.search import why_not_said

from ...examples import EXAMPLES
from .planted import ROWS, TEXTS, model, turned

QUICK = "two"
PLANT = {words: plant for _, plant, words in ROWS}


#: What the fields of both models say in place of a cause that is searched for.
IN_FIELDS = {"b is dropped": "1 body without inertia in B has 1.5 kg and 0.0451842 0.0563386 0.0635772 kg m² in A: b:"}


def names(answer: Causes) -> list[str]:
    return [cause.said for step in answer.steps for cause in step.causes]


#: Every cause on one of the models; with more examples than the suite's, on all of them.
TABLE = [
    pytest.param(name, row, id=f"{name}: {row[2]}", marks=[] if name == QUICK else [pytest.mark.slow])
    for i, row in enumerate(ROWS)
    for k, name in enumerate(TEXTS)
    if EXAMPLES > 100 or (i - k) % len(TEXTS) == 0
]


def test_the_table_has_25_causes_and_6_models() -> None:
    assert len(TEXTS) == 6
    assert len({words for _, _, words in ROWS}) == len(ROWS) >= 25


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("name", "row"), TABLE)
def test_a_planted_cause_is_named(name: str, row: tuple) -> None:
    """Among those that make the same change, all of which are checked to make it."""
    _, plant, words = row
    a = model(name)
    b = plant(a)
    answer = why(a, b)
    assert not answer.backwards
    if words in IN_FIELDS:
        assert not answer.steps
        assert IN_FIELDS[words] in str(answer)
        assert str(answer).endswith("nothing is left")
        return
    assert any(words in cause for cause in names(answer)), str(answer)
    for cause in answer.steps[-1].causes:
        assert same_machine(cause.system, b, 3, 7, printed=True).verdict == "agrees", cause.said


@pytest.mark.sampled(8)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the products of inertia of b are dropped", "gravity points the other way"),
        ("the offset of the joint of b is dropped", "the centre of mass of b is mirrored"),
        ("points the other way", "the stiffness of bipolar1 is dropped"),
    ],
)
def test_two_faults_are_both_named(one: str, other: str) -> None:
    a = model("two")
    answer = why(a, PLANT[other](PLANT[one](a)))
    assert len(answer.steps) == 2
    assert all(any(words in cause for cause in names(answer)) for words in (one, other)), str(answer)


@pytest.mark.rest
@pytest.mark.slow
def test_inertias_of_two_bodies() -> None:
    a = model("three")
    b = PLANT["the products of inertia of b have the other sign"](a)
    c = a.body("c")
    heavier = replace(c, inertia=replace(c.inertia, mass=2 * c.inertia.mass))
    b = replace(b, bodies=tuple(heavier if x.name == "c" else x for x in b.bodies))
    found = names(why(a, b))
    assert any("products of inertia of b" in x and "the mass of c is doubled" in x for x in found)


@pytest.mark.rest
@pytest.mark.slow
def test_what_no_cause_makes_is_located_and_its_fields_are_shown() -> None:
    a = model("two")
    answer = why(a, turned(a))
    assert not answer.is_found
    assert answer.shares["b"] == pytest.approx(1.0)
    assert answer.shares["a"] < 0.999
    assert "b tensor xx yy xy xz yz  0.06005 0.05505 0.00395 0.006 -0.003  0.057383 0.057717" in str(answer)
    assert str(answer).endswith("nothing is left")


def test_what_cannot_be_seen_is_said() -> None:
    """A tensor of which a planar pendulum shows one moment only."""
    one, other = (
        mbconcord.read(text=f"z $1 [{xx}, 0.2, 0.3] {{0.5, 0}} #arm ; g-y", format="mbsd") for xx in ("0.1", "0.15")
    )
    answer = mbconcord.compare(one, other).why()
    assert (answer.is_found, answer.invisible) == (False, ("arm",))
    assert "cannot be seen in the motion: arm" in str(answer)
    assert str(mbconcord.compare(one, one).why()) == ""


@pytest.mark.slow
@pytest.mark.rest
def test_a_change_that_goes_one_way_only_is_told_the_other_way() -> None:
    """What was dropped in A cannot be put back from A alone."""
    b = model("two")
    a = PLANT["the centre of mass of b is dropped"](b)
    answer = why(a, b)
    assert answer.backwards
    assert "the same change in other words: A equals B when the centre of mass of b is dropped" in str(answer)


def test_a_turn_for_a_shift() -> None:
    one, other = (
        mbconcord.read(text=f"z $1 {{0.5, 0}} #a > {way} $1 {{0.5, 0}} #b ; g-y", format="mbsd") for way in ("z", "w")
    )
    answer = mbconcord.compare(one, other).why()
    assert any("shifts b" in x for x in names(answer)) or "not searched" in str(answer)


@pytest.mark.slow
def test_a_rotor_is_read_off_the_mass_matrix() -> None:
    a = model("two")
    at = states(a, 0)
    numbers = compute_numbers(a, at).quantities
    numbers = {**numbers, "M": numbers["M"] + np.diag([0.0, 0.25])}
    answer = why_not_said(a, at, Said(numbers), 0.0)
    assert names(answer) == [f"armature is added: 0.25 along {a.coordinate_names[1]}"]


@pytest.mark.rest
@pytest.mark.slow
@pytest.mark.slow
def test_a_rotor_of_a_model_is_verified_with_it() -> None:
    a = model("two")
    name = a.coordinate_names[1]
    b = replace(a, armatures=(Armature("motor", Fraction("0.25"), {name: ONE}),))
    answer = why(a, b)
    assert names(answer) == [f"armature is added: 0.25 along {name}"]
    assert same_machine(answer.steps[0].causes[0].system, b, 3, 7).verdict == "agrees"
    assert "the same change in other words: A equals B when armature is added" in str(why(b, a))


@pytest.mark.slow
def test_constraints_alone_are_said_to_be_unsearched() -> None:
    a = mbconcord.read(folder() / "mbsd" / "four_bar.mbsd").system
    answer = why(a, replace(a, constraints=()))
    assert not answer.is_found and "constraints" in answer.reason and "not searched" in str(answer)


@pytest.mark.slow
@pytest.mark.rest
def test_a_program_that_reads_the_file_otherwise() -> None:
    """Numbers alone, to seven digits: the dropped turn of an inertial frame is named from the text of the URDF."""
    path = folder() / "urdf" / "arm.urdf"
    text = path.read_text(encoding="utf-8")
    a = mbconcord.read(path).system
    dropped = text.replace('xyz="0.02 -0.01 0.15" rpy="0.1 -0.2 0.3"', 'xyz="0.02 -0.01 0.15"')
    assert dropped != text
    at = states(a, 0)
    theirs = compute_numbers(mbconcord.read(text=dropped, format="urdf").system, at).quantities
    rough = {name: theirs[name] * (1 + 1e-8) for name in ("M", "h", "gravity")}
    answer = why_not_said(a, at, Said(rough), 1e-7)
    assert "in M, h, gravity when" in str(answer)
    assert names(answer)[0] == "the tensor of upper_arm is not turned by the rotation of its inertial frame"


@pytest.mark.parametrize("other", ["z1", "z1, z2, z3"])
def test_models_that_cannot_be_matched_are_not_searched(other: str) -> None:
    one, two = (mbconcord.read(text=f"{x} $1 {{0.5, 0}} ; g-y", format="mbsd") for x in ("z", "u v w"))
    answer = mbconcord.compare(one, two).why()
    assert answer.reason and not answer.is_found


@pytest.mark.slow
def test_why_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    files = []
    for name, mass in (("a", 3), ("b", 6)):
        files.append(str(tmp_path / f"{name}.mbsd"))
        (tmp_path / f"{name}.mbsd").write_text(f"z j-2 ${mass} g", encoding="utf-8")
    assert main(["compare", *files, "--why"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert "why, in order of size:  A  B  alone  left after it" in said
    assert ["body1", "mass", "3", "6", "0.5", "0"] in [line.split() for line in said]
    assert any(
        s.startswith("the same change in other words: B equals A when the mass of body1 is doubled") for s in said
    )
    assert main(["compare", *files, "--why", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["why"]
    assert (found["found"], found["changed"]) == (True, "A")
    assert found["steps"][0][0]["place"] == "bodies/body1/inertia"
    assert found["fields"]["rows"][0]["lines"] == [{"place": "body1", "field": "mass", "a": "3", "b": "6"}]
    assert main(["compare", files[0], files[0], "--why"]) == 0
    assert "why:" not in capsys.readouterr().out


def _pulled_at(**tips: tuple[str, tuple[object, ...]]) -> mbconcord.System:
    """Two bars whose drags know the velocities of named points."""
    made = mbconcord.Mechanism("arm").parameters(l=0.3).body("upper", mass=2).turns("q1", about="z").shift(x=0.5)
    made = made.body("hand", on="upper", mass=1).turns("q2", about="x").shift(x=0.4)
    for name, (body, position) in tips.items():
        made = made.point(name, body, position).force(f"drag of {name}", "upper", (0, f"-2*vy({name})", 0))
    return made.build()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("moved", "said"),
    [
        ({"tip": ("hand", (0, "l", 0.15))}, "the point tip is (0, l, 0.15) in hand"),
        ({"tip": ("upper", (0, "l", 0.1))}, "the point tip is (0, l, 0.1) in upper"),
        (
            {"tip": ("hand", (0, 0, 0.2)), "top": ("hand", (0.1, 0.1, 0))},
            "the point tip is (0, 0, 0.2) in hand and the point top is (0.1, 0.1, 0) in hand",
        ),
    ],
)
def test_a_moved_point_that_forces_name(moved: dict[str, tuple[str, tuple[object, ...]]], said: str) -> None:
    own = {"tip": ("hand", (0, "l", 0.1)), "top": ("hand", (0.1, 0, 0))}
    found = why(_pulled_at(**own), _pulled_at(**(own | moved)))
    assert [step.causes[0].said for step in found.steps] == [said]
