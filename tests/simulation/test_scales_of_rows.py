"""A factor of a constraint's formula changes its multiplier alone: linearised equations and motions do not see it."""

from __future__ import annotations

import json

import pytest

from mbconcord import linearize, simulate
from mbconcord.converters.registry import read_text

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
