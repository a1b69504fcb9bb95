"""The referee tells a wrong derivation from lost digits, and names the side."""

from __future__ import annotations

import pytest

from mbconcord.model.expressions import Expression, as_expression, sqrt, symbol
from mbconcord.validation.check import check
from mbconcord.validation.judge.agreement import compare
from mbconcord.validation.judge.referee import judge
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import Trial, trial

from .fakes import Altered, Change, double_pendulum, entry, only


def disputed(change: Change, quantity: str, others: tuple[str, ...] = ("lagrange", "newton_euler")) -> tuple:  # type: ignore[type-arg]
    from mbconcord.formalisms.registry import formalism

    drawn = draw(double_pendulum(), 5, 3)
    made: Trial = trial(drawn.system, drawn.states, [*map(formalism, others), Altered(change)])
    (found,) = [
        c for c in compare(made) if c.verdict == "disagrees" and c.quantity == quantity and c.a == others[0]
    ]
    return made, found


def losing_digits(value: Expression) -> Expression:
    """Equal to the value, but through terms of size 1e12 that cancel."""
    q = symbol("z1")
    large = as_expression(10**12)
    return (value + large * (1 + q) ** 2) - large * (1 + 2 * q + q * q)


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
    from mbconcord.formalisms.registry import formalism

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


def test_lost_digits_are_ill_conditioned_neither_agreement_nor_disagreement() -> None:
    change = entry("h", (0,), losing_digits)
    made, found = disputed(change, "h")
    judgement = judge(made.derivations, found)
    assert (judgement.verdict, judgement.wrong) == ("rounding", ("altered",))
    evidence = check(double_pendulum(), formalisms=["lagrange", Altered(change)], states=5, seed=3)
    (hit,) = [c for c in evidence.comparisons if c.quantity == "h"]
    assert hit.verdict == "not checked"
    assert "ill-conditioned" in hit.explanation and "altered loses digits" in hit.explanation
    assert hit.discrepancy is not None and hit.tolerance is not None and hit.discrepancy > hit.tolerance


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
