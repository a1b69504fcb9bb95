"""What stands in an input.dat beside joints: expressions, forces, what is kept, what is doubtful."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mbconcord.formalisms import registry as formalisms
from mbconcord.model import Bipolar, JointEffort, LinearLaw, NumbersError, Point, State
from mbconcord.model.expressions import PI_NODE, ZERO, evaluate_float, number, sin, sqrt, symbol, to_text
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.force import LENGTH, LENGTH_RATE
from mbconcord.model.numbers import parameter_values

from .um_files import BODY, HEAD, MODELS, WELD, Y, Z, joint, model, one, placed, steps, system, text


def test_expressions_and_identifiers_stay_symbolic():
    machine = system("gripper")
    values = {p.name: to_text(p.value) for p in machine.parameters}
    assert values == {
        "l1": "0.4", "l2": "0.5", "m1": "4", "m2": "3", "g0": "4.905*(m1 + m2)", "kp": "120", "kd": "8",
        "goal": "0.3", "pull": "2*goal^2 + sqrt(m1)",
    }  # fmt: skip
    assert [b.name for b in machine.bodies] == ["Колонна", "Плечо", "Схват"]
    phi, rate = symbol("phi"), symbol("phi'")
    assert machine.forces[0].effort is -symbol("kp") * (phi - symbol("goal")) - symbol("kd") * rate
    assert parameter_values(machine)["pull"] == pytest.approx(0.18 + 2)
    assert steps(machine, "Плечо") == [
        ("t", Z, "l1"), ("r", Z, "-0.25*pi"), ("r", Y, "psi"), ("r", Z, "0.25*pi"),
    ]  # fmt: skip


CASES = [
    ("-a*X", "", "-a*q", None),
    ("-A*x", "", "-a*q", "[I]"),
    ("-a*x", "cnst=(x# 7);", "-a*q", "the latter [?]"),
    ("-a*X", "cnst=(X# 7);", "-a*X", "the former [?]"),
    ("-a*x", "cnst=(X# 7);", "-a*q", "the latter [?]"),
    ("-v-T2*V", "cnst=(t2# 7);", "-(t2*q' + q')", "[I]"),
]


@pytest.mark.parametrize(("law", "row", "expected", "said"), CASES)
def test_x_and_v_are_the_coordinate_and_its_rate_whatever_else_has_these_names(law, row, expected, said):
    text = HEAD.replace("cnst=(a# 2);", f"cnst=(a# 2); {row}")
    force = f'with scalarforce; name="q"; type=expression; expression={law};'
    read = model(joint("rotat", one("0,0,1", "0,0,1") + force), WELD, head=text)
    effort = read.system.forces[0].effort
    assert effort is parse_formula(expected)
    assert [said in d.message for d in read.diagnostics if "case" in d.message or "may be" in d.message] == (
        [True] if said else []
    )


EXPRESSIONS = [
    ("2*(a+b)-a/2", 2 * (symbol("a") + symbol("b")) - symbol("a") / 2),
    ("-a*-b", symbol("a") * symbol("b")),
    ("1E6", number(10**6)),
    (" 9.E1", number(90)),
    ("-4.5E1+.5", number("-44.5")),
    ("sqr(a+1)", (symbol("a") + 1) * (symbol("a") + 1)),
    ("sqrt(2)*a/2", sqrt(number(2)) * symbol("a") / 2),
    ("2*pi*b", 2 * PI_NODE * symbol("b")),
    ("1.4142135623730950488016887242097", number(Fraction("1.4142135623730950488016887242097"))),
    ("", ZERO),
    ("((a))", symbol("a")),
    ("a-b-1", symbol("a") - symbol("b") - 1),
    ("a/b/2", symbol("a") / symbol("b") / 2),
    ("+a", symbol("a")),
]


@pytest.mark.parametrize(("source", "expected"), EXPRESSIONS)
def test_expressions(source, expected):
    body = f'with body1; name="B1"; m={source}; ixx=1; iyy=1; izz=1;\nwith body2; name="B2";\n'
    assert (
        model(joint("6dof", "with jnt6dof; angles=312;"), WELD, bodies=body).system.body("B1").inertia.mass is expected
    )


def test_what_no_real_file_shows_is_kept_without_a_value():
    law = 'with scalarforce; name="F"; type=expression; expression=-a*sin(x)+foo(v,a)+t+x^2;'
    read = model(joint("rotat", one("0,0,1", "0,0,1") + law), WELD)
    machine = read.system
    assert [(f.name, f.arguments, f.formula) for f in machine.functions] == [
        ("um_sin", ("x1",), None), ("um_foo", ("x1", "x2"), None), ("um_t", ("x1",), None),
    ]  # fmt: skip
    assert machine.metadata["um:functions"] == {"um_sin": "sin", "um_foo": "foo", "um_t": "t"}
    effort = to_text(machine.forces[0].effort)
    assert "um_sin(F)" in effort and "um_foo(F', a)" in effort and "um_t(t)" in effort
    assert sum("[?]" in d.message and d.severity == "warning" for d in read.diagnostics) == 4
    lagrange = formalisms.formalism("lagrange")
    lagrange.derive(machine)  # equations can be derived
    with pytest.raises(NumbersError, match="um_"):
        lagrange.evaluate(machine, [State()])


def test_forces():
    machine = system("suspension")
    x, v, t = symbol("jframe_wheel"), symbol("jframe_wheel'"), symbol("t")
    linear, spring, damper = machine.forces
    assert (linear.name, linear.coordinate) == ("jframe_wheel", "jframe_wheel")
    k, c, h = symbol("k"), symbol("c"), symbol("h")
    assert linear.effort == LinearLaw(symbol("p0"), k, h / 8, c, number(3), number(2), number("0.5"))
    assert linear.expression() is symbol("p0") - k * (x - h / 8) - c * v + 3 * sin(2 * t + number("0.5"))
    assert (spring.first, spring.second) == (
        Point("frame", (number("0.3"), ZERO, ZERO)),
        Point(None, (ZERO, number("0.2"), ZERO)),
    )
    assert spring.law == LinearLaw(k=k, l0=h, d=c)
    assert (damper.name, damper.law) == ("damper", -c * LENGTH_RATE - k * (LENGTH - h) / 10)
    assert isinstance(linear, JointEffort) and isinstance(damper, Bipolar)


def test_a_spring_pulls_when_it_is_longer_than_its_rest_length():
    """UM's linear law with the model's sign: positive pushes the points apart [I]."""
    machine = system("suspension")
    spring = machine.forces[1]
    values = parameter_values(machine)
    assert evaluate_float(spring.force(number(1), ZERO), values) == pytest.approx(-2e4 * (1 - 0.4))


def test_forces_have_names_of_their_own():
    law = 'with scalarforce; name="F"; type=expression; expression={};'
    ets = "".join(f"with et; type=tv; e{a}=1.; {law.format('-a*x')}" for a in "xyz")
    machine = model(joint("comm", ets), WELD).system
    assert [(f.name, f.coordinate) for f in machine.forces] == [("q1", "q1"), ("q2", "q2"), ("q3", "q3")]


LOST = [
    ('with cfrc; type=plane_point; bd1="B1"; bd2="Base0";', "contact forces"),
    ('with lfrc; name="L"; bd1="B1"; bd2="External"; type=elast;', "linear force elements"),
    ('with sfrc1; name="S"; type=bushing; bd1="B1"; bd2="B2";', "bushings"),
    ('with sfrc2; name="S"; type=maglev; bd1="B1"; bd2="B2";', "magnetic forces"),
    ('with sfrc3; name="S"; type=other; bd1="B1"; bd2="B2";', "special forces"),
    ('with conn; type=TLFrc; element="A.B"; extbody="B1";', "connections"),
    ('with bfrc; name="B"; bd1="B1"; bd2="External"; with scalarforce; name="B"; type=linear; k=1;', "outer object"),
    ('with bfrc; name="B"; bd1="B1"; bd2="B2"; with scalarforce; name="B"; type=library;', "library"),
    ('with bfrc; name="B"; bd1="B1"; bd2="B2";', "0 scalar forces"),
    (
        'with bfrc; name="B"; bd1="B1"; bd2="B2"; with scalarforce; name="B"; type=expression; '
        'expression=coordinate("j",1,0);',
        "coordinate",
    ),
    ('with foo; bar=1;', "unknown block foo"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "said"), LOST, ids=[said for _, said in LOST])
def test_what_acts_on_the_motion_is_a_warning_once(block, said):
    read = model(joint("6dof", "with jnt6dof; angles=312;"), WELD, tail="\n" + block + "\n" + block)
    found = [d for d in read.diagnostics if said in d.message]
    assert len(found) == 1
    assert found[0].severity == "warning"
    assert "2 times" in found[0].message
    assert not any(isinstance(f, Bipolar) for f in read.system.forces)
    assert found[0].location is not None


SHOWN = [
    'with go; name="G"; with ge; type=BAR;',
    'with sensor; name ="S";',
    "with curve; name=C;",
    'with var; name="w"; expression=1;',
]


@pytest.mark.parametrize("block", SHOWN)
def test_what_only_shows_is_a_note(block):
    read = model(joint("6dof", "with jnt6dof; angles=312;"), WELD, tail="\n" + block)
    assert [d.severity for d in read.diagnostics if "kept with the file" in d.message] == ["note"]


def test_unknown_attributes_are_said_once():
    bodies = BODY.replace("m=", "colour=3; m=")
    read = model(joint("6dof", "with jnt6dof; angles=312;"), WELD, bodies=bodies)
    found = [d for d in read.diagnostics if "colour" in d.message]
    assert [d.severity for d in found] == ["warning"]
    assert "2 times" in found[0].message


def test_the_file_is_kept_whole():
    for name in MODELS:
        assert "\n".join(system(name).metadata["um:text"]) == text(name)


def test_doubts_are_said_with_their_mark():
    read = model(joint("rotat", one("0,1,1", "0,1,1") + "\n"), WELD)
    assert any("length 1" in d.message and "[?]" in d.message for d in read.diagnostics)
    oblique = model(joint("rotat", one("0,0.6,0.8", "0,0,1")), WELD)
    assert any("oblique" in d.message and "[?]" in d.message for d in oblique.diagnostics)
    found = placed(oblique.system, {"q1": 0.0})["B1"]
    assert np.allclose(found[:3, :3] @ [0, 0, 1], [0, 0.6, 0.8], atol=1e-15)
    reverse = model(joint("transl", one("0,1,0", "0,1,0"), "B1", "Base0"), WELD)
    assert any("reversed joint transl was never seen [?]" in d.message for d in reverse.diagnostics)


def test_products_of_inertia_are_elements_of_the_matrix():
    """A bar from (0, 0, 0) to (0, a, a) of mass 3: ∫yz dm = m a²/12 about its centre, which UM gives as -m a²/12."""
    products = model(
        joint("6dof", "with jnt6dof; angles=312;"),
        WELD,
        bodies=BODY.replace("ixx=1", "ixx=0.5; iyz=-0.25").replace("iyy=1", "iyy=0.25").replace("izz=1", "izz=0.25"),
    )
    assert products.system.body("B1").inertia.tensor == tuple(map(number, ("0.5", "0.25", "0.25", 0, 0, "-0.25")))
    assert not any("product" in d.message or "matrix" in d.message for d in products.diagnostics)
