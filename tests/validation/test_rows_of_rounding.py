"""Constraints in other words: rates that are rounding accuse nobody, and a parameter's value is said to decide."""

from __future__ import annotations

import pytest

import mbconcord as mb
from mbconcord.model import System
from mbconcord.validation.judge.exact.sameness import STATES


def point(*rows: str, L: float = 2.0) -> System:
    """Return a mass that moves along x and y, held by formulas."""
    made = mb.Mechanism("P").body("p", mass=2, inertia=(1, 1, 1)).slides("x", "x").slides("y", "y").parameters(L=L)
    for i, row in enumerate(rows):
        made = made.holds(f"c{i}", row)
    return made.build()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("y",), ("y*(x^2 + 1)",)),
        (("y - 1",), ("(y - 1)*(x^2 + 2)",)),
        (("x - t", "y - 1"), ("x - t + y - 1", "y - 1 - x + t")),
    ],
)
@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_a_row_without_another_branch_is_not_called_another(
    ours: tuple[str, ...], theirs: tuple[str, ...], seed: int
) -> None:
    assert mb.compare(point(*ours), point(*theirs), seed=seed).verdict != "disagrees"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("x", "y - 1"), ("x + y - 1", "y - 1 - x")),
        (("x - t", "y - 1"), ("x - t + y - 1", "0.3*(y - 1 - x + t)")),
        (("sin(x)", "y - L*x"), ("sin(x) - y/3 + L*x/3", "2*y - 2*L*x")),
        (("x", "y"), ("y", "x - y", "x + y")),
    ],
)
def test_rows_that_are_sums_of_multiples_of_the_others_are_proved(
    ours: tuple[str, ...], theirs: tuple[str, ...]
) -> None:
    for pair in ((ours, theirs), (theirs, ours)):
        found = mb.compare(*(point(*rows) for rows in pair))
        assert (found.verdict, found.stands) == ("agrees", True), str(found)
        assert found.proof and found.proof.exact.kind == "identical" and not found.proof.rows


@pytest.mark.parametrize("theirs", ["x - K", "3*x - 3*K"])
def test_rows_that_are_the_same_by_their_numbers_alone_are_not_so_for_all_parameters(theirs: str) -> None:
    both = [
        mb.Mechanism("P").body("p", mass=2).slides("x", "x").parameters(**{name: 2.0}).holds("c", row).build()
        for name, row in (("L", "x - L"), ("K", theirs))
    ]
    found = mb.compare(*both)
    assert found.verdict == "agrees"
    assert found.proof and found.proof.scope == STATES and str(found.proof) == f"identical for {STATES}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "theirs",
    [
        ("x + y - 1", "y - 1 - 1.000000001*x*x - x"),
        ("x + y - 1",),
        ("x/3 + (y - 1)/7", "2*x/3 + 2*(y - 1)/7"),
        ("x + y - 1", "y - 1 - x + 1e-9*(y - 1)*x"),
    ],
)
def test_rows_that_no_sum_of_multiples_makes_are_not_proved(theirs: tuple[str, ...]) -> None:
    assert not mb.compare(point("x", "y - 1"), point(*theirs)).stands


@pytest.mark.slow
@pytest.mark.parametrize("theirs", ["y*(x - 50)", "y*(x - 3)^2", "y*(1 - 1e-9*x^2)"])
def test_another_branch_is_never_the_same(theirs: str) -> None:
    assert not mb.compare(point("y"), point(theirs)).stands


@pytest.mark.parametrize(("ours", "theirs"), [("x - L*y", "x - 2*y"), ("x - (L + 1)*y", "x - 3*y")])
def test_a_constraint_that_is_the_same_for_one_value_says_so(ours: str, theirs: str) -> None:
    found = mb.compare(point(ours), point(theirs))
    assert found.verdict == "not checked" and "the same where L = 2, not at every value" in str(found)
    assert "identical for all states and parameters\n" not in str(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (("x - L*y",), ("x - L*y", "L*x - 4*y")),
        (("x - L*y",), ("L*x - 4*y",)),
        (("x - L*y", "y - 1"), ("L*x - 4*y", "2*(y - 1)")),
    ],
)
def test_rows_that_other_values_of_a_parameter_part_are_the_same_only_while(
    ours: tuple[str, ...], theirs: tuple[str, ...]
) -> None:
    for pair in ((ours, theirs), (theirs, ours)):
        found = mb.compare(*(point(*rows) for rows in pair))
        said = [c.explanation for c in found.comparisons if c.quantity == "names"]
        assert (found.verdict, said) == ("not checked", ["the same where L = 2, not at every value"]), str(found)


def test_rows_whose_factor_is_a_parameter_are_the_same() -> None:
    assert mb.compare(point("x - L*y"), point("L*x - L^2*y")).stands


def arm(mass: str, com: float, m: float = 1.0) -> System:
    """Return a body that turns, its centre so far from the axis; forces pull it by m and push it by k = 3 m."""
    made = mb.Mechanism("P").parameters(m=m, n=5, k="3*m").body("p", mass=mass, inertia=(1, 1, 1), com=(com, 0, 0))
    return made.turns("a", about="z").build()


@pytest.mark.parametrize("theirs", ["m^2", "1", "k - 2", "m + n - 5", "n/5"])
def test_a_parameter_decides_where_rounding_leaves_the_proof_open(theirs: str) -> None:
    """The centre differs in its last digit; that excuses nothing that a parameter's value makes the same."""
    for pair in ((arm("m", 0.3), arm(theirs, 0.3 + 6e-17)), (arm(theirs, 0.3), arm("m", 0.3 + 6e-17))):
        found = mb.compare(*pair)
        said = [c.explanation for c in found.comparisons if c.quantity == "names"]
        assert found.verdict == "not checked" and any(x.endswith(", not at every value") for x in said), str(found)


def test_parameters_apart_by_rounding_are_no_condition() -> None:
    assert mb.compare(arm("m", 0.3), arm("m", 0.3 + 6e-17, m=1 + 2e-16)).stands
    assert mb.compare(arm("m", 0.3), arm("k/3", 0.3 + 6e-17)).stands


def pulled(g: str, effort: str = "-g(x)", k: str = "4", com: float = 0.3) -> System:
    """Return a body that slides; a function g, by which a parameter may be given, holds another parameter."""
    made = mb.Mechanism("P").parameters(L=2.0, k=k).function("g", ["s"], g).body("p", mass=2, com=(com, 0, 0))
    return made.slides("x", "x").effort("f", "x", effort).build()


@pytest.mark.parametrize("com", [0.3, 0.3 + 6e-17])
def test_parameters_within_functions_decide_as_others_do(com: float) -> None:
    assert mb.compare(pulled("L*s"), pulled("L*s", com=com)).stands
    for ours, theirs in (
        (pulled("L*s"), pulled("L^2*s/2", com=com)),
        (pulled("L*s"), pulled("s", "-2*x", com=com)),
        (pulled("L*s", "-k*x", "g(2)"), pulled("s", "-4*x", com=com)),
    ):
        for one, other in ((ours, theirs), (theirs, ours)):
            found = mb.compare(one, other)
            assert found.verdict == "not checked" and "the same where L = 2, not at" in str(found), str(found)


def bounded(effort: str, *rows: str, com: float = 0.3) -> System:
    """Return a body that turns and slides, whose formulas have no value where L is much larger than 0.9."""
    made = mb.Mechanism("P").parameters(L=0.9, k=0.88).body("p", mass=2, inertia=(1, 1, 1), com=(com, 0, 0))
    made = made.turns("a", about="z").slides("x", "x").effort("f", "x", effort)
    for i, row in enumerate(rows):
        made = made.holds(f"c{i}", row)
    return made.build()


@pytest.mark.parametrize(
    ("effort", "ours", "theirs", "other"),
    [
        ("-x*asin(L)", (), (), "-x*asin(L^2/0.9)"),
        pytest.param(
            "-x",
            ("cos(a) - L",),
            ("0.30000000000000004*(cos(a) - L)",),
            "-x*L/0.9",
            marks=[pytest.mark.slow, pytest.mark.rest],
        ),
        ("-x", ("L^2 - k^2 - x^2",), ("3*(L^2 - k^2 - x^2)",), "-x*L^2/0.81"),
    ],
)
def test_parameters_of_a_narrow_range_are_held_at_values_within_it(
    effort: str, ours: tuple[str, ...], theirs: tuple[str, ...], other: str
) -> None:
    for one, two, verdict in ((effort, effort, "agrees"), (effort, other, "not checked")):
        pair = bounded(one, *ours), bounded(two, *theirs, com=0.3 + 6e-17)
        for first, second in (pair, pair[::-1]):
            found = mb.compare(first, second)
            assert found.verdict == verdict, str(found)
            assert ("the same where L = 0.9, not at" in str(found)) == (verdict == "not checked"), str(found)


def stop(name: str, place: float) -> str:
    """Return a formula that is zero before a place."""
    return f"(abs({name} - {place}) + ({name} - {place}))"


#: Formulas with a factor that shows nowhere near, nor where one coordinate alone is changed.
FLAT = {
    "three stops at once": "0.3*x + 5*F*" + "*".join(stop(n, x) for n, x in (("x", 500), ("y", 700), ("w", 900))),
    "a narrow peak": "0.3*x + 1 + 5*F*exp(-1e12*((x - 3)^2 + (y - 4)^2))",
    "a narrow fraction": "0.3*x + 1 + 5*F/(1 + 1e20*((x - 3)^2 + (y - 4)^2))",
    "within another": "0.3*x + abs(x - 500 + F*" + "*".join(stop(n, x) for n, x in (("y", 700), ("w", 900))) + ")",
}


def slide(effort: str = "0", rows: tuple[str, ...] = (), com: float = 0.3) -> System:
    """Return a body that slides along three axes and turns, driven or held by formulas."""
    made = mb.Mechanism("P").body("p", mass=2, inertia=(1, 1, 1), com=(com, 0, 0))
    made = made.slides("x", "x").slides("y", "y").slides("w", "z").turns("a", about="z").effort("f", "x", effort)
    for i, row in enumerate(rows):
        made = made.holds(f"c{i}", row)
    return made.build()


@pytest.mark.slow
@pytest.mark.parametrize("shape", FLAT)
def test_what_stands_beside_a_flat_piece_is_the_same_or_not_checked(shape: str) -> None:
    """A centre differs by rounding, which proves the two to differ: that excuses no other factor."""
    own, other = (FLAT[shape].replace("F", factor) for factor in ("1.1", "1.3"))
    assert mb.compare(slide(own), slide(own, com=0.3 + 6e-17)).stands
    for pair in ((slide(own), slide(other, com=0.3 + 6e-17)), (slide(other), slide(own, com=0.3 + 6e-17))):
        assert mb.compare(*pair).verdict != "agrees"


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "theirs",
    [("x - F*Q",), ("10*x - 10*F*Q",), ("y - 1", "x - F*Q", "2*(y - 1)"), ("y - 1", "x - F*Q + 3*(y - 1)", "0")],
)
def test_rows_beside_a_flat_piece_are_the_same_or_not_checked(theirs: tuple[str, ...]) -> None:
    piece = f"{stop('w', 700)}*{stop('a', 900)}*{stop('t', 500)}"
    own = ("x - 0.3*Q", *(("y - 1",) if len(theirs) > 1 else ()))
    for factor, same in (("0.30000000000000004", True), ("0.4", False)):
        rows = [tuple(x.replace("Q", piece).replace("F", factor) for x in of) for of in (own, theirs)]
        for one, other in (rows, rows[::-1]):
            found = mb.compare(slide(rows=one), slide(rows=other))
            assert (found.verdict == "agrees") is same, str(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "gone", ["(1 - sign(x - 1)^2)*(1 - sign(y - 2)^2)", "(1 - sign(x^2 - 2)^2)*(1 - sign(x^4 - 4)^2)"]
)
def test_rows_and_forces_that_differ_at_single_states_are_not_proved_the_same(gone: str) -> None:
    forces = [
        mb.Mechanism("P").body("p", mass=2, inertia=(1, 1, 1)).slides("x", "x").slides("y", "y")
        .effort("e", "x", f"-5*x + {more}").build() for more in ("0", gone)
    ]  # fmt: skip
    for pair in ((point("y - x - 1"), point(f"y - x - 1 + {gone}")), forces):
        found = mb.compare(*pair)
        assert found.verdict == "not checked" and not found.stands, str(found)
        assert any(c.explanation.count("sign(") > 1 and " = 0" in c.explanation for c in found.comparisons)
