"""Static moments of deep machines: sums from the last link to the first are what the write-out says."""

import pytest

from mbconcord.formalisms.static_moments import writeout
from mbconcord.validation.check import check
from mbconcord.validation.strategies.trees import random_system


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_gravity_of_sums_is_the_same_function_as_lagrange_has(seed, monkeypatch):
    monkeypatch.setattr(writeout, "DEEP", 0)
    found = check(random_system(seed, 4), formalisms=["static_moments", "lagrange"], states=2, exact="on")
    proved = {c.quantity: c.exact.kind for c in found.comparisons if c.exact}
    assert proved == {"gravity": "identical"}
    assert not [c for c in found.comparisons if c.verdict == "disagrees"]
