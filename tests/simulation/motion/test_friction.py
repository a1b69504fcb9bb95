"""Dry friction in runs: a block that slides and sticks, by hand; what a run says of it; the equations keep the sign."""

from __future__ import annotations

from math import sqrt

import pytest

from mbconcord.formalisms.registry import formalism
from mbconcord.model import State, System
from mbconcord.model.expressions import symbols, topological
from mbconcord.simulation.motion.events import frictions, smooth_friction
from mbconcord.simulation.motion.formulas import formulas

from .runs import go, mbsd

#: A block of 2 kg on the level, pulled by 3 N, with dry friction of 5 N.
BLOCK = "u(x)\"(3 - 5 sign(x')) $2"
PULL, HELD, MASS, SPEED = 3.0, 5.0, 2.0, 1.0


def block() -> System:
    return mbsd(BLOCK)


@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize("slip", [1e-2, 1e-3])
def test_a_block_slides_until_it_sticks(slip: float, method: str) -> None:
    """It stops after 1 s at half a metre to rounding of the corner, and creeps with s f/√(F² - f²)."""
    found = go(block(), 3.0, 1e-9, State(v={"x": SPEED}), step_out=0.5, slip=slip, method=method)
    assert found.stopped is None
    rows = {round(row.t, 9): row for row in found.found}
    deceleration = (HELD - PULL) / MASS
    assert rows[0.5].q[0] == pytest.approx(SPEED * 0.5 - deceleration * 0.125, abs=5 * slip**2)
    creep = slip * PULL / sqrt(HELD**2 - PULL**2)
    assert rows[3.0].v[0] == pytest.approx(creep, rel=1e-6)
    assert rows[3.0].q[0] == pytest.approx(SPEED**2 / (2 * deceleration), abs=4 * slip)
    assert max(abs(row.balance) for row in found.found) < 1e-7
    note, *stiff = found.diagnostics
    assert all("stiff" in d.message for d in stiff)
    assert note.severity == "note" and f"s = {slip:g}" in note.message and "sign(x')" in note.message


def test_the_equations_keep_the_sign_and_only_signs_of_rates_are_smoothed() -> None:
    system = mbsd("u(x)\"(sign(x) - sign(sign(x') + 2 x')) $2")
    sharp = formulas(system, formalism("lagrange"), {})
    nodes = frictions(sharp, ["x'"])
    assert [str(n) for n in nodes] == ["sign(x')", "sign(2*x' + sign(x'))"]
    left = [n for n in topological(smooth_friction(sharp, nodes, 1e-3).every()) if n.data == "sign"]
    assert [set(symbols([n])) for n in left] == [{"x"}]


def test_no_friction_no_note() -> None:
    assert go(mbsd('u(x)"(-x) $2'), 0.1).diagnostics == ()
