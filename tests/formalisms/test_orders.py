"""How the equations of a chain grow: M with the square of the bodies, everything else with the bodies."""

from functools import cache

import pytest

from laboratory.bench.newton_euler import chain
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import count_operations

#: Operations of 40 bodies over those of 20: the square of 2, and 2, with what differs at the ends of a chain.
SQUARE, LINEAR = 4.1, 2.25
MOST = {"M": SQUARE, "h": LINEAR, "gravity": LINEAR, "inverse_dynamics": LINEAR, "acceleration": LINEAR}


@cache
def counts(name: str, bodies: int) -> dict[str, int]:
    quantities = formalism(name).derive(chain(bodies)).quantities
    return {quantity: count_operations(flatten(value)).total for quantity, value in quantities.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_operations_grow_in_their_order(name):
    short, long = counts(name, 20), counts(name, 40)
    grown = {quantity: long[quantity] / short[quantity] for quantity in MOST if quantity in short}
    assert {quantity: ratio for quantity, ratio in grown.items() if ratio > MOST[quantity]} == {}
    assert grown


@pytest.mark.parametrize("name", BUILT_IN)
def test_forces_in_joints_grow_with_the_bodies(name):
    by = formalism(name)
    short, long = (by.joint_forces(chain(bodies)) for bodies in (20, 40))
    if not short:
        pytest.skip(f"{name} has no forces in joints")
    assert count_operations(flatten(long)).total <= LINEAR * count_operations(flatten(short)).total
