"""Linearised equations by several formalisms in 50 digits: they agree, and what is wrong in one is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord.formalisms import registry
from mbconcord.model import Body, Coordinate, Inertia, State, System, translation
from mbconcord.model.constraint import Holonomic
from mbconcord.model.elastic.rigid import REACH
from mbconcord.model.expressions import as_expression, evaluate, number, symbol
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.force import JointEffort
from mbconcord.model.numbers import Instance
from mbconcord.simulation.keeping import place_state
from mbconcord.simulation.linear import equations as made_here
from mbconcord.simulation.linear import linearised
from mbconcord.simulation.linear.linearised import derive_linearised
from mbconcord.simulation.linear.reduction import solve_by_elimination
from mbconcord.simulation.linear.steady import SteadyMotion
from mbconcord.simulation.rows import constraint_rows
from mbconcord.validation.claims.linear.by_formalisms import equilibrium_evidence, linear_evidence
from mbconcord.validation.claims.linear.exact import on_constraints, referee
from mbconcord.validation.judge.evidence import Comparison, verdict

from ....model.test_elastic_turns import ARM, bent
from ....simulation.linear.machines import DOUBLE, ON_A_ROD, fixture, mbsd, near, rest, top
from ...fakes import Altered, Failing, double_pendulum, entry

ALL = [registry.formalism(name) for name in registry.names()]
MODELS = (
    "mbsd/double_pendulum.mbsd", "mbsd/four_bar.mbsd", "native/slider_crank.mbs.json", "mbsd/patu655.mbsd",
    "native/chaplygin_sleigh.mbs.json", "elastic/planar_arm.mbs.json", "konoplev/gyrostat.mbs.json",
)  # fmt: skip


def evidence(system: System, state: State | None = None, by: str = "lagrange", more: Any = ALL) -> list[Comparison]:
    found = derive_linearised(system, registry.formalism(by), state or State(), timed=True)[0]
    return list(linear_evidence(system, found, more, None))


@pytest.mark.slow
@pytest.mark.parametrize("file", MODELS)
def test_formalisms_agree_along_a_motion(file: str) -> None:
    system = fixture(file)
    state = State(t=0.3, v={c: 0.3 * (i + 1) for i, c in enumerate(system.coordinate_names)})
    found = evidence(system, state)
    assert verdict(found) == "agrees", next(c for c in found if c.verdict != "agrees")
    exact = [c for c in found if c.b not in ("50 digits", "differences", "direct")]
    assert exact and max(c.discrepancy or 0.0 for c in exact) < 1e-28
    assert {c.quantity for c in found} >= {f"linear {x} along a motion" for x in ("M", "C", "K", "shapes", "rates")}


#: A part that floats cannot see.
SMALL = number(Fraction(1, 10**20))


def altered(quantity: str, at: tuple[int, ...], change: Callable[[Any], Any]) -> Altered:
    return Altered(entry(quantity, at, change))


#: What is wrong in one formalism, each by a part in 10²⁰ or by a sign that is nothing at the state itself.
FAULTS = {
    "M": altered("M", (0, 1), lambda x: x * (1 + SMALL)),
    "sign of a gyroscopic term": altered("h", (1,), lambda x: x - 2 * symbol("z1'") * symbol("z2'")),
    "stiffness": altered("gravity", (1,), lambda x: x + SMALL * symbol("z2")),
    "damping": altered("applied", (0,), lambda x: x - SMALL * symbol("z1'")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_seen(name: str) -> None:
    state = State(q={"z1": 0.3, "z2": -0.4}, v={"z1": 1.2, "z2": 0.7})
    honest = [registry.formalism(n) for n in ("lagrange", "newton_euler")]
    found = evidence(double_pendulum(), state, more=[*honest, FAULTS[name]])
    wrong = [c for c in found if c.verdict == "disagrees"]
    assert wrong and all("altered" in (c.a, c.b) for c in wrong)
    assert "altered: " in wrong[0].explanation


def test_a_wrong_derivative_is_seen_by_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph's derivatives are shared: where they are wrong all formalisms' are, and no motion has them."""
    honest = made_here.slopes

    def wrong(outputs: Any, coordinates: Any, inputs: Any = ()) -> Any:
        by_q, *others = honest(outputs, coordinates, inputs)
        doubled = [[x * 2 if i == j == 1 else x for j, x in enumerate(row)] for i, row in enumerate(by_q)]
        return doubled, *others

    monkeypatch.setattr(made_here, "slopes", wrong)
    found = evidence(double_pendulum(), State(q={"z1": 0.3, "z2": -0.4}))
    wrong = [c for c in found if c.verdict == "disagrees"]
    others = {registry.formalism(n).name for n in registry.names()} - {"lagrange"}
    assert {c.quantity for c in wrong} == {"linear K along a motion"}
    assert {c.b for c in wrong} == {*others & {c.b for c in found}, "differences"}


def test_a_fault_along_a_direction_is_located() -> None:
    """Entries are compared where a motion disagrees, and nowhere else."""
    system, state = double_pendulum(), State(q={"z1": 0.3, "z2": -0.4}, v={"z1": 1.2, "z2": 0.7})
    honest = [registry.formalism(n) for n in ("lagrange", "newton_euler")]
    assert not [c for c in evidence(system, state, more=honest) if c.b == "newton_euler" and c.entry == ("z2", "z2")]
    found = evidence(system, state, more=[honest[0], FAULTS["stiffness"]])
    assert [c.entry for c in found if c.quantity == "linear K" and c.verdict == "disagrees"] == [("z2", "z2")]
    assert {c.quantity for c in found if c.verdict == "disagrees"} == {"linear K", "linear K along a motion"}


def test_so_many_others_are_asked() -> None:
    system = mbsd(DOUBLE)
    for most, names in ((1, {"newton_euler"}), (2, {"newton_euler", "konoplev"})):
        found = linear_evidence(system, near(system), ALL, None, most=most)
        asked = {c.b for c in found if c.quantity.endswith("along a motion")}
        assert verdict(found) == "agrees" and len(asked) == most == len(names)


def test_wrong_floats_are_seen() -> None:
    system = mbsd(DOUBLE)
    found = near(system)
    wrong = replace(found, K=found.K * (1 + 1e-8))
    told = [c for c in linear_evidence(system, wrong, ALL, None) if c.verdict == "disagrees"]
    assert [(c.quantity, c.b) for c in told] == [("linear K", "50 digits")]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "state"), [
    ("z(a) -j1 $1 [0,0,0] g9.81-y", State(q={"a": 0.5})), ("z(a) -j1 $1 [0,0,0] g9.81-y", State(v={"a": 1e-3})),
    ("u(x)\"(-10*x*(1+sin(t))) $1", State()), ("u(x)\"(-10*x*(1+y/9)) v(y) $1", State(v={"y": 1e-9})),
    ("z(th)'4 $0 [1,1,5] \\ u(x)\"(-10*x*cos(th)^2) $1", State(v={"th": 4.0})),
])  # fmt: skip
def test_a_motion_that_is_called_steady_and_is_not_is_seen(
    text: str, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = mbsd(text)
    assert not near(system, state, timed=True).steady and verdict(evidence(system, state)) == "agrees"
    monkeypatch.setattr(linearised, "motion_through", lambda *_: SteadyMotion(False, False, True))
    told = [c for c in evidence(system, state) if c.verdict != "agrees"]
    assert told and {c.verdict for c in told} == {"disagrees"} and all(c.b.endswith("s later") for c in told)


@pytest.mark.parametrize("spin", [1e-6, 1.0, 1e4])
def test_a_steady_motion_is_the_same_later(spin: float) -> None:
    said = evidence(top(1.5, 0.4, 0.3, 0.05), State(v={"spin": spin}))
    assert verdict(said) == "agrees" and sum(c.b.endswith("s later") for c in said) >= 3


def test_what_moves_is_in_no_equilibrium() -> None:
    system = top(1.5, 0.4, 0.3, 0.05)
    found = near(system, State(v={"spin": 1.0}))
    wrong = replace(found, motion=replace(found.motion, rests=True), relative=None)
    assert wrong.equilibrium and verdict(linear_evidence(system, wrong, ALL, None)) == "disagrees"


def test_one_witness_is_none() -> None:
    system = mbsd(DOUBLE)
    told = linear_evidence(system, near(system), ALL[:1], None)
    assert verdict(told) == "not checked" and any("only lagrange delivers it" in c.explanation for c in told)


def test_one_that_fails_is_told() -> None:
    system = mbsd(DOUBLE)
    told = linear_evidence(system, near(system), [*ALL[:2], Failing()], None)
    assert verdict(told) == "disagrees"
    assert [c.explanation for c in told if c.a == "failing"] == ["KeyError: 'no such thing'"]


def test_equilibria_balance_by_every_formalism() -> None:
    system = mbsd(DOUBLE)
    found = rest(system, State(q={"a": 0.4}))
    told = equilibrium_evidence(system, found, ALL)
    assert verdict(told) == "agrees" and [c.quantity for c in told].count("balance") == 6
    wrong = Altered(entry("gravity", (0,), lambda x: x + SMALL * 10**13))
    told = equilibrium_evidence(system, found, [*ALL, wrong])
    assert {c.a for c in told if c.verdict == "disagrees"} == {"altered"}
    assert verdict(equilibrium_evidence(system, found, ALL[:1])) == "not checked"


@pytest.mark.parametrize("file", ["mbsd/four_bar.mbsd", "native/universal_joint.mbs.json", "mbsd/patu655.mbsd"])
def test_states_are_on_the_constraints_to_the_last_of_many_digits(file: str) -> None:
    system = fixture(file)
    state = place_state(system, State(v=dict.fromkeys(system.coordinate_names, 0.4)), (), ()).state
    exact = on_constraints(system, state)
    names = system.coordinate_names
    assert max(abs(x - state.q[n]) for x, n in zip(exact.q, names, strict=True)) < 1e-12
    rows = constraint_rows(system)
    if len(rows.coordinates) == len(names):  # no coordinates of a cut joint
        values = Instance(system, [state], referee().arithmetic).environments[0]
        values = {**values, **dict(zip(names, exact.q, strict=True))}
        gaps = evaluate([r.position for r in rows.rows], values, referee().arithmetic)
        assert max(map(abs, gaps)) < 1e-45


def test_elimination_is_that_of_floats() -> None:
    random = np.random.default_rng(0)
    A, b = random.normal(size=(5, 5)), random.normal(size=(5, 3))
    A[0, 0] = 0.0  # so that a pivot is needed
    assert np.allclose(solve_by_elimination(A, b), np.linalg.solve(A, b), atol=1e-12)


def test_a_rod_pendulum_is_refereed() -> None:
    assert verdict(evidence(mbsd(ON_A_ROD), State(q={"x": 0.6, "y": -0.8}, v={"x": 0.8, "y": 0.6}))) == "agrees"


def springs(**forces: Any) -> System:
    """Return bodies of 1 kg in lines of their own, with these forces along them."""
    bodies = tuple(Body(f"on {x}", None, (translation("x", x),), Inertia(number(1))) for x in forces)
    efforts = tuple(JointEffort(f"along {x}", x, as_expression(f)) for x, f in forces.items())
    return System("springs", tuple(Coordinate(x) for x in forces), bodies=bodies, forces=efforts)


X, Y, Z = (symbol(x) for x in "xyz")
FAST, SLOW = -number(10**16) * X, -number(1) * Y


@pytest.mark.parametrize(
    ("system", "stable", "slow"),
    [
        (springs(x=FAST, y=SLOW), True, 1j),
        (springs(x=-number(10**12) * X + (Y - X), y=X - Y), True, 1j),
        (springs(x=-number(10**30) * X, y=SLOW), True, 1j),
        # s² = -1 ± i
        (springs(x=FAST, y=SLOW - Z, z=Y - Z), False, (-1 + 1j) ** 0.5),
        # s² ± 2e-4 s + 1 = 0
        (springs(x=-number(10**20) * X, y=SLOW - as_expression(2e-4) * symbol("y'")), True, -1e-4 + 1j),
        (springs(x=-number(10**20) * X, y=SLOW + as_expression(2e-4) * symbol("y'")), False, 1e-4 + 1j),
    ],
)
def test_slow_modes_beside_fast_ones_are_judged_in_digits(system: System, stable: bool, slow: complex) -> None:
    """Right ones were accused of their stability, and forces that are small beside the fast mode were left out."""
    found = mbconcord.linearize(system)
    assert found.stable is stable and found.modes[0].eigenvalue == pytest.approx(slow, rel=1e-8)
    assert found.verdict == "agrees", [c for c in found.comparisons if c.verdict != "agrees"]


def test_rows_that_contradict_by_rounding_are_judged_to_the_digits_of_floats() -> None:
    """No state closes both: which of them is followed is no disagreement in 25 digits."""
    rows = ("x^2 + y^2 - 1", "(1 + z)*(x^2 + y^2 - 1.0000000000000002)")
    constraints = tuple(Holonomic(f"k{i}", parse_formula(row)) for i, row in enumerate(rows))
    system = replace(springs(x=-X, y=-Y, z=-Z), constraints=constraints)
    state = State(q={"x": 0.6, "y": -0.8, "z": 0.3}, v={"x": 0.8, "y": 0.6, "z": 1.0})
    assert on_constraints(system, state).same == 1e-9
    assert on_constraints(replace(system, constraints=constraints[:1]), state).same == 1e-25
    assert verdict(evidence(system, state)) == "agrees"


@pytest.mark.slow
@pytest.mark.rest
def test_series_of_elastic_turns_are_judged_to_the_digits_of_floats() -> None:
    """Each formalism has its own number of terms: at large turns some disagreed in 25 digits."""
    assert verdict(evidence(ARM, bent(0.99 * REACH))) == "agrees"


def test_parts_of_shapes_shown_as_zero_are_not_read_as_zero() -> None:
    """A light body on a heavy one: the heavy one's part, 9e-13 of the light one's, disagreed by its own stiffness."""
    heavy, light, weakly = (as_expression(x) for x in (1e3, 1e-9, 9e-10))
    system = springs(x=-heavy * X - weakly * Y, y=-as_expression(1e-12) * Y - weakly * X)
    masses = zip(system.bodies, (heavy, light), strict=True)
    found = mbconcord.linearize(replace(system, bodies=tuple(replace(b, inertia=Inertia(m)) for b, m in masses)))
    assert not found.modes[0].shape[0] and found.verdict == "agrees", found.comparisons


@pytest.mark.parametrize("factor", [3.0, 1 + 1e-8])
def test_a_wrong_slow_mode_is_seen(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Residuals in floats, sums and products of eigenvalues do not tell 1 rad/s from 3 beside 1e8 and 0."""
    honest = linearised.find_in_digits

    def wrong(*given: Any) -> Any:
        found = honest(*given) or ()
        return tuple(replace(x, eigenvalue=x.eigenvalue * factor) if 0 < x.omega < 10 else x for x in found)

    monkeypatch.setattr(linearised, "find_in_digits", wrong)
    found = mbconcord.linearize(springs(x=FAST, y=SLOW, z=number(0)))
    assert {c.quantity for c in found.comparisons if c.verdict == "disagrees"} == {"mode 2 in digits"}


def test_an_axis_vertical_to_sixteen_digits_has_no_stiffness() -> None:
    """Gravity along an axis turned by pi/2 of doubles made a growth of 6e-9 1/s, unstable, beside 1.6 rad/s."""
    inertia = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    text = f"""<robot name="r"><link name="b"/><link name="p"><inertial><origin xyz="0 0 -0.3"/>{inertia}
    <link name="v"><inertial><origin xyz="0.1 0.3 0.2"/>{inertia}
    <joint name="j1" type="continuous"><parent link="b"/><child link="p"/><axis xyz="0 1 0"/></joint>
    <joint name="j2" type="continuous"><parent link="b"/><child link="v"/><origin rpy="1.5707963267948966 0 0"/>
    <axis xyz="0 1 0"/></joint></robot>"""
    found = mbconcord.linearize(mbconcord.read(text=text, format="urdf"))
    assert found.stable is None and found.verdict == "agrees"
    assert [x.omega for x in found.modes] == pytest.approx([0, (9.81 * 0.3 / 1.09) ** 0.5])
