"""What of a model an input.dat cannot hold, or no UM file seen confirms: each is a loss."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from mbconcord.converters.um.layout import render
from mbconcord.converters.um.syntax import parse
from mbconcord.model import (
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Function,
    JointEffort,
    LinearLaw,
    Parameter,
    Point,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import PI_NODE, TIME, call, number, sin, symbol
from mbconcord.validation.strategies.trees import random_system

from .um_writing import SOLID, A, B, lines, losses, model, written


def test_names_that_um_would_misread():
    law = symbol("x") * symbol("s") + symbol("v")
    body = Body("FL.leg", None, (translation("x", "s"),), SOLID)
    system = model(
        bodies=(body, Body("Base0", "FL.leg", (translation("y", "r"),), SOLID)),
        coordinates=(Coordinate("s"), Coordinate("r")),
        parameters=tuple(Parameter(name, number(2)) for name in "xvmM"),
        forces=(JointEffort("s", "s", law),),
    )  # fmt: skip
    text = written(system).text
    assert re.search(r"expression=(v_ \+ x\*x_|x\*x_ \+ v_);", text)
    assert 'name="FL_leg"' in text
    assert 'bd1="FL_leg"; bd2="Base0_"' in text
    assert [place for place, _ in losses(system)] == [
        "parameters/x", "parameters/v", "parameters/M", "bodies/FL.leg", "bodies/Base0",
    ]  # fmt: skip


def test_capitals_that_um_may_not_tell():
    """Of two identifiers the second is renamed; X only where x is a variable too."""
    system = model(parameters=(Parameter("m", number(1)), Parameter("M", number(2)), Parameter("X", number(3))))
    assert re.findall(r"cnst=\((\w+)#", written(system).text) == ["m", "M_", "X"]
    pushed = model(parameters=(Parameter("X", number(3)),), forces=(JointEffort("s", "s", symbol("X") * symbol("s")),))
    assert re.findall(r"cnst=\((\w+)#", written(pushed).text) == ["X_"]
    assert re.search(r"expression=(X_\*x|x\*X_);", written(pushed).text)


def test_a_motion_given_in_time_is_held():
    """The function's value at t = 0 stays a formula."""
    jk = Function("JK", ("t",), A + B * sin(TIME))
    joint = (translation("x", call("JK", [TIME])), rotation("z", TIME + 1), translation("y", "s"))
    system = model(*joint, functions=(jk,))
    assert lines(system, "with joint1", "with et; type=tv")[1:] == [
        "with et; type=tc; ex=a; ey=; ez=;", "with et; type=rc; ex=0; ey=0; ez= 1.; coord0= 5.729577951308232E1;",
    ]  # fmt: skip
    assert [place for place, _ in losses(system)] == ["functions/JK", "bodies/arm/joint/0", "bodies/arm/joint/1"]
    assert all("(tt, rt)" in what for place, what in losses(system) if place.startswith("bodies"))


def test_an_undefined_motion_is_left_out():
    joint = (translation("x", call("JK", [TIME])), translation("y", "s"))
    system = model(*joint, functions=(Function("JK", ("t",)),))
    assert lines(system, "with joint1", "with et; type=tv")[1:] == []
    assert "left out" in losses(system)[1][1]


def test_a_loop_is_closed_by_a_joint():
    closure = FrameCoincidence(
        "ring",
        Frame("hand", (translation("x", A), rotation("z", "free"))),
        Frame(None, (translation("y", B), rotation("x", PI_NODE / 2))),
    )
    bodies = (Body("arm", None, (rotation("z", "s"),), SOLID), Body("hand", "arm", (rotation("z", "r"),), SOLID))
    system = model(bodies=bodies, coordinates=(Coordinate("s"), Coordinate("r")), constraints=(closure,))
    assert lines(system, "with joint3", "with end") == [
        'with joint3; name="ring"; type=comm; bd1="hand"; bd2="Base0";',
        "with et; type=tc; ex=a; ey=; ez=;",
        "with et; type=rv; ex=0; ey=0; ez= 1.; coord0=0;",
        'with scalarforce; name="free"; type=none;',
        "with et; type=rc; ex= 1.; ey=0; ez=0; coord0=-9.E1;",
        "with et; type=tc; ex=; ey=-b; ez=;",
    ]
    assert [place for place, _ in losses(system)] == ["constraints/ring"]


POINT, ORIGIN = Point("arm"), Point(None)
WITHOUT_BLOCK = {
    "velocity": ("coordinates/s/velocity", {"coordinates": (Coordinate("s", 0, 1),)}),
    "harmonic": ("forces/s", {"forces": (JointEffort("s", "s", LinearLaw(q=number(1), w=number(2))),)}),
    "metadata": ("metadata/native:x", {"metadata": {"native:x": 1}}),
    "default": ("parameters", {"parameters": (Parameter("a", number(1), "default"), Parameter("b", number(1)))}),
}  # fmt: skip


@pytest.mark.parametrize(("place", "changes"), WITHOUT_BLOCK.values(), ids=WITHOUT_BLOCK)
def test_what_has_no_block_is_a_loss(place, changes):
    assert [p for p, _ in losses(model(**changes))] == [place]


#: Every block, attribute and word that real files show for what is generated.
BLOCKS = {
    "main": "version type autogravity symbolic language size scene comments objectidentifier bkgcolor gridcolor "
    "axessaturation gridstep axelengthx axelengthy axelengthz rotationstyle mousepick a target distance "
    "sensitivity_threshold",
    "const": "cnst",
    "egravity": "gravityx gravityy gravityz",
    "go": "name p1x p1y p1z p2x p2y p2z axis1 angle1 angle2 angle3",
    "ge": "type VisibleSide material p1x p1y p1z p2x p2y p2z axis1 angle1 angle2 angle3 width Density SurfaceWidth "
    "WireSection abc nm nl h r1 r2 npc npl",
    "body": "name ppjoint igrobj m ixx ixy ixz iyy iyz izz rcx rcy rcz opoints",
    "joint": "name type bd1 bd2",
    "et": "type ex ey ez coord0",
    "scalarforce": "name type expression f0 k l0 d q w a",
    "bfrc": "name bd1 bd2 ro1x ro1y ro1z ro2x ro2y ro2z",
}
WORDS = {"joint": {"comm"}, "et": {"tc", "rc", "tv", "rv"}, "scalarforce": {"none", "expression", "linear"},
         "ge": {"CYLINDER", "ELLIPSOID"}, "main": {"mbs"}}  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_only_signs_that_real_files_show_are_written(seed):
    """Of any model: blocks, attributes and words of real files, and formulas of + - * / sqr sqrt pi."""
    system = random_system(seed, 1 + seed % 7, flywheels=seed % 3 == 0, added_inertia=seed % 4 == 0)
    writing = written(system)
    document = parse(writing.text)
    assert render(document) == writing.text
    images = 0
    for block in document.walk():
        assert {a.key for a in block.attributes} <= set(BLOCKS[block.keyword].split()), block.heading
        if block.keyword in WORDS:
            assert block.get("type") in WORDS[block.keyword]
        images += block.keyword == "go"
        if block.keyword == "body":
            assert 1 <= int(block.get("igrobj")) <= images
        for a in block.attributes:
            if a.key in ("expression", "m", "ixx", "rcx", "f0", "cnst") or re.match(r"ro[12]", a.key):
                words = set(re.findall(r"[^\W\d]\w*", re.sub(r'[0-9.]+e-?[0-9]+|"[^"]*"', "0", a.value)))
                known = {p.name for p in system.parameters} | {"x", "v", "sqr", "sqrt", "pi"}
                assert words <= known, a
                assert "^" not in a.value


def test_letters_that_no_code_page_has():
    assert losses(replace(model(), bodies=(replace(model().bodies[0], name="плечо"),))) == []
    both = replace(model(), bodies=(replace(model().bodies[0], name="плечо 한"),))
    assert [place for place, _ in losses(both)] == ["names"]
