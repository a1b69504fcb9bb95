"""The comparison finds every planted difference, names where it is, and never takes silence for agreement.

Tolerances stand here as numbers: 9.094947017729282e-13 is 4096 · 2^-52, 3.108624468950438e-14 is 100 · 2^-52 · 1.4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from mbconcord.model import State
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import error
from mbconcord.model.evaluation import Evaluation
from mbconcord.validation.judge.comparison import ArrayDifference, compare_evaluations, worst
from mbconcord.validation.judge.evidence import Comparison, verdict
from mbconcord.validation.judge.scale import Scales

STATES = tuple(State(t=float(i)) for i in range(3))
NAMES = ("x", "y")
MASS = np.array([[4.0, 1.0], [1.0, 9.0]])
ROOTS = np.array([2.0, 3.0])
COND = 1.4
EVALUATED, SOLVED = 9.094947017729282e-13, 3.108624468950438e-14
#: Of every entry of an evaluation that has bounds.
BOUND = 1e-11
#: Of the entries that are planted in: √(4·9); 10; max(|√M a|, 5) = 6 over √M_yy = 3; and, of the effort that the
#: accelerations 1, -2 need, 2·(2·3·1 + 3·3·2) of the contributions and three rows of 10.
SCALE = {"M": 6.0, "acceleration": 2.0, "effort": 78.0}


def scales(cond: float = COND) -> Scales:
    rows = {name: np.full((3, 2), 10.0) for name in ("h", "gravity", "applied", "inverse_dynamics")}
    roots = np.tile(ROOTS, (3, 1))
    mass = roots[:, :, None] * roots[:, None, :]
    return Scales(mass, 2 * mass, rows, roots, np.full(3, 5.0), np.full(3, cond))


def honest(name: str = "a", bound: float | None = None) -> Evaluation:
    values = {q: np.tile([1.0, -2.0], (3, 1)) for q in QUANTITIES if q != "M"}
    found = {"M": np.tile(MASS, (3, 1, 1)), **values}
    bounds = {} if bound is None else {q: np.full_like(x, bound) for q, x in found.items()}
    return Evaluation(name, found, (), bounds)


def planted(quantity: str, at: tuple[int, ...], by: float, bound: float | None = None) -> Evaluation:
    evaluation = honest("b", bound)
    evaluation.quantities[quantity][at] += by
    return evaluation


def compared(a: Evaluation, b: Evaluation, cond: float = COND) -> dict[str, Comparison]:
    return {c.quantity: c for c in compare_evaluations(a, b, scales(cond), STATES, NAMES)}


def last(quantity: str) -> tuple[int, ...]:
    """An entry of the last state: M_xy, or y."""
    return (2, 0, 1) if quantity == "M" else (2, 1)


@pytest.mark.parametrize("bound", [None, BOUND])
def test_equal_results_agree_in_every_quantity_with_discrepancy_zero(bound: float | None) -> None:
    found = compared(honest(bound=bound), honest("b", bound))
    assert list(found) == list(QUANTITIES)
    assert {(c.verdict, c.discrepancy) for c in found.values()} == {("agrees", 0.0)}


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_each_number_stands_beside_the_name_of_its_witness(quantity: str) -> None:
    """Exchanged names would lay an error at the door of the formalism that is right."""
    right = {"M": 1.0}.get(quantity, -2.0)
    found = compared(honest("a"), planted(quantity, last(quantity), 0.5))[quantity]
    assert (found.verdict, found.a, found.b) == ("disagrees", "a", "b")
    assert found.values == pytest.approx((right, right + 0.5), rel=1e-12)


#: What two may differ by: the sum of their bounds; a side without bounds is allowed a tolerance of scale.
SIDES: Mapping[str, tuple[float | None, float | None]] = {
    "both with bounds": (BOUND, BOUND),
    "one without": (BOUND, None),
    "the other without": (None, BOUND),
    "none with bounds": (None, None),
}


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize(
    ("factor", "said"), [(0.9, "agrees"), (1.1, "disagrees"), (1e6, "disagrees"), (-1.1, "disagrees")]
)
def test_a_difference_is_judged_at_what_is_allowed_and_located(
    sides: str, quantity: str, factor: float, said: str
) -> None:
    one, other = SIDES[sides]
    scale = SCALE.get(quantity, 10.0)
    relative = 0.0 if one and other else SOLVED if quantity in ("acceleration", "effort") else EVALUATED
    allowed = (one or 0.0) + (other or 0.0) + relative * scale
    found = compared(honest(bound=one), planted(quantity, last(quantity), factor * allowed, other))
    hit = found.pop(quantity)
    assert hit.verdict == said
    assert hit.scale == pytest.approx(scale, rel=1e-3 if abs(factor) > 1e3 else 1e-9)
    assert hit.tolerance == pytest.approx(allowed / scale, rel=1e-3)
    assert hit.discrepancy == pytest.approx(abs(factor) * allowed / scale, rel=3e-2)
    assert hit.excess == pytest.approx(abs(factor), rel=3e-2)
    assert hit.state is STATES[2]
    assert hit.entry == (("x", "y") if quantity == "M" else ("y",))
    assert {c.discrepancy for c in found.values()} == {0.0}


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_a_difference_that_bounds_do_not_explain_is_never_excused_by_conditioning(quantity: str) -> None:
    """The same at a condition number that would make any tolerance useless."""
    off = planted(quantity, last(quantity), 1e-10, BOUND)
    assert compared(honest(bound=BOUND), off, cond=1e15)[quantity].verdict == "disagrees"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("bound", [None, BOUND])
def test_a_number_against_none_is_a_disagreement(quantity: str, bad: float, swap: bool, bound: float | None) -> None:
    at = (1, 0, 0) if quantity == "M" else (1, 0)
    pair = [honest(bound=bound), planted(quantity, at, bad, bound)]
    first, second = pair[::-1] if swap else pair
    hit = compared(first, second)[quantity]
    assert (hit.verdict, hit.values) == ("disagrees", None)
    assert hit.state is STATES[1]
    assert "b gives no number" in hit.explanation


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("bound", [None, BOUND])
def test_a_number_against_none_does_not_hide_a_difference(bad: float, bound: float | None) -> None:
    """At another state, and in another entry."""
    for at in ((2, 0), (1, 1)):
        off = planted("h", (1, 0), bad, bound)
        off.quantities["h"][at] += 1.0
        hit = compared(honest(bound=bound), off)["h"]
        assert (hit.verdict, hit.state, hit.entry) == ("disagrees", STATES[at[0]], (NAMES[at[1]],))
        assert hit.values is not None


def test_no_numbers_on_both_sides_are_not_checked_and_say_why() -> None:
    a, b = honest(), honest("b")
    for e in (a, b):
        e.quantities["acceleration"][:] = np.nan
    a = Evaluation("a", a.quantities, (error("coordinates/x", "the mass matrix is singular: no inertia along x"),))
    hit = compared(a, b)["acceleration"]
    assert hit.verdict == "not checked"
    assert "no inertia along x" in hit.explanation


def test_states_without_numbers_do_not_hide_a_difference_at_the_others() -> None:
    a, b = honest(), planted("h", (2, 0), 1.0)
    for e in (a, b):
        e.quantities["h"][0] = np.nan
    hit = compared(a, b)["h"]
    assert (hit.verdict, hit.entry) == ("disagrees", ("x",))
    assert "1 of 3 states" in hit.explanation


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_an_entry_that_is_compared_nowhere_does_not_hide_another(bad: float) -> None:
    a, b = honest(bound=BOUND), planted("h", (2, 1), 1.0, BOUND)
    for e in (a, b):
        e.quantities["h"][:, 0] = bad
    assert compared(a, b)["h"].verdict == "disagrees"
    assert compared(a, a)["h"].verdict == "not checked"


#: Bounds of h beside its scale of 10, and whether they leave digits; both sides have half of them.
BLIND = [(0.0099, True), (0.0101, False), (1e3, False), (math.inf, False), (math.nan, False)]


@pytest.mark.parametrize(("bound", "sighted"), BLIND)
def test_bounds_that_leave_no_digits_are_not_checked(bound: float, sighted: bool) -> None:
    a, b = honest(), honest("b")
    for e in (a, b):
        e.bounds["h"] = np.full((3, 2), bound / 2)
    hit = compared(a, b)["h"]
    assert hit.verdict == ("agrees" if sighted else "not checked")
    assert ("ill-conditioned" in hit.explanation) is not sighted
    a.bounds["h"][1], b.bounds["h"][1] = BOUND, BOUND  # one state decides
    assert compared(a, b)["h"].verdict == "agrees"
    b.quantities["h"][1, 0] += 1e-9
    assert compared(a, b)["h"].verdict == "disagrees"


#: Condition numbers at which 100 · 2^-52 · cond is just below and above 1e-3.
@pytest.mark.parametrize(("cond", "said"), [(4.4e10, "disagrees"), (4.6e10, "not checked"), (math.inf, "not checked")])
def test_without_bounds_a_useless_tolerance_is_not_checked(cond: float, said: str) -> None:
    hit = compared(honest(), planted("acceleration", (0, 0), 1.0), cond)["acceleration"]
    assert hit.verdict == said
    assert ("ill-conditioned, condition number" in hit.explanation) is (said == "not checked")


def difference(x: list[float], y: list[float], scale: list[float], bound: float | None = None) -> ArrayDifference:
    a = np.array([x], dtype=float)
    one_sided = None if bound is None else np.full_like(a, bound)
    tolerance = np.array([1e-12 if bound is None else 0.0])
    return ArrayDifference(a, np.array([y]), np.array([scale]), tolerance, np.ones(1), None, one_sided)


INF, NAN = math.inf, math.nan
#: Values of both sides, scales, bound (None: a tolerance of scale), verdict, discrepancy.
SCALES = [
    ([0, 0], [0, 0], [0, 0], None, "agrees", 0.0),
    ([0, 1], [0, 1], [0, 0], None, "agrees", 0.0),
    ([0, 0], [0, 1e-200], [1, 0], None, "disagrees", INF),
    ([0, 0], [0, 1e-280], [1, 1e-290], None, "disagrees", 1e10),
    ([0, 0], [0, 2e-290], [1, 0], None, "disagrees", INF),
    ([0, 0], [0, 5e-291], [1, 0], None, "not checked", None),  # digits are lost to underflow
    ([0, 0], [0, 1e-291], [1, 1e-292], None, "not checked", None),
    ([0, 0], [0, 1e-291], [1, 1e-270], None, "agrees", 1e-21),
    ([0, 0], [0, 1e-320], [1, 1e-310], 1e-321, "disagrees", 1e-10),  # a bound holds there too
    ([0, 0], [0, 0], [1, 0], 1e-300, "agrees", 0.0),
    ([0, 1e-301], [0, 0], [1, 0], 1e-300, "not checked", None),
    ([0, 1], [0, 2], [1, INF], None, "not checked", None),
    ([0, 1], [0, 2], [1, NAN], None, "not checked", None),
    ([0, 1], [0, 2], [1, INF], 1e-12, "disagrees", INF),
    ([0, 1], [0, 2], [1, NAN], 1e-12, "disagrees", INF),
    ([0, -1], [0, 1], [1, 1], None, "disagrees", 2.0),
    ([0, -1], [0, 1], [1, 1], 1e-12, "disagrees", 2.0),
    ([0, 1], [0, 1], [1, 1], 0.0, "agrees", 0.0),
    ([0, 1], [0, 1 + 2**-52], [1, 1], 0.0, "disagrees", 2**-52),
]  # fmt: skip


@pytest.mark.parametrize(("x", "y", "scale", "bound", "said", "discrepancy"), SCALES)
def test_scales_of_zero_or_without_meaning(
    x: list[float], y: list[float], scale: list[float], bound: float | None, said: str, discrepancy: float | None
) -> None:  # fmt: skip
    for first, second in ((x, y), (y, x)):
        hit = worst("a", "b", "h", difference(first, second, scale, bound), STATES[:1], NAMES)
        assert hit.verdict == said
        assert hit.discrepancy == (None if discrepancy is None else pytest.approx(discrepancy, rel=1e-3))
        shown = hit.to_json()["discrepancy"]
        assert shown is None if discrepancy is None or math.isinf(discrepancy) else shown == hit.discrepancy


def test_results_of_different_sizes_disagree() -> None:
    d = ArrayDifference(np.zeros((1, 2)), np.zeros((1, 3)), np.ones((1, 2)), np.ones(1), np.ones(1))
    assert worst("a", "b", "h", d, STATES[:1], NAMES).verdict == "disagrees"


def test_nothing_to_compare_is_not_checked() -> None:
    d = ArrayDifference(np.zeros((1, 0)), np.zeros((1, 0)), np.ones((1, 0)), np.ones(1), np.ones(1))
    assert worst("a", "b", "h", d, STATES[:1], ()).verdict == "not checked"


def test_the_relative_change_that_would_have_been_noticed_is_that_of_half_of_the_entries() -> None:
    """Allowed by |value|: 1e-11, 2e-12, 1e-14 and, zero to rounding, an entry that does not count."""
    x = [1.0, 5.0, 1e3, 1e-13]
    names = ("x", "y", "z", "w")
    d = difference(x, x, [1e3] * 4, 1e-11)
    assert worst("a", "b", "h", d, STATES[:1], names).noticeable == pytest.approx(2e-12)
    zero = worst("a", "b", "h", difference([0, 0], [0, 0], [1, 1], 1e-11), STATES[:1], NAMES)
    assert (zero.noticeable, zero.zero, zero.verdict) == (None, True, "agrees")
    assert not worst("a", "b", "h", d, STATES[:1], names).zero


def said(verdict: str, quantity: str = "M", zero: bool = False, claim: str = "") -> Comparison:
    return Comparison("a", "b", quantity, verdict, zero=zero, claim=claim)  # type: ignore[arg-type]


AGREES, ZERO = said("agrees"), said("agrees", "h", True)
#: Comparisons, and what they come to.
VERDICTS = [
    ([], "not checked"),
    ([AGREES], "agrees"),
    ([AGREES, ZERO], "agrees"),
    ([ZERO], "not checked"),
    ([ZERO, said("agrees", "gravity", True)], "not checked"),
    ([ZERO, said("agrees", "h", False)], "agrees"),
    ([ZERO, said("agrees", "power", False, "power_balance")], "not checked"),  # a claim is no second quantity
    ([ZERO, said("agrees", "M", False, "fields")], "not checked"),
    ([AGREES, said("not checked", "acceleration")], "not checked"),
    ([AGREES, said("not checked", "M", False, "fields")], "not checked"),
    ([said("not checked"), said("disagrees", "h")], "disagrees"),
    ([AGREES, said("disagrees", "power", False, "power_balance")], "disagrees"),
    ([ZERO, said("disagrees", "gravity")], "disagrees"),
]  # fmt: skip


@pytest.mark.parametrize(("comparisons", "expected"), VERDICTS)
def test_what_comparisons_come_to(comparisons: list[Comparison], expected: str) -> None:
    assert verdict(comparisons) == verdict(comparisons[::-1]) == expected
