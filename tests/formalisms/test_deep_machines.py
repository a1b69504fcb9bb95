"""Deep machines: what is gathered from the tips is the same function as what another formalism sums body by body."""

from __future__ import annotations

from types import ModuleType

import pytest

from mbconcord.formalisms.konoplev import canonical as gathered
from mbconcord.formalisms.lagrange import joined
from mbconcord.formalisms.virtual_work import carried
from mbconcord.model import System
from mbconcord.validation.check import check
from mbconcord.validation.strategies.special_trees import ball_joints, build_geared, gyrostats
from mbconcord.validation.strategies.trees import random_system

#: Joints of several coordinates, prescribed motions, massless bodies, flywheels, every force; a fluid; armatures.
MODELS: dict[str, System] = {
    **{f"tree {seed}": random_system(seed, 4, flywheels=True) for seed in (1, 2, 3, 4)},
    "gyrostats in a fluid": gyrostats(),
    "ball joints": ball_joints(),
    "armatures": build_geared(),
}
#: Formalism -> where it says what is deep, and beside which one it is proved, which sums as it always did.
GATHERING: dict[str, tuple[ModuleType, str]] = {
    "konoplev": (gathered, "lagrange"),
    "lagrange": (joined, "virtual_work"),
    "virtual_work": (carried, "lagrange"),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("formalism", GATHERING)
def test_gathered_sums_are_the_same_functions(formalism: str, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, other = GATHERING[formalism]
    monkeypatch.setattr(module, "DEEP", 0)
    found = check(MODELS[model], formalisms=[formalism, other], states=2, exact="on")
    proved = [c for c in found.comparisons if c.exact]
    assert {c.quantity for c in proved} >= {"M", "h", "gravity", "applied"}
    assert {c.exact.kind for c in proved if c.exact} == {"identical"}
    assert not [c for c in found.comparisons if c.verdict == "disagrees"]
