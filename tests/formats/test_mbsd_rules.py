"""MBSD: gravity, assignments, functions, the ten rules of the grammar, places in the text, fixtures."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from math import cos, hypot, radians, sin
from pathlib import Path

import pytest
from lark import Lark, logger

from mbconcord.converters.mbsd.syntax import GRAMMAR
from mbconcord.converters.registry import detect, format_named, read_text
from mbconcord.model import Function, System
from mbconcord.model.checks.physics import physics
from mbconcord.model.diagnostics import ReadError
from mbconcord.model.expressions import ONE, ZERO, number, symbol
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.numbers import parameter_values
from mbconcord.model.transformation import X, Y, Z

FIXTURES = files("mbconcord.fixtures")


def read(text: str) -> System:
    return read_text(text, "mbsd.mbsd").system


def fixture(path: str) -> str:
    return FIXTURES.joinpath(path).read_text("utf-8")


def names(system: System) -> list[str]:
    return [p.name for p in system.parameters]


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


WITHOUT_FORMULA = [
    ('z"(-k(z1-0.2)) i', "functions/k", "1:5", "define it: k(…) = …; for a product write k*(z1 - 0.2)"),
    ('z"(2 k(z) + k(1))', "functions/k", "1:6", "define it: k(…) = …; for a product write k*(z)"),
    ("z i(JK(t))", "functions/JK", "1:5", "define it: JK(…) = …; for a product write JK*(t)"),
    ('z"(f(z,t))', "functions/f", "1:4", "define it: f(…) = …"),
    ("z i(f'(t))", "functions/f", "1:5", "define it: f(…) = …"),
]


@pytest.mark.parametrize(("text", "place", "at", "remedy"), WITHOUT_FORMULA)
def test_functions_without_a_formula_are_warned_about(text, place, at, remedy):
    (warning,) = [d for d in read_text(text, "mbsd.mbsd").diagnostics if d.severity == "warning"]
    assert (warning.place, str(warning.location), warning.remedy) == (place, f"mbsd.mbsd:{at}", remedy)
    assert read(text).functions[0].formula is None


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


def test_the_examples_of_the_page_can_be_read():
    page = (Path(__file__).parents[2] / "docs" / "formats" / "mbsd.md").read_text("utf-8")
    blocks = re.findall(r"```mbsd\n(.*?)```", page, re.DOTALL)
    assert blocks
    for block in blocks:
        system = read(block)
        assert physics(system, parameter_values(system)) == []


def test_the_grammar_has_no_conflicts(caplog):
    """lark resolves a conflict of shift and reduce silently, and says so at level DEBUG."""
    logger.setLevel("DEBUG")
    logger.addHandler(caplog.handler)
    try:
        Lark(GRAMMAR.text, parser="lalr", lexer="contextual", debug=True)
        assert "conflict" not in caplog.text.lower()
        Lark('start: "i" start | "i" start "e" start | "x"', parser="lalr", debug=True)
        assert "conflict" in caplog.text.lower()
    finally:
        logger.removeHandler(caplog.handler)
        logger.setLevel("CRITICAL")
