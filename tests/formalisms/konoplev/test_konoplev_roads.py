"""Roads of a joint: the pairs that Konoplev makes of it, and what each gives."""

from __future__ import annotations

from typing import Any

import pytest

from mbconcord.formalisms import registry
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.model import Body, Coordinate, Gravity, Inertia, System, rotation, translation

from ..numbers import close, values
from .konoplev_numbers import ROADS, at_once, state_of

JOINTS: dict[str, tuple[tuple[Any, ...], int]] = {
    "translations in any order": ((translation("z", "a"), translation("x", "b"), rotation("y", "c")), 1),
    "constant and coordinate in one slot": ((rotation("x", 0.3), rotation("x", "a"), rotation("-x", 0.1)), 1),
    "constant shift along a general axis": ((translation((1, 2, 2), 0.3), rotation("z", "a")), 1),
    "rotations against the order": ((rotation("z", "a"), rotation("y", "b"), rotation("x", "c")), 3),
    "shift after a rotation": ((rotation("z", "a"), translation("x", "b")), 2),
    "two coordinates in one slot": ((translation("x", "a"), translation("-x", "b")), 2),
    "rotation about a general axis": ((rotation((2, 3, 6), "a"),), 3),
    "shift along a general axis": ((translation((2, 3, 6), "a"),), 3),
    "general axis in the plane of x and z": ((rotation((3, 0, 4), "a"),), 2),
    "nothing": ((), 1),
    "shift by zero": ((translation("x", 0), rotation("z", 0)), 1),
}


@pytest.mark.parametrize("name", JOINTS)
def test_roads(name):
    joint, count = JOINTS[name]
    names = [et.coordinate for et in joint if et.coordinate]
    tip = Body("tip", "body", (rotation("x", "tip"),), Inertia(1, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25)))
    body = Body("body", None, joint, Inertia(1, (0.3, -0.1, 0.2), (0.2, 0.3, 0.4, 0.01, 0.02, 0.03)))
    model = System("one", tuple(map(Coordinate, [*names, "tip"])), gravity=Gravity(9.81, (1, 2, 3)), bodies=(body, tip))
    road = Konoplev().roads(model)[0]
    assert len(road.links) == count and road.native is (count == 1)
    assert ("one pair" if count == 1 else "fictitious") in str(road)
    assert values(Konoplev().derive(model).native["pairs"], model)[0] == count
    state = state_of(model, 5)
    reference = registry.formalism("lagrange").evaluate(model, [state]).quantities
    for options in ROADS.values():
        found = at_once(Konoplev(**options), model, [state])
        for quantity in ("h", "gravity", "inverse_dynamics"):
            assert close(found[quantity], reference[quantity], 1e-13), quantity
