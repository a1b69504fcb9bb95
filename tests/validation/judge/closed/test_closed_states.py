"""States for a check with constraints: how many of those asked, what is said of the others, who judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi
from typing import Any

import pytest

from mbconcord.model import Holonomic, Rod, State, System
from mbconcord.model.expressions import TIME, symbol
from mbconcord.model.force import Point
from mbconcord.simulation import rows as simulated
from mbconcord.validation.check import check
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.evidence import CONSTRAINED
from mbconcord.validation.judge.states import ClosedStates

from ....simulation.mechanisms import FIXTURES, fixture, four_bars, slider_crank
from ....simulation.test_assembly import folded


def messages(closed: ClosedStates) -> list[str]:
    return [d.message for d in closed.diagnostics]


@pytest.mark.parametrize("system", [four_bars(10), *map(fixture, FIXTURES)], ids=lambda s: s.name)
def test_a_check_says_how_many_states_it_got(system: System) -> None:
    closed = closed_states(system, 6, 0)
    assert len(closed.states) == closed.asked == 6 and closed.missing == ""
    assert messages(closed).count("6 of 6 states asked for satisfy the constraints") == 1
    assert not any("left out" in m or "singular" in m for m in messages(closed))


def early(until: float) -> System:
    """A slider-crank that is pulled from 0.2 m to 0.4 m, as far as it reaches, at the time given, and beyond it."""
    pull = Holonomic("pull", symbol("s") - 0.2 - 0.2 * TIME / until)
    return replace(slider_crank(), constraints=(*slider_crank().constraints, pull))


@pytest.mark.slow
@pytest.mark.parametrize(("until", "got"), [(1e3, 4), (0.45, 2), (0.1, 1), (1e-3, 0)])
def test_fewer_than_half_of_the_states_check_no_motion(until: float, got: int) -> None:
    given = [State(t) for t in (0.05, 0.3, 0.5, 2.0)]
    evidence = check(early(until), formalisms=["lagrange", "konoplev"], given=given)
    said = [d.message for d in evidence.diagnostics]
    assert f"{got} of 4 states asked for satisfy the constraints" in said
    verdicts = {c.quantity: c.verdict for c in evidence.comparisons if c.quantity in CONSTRAINED}
    assert set(verdicts.values()) == {"agrees" if got >= 2 else "not checked"}
    if got < 2:
        assert all(f"{got or 'none'} of 4" in c.explanation for c in evidence.comparisons if c.quantity in CONSTRAINED)
    assert (f"{4 - got} of 4 states are left out: no state near them satisfies the constraints" in said) == (got < 4)


@pytest.mark.slow
def test_more_states_are_drawn_where_some_do_not_close() -> None:
    """The times drawn reach from 0.01 to 10 s, and this one cannot be closed after 0.3 s."""
    closed = closed_states(early(0.3), 5, 0)
    assert len(closed.states) == 5 and all(s.t <= 0.3 for s in closed.states)
    (left,) = (m for m in messages(closed) if "left out" in m)
    assert 5 < int(left.split(" of ")[1].split()[0]) <= 25


@pytest.mark.slow
def test_a_given_state_that_satisfies_the_constraints_is_taken_without_a_word() -> None:
    """Analytically closed, to rounding, regular or singular; the coordinates of its cut joint are found."""
    bars, root = four_bars(2), 2**0.5
    parallel = State(
        q={n: x * 3 * pi / 4 for n, x in zip(("a0", "b0", "a1", "b1", "a2"), (1, -1, 1, -1, 1), strict=True)}
    )
    parallel = replace(parallel, v={"a0": root, "b0": -root, "a1": root, "b1": -root, "a2": root})
    for state in (parallel, folded(2)):
        closed = closed_states(bars, 1, 0, [state])
        assert messages(closed)[0] == "1 of 1 states asked for satisfy the constraints"
        assert closed.states[0].q == pytest.approx(state.q, abs=1e-15)
    assert closed.states[0] == folded(2)
    assert "1 of 1 states are folded or singular: rank 2 of 4 rows" in messages(closed)
    for file in FIXTURES:
        for state in closed_states(fixture(file), 3, 1).states:
            again = closed_states(fixture(file), 1, 0, [state])
            assert len(messages(again)) == 1 and again.states[0].q == pytest.approx(state.q, abs=1e-14)


def test_a_given_state_off_the_constraints_is_moved_with_a_warning() -> None:
    closed = closed_states(four_bars(2), 1, 0, [State(q={"a0": 1.7})])
    (warning,) = (d for d in closed.diagnostics if d.severity == "warning")
    assert "does not satisfy the constraints" in warning.message and len(closed.states) == 1
    rates = closed_states(four_bars(2), 1, 0, [State(v={"a0": 1.0})])
    assert any(d.severity == "warning" for d in rates.diagnostics), "rates count too"


def test_a_position_without_rates_is_named_with_its_rank() -> None:
    """At its dead point a slider-crank that must move does not: folded, and of rank 2 instead of 3."""
    push = Holonomic("push", symbol("s") - 0.4 - 0.1 * TIME)
    system = replace(slider_crank(), constraints=(*slider_crank().constraints, push))
    closed = closed_states(system, 1, 0, [State(0.0)])
    assert closed.assembly is None
    assert "1 of 1 states are left out: no rates satisfy the constraints there (" in " ".join(messages(closed))
    assert "folded or singular, rank 2 of 3 rows)" in " ".join(messages(closed))


@pytest.mark.slow
def test_none_is_none() -> None:
    far = Rod("far", Point("slider", (0, 0, 0)), Point(None, (0, 0, 0)), 3)
    closed = closed_states(replace(slider_crank(), constraints=(far, *slider_crank().constraints)), 2, 0)
    assert closed.missing == "none of 2 states asked for satisfy the constraints"
    assert "10 of 10 states are left out: no state near them satisfies the constraints" in messages(closed)


# --- who judges ------------------------------------------------------------------------------------


def skewed(original: Callable[..., Any]) -> Callable[..., Any]:
    def altered(a: Any, b: Any) -> Any:
        x, y, z = original(a, b)
        return x + 0.01, y, z

    return altered


def test_validation_s_own_rows_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong rows of the simulation close loops beside their hinges: no such state is compared, and it is said."""
    monkeypatch.setattr(simulated, "_difference", skewed(simulated._difference))
    evidence = check(fixture("konoplev/four_bar.mbs.json"), states=2, formalisms=["lagrange", "konoplev"])
    assert {c.verdict for c in evidence.comparisons if c.quantity in CONSTRAINED} == {"not checked"}
    (warning,) = (d for d in evidence.diagnostics if d.severity == "warning")
    assert "10 of 10 states are left out: validation's own rows say" in warning.message
