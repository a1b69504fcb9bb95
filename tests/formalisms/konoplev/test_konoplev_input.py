"""What Konoplev's aggregates say of singular and of empty systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.model import AddedInertia, Body, Coordinate, Inertia, ModelError, State, System, rotation, translation

from .konoplev_numbers import at_once, by_graph


def test_singular_angles_are_named():
    joint = tuple(rotation(a, f"t{a}") for a in "xyz")
    body = Body("gimbal", None, joint, Inertia(1, (0.1, 0, 0), (0.2, 0.3, 0.4)))
    model = System("gimbal", tuple(Coordinate(f"t{a}") for a in "xyz"), bodies=(body,))
    good, bad = State(q={"ty": 1.5}), State(q={"ty": np.pi / 2})
    assert not Konoplev().evaluate(model, [good]).diagnostics
    found = Konoplev().evaluate(model, [good, bad])
    message = str(found.diagnostics[0])
    assert "bodies/gimbal/joint" in message and "coordinate ty" in message and "1.5708" in message
    assert np.isfinite(found.quantities["acceleration"][0]).all()
    assert np.isnan(found.quantities["acceleration"][1]).all()


def test_constant_right_angle_between_two_free_ones_is_named():
    joint = (rotation("x", "a"), rotation("y", np.pi / 2), rotation("z", "b"))
    body = Body("gimbal", None, joint, Inertia(1, (0.1, 0, 0), (0.2, 0.3, 0.4)))
    model = System("gimbal", (Coordinate("a"), Coordinate("b")), bodies=(body,))
    assert "constant" in str(Konoplev().evaluate(model, [State()]).diagnostics[0])


def submerged(rows: Any) -> System:
    joint = (translation("x", "x"), rotation("z", "a"))
    body = Body("hull", None, joint, Inertia(2, (0, 0, 0), (0.2, 0.3, 0.4)), AddedInertia(rows))
    return System("hull", (Coordinate("x"), Coordinate("a")), bodies=(body,))


def test_added_inertia_that_makes_the_mass_matrix_singular_is_named():
    rows = [[0] * 6 for _ in range(6)]
    rows[5][5] = -1
    found = Konoplev().evaluate(submerged(rows), [State()])
    assert "bodies/hull/added_inertia" in str(found.diagnostics[0])
    assert "-0.6" in str(found.diagnostics[0])
    rows[5][5], rows[3][3] = 0, -1  # indefinite, but not along any coordinate
    assert not Konoplev().evaluate(submerged(rows), [State()]).diagnostics
    rows[0][1] = 1
    with pytest.raises(ModelError, match="not symmetric"):
        submerged(rows)


def test_systems_with_nothing_in_them():
    fixed = Body("fixed", None, (translation("x", 1), rotation("z", 0.3)), Inertia(1, (0.1, 0, 0), (1, 1, 1)))
    ghost = Body("ghost", None, (rotation("z", "a"),))
    for bodies, names in (((), ()), ((fixed,), ()), ((ghost,), ("a",))):
        model = System("nothing", tuple(map(Coordinate, names)), bodies=bodies)
        n = len(names)
        for how in (by_graph, at_once):
            found = how(Konoplev(), model, [State(), State()])
            assert found["M"].shape == (2, n, n) and not found["M"].any()
            assert found["h"].shape == found["gravity"].shape == found["applied"].shape == (2, n)
        assert not any(stage.assignments for stage in Konoplev().listing(model).stages[3:])
