"""Polygons of feet, margins, and which directions are across gravity."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from mbconcord.reports.plots.motion import margin_plot, support_plot
from mbconcord.simulation.support import horizontal, stability_margin, support_polygon

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
    assert stability_margin(point, np.array(feet, dtype=float).reshape(-1, 2)) == pytest.approx(margin, abs=1e-15)


def test_support_polygon_leaves_inner_feet_out():
    polygon = support_polygon([*SQUARE, (1, 0.5), (1, 0)])
    assert sorted(map(tuple, polygon)) == sorted((float(x), float(y)) for x, y in SQUARE)
    area = 0.5 * sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True))
    assert area == pytest.approx(2)


@pytest.mark.parametrize(
    ("gravity", "across"),
    [
        ((0, -9.81, 0), [(1, 0, 0), (0, 0, 1)]),
        ((0, 0, 3), [(1, 0, 0), (0, 1, 0)]),
        ((-1, 0, 0), [(0, 1, 0), (0, 0, 1)]),
    ],
)
def test_fixed_axes_are_taken_where_they_are_across_gravity(gravity, across):
    np.testing.assert_array_equal(horizontal(gravity), across)


def test_across_a_slope_are_two_unit_vectors():
    g = np.array([0.3, -2.0, 0.9])
    found = horizontal(g)
    np.testing.assert_allclose(found @ found.T, np.eye(2), atol=1e-15)
    np.testing.assert_allclose(found @ g, 0, atol=1e-15)


def test_without_gravity_nothing_is_down():
    with pytest.raises(ValueError, match="no gravity"):
        horizontal((0, 0, 0))


@pytest.mark.slow
def test_the_plot_states_the_margin():
    pytest.importorskip("matplotlib", reason="a plot needs matplotlib, of the extra [plot]")
    given = (1, 0.5), SQUARE, support_polygon(SQUARE), stability_margin((1, 0.5), SQUARE)
    drawn = support_plot(*given)
    assert drawn.startswith("<?xml") and "<svg" in drawn
    assert drawn == support_plot(*given)
    assert f"margin {0.5:g} m" in drawn  # the title, kept as a comment beside its glyphs


@pytest.mark.slow
def test_the_plot_of_a_gait_states_the_least_margin():
    pytest.importorskip("matplotlib", reason="a plot needs matplotlib, of the extra [plot]")
    drawn = margin_plot([0, 0.5], {"0 kg": [0.2, -0.1], "5 kg": [0.3, 0.1]}, "t, s")
    assert "least -0.1 m" in drawn and "<svg" in drawn
