"""Hypothesis strategies of models and states; :mod:`mbconcord.strategies` publishes them.

The constructions are those of :mod:`.machines`, which need choices only: of a seed, or of Hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from mbconcord.converters.format import Buildable, Reading, find_system
from mbconcord.model import State, System

from ..judge.states import DEFLECTIONS, RATES, SHIFTS, TIMES, TURNS, DrawnModel, draw
from .choices import Aligned, Choices
from .machines import Features, machine
from .trees import random_system

__all__ = ["random_system", "states", "systems", "systems_and_states"]


class _HypothesisSource:
    """Whole numbers from Hypothesis."""

    def __init__(self, draw_from: Callable[[Any], Any]) -> None:
        self._draw = draw_from

    def integer(self, low: int, high: int) -> int:
        return int(self._draw(_whole(low, high)))


@cache
def _whole(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)


@st.composite
def systems(
    draw_from: Any,
    max_bodies: int = 10,
    min_bodies: int = 1,
    flywheels: bool = False,
    added_inertia: bool = False,
    *,
    closed: bool = False,
    elastic: bool = False,
    mixed: bool = False,
    springs: bool = False,
    armatures: bool = False,
    aligned: bool = False,
) -> System:
    """Draw models of a number of bodies; open trees of rigid bodies by default.

    They use all features of trees (:mod:`mbconcord.validation.strategies.trees`), and shrink to few bodies and simple
    numbers.

    Parameters
    ----------
    max_bodies, min_bodies : int
    flywheels, added_inertia : whether the last body has them, and others at random
    closed : whether there are constraints: rods, coinciding points, cut joints, rows of formulas; they hold at the
        initial position
    elastic : whether some bodies are elastic
    mixed : whether drives impose accelerations along some coordinates; left out of closed models
    springs : whether there is a bushing or a torsion
    armatures : whether there are rotors along coordinates
    aligned : whether most axes are those of frames, turned by right angles, and most points at origins or on axes
    """
    bodies = draw_from(st.integers(min_bodies, max_bodies))
    asked = Features(closed, elastic, mixed, flywheels, added_inertia, springs, armatures)
    return _make(draw_from, bodies, asked, aligned)


@st.composite
def of_features(draw_from: Any, bodies: int, features: Features, aligned: bool) -> System:
    """Draw models of exactly so many bodies."""
    return _make(draw_from, bodies, features, aligned)


def _make(draw_from: Any, bodies: int, features: Features, aligned: bool) -> System:
    made = machine((Aligned if aligned else Choices)(_HypothesisSource(draw_from)), bodies, features)
    if features.closed and not made.constraints:
        reject()
    return made


@st.composite
def states(draw_from: Any, model: System | Reading | Buildable) -> State:
    """Draw a state of a model: magnitudes spread over five decades, and values for its parameters without one."""
    system = find_system(model)
    turning = system.angles
    modal = {name for body in system.bodies for name in body.modal}
    names = system.coordinate_names
    q = {
        name: draw_from(
            _spread_numbers(*DEFLECTIONS)
            if name in modal
            else _spread_numbers(SHIFTS[0], TURNS if name in turning else SHIFTS[1])
        )
        for name in names
    }
    v = {name: draw_from(_spread_numbers(*RATES)) for name in names}
    a = {name: draw_from(_spread_numbers(*RATES)) for name in names}
    parameters = draw(system, 1, draw_from(st.integers(0, 99))).states[0].parameters
    return State(abs(draw_from(_spread_numbers(*TIMES))), q, v, a, parameters)


@st.composite
def systems_and_states(
    draw_from: Any,
    max_bodies: int = 10,
    count: int = 3,
    min_bodies: int = 1,
    flywheels: bool = False,
    added_inertia: bool = False,
) -> DrawnModel:
    """Draw a model with all functions defined, and ``count`` states of it."""
    system = draw_from(systems(max_bodies, min_bodies, flywheels, added_inertia))
    drawn = draw(system, 0, draw_from(st.integers(0, 99)))
    return DrawnModel(drawn.system, tuple(draw_from(states(drawn.system)) for _ in range(count)), drawn.diagnostics)


@cache
def _spread_numbers(smallest: float, largest: float) -> st.SearchStrategy[float]:
    """Draw three-digit numbers of both signs, logarithmically spread in magnitude; the simplest is 1."""
    decades = sorted((10.0**e for e in range(-4, 3) if smallest <= 10.0**e < largest), key=lambda x: abs(x - 1.0))

    def decode(code: int) -> float:
        decade, digits = divmod(abs(code), 900)
        size = min(decades[decade] * (100 + digits) / 100, largest)
        return round(-size if code < 0 else size, 6)

    last = 900 * len(decades) - 1
    return st.integers(-last, last).map(decode)
