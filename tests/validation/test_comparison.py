"""The comparison finds every planted difference, names where it is, and never takes silence for agreement."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mbconcord.model import State
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import error
from mbconcord.model.evaluation import Evaluation
from mbconcord.validation.judge.comparison import Difference, compare_evaluations, worst
from mbconcord.validation.judge.scale import Scales
from mbconcord.validation.judge.tolerances import EPSILON, EVALUATION, SOLUTION

STATES = tuple(State(t=float(i)) for i in range(3))
NAMES = ("x", "y")
MASS = np.array([[4.0, 1.0], [1.0, 9.0]])
ROOTS = np.array([2.0, 3.0])
COND = 1.4


def scales(cond: float = COND) -> Scales:
    rows = {name: np.full((3, 2), 10.0) for name in ("h", "gravity", "applied", "inverse_dynamics")}
    roots = np.tile(ROOTS, (3, 1))
    return Scales(roots[:, :, None] * roots[:, None, :], rows, roots, np.full(3, 5.0), np.full(3, cond))


def honest(name: str = "a") -> Evaluation:
    values = {q: np.tile([1.0, -2.0], (3, 1)) for q in QUANTITIES if q != "M"}
    return Evaluation(name, {"M": np.tile(MASS, (3, 1, 1)), **values})


def planted(quantity: str, at: tuple[int, ...], by: float) -> Evaluation:
    evaluation = honest("b")
    evaluation.quantities[quantity][at] += by
    return evaluation


def test_equal_results_agree_in_every_quantity_with_discrepancy_zero() -> None:
    found = compare_evaluations(honest(), honest("b"), scales(), STATES, NAMES)
    assert [c.quantity for c in found] == list(QUANTITIES)
    assert {(c.verdict, c.discrepancy) for c in found} == {("agrees", 0.0)}


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize(("factor", "verdict"), [(0.9, "agrees"), (1.1, "disagrees"), (1e6, "disagrees")])
def test_a_difference_is_judged_at_its_tolerance_and_located(
    quantity: str, factor: float, verdict: str
) -> None:
    # scale in the entry's own unit: √(4·9) = 6; rows 10; accelerations: max(|√M a|, 5) = 6, over √M_yy = 3.
    scale = {"M": 6.0, "acceleration": 2.0}.get(quantity, 10.0)
    tolerance = SOLUTION * EPSILON * COND if quantity == "acceleration" else EVALUATION * EPSILON
    at = (2, 0, 1) if quantity == "M" else (2, 1)
    found = compare_evaluations(
        honest(), planted(quantity, at, factor * tolerance * scale), scales(), STATES, NAMES
    )
    by_name = {c.quantity: c for c in found}
    hit = by_name.pop(quantity)
    assert hit.verdict == verdict
    assert hit.tolerance == pytest.approx(tolerance)
    assert hit.scale == pytest.approx(scale, rel=1e-3 if factor > 1e3 else 1e-9)
    assert hit.discrepancy == pytest.approx(factor * tolerance, rel=1e-2)
    assert hit.state is STATES[2]
    assert hit.entry == (("x", "y") if quantity == "M" else ("y",))
    assert {c.discrepancy for c in by_name.values()} == {0.0}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("swap", [False, True])
def test_a_number_against_none_is_a_disagreement(quantity: str, bad: float, swap: bool) -> None:
    at = (1, 0, 0) if quantity == "M" else (1, 0)
    pair = [honest(), planted(quantity, at, bad)]
    first, second = pair[::-1] if swap else pair
    hit = {c.quantity: c for c in compare_evaluations(first, second, scales(), STATES, NAMES)}[quantity]
    assert hit.verdict == "disagrees"
    assert hit.state is STATES[1]
    assert "b gives no number" in hit.explanation


def test_no_numbers_on_both_sides_are_not_checked_and_say_why() -> None:
    a, b = honest(), honest("b")
    for e in (a, b):
        e.quantities["acceleration"][:] = np.nan
    a = Evaluation(
        "a", a.quantities, (error("coordinates/x", "the mass matrix is singular: no inertia along x"),)
    )
    hit = {c.quantity: c for c in compare_evaluations(a, b, scales(), STATES, NAMES)}["acceleration"]
    assert hit.verdict == "not checked"
    assert "no inertia along x" in hit.explanation


def test_states_without_numbers_do_not_hide_a_difference_at_the_others() -> None:
    a, b = honest(), planted("h", (2, 0), 1.0)
    for e in (a, b):
        e.quantities["h"][0] = np.nan
    hit = {c.quantity: c for c in compare_evaluations(a, b, scales(), STATES, NAMES)}["h"]
    assert (hit.verdict, hit.entry) == ("disagrees", ("x",))
    assert "1 of 3 states" in hit.explanation


def test_a_useless_tolerance_is_not_checked() -> None:
    found = compare_evaluations(honest(), planted("acceleration", (0, 0), 1.0), scales(1e14), STATES, NAMES)
    hit = {c.quantity: c for c in found}["acceleration"]
    assert hit.verdict == "not checked"
    assert "ill-conditioned" in hit.explanation
    infinite = compare_evaluations(
        honest(), planted("acceleration", (0, 0), 1.0), scales(np.inf), STATES, NAMES
    )
    assert {c.quantity: c for c in infinite}["acceleration"].verdict == "not checked"


def difference(x: list[float], y: list[float], scale: list[float]) -> Difference:
    ones = np.ones(1)
    return Difference(np.array([x]), np.array([y]), np.array([scale]), 1e-12 * ones, ones)


@pytest.mark.parametrize(
    ("x", "y", "scale", "verdict", "discrepancy"),
    [
        ([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], "agrees", 0.0),
        ([0.0, 1.0], [0.0, 1.0], [0.0, 0.0], "agrees", 0.0),
        ([0.0, 0.0], [0.0, 1e-300], [1.0, 0.0], "disagrees", math.inf),
        ([0.0, 1.0], [0.0, 2.0], [1.0, math.inf], "disagrees", math.inf),
        ([0.0, 1.0], [0.0, 2.0], [1.0, math.nan], "disagrees", math.inf),
        ([0.0, -1.0], [0.0, 1.0], [1.0, 1.0], "disagrees", 2.0),
    ],
)  # fmt: skip
def test_scales_of_zero_or_without_meaning(
    x: list[float], y: list[float], scale: list[float], verdict: str, discrepancy: float
) -> None:
    hit = worst("a", "b", "h", difference(x, y, scale), STATES[:1], NAMES)
    assert (hit.verdict, hit.discrepancy) == (verdict, discrepancy)
    assert hit.to_json()["discrepancy"] == (None if math.isinf(discrepancy) else discrepancy)


def test_results_of_different_sizes_disagree() -> None:
    d = Difference(np.zeros((1, 2)), np.zeros((1, 3)), np.ones((1, 2)), np.ones(1), np.ones(1))
    assert worst("a", "b", "h", d, STATES[:1], NAMES).verdict == "disagrees"


def test_nothing_to_compare_is_not_checked() -> None:
    d = Difference(np.zeros((1, 0)), np.zeros((1, 0)), np.ones((1, 0)), np.ones(1), np.ones(1))
    assert worst("a", "b", "h", d, STATES[:1], ()).verdict == "not checked"
