"""Deep trees by Konoplev: sums that are gathered from the tips are those over the rows of S."""

import numpy as np
import pytest

from mbconcord.formalisms.konoplev import Konoplev, gathered
from mbconcord.formalisms.konoplev.arithmetic import Symbolic
from mbconcord.formalisms.konoplev.chains import chain
from mbconcord.validation.check import check
from mbconcord.validation.judge.states import draw
from mbconcord.validation.models.carried import gyrostats
from mbconcord.validation.models.geared import geared
from mbconcord.validation.models.pairs import ball_joints
from mbconcord.validation.models.trees import random_system

#: Joints of several coordinates, prescribed motions, massless bodies, flywheels, a fluid, every force; and armatures.
MODELS = {
    **{f"tree {seed}": random_system(seed, 4, flywheels=True) for seed in (1, 2, 3)},
    "gyrostats in a fluid": gyrostats(),
    "ball joints": ball_joints(),
    "armatures": geared(),
}


@pytest.mark.parametrize("name", MODELS)
def test_gathered_sums_are_the_same_functions_as_those_of_lagrange(name, monkeypatch):
    monkeypatch.setattr(gathered, "DEEP", 0)
    found = check(MODELS[name], formalisms=["konoplev", "lagrange"], states=2, exact="on")
    proved = [c for c in found.comparisons if c.exact]
    assert {c.quantity for c in proved} >= {"M", "h", "gravity", "applied"}
    assert {c.exact.kind for c in proved} == {"identical"}
    assert not [c for c in found.comparisons if c.verdict == "disagrees"]


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
