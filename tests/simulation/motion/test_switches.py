"""Kinks of formulas of time: when they switch, and what stands for them between."""

from __future__ import annotations

from itertools import pairwise
from math import pi

import numpy as np
import pytest

from mbconcord.model.expressions import TIME, apply, cos, evaluate_float, sin, substitute, symbol
from mbconcord.simulation.motion.events import Switches

T = TIME
KINKS = {
    "one": (apply("abs", T - 1), [1.0]),
    "sign of a sine": (apply("sign", sin(T)), [pi]),
    "nested": (apply("abs", apply("abs", T - 2) - 1), [1.0, 2.0, 3.0]),
    "a rate with it": (apply("abs", T - 1) * symbol("z'"), [1.0]),
    "of a coordinate": (apply("abs", symbol("z") - T), []),
    "touching": (apply("abs", cos(T) + 1), []),
    "none": (sin(T) * T, []),
}  # fmt: skip


@pytest.mark.parametrize("name", KINKS)
def test_times_are_found(name: str) -> None:
    formula, times = KINKS[name]
    assert Switches([formula], 0.0, 5.0).times == pytest.approx(times, abs=1e-14)


@pytest.mark.parametrize("name", KINKS)
def test_between_them_the_formula_is_smooth_and_the_same(name: str) -> None:
    formula, _ = KINKS[name]
    switches = Switches([formula], 0.0, 5.0)
    edges = [0.0, *switches.times, 5.0]
    for a, b in pairwise(edges):
        (smooth,) = substitute([formula], switches.replacements(switches.pattern(a, b)))
        assert not Switches([smooth], 0.0, 5.0).nodes or name == "touching"
        for t in np.linspace(a, b, 7)[1:-1]:
            values = {"t": float(t), "z": 0.3, "z'": 1.7}
            assert evaluate_float(smooth, values) == pytest.approx(evaluate_float(formula, values), abs=1e-13)


def test_ends_are_no_switches() -> None:
    assert Switches([apply("abs", T - 1)], 1.0, 2.0).times == []
