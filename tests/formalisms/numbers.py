"""Numbers of a formalism at one state, and when two arrays of doubles are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import State, System
from mbconcord.model.derivation import Nested, flatten, restore
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import evaluate
from mbconcord.model.numbers import environment


def at(formalism: Formalism, system: System, state: State) -> dict[str, Array]:
    """Quantities at one state, as the formalism computes them."""
    return {name: value[0] for name, value in formalism.evaluate(system, [state]).quantities.items()}


def derived(formalism: Formalism, system: System, state: State) -> dict[str, Array]:
    """Quantities at one state, by the derivation."""
    found = Formalism.evaluate(formalism, system, [state]).quantities
    return {name: value[0] for name, value in found.items()}


def values(nested: Nested, system: System, state: State | None = None) -> Array:
    """Expressions over a model, its constraints aside, at a state (the initial one)."""
    (known,) = environment(system.open_loops(), [state or State()])
    return np.array(restore(nested, iter(evaluate(list(flatten(nested)), known))), dtype=float)


def close(found: Any, expected: Any, tolerance: float = 1e-13, size: float = 1.0) -> bool:
    """Whether they have one shape and differ by so much of the largest expected number, or of ``size``."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    gap = float(np.abs(found - expected).max(initial=0.0))
    return gap <= tolerance * max(size, float(np.abs(expected).max(initial=0.0)))
