"""Recursions looped over links: the numbers of the equations derived, by two formalisms and every backend."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from laboratory.bench.newton_euler import chain
from mbconcord.formalisms.registry import formalism
from mbconcord.kernels.links.function import LinkFunction
from mbconcord.model import Body, Inertia, State, System
from mbconcord.model.expressions import as_expression
from mbconcord.model.numbers import bind_states
from mbconcord.validation.judge.states import DrawnModel

from ..fixture_models import MODELS, model
from .links import FORMALISMS, arrays, at_random, derived, distance, looped, random_tree, taken
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


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_chains_of_a_thousand_bodies(backend: str) -> None:
    """Nothing recurses, and the two formalisms give the same."""
    system = chain(1000)
    state = at_random(system)
    one, other = (looped(DrawnModel(system, (state,)), name, backend) for name in FORMALISMS)
    assert distance(one, other) < ROUNDING


@pytest.mark.parametrize("backend", BACKENDS)
def test_models_without_coordinates_have_no_forces(backend: str) -> None:
    still = System("still", bodies=(Body("b", None, (), Inertia(as_expression(1))),))
    for name in FORMALISMS:
        assert looped(DrawnModel(still, (State(),)), name, backend).shape == (1, 0)


@pytest.mark.slow
@needs_llvm
def test_strict_machine_code_differs_by_its_sines_alone() -> None:
    """Where nothing is fused, operations are those of the loop in Python: at angle zero the bits are the same."""
    drawn = random_tree(7, 9, 4)
    still = DrawnModel(drawn.system, tuple(replace(s, t=0.0, q=dict.fromkeys(s.q, 0.0)) for s in drawn.states))
    for name in FORMALISMS:
        assert np.array_equal(looped(still, name, "llvm", fma=False), looped(still, name, "numpy"))


@needs_llvm
@pytest.mark.parametrize("name", FORMALISMS)
def test_no_number_stays_in_its_row(name: str) -> None:
    drawn = random_tree(3, 5, 4)
    expected = looped(drawn, name, "llvm")
    first = drawn.system.coordinate_names[0]
    broken = replace(drawn.states[2], v={**drawn.states[2].v, first: math.inf})
    system = drawn.system
    function = LinkFunction(system, formalism(name).recursion(system), "llvm")
    q, v, a = arrays(system, [*drawn.states[:2], broken, drawn.states[3]])
    known = bind_states(system, drawn.states).values
    t = np.array([s.t for s in drawn.states])
    found = function(q, v, a, t, {p.name: known[p.name] for p in system.parameters})
    assert np.array_equal(found[[0, 1, 3]], expected[[0, 1, 3]])
    assert not np.isfinite(found[2]).all()


@pytest.mark.slow
@needs_llvm
@pytest.mark.parametrize("name", FORMALISMS)
def test_bits_depend_neither_on_width_nor_on_how_many_states_there_are(name: str) -> None:
    drawn = random_tree(7, 5, 11)
    together = looped(drawn, name, "llvm")
    for width in (1, 16):
        assert np.array_equal(looped(drawn, name, "llvm", width=width), together)
    for i, state in enumerate(drawn.states):
        alone = looped(type(drawn)(drawn.system, (state,)), name, "llvm")
        assert np.array_equal(alone[0], together[i])
