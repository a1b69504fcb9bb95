"""Numbers of Konoplev's aggregates for the tests."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.model import State, System
from mbconcord.model.derivation import Nested, flatten, restore
from mbconcord.model.expressions import evaluate
from mbconcord.model.numbers import environment

ROADS: dict[str, dict[str, Any]] = {
    "native": {},
    "split": {"split": True},
    "body axes": {"axes": "body"},
    "principal axes": {"axes": "principal"},
}


def by_graph(formalism: Konoplev, model: System, states: list[State]) -> dict[str, np.ndarray]:
    return Formalism.evaluate(formalism, model, states).quantities


def at_once(formalism: Konoplev, model: System, states: list[State]) -> dict[str, np.ndarray]:
    return formalism.evaluate(model, states).quantities


def values(nested: Nested, model: System, state: State | None = None) -> np.ndarray:
    """Numbers of expressions over a model at a state (its initial one)."""
    numbers = evaluate(list(flatten(nested)), environment(model, [state or State()])[0])
    return np.array(restore(nested, iter(numbers)), dtype=float)


def close(a: Any, b: Any, tolerance: float = 1e-12) -> bool:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return a.shape == b.shape and bool(
        np.abs(a - b).max(initial=0) <= tolerance * (1 + np.abs(b).max(initial=0))
    )


def full(upper: list[list[float]]) -> np.ndarray:
    found = np.zeros((len(upper), len(upper)))
    for i, row in enumerate(upper):
        found[i, i:] = found[i:, i] = row
    return found


def state_of(model: System, seed: int = 1) -> State:
    """A state with accelerations."""
    dice = random.Random(seed)
    names = model.coordinate_names
    return State(
        0.3,
        {n: dice.uniform(-1, 1) for n in names},
        {n: dice.uniform(-1, 1) for n in names},
        {n: dice.uniform(-1, 1) for n in names},
    )
