"""All formalisms agree on random trees of up to ten bodies; a tree on which they do not is printed as one line."""

from __future__ import annotations

import os

from hypothesis import given, note, settings

from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model.derivation import QUANTITIES
from mbconcord.validation.check import check
from mbconcord.validation.draw import Drawn
from mbconcord.validation.reproducer import reproducer
from mbconcord.validation.strategies import systems_and_states

EXAMPLES = int(os.environ.get("MBCONCORD_EXAMPLES", "100"))
LIMIT = 1e-12


@settings(max_examples=EXAMPLES)
@given(systems_and_states(max_bodies=10, count=3))
def test_all_formalisms_agree(drawn: Drawn) -> None:
    note(f"reproduce: {reproducer(drawn.system)}")
    evidence = check(drawn.system, given=drawn.states)
    taking = [w for w in evidence.witnesses if not w.obstacles]
    assert {w.name for w in taking} == set(BUILT_IN), "every built-in formalism takes every open tree"
    for c in evidence.comparisons:
        assert c.verdict != "disagrees", f"{c.a} and {c.b} disagree in {c.quantity}: {c}"
        if c.verdict == "not checked":
            assert "singular" in c.explanation or "ill-conditioned" in c.explanation, c.explanation
        elif c.quantity != "acceleration":
            assert c.discrepancy is not None and c.discrepancy <= LIMIT


def test_the_property_compares_every_quantity_of_every_pair() -> None:
    from mbconcord.validation.generation import random_system

    count = len(BUILT_IN)
    evidence = check(random_system(2, 6), states=2)
    assert len(evidence.comparisons) == len(QUANTITIES) * count * (count - 1) // 2
    assert {formalism(name).name for name in BUILT_IN} == {w.name for w in evidence.witnesses}
