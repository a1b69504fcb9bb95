"""The model of a seed and a number, drawn by Hypothesis; the smallest one of the same strategy that shows the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any, Final

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from mbconcord.model.system import System

from ..models.strategies import of_features
from .profiles import ALIGNED, MIX, SIZES

#: Examples of a run of Hypothesis: its simplest one, which is always the first, and one that is drawn.
EXAMPLES: Final = 2


def strategy(number: int) -> st.SearchStrategy[System]:
    """What the model of a number is drawn from."""
    features, aligned = MIX[number % len(MIX)], number % ALIGNED == ALIGNED - 1
    return st.sampled_from(SIZES).flatmap(lambda bodies: of_features(bodies, features, aligned))


def drawn(seed: int, number: int) -> System:
    """The model of a number: the same for the same seed and version of Hypothesis, whatever was drawn before.

    Raises
    ------
    LookupError
        The strategy gave none.
    """
    found: list[System] = []

    def keep(system: System) -> bool:
        found.append(system)
        return False

    _run(seed, number, keep, (Phase.generate,))
    if not found:
        raise LookupError("no model could be drawn")
    return found[-1]


def shrunk(seed: int, number: int, shows: Callable[[System], bool], seconds: float) -> System | None:
    """The smallest model met in so many seconds that shows the same as that of the number; None: none does."""
    end = time.monotonic() + seconds
    smallest: System | None = None

    def known(system: System) -> bool:
        nonlocal smallest
        if system == smallest:
            return True
        if time.monotonic() > end or not shows(system):
            return False
        smallest = system
        return True

    found = _run(seed, number, known, (Phase.generate, Phase.shrink))
    return smallest if found is None else found


def _run(seed: int, number: int, condition: Callable[[System], bool], phases: Any) -> System | None:
    asked = settings(
        max_examples=EXAMPLES, derandomize=False, database=None, deadline=None, phases=phases,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    with suppress(HypothesisException):  # no such example
        found: System = find(strategy(number), condition, settings=asked, random=Random(f"{seed} {number}"))
        return found
    return None
