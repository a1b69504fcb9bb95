"""All formalisms agree on random trees of up to ten bodies; a tree on which they do not is printed as one line."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings

from mbconcord.formalisms.registry import BUILT_IN
from mbconcord.model.derivation import QUANTITIES
from mbconcord.validation.check import check
from mbconcord.validation.draw import Drawn, draw
from mbconcord.validation.evidence import Evidence
from mbconcord.validation.generation import random_system
from mbconcord.validation.strategies import systems_and_states

from .fakes import reproduced

#: How many seeded trees are tried (all different), and a third as many that Hypothesis makes and shrinks.
EXAMPLES = int(os.environ.get("MBCONCORD_EXAMPLES", "100"))
LIMIT = 1e-12


def require_agreement(evidence: Evidence) -> None:
    taking = [w for w in evidence.witnesses if not w.obstacles]
    assert {w.name for w in taking} == set(BUILT_IN), "every built-in formalism takes every open tree"
    assert len(evidence.comparisons) == len(QUANTITIES) * len(BUILT_IN) * (len(BUILT_IN) - 1) // 2
    for c in evidence.comparisons:
        assert c.verdict != "disagrees", f"{c.a} and {c.b} disagree in {c.quantity}: {c}"
        if c.verdict == "not checked":
            assert "singular" in c.explanation or "ill-conditioned" in c.explanation, c.explanation
        elif c.quantity != "acceleration":
            assert c.discrepancy is not None and c.discrepancy <= LIMIT


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_all_formalisms_agree_on_a_seeded_tree(seed: int) -> None:
    drawn = draw(random_system(seed, 1 + seed % 10), 3, seed)
    evidence = check(drawn.system, given=drawn.states)
    with reproduced(drawn.system):
        require_agreement(evidence)
    assert all(c.verdict == "agrees" for c in evidence.comparisons if c.quantity not in ("h", "acceleration"))


@settings(max_examples=EXAMPLES // 3)
@given(systems_and_states(max_bodies=10, count=3))
def test_all_formalisms_agree_on_trees_that_shrink(drawn: Drawn) -> None:
    with reproduced(drawn.system):
        require_agreement(check(drawn.system, given=drawn.states))
