"""Deep trees by Konoplev: sums that are gathered from the tips are those over the rows of S."""

import numpy as np
import pytest

from mbconcord.formalisms.konoplev import Konoplev, chain
from mbconcord.formalisms.konoplev import canonical as gathered
from mbconcord.formalisms.konoplev.vectors import Symbolic
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("axes", ["body", "central", "principal"])
def test_numbers_of_a_batch_are_those_of_the_rows(axes, split, monkeypatch):
    drawn = draw(random_system(4, 5), 3, 1)
    by_rows = Konoplev(split, axes).evaluate(drawn.system, drawn.states).quantities
    monkeypatch.setattr(gathered, "DEEP", 0)
    found = Konoplev(split, axes).evaluate(drawn.system, drawn.states).quantities
    for name in ("M", "h", "gravity", "applied"):
        size = np.abs(by_rows[name]).max()
        assert size > 0
        assert np.abs(found[name] - by_rows[name]).max() < 1e-13 * size, name


@pytest.mark.parametrize(("m", "deep"), [(8, False), (9, True)])
def test_chains_that_the_paper_counts_are_not_deep(m, deep):
    assert gathered.deep(Konoplev().aggregates(chain(m, "parallel"), Symbolic()).tree) is deep
