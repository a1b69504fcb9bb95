"""All formalisms agree on random trees of up to ten bodies; a tree on which they do not is printed as one line."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, note, settings

from mbconcord.converters import registry
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model.derivation import QUANTITIES
from mbconcord.validation.check import compare, refereed
from mbconcord.validation.draw import Drawn, draw
from mbconcord.validation.evidence import Comparison
from mbconcord.validation.faults.injection import injected
from mbconcord.validation.faults.score import faults
from mbconcord.validation.generation import random_system
from mbconcord.validation.reproducer import Line
from mbconcord.validation.strategies import systems_and_states
from mbconcord.validation.trial import trial

from .fakes import reproduced

#: How many seeded trees are tried (all different), and a third as many that Hypothesis makes and shrinks.
EXAMPLES = int(os.environ.get("MBCONCORD_EXAMPLES", "100"))
LIMIT = 1e-12


def require_agreement(drawn: Drawn) -> list[Comparison]:
    """All comparisons; the first disagreement fails, with the referee's judgement."""
    made = trial(drawn.system, drawn.states, map(formalism, BUILT_IN))
    found = compare(made)
    for c in found:
        if c.verdict == "disagrees":
            c = refereed(made, c)
        assert c.verdict != "disagrees", f"{c.a} and {c.b} disagree in {c.quantity}: {c.explanation}"
        if c.verdict == "not checked":
            assert "singular" in c.explanation or "ill-conditioned" in c.explanation, c.explanation
        elif c.quantity != "acceleration":
            assert c.discrepancy is not None and c.discrepancy <= LIMIT
    assert set(made.evaluations) == set(BUILT_IN), "every built-in formalism takes every open tree"
    assert len(found) == len(QUANTITIES) * len(BUILT_IN) * (len(BUILT_IN) - 1) // 2
    return found


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_all_formalisms_agree_on_a_seeded_tree(seed: int) -> None:
    drawn = draw(random_system(seed, 1 + seed % 10), 3, seed)
    with reproduced(drawn.system):
        found = require_agreement(drawn)
        checked = [c for c in found if c.quantity != "acceleration"]
        assert {c.verdict for c in checked} == {"agrees"}


@settings(max_examples=EXAMPLES // 3)
@given(systems_and_states(max_bodies=10, count=3))
def test_all_formalisms_agree_on_trees_that_shrink(drawn: Drawn) -> None:
    note(Line(drawn.system))
    require_agreement(drawn)


def test_a_fault_is_shrunk_and_printed_as_one_line() -> None:
    """The property finds a seeded fault on a large tree and reports a small one."""
    fault = next(f for f in faults("virtual_work") if "upwards" in f.title)
    honest = formalism("lagrange")

    @settings(max_examples=50, database=None)
    @given(systems_and_states(max_bodies=5, count=1))
    def weight(drawn: Drawn) -> None:
        note(Line(drawn.system))
        found = compare(trial(drawn.system, drawn.states, [honest, faulty]))
        assert "disagrees" not in {c.verdict for c in found}

    with injected(fault) as faulty, pytest.raises(AssertionError) as problem:
        weight()
    (line,) = [text for text in problem.value.__notes__ if text.startswith("reproduce: ")]
    system = registry.read_text(line.removeprefix("reproduce: ")).system
    assert "\n" not in line
    assert len(system.bodies) == 1 and len(system.coordinates) == 1
