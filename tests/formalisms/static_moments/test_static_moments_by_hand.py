"""Static moments, and their second derivatives, of joints in general directions: against numbers by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mbconcord.formalisms.static_moments import StaticMoments

from ...reference.by_hand import moments_of_the_bead
from ...reference.table import row
from ..numbers import values
from .formulas import second_derivatives

ROW = "native/bead_on_tilted_rod.mbs.json"


@pytest.mark.parametrize("number", range(3))
def test_a_bead_on_a_tilted_turning_rod(number: int) -> None:
    system, state = row(ROW).system, row(ROW).states[number]
    first, second = moments_of_the_bead(state)
    found = values(StaticMoments().derive(system).native["static_moments"], system, state)
    assert found == pytest.approx(first, rel=1e-13, abs=1e-14)
    found = values(tuple(second_derivatives(system)), system, state)
    assert found == pytest.approx(second, rel=1e-12, abs=1e-12 * np.abs(second).max())
