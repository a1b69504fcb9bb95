"""Walking machines: the mass centre by static moments, and the margin of stability."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from mbconcord.formalisms.static_moments.walking import (
    machine_moment,
    mass_centre,
    stability_margin,
    support_polygon,
)
from mbconcord.model import State
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import evaluate
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.reports.support import support_plot
from mbconcord.validation.judge.kinematics import Kinematics

from ...formats.test_tp import system, text


def table(name):
    return system(text(f"{name}.tp.csv"))


SQUARE = [(0, 0), (2, 0), (2, 1), (0, 1)]


@pytest.mark.parametrize(
    ("point", "feet", "margin"),
    [
        ((1, 0.5), SQUARE, 0.5),
        ((0.2, 0.5), SQUARE, 0.2),
        ((-0.3, 0.5), SQUARE, -0.3),
        ((3, 2), SQUARE, -(2**0.5)),
        ((1, 0.5), [*SQUARE[::-1], (1, 0.5), (0.5, 0.2)], 0.5),
        ((1, 0), SQUARE, 0),
        ((1, 1), [(0, 0), (2, 0)], -1),
        ((3, 4), [(0, 0)], -5),
        ((0, 0), [], -inf),
    ],
)
def test_stability_margin(point, feet, margin):
    assert stability_margin(point, np.array(feet, dtype=float).reshape(-1, 2)) == pytest.approx(
        margin, abs=1e-15
    )


def test_support_polygon_leaves_inner_feet_out():
    polygon = support_polygon([*SQUARE, (1, 0.5), (1, 0)])
    assert sorted(map(tuple, polygon)) == sorted((float(x), float(y)) for x, y in SQUARE)
    area = 0.5 * sum(
        a[0] * b[1] - a[1] * b[0] for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True)
    )
    assert area == pytest.approx(2)


def mass_centre_by_positions(model, state):
    """(m_h c_h + Σ m C) / Σ m of all bodies with the hull's 10 kg, by kinematics of validation."""
    place = Kinematics(model, [state])
    total, moment = 10.0, 10 * np.array([0.02, 0.1, 0])
    for body in model.bodies:
        centre = np.array([evaluate(list(body.inertia.centre), {})], dtype=float)
        mass = float(body.inertia.mass.value)
        total, moment = total + mass, moment + mass * place.frame(body.name).shifted(centre).position[0]
    return moment / total


@pytest.mark.parametrize("name", ["quadruped", "hexapod", "one leg", "cartesian", "cylindrical", "spherical"])
def test_mass_centre_of_a_machine(name):
    """Legs around the hull, one alone off its centre, and roots that slide: there nothing cancels."""
    leg = "".join(text("quadruped.tp.csv").splitlines(keepends=True)[:4])
    model = system(leg) if name == "one leg" else table(name)
    state = State(0, {n: 0.1 * i for i, n in enumerate(model.coordinate_names, 1)})
    found = mass_centre(model, state, 10, (0.02, 0.1, 0))
    np.testing.assert_allclose(found, mass_centre_by_positions(model, state), atol=1e-14)
    if name in ("quadruped", "hexapod"):
        feet = [(0.7, 0.5), (0.7, -0.5), (-0.7, -0.5), (-0.7, 0.5)]
        assert 0 < stability_margin(found[[0, 2]], feet) < 0.5


def test_the_machine_s_moment_is_the_sum_of_its_legs():
    """Equal legs, each with its own coordinates: the numbers of the machine's own table."""
    shown = machine_moment(table("table5"), 6)
    assert shown["y"] is parse_formula("m_d1 + m_d1 + m_d1 + m_d1 + m_d1 + m_d1")
    assert set(shown) == {"y"} | {f"x_2_{i}" for i in range(1, 7)} | {f"y_3_{i}" for i in range(1, 7)}


def test_a_leg_has_one_root():
    two = text("table7.tp.csv").replace("1;ПКП;x_1;0;x_1;y;z_1\n1;ПКП;x_1;0;x_1;y;z_1", "0;ПКП;x;0;x;y;z")
    with pytest.raises(FormalismError, match="2 roots"):
        machine_moment(system(two), 4)


@pytest.mark.slow
def test_the_plot_states_the_margin():
    pytest.importorskip("matplotlib", reason="a plot needs matplotlib, of the extra [plot]")
    given = (1, 0.5), SQUARE, support_polygon(SQUARE), stability_margin((1, 0.5), SQUARE)
    drawn = support_plot(*given)
    assert drawn.startswith("<?xml") and "<svg" in drawn
    assert drawn == support_plot(*given)
    assert f"margin {0.5:g} m" in drawn  # the title, kept as a comment beside its glyphs
