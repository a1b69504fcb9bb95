"""Recursions looped over links: the numbers of the equations derived, by two formalisms and every backend."""

from __future__ import annotations

import numpy as np
import pytest

from ..fixture_models import MODELS, model
from .links import FORMALISMS, derived, distance, looped, random_tree, taken
from .llvm import needs_llvm

BACKENDS = ["numpy", pytest.param("llvm", marks=needs_llvm)]
#: In parts of the largest number: a few hundred roundings of a double.
ROUNDING = 1e-12
TREES = [file for file in MODELS if taken(model(file).system)]


def test_there_are_fixtures() -> None:
    assert len(TREES) >= 20


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("file", TREES)
def test_fixtures(file: str, backend: str) -> None:
    drawn = model(file)
    expected = derived(drawn)
    for name in FORMALISMS:
        assert distance(looped(drawn, name, backend), expected) < ROUNDING


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FORMALISMS)
@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed: int, name: str, backend: str) -> None:
    drawn = random_tree(seed, 1 + seed)
    assert distance(looped(drawn, name, backend), derived(drawn)) < ROUNDING


@needs_llvm
@pytest.mark.parametrize("name", FORMALISMS)
def test_bits_depend_neither_on_width_nor_on_how_many_states_there_are(name: str) -> None:
    drawn = random_tree(7, 9, 11)
    together = looped(drawn, name, "llvm")
    for width in (1, 4, 16):
        assert np.array_equal(looped(drawn, name, "llvm", width=width), together)
    for i, state in enumerate(drawn.states):
        alone = looped(type(drawn)(drawn.system, (state,)), name, "llvm")
        assert np.array_equal(alone[0], together[i])
