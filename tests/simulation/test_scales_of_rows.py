"""A factor of a constraint's formula changes its multiplier alone: linearised equations and motions do not see it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import mbconcord
from mbconcord import linearize, simulate
from mbconcord.api.mechanism import Mechanism
from mbconcord.converters.registry import read_text
from mbconcord.model.diagnostics import NumbersError

TEXT = {
    "format": "mbconcord", "version": 1, "name": "m", "gravity": {"value": 9.81, "direction": [0, -1, 0]},
    "coordinates": [{"name": "x"}, {"name": "y"}, {"name": "a"}],
    "bodies": [{
        "name": "b", "parent": None, "inertia": {"mass": 2, "centre": [0.3, 0.1, 0], "tensor": [1, 2, 3]},
        "joint": [
            {"translation": "x", "coordinate": "x"}, {"translation": "y", "coordinate": "y"},
            {"rotation": "z", "coordinate": "a"},
        ],
    }],
    "forces": [{"kind": "joint_effort", "name": "f", "coordinate": "x", "effort": "-20*x - 3*x'"}],
}  # fmt: skip
FACTORS = ("1e-13", "1e-30", "1e14", "exp(-60 - x)")


def system(factor: str):  # type: ignore[no-untyped-def]
    rows = [(f"{factor}*(x - y)"), "a - x"]
    made = [{"kind": "holonomic", "name": f"c{i}", "expression": row} for i, row in enumerate(rows)]
    return read_text(json.dumps(TEXT | {"constraints": made}), "m.mbs.json").system


@pytest.mark.slow
@pytest.mark.parametrize("factor", FACTORS)
def test_linearised_equations_do_not_see_a_factor(factor: str) -> None:
    plain, scaled = (linearize(system(f)) for f in ("1", factor))
    assert scaled.rates == plain.rates
    assert pytest.approx(plain.M, rel=1e-12) == scaled.M
    assert pytest.approx(plain.K, rel=1e-9) == scaled.K


@pytest.mark.slow
@pytest.mark.parametrize("factor", FACTORS)
def test_motions_do_not_see_a_factor(factor: str) -> None:
    plain, scaled = (simulate(system(f), until=0.3) for f in ("1", factor))
    assert scaled.q[-1] == pytest.approx(plain.q[-1], rel=1e-7)


@pytest.mark.parametrize("factor", FACTORS)
def test_printed_linear_equations_are_judged_on_rows_of_any_factor(factor: str) -> None:
    """Each witness moves the state in many digits: a row that is left open there makes wrong differences."""
    found = linearize(system(factor), witness=True)
    assert found.comparisons
    assert [str(c) for c in found.comparisons if c.verdict == "disagrees"] == []


def test_motions_of_time_that_contradict_each_other_are_refused() -> None:
    """Both rows hold at t = 0, with the same rates: no acceleration is 1 and 1.4; each formalism had its own."""
    cart = Mechanism("cart").body("b", mass=1).slides("x", along="x").body("d", on="b", mass=1).slides("y", along="y")
    cart.holds("first", "x - 0.5*t^2").holds("second", "x - 0.7*t^2")
    reason = r"no accelerations satisfy all rows: the best leave 0\.091 of what this one is made of"
    told = mbconcord.evaluate(cart).diagnostics
    assert [d.place for d in told if d.severity == "error" and re.search(reason, d.message)] == ["constraints/first"]
    with pytest.raises(NumbersError, match=reason):
        mbconcord.linearize(cart, t=0)
    with pytest.raises(NumbersError, match=reason):
        mbconcord.simulate(cart, until=0.1)


def test_the_same_motion_of_time_twice_is_no_contradiction() -> None:
    cart = Mechanism("cart").body("b", mass=1).slides("x", along="x").body("d", on="b", mass=1).slides("y", along="y")
    cart.holds("first", "x - 0.5*t^2").holds("second", "2*x - t^2")
    found = mbconcord.evaluate(cart)
    assert found["acceleration"] == pytest.approx([1, 0]) and not [
        d for d in found.diagnostics if d.severity == "error"
    ]


def test_rates_of_nine_digits_contradict_nothing_where_a_parallelogram_is_flat() -> None:
    """Its rows of positions are one row there, and rates 1 : -3 : -3 lead onto the other branch."""
    made = Mechanism("parallelogram").gravity(y=-9.81)
    body: dict[str, Any] = {"mass": 1, "com": (0.5, 0, 0), "inertia": (0.1, 0.2, 0.3)}
    made.body("a", **body).turns("a", about="z", rate=0.333333333)
    made.body("b", on="a", **body).shift(x=1).turns("b", about="z", rate=-1)
    made.body("c", **body).shift(x=2).turns("c", about="z", rate=-1.000000001)
    found = mbconcord.evaluate(made.pin("pin", ("b", (2, 0, 0)), ("c", (1, 0, 0))))
    said = [d.message for d in found.diagnostics if d.severity == "error"]
    assert len(said) == 1 and "more motions at this position" in said[0], "not that they contradict one another"
