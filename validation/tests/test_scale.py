"""Scales are the sums of absolute contributions: by hand for a pendulum, and where terms cancel."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Gravity,
    Inertia,
    JointEffort,
    Point,
    State,
    System,
    Wrench,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import as_expression, symbol
from mbconcord.model.force import Force
from mbconcord.model.transformation import vector
from mbconcord.validation.draw import draw
from mbconcord.validation.generation import random_system
from mbconcord.validation.kinematics import Kinematics
from mbconcord.validation.scale import Scales, mass_matrix, scales

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
    return scales(Kinematics(system, [State(q={"q": Q}, v={"q": V}, a={"q": A})]))


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


@pytest.mark.parametrize("seed", range(5))
def test_scales_bound_what_they_scale(seed: int) -> None:
    """|M_ij| <= √(M_ii M_jj), and every row is at most its scale."""
    from mbconcord.formalisms.registry import formalism
    from mbconcord.validation.trial import trial

    drawn = draw(random_system(seed, 5), 4, seed)
    made = trial(drawn.system, drawn.states, [formalism("virtual_work")])
    values = made.evaluations["virtual_work"].quantities
    slack = 1 + 1e-12
    assert (np.abs(values["M"]) <= made.scales.mass * slack).all()
    for name, scale in made.scales.rows.items():
        assert (np.abs(values[name]) <= scale * slack).all(), name
    assert np.allclose(mass_matrix(made.kinematics), values["M"], rtol=1e-9)
