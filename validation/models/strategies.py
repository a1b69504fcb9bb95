"""Hypothesis strategies of models and states, for this project's properties and for its users' own.

>>> from hypothesis import given
>>> from mbconcord.validation.models.strategies import systems_and_states

A failing example shrinks to few bodies and simple numbers; ``mbconcord.validation.reproducer`` prints it as one
line. The construction is that of :func:`mbconcord.validation.models.trees.random_system`, which needs a seed only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import strategies as st

from mbconcord.model import State, System

from ..judge.states import RATES, SHIFTS, TIMES, TURNS, Drawn, draw
from .choices import Choices
from .trees import build, random_system

__all__ = ["random_system", "states", "systems", "systems_and_states"]


class _Drawing:
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
) -> System:
    """Open trees of rigid bodies, with flywheels and added inertia: see :mod:`mbconcord.validation.models.trees`."""
    bodies = draw_from(st.integers(min_bodies, max_bodies))
    choices = Choices(_Drawing(draw_from))
    return build(choices, bodies, flywheels=flywheels, added_inertia=added_inertia)


@st.composite
def states(draw_from: Any, system: System) -> State:
    """A state of a model: magnitudes spread over five decades, and values for its parameters without one."""
    turning = {et.coordinate for body in system.bodies for et in body.joint if not et.is_translation}
    names = system.coordinate_names
    q = {name: draw_from(_spread(SHIFTS[0], TURNS if name in turning else SHIFTS[1])) for name in names}
    v = {name: draw_from(_spread(*RATES)) for name in names}
    a = {name: draw_from(_spread(*RATES)) for name in names}
    parameters = draw(system, 1, draw_from(st.integers(0, 99))).states[0].parameters
    return State(abs(draw_from(_spread(*TIMES))), q, v, a, parameters)


@st.composite
def systems_and_states(
    draw_from: Any,
    max_bodies: int = 10,
    count: int = 3,
    min_bodies: int = 1,
    flywheels: bool = False,
    added_inertia: bool = False,
) -> Drawn:
    """A model with all functions defined, and so many states of it."""
    system = draw_from(systems(max_bodies, min_bodies, flywheels, added_inertia))
    drawn = draw(system, 0, draw_from(st.integers(0, 99)))
    return Drawn(
        drawn.system, tuple(draw_from(states(drawn.system)) for _ in range(count)), drawn.diagnostics
    )


@cache
def _spread(smallest: float, largest: float) -> st.SearchStrategy[float]:
    """Numbers of both signs and three digits, their magnitudes spread logarithmically; the simplest is 1."""
    decades = sorted(
        (10.0**e for e in range(-3, 3) if smallest <= 10.0**e < largest), key=lambda x: abs(x - 1.0)
    )

    def decoded(code: int) -> float:
        decade, digits = divmod(abs(code), 900)
        size = min(decades[decade] * (100 + digits) / 100, largest)
        return round(-size if code < 0 else size, 6)

    last = 900 * len(decades) - 1
    return st.integers(-last, last).map(decoded)
