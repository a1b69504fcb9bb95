"""Own equations as a witness: right ones agree, wrong ones are located, a failed conversion accuses nobody."""

from __future__ import annotations

import json
import math
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sympy", reason="SymPy is not installed")

import sympy as sm
from sympy.physics import mechanics as me

import mbconcord
from mbconcord import MbconcordError
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.model.expressions import sympy_exchange
from mbconcord.reports import text

from .derivations import ABSOLUTE, CART, PENDULUM, cart, pendulum, t

VECTORS = Path(__file__).parents[4] / "shared" / "specs" / "vectors" / "own_equations"
FEW = ("lagrange", "newton_euler")
q1, q2, u1 = me.dynamicsymbols("q1 q2 u1")
m = sm.Symbol("m")


def check(model: str, mine: Any, **options: Any) -> Any:
    """Check a model in MBSD by two formalisms."""
    read = mbconcord.read(text=model, format="mbsd")
    return mbconcord.check(read, against=mine, formalisms=FEW, states=3, **options)


def read_said(found: Any) -> dict[str, Any]:
    """Return what is said of the equations in JSON."""
    whole: dict[str, Any] = json.loads(json.dumps(found.to_json()))["against"]["own"]
    return whole


def test_lagranges_equations_in_absolute_angles_are_proved() -> None:
    found = check(PENDULUM, mbconcord.own(pendulum(), coordinates=ABSOLUTE))
    assert found.verdict == "agrees"
    assert found.stands
    proofs = [c.exact for c in found.comparisons]
    assert all(x is not None and x.kind == "identical" and x.log2 is not None and x.log2 < -200 for x in proofs)
    quantities = [c.quantity for c in found.comparisons if c.b == FEW[0]]
    assert quantities == [
        "M", "gravity", "other forces", "linear in rates", "quadratic in rates", "forcing", "acceleration"
    ]  # fmt: skip
    assert {c.a for c in found.comparisons} == {"yours"}
    assert {c.b for c in found.comparisons} == {*FEW}


def test_kanes_equations_with_speeds_of_their_own_are_proved() -> None:
    assert check(CART.replace("x", "s").replace("(th)", "(a)"), cart()).verdict == "agrees"
    found = check(CART, mbconcord.own(cart(), coordinates={"x": "s", "th": "a"}))
    assert found.verdict == "agrees"
    assert found.against.to_json()["matching"]["coordinates"] == {"x": "s", "th": "a"}


@pytest.mark.slow
def test_the_users_coordinates_by_the_models_are_taken_too() -> None:
    mine = mbconcord.own(pendulum(), coordinates={"th1": "q1 + pi/2", "th2": "q1 + q2 + pi/2"})
    assert check(PENDULUM, mine).verdict == "agrees"
    wrong = mbconcord.own(pendulum("no half"), coordinates={"th1": "q1 + pi/2", "th2": "q1 + q2 + pi/2"})
    assert read_said(check(PENDULUM, wrong))["entries"]["M"] == [["q1'", "q1'"]]


def simple(sign: int = 1, q: Any = None) -> tuple[Any, Any, Any]:
    """Matrices of a pendulum that hangs along x."""
    q1 = q or me.dynamicsymbols("q1")
    m, l, g = sm.symbols("m l g")
    return sm.Matrix([m * l**2]), sm.Matrix([-sign * m * g * l * sm.sin(q1)]), q1


SIMPLE = "z(q1) $(m)[0,m*l^2,m*l^2]{l,0} #bob ; g(g)i; m=2,l=0.7,g=9.81"


def test_matrices_and_residuals_are_read() -> None:
    M, f, q1 = simple()
    a = q1.diff(t, 2)
    for source in ((M, f), {"M": M, "forcing": f}, {"residual": M * a - f}):
        assert check(SIMPLE, mbconcord.own(source, q=["q1"])).verdict == "agrees"
        assert check(SIMPLE, mbconcord.own(source, q=[q1])).verdict == "agrees"


def test_a_system_of_joints_is_read() -> None:
    wall = me.RigidBody("wall")
    q, u = me.dynamicsymbols("q1 u1")
    m, l, g = sm.symbols("m l g")
    frame = me.ReferenceFrame("F")
    centre = me.Point("C")
    bob = me.RigidBody("bob", centre, frame, m, (me.inertia(frame, 0, 0, 0), centre))
    joint = me.PinJoint("pin", wall, bob, q, u, joint_axis=wall.z, child_point=-l * bob.x)
    whole = me.System.from_newtonian(wall)
    whole.add_joints(joint)
    whole.apply_uniform_gravity(g * wall.x)
    with pytest.raises(MbconcordError, match="not formed"):
        mbconcord.own(whole)
    whole.form_eoms()
    assert check(SIMPLE, mbconcord.own(whole)).verdict == "agrees"


def test_equations_of_coordinates_that_the_author_does_not_have_are_told_by_their_rates() -> None:
    """A disc that rolls: its way x follows from its turning, and nothing depends on it."""
    th = me.dynamicsymbols("th")
    m, R = sm.symbols("m R")
    model = "u(x) z(th) $(m)[0,0,m*R^2/2] #disc ; m=2, R=0.3"
    mine = mbconcord.own(
        (sm.Matrix([3 * m * R**2 / 2]), sm.Matrix([0])), q=[th], u=["w"], qdot={th: me.dynamicsymbols("w")},
        rates={"x": "-R*w"},
    )  # fmt: skip
    found = check(model, mine)
    assert [c.verdict for c in found.comparisons if c.quantity == "M"] == ["agrees", "agrees"]


def test_fewer_or_more_speeds_than_the_model_moves_in_are_not_checked() -> None:
    """What ties coordinates that the author does not have, or has more of, is told and not compared."""
    x, y = me.dynamicsymbols("x y")
    m, g = sm.symbols("m g")
    model = "u(x) v(y) $(m) #bob ; g(g)-y; m=1,g=9.81"
    one = sm.Matrix([m]), sm.Matrix([0])
    for told in ({"coordinates": {"y": "3"}}, {"rates": {"y": "0"}}):
        found = check(model, mbconcord.own(one, q=[x], **told))
        assert found.verdict == "not checked"
        assert "what ties the model's 2 coordinates to your 1 speed" in str([c.explanation for c in found.comparisons])
    free = sm.diag(m, m), sm.Matrix([m * g, 0])
    mine = mbconcord.own(free, q=[x, y], coordinates={"x": "l*cos(q1)", "y": "l*sin(q1)"})
    assert check(SIMPLE, mine).verdict == "not checked"


def test_all_that_is_told_is_printed() -> None:
    M, f, q1 = simple()
    mine = mbconcord.own(
        (M, f + sm.Matrix([me.dynamicsymbols("F") + sm.Symbol("c") * q1])),
        q=[q1], inputs={"F": "0"}, symbols={"c": "0"},
    )  # fmt: skip
    found = check(SIMPLE, mine)
    assert [str(d) for d in found.diagnostics if d.place.startswith("yours/")] == [
        "yours/symbols: note: as told: c = 0", "yours/inputs: note: as told: F = 0"
    ]  # fmt: skip
    assert (read_said(found)["symbols"], read_said(found)["inputs"]) == ({"c": "0"}, {"F": "0"})


def test_rows_whose_factor_vanishes_are_judged_where_they_are_regular() -> None:
    M, f, q1 = simple()
    found = check(SIMPLE, mbconcord.own((sm.sin(q1) * M, sm.sin(q1) * f), q=[q1]))
    assert found.headline.startswith("agrees where your M is regular")
    assert "regular" not in check(SIMPLE, mbconcord.own((2 * M, 2 * f), q=[q1])).headline


def test_without_a_proof_combined_rows_are_not_judged() -> None:
    M, f, q1 = simple()
    found = mbconcord.check(
        mbconcord.read(text=SIMPLE, format="mbsd"), against=mbconcord.own((2 * M, 2 * f), q=[q1]), exact="off"
    )
    assert found.verdict == "not checked"
    assert "rows may be combined" in str([c.explanation for c in found.comparisons])


def test_a_function_without_a_formula_is_refused() -> None:
    q1, F = me.dynamicsymbols("q1 F")
    m = sm.Symbol("m")
    with pytest.raises(MbconcordError, match=r"functions/F: .*define it, or write a parameter in its place"):
        check('u(q1)"(F(t)) $(m) #a', mbconcord.own((sm.Matrix([m]), sm.Matrix([F])), q=[q1]))


@pytest.mark.slow
def test_rows_that_are_combined_are_no_mistake() -> None:
    lagrange = pendulum()
    E = sm.Matrix([[1, 2], [0, -3]])
    mine = (E * lagrange.mass_matrix, E * lagrange.forcing)
    found = check(PENDULUM, mbconcord.own(mine, q=["th1", "th2"], coordinates=ABSOLUTE))
    assert found.verdict == "agrees"
    assert {c.quantity for c in found.comparisons} == {"acceleration"}
    assert read_said(found)["combined"] is True
    notes = " ".join(map(str, found.diagnostics))
    assert "[th1'] is 1 times [th1'] + 2 times [th2'], [th2'] is -3 times [th2']" in notes
    th1, m1 = me.dynamicsymbols("th1"), sm.Symbol("m1")
    odd = sm.Matrix([[1 / m1, 2], [sm.sin(th1), -3]])
    mine = (odd * lagrange.mass_matrix, odd * lagrange.forcing)
    found = check(PENDULUM, mbconcord.own(mine, q=["th1", "th2"], coordinates=ABSOLUTE))
    assert found.verdict == "agrees"
    assert "combined, with the same accelerations" in " ".join(map(str, found.diagnostics))
    mine = (odd * lagrange.mass_matrix, E * lagrange.forcing)
    assert check(PENDULUM, mbconcord.own(mine, q=["th1", "th2"], coordinates=ABSOLUTE)).verdict == "disagrees"


def test_a_factor_lost_where_it_is_one_is_told_by_the_headline() -> None:
    z1 = me.dynamicsymbols("z1")
    m1, g = sm.symbols("m1 g")
    mine = mbconcord.own((sm.Matrix([m1]), sm.Matrix([-m1 * g * sm.cos(z1)])), q=[z1])
    found = mbconcord.check(mbconcord.read(text="zig", format="mbsd"), against=mine)
    assert found.headline.startswith("agrees where i1 = 1")
    assert found.to_json()["against"]["where"] == "i1 = 1"


def test_numbers_in_the_place_of_the_models_names_are_taken_by_their_value() -> None:
    q1 = me.dynamicsymbols("q1")
    m, l = sm.symbols("m l")
    M, f = sm.Matrix([m * l**2]), sm.Matrix([-9.81 * m * l * sm.sin(q1)])
    found = check(SIMPLE, mbconcord.own((M, f), q=[q1]))
    assert found.verdict == "agrees"
    assert found.headline.startswith("agrees where g = 9.81")
    assert "you have numbers with g = 9.81" in str([c.exact for c in found.comparisons])
    assert "compared with the values g = 9.81: what differs for others" in " ".join(map(str, found.diagnostics))
    off = mbconcord.own((M, f.subs(9.81, 9.8100001)), q=[q1])
    assert check(SIMPLE, off).verdict == "disagrees"


@pytest.mark.parametrize("options", [{"exact": "off"}, {}])
def test_what_floats_decide_holds_for_the_values_that_are_not_named(options: dict[str, Any]) -> None:
    """A length lost where it is one; |m| / m is not proved."""
    q1, m, g = me.dynamicsymbols("q1"), sm.Symbol("m"), sm.Symbol("g")
    M, f = sm.Matrix([m]), sm.Matrix([-m * g * sm.sin(q1)])
    if not options:
        M *= sm.Abs(m) / m
    found = check(SIMPLE.replace("l=0.7", "l=1"), mbconcord.own((M, f), q=[q1]), **options)
    assert found.headline.startswith("agrees where l = 1")
    f = f.subs(g, 9.81)
    found = check(SIMPLE.replace("l=0.7", "l=1"), mbconcord.own((M, f), q=[q1]), **options)
    assert found.headline.startswith("agrees where g = 9.81, l = 1")


def test_a_cause_by_the_values_of_parameters_names_them() -> None:
    q1, m, g, l = me.dynamicsymbols("q1"), *sm.symbols("m g l")
    mine = mbconcord.own((sm.Matrix([2 * m * l]), sm.Matrix([-m * g * sm.sin(q1)])), q=[q1])
    found = check(SIMPLE.replace("l=0.7", "l=1"), mine)
    assert read_said(found)["why"].startswith("the tensor of bob is taken about its centre of mass")
    assert read_said(found)["why_where"] == "m = 2, l = 1, g = 9.81"
    assert found.diagnostics[-1].message.endswith(" (where m = 2, l = 1, g = 9.81)")


def test_a_cause_is_found_through_coordinates_that_are_no_sums() -> None:
    """The terms quadratic in the rates are of the coordinate here, and the change is of M alone."""
    s, inertia = me.dynamicsymbols("s"), sm.Symbol("I")
    turn = s + s**3
    slope = turn.diff(s)
    M = sm.Matrix([2 * inertia * slope**2])
    f = -2 * inertia * slope * slope.diff(s) * s.diff() ** 2 - sm.Symbol("k") * turn * slope
    found = check(
        'z(q1)"(-k*q1) $(1)[I,I,I] #top ; I=0.3,k=2',
        mbconcord.own((M, sm.Matrix([f])), q=[s], coordinates={"q1": "s + s^3"}),
    )
    assert read_said(found)["why"] == "mass and tensor of top are doubled"


def test_a_cause_that_floats_alone_confirm_is_not_stated() -> None:
    """The tensor is doubled but for a part that floats do not see: with the cause not all agrees."""
    q1, inertia = me.dynamicsymbols("q1"), sm.Symbol("I")
    for part, cause in ((sm.Integer(0), "mass and tensor of top are doubled"), (sm.Rational(1, 10**18), "")):
        mine = mbconcord.own((sm.Matrix([(2 + part) * inertia]), sm.Matrix([0])), q=[q1])
        assert read_said(check("z(q1) $(1)[I,I,I] #top ; I=0.3", mine))["why"] == cause


def turning(orient: Any, omega: Any = None) -> Any:
    """Kane's equations of a body whose orientation is set by ``orient``, its angular velocity by ``omega`` or SymPy."""
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    B = me.ReferenceFrame("B")
    orient(N, B, q1, q2)
    rates = {q1.diff(t): u1, q2.diff(t): u2}
    B.set_ang_vel(N, omega(N, B, q1, u1, u2) if omega else B.ang_vel_in(N).subs(rates))
    O.set_vel(N, 0)
    body = me.RigidBody("b", O, B, sm.Symbol("m"), (me.inertia(B, *sm.symbols("I1 I2 I3")), O))
    kane = me.KanesMethod(N, q_ind=[q1, q2], u_ind=[u1, u2], kd_eqs=[q1.diff(t) - u1, q2.diff(t) - u2])
    kane.kanes_equations([body], [(B, sm.Symbol("c") * B.z)])
    return kane


def test_an_angular_velocity_that_is_not_the_rate_of_its_orientation_is_found() -> None:
    def by_turns(N: Any, B: Any, q1: Any, q2: Any) -> None:
        B.orient_body_fixed(N, [q1, q2, 0], "ZXY")

    said = "the angular velocity of B is not the rate of its orientation"
    assert mbconcord.own(turning(by_turns)).findings == ()
    right = mbconcord.own(turning(by_turns, lambda N, B, q1, u1, u2: u1 * N.z + u2 * B.x))
    assert (right.findings, right.notes) == ((), ())
    for omega in (
        lambda N, B, q1, u1, u2: u1 * B.z + u2 * B.x,
        lambda N, B, q1, u1, u2: u1 * N.z - u2 * B.x,
        lambda N, B, q1, u1, u2: u1 * N.z,
    ):
        assert said in mbconcord.own(turning(by_turns, omega)).findings


@pytest.mark.parametrize("wrong", [0, 1])
def test_two_frames_of_one_name_are_both_looked_at(wrong: int) -> None:
    q, u = me.dynamicsymbols("q1:3"), me.dynamicsymbols("u1:3")
    N, O, inertia = me.ReferenceFrame("N"), me.Point("O"), sm.Symbol("I")
    O.set_vel(N, 0)
    bodies = []
    for i in range(2):
        B = me.ReferenceFrame("B")
        B.orient_axis(N, q[i], N.z)
        B.set_ang_vel(N, (2 if i == wrong else 1) * u[i] * N.z)
        bodies.append(me.RigidBody(f"b{i}", O, B, sm.Symbol("m"), (me.inertia(B, inertia, inertia, inertia), O)))
    kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=[x.diff(t) - y for x, y in zip(q, u, strict=True)])
    kane.kanes_equations(bodies, [(O, 0 * N.x)])
    assert mbconcord.own(kane).frames == ("the angular velocity of B is not the rate of its orientation",)


def test_an_orientation_whose_rate_is_not_known_accuses_nobody() -> None:
    """A turn told as a function of time, parameters of Euler that are no unit, and no orientation at all."""

    def by_time(N: Any, B: Any, q1: Any, q2: Any) -> None:
        B.orient_body_fixed(N, [q1, me.dynamicsymbols("F"), 0], "ZXY")

    def by_four(N: Any, B: Any, q1: Any, q2: Any) -> None:
        B.orient_quaternion(N, (q1, q2, 0, 0))

    for orient, words in (
        (by_time, "depends on F, whose rate is not known"),
        (by_four, "not proved to be of unit length"),
        (lambda *_: None, "the angular velocity of B was not looked at"),
    ):
        own = mbconcord.own(turning(orient, lambda N, B, q1, u1, u2: u1 * B.z))
        assert own.frames == ()
        assert words in str(own.notes)


def test_auxiliary_speeds_are_told() -> None:
    x, u, aux = me.dynamicsymbols("x u aux")
    N, P = me.ReferenceFrame("N"), me.Point("P")
    P.set_vel(N, u * N.x + aux * N.y)
    method = me.KanesMethod(N, q_ind=[x], u_ind=[u], u_auxiliary=[aux], kd_eqs=[x.diff(t) - u])
    method.kanes_equations([me.Particle("p", P, sm.Symbol("m"))], [(P, 0 * N.x)])
    found = check("u(x) $(m) #bob ; m=1", method)
    assert found.verdict == "agrees"
    assert "auxiliary equations were not looked at" in " ".join(map(str, found.diagnostics))


def test_a_force_quadratic_in_the_rates_is_no_contradiction() -> None:
    q1, k, b, m = me.dynamicsymbols("q1"), *sm.symbols("k b m")
    mine = mbconcord.own((sm.Matrix([m]), sm.Matrix([-k * q1 - b * q1.diff() ** 2])), q=[q1])
    found = check("u(q1)\"(-k*q1-b*q1'*q1') $(m) #a ; m=1,k=3,b=0.1", mine)
    assert found.verdict == "agrees"
    assert "yours/alone" not in {d.place for d in found.diagnostics}
    mine = mbconcord.own((sm.Matrix([m]), sm.Matrix([-b * q1.diff() ** 2])), q=[q1])
    found = check("u(q1)\"(-k*q1-b*q1'*q1') $(m) #a ; m=1,k=3,b=0.1", mine)
    assert found.verdict == "disagrees"
    assert "yours/alone" not in {d.place for d in found.diagnostics}  # the spring is lost, and the drag is the model's
    mine = mbconcord.own((sm.Matrix([m]), sm.Matrix([-k * q1 - 2 * b * q1.diff() ** 2])), q=[q1])
    found = check("u(q1)\"(-k*q1-b*q1'*q1') $(m) #a ; m=1,k=3,b=0.1", mine)
    assert "yours/alone" in {d.place for d in found.diagnostics}


def test_symbols_and_inputs_are_formulas_of_the_model() -> None:
    q1, F = me.dynamicsymbols("q1 F")
    J, g, m, l = sm.symbols("J g m l")
    M, f = sm.Matrix([J]), sm.Matrix([-m * g * l * sm.sin(q1) + F])
    with pytest.raises(MbconcordError, match=r"found 'F' in your equations; the model has g, l, m(.|\n)*found 'J'"):
        check(SIMPLE, mbconcord.own((M, f), q=[q1]))
    told: dict[str, Any] = {"symbols": {"J": "m*l^2"}, "inputs": {"F": "0"}}
    assert check(SIMPLE, mbconcord.own((M, f), q=[q1], **told)).verdict == "agrees"
    found = check(SIMPLE, mbconcord.own((M, f), q=[q1], parameters={"J": 0.98, "F": 0}))
    assert found.verdict == "agrees"
    assert {c.exact.scope for c in found.comparisons} == {
        "for all states, where you have numbers with g = 9.81, l = 0.7, m = 2"
    }
    assert check(SIMPLE, mbconcord.own((M, f), q=[q1], parameters={"J": 0.99, "F": 0})).verdict == "disagrees"


@pytest.mark.parametrize(
    ("mass", "force", "verdict"),
    [
        ([[3, 0], [0, 2]], 1, "agrees"),
        ([[6, 0], [0, 4]], 2, "agrees"),  # both rows twice
        ([[-3, 0], [0, -2]], -1, "agrees"),
        ([[6, 4], [0, 2]], 2, "agrees"),  # the first row twice, and the second one two times
        ([[3, 0], [0, 3]], 1, "not checked"),  # a wrong mass, or the second row 3/2 times
        ([[6, 0], [0, 3]], 2, "not checked"),
        ([[3, 2], [0, 2]], 1, "not checked"),
        ([[6, 4 * q1 + 4], [0, 2]], 2, "not checked"),
        ([[4, 0], [0, 2]], 1, "disagrees"),
        ([[6, 0], [0, 4]], 1, "disagrees"),
    ],
)
def test_rows_of_a_speed_that_never_accelerates(mass: list[list[Any]], force: int, verdict: str) -> None:
    """Without a force every mass has the same acceleration, zero: nobody is accused, and no mass is called right."""
    m, k = sm.symbols("m k")
    model = 'u(q1)"(-k*q1) $(m) #a > v(q2) $(2*m) #b ; g(0)-y; m=1,k=3'
    found = check(model, mbconcord.own((m * sm.Matrix(mass), sm.Matrix([-force * k * q1, 0])), q=[q1, q2]))
    assert found.verdict == verdict
    assert ("rows " in str([c.explanation for c in found.comparisons])) == (verdict == "not checked")
    assert read_said(found)["combined"] == (verdict == "agrees" and force != 1)


def test_rows_where_nothing_accelerates_are_not_judged() -> None:
    m = sm.Symbol("m")
    model = "u(q1) $(m) #a > v(q2) $(2*m) #b ; g(0)-y; m=1"
    for mass, verdict in ((sm.diag(3, 2), "agrees"), (sm.diag(6, 4), "not checked"), (sm.ones(2), "disagrees")):
        found = check(model, mbconcord.own((m * mass, sm.Matrix([0, 0])), q=[q1, q2]))
        assert found.verdict == verdict, mass
    found = check(model, mbconcord.own((m * sm.diag(6, 4), sm.Matrix([0, 0])), q=[q1, q2]), exact="off")
    assert found.verdict == "not checked"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "part", "entries", "alone", "cause"),
    [
        ("relative", "M", [["th1'", "th1'"], ["th1'", "th2'"], ["th2'", "th1'"]], ["I2"], ""),
        ("no half", "M", [["th1'", "th1'"]], ["I1"], "the tensor of upper is doubled"),
        ("g sign", "gravity", [["th1'"], ["th2'"]], ["g"], "gravity points the other way"),
        ("coriolis lost", "quadratic in rates", [["th1'"]], ["c2", "l1", "m2"], ""),
    ],
)
def test_a_mistake_of_the_pendulum_is_located(
    wrong: str, part: str, entries: list[list[str]], alone: list[str], cause: str
) -> None:
    mine = mbconcord.own(pendulum(wrong), q=["th1", "th2"], coordinates=ABSOLUTE)
    found = check(PENDULUM, mine)
    own = read_said(found)
    assert found.verdict == "disagrees"
    assert own["entries"][part] == entries
    assert own["alone"][part] == alone
    assert own["why"] == cause
    ratio = "gravity: yours is -1 times the model's" in [d.message for d in found.diagnostics]
    assert ratio == (wrong == "g sign")
    follows = "do not follow from M" in " ".join(own["findings"])
    assert follows == (wrong == "coriolis lost")
    assert bool(mine.findings) == follows


@pytest.mark.slow
def test_a_damper_of_the_other_sign_and_a_weight_at_the_pivot() -> None:
    found = check(CART, mbconcord.own(cart("damper"), coordinates={"x": "s", "th": "a"}))
    assert read_said(found)["alone"] == {"linear in rates": ["b"]}
    assert read_said(found)["why"] == "the damping of x has the other sign"
    first = next(c for c in found.comparisons if c.quantity == "linear in rates")
    [terms] = first.terms
    assert [(x.monomial, x.first, x.second) for x in terms.terms] == [("b*v", 1, -1)]
    printed = text.one_file(found)
    assert "yours are the model's with one change: the damping of x has the other sign" in printed
    assert "the difference vanishes with b alone" in printed
    found = check(CART, mbconcord.own(cart("weight at pivot"), coordinates={"x": "s", "th": "a"}))
    assert read_said(found)["alone"] == {"gravity": ["L", "g", "mp"]}
    cause = "there is no gravity, or weights act at points that your coordinates do not move"
    assert f"yours are the model's with one change: {cause}" in text.one_file(found)


def test_a_matrix_that_is_not_symmetric_is_found_without_a_model() -> None:
    a, b = me.dynamicsymbols("a b")
    M = sm.Matrix([[2, sm.cos(a)], [sm.cos(b), 1]])
    mine = mbconcord.own((M, sm.Matrix([0, 0])), q=[a, b])
    assert mine.findings[0] == "M is not symmetric: M[a', b'] and M[b', a'] differ"
    assert "M is not symmetric" in repr(mine)


def test_a_wrong_conversion_is_never_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sympy_exchange._NAMES, "sin", "cos")
    with pytest.raises(DisagreementError, match="not converted: SymPy gives"):
        mbconcord.own(simple()[:2], q=["q1"])


def test_constraints_are_not_dropped_silently() -> None:
    x, y = me.dynamicsymbols("x y")
    m, g, l = sm.symbols("m g l")
    L = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m * g * y
    lagrange = me.LagrangesMethod(L, [x, y], hol_coneqs=[x**2 + y**2 - l**2])
    lagrange.form_lagranges_equations()
    found = check("u(x) v(y) $(m) #bob ; g(g)-y; m=1,g=9.81", mbconcord.own(lagrange, symbols={"l": "1"}))
    assert found.verdict == "not checked"
    assert "multipliers" in str([c.explanation for c in found.comparisons if c.verdict == "not checked"])
    assert {c.verdict for c in found.comparisons if c.quantity != "constraints"} == {"agrees"}


ONE = sm.Matrix([m]), sm.Matrix([0])


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (cart(formed=False), {}, "KanesMethod: error: kanes_equations was not called"),
        (me.LagrangesMethod(m * q1.diff(t) ** 2, [q1]), {}, "form_lagranges_equations was not called"),
        (ONE, {}, "matrices without coordinates"),
        ("M.py", {}, "found str"),
        ({"M": m}, {"q": [q1]}, "expected M and forcing, or residual"),
        ((sm.Matrix([[m, 0, 1], [0, m, 1]]), sm.Matrix([0, 0])), {"q": [q1, q2]}, "M is 2 by 3"),
        ((sm.Matrix([m]), sm.Matrix([q1.diff(t, 2)])), {"q": [q1]}, "found q1''.*other side"),
        (
            (sm.Matrix([m]), sm.Matrix([sm.nan])),
            {"q": [q1]},
            r"forcing\[1\]: error: found nan: SymPy has divided by zero",
        ),
        ((sm.Matrix([m / sm.Integer(0)]), sm.Matrix([0])), {"q": [q1]}, r"M\[1, 1\]: error: found zoo"),
        (([["__import__('os')"]], [0]), {"q": [q1]}, r"M\[1, 1\]: error: found .*no expression of SymPy"),
        ((sm.Matrix([m]), sm.Matrix([sm.Heaviside(q1, 1)])), {"q": [q1]}, r"forcing\[1\]: error: .*Heaviside"),
        ((sm.Matrix([m]), sm.Matrix([sm.Piecewise((q1, q1 > 0))])), {"q": [q1]}, r"forcing\[1\]: "),
        ((sm.Matrix([m]), sm.Matrix([sm.Symbol("m", positive=True)])), {"q": [q1]}, "two different symbols"),
        ((sm.Matrix([sm.Symbol("q1")]), sm.Matrix([q1])), {"q": [q1]}, "'q1' is a parameter and a function of time"),
        (ONE, {"q": [q1], "u": [u1]}, "no rate of q1 by the speeds"),
        ({"residual": sm.Matrix([m * q1.diff(t, 2) ** 2])}, {"q": [q1]}, "not linear in q1''"),
        ({"residual": sm.Matrix([[m * q1.diff(t, 2), 7]])}, {"q": [q1]}, "found a row of 2 entries.*a column"),
        (
            (sm.Matrix([m]), sm.Matrix([me.dynamicsymbols("q1", real=True) + q1])),
            {"q": [q1]},
            "two different functions",
        ),
        (ONE, {"q": [q1], "qdot": {q1: 2 * q1.diff()}}, "formulas of rates, and no speeds"),
        (ONE, {"q": ["q1"], "u": ["q1"], "qdot": {"q1": q1}}, "two of them have one name"),
        ((sm.diag(m, m), sm.Matrix([0, 0])), {"q": ["q1", "q1"]}, "two of them have one name"),
    ],
)
def test_what_is_no_set_of_equations_is_refused(source: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(MbconcordError, match=words):
        mbconcord.own(source, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"q": ["x"]}, "q1 of the model is none of x.*perhaps coordinates=.'q1': 'x'"),
        ({"q": ["x"], "coordinates": {"q9": "x"}}, "there is no coordinate 'q9'"),
        ({"q": ["x"], "coordinates": {"q1": "y"}}, "found 'y' in its formula"),
        ({"q": ["x"], "coordinates": {"q1": "x +"}}, "coordinates/q1"),
        ({"q": ["x"], "coordinates": {"q1": "x", "x": "q1"}}, "q1 is the model's and x yours"),
        ({"q": ["x"], "coordinates": {"q1": "2*m"}}, "your 1 speed move.* the model in 0 ways at every position"),
        (
            {"q": ["x"], "u": ["q1"], "qdot": {"x": me.dynamicsymbols("q1")}, "rates": {"q1": "x"}},
            "one of your speeds has",
        ),
        ({"q": ["m"], "coordinates": {"q1": "m"}}, "your coordinate has the name of a parameter"),
        ({"q": ["q1"], "rates": {"foo": "q1'"}}, "rates/foo: error: expected a coordinate of the model that has no"),
        ({"q": ["q1"], "rates": {"q1": "2*q1'"}}, "rates/q1: error: expected a coordinate of the model that has no"),
        ({"q": ["q1"], "symbols": {"q1'": "0"}}, "symbols/q1': error: no parameter or input of your equations"),
        ({"q": ["q1"], "symbols": {"Ixx": "m"}}, "symbols/Ixx: error: no parameter or input of your equations"),
        ({"q": ["q1"], "inputs": {"t": "0"}}, "inputs/t: error: no parameter or input of your equations"),
    ],
)
def test_names_that_do_not_match_are_told_with_those_that_there_are(options: dict[str, Any], words: str) -> None:
    M, f = sm.Matrix([sm.Symbol("l")]), sm.Matrix([0])
    with pytest.raises(MbconcordError, match=words):
        check(SIMPLE, mbconcord.own((M, f), **options))


def test_states_coordinates_and_motions_are_not_taken_beside_own_equations() -> None:
    M, f, _ = simple()
    mine = mbconcord.own((M, f), q=["q1"])
    read = mbconcord.read(text=SIMPLE, format="mbsd")
    for options in ({"coordinates": {"q1": "q1"}}, {"states": {"q1": [0.1]}}, {"simulate": 1.0}):
        with pytest.raises(MbconcordError, match="found beside"):
            mbconcord.check(read, against=mine, **options)


def test_a_mass_matrix_that_is_singular_is_undecided() -> None:
    M, f, _ = simple()
    found = check(SIMPLE, mbconcord.own((0 * M, f), q=["q1"]))
    assert found.verdict == "disagrees"
    assert "your M is singular for all states" in str([c.exact for c in found.comparisons])


def test_what_cannot_be_proved_is_decided_by_floats() -> None:
    q = me.dynamicsymbols("q1")
    M, f, _ = simple()
    same = f + sm.Matrix([sm.exp(q) - sm.exp(q) * (sm.sin(q) ** 2 + sm.cos(q) ** 2)])
    found = check(SIMPLE, mbconcord.own((M, same), q=[q]))
    assert found.verdict == "agrees"
    mine = mbconcord.own((M, f + sm.Matrix([sm.exp(q) / 1000])), q=[q])
    found = check(SIMPLE, mine)
    assert found.verdict == "disagrees"
    assert math.isfinite(max(c.discrepancy or 0.0 for c in found.comparisons))
    off = check(SIMPLE, mbconcord.own(simple(-1)[:2], q=["q1"]), exact="off")
    assert off.verdict == "disagrees"


CASES = json.loads((VECTORS / "mistakes.json").read_text())["cases"] if VECTORS.is_dir() else []


@pytest.mark.slow
@pytest.mark.rest
@pytest.mark.skipif(not CASES, reason="the vectors of the specification are not at hand")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['machine']} {case['mistake']}")
def test_mistakes_of_the_specification(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(VECTORS)
    source = getattr(import_module("mistakes"), case["machine"])(case["mistake"])
    sys.modules.pop("mistakes")
    model = json.loads((VECTORS / "mistakes.json").read_text())["models"][case["machine"]]
    q = source[2] if isinstance(source, tuple) else None
    mine = mbconcord.own(source[:2] if q else source, q=q, coordinates=model["coordinates"])
    found = mbconcord.check(mbconcord.read(text=model["mbsd"], format="mbsd"), against=mine, formalisms=FEW, states=3)
    assert found.verdict == case["verdict"]
    own = read_said(found)
    assert own["entries"] == {part: x["entries"] for part, x in case["where"].items()}
    assert own.get("alone", {}) == case["alone"]
    assert own["findings"] == [x for x in case["own"] if "not" in x.split()]
    assert own["frames"] == [said for _, said in case["frames"] or ()]
    assert own.get("why", "") in case["why"]
