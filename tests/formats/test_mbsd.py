"""Reading MBSD: letters, names, defaults, suffixes, separators, connectors."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files

import pytest

from mbconcord.converters.registry import read_text, write
from mbconcord.model import (
    Bipolar,
    Constant,
    FrameCoincidence,
    JointEffort,
    Parameter,
    Point,
    Prescribed,
    Rod,
    System,
    Variable,
    rotation,
    translation,
)
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import ONE, PI_NODE, ZERO, call, evaluate_float, number, symbol, symbols
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.numbers import parameter_values

from ..work import at_most

FIXTURES = files("mbconcord.fixtures")
DOWN = {"x": (ONE, ZERO, ZERO), "y": (ZERO, -ONE, ZERO), "z": (ZERO, ZERO, -ONE)}
GOLDEN = tomllib.loads(FIXTURES.joinpath("mbsd/golden.toml").read_text("utf-8"))["golden"]


def read(text: str) -> System:
    return read_text(text, "mbsd.mbsd").system


def fixture(path: str) -> str:
    return FIXTURES.joinpath(path).read_text("utf-8")


def names(system: System) -> list[str]:
    return [p.name for p in system.parameters]


def parameter(system: System, name: str) -> Parameter:
    return next(p for p in system.parameters if p.name == name)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda g: g["line"])
def test_golden_lines_have_the_names_of_their_equations(golden):
    system = read(golden["line"])
    assert list(system.coordinate_names) == golden["coordinates"]
    known = {*names(system), *system.coordinate_names, *(c + "'" for c in system.coordinate_names)}
    rows = [*golden["M"], golden["h"], golden["gravity"]]
    used = {s for row in rows for text in row for s in _symbols(text)}
    assert used <= known
    assert system.gravity.direction == DOWN[golden["vertical"]]
    assert all(p.origin == "default" for p in system.parameters)
    stem = golden["line"].replace(">", "_")
    assert fixture(f"mbsd/{stem}.mbsd").strip() == golden["line"]


def _symbols(text: str) -> set[str]:
    return set(symbols([parse_formula(text)]))


# letters, names, defaults

LETTERS = [
    ("u", translation("x", "u1")),
    ("v", translation("y", "v1")),
    ("w", translation("z", "w1")),
    ("x", rotation("x", "x1")),
    ("y", rotation("y", "y1")),
    ("z", rotation("z", "z1")),
    ("-z", rotation("-z", "z1")),
    ("-u(q)", translation("-x", "q")),
    ("+v", translation("y", "v1")),
    ("i", translation("x", symbol("i1"))),
    ("j", translation("y", symbol("j1"))),
    ("k", translation("z", symbol("k1"))),
    ("l", rotation("x", symbol("l1"))),
    ("m", rotation("y", symbol("mu1"))),
    ("n", rotation("z", symbol("nu1"))),
    ("i0.5", translation("x", number("0.5"))),
    ("k+0.2", translation("z", number("0.2"))),
    ("k -0.2", translation("z", -number("0.2"))),
    ("-j(L)", translation("y", -symbol("L"))),
    ("2*i(a)", translation("x", 2 * symbol("a"))),
    ("-0.5 * k(a)", translation("z", -symbol("a") / 2)),
    ("i2.4e-06", translation("x", number(Fraction(24, 10**7)))),
    ("-n0.3", rotation("z", -number("0.3"))),
    ("i(JK(t))", translation("x", Prescribed(call("JK", [symbol("t")])))),
    ("l(w_0 t)", rotation("x", Prescribed(symbol("w_0") * symbol("t")))),
]


@pytest.mark.parametrize(("text", "et"), LETTERS)
def test_letters(text, et):
    assert read(text).bodies[0].joint == (et,)


def test_shifts_in_braces():
    joint = read("{a, b} {1, 0, -c} z").bodies[0].joint
    expected = [("x", symbol("a")), ("y", symbol("b")), ("x", ONE), ("z", -symbol("c"))]
    assert joint == (*(translation(axis, value) for axis, value in expected), rotation("z", "z1"))


def test_counters_run_over_the_whole_text_and_count_every_appearance():
    system = read("z(a) z i(L) i {1,0} i > z i0.5 i \\ z i #b \\ #b i j :(1) {1,0} < #0 \\ i")
    assert system.coordinate_names == ("a", "z2", "z3", "z4")
    assert [n for n in names(system) if n[0] == "i"] == ["i2", "i3", "i5", "i6", "i8", "i7"]


def test_default_values_and_the_notes_about_them():
    reading = read_text("z l i > u j k n x $ (m_0) [] {} ; g", "mbsd.mbsd")
    values = {p.name: (p.value, p.origin) for p in reading.system.parameters}
    expected = {"l1": 0, "i1": 1, "j1": 1, "k1": 1, "nu1": 0, "m1": 1, "g": Fraction(981, 100)}
    expected |= {"Ix2": 1, "Iy2": 1, "Iz2": 1, "rho_x2": 0, "rho_y2": 0, "rho_z2": 0}
    for name, value in expected.items():
        assert values.pop(name) == (number(value), "default")
    assert values == {"m_0": (None, "given")}
    noted = {d.place for d in reading.diagnostics if d.severity == "note"}
    assert noted >= {f"parameters/{name}" for name in expected}
    assert noted >= {"coordinates/z1", "coordinates/u1", "coordinates/x1", "gravity"}
    assert all(d.location is not None for d in reading.diagnostics)


def test_a_parameter_that_the_author_named_has_no_default():
    reading = read_text("z i(L)", "mbsd.mbsd")
    assert parameter(reading.system, "L") == Parameter("L", None, "given")
    with pytest.raises(NumbersError, match="parameters/L: error: has no value"):
        parameter_values(reading.system)
    assert str(reading.locations["parameters/L"]) == "mbsd.mbsd:1:5"


def test_assigned_default_names_are_given():
    system = read("z i ; i1 = 2 m1, m1 = 3")
    assert parameter(system, "i1") == Parameter("i1", 2 * symbol("m1"), "given")
    assert parameter(system, "m1") == Parameter("m1", number(3), "given")


def test_masses_and_inertias_are_numbered_by_body():
    system = read("z $(M) > z > z i ; []{}")
    assert [b.inertia.mass for b in system.bodies] == [symbol("M"), symbol("m2"), symbol("m3")]
    third = system.bodies[2].inertia
    assert third.centre == tuple(map(symbol, ("rho_x3", "rho_y3", "rho_z3")))
    assert third.tensor_about_origin()[:3] == tuple(map(symbol, ("Ix3", "Iy3", "Iz3")))


@pytest.mark.parametrize(
    ("text", "turning"),
    [
        ("z", True),
        ("uvz", True),
        ("-x", True),
        ("i z", True),
        ("zi", False),
        ("z{1,0}", False),
        ("u", False),
        ("zn", False),
        ("z $2", True),
    ],
)
def test_a_body_whose_last_letter_turns_has_inertia(text, turning):
    inertia = read(text).bodies[0].inertia
    expected = tuple(map(symbol, ("Ix1", "Iy1", "Iz1"))) if turning else (ZERO, ZERO, ZERO)
    assert inertia.tensor == (*expected, ZERO, ZERO, ZERO)


def test_default_inertia_is_about_the_centre_of_mass_and_written_inertia_about_the_origin():
    assert read("z$2{1,0}").bodies[0].inertia.tensor[:3] == tuple(map(symbol, ("Ix1", "Iy1", "Iz1")))
    inertia = read("z$2[39,40,41,0.1,0.2,0.3]{0.1,0.2,-0.3}").bodies[0].inertia
    m, (x, y, z) = 2, (Fraction(1, 10), Fraction(1, 5), Fraction(-3, 10))
    about_centre = [39 - m * (y * y + z * z), 40 - m * (x * x + z * z), 41 - m * (x * x + y * y)]
    products = [Fraction(1, 10) + m * x * y, Fraction(1, 5) + m * x * z, Fraction(3, 10) + m * y * z]
    assert inertia.tensor == tuple(map(number, about_centre + products))


def test_own_items_win_over_global_ones():
    system = read("z $2 > z [9,9,9] > z ; $5 [] {0.1, 0.2}")
    masses = [b.inertia.mass for b in system.bodies]
    assert masses == [number(2), number(5), number(5)]
    assert [b.inertia.centre[0] for b in system.bodies] == [number("0.1")] * 3
    assert system.bodies[0].inertia.tensor_about_origin()[0] is symbol("Ix1")
    assert system.bodies[1].inertia.tensor_about_origin()[0] is number(9)


# suffixes

SUFFIXES = [
    ("z°30", PI_NODE / 6, ZERO),
    ("z@30", PI_NODE / 6, ZERO),
    ("z°-180", -PI_NODE, ZERO),
    ("z°(a)", symbol("a") * PI_NODE / 180, ZERO),
    ("u°0.3'2", number("0.3"), number(2)),
    ("u'2°(b)", symbol("b"), number(2)),
    ("z'(v_0)", ZERO, symbol("v_0")),
    ("z° '", ZERO, ZERO),
    ("zº30", PI_NODE / 6, ZERO),
    ("z˚30′2", PI_NODE / 6, number(2)),
    ("u’3", ZERO, number(3)),
    ("u°−3", -number(3), ZERO),
]


@pytest.mark.parametrize(("text", "position", "velocity"), SUFFIXES)
def test_initial_values(text, position, velocity):
    coordinate = read(text).coordinates[0]
    assert evaluate_near(coordinate.position, position)
    assert coordinate.velocity is velocity


def evaluate_near(a, b) -> bool:
    values = {"a": 1.3, "b": 0.7}
    return a is b or abs(evaluate_float(a, values) - evaluate_float(b, values)) < 1e-15


def test_degrees_are_an_exact_multiple_of_pi():
    assert read("z°45").coordinates[0].position is PI_NODE / 4
    assert read("z°(7/3)").coordinates[0].position is number(Fraction(7, 540)) * PI_NODE


def test_joint_forces_and_the_mass_between_suffixes():
    system = read("u(x_p)°(x_0)'(v_0)$(m_p)\"(-c_1 u + c_3 u^3 - d_1 u' - d_0 sign u' + a sin f t)")
    expected = parse_formula("-c_1*x_p + c_3*x_p^3 - d_1*x_p' - d_0*sign(x_p') + a*sin(f*t)")
    assert system.forces == (JointEffort("x_p", "x_p", expected),)
    assert system.bodies[0].inertia.mass is symbol("m_p")
    assert system.coordinates[0].velocity is symbol("v_0")


def test_a_joint_force_may_feel_other_coordinates_and_its_name():
    system = read("z > y\"(k (z1 - y) - d (y' + y1') + q_2') > u(q_2)″(-u)")
    assert system.forces[0].effort is parse_formula("k*(z1 - y1) - d*(y1' + y1') + q_2'")
    assert system.forces[1].effort is -symbol("q_2")


def test_a_force_without_a_value_is_zero_and_noted():
    reading = read_text('z"', "mbsd.mbsd")
    assert reading.system.forces == (JointEffort("z1", "z1", ZERO),)
    assert any("joint force 0 by default" in d.message for d in reading.diagnostics)


# separators, names, repetition


def test_chains_and_names():
    system = read("z #a > z > z #c \\ #a x \\ y \\ #0 y #d > u")
    assert [(b.name, b.parent) for b in system.bodies] == [
        ("a", None), ("body2", "a"), ("c", "body2"), ("body4", "a"), ("body5", None), ("d", None),
        ("body7", "d"),
    ]  # fmt: skip


def test_generated_body_names_keep_out_of_the_way():
    assert [b.name for b in read("z > z #body1 > z").bodies] == ["body1_", "body1", "body3"]


def test_generated_body_names_may_be_referred_to():
    system = read("z i > z i \\ #body2 u $1 :(1) {1,0} < #body1 \\ #body2 u")
    assert [(b.name, b.parent) for b in system.bodies][2:] == [("body3", "body2"), ("body4", "body2")]
    assert system.constraints[0].second.body == "body1"


def test_repetition():
    system = read("(z i >)^9 z i g")
    assert len(system.bodies) == 10
    assert system.coordinate_names == tuple(f"z{n}" for n in range(1, 11))
    assert system == read(" > ".join(["z i"] * 10) + " g")
    assert read("((u)^2 i)^2 (z)") == read("u u i u u i z")
    assert read("z (> z i)^2") == read("z > z i > z i")


def test_newlines_and_comments_are_blanks():
    made = read("z % a comment; with > signs \n i\r\n\tg % и по-русски\n%\n%%")
    assert replace(made, omissions=()) == read("z i g")
    said = [(o.kind, o.what) for o in made.omissions]
    assert said == [("comment", "a comment; with > signs"), ("comment", "и по-русски"), ("line-end", "mixed")]


def test_comments_stand_first_in_what_is_written():
    made = read("% a pendulum\nz i g  % under gravity")
    assert write(made, "mbsd").text == "% a pendulum\n% under gravity\nz i\n; g-y\n"
    assert read(write(made, "mbsd").text) == made


def test_a_thousand_bodies_read_in_seconds():
    with at_most(20):
        system = read("(z i >)^999 z i g")
    assert len(system.bodies) == 1000


# connectors


def test_rods_and_bipolar_forces():
    text = (
        "z i #a > z i #b \\ #a {0.1,-c} :(L, 0.5) {1,2} < #b \\ #b :\"(k (L - @) - d @') i0.3 < #0 "
        "\\ z #c :(2) {1,0} \\ :(3) < #c"
    )
    system = read(text)
    a = Point("a", (number("0.1"), -symbol("c"), 0))
    assert system.constraints == (
        Rod("rod1", a, Point("b", (1, 2, 0)), symbol("L"), number("0.5")),
        Rod("rod2", Point("c"), Point(None, (1, 0, 0)), number(2)),
        Rod("rod3", Point(None), Point("c"), number(3)),
    )
    law = parse_formula("k*(L - @) - d*@'")
    assert system.forces == (Bipolar("bipolar1", Point("b"), Point(None, (number("0.3"), 0, 0)), law),)


def test_offsets_turn_what_follows_a_rotation():
    point = read("z #a \\ #a n(pi/2) i2 m(pi/2) k3 j1 :(1)").constraints[0].first
    assert point.position == (number(-1), number(5), ZERO)


def test_closures():
    system = read("z i #rod > z i #end \\ #end i(L) z(phi) = {a,b} n0.5 < #rod")
    closure = system.constraints[0]
    assert isinstance(closure, FrameCoincidence)
    assert closure.first.transformations == (translation("x", symbol("L")), rotation("z", Variable("phi")))
    right = (translation("x", symbol("a")), translation("y", symbol("b")), rotation("z", Constant(number("0.5"))))
    assert closure.second.transformations == right
    assert closure.auxiliary == ("phi",)
    assert system.coordinate_names == ("z1", "z2")


def test_a_segment_with_mass_or_name_before_a_connector_is_a_body():
    system = read("z #a \\ #a i $2 :(1) \\ #a i #b :(1) \\ i :(1)")
    assert [b.name for b in system.bodies] == ["a", "body2", "b", "body4"]
    assert [c.first for c in system.constraints] == [Point("body2"), Point("b"), Point("body4")]
