"""URDF, MJCF and SDF read twice: every feature, files that are included, and every number that is changed."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model import MbconcordError, System
from mbconcord.validation.check import check as judged
from mbconcord.validation.claims import fields
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.trial import Trial
from mbconcord.validation.judge.witness import Original
from mbconcord.validation.witnesses.text import machines as reread

from .robot_texts import TEXTS, two
from .test_second_reading import tried

FEATURES = [(format, name) for format, texts in TEXTS.items() for name in texts]
FIXTURES = [p.relative_to(folder()).as_posix() for f in TEXTS for p in sorted((folder() / f).iterdir())]


def disagreeing(made: Trial) -> list[str]:
    """Quantities in which model and text differ; a reason where they were not compared."""
    found = fields.second_reading(made)
    return [c.quantity if c.verdict == "disagrees" else c.explanation for c in found if c.verdict != "agrees"]


@pytest.mark.parametrize(("format", "name"), FEATURES)
def test_every_feature_is_read_twice(format: str, name: str) -> None:
    assert disagreeing(tried(TEXTS[format][name], format)) == []


# --- a change of any number is seen ----------------------------------------------------------------

_NUMERAL = re.compile(r"(?<=[\s\">])-?\d+(?:\.\d+)?(?:e-?\d+)?(?=[\s\"<])")
#: So many numbers of each text are changed.
CHANGED = 6


@cache
def _trial(format: str, text: str) -> Trial:
    return tried(text, format, 1)


def _equations(system: System) -> System:
    return replace(system, metadata={}, omissions=(), name="")


def changes(format: str, text: str) -> Counter[str]:
    """What becomes of numbers of a text that are changed behind the reader's back."""
    told: Counter[str] = Counter()
    model = _trial(format, text)
    places = [m for m in _NUMERAL.finditer(text) if not text[: m.start()].endswith(('version="', 'encoding="'))]
    for place in random.Random(text).sample(places, min(CHANGED, len(places))):
        number = place.group()
        more = str(int(number) + 1) if number.lstrip("-").isdigit() else str(float(number) + 0.375)
        other = text[: place.start()] + more + text[place.end() :]
        try:
            read = registry.read_text(other, "-", format, "ignore").system
        except MbconcordError:
            told["refused"] += 1
            continue
        honest = registry.read_text(text, "-", format, "ignore").system
        same = _equations(read) == _equations(honest)
        found = disagreeing(replace(model, text=Original(other, format)))
        if not (found or same):  # as a turn of a sphere: the change is none of the machine
            same = same_machine(honest, read).verdict == "agrees"
        assert bool(found) != same, (number, text[max(0, place.start() - 60) : place.end() + 20], found)
        told["same" if same else "seen"] += 1
    return told


@pytest.mark.sampled(6)
@pytest.mark.parametrize("file", FIXTURES)
def test_a_number_of_a_fixture_that_is_another_is_seen(file: str) -> None:
    """Where the reader makes another model of the changed text, the second reading finds another machine in it."""
    format = file.partition("/")[0]
    assert changes(format, (folder() / file).read_text("utf-8"))["seen"] >= 1


@pytest.mark.sampled(20)
@pytest.mark.parametrize(("format", "name"), FEATURES)
def test_a_number_of_a_feature_that_is_another_is_seen(format: str, name: str) -> None:
    changes(format, TEXTS[format][name])


@pytest.mark.parametrize("name", ["mbsd/springs.mbsd", "urdf/arm.urdf", "sdf/arm.sdf", "mjcf/hopper.xml"])
def test_a_reader_that_loses_every_body_is_noticed(name: str) -> None:
    """The text has damping and springs along coordinates that the model lost; no witness trips over a model of none."""
    found = registry.read(folder() / name)
    empty = System("empty", parameters=found.system.parameters, gravity=found.system.gravity)
    said = judged(empty, original=Original(found.text, found.format, ()), exact="off", count=False)
    apart = [c for c in said.comparisons if c.verdict == "disagrees"]
    assert [(c.claim, c.quantity) for c in apart] == [("second_reading", "text: coordinates")]


# --- files beside the text -------------------------------------------------------------------------


def check(path: Path) -> mbconcord.results.Check:
    return mbconcord.check(path, formalisms=["newton_euler"], states=1, exact="off", claims=("second_reading",))


def test_what_an_mjcf_includes_is_read_twice(tmp_path: Path) -> None:
    """Elements and defaults of files in its folder, and of those that these include."""
    (tmp_path / "parts").mkdir()
    inner = '<mujocoinclude><default><joint damping="0.7"/></default><include file="parts/more.xml"/></mujocoinclude>'
    (tmp_path / "parts/class.xml").write_text(inner, "utf-8")
    more = '<mujoco><actuator><position joint="j" kp="3"/></actuator></mujoco>'
    (tmp_path / "parts/more.xml").write_text(more, "utf-8")
    path = tmp_path / "m.xml"
    path.write_text(two('<include file="parts/class.xml"/>'), "utf-8")
    found = check(path)
    assert {"text: applied", "text: controls"} <= {c.quantity for c in found.comparisons}
    assert {c.verdict for c in found.comparisons if c.claim} == {"agrees"} and not found.read_once
    without = tried(two(""), "mjcf")
    text = Original(path.read_text("utf-8"), "mjcf", file=str(tmp_path / "m.xml"))
    assert disagreeing(replace(without, text=text)) != []
    assert "which cannot be read" in disagreeing(replace(without, text=replace(text, file="x/m.xml")))[0]


def test_what_an_sdf_includes_is_read_twice(tmp_path: Path) -> None:
    """A model under another name, where it is put; one that does not move."""
    (tmp_path / "mast").mkdir()
    (tmp_path / "mast/model.sdf").write_text(TEXTS["sdf"]["revolute"], "utf-8")
    include = "<include><uri>{}</uri><name>{}</name><pose>0 1 0 0.3 0 0</pose>{}</include>"
    inside = include.format("mast", "one", "") + include.format("model://mast", "two", "<static>true</static>")
    path = tmp_path / "w.sdf"
    path.write_text(f'<sdf version="1.9"><world name="w">{inside}</world></sdf>', "utf-8")
    found = check(path)
    assert [b.name for b in found.system.bodies] == ["one::a", "two::a"]
    assert {c.verdict for c in found.comparisons if c.claim} == {"agrees"} and not found.read_once


def test_macros_are_read_twice_as_what_they_stand_for(tmp_path: Path) -> None:
    """The text that xacro prints is that of the model: its name says so."""
    text = TEXTS["urdf"]["a rotor behind a gear"]
    found = mbconcord.check(
        mbconcord.read("r.urdf (expanded)", text=text), formalisms=["newton_euler"], states=1, exact="off"
    )
    assert not found.read_once and "text: armatures" in {c.quantity for c in found.comparisons}


#: Centres of mass on the axes of all joints, in frames that are turned: weights have no arm, but for rounding.
BALANCED = """<sdf version="1.9"><model name="m"><link name="a"><pose>1 2 3 .4 .5 .6</pose>{inertial}</link>
<link name="b"><pose relative_to="a">0 0 0 .3 .4 .5</pose>{inertial}{weightless}</link>
<joint name="k" type="universal"><parent>world</parent><child>a</child><axis><xyz>1 1 0</xyz></axis>
<axis2><xyz>-1 1 0</xyz></axis2></joint>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 1 1</xyz></axis></joint>
</model></sdf>"""
INERTIAL = "<inertial><mass>1</mass><inertia><ixx>.1</ixx><iyy>.15</iyy><izz>.2</izz></inertia></inertial>"


@pytest.mark.parametrize("weightless", ["", "<gravity>false</gravity>"])
def test_weights_without_an_arm_do_not_disagree_by_rounding(weightless: str) -> None:
    text = BALANCED.format(inertial=INERTIAL, weightless=weightless)
    assert disagreeing(tried(text, "sdf")) == []
    moved = tried(text.replace("<mass>1", "<pose>1e-9 0 0 0 0 0</pose><mass>1", 1), "sdf")
    machines = reread(tried(text, "sdf"))
    assert "text: gravity" in {c.quantity for c in fields.compare_text(moved, machines) if c.verdict == "disagrees"}


_JOINTED = '<body name="a"><joint name="j" {}/><inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/></body>'
_ENDS = '<parent link="b"/><child link="a"/><limit effort="1" velocity="1"/>'
#: What acts on the motion and is in no model: format, text, the place of its omission.
LEFT_OUT = {
    **{
        words: ("mjcf", f"<mujoco><worldbody>{_JOINTED.format(words)}</worldbody></mujoco>", place)
        for words, place in (
            ('frictionloss="0.1"', "joint-friction/j"),
            ('type="ball" springdamper="0.1 1"', "joint-spring/j"),
            ('type="ball" stiffness="2"', "joint-spring/j"),
            ('type="ball" damping="2 1"', "joint-damping/j"),
            ('type="slide"/><joint name="k" type="ball" armature="0.1"', "rotor/k"),
        )
    },
    **{
        more: ("mjcf", f"<mujoco>{more}<worldbody>{_JOINTED.format('')}</worldbody></mujoco>", place)
        for more, place in (
            ('<option viscosity="0.1"/>', "medium/option"),
            ('<actuator><muscle name="m" joint="j"/></actuator>', "actuator/m"),
        )
    },
    **{
        f"{kind} {words}": (
            "urdf",
            f'<robot name="r"><link name="b"/><link name="a"/><joint name="j" type="{kind}">{_ENDS}'
            f"<dynamics {words}/></joint></robot>",
            place,
        )
        for kind, words, place in (
            ("planar", 'friction="0.1"', "joint-friction/j"),
            ("floating", 'damping="0.1"', "joint-damping/j"),
        )
    },
    "sdf": (
        "sdf",
        '<sdf version="1.9"><model name="m"><link name="a"/><joint name="j" type="revolute"><parent>world</parent>'
        '<child>a</child><axis><xyz>1 0 0</xyz></axis></joint><joint name="k" type="revolute"><parent>world</parent>'
        "<child>a</child><axis><xyz>1 0 0</xyz><dynamics><friction>1</friction></dynamics></axis></joint>"
        "</model></sdf>",
        "joint-friction/k",
    ),
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_a_reader_loses_without_a_word_disagrees(case: str) -> None:
    format, text, place = LEFT_OUT[case]
    made = tried(text, format)
    assert disagreeing(made) == [] and place in {o.place for o in made.original.omissions}
    assert made.closed is not None
    silent = replace(made, closed=replace(made.closed, omissions=()))
    (found,) = fields.second_reading(silent)
    assert (found.quantity, found.verdict) == ("text: left out", "disagrees") and place in found.explanation
