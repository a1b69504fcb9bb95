"""Reading MBSD: letters, names, defaults, suffixes, separators, connectors, gravity, and the ten rules."""

from __future__ import annotations

import json
import time
import tomllib
from fractions import Fraction
from importlib.resources import files
from math import cos, hypot, radians, sin

import pytest

from mbconcord.converters.registry import detect, format_named, read_text
from mbconcord.model import (
    Bipolar,
    Constant,
    FrameCoincidence,
    Function,
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
from mbconcord.model.check import physics
from mbconcord.model.diagnostics import NumbersError, ReadError
from mbconcord.model.expressions import ONE, PI_NODE, ZERO, call, evaluate_float, number, symbol, symbols
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.numbers import parameter_values
from mbconcord.model.transformation import X, Y, Z

FIXTURES = files("mbconcord.fixtures")
GOLDEN = tomllib.loads(FIXTURES.joinpath("mbsd/golden.toml").read_text("utf-8"))["golden"]
CATALOG = tomllib.loads(FIXTURES.joinpath("catalog.toml").read_text("utf-8"))["model"]


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
    assert system.gravity.direction == {"y": (ZERO, -ONE, ZERO), "z": (ZERO, ZERO, -ONE)}[golden["vertical"]]
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


def test_repetition():
    system = read("(z i >)^9 z i g")
    assert len(system.bodies) == 10
    assert system.coordinate_names == tuple(f"z{n}" for n in range(1, 11))
    assert system == read(" > ".join(["z i"] * 10) + " g")
    assert read("((u)^2 i)^2 (z)") == read("u u i u u i z")
    assert read("z (> z i)^2") == read("z > z i > z i")


def test_newlines_and_comments_are_blanks():
    assert read("z % a comment; with > signs \n i\r\n\tg % и по-русски") == read("z i g")


def test_a_thousand_bodies_read_in_seconds():
    began = time.perf_counter()
    system = read("(z i >)^999 z i g")
    assert len(system.bodies) == 1000
    assert time.perf_counter() - began < 20


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
    right = (
        translation("x", symbol("a")),
        translation("y", symbol("b")),
        rotation("z", Constant(number("0.5"))),
    )
    assert closure.second.transformations == right
    assert closure.auxiliary == ("phi",)
    assert system.coordinate_names == ("z1", "z2")


def test_a_segment_with_mass_or_name_before_a_connector_is_a_body():
    system = read("z #a \\ #a i $2 :(1) \\ #a i #b :(1) \\ i :(1)")
    assert [b.name for b in system.bodies] == ["a", "body2", "b", "body4"]
    assert [c.first for c in system.constraints] == [Point("body2"), Point("b"), Point("body4")]


# gravity

GRAVITY = [
    ("uvzijn g", symbol("g"), (ZERO, -ONE, ZERO)),
    ("uw g", symbol("g"), (ZERO, ZERO, -ONE)),
    ("z{1,2,3} g", symbol("g"), (ZERO, -ONE, ZERO)),
    ("zl g", symbol("g"), (ZERO, ZERO, -ONE)),
    ("z g-y", symbol("g"), (ZERO, -ONE, ZERO)),
    ("z gx", symbol("g"), X),
    ("z g -i", symbol("g"), (-ONE, ZERO, ZERO)),
    ("z g v", symbol("g"), Y),
    ("z g9.81 - k", number("9.81"), (ZERO, ZERO, -ONE)),
    ("z g+9.81w", number("9.81"), Z),
    ("z g(2 G)-y", 2 * symbol("G"), (ZERO, -ONE, ZERO)),
    ("z g{0,0,-2}", symbol("g"), (ZERO, ZERO, -ONE)),
    ("z g1.6{3,-4}", number("1.6"), (number("0.6"), -number("0.8"), ZERO)),
    ("z; g9.81-y [] {}", number("9.81"), (ZERO, -ONE, ZERO)),
    ("z g #a > z", symbol("g"), (ZERO, -ONE, ZERO)),
    ("z #a g > z", symbol("g"), (ZERO, -ONE, ZERO)),
]


@pytest.mark.parametrize(("text", "value", "direction"), GRAVITY)
def test_gravity(text, value, direction):
    gravity = read(text).gravity
    assert (gravity.value, gravity.direction) == (value, direction)


def test_no_gravity_item_is_no_gravity():
    assert read("z i").gravity is None


# assignments and functions


def test_assignments_are_free_in_order_and_place():
    system = read("z i(b) ; b = 2 a ; [] ; a = c^2, c = sin(pi/6), ; ")
    assert parameter_values(system)["b"] == pytest.approx(0.5, abs=1e-15)


def test_functions():
    system = read("i(JK(t)) j(h(2, a)) z\"(F(z, z', t)) ; JK(t) = a t^2, h(x, y) = x JK(y), a = 3")
    assert system.functions == (
        Function("JK", ("t",), parse_formula("a*t^2")),
        Function("h", ("x", "y"), parse_formula("x*JK(y)")),
        Function("F", ("z1", "z1'", "t"), None),
    )


def test_undeclared_functions_take_the_arguments_of_their_calls():
    system = read("z #a \\ #a :\"(F(t,@,@') + G(@) + G(t)) {1,0}")
    assert system.functions == (Function("F", ("t", "@", "@'")), Function("G", ("x1",)))


def test_bipolar_laws_may_be_functions_of_the_length():
    text = "z #a \\ #a :\"(F(t,@,@')) {1,0} ; F(t,@,@') = c (1 - @) - d @' + t, c = 2, d = 3"
    assert read(text).functions[0].formula is parse_formula("c*(1 - @) - d*@' + t")


def test_what_nothing_uses_is_warned_about():
    reading = read_text("z i; i2 = 3, f(t) = t", "mbsd.mbsd")
    warned = [(d.place, str(d.location)) for d in reading.diagnostics if d.severity == "warning"]
    assert warned == [("parameters/i2", "mbsd.mbsd:1:6"), ("functions/f", "mbsd.mbsd:1:14")]


def test_parameters_stand_in_order_of_appearance_in_the_model():
    assert names(read("z i(b) $(c) > u°(d) i(a + a_2) $1; e=1, g_0 = 2, c = e")) == [
        "b",
        "c",
        "a",
        "a_2",
        "d",
        "e",
        "g_0",
    ]


# the ten rules, each with what it allows and what it forbids

SAME = [
    (1, "u g z", "u gz"),
    (1, "z i g - y #a > z", "z i g-y #a > z"),
    (2, "u(x_p) (i)^2", "u(x_p) i i"),
    (2, "(z) (i)", "z i"),
    (3, "i2*j(a)", "i 2*j(a)"),
    (3, "i 2 j(a)", "i2 j(a)"),
    (4, "z$1{1,2}", "z $1 {1,2}"),
    (4, "z g{0,-1}$1{1,2}", "z $1 {1,2} g-y"),
    (5, "z i; ; a=1 ;; g-y ;", "z i; g-y; a=1"),
    (5, "z #a ; \\ #a x ; g", "z #a \\ #a x ; g"),
    (6, "z #a \\ #a {1,0} :(1) < #0", "z #a \\ #a {1,0} :(1)"),
    (7, 'u"(-c (u+1) - 2(u+1))', 'u"(-c*(u+1) - 2*(u+1))'),
    (7, "u\"(-u'(u+1))", "u\"(-u'*(u+1))"),
    (8, 'u"(a sin f t + sin u cos u)', 'u"(a*sin(f*t) + sin(u)*cos(u))'),
    (8, 'u"(sin(u) t - sin -u t)', 'u"(sin(u)*t + sin(u*t))'),
    (9, 'u"(-2^3^2 u + m_0 u/2)', 'u"(-512*u + (m_0*u)/2)'),
    (10, "\ufeffz°30′1″(−c z’)", "z°30'1\"(-c z')"),
    (10, "z˚30 i g", "zº30 i g"),
]
REFUSED = [
    (1, "u g z v"),
    (1, "z g > z g"),
    (2, "u(x)(y)"),
    (2, "z(i)(j)^2"),
    (3, "2*z"),
    (4, "z {}"),
    (5, "z; g a=1"),
    (5, "z; a=1, a=2"),
    (6, "z > > z"),
    (6, "z #a \\ #a u :(1)"),
    (7, 'z"(z(1))'),
    (8, 'u"(sin^2 u)'),
    (8, 'u"(sin cos u)'),
    (9, 'u"(1/2 m u)'),
    (9, 'u"(u 2)'),
    (10, "х i"),
]


@pytest.mark.parametrize(("rule", "text", "plain"), SAME)
def test_rules_allow(rule, text, plain):
    assert read(text) == read(plain)


@pytest.mark.parametrize(("rule", "text"), REFUSED)
def test_rules_refuse(rule, text):
    with pytest.raises(ReadError):
        read(text)


# places, fixtures, the record


def test_places_stand_in_the_text():
    reading = read_text("z°5 i(L) $3 [9,9,9] {0,1} #b\n\\ #b :(2) < #0 ; L = 2", "mbsd.mbsd")
    places = {place: (at.line, at.column) for place, at in reading.locations.items()}
    expected = {
        "bodies/b": (1, 1), "bodies/b/joint/1": (1, 5), "bodies/b/inertia/mass": (1, 10),
        "bodies/b/inertia/tensor": (1, 13),
        "bodies/b/inertia/centre": (1, 21), "coordinates/z1": (1, 1), "constraints/rod1": (2, 6),
        "parameters/L": (2, 18),
    }  # fmt: skip
    assert {place: places[place] for place in expected} == expected


def test_every_fixture_is_in_the_catalog_and_has_numbers():
    found = {
        f"{folder}/{path.name}"
        for folder in ("mbsd", "robots")
        for path in FIXTURES.joinpath(folder).iterdir()
        if path.name.endswith(".mbsd")
    }
    listed = {entry["file"] for entry in CATALOG if entry["file"].endswith(".mbsd")}
    assert listed == found
    for entry in CATALOG:
        if entry["file"] not in listed:
            continue
        assert entry["source"]
        assert entry["known"]
        system = read_text(fixture(entry["file"]), entry["file"]).system
        assert (len(system.bodies), len(system.coordinates)) == (entry["bodies"], entry["coordinates"])
        assert physics(system, parameter_values(system)) == []


@pytest.mark.parametrize("name", ["ur5", "panda", "talos"])
def test_robots_have_the_coordinates_of_their_reference(name):
    system = read(fixture(f"robots/{name}.mbsd"))
    reference = json.loads(fixture(f"robots/{name}.reference.json"))
    assert set(system.coordinate_names) == set(reference["coordinates"])
    assert all(len(state["q"]) == len(system.coordinates) for state in reference["states"])


def test_the_crane_starts_where_its_rods_fit():
    system = read(fixture("mbsd/patu655.mbsd"))
    values = parameter_values(system)
    assert system.coordinate_names == ("y1", "z1", "z2", "y2", "z3", "BHx", "BHy")
    x, y, jib = values["BHx0"], values["BHy0"], radians(values["jib0"])
    f = (values["BGx"] - values["FGx"], values["BGy"] - values["FGy"])
    i = (
        values["BGx"] + cos(jib) * values["GIx"] - sin(jib) * values["GIy"],
        values["BGy"] + sin(jib) * values["GIx"] + cos(jib) * values["GIy"],
    )
    assert values["HF"] == pytest.approx(hypot(x - f[0], y - f[1]), abs=1e-14)
    assert values["HI"] == pytest.approx(hypot(x - i[0], y - i[1]), abs=1e-14)
    e = (f[0] - values["EFx"], f[1] - values["EFy"])
    assert hypot(x - e[0], y - e[1]) == pytest.approx(values["EH0"], abs=1e-3)


def test_the_record():
    chosen = format_named("mbsd")
    assert detect("model.mbsd") is chosen
    assert chosen.sniff("z°30 i > z°30 i g")
    assert chosen.sniff("% a comment\n\\ {1,2} z")
    assert not chosen.sniff("<robot name='x'>")
    assert not chosen.sniff('{"format": "mbconcord"}')
    assert not chosen.sniff("Some prose about a model")
    assert read_text("z i g", "-", "mbsd").system.name == "mbsd"
    assert read_text("z i g", "folder/crane.mbsd").system.name == "crane"
