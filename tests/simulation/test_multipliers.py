"""Multipliers that dependent rows leave open are no numbers; those that are unique stand."""

from __future__ import annotations

import numpy as np
import pytest

from mbconcord.formalisms.registry import formalism
from mbconcord.model import State
from mbconcord.simulation.linear.equilibrium import equilibrium
from mbconcord.simulation.linear.linearised import derive_linearised
from mbconcord.simulation.rows import left_open, unique

from .linear.machines import mbsd

#: Rows, what they bear, and their multipliers: None where they share the load in any way.
ROWS = [
    ([[1, 0], [0, 2]], [3, 4], [3, 2]),
    ([[1, 0], [1, 0], [0, 1]], [3, 2], [None, None, 2]),
    ([[1, 0], [1e6, 0], [0, 1]], [3, 2], [None, None, 2]),
    ([[0, 0], [0, 1]], [0, 2], [None, 2]),
    ([[1, 1], [1, -1], [1, 0]], [3, 2], [None, None, None]),
]


@pytest.mark.parametrize(("rows", "load", "expected"), ROWS)
def test_what_dependent_rows_share_is_open(rows, load, expected):
    D, wanted = np.array(rows, dtype=float), np.array(expected, dtype=float)
    assert (left_open(D) == np.isnan(wanted)).all()
    np.testing.assert_allclose(unique(D, np.array(load, dtype=float)), wanted, rtol=1e-12)


@pytest.mark.parametrize("rods", [1, 2])
def test_a_rod_that_stands_twice_bears_no_known_load(rods):
    """A mass point that hangs: at rest, and linearised there."""
    system = mbsd("u(x) v(y) $1 #a ; g-v" + " \\ #a :(2) {0, 0} < #0" * rods)
    by, hanging = formalism("lagrange"), State(q={"x": 0.0, "y": -2.0})
    for found in (equilibrium(system, by, hanging), derive_linearised(system, by, hanging)[0]):
        assert len(found.multipliers) == rods
        assert np.isnan(found.multipliers).all() == (rods == 2)
