"""Scales are the sums of absolute contributions: by hand for a pendulum, and where terms cancel."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from mbconcord.model import (
    AddedInertia,
    Bipolar,
    Body,
    Coordinate,
    Flywheel,
    Gravity,
    Inertia,
    JointEffort,
    Point,
    State,
    System,
    Wrench,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.body import tensor
from mbconcord.model.expressions import TIME, as_expression, symbol
from mbconcord.model.force import Force
from mbconcord.model.transformation import vector
from mbconcord.validation.claims.energies import inertia_power
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.scale import Scales, mass_matrix, scales
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

M, L, G, Q, V, A = 2.0, 3.0, 10.0, 0.4, -1.5, 0.5


def pendulum(*forces: Force, moment: float = 0.0, back: float = 0.0) -> Scales:
    """A mass at distance L (less ``back``, in a step of its own), with a moment of inertia about z."""
    steps = [rotation("z", "q"), translation("x", as_expression(L))]
    if back:
        steps.append(translation("x", as_expression(-back)))
    inertia = Inertia(as_expression(M), vector((0, 0, 0)), (0, 0, as_expression(moment), 0, 0, 0))  # type: ignore[arg-type]
    system = System(
        "pendulum", (Coordinate("q"),), gravity=Gravity(as_expression(G), vector((0, -1, 0))),
        bodies=(Body("bob", None, tuple(steps), inertia),), forces=forces,
    )  # fmt: skip
    return scales(TreeKinematics(system, [State(q={"q": Q}, v={"q": V}, a={"q": A})]))


ENERGY_TERMS = 3 * M * L * L * V * V  # m |a| l, m |v| |ω| l and m |v|² about the turn
EXPECTED = [
    ("mass", 0.0, M * L * L),
    ("gravity", 0.0, M * G * L),
    ("h", 0.0, ENERGY_TERMS),
    ("mass", 5.0, M * L * L + 5),
    ("h", 5.0, ENERGY_TERMS + 5 * V * V),
    ("applied", 5.0, 0.0),
    ("inverse_dynamics", 5.0, (M * L * L + 5) * A + ENERGY_TERMS + 5 * V * V + M * G * L),
]


@pytest.mark.parametrize(("name", "moment", "value"), EXPECTED)
def test_scales_of_a_pendulum(name: str, moment: float, value: float) -> None:
    found = pendulum(moment=moment)
    shown = found.mass[0, 0, 0] if name == "mass" else found.rows[name][0, 0]
    assert shown == pytest.approx(value, rel=1e-14)


FORCES = [
    (JointEffort("f", "q", -3 * symbol("q'")), 3 * abs(V)),
    (Wrench("w", Point("bob"), vector((3, 4, 0)), vector((0, 0, -2))), 5 * L + 2),
    # A spring of constant force between the bob and a point on its way: |F| (1 + path/length) on the lever.
    (Bipolar("b", Point(None, vector((0, 0, 4))), Point("bob"), as_expression(7)), 7 * (1 + 7 / 5) * L),
    # F = k @: beside |F| (1 + path/length) the error of the length, k path.
    (Bipolar("b", Point(None, vector((0, 0, 4))), Point("bob"), 2 * symbol("@")), (10 * (1 + 7 / 5) + 2 * 7) * L),
]  # fmt: skip


@pytest.mark.parametrize(("force", "value"), FORCES)
def test_scales_of_applied_forces(force: Force, value: float) -> None:
    assert pendulum(force).rows["applied"][0, 0] == pytest.approx(value, rel=1e-14)


def test_terms_that_cancel_keep_the_scale_of_the_terms() -> None:
    found = pendulum(back=L)
    assert found.mass[0, 0, 0] == pytest.approx(4 * M * L * L)
    assert found.roots[0, 0] == pytest.approx(2 * L * sqrt(M))
    assert found.rows["gravity"][0, 0] == pytest.approx(2 * M * G * L)
    assert found.cond[0] == np.inf


def test_a_part_that_is_left_over_sets_the_scale_of_m() -> None:
    assert pendulum(back=L / 2).mass[0, 0, 0] == pytest.approx(M * (L / 2) ** 2)


SPIN, TURN = 3.0, 0.7  # ψ' of a rotor about the axis of the pendulum; its moment about that axis


def test_scales_of_a_rotor_on_a_pendulum() -> None:
    """About the pendulum's axis the rotor adds its moment to M, its weight to gravity, J ψ'' to what h is made of."""
    hub = Inertia(as_expression(M), vector((0, 0, 0)), tensor((0.4, 0.5, TURN)))
    wheel = Flywheel("wheel", shift((L, 0, 0)), hub, SPIN * TIME * TIME / 2)
    body = Body("arm", None, (rotation("z", "q"),), flywheels=(wheel,))
    gravity = Gravity(as_expression(G), vector((0, -1, 0)))
    system = System("rotor", (Coordinate("q"),), gravity=gravity, bodies=(body,))
    k = TreeKinematics(system, [State(2.0, {"q": Q}, {"q": V}, {"q": A})])
    found = scales(k)
    assert found.mass[0, 0, 0] == pytest.approx(M * L * L + TURN)
    assert mass_matrix(k)[0, 0, 0] == pytest.approx(M * L * L + TURN)
    assert found.rows["gravity"][0, 0] == pytest.approx(M * G * L)
    speed = abs(V) + 2 * SPIN
    size = float(np.linalg.norm((0.4, 0.5, TURN)))
    # m |a| l, m |v| |ω| l with the rotor's whole spin, m |v|²; the tensor times |ψ''| + |ω| ψ' + |ω|²
    rows = M * L * L * (V * V + abs(V) * speed + V * V) + size * (SPIN + abs(V) * 2 * SPIN + speed**2)
    assert found.rows["h"][0, 0] == pytest.approx(rows)
    # the power that accelerates the arm: (m l² + J) q'' + J ψ''
    assert inertia_power(k)[0] == pytest.approx(V * ((M * L * L + TURN) * A + TURN * SPIN))


def test_scales_and_power_of_a_body_in_a_fluid() -> None:
    """Two shifts and a turn in the plane; Kirchhoff's equations written out by hand."""
    m1, m2, j = 2.0, 5.0, 0.8
    rows = [[0.0] * 6 for _ in range(6)]
    rows[0][0], rows[1][1], rows[5][5] = m1, m2, j
    joint = (translation("x", "x"), translation("y", "y"), rotation("z", "q"))
    body = Body("hull", None, joint, added_inertia=AddedInertia(rows))  # type: ignore[arg-type]
    gravity = Gravity(as_expression(G), vector((0, -1, 0)))
    system = System("hull", tuple(map(Coordinate, ("x", "y", "q"))), gravity=gravity, bodies=(body,))
    vx, vy, w, ax, ay, al = 1.5, -0.7, 0.9, 0.3, 1.1, -0.4
    names = ("x", "y", "q")
    state = State(0.0, dict.fromkeys(names, 0.0), dict(zip(names, (vx, vy, w), strict=True)),
                  dict(zip(names, (ax, ay, al), strict=True)))  # fmt: skip
    k = TreeKinematics(system, [state])
    found = scales(k)
    assert mass_matrix(k)[0] == pytest.approx(np.diag([m1, m2, j]))
    assert not found.rows["gravity"].any()
    # |Λ| |ω| |v| of v̊ and again of ω × p on the shifts; |ω| j |ω| of ω × p and |v| |Λ| |v| of v × p about the turn
    speed, size = abs(vx) + abs(vy), float(np.hypot(m1, m2))
    push = 2 * size * w * speed
    assert found.rows["h"][0] == pytest.approx([push, push, j * w * w + size * speed**2])
    # at q = 0: v̊x = ax + w vy, v̊y = ay - w vx; f = m v̊ + ω × p; m = j α + (v × p)_z
    fx = m1 * (ax + w * vy) - w * m2 * vy
    fy = m2 * (ay - w * vx) + w * m1 * vx
    moment = j * al + (m2 - m1) * vx * vy
    assert inertia_power(k)[0] == pytest.approx(fx * vx + fy * vy + moment * w)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("carrying", [False, True])
def test_scales_bound_what_they_scale(seed: int, carrying: bool) -> None:
    """|M_ij| <= √(M_ii M_jj), and every row is at most its scale."""
    from mbconcord.formalisms.registry import formalism
    from mbconcord.validation.judge.trial import trial

    drawn = draw(random_system(seed, 5, flywheels=carrying, added_inertia=carrying), 4, seed)
    made = trial(drawn.system, drawn.states, [formalism("lagrange")])
    values = made.evaluations["lagrange"].quantities
    slack = 1 + 1e-12
    assert (np.abs(values["M"]) <= made.scales.mass * slack).all()
    for name, scale in made.scales.rows.items():
        assert (np.abs(values[name]) <= scale * slack).all(), name
    assert np.allclose(mass_matrix(made.kinematics), values["M"], rtol=1e-9)


def test_values_of_formulas_are_computed_once_and_apart_from_those_at_other_symbols() -> None:
    """With ``extra`` a formula of the same symbol has another value."""
    system = random_system(3, 3)
    k = TreeKinematics(system, draw(system, 4, 1).states)
    q = symbol(system.coordinate_names[0])
    formulas = [q * q + 1, as_expression(2), q]
    first, _, own = k.scalars(formulas)
    assert np.array_equal(own, k.q[:, 0]) and np.array_equal(first, own * own + 1)
    other = k.scalars(formulas, {q.data: np.arange(4.0)})
    assert np.array_equal(other[0], np.arange(4.0) ** 2 + 1)
    again = k.scalars([*reversed(formulas), formulas[0]])
    assert again[3] is again[2] is first and np.array_equal(again[1], np.full(4, 2.0))
