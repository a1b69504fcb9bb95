"""Whether two models are the same machine does not depend on which is named first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mbconcord.formalisms.registry import formalism
from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Effort,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    JointEffort,
    Motion,
    Nonholonomic,
    Point,
    PointCoincidence,
    Rod,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.transformation import AXES, Frame
from mbconcord.validation.check import check
from mbconcord.validation.compare import same_machine

X, Y = ("x", "y")
BODY = Body(
    "b", None, (translation("x", X), translation("y", Y), rotation("z", "a")), Inertia(2, (0.3, 0.1, 0), (1, 2, 3))
)
GRAVITY = Gravity(9.81, tuple(-e for e in AXES["y"]))


def row(*texts: str) -> dict[str, Any]:
    """Holonomic constraints of these formulas."""
    return {"constraints": [Holonomic(f"c{i}", parse_formula(text, file="")) for i, text in enumerate(texts)]}


def rolls(x: str, y: str) -> dict[str, Any]:
    coefficients = {X: parse_formula(x, file=""), Y: parse_formula(y, file="")}
    return {"constraints": [Nonholonomic("r", coefficients)]}


def held(constraint: Any) -> dict[str, Any]:
    return {"constraints": [constraint]}


def pushed(*texts: str) -> dict[str, Any]:
    return {"forces": [JointEffort(f"f{i}", X, parse_formula(text, file="")) for i, text in enumerate(texts)]}


def model(changes: dict[str, Any]) -> System:
    return System("m", (Coordinate(X), Coordinate(Y), Coordinate("a")), (), (), GRAVITY, (BODY,), **changes)


def driven(drive: Effort | Motion) -> System:
    made = model({})
    return replace(made, coordinates=(replace(made.coordinates[0], drive=drive), *made.coordinates[1:]))


PIN = PointCoincidence("p", Point("b"), Point(None, (1, 2, 0)))
WELD = FrameCoincidence("w", Frame("b"), Frame(None, shift((1, 2, 0))))
ROD = Rod("rod", Point("b"), Point(None), 1)
FREE: dict[str, Any] = {}
SAME, DIFFERENT, OPEN = ("agrees",), ("disagrees",), ("not checked",)
#: A and B, and the verdicts of which one, and always the same one, is right.
PAIRS: dict[str, tuple[System, System, tuple[str, ...]]] = {
    **{
        f"{a} against {b}": (model(row(a)), model(row(b)), verdict)
        for a, b, verdict in (
            ("x - y", "3*y - 3*x", SAME),
            ("x - y", "(x - y)^2", OPEN),  # double zeros: whether there is a row is open
            ("x - y", "x^3 - y^3", OPEN),  # of none at zero
            ("x - y", "abs(x - y)", OPEN),
            ("(x - y)^2", "abs(x - y)", OPEN),
            ("(x - y)^2", "x^3 - y^3", OPEN),
            ("(x - y)^2", "(x - y - 5)^2", DIFFERENT),
            ("(x - y)^2", "x - y - 0.001", DIFFERENT),
            *(("x - y", f"{factor}*(x - y)", SAME) for factor in ("1e-12", "-1e-30", "1e9", "1e30", "1e-200")),
            ("x - y", "exp(x) - exp(y)", OPEN),  # the proof knows exp by values only
            ("x - y", "exp(20*x) - exp(20*y)", OPEN),
            ("x - y", "exp(-20*x) - exp(-20*y)", OPEN),
            ("exp(x) - exp(y)", "1e-9*exp(x) - 1e-9*exp(y)", SAME),
            ("exp(x) - exp(y)", "exp(x) - 1.0001*exp(y)", DIFFERENT),
            ("1e-15*(x - y)", "1e-15*(x - 1.0001*y)", DIFFERENT),
            ("x - y", "(x - y)*(x - 100)", DIFFERENT),
            ("x - y", "(x - y)*(1 + x^2)", SAME),
            ("x - y", "x^2 - y^2", DIFFERENT),
            ("x - y", "x - y - 0.001", DIFFERENT),
            ("x - y", "0*x", DIFFERENT),
        )
    },
    "a row twice": (model(row("x - y")), model(row("x - y", "2*x - 2*y")), SAME),
    "a row twice, of another branch": (model(row("x - y", "2*x - 2*y")), model(row("(x - y)*(x - 100)")), DIFFERENT),
    "a row and another more": (model(row("x - y")), model(row("x - y", "a - x")), DIFFERENT),
    "rows against a pin": (model(row("x - 1", "y - 2")), model(held(PIN)), SAME),
    "a square against a pin": (model(row("(x - 1)^2 + (y - 2)^2")), model(held(PIN)), DIFFERENT),
    "far rows against a pin": (model(row("(x - 1)*(x - 1e4)", "y - 2")), model(held(PIN)), DIFFERENT),
    "far rows against a weld": (model(row("(x - 1)*(x - 1e4)", "y - 2", "a")), model(held(WELD)), DIFFERENT),
    "a circle against a rod": (model(row("x^2 + y^2 - 1")), model(held(ROD)), SAME),
    "a root against a rod": (model(row("sqrt(x^2 + y^2) - 1")), model(held(ROD)), OPEN),
    "rates against rates": (model(rolls("1", "-1")), model(rolls("-2", "2")), SAME),
    "rates by a factor": (model(rolls("1", "-1")), model(rolls("1 + x^2", "-1 - x^2")), SAME),
    "a row against rates": (model(row("x - y")), model(rolls("1", "-1")), DIFFERENT),
    "a row against none": (model(row("x - y")), model(FREE), DIFFERENT),
    "a force in one": (model(pushed("-5*x")), model(FREE), DIFFERENT),
    "a tiny force in one": (model(pushed("-1e-9*x")), model(FREE), DIFFERENT),
    "a force against two": (model(pushed("-5*x")), model(pushed("-2*x", "-3*x")), SAME),
    "a force against a constant": (model(pushed("-5*x")), model(pushed("5")), DIFFERENT),
    "a constant in one": (model(pushed("1e6")), model(FREE), DIFFERENT),
    "a force that is zero": (model(pushed("0*x")), model(FREE), SAME),
    "a late force":
        (model(pushed("-5*x - (abs(t - 1e3) + t - 1e3)")), model(pushed("-5*x")), ("disagrees", "not checked")),
    "a drive in one": (driven(Effort(parse_formula("3*t", file=""))), model(FREE), DIFFERENT),
    "an imposed motion in one": (driven(Motion(parse_formula("sin(t)", file=""))), model(FREE), DIFFERENT),
    "a spring in one": (
        model({"forces": [Bipolar("s", Point("b"), Point(None, (5, 5, 5)), parse_formula("-3*(@ - 1)", file=""))]}),
        model(FREE), DIFFERENT,
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
def test_a_pair_of_models_is_judged_alike_in_both_orders(pair: str) -> None:
    a, b, right = PAIRS[pair]
    found, back = same_machine(a, b, 6), same_machine(b, a, 6)
    assert found.verdict in right, str(found)
    assert back.verdict == found.verdict, f"{found}\n{back}"


#: Rows of formulas -> the verdict of `check`: factors say nothing, and a double zero leaves open whether there is one.
CHECKED = [
    (("exp(x) - exp(y)",), SAME), (("1e-13*(x - y)", "a - x"), SAME), (("1e14*(x - y)", "a - x"), SAME),
    (("1e-30*(x - y)", "1e30*(a - y)"), SAME), (("1e-13*(x - y)", "x - y"), SAME), (("x^3 - y^3",), SAME),
    (("exp(30*x) - exp(30*y)", "a - 1"), SAME), (("1e-20*(x - 1)", "y*exp(-60 - x) - exp(-60 - x)"), SAME),
    (("(x - y)^2",), OPEN), (("sin(x - y)^2", "a - x"), OPEN), (("abs(x - y)",), OPEN),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "verdict"), CHECKED)
def test_formalisms_agree_on_rows_of_any_scale(rows: tuple[str, ...], verdict: tuple[str, ...]) -> None:
    found = check(model(row(*rows)), states=4)
    assert found.verdict in verdict, str(found)


@pytest.mark.parametrize("name", ["lagrange", "newton_euler", "virtual_work", "konoplev"])
@pytest.mark.parametrize("factor", ["1e-13", "1e-30", "1e20"])
def test_a_factor_of_a_row_changes_its_multiplier_alone(name: str, factor: str) -> None:
    state = State(q={"x": 0.3, "y": 0.3, "a": 0.1}, v={"x": 1, "y": 1, "a": 2})
    plain, scaled = (
        formalism(name).constrained_motion(model(row(f"{f}*(x - y)", "a - x + 0.2")), [state]) for f in ("1", factor)
    )
    assert plain is not None and scaled is not None
    assert scaled.rank.tolist() == plain.rank.tolist() == [2]
    assert scaled.acceleration == pytest.approx(plain.acceleration, rel=1e-12)
    assert scaled.reactions == pytest.approx(plain.reactions, rel=1e-12)
    expected = plain.multipliers / [[float(factor), 1]]
    assert scaled.multipliers == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("sign", "seed"), [("", 2), ("-", 2), ("-", 5), ("-", 6)])
def test_a_row_beyond_the_range_of_floats_is_no_difference(sign: str, seed: int) -> None:
    """A state at x = 37.9 has no exp(20 x): the same motions were not the same machine at one seed of ten."""
    a, b, right = PAIRS[f"x - y against exp({sign}20*x) - exp({sign}20*y)"]
    assert [same_machine(*pair, 6, seed).verdict for pair in ((a, b), (b, a))] == [*right, *right]
