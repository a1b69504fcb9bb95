"""Why generated equations are not the model's: planted faults are named by their M and h, contradictions as such."""

from __future__ import annotations

import pytest

from mbconcord.formalisms import registry
from mbconcord.validation.against.programs import check_against
from mbconcord.validation.explain.programs import CONTRADICTION, why_not_generated
from mbconcord.validation.judge.comparison import compare_evaluations
from mbconcord.validation.judge.states import draw
from mbconcord.validation.witnesses.um.matched import MatchedSides

from ..witnesses.um.against_models import SETS, read, set_of
from ..witnesses.um.against_models import model as fixture
from .planted import ROWS, model

PLANT = {words: plant for _, plant, words in ROWS}
NAMED = ("the centre of mass of b has the other sign in y", "with the parallel axis of the wrong sign")
#: In the weights and forces that are handed over, which are the model's.
UNSEEN = ("there is no gravity", "the damping of bipolar1 has the other sign")


def asked(words: str, folder) -> tuple[str, ...]:
    system = model("turning pair")
    equations = set_of(PLANT[words](system), folder)
    at = draw(system, 2, 0)
    formalism = registry.formalism("newton_euler")
    matched = MatchedSides(at.system, equations, at.states, (formalism,), 0).pair({"1": "z1", "2": "y1", "3": "x1"})
    made = matched.trial
    found = [
        c
        for own, other in matched.pairs
        for c in compare_evaluations(own, other, made.scales, made.states, system.coordinate_names)
    ]
    return tuple(d.message for d in why_not_generated(matched, found))


@pytest.mark.slow
@pytest.mark.parametrize("words", NAMED)
def test_a_planted_cause_is_named(words, tmp_path):
    (said,) = asked(words, tmp_path)
    assert said.startswith("why: um equals the model in M, h when ")
    assert words in said


@pytest.mark.slow
@pytest.mark.parametrize("words", UNSEEN)
def test_of_what_is_handed_over_nothing_is_said(words, tmp_path):
    assert asked(words, tmp_path) == ()


def test_equations_that_no_machine_has():
    """One term of h has the other sign, and M is right."""
    evidence = check_against(
        fixture("mbsd/zi_zig.mbsd"), read(str(SETS / "double_pendulum_wrong")), formalisms=["lagrange"], states=2
    )
    assert [d.message for d in evidence.diagnostics if d.place == "um/why"] == [f"why: not searched: {CONTRADICTION}"]
