"""Models to input.dat and back, and files of UM to models and back."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from laboratory.bench.um import apart, furthest, um_image
from mbconcord.converters import registry
from mbconcord.converters.um.syntax import parse
from mbconcord.fixtures import folder
from mbconcord.model import Gravity, Prescribed, System
from mbconcord.model.expressions import PI_NODE, TIME, ZERO, number, substitute, symbol
from mbconcord.model.numbers import define
from mbconcord.model.transformation import vector
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.evidence import verdict
from mbconcord.validation.strategies.strategies import systems

from ...examples import EXAMPLES
from . import um_files
from .um_files import MODELS

#: As ``furthest`` measures M, h and the forces.
LIMIT = 1e-13
#: Losses that take nothing away: the file says it, but no UM file seen confirms how.
UNCERTAIN = (
    "certainty about its direction", "certainty that there is none", "that it has no value",
    "certainty about the harmonic part of the linear law",
)  # fmt: skip


def written(model: System):
    return registry.write(model, "um")


def back(text: str, file: str = "input.dat") -> System:
    return registry.read_text(text, file, "um").system


@pytest.mark.rest
@pytest.mark.slow
@given(systems(max_bodies=4))
@settings(max_examples=EXAMPLES // 2)
def test_a_model_that_um_holds_comes_back(drawn):
    model = um_image(drawn)
    writing = written(model)
    assert [str(x) for x in writing.losses if x.what not in UNCERTAIN] == []
    again = back(writing.text)
    assert {o.kind for o in again.omissions} <= {"image"}  # drawn by the writer
    assert list(apart(again, replace(model, name=again.name, omissions=again.omissions))) == []
    assert furthest(model, again) <= LIMIT
    assert written(again).text == writing.text


@pytest.mark.rest
@pytest.mark.slow
@given(systems(max_bodies=4, flywheels=True, added_inertia=True))
@settings(max_examples=EXAMPLES // 4)
def test_of_any_model_what_stands_still_comes_back(drawn):
    """What is held at t = 0 is lost by its place in the joint, and has the same mass matrix then."""
    writing = written(drawn)
    again = back(writing.text)
    places = {x.place for x in writing.losses}
    for body in drawn.bodies:
        for i, et in enumerate(body.joint):
            assert not isinstance(et.motion, Prescribed) or f"bodies/{body.name}/joint/{i}" in places
    still = motionless(drawn)
    assert furthest(still, replace(again, forces=(), gravity=still.gravity)) <= LIMIT


def motionless(model: System) -> System:
    """The bare bodies of a model, held at t = 0, without forces."""

    def held(et):
        if not isinstance(et.motion, Prescribed):
            return et
        amount = substitute(define([et.amount], model.functions), {TIME: ZERO})[0]
        unknown = {f.name for f in model.functions if f.formula is None}
        gone = any(f"{name}(" in str(amount) for name in unknown)
        return replace(et, motion=Prescribed(ZERO if gone else amount))

    bodies = tuple(
        replace(b, joint=tuple(map(held, b.joint)), flywheels=(), added_inertia=None)
        for b in model.lump_masses().bodies
    )
    coordinates = tuple(replace(c, drive=None) for c in model.coordinates)
    return replace(model, bodies=bodies, forces=(), coordinates=coordinates, functions=())


#: From MBSD as Golomazdin & Dmitrochenko 2022 do it; the crane's telescope, moved by a function of time, is held.
FROM_MBSD = ("double_pendulum", "manipulator", "patu655_tree")


def mbsd(name: str) -> System:
    return registry.read(folder() / "mbsd" / f"{name}.mbsd").system


@pytest.mark.slow
@pytest.mark.parametrize("name", FROM_MBSD)
def test_golden_files(name):
    """The file of the project is what is written, and its dynamics is that of the line it comes from."""
    golden = (folder() / "um" / name / "input.dat").read_text("utf-8")
    model = mbsd(name)
    assert written(model).text == golden
    again = registry.read(folder() / "um" / name / "input.dat").system
    assert len(again.coordinates) == len(model.coordinates)
    assert furthest(motionless(model), again, 5) <= LIMIT


@pytest.mark.slow
def test_the_crane_loses_its_telescope_and_says_so():
    found = {x.place: x.reason for x in written(mbsd("patu655_tree")).losses}
    assert "tt, rt" in found["bodies/arm3/joint/2"]
    assert same_machine(mbsd("patu655_tree"), back(written(mbsd("patu655_tree")).text)).verdict == "disagrees"


@pytest.mark.slow
@pytest.mark.rest
def test_the_whole_crane_loses_its_telescope_alone():
    """Fig. 15: the file is the crane with its rods, their masses on the bodies, and the arm held.

    Its cylinders too, which follow laws of time: in their place they keep their lengths.
    """
    moving = mbsd("patu655")
    lost = {x.place for x in written(moving).losses if "the time in a formula" in x.reason}
    assert lost == {"forces/bipolar1", "forces/bipolar2"}
    lengths = {"lengthCD": symbol("CD0"), "lengthEH": symbol("EH0")}
    functions = tuple(replace(f, formula=lengths.get(f.name, f.formula)) for f in moving.functions)
    crane = replace(moving, functions=functions)
    writing = written(crane)
    missing = {x.place for x in writing.losses if x.reason.startswith("no UM file seen has a") and x.acts}
    assert missing == {"bodies/arm3/joint/2"}
    still = motionless(crane)
    lumped = crane.lump_masses()
    left = replace(still, forces=lumped.forces, functions=crane.functions, constraints=lumped.constraints)
    found = same_machine(left, back(writing.text), 3)
    said = {c.explanation for c in found.comparisons if c.verdict != "agrees"}
    numbers = {x.partition(" = ")[0] for x in said if x.startswith("the same where") and "not at every value" in x}
    assert len(said) == 2 and numbers == {"the same where g", "the same where ABx"}, found  # gravity, and HI of rod2
    assert {"M", "h", "gravity", "applied"} <= {x.quantity for x in found.comparisons}
    weak = [replace(p, value=p.value / 2) if p.name == "cCD" else p for p in left.parameters]
    found = same_machine(replace(left, parameters=tuple(weak)), back(writing.text), 1)
    wrong = {x.quantity for x in found.comparisons if x.verdict == "disagrees"}
    assert wrong == {"applied", "constrained acceleration", "reactions"}


@pytest.mark.parametrize("name", MODELS)
def test_an_unchanged_model_is_its_file(name):
    """Every block, attribute, number and comment; a file in UM's layout to the byte."""
    reading = um_files.reading(name)
    writing = written(reading.system)
    assert writing.losses == ()
    assert parse(writing.text) == parse(um_files.text(name))


@um_files.real
@pytest.mark.parametrize("name", ["pose_test", "reference", "single_leg", "test_hexapod", "to_delete"])
def test_a_real_file_is_written_as_it_was(name):
    text = (um_files.REAL / name / "input.dat").read_text("utf-8")
    assert written(back(text)).text == text


def changed(model: System) -> System:
    """Other values of the first parameter, of the first and last initial positions, and gravity upwards."""
    parameters = (replace(model.parameters[0], value=number("0.125")), *model.parameters[1:])
    first, *middle, last = model.coordinates
    coordinates = (replace(first, position=number("0.25")), *middle, replace(last, position=PI_NODE / 3))
    gravity = Gravity(number("9.81"), vector((0, 0, 1)))
    return replace(model, parameters=parameters, coordinates=coordinates, gravity=gravity)


@pytest.mark.parametrize("name", MODELS)
def test_numbers_that_change_are_put_in_their_places(name):
    """Nothing else does: as many lines differ as numbers stand there."""
    model = um_files.system(name)
    other = changed(model)
    writing = written(other)
    assert list(apart(back(writing.text), replace(other, name=back(writing.text).name))) == []
    before, after = written(model).text.splitlines(), writing.text.splitlines()
    assert len(before) == len(after)
    differing = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    gravities = sum("with egravity" in a for a, _ in differing)
    assert len(differing) == 3 + gravities
    assert gravities == sum("with egravity" in line for line in before)


def rebuilt(name: str) -> tuple[System, str]:
    """A model of UM with another mass, which no template takes, and its new text."""
    model = um_files.system(name)
    body = model.bodies[-1]
    heavier = replace(body, inertia=replace(body.inertia, mass=number("1.25") * body.inertia.mass))
    other = replace(model, bodies=(*model.bodies[:-1], heavier))
    return other, written(other).text


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_changed_is_written_anew(name):
    """As one flat object of the same dynamics, which is written again as it stands."""
    other, text = rebuilt(name)
    again = back(text)
    assert not parse(text).main.all("subs")
    found = same_machine(replace(other, constraints=()), replace(again, constraints=()), 2)
    assert verdict(found.comparisons) == "agrees"
    assert len([o for o in again.omissions if o.acts]) == len([o for o in other.omissions if o.acts])
    assert list(apart(again.constraints, other.constraints)) == []
    assert written(again).text == text


def test_what_the_model_does_not_hold_stays():
    before, after = parse(um_files.text("suspension")).main, parse(rebuilt("suspension")[1]).main
    for keyword in ("var", "go", "cfrc", "sfrc", "sensor"):
        assert before.all(keyword) == after.all(keyword) != ()
    assert before.attributes == after.attributes
    for keyword in ("body", "bfrc"):
        assert [b.get("igrobj") for b in before.all(keyword)] == [b.get("igrobj") for b in after.all(keyword)]
    assert [b.get("opoints") for b in before.all("body")] == [b.get("opoints") for b in after.all("body")]
    assert [b.text("name") for b in before.all("joint")] == [b.text("name") for b in after.all("joint")]


def test_what_cannot_stay_is_a_loss():
    """Blocks of subsystems, and blocks that refer to what the model no longer has."""
    legs = um_files.system("six_legs")
    base = legs.bodies[0]
    other = replace(legs, bodies=(replace(base, inertia=replace(base.inertia, mass=number(7))), *legs.bodies[1:]))
    found = {x.place: x.what for x in written(other).losses}
    assert {f"um/{leg}" for leg in ("FL", "ML", "RL", "FR", "MR", "RR")} <= found.keys()
    contacts = parse(written(other).text).main.all("cfrc")
    assert [c.text("bd1") for c in contacts][:2] == ["FL_seg3", "ML_seg3"]
    model = um_files.system("suspension")
    bare = replace(
        model,
        bodies=model.bodies[:1],
        coordinates=model.coordinates[:1],
        forces=tuple(f for f in model.forces if f.name == "spring"),
        omissions=tuple(replace(o, gaps=()) for o in model.omissions),  # they name the coordinate that is gone
    )
    lost = {x.place: x.reason for x in written(bare).losses}
    assert lost["omissions/contact/CFrc1"] == 'the model has no body "wheel"'
    assert lost["omissions/bushing/bush"] == 'the model has no body "wheel"'
    assert "CFrc1" not in written(bare).text


def test_a_block_that_uses_an_identifier_that_is_gone_is_a_loss():
    model = um_files.system("suspension")
    parameters = tuple(p for p in model.parameters if p.name != "c")
    other = replace(model, forces=(), parameters=parameters)
    reasons = {x.place: x.reason for x in written(other).losses}
    assert reasons["omissions/bushing/bush"] == "the model has no parameter c"
    assert "omissions/contact/CFrc1" not in reasons
    assert not parse(written(other).text).main.all("sfrc")


def test_points_of_a_body_stay():
    points = "cpoints={ '0.1' '' 'h' 'hub' };"
    source = um_files.text("suspension").replace("m=25;", f"m=25; {points}")
    model = back(source)
    heavy = replace(model.bodies[0], inertia=replace(model.bodies[0].inertia, mass=number(7)))
    again = parse(written(replace(model, bodies=(heavy, *model.bodies[1:]))).text).main
    assert [b.get("cpoints") for b in again.all("body")] == ["", "{ '0.1' '' 'h' 'hub' }"]


def test_a_value_given_to_a_parameter_without_one():
    """Also the zero that stood for none."""
    source = um_files.text("suspension").replace("cnst=(c# 1.5e3", "cnst=(c# 0", 1)
    source = re.sub(r"cnst=\(c# 0[^;]*;", 'cnst=(c# 0# "no value");', source)
    model = back(source)
    at = next(i for i, p in enumerate(model.parameters) if p.name == "c")
    assert model.parameters[at].value is None
    assert written(model).text == source
    for value in (number(0), number(1500)):
        parameters = list(model.parameters)
        parameters[at] = replace(parameters[at], value=value)
        again = back(written(replace(model, parameters=tuple(parameters))).text)
        assert again.parameters[at].value is value


def test_the_file_travels_with_the_model():
    """Through the project's own format and back."""
    model = um_files.system("suspension")
    native = registry.read_text(registry.write(model, "native").text, "x.mbs.json").system
    assert written(native).text == written(model).text
    broken = replace(model, metadata={"um:text": [1]})
    assert "metadata/um:text" in {x.place for x in written(broken).losses}


def test_lines_of_a_file_end_alike_whatever_they_ended_with():
    """Lists keep their lines as they are: a file with CR LF does not come back with two kinds of ends."""
    text = um_files.text("gripper").replace("cpoints={", "cpoints={\n", 1)
    assert "{\n" in text
    made = written(back(text.replace("\n", "\r\n"))).text
    assert made == written(back(text)).text
    assert "\r" not in made
