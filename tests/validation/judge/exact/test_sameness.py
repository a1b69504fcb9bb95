"""Conversions and comparisons: identical as functions, or equal to rounding, and for which parameters."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mbconcord import convert, read
from mbconcord.fixtures import folder
from mbconcord.model import Parameter
from mbconcord.model.expressions import as_expression, number, symbol
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.exact import sameness

from ...fakes import double_pendulum

#: Models and formats that hold all of them: trees and constraints, tilted axes, drives, decimals.
ROUND_TRIPS = [
    ("mbsd/double_pendulum.mbsd", "native"), ("mbsd/springs.mbsd", "mbsd"), ("mbsd/four_bar.mbsd", "mbsd"),
    ("native/slider_crank.mbs.json", "mbsd"), ("native/chaplygin_sleigh.mbs.json", "native"),
    ("konoplev/gyrostat.mbs.json", "native"), ("robots/ur5.mbsd", "mbsd"), ("tp/polar.tp.csv", "tp"),
    ("tp/leg.tp.csv", "tp"), ("tp/spherical.tp.csv", "mbsd"), ("urdf/arm.urdf", "mbsd"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name, format", ROUND_TRIPS)
def test_round_trips_are_identical(name: str, format: str) -> None:
    found = convert(folder() / name, to=format, verify=True).verification
    assert found.proof.exact.kind == "identical" and found.proof.scope == sameness.EVERYTHING, str(found.proof)
    assert str(found).splitlines()[1].startswith("identical for all states and parameters")
    assert found.to_json()["exact"]["verdict"] == "identical"


@pytest.mark.slow
def test_numbers_of_two_programs_agree_to_rounding_and_it_is_said() -> None:
    found = convert(folder("robots") / "ur5.mbsd", to="urdf", verify=True).verification
    assert found.verdict == "agrees" and found.proof.exact.kind == "differs"
    assert "equal to rounding, not identical: M[q1, q1] differs" in str(found)


def with_parameter(name: str, value: object):
    """The double pendulum with another value of a parameter."""
    system = double_pendulum()
    own = tuple(Parameter(name, as_expression(value)) if p.name == name else p for p in system.parameters)
    return replace(system, parameters=own)


def without_parameter():
    """The double pendulum with a number for a parameter."""
    system = double_pendulum()
    body = replace(system.bodies[0], inertia=replace(system.bodies[0].inertia, mass=as_expression(2)))
    return replace(system, bodies=(body, *system.bodies[1:]), parameters=system.parameters[1:])


@pytest.mark.parametrize(
    "other, kind, scope, verdict",
    [
        (double_pendulum(), "identical", sameness.EVERYTHING, "agrees"),
        (without_parameter(), "identical", sameness.COMMON, "agrees"),
        (with_parameter("m1", 2 + number("1e-15")), "differs", sameness.STATES, "agrees"),
        (with_parameter("m1", symbol("m2") - 1), "identical", sameness.STATES, "not checked"),
    ],
)
def test_parameters_of_one_meaning_keep_their_symbols(other, kind, scope, verdict) -> None:
    """A formula that has the same value is another function of the parameters, and the same one at their values."""
    found = same_machine(double_pendulum(), other)
    assert found.verdict == verdict
    assert ("the same where m2 = 3, not at every value" in str(found)) == (verdict == "not checked")
    assert (found.proof.exact.kind, found.proof.scope) == (kind, scope), str(found.proof)


def test_other_names_of_coordinates_are_put_in() -> None:
    found = convert(folder("mbsd") / "zi_zig.mbsd", to="tp", verify=True).verification
    assert [a == b for a, b in found.matching.pairs] == [False, False]
    assert found.proof.exact.kind == "identical"


def test_what_disagrees_is_not_proved() -> None:
    found = same_machine(double_pendulum(), with_parameter("m1", 3))
    assert found.verdict == "disagrees" and found.proof is None and found.to_json()["exact"] is None


#: Two writings that are one number at k = 3, and may be another beyond.
BEYOND_THE_VALUE = {
    "table": ("table(k, 0,0, 10,1, 1000,5)", "table(k, 0,0, 10,1, 1000,7)"),
    "table of a root": ("table(sqrt(k), 0,0, 10,1, 1000,5)", "table(sqrt(k), 0,0, 10,1, 1000,7)"),
    "table in a function": ("f(k)", "f(k)", "f(s) = table(s, 0,0, 10,1, 1000,5)", "f(s) = table(s, 0,0, 10,1, 1000,7)"),
    "abs": ("abs(sqrt(k) - 100)", "(100 - sqrt(k))"),
}  # fmt: skip


@pytest.mark.parametrize("case", BEYOND_THE_VALUE)
def test_pieces_of_a_parameter_count_beyond_its_value(case: str) -> None:
    one, other, *functions = BEYOND_THE_VALUE[case]
    texts = [
        f'x(q)"(-10*q + {term}) $1 g9.81-x; {", ".join(["k = 3", *more])}'
        for term, more in zip((one, other), ([x] for x in functions) if functions else ([], []), strict=True)
    ]
    a, b = (read(text=text, format="mbsd").system for text in texts)
    found = same_machine(a, b)
    why = "the same where k = 3, not at every value" if one.startswith(("table(k", "f(")) else "not the same in both: "
    assert found.verdict == "not checked" and why in str(found)
    assert [same_machine(x, x).verdict for x in (a, b)] == ["agrees", "agrees"]


#: Rows of more pieces than signs of which all patterns are run.
ZIGZAG = "0,0, 1,0, 2,0, 3,0, 4,1, 5,0, 6,1, 7,0, 8,1, 9,0, 10,1, 11,0"
#: Efforts that are one function in two writings, and such as differ at a state, in a place, or where they are defined.
WRITTEN_TWICE = [
    ("agrees", "clip(q, -1, 2)", "max(min(q, 2), -1)"), ("agrees", "log(exp(q))", "q"),
    ("agrees", "exp(log(2 + q^2))", "2 + q^2"), ("agrees", "exp(q + 2*t)", "exp(q)*exp(t)^2"),
    ("agrees", "log(3*exp(q))", "q + log(3)"),
    ("agrees", "table(q, -1,-1, 0,0, 1,1, 2,5, extend)", "table(q, -1,-1, 1,1, 2,5, extend)"),
    ("agrees", "table(q, -1,-2, 0,0, 5,10, extend)", "2*q"), ("agrees", "table(q, -1,-1, 2,2, hold)", "clip(q, -1, 2)"),
    ("agrees", "table(q, 0,0, 1,1, 2,2, 3,5)", "table(q, 0,0, 2,2, 3,5)"),
    ("agrees", "table(q, 0,0, 1,0, 2,1, 3,0, cubic, hold)", "table(q, -1,0, 0,0, 1,0, 2,1, 3,0, cubic, hold)"),
    ("agrees", f"table(q, {ZIGZAG}, cubic, hold)", f"table(q, -1,0, {ZIGZAG}, cubic, hold)"),
    ("agrees", f"table(q, {ZIGZAG}, cubic)", f"table(q, {ZIGZAG.replace(' 1,0,', '', 1)}, cubic)"),
    ("agrees", f"table(q, {ZIGZAG}, 31,5, hold)", f"table(q, {ZIGZAG}, 21,2.5, 31,5, hold)"),
    ("", f"table(q, {ZIGZAG}, cubic, hold)", f"table(q, -1,0, {ZIGZAG.replace('8,1', '8,1.0001')}, cubic, hold)"),
    ("", f"table(q, {ZIGZAG}, cubic)", f"table(q, -1,0, {ZIGZAG}, cubic)"),
    ("", f"table(q, {ZIGZAG}, cubic)", f"table(q, {ZIGZAG}, cubic, hold)"),
    ("", f"table(q, {ZIGZAG}, cubic)", f"table(q, {ZIGZAG.replace('4,1', '4.0001,1')}, cubic)"),
    ("agrees", "abs(2 + sin(q))", "2 + sin(q)"), ("", "abs(0.9999 + sin(q))", "0.9999 + sin(q)"),
    ("disagrees", "table(q, -1,-1, 0,1e-3, 1,1, 2,5, extend)", "table(q, -1,-1, 1,1, 2,5, extend)"),
    ("not checked", "exp(log(q))", "q"), ("not checked", "table(q, -9,-9, 9,9)", "q"),
    ("not checked", "table(q, 0,0, 1,1, 2,2, 3,5)", "table(q, 0,0, 2,2, 3,5, extend)"),
]  # fmt: skip


@pytest.mark.parametrize(("verdict", "one", "other"), WRITTEN_TWICE)
def test_one_function_in_two_writings_is_one_machine(verdict: str, one: str, other: str) -> None:
    a, b = (read(text=f'x(q)"(-10*q + {term}) $1 g9.81-x', format="mbsd").system for term in (one, other))
    for found in (same_machine(a, b), same_machine(b, a)):
        assert (found.verdict == "agrees") == (verdict == "agrees"), str(found)
        assert verdict != "disagrees" or found.verdict == verdict


def held_plate(constraint: dict) -> object:
    """Two slides and a constraint."""
    bodies = [
        {"name": n, "parent": p, "joint": [{"translation": n, "coordinate": n}], "inertia": {"mass": 1}}
        for n, p in (("x", None), ("y", "x"))
    ]
    model = {
        "format": "mbconcord", "version": 1, "name": "plate", "coordinates": [{"name": "x"}, {"name": "y"}],
        "bodies": bodies, "constraints": [constraint | {"name": "c"}],
    }  # fmt: skip
    return read(text=json.dumps(model), format="native").system


def curve(formula: str) -> dict:
    return {"kind": "holonomic", "expression": formula}


def rolling(x: str, y: str, rest: str) -> dict:
    return {"kind": "nonholonomic", "coefficients": {"x": x, "y": y}, "rest": rest}


#: A constraint, and the same multiplied by a factor: without a zero, with one, and without a value at some states.
MULTIPLIED = [
    (True, curve("x - sin(y)"), curve("(x - sin(y))*(1 + x^2)")),
    (True, curve("x - sin(y)"), curve("-3*exp(x)*(x - sin(y))/(2 + y^2)")),
    (True, curve("x - sin(y)"), curve("(x - sin(y))*(2 + sin(x))")),
    (True, curve("x - sin(y)"), curve("(x - sin(y))/(1.0001 - cos(x)*sin(y))")),
    (False, curve("x - sin(y)"), curve("(x - sin(y))*(1 + sin(x))")),
    (False, curve("x - sin(y)"), curve("(x - sin(y))*(2 + 2.0001*sin(x))")),
    (False, curve("x - sin(y)"), curve("(x - sin(y))*(2 + tan(x))")),
    (True, rolling("1", "sin(x)", "t"), rolling("2 + sin(x)", "sin(x)*(2 + sin(x))", "t*(2 + sin(x))")),
    (False, rolling("1", "sin(x)", "t"), rolling("2 + sin(x)", "sin(x)*(2 + sin(y))", "t*(2 + sin(x))")),
    (True, rolling("1", "sin(x)", "t"), rolling("1 + x^2", "sin(x)*(1 + x^2)", "t*(1 + x^2)")),
    (False, curve("x - sin(y)"), curve("(x - sin(y))*(1 - x^2)")),
    (False, curve("x - sin(y)"), curve("(x - sin(y))*(1 + sqrt(x + 3))")),
    (False, rolling("1", "sin(x)", "t"), rolling("1 + x^2", "sin(x)*(1 + x^2)", "t")),
    (False, rolling("1", "sin(x)", "t"), rolling("x", "sin(x)*x", "t*x")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("same", "one", "other"), MULTIPLIED, ids=str)
def test_a_constraint_times_what_is_never_zero_is_the_same(same: bool, one: dict, other: dict) -> None:
    a, b = held_plate(one), held_plate(other)
    for found in (same_machine(a, b), same_machine(b, a)):
        assert (found.verdict == "agrees") == same, str(found)
