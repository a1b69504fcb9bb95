"""The referee tells a wrong derivation from lost digits, and names the side."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import pytest

from laboratory.faults.score import read_faults
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import Expression, as_expression, sqrt, symbol
from mbconcord.testing import inject
from mbconcord.validation.check import check
from mbconcord.validation.judge import floats
from mbconcord.validation.judge import formalism as trials
from mbconcord.validation.judge.agreement import compare_pairs
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.referee import SingularError, judge, review, solution
from mbconcord.validation.judge.states import DrawnModel, draw
from mbconcord.validation.judge.trial import Trial, trial

from ..fakes import Altered, Change, double_pendulum, entry, only


def disputed(change: Change, quantity: str, others: tuple[str, ...] = ("lagrange", "newton_euler")) -> tuple:  # type: ignore[type-arg]
    drawn = draw(double_pendulum(), 5, 3)
    made: Trial = trial(drawn.system, drawn.states, [*map(formalism, others), Altered(change)])
    (found,) = [
        c for c in compare_pairs(made) if c.verdict == "disagrees" and c.quantity == quantity and c.a == others[0]
    ]
    return made, found


def losing_digits(size: int) -> Callable[[Expression], Expression]:
    """Equal to the value, but through terms of that size that cancel."""
    q, large = symbol("z1"), as_expression(size)
    return lambda value: (value + large * (1 + q) ** 2) - large * (1 + 2 * q + q * q)


WRONG = [
    ("M", (0, 1), lambda x: -x),
    ("h", (0,), lambda x: 2 * x),
    ("gravity", (1,), lambda x: x + symbol("z1") / 1000),
    ("applied", (0,), lambda x: x * 0),
    ("inverse_dynamics", (1,), lambda x: -x),
    ("acceleration", (0,), lambda x: x + 1),
]


@pytest.mark.parametrize(("quantity", "at", "change"), WRONG)
def test_a_wrong_derivation_is_the_odd_one_out_of_three(quantity, at, change) -> None:  # type: ignore[no-untyped-def]
    made, found = disputed(entry_of(quantity, at, change), quantity)
    judgement = judge(made.derivations, found)
    assert judgement.verdict == "derivations differ"
    assert judgement.wrong == ("altered",)
    assert "lagrange and newton_euler stand against altered" in judgement.text


def entry_of(quantity: str, at: tuple[int, ...], change) -> Change:  # type: ignore[no-untyped-def]
    """A changed entry, where the formalism that is altered does not deliver the quantity made from Newton–Euler."""

    def changed(quantities: dict) -> dict:  # type: ignore[type-arg]
        if quantity not in quantities:
            quantities = dict(formalism("newton_euler").derive(double_pendulum()).quantities)
        return dict(entry(quantity, at, change)(quantities))

    return changed


def test_completed_quantities_are_judged_from_m_h_and_the_forces() -> None:
    made, found = disputed(entry("M", (0, 0), lambda x: 2 * x), "acceleration")
    judgement = judge(made.derivations, found)
    assert (judgement.verdict, judgement.wrong) == ("derivations differ", ("altered",))


def test_of_two_the_referee_does_not_say_who() -> None:
    made, found = disputed(entry("h", (0,), lambda x: -x), "h", ("lagrange",))
    judgement = judge(made.derivations, found)
    assert (judgement.verdict, judgement.wrong) == ("derivations differ", ())
    assert set(judgement.exact) == {"lagrange", "altered"}


def test_lost_digits_are_in_the_bounds_and_no_disagreement() -> None:
    """What the arithmetic of floats explains needs no referee; where 50 digits leave none nothing is checked."""
    drawn = draw(double_pendulum(), 5, 3)
    for size, verdict in ((10**6, "agrees"), (10**18, "agrees"), (10**60, "not checked")):
        change = entry("h", (0,), losing_digits(size))
        made = trial(drawn.system, drawn.states, [formalism("lagrange"), Altered(change)])
        (hit,) = [c for c in compare_pairs(made) if c.quantity == "h"]
        assert hit.verdict == verdict, size
        assert ("ill-conditioned" in hit.explanation) is (verdict == "not checked")


def test_what_is_lost_beyond_its_bounds_is_a_wrong_float_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats that are not those of the equations: both derivations are right, and it disagrees all the same."""
    honest = floats.evaluate_measured

    def off(*given: Any) -> Evaluation:
        found = honest(*given)
        if found.formalism == "altered":
            found.quantities["h"][2, 0] *= 1 + 1e-9
        return found

    monkeypatch.setattr(trials, "evaluate_measured", off)
    made, found = disputed(dict, "h")
    judgement = judge(made.derivations, found)
    assert (judgement.verdict, judgement.wrong) == ("rounding", ("altered",))
    assert "float evaluation: in 50 digits both give" in judgement.text
    reviewed = review(made.derivations, found)
    assert reviewed.verdict == "disagrees" and judgement.text in reviewed.explanation


def test_a_float_beyond_their_range_is_not_checked() -> None:
    """One side overflows on its way to a number that the other gives: 50 digits say that they are the same."""

    def overflowing(value: Expression) -> Expression:
        large = symbol("z1") + 10**200
        return value * large**2 / large**2

    made, found = disputed(entry("h", (0,), overflowing), "h")
    assert found.values is None and "altered gives no number here" in found.explanation
    judgement = judge(made.derivations, found)
    assert (judgement.verdict, judgement.wrong) == ("rounding", ())
    reviewed = review(made.derivations, found)
    assert reviewed.verdict == "not checked"
    assert "beyond the range of floats: in 50 digits both give" in reviewed.explanation


def test_an_overflow_does_not_excuse_a_wrong_derivation() -> None:
    def wrong(value: Expression) -> Expression:
        large = symbol("z1") + 10**200
        return -value * large**2 / large**2

    made, found = disputed(entry("h", (0,), wrong), "h")
    assert review(made.derivations, found).verdict == "disagrees"
    assert judge(made.derivations, found).wrong == ("altered",)


def test_no_value_in_high_precision_is_undecided() -> None:
    made, found = disputed(entry("h", (0,), lambda x: x + sqrt(-1 - symbol("z1") ** 2)), "h")
    judgement = judge(made.derivations, found)
    assert judgement.verdict == "undecided"
    assert "altered has no value in 50 digits" in judgement.text
    evidence = check(
        double_pendulum(),
        formalisms=["lagrange", Altered(entry("h", (0,), lambda x: x + sqrt(-1 - symbol("z1") ** 2)))],
    )
    assert evidence.verdict == "disagrees"


def test_what_is_not_delivered_is_not_judged() -> None:
    made, found = disputed(entry("gravity", (0,), lambda x: -x), "gravity")
    derivations = dict(made.derivations)
    derivations["altered"] = Altered(only("M")).derive(double_pendulum())
    assert judge(derivations, found).verdict == "undecided"


#: Faults of elastic bodies, by their titles in the table of the formalism, and a quantity that each falsifies.
ELASTIC = {
    "2 ω × A q' in C_r without its factor 2": "h",
    "deflection left out of the place of a node": "gravity",
    "turns of the section left out of Φ": "M",
}


@pytest.mark.slow
@pytest.mark.parametrize("title", ELASTIC)
def test_a_wrong_elastic_derivation_is_the_odd_one_out(title: str) -> None:
    """Integrals of shapes are rationals, so 50 digits judge elastic quantities as those of rigid bodies."""
    (fault,) = (f for f in read_faults("flexible") if f.title == title)
    drawn = draw(read(folder() / "elastic/nodal_tree.mbs.json").system, 1, 0)
    with inject(fault) as wrong:
        made = trial(drawn.system, drawn.states, [formalism("lagrange"), formalism("virtual_work"), wrong])
        found = [c for c in compare_pairs(made) if c.verdict == "disagrees" and c.quantity == ELASTIC[title]]
        assert {c.b for c in found} == {"flexible"}
        judgement = judge(made.derivations, found[0])
    assert (judgement.verdict, judgement.wrong) == ("derivations differ", ("flexible",))
    assert "lagrange and virtual_work stand against flexible" in judgement.text
    right = [float(judgement.exact[name]) for name in ("lagrange", "virtual_work")]
    assert right == pytest.approx([found[0].values[0]] * 2, rel=1e-9)


@pytest.mark.parametrize("quantity", ["M", "h", "gravity", "applied", "inverse_dynamics", "acceleration"])
@pytest.mark.parametrize("file", ["planar_arm", "nodal_tree"])
def test_elastic_quantities_are_the_same_in_50_digits(file: str, quantity: str) -> None:
    """All who take the model, to 1e-30 of the number: what floats call a difference there is theirs alone."""
    drawn, derivations = elastic(file)
    name = drawn.system.coordinate_names[-1]
    entry = (name, name) if quantity == "M" else (name,)
    said = Comparison("lagrange", "flexible", quantity, "disagrees", state=drawn.states[0], entry=entry,
                      values=(1.0, 1.0), scale=1.0)  # fmt: skip
    judgement = judge(derivations, said)
    assert judgement.verdict == "rounding" and len(set(judgement.exact.values())) == 1
    assert judgement.exact.keys() == {"lagrange", "virtual_work", "flexible"}


@cache
def elastic(file: str) -> tuple[DrawnModel, dict[str, Derivation]]:
    """An elastic fixture at a state, and its derivations."""
    drawn = draw(read(folder() / f"elastic/{file}.mbs.json").system, 1, 0)
    return drawn, {n: formalism(n).derive(drawn.system) for n in ("lagrange", "virtual_work", "flexible")}


@pytest.mark.parametrize(("apart", "singular"), [("1e-12", False), ("1e-24", True), ("1e-36", True), ("0", True)])
def test_digits_that_are_gone_are_no_solution(apart: str, singular: bool) -> None:
    """What 50 digits leave of a solution is less than by what the derivations shall be the same."""
    context = mpmath.mp.clone()
    context.dps = 50
    units = [context.mpf(x) for x in ("1e30", "1e-9")]  # those of the coordinates are no part of it
    rows = [[1, 1], [1, 1 + context.mpf(apart)]]
    A = context.matrix([[units[i] * units[k] * rows[i][k] for k in range(2)] for i in range(2)])
    right = context.matrix([units[i] * rows[i][0] for i in range(2)])
    if singular:
        with pytest.raises(SingularError):
            solution(A, right)
    else:
        x, y = solution(A, right)
        assert abs(x * units[0] - 1) < 1e-30 and abs(y * units[1]) < 1e-30


@pytest.mark.slow
def test_a_number_beside_none_says_nothing_where_digits_are_gone() -> None:
    """Five directions in a plane: M is regular in the last bits of one formalism, and no acceleration is one."""
    system = read(Path(__file__).parents[1] / "slides_in_a_plane.mbs.json").system
    found = check(system, formalisms=["lagrange", "newton_euler", "flexible"], seed=5, claims=(), exact="off")
    accelerations = {c.verdict for c in found.comparisons if c.quantity == "acceleration"}
    assert accelerations == {"not checked"} and found.verdict == "not checked"
