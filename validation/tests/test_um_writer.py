"""Writing input.dat: UM's own signs for every block, and a loss for whatever no UM file seen confirms."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.um.configuration import Integrator, new_configuration, read_icf, write_icf
from mbconcord.converters.um.document import parse, render
from mbconcord.converters.um.writing.printer import formula, pascal, unconfirmed
from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Effort,
    Flywheel,
    Frame,
    FrameCoincidence,
    Function,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    LinearLaw,
    Motion,
    Nonholonomic,
    Parameter,
    Point,
    PointCoincidence,
    PointForce,
    Rod,
    System,
    Wrench,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.diagnostics import NumbersError, ReadError, WriteError
from mbconcord.model.expressions import (
    PI_NODE,
    TIME,
    as_expression,
    call,
    evaluate_float,
    number,
    sin,
    symbol,
)
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.inertia import AddedInertia
from mbconcord.model.transformation import vector
from mbconcord.validation.generation import random_system

A, B = symbol("a"), symbol("b")
DOWN = Gravity(number("9.81"), vector((0, 0, -1)))
SOLID = Inertia(number(2), vector((0, 0, 0)), (1, 1, 1, 0, 0, 0))


def model(*joint, **changes):
    """One body on a joint; by default it slides along x by ``s``."""
    body = Body("arm", None, joint or (translation("x", "s"),), SOLID)
    parts = {
        "coordinates": tuple(map(Coordinate, body.coordinates)),
        "parameters": (Parameter("a", number(2)), Parameter("b", number("0.5"))),
        "gravity": DOWN,
        "bodies": (body,),
    }
    return System("m", **(parts | changes))


def written(system):
    return registry.write(system, "um")


def losses(system):
    return [(loss.place, f"{loss.what}: {loss.reason}") for loss in written(system).losses]


def lines(system, first, last):
    """The lines of the text from the first that begins so to that before the last, without blanks around."""
    text = [line.strip() for line in written(system).text.splitlines()]
    start = next(i for i, line in enumerate(text) if line.startswith(first))
    return text[start : next(i for i in range(start, len(text)) if text[i].startswith(last))]


NUMBERS = {
    "0": 0, "1.": 1, "-1.": -1, "9.E1": 90, "-4.5E1": -45, "3.5E-2": 0.035, "2.5": 2.5, "1.E20": 1e20,
    "3.333333333333333E-1": Fraction(1, 3), "-1.E-3": Fraction(-1, 1000), "1.2345678901234567E2": 123.45678901234567,
}  # fmt: skip


@pytest.mark.parametrize(("shown", "value"), NUMBERS.items())
def test_numbers_of_numeric_fields(shown, value):
    assert pascal(value) == shown
    assert float(shown) == float(value)


#: Formulas of the model, and the words of UM's text that each needs.
FORMULAS = {
    "0": "", "a": "a", "-a/2": "a", "a^2": "sqr a", "a^3": "sqr a", "a*(b+1)^2": "sqr a b", "b/a^2": "sqr a b",
    "(a+b)^4": "sqr a b", "a^5/b^3": "sqr a b", "1/(a*b)^2": "sqr a b", "sqrt(a)": "sqrt a", "2*pi*a": "pi a",
    "sin(1)*a": "a", "2^0.3*a": "a", "-(a+b)": "a b", "1e-7*a": "a", "a/3": "a", "-(a-b)/(a+b)": "a b",
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), FORMULAS.items())
def test_formulas(text, words):
    """They say the same number in the words of UM, and are empty for zero."""
    value = parse_formula(text)
    assert unconfirmed(value) is None
    shown = formula(value)
    assert set(re.findall(r"[^\W\d]\w*", re.sub(r"\de-?\d", "", shown))) == set(words.split())
    assert "^" not in shown
    values = {"a": 1.7, "b": -0.3}
    meant = eval(shown or "0", {"sqr": lambda x: x * x, "sqrt": math.sqrt, "pi": math.pi, **values})
    assert meant == pytest.approx(evaluate_float(value, values), rel=1e-15)


def test_the_style_of_formulas():
    assert formula(parse_formula("c*(b+1)^2 - a/4")) == "c*sqr(b + 1) - 0.25*a"


@pytest.mark.parametrize(
    ("text", "missing"),
    [("sin(a)", "sin()"), ("a*t", "the time"), ("2^a", "the power ^a"), ("JK(a)", "the function JK"),
     ("atan2(a, b)", "atan2()"), ("a^17", "the power ^17")],
)  # fmt: skip
def test_formulas_that_no_um_file_confirms(text, missing):
    assert missing in unconfirmed(parse_formula(text))


NONE = 'with scalarforce; name="s"; type=none;'
JOINTS = {
    "slide": ([translation("x", "s")], ["with et; type=tv; ex= 1.; ey=0; ez=0; coord0=0;", NONE]),
    "turn the other way": ([rotation("-z", "s")], ["with et; type=rv; ex=0; ey=0; ez=-1.; coord0=0;", NONE]),
    "shifts in order are one": ([translation("x", A), translation("z", -B)], ["with et; type=tc; ex=a; ey=; ez=-b;"]),
    "shifts out of order are two": (
        [translation("z", A), translation("x", B)],
        ["with et; type=tc; ex=; ey=; ez=a;", "with et; type=tc; ex=b; ey=; ez=;"],
    ),
    "two shifts along one axis": (
        [translation("x", A), translation("x", B)],
        ["with et; type=tc; ex=a; ey=; ez=;", "with et; type=tc; ex=b; ey=; ez=;"],
    ),
    "a shift along a reversed axis": ([translation("-y", A)], ["with et; type=tc; ex=; ey=-a; ez=;"]),
    "a shift in the plane": ([translation((3, 0, 4), A)], ["with et; type=tc; ex=0.6*a; ey=; ez=0.8*a;"]),
    "a fixed turn": ([rotation("y", PI_NODE / 2)], ["with et; type=rc; ex=0; ey= 1.; ez=0; coord0= 9.E1;"]),
    "a turn in radians": (
        [rotation("x", number("0.3"))],
        ["with et; type=rc; ex= 1.; ey=0; ez=0; coord0= 1.7188733853924695E1;"],
    ),
    "an oblique axis": (
        [rotation((3, 4, 0), -PI_NODE / 4)],
        ["with et; type=rc; ex= 6.E-1; ey= 8.E-1; ez=0; coord0=-4.5E1;"],
    ),
    "nothing": ([], ["with et; type=tc; ex=; ey=; ez=;"]),
    "a shift between turns": (
        [rotation("x", PI_NODE), translation("x", A), rotation("z", "s")],
        ["with et; type=rc; ex= 1.; ey=0; ez=0; coord0= 1.8E2;", "with et; type=tc; ex=a; ey=; ez=;",
         "with et; type=rv; ex=0; ey=0; ez= 1.; coord0=0;", NONE],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("joint", "expected"), JOINTS.values(), ids=JOINTS)
def test_joints(joint, expected):
    names = [et.coordinate for et in joint if et.coordinate]
    system = model(bodies=(Body("arm", None, joint, SOLID),), coordinates=tuple(map(Coordinate, names)))
    head = 'with joint1; name="jBase0_arm"; type=comm; bd1="Base0"; bd2="arm";'
    assert lines(system, "with joint1", "with end") == [head, *expected]
    assert losses(system) == []


def test_initial_positions():
    """Metres and degrees; a formula is frozen, because the field takes numbers."""
    joint = (translation("x", "s"), rotation("z", "phi"), rotation("x", "psi"))
    starts = (Coordinate("s", number("0.25")), Coordinate("phi", PI_NODE / 6), Coordinate("psi", A / 4))
    system = model(*joint, coordinates=starts)
    shown = [line.rpartition("coord0=")[2] for line in written(system).text.splitlines() if "coord0" in line]
    assert shown == [" 2.5E-1; ", " 3.E1; ", " 2.864788975654116E1; "]
    ((place, what),) = losses(system)
    assert place == "coordinates/psi"
    assert "UM has a number here: frozen at 28.64788975654116" in what


def test_an_axis_of_no_round_numbers():
    line = lines(model(rotation((1, 1, 1), "s")), "with et", "with scalarforce")[0]
    ex, ey, ez = (float(x) for x in re.findall(r"e[xyz]= *([^;]+)", line))
    assert abs(ex * ex + ey * ey + ez * ez - 1) < 1e-15
    assert ex == ey == ez


def chain(*names):
    """Bodies in a chain, one coordinate each."""
    bodies, parent = [], None
    for i, name in enumerate(names, 1):
        bodies.append(Body(f"b{i}", parent, (rotation("z", name), translation("x", A)), SOLID))
        parent = f"b{i}"
    return bodies


def test_joints_stand_in_the_order_of_the_coordinates():
    """UM numbers coordinates by joints in the order of the file, whatever the tree."""
    coordinates = tuple(map(Coordinate, ("q3", "q1", "q2")))
    system = model(bodies=chain("q1", "q2", "q3"), coordinates=coordinates)
    assert re.findall(r'bd2="(\w+)"', written(system).text) == ["b3", "b1", "b2"]
    assert re.findall(r'with body\d; name="(\w+)"', written(system).text) == ["b1", "b2", "b3"]
    assert losses(system) == []


def test_coordinates_of_two_joints_cannot_be_mixed():
    body = Body("arm", None, (rotation("z", "q1"), rotation("x", "q2")), SOLID)
    other = Body("hand", "arm", (rotation("z", "q3"),), SOLID)
    system = model(bodies=(body, other), coordinates=tuple(map(Coordinate, ("q1", "q3", "q2"))))
    assert losses(system) == [("coordinates", "the order q1, q3, q2: UM numbers them by joints: q1, q2, q3")]


GRAVITY = {
    "down": ((0, 0, -1), "gravityz=-1;", ()),
    "up": ((0, 0, 1), "gravityz=1;", ()),
    "along y": ((0, -1, 0), "gravityx=; gravityy=-1; gravityz=;", ("certainty about its direction",)),
    "oblique": (
        (3, 0, -4),
        "gravityx=0.6; gravityy=; gravityz=-0.8;",
        ("certainty about its direction",),
    ),
}


@pytest.mark.parametrize(("direction", "shown", "lost"), GRAVITY.values(), ids=GRAVITY)
def test_gravity(direction, shown, lost):
    system = model(gravity=Gravity(number("9.81"), vector(direction)))
    assert f"with egravity; {shown}" in written(system).text
    assert tuple(loss.what for loss in written(system).losses) == lost
    assert {loss.place for loss in written(system).losses} <= {"gravity"}


G = symbol("g")
SIZES = {
    "the moon's": (number("1.62"), "its size 1.62 = 1.62 m/s²: UM scales a direction by 9.81"),
    "a parameter": (G, "the formula g of its size: UM scales a direction by 9.81, its value"),
    "a formula": (G / 6, "its size g/6 = 1.635 m/s²: UM scales a direction by 9.81"),
}


@pytest.mark.parametrize(("value", "what"), SIZES.values(), ids=SIZES)
def test_the_size_of_gravity_is_um_s_own(value, what):
    system = model(gravity=Gravity(value, DOWN.direction), parameters=(Parameter("g", number("9.81")),))
    assert losses(system) == [("gravity", what)]
    assert "gravityz=-1;" in written(system).text


def test_no_gravity():
    assert "gravityx=; gravityy=; gravityz=;" in written(model(gravity=None)).text
    ((place, what),) = losses(model(gravity=None))
    assert place == "gravity"
    assert "no UM file seen is without gravity" in what


def effort(law, name="s"):
    return JointEffort(name, "s", law)


S, RATE = symbol("s"), symbol("s'")


def test_a_force_in_the_words_of_um():
    system = model(forces=(effort(-A * (S - B) - 3 * RATE),))
    assert lines(system, "with scalarforce", "with end") == [
        'with scalarforce; name="s"; type=expression;', "expression=a*(b - x) - 3*v;",
    ]  # fmt: skip
    assert losses(system) == []


def test_a_linear_law():
    law = LinearLaw(A, B, number(1), number("0.5"))
    system = model(forces=(effort(law),))
    assert lines(system, "with scalarforce", "with end") == [
        'with scalarforce; name="s"; type=linear;', "f0=a; k=b; l0=1; d=0.5; q=0; w=0; a=0;",
    ]  # fmt: skip
    assert losses(system) == []


def test_forces_on_one_coordinate_are_added():
    law = LinearLaw(A, B, number(1), number("0.5"))
    system = model(forces=(effort(A), effort(law, "spring"), effort(sin(S), "wave")))
    shown = lines(system, "expression=", "with end")[0].removeprefix("expression=").removesuffix(";")
    values = {"a": 2.0, "b": 0.5, "x": 3.0, "v": -7.0}
    assert evaluate_float(parse_formula(shown), values) == 2.0 + (2.0 - 0.5 * (3.0 - 1.0) + 0.5 * 7.0)
    names = [(place, "the name" in what) for place, what in losses(system)]
    assert names == [
        ("forces/spring", True), ("forces/wave", True), ("forces/spring", False), ("forces/wave", False),
    ]  # fmt: skip


LEFT_OUT = {
    "a sine": (A * sin(S), "sin() in a formula"),
    "the time": (A * TIME, "the time in a formula"),
    "another coordinate": (symbol("r"), "another coordinate (r) in the formula of a force"),
}


@pytest.mark.parametrize(("law", "missing"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_forces_that_no_um_file_confirms_are_left_out(law, missing):
    system = model(translation("x", "s"), translation("y", "r"), forces=(effort(law),))
    ((place, what),) = losses(system)
    assert place == "forces/s"
    assert f"no UM file seen has {missing}: left out" in what
    assert "type=expression" not in written(system).text


@pytest.mark.parametrize("name", ["x", "v"])
def test_a_coordinate_that_has_the_name_of_um_s_variable(name):
    """x and v in the force of another coordinate are not those of its own; in its own they are."""
    joint = (translation("x", name), translation("y", "s"))
    other = model(*joint, forces=(JointEffort("s", "s", A * symbol(name)),))
    assert f"another coordinate ({name})" in losses(other)[0][1]
    assert "expression" not in written(other).text
    own = model(*joint, forces=(JointEffort(name, name, A * symbol(name) - symbol(f"{name}'")),))
    assert "expression=a*x - v;" in written(own).text
    assert losses(own) == []


def test_a_bipolar_element():
    length, rate = symbol("@"), symbol("@'")
    spring = Bipolar(
        "spring", Point(None, vector((0, A, 1))), Point("arm", vector((B / 2, 0, 0))), A - B * length - rate
    )
    system = model(forces=(spring,))
    assert lines(system, "with bfrc", "with end") == [
        'with bfrc; name="spring"; bd1="Base0"; bd2="arm";',
        "ro1x=; ro1y=a; ro1z=1; ro2x=0.5*b; ro2y=; ro2z=;",
        'with scalarforce; name="spring"; type=expression;',
        "expression=a - b*x - v;",
    ]
    assert losses(system) == []
    heavy = replace(system, forces=(replace(spring, mass=number(4)),))
    assert losses(heavy)[0] == ("forces/spring", "its mass: half of it is put on each of the bodies it joins")
    assert "m=4; ixx=1;" in written(heavy).text


def test_a_body():
    inertia = Inertia(A, vector((0, B / 2, -1)), tuple(map(as_expression, (A * B**2, 2, 3, 0, 0, 0))))
    system = replace(model(), bodies=(Body("arm", None, (translation("x", "s"),), inertia),))
    line = next(x for x in written(system).text.splitlines() if " m=" in x)
    assert line.strip() == "m=a; ixx=a*sqr(b); ixy=; ixz=; iyy=2; iyz=; izz=3; rcx=; rcy=0.5*b; rcz=-1;"
    assert losses(system) == []


def test_the_sign_of_products_of_inertia_is_not_known():
    inertia = Inertia(number(1), vector((0, 0, 0)), tuple(map(number, (1, 1, 1, "0.1", 0, 0))))
    system = replace(model(), bodies=(Body("arm", None, (translation("x", "s"),), inertia),))
    assert "ixy=0.1;" in written(system).text
    ((place, what),) = losses(system)
    assert place == "bodies/arm/inertia"
    assert "the sign of the products of inertia" in what


def test_identifiers_stand_before_their_users():
    parameters = (Parameter("c", A + B), Parameter("b", A * 2), Parameter("a", number(2)))
    system = model(parameters=parameters)
    assert re.findall(r"cnst=\((.*)\)", written(system).text) == ["a# 2", "b# 2*a", "c# a + b"]
    assert [place for place, _ in losses(system)] == ["parameters"]


def test_a_parameter_without_value_is_marked():
    system = model(parameters=(Parameter("a"), Parameter("b", number(1))))
    assert 'cnst=(a# 0# "no value");' in written(system).text
    assert losses(system) == [
        ("parameters/a", "that it has no value: UM needs a number: 0 is written, marked 'no value'")
    ]


def test_a_formula_of_parameters_that_um_may_not_know():
    system = model(parameters=(Parameter("a", number(2)), Parameter("b", sin(A))))
    assert "cnst=(b# 0.9092974268256817);" in written(system).text
    ((place, what),) = losses(system)
    assert place == "parameters/b"
    assert "no UM file seen has sin() in a formula: 0.9092974268256817 is written" in what


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
    system = model(
        parameters=(Parameter("m", number(1)), Parameter("M", number(2)), Parameter("X", number(3)))
    )
    assert re.findall(r"cnst=\((\w+)#", written(system).text) == ["m", "M_", "X"]
    pushed = model(
        parameters=(Parameter("X", number(3)),), forces=(JointEffort("s", "s", symbol("X") * symbol("s")),)
    )
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
    assert [place for place, _ in losses(system)] == [
        "functions/JK",
        "bodies/arm/joint/0",
        "bodies/arm/joint/1",
    ]
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
    bodies = (
        Body("arm", None, (rotation("z", "s"),), SOLID),
        Body("hand", "arm", (rotation("z", "r"),), SOLID),
    )
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
UNIT = tuple(tuple(number(int(i == k)) for k in range(6)) for i in range(6))
WITHOUT_BLOCK = {
    "force": ("forces/f", {"forces": (PointForce("f", POINT, vector((1, 0, 0))),)}),
    "wrench": ("forces/f", {"forces": (Wrench("f", POINT, vector((1, 0, 0))),)}),
    "rod": ("constraints/c", {"constraints": (Rod("c", POINT, ORIGIN, number(1)),)}),
    "points": ("constraints/c", {"constraints": (PointCoincidence("c", POINT, ORIGIN),)}),
    "holonomic": ("constraints/c", {"constraints": (Holonomic("c", S),)}),
    "nonholonomic": ("constraints/c", {"constraints": (Nonholonomic("c", {"s": number(1)}),)}),
    "velocity": ("coordinates/s/velocity", {"coordinates": (Coordinate("s", 0, 1),)}),
    "motion": ("coordinates/s/drive", {"coordinates": (Coordinate("s", drive=Motion(number(1))),)}),
    "drive": ("coordinates/s/drive", {"coordinates": (Coordinate("s", drive=Effort(number(1))),)}),
    "harmonic": ("forces/s", {"forces": (JointEffort("s", "s", LinearLaw(q=number(1), w=number(2))),)}),
    "metadata": ("metadata/native:x", {"metadata": {"native:x": 1}}),
    "default": ("parameters", {"parameters": (Parameter("a", number(1), "default"), Parameter("b", number(1)))}),
}  # fmt: skip


@pytest.mark.parametrize(("place", "changes"), WITHOUT_BLOCK.values(), ids=WITHOUT_BLOCK)
def test_what_has_no_block_is_a_loss_and_strict_refuses(place, changes):
    system = model(**changes)
    assert [p for p, _ in losses(system)] == [place]
    with pytest.raises(WriteError, match=re.escape(place)):
        registry.write(system, "um", strict=True)


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        ("bodies/arm/added_inertia", {"added_inertia": AddedInertia(UNIT)}),
        ("bodies/arm/flywheels/w", {"flywheels": (Flywheel("w", (), SOLID, TIME),)}),
    ],
)
def test_what_a_body_carries_has_no_block(place, changes):
    base = model()
    system = replace(base, bodies=(replace(base.bodies[0], **changes),))
    assert [p for p, _ in losses(system)] == [place]


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


IMAGES = {
    "x": (1, 0, 0),
    "-x": (-1, 0, 0),
    "y": (0, 1, 0),
    "-y": (0, -1, 0),
    "z": (0, 0, 1),
    "-z": (0, 0, -1),
}


@pytest.mark.parametrize(("axis", "along"), IMAGES.items())
def test_a_rod_lies_along_the_shift_to_the_joint(axis, along):
    """A cylinder lies along z; its turn about axis 1 (x) or 2 (y) takes it from the body's origin back."""
    system = model(rotation("z", "s"), translation(axis, A))
    (ge,) = parse(written(system).text).main.all("go")[0].blocks
    assert (ge.get("type"), ge.get("h")) == ("CYLINDER", "a")
    angle = math.radians(float(ge.get("angle1")))
    turned = {
        "": (0, 0, 1),
        "1": (0, -math.sin(angle), math.cos(angle)),
        "2": (math.sin(angle), 0, math.cos(angle)),
    }[ge.get("axis1")]
    assert turned == pytest.approx([-x for x in along], abs=1e-15)


def test_a_body_without_a_rod_is_a_ball():
    (ge,) = parse(written(model()).text).main.all("go")[0].blocks
    assert ge.get("type") == "ELLIPSOID"


def test_letters_that_no_code_page_has():
    assert losses(replace(model(), bodies=(replace(model().bodies[0], name="плечо"),))) == []
    both = replace(model(), bodies=(replace(model().bodies[0], name="плечо 한"),))
    assert [place for place, _ in losses(both)] == ["names"]


def test_an_empty_model_is_refused():
    with pytest.raises(WriteError, match="at least one"):
        written(System("nothing"))


ICF = """icf
$ Configuration of object leg
with integr;
  tout    =  1.000E+0001;
  lastparfile    = "";
  step    =  2.000E-0002;
  method  = park;
  jacobian = false;
with solvers;
  bdfminstep=1E-10;
with end;
"""


def test_settings_of_the_integrator():
    configuration = read_icf(ICF)
    assert configuration.object == "leg"
    assert configuration.integrator == Integrator(10.0, 0.02, None, None, "park", False)
    changed = configuration.with_integrator(Integrator(tout=2.5, error=1e-7, jacobian=True))
    assert changed.integrator == Integrator(2.5, 0.02, None, 1e-7, "park", True)
    before, after = write_icf(configuration).splitlines(), write_icf(changed).splitlines()
    assert [line.strip() for line in after if line not in before] == [
        "tout=2.500E+0000;", "jacobian=true;", "error=1.000E-0007;",
    ]  # fmt: skip
    assert read_icf(write_icf(changed)) == changed


def test_a_new_configuration():
    settings = Integrator(10.0, 0.02, 1e-3, 1 / 3, "park", False)
    configuration = new_configuration("leg", settings)
    assert read_icf(write_icf(configuration)) == configuration
    assert configuration.integrator == settings
    assert configuration.object == "leg"


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("par\na = 1\n", ReadError, "x.icf:"),
        ("with integr;\nwith end;\n", ReadError, "found 'with integr;', expected 'icf'"),
        ("icf\nwith integr;\n  tout=soon;\nwith end;\n", NumbersError, "x.icf:3:8: error: integr/tout: found 'soon'"),
        ("icf\nwith integr;\n  jacobian=1;\nwith end;\n", NumbersError, "expected true or false"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(text, kind, message):
    with pytest.raises(kind) as problem:
        read_icf(text, "x.icf")
    assert message in str(problem.value)


def test_convert_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("double.mbsd").write_text("z°30 i > z°30 i g\n", encoding="utf-8")
    assert main(["convert", "double.mbsd", "input.dat", "--verify"]) == 0
    assert "gravityx, gravityy" in capsys.readouterr().err
    assert Path("input.dat").read_bytes().startswith(b"with main; version=80 ;\n")
    Path("input.dat").unlink()
    assert main(["convert", "double.mbsd", "input.dat", "--strict"]) == 1
    assert not Path("input.dat").exists()
