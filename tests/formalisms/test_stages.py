"""Names of intermediates: unique in a derivation, and never a name of the model, whatever its parameters are called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from mbconcord.formalisms import registry
from mbconcord.model import Parameter, System
from mbconcord.model.expressions import number
from mbconcord.validation.strategies.trees import random_system


def models(formalism: str) -> Iterator[System]:
    """Random trees, each also with parameters called as the formalism calls its intermediates."""
    made = registry.formalism(formalism)
    for seed in range(4):
        system = random_system(seed, 1 + 2 * seed)
        yield system
        called = [a.name for a in made.derive(system).assignments if a.name.isidentifier()]
        more = (Parameter(name, number(2)) for name in called if name not in system.names)
        yield replace(system, parameters=(*system.parameters, *more))


@pytest.mark.parametrize("formalism", registry.names())
def test_names_of_intermediates_are_their_own(formalism: str) -> None:
    for system in models(formalism):
        names = [a.name for a in registry.formalism(formalism).derive(system).assignments]
        assert len(set(names)) == len(names)
        assert not system.names & set(names)
