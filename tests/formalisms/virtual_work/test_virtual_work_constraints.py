"""Constraints as rows of virtual displacements: what D, γ and γ̃ are of each other, and reactions as forces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import read_text
from mbconcord.formalisms.virtual_work import VirtualWork
from mbconcord.formalisms.virtual_work.constraints.motion import admit_displacements
from mbconcord.formalisms.virtual_work.constraints.rows import constraint_rows
from mbconcord.model import (
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    Nonholonomic,
    Point,
    PointCoincidence,
    Rod,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import TIME, cos, directional, jacobian, number, rate, sin, symbol, time_derivative
from mbconcord.simulation.assembly import assemble
from mbconcord.validation.judge.closed.compare import find_broken_equations, measure_closed

from ...reference.konoplev import CLOSURES, fourbar
from ..numbers import close, values
from ..rocker import ENDS, STATE, rocker
from ..test_cut_joints import JOINTS, free

SHIFTED = (*shift([0.3, 0.1, 0.2]), rotation("x", 0.4))
BEYOND = (*shift([-0.2, 0, 0.1]), rotation("z", 0.3 * sin(TIME)))


def on_a_carriage(constraint: Any) -> System:
    """The two bodies of the rocker, free to move in more ways, on one body that slews and slides."""
    bodies = [replace(b, parent="carriage", joint=(*b.joint, *free(b.name))) for b in rocker().bodies]
    way = (translation("z", 0.1 * sin(TIME)), rotation((1, 2, 2), "slew"), translation("x", "lift"))
    bodies.insert(0, Body("carriage", None, way, Inertia(1, (0.1, 0, 0), (1, 1, 1, 0, 0, 0))))
    names = [c for b in bodies for c in b.coordinates]
    return replace(rocker(), coordinates=tuple(map(Coordinate, names)), bodies=tuple(bodies), constraints=(constraint,))


def cut(name: str) -> FrameCoincidence:
    own, _ = JOINTS[name]
    after = (*shift([-0.2, 0, 0.1]), rotation("z", 0.3))
    return FrameCoincidence("cut", Frame("body1", (*SHIFTED, *own, *after)), Frame("body2", BEYOND))


CONSTRAINTS: dict[str, Any] = {
    "rod": Rod("rod", *ENDS, 1.2),
    "points": PointCoincidence("points", *ENDS),
    "holonomic": Holonomic("row", symbol("a") * sin(symbol("d") * TIME) + symbol("c") ** 2),
    "nonholonomic": Nonholonomic("row", {"a": sin(symbol("b")), "c": TIME}, cos(TIME) * symbol("f")),
    **{name: cut(name) for name in JOINTS},
}


def around(system: System, size: float = 0.5) -> State:
    """Numbers for every coordinate and rate, none of them like another."""
    names = system.coordinate_names
    q = {name: size * np.sin(1.7 * i + 0.4) for i, name in enumerate(names)}
    return State(0.4, q | STATE.q, {name: np.cos(2.3 * i) for i, name in enumerate(names)} | STATE.v)


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_rows_are_each_other_s_derivatives(name: str) -> None:
    """D = ∂γ/∂q' and γ̃ = dγ/dt where q'' = 0, closed or not; on the constraint γ is the rate of the position."""
    system = on_a_carriage(CONSTRAINTS[name])
    names, rows = system.coordinate_names, constraint_rows(system)
    native = VirtualWork().derive_closed(system).native
    speeds = tuple(row.speed for row in rows)
    assert native["γ"] == speeds
    here = around(system)
    D = tuple(map(tuple, jacobian(speeds, [rate(n) for n in names])))
    assert close(values(native["D"], system, here), values(D, system, here))
    again = tuple(time_derivative(list(speeds), names))
    assert close(values(native["γ̃"], system, here), values(again, system, here))
    positions = [row.position for row in rows if row.position is not None]
    if positions:
        (at,) = assemble(system, [here]).states
        along = {TIME: number(1), **{symbol(n): rate(n) for n in names}}
        moving = replace(at, v=here.v)  # rates that no constraint admits
        found = values(tuple(directional(positions, along)), system, moving)
        assert close(values(speeds, system, moving), found, 1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", JOINTS)
def test_a_cut_joint_leaves_what_the_joint_leaves(name: str) -> None:
    """Against all six rows and the joint's own coordinates in validation's kinematics; reactions on the bodies too."""
    system, (_, rank) = on_a_carriage(cut(name)), JOINTS[name]
    assembly = assemble(system, [around(system)])
    assert assembly.is_closed.all()
    motion = VirtualWork().constrained_motion(system, assembly.states)
    assert not motion.diagnostics and motion.rank[0] == rank == len(motion.rows)
    measure = measure_closed(system, assembly)
    assert measure.rank[0] == rank
    assert find_broken_equations(motion, measure, 0) == []
    assert motion.from_bodies is not None and np.abs(motion.reactions).max() > 1e-3
    assert motion.from_bodies.residual[0] < 1e-13 * np.abs(motion.multipliers).max()


def test_coordinates_that_carry_both_bodies_do_not_stand_in_the_rows() -> None:
    for name in ("rod", "points", "weld"):
        for row in constraint_rows(on_a_carriage(CONSTRAINTS[name])):
            assert not {"slew", "lift"} & set(row.D)


# --- reactions as forces ---------------------------------------------------------------------------

M, G = 3.0, 9.81
FREE = (*(translation(a, a) for a in "xyz"), *(rotation(a, f"r{a}") for a in "xyz"))


def hanging(constraint: Any) -> System:
    """A body that is free in space but for the constraint; its centre is 0.5 beside its origin along x."""
    body = Body("body", None, FREE, Inertia(M, (0.5, 0, 0), (1, 1, 1, 0, 0, 0)))
    names = [et.coordinate for et in FREE if et.coordinate]
    gravity = Gravity(number(str(G)), (number(0), number(0), number(-1)))
    return System("hanging", tuple(map(Coordinate, names)), (), (), gravity, (body,), (), (constraint,))


def test_multipliers_are_forces_on_the_first_body() -> None:
    """A weld at the origin holds the weight and its moment; turned by 90° about z in the weld's own axes."""
    turn = (rotation("z", number("1.5707963267948966")),)
    for first, second, sign in (("body", None, 1), (None, "body", -1)):
        weld = FrameCoincidence("weld", Frame(first, turn), Frame(second, turn))
        found = VirtualWork().constrained_motion(hanging(weld), [State()])
        assert found.rows == tuple(f"weld ({k} {a})" for k in ("force", "moment") for a in "xyz")
        # F = m g e_z, M = c × (m g e_z) = -0.5 m g e_y of the world, along x' = e_y, y' = -e_x
        assert close(found.multipliers[0], [0, 0, sign * M * G, sign * -0.5 * M * G, 0, 0], 1e-12)


def test_a_rod_pushes_its_ends_apart() -> None:
    rod = Rod("rod", Point(None, (0.5, 0, 2)), Point("body", (0.5, 0, 0)), 2)
    found = VirtualWork().constrained_motion(hanging(rod), [State()])
    assert close(found.multipliers[0], [-M * G], 1e-12)


# --- rows that depend on each other ----------------------------------------------------------------


def test_every_row_takes_one_direction_or_none() -> None:
    """D = L Bᵀ of the chosen rows, what is left is at right angles to all, and shares make the others."""
    random = np.random.default_rng(1)
    rows = random.standard_normal((5, 7))
    rows[3] = 2 * rows[0] - rows[2]
    lengths = np.linalg.norm(rows, axis=1)
    found = admit_displacements(rows / lengths[:, None], lengths)
    assert found.chosen == [0, 1, 2, 4] and found.unique.tolist() == [False, True, False, False, True]
    assert close(np.tril(found.L), found.L) and close(found.B.T @ found.B, np.eye(4))
    assert close(found.left.T @ found.left, np.eye(3)) and close(rows @ found.left, np.zeros((5, 3)))
    lengths = np.linalg.norm(rows, axis=1)
    assert close(found.shares * lengths[:, None] / lengths[found.chosen] @ rows[found.chosen], rows)


def messages(system: System, state: State) -> list[str]:
    return [str(d) for d in VirtualWork().constrained_motion(system, [state]).diagnostics]


def test_redundant_rows_are_named_with_those_that_they_are_made_of() -> None:
    rows = CLOSURES["rows"]
    system = fourbar(*rows, Holonomic("again", 2 * rows[1].expression))
    found = VirtualWork().constrained_motion(system, [State()])
    (finding,) = found.diagnostics
    assert finding.place == "constraints/again" and "depends on other rows (y): the rank is 2 of 3" in str(finding)
    assert found.redundant == (("again",),)
    assert np.isfinite(found.multipliers[0]).tolist() == [True, False, False]


def test_rows_that_contradict_each_other_are_named() -> None:
    q = symbol("q1")
    told = messages(fourbar(Nonholonomic("held", {"q1": 1}), Holonomic("driven", q - TIME * TIME)), State())
    assert any("constraints/driven" in m and "wants another acceleration" in m for m in told)


def test_states_that_break_constraints_are_named() -> None:
    system = fourbar(*CLOSURES["rows"])
    assert messages(system, State()) == []
    assert any("velocities violate y" in m for m in messages(system, State(v={"q1": 1.4})))
    assert any("coordinates violate x" in m for m in messages(system, State(q={"q1": 0.75})))
    tip = (*shift([0.7, 0, 0]), rotation("z", "p"))
    over = Frame("link1", (*shift([0.7, 0, 0]), rotation("x", np.pi)))
    told = messages(fourbar(FrameCoincidence("cut", Frame(None, tip), over)), State(q={"q1": 0.0}, v={}))
    assert sum("opposite way" in m for m in told) == 2


def test_what_has_no_numbers_is_said() -> None:
    told = messages(fourbar(Holonomic("row", 1 / symbol("q1") - 1)), State(q={"q1": 0.0}, v={}))
    assert any("no numbers" in m for m in told)


def test_reactions_that_a_formula_may_share_are_not_told_from_bodies() -> None:
    """x² + y² = 1 once by a rod and once as a formula: how much of Dᵀ λ the rod bears is open."""
    rod = read_text("u(x)°0.6 v(y)°-0.8 $1 #bob ; g10-y \\ #bob :(1) < #0", format="mbsd").system
    both = replace(rod, constraints=(*rod.constraints, Holonomic("circle", symbol("x") ** 2 + symbol("y") ** 2 - 1)))
    alone, shared = (VirtualWork().constrained_motion(system, [State()]) for system in (rod, both))
    assert np.allclose(alone.acceleration, shared.acceleration, rtol=0, atol=1e-12)
    assert alone.from_bodies is not None and np.isfinite(alone.from_bodies.values).all()
    assert shared.from_bodies is not None and np.isnan(shared.from_bodies.values).all()
