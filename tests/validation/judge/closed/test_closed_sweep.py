"""Random closed mechanisms by all witnesses: motion, forces at cuts and in joints; ``bench closed`` has 300 of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from laboratory.bench import closed
from laboratory.bench.closed import QUANTITIES, Tally, compare_witnesses, mechanism
from mbconcord.formalisms.registry import formalism
from mbconcord.validation.judge.evidence import Comparison

ASKED = [formalism(name) for name in ("lagrange", "newton_euler")]
#: Planar, with constraints of any kind, with cut joints: those that are found soon.
SEEDS = (27, 30, 9, 16, 28, 37, 64, 20, 29, 38)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_witnesses_disagree(seed: int) -> None:
    found = Tally()
    found.add(seed, compare_witnesses(mechanism(seed), ASKED))
    assert found.apart == [] and found.compared["joint_forces"]


def test_what_is_counted() -> None:
    one = Comparison("a", "b", QUANTITIES[0], "agrees", discrepancy=1e-15, tolerance=4e-15)
    tally = Tally()
    tally.add(3, [one, replace(one, verdict="not checked"), replace(one, quantity="rank"),
                  replace(one, verdict="disagrees", discrepancy=8e-15)])  # fmt: skip
    assert tally.compared == {QUANTITIES[0]: 2} and tally.silent == {QUANTITIES[0]: 1}
    assert tally.farthest == {QUANTITIES[0]: 2.0} and [(seed, c.verdict) for seed, c in tally.apart] == [
        (3, "disagrees")
    ]


def test_the_rows_say_how_many_and_how_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def sweep(seeds: range) -> Tally:
        found = Tally()
        found.kinds.update({"planar": len(seeds)})
        found.compared[QUANTITIES[1]] = 5
        return found

    monkeypatch.setattr(closed, "sweep", sweep)
    rows = list(closed.rows())
    assert rows[0].measured == 300 and rows[0].note == "300 planar"
    assert {row.is_met for row in rows[1:]} == {True} and len(rows) == 1 + 2 * len(QUANTITIES)
