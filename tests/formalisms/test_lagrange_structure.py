"""What Lagrange's equations look like: size, zeros, order, stages, names, obstacles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.model import (
    Body,
    Constant,
    Coordinate,
    Inertia,
    Parameter,
    Point,
    Prescribed,
    Rod,
    System,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import TIME, ZERO, count_operations, symbol

from .sixty_digits import drawn

LAGRANGE = Lagrange()


def pendulum(n):
    """n planar point masses on rods."""
    bodies = [
        Body(f"b{i}", f"b{i - 1}" if i else None, [rotation("z", f"z{i}"), translation("x", Constant(2))], Inertia(3))
        for i in range(n)
    ]
    return System("pendulum", [Coordinate(f"z{i}") for i in range(n)], bodies=bodies)


@pytest.mark.slow
def test_nothing_is_expanded():
    """Operations of M, h and Q grow with the square of the number of links."""
    small, large = (count_operations(LAGRANGE.derive(pendulum(n)).outputs()).total for n in (15, 30))
    assert large < 4.5 * small


def test_zeros_of_the_structure():
    branches = [
        Body("left", None, [rotation("x", "a")], Inertia(1, (1, 2, 3), (4, 5, 6, 1, 1, 1))),
        Body("right", None, [rotation("y", "b")], Inertia(1, (1, 2, 3), (4, 5, 6, 1, 1, 1))),
        Body("ghost", "right", [rotation("z", "c")]),
        Body("plate", "right", [], Inertia(2, (0, 1, 0))),
    ]
    found = LAGRANGE.derive(System("tree", map(Coordinate, "cba"), bodies=branches)).quantities
    assert found["M"][1][2] is ZERO
    assert found["M"][2][1] is ZERO
    assert all(x is ZERO for x in (*found["M"][0], found["h"][0]))  # c moves no mass
    assert all(x is ZERO for x in (*found["gravity"], *found["applied"]))


def test_the_order_of_the_coordinates_is_the_model_s():
    system, _, _ = drawn(3, 4)
    names = system.coordinate_names
    turned = replace(system, coordinates=system.coordinates[::-1])
    a, b = (LAGRANGE.derive(s).quantities for s in (system, turned))
    for i in range(len(names)):
        assert b["h"][-1 - i] is a["h"][i]
        for j in range(len(names)):
            assert b["M"][-1 - i][-1 - j] is a["M"][i][j]
            assert a["M"][i][j] is a["M"][j][i]


def test_no_coordinates():
    system = System("still", bodies=[Body("b", None, [rotation("x", Prescribed(TIME))], Inertia(1, (1, 2, 3)))])
    derivation = LAGRANGE.derive(system)
    assert dict(derivation.quantities) == {"M": (), "h": (), "gravity": (), "applied": ()}


def test_stages_name_what_later_lines_use():
    system, _, _ = drawn(5, 4)
    derivation = LAGRANGE.derive(system)
    names = [a.name for a in derivation.assignments]
    nodes = [a.expression for a in derivation.assignments]
    assert len(set(names)) == len(names)
    assert len(set(nodes)) == len(nodes)
    assert not any(node.constant or not node.args for node in nodes)
    assert [s.name for s in derivation.stages][:4] == ["transformations", "velocities", "momenta", "energies"]
    assert derivation.system is system


def test_stages_take_no_name_of_the_model():
    body = Body("b", None, [rotation("z", "z"), translation("x", Constant(symbol("T1")))], Inertia(1, (1, 2, 3)))
    derivation = LAGRANGE.derive(System("t", [Coordinate("z")], [Parameter("T1")], bodies=[body]))
    names = {a.name for a in derivation.assignments}
    assert "T1_" in names
    assert "T1" not in names


def test_obstacles_are_named():
    rod = Rod("rod", Point(None, (1, 0, 0)), Point("b", (0, 1, 0)), 2)
    system = System("tied", bodies=[Body("b", None, [], Inertia(1))], constraints=[rod])
    assert [o.feature for o in LAGRANGE.obstacles(system)] == ["rods"]
    with pytest.raises(FormalismError, match="rods"):
        LAGRANGE.derive(system)
