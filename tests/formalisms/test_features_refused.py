"""Entry points of formalisms refuse models with features that their formalism does not take, whichever is called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mbconcord as mb
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import State, System
from mbconcord.model.diagnostics import FormalismError

FOLDER = Path(__file__).parents[1] / "api" / "reactions"
#: An armature, a flywheel, an elastic body, a loop, a loop whose crank is imposed.
MODELS = ("geared_rotor", "flywheel", "beam_on_a_cart", "four_bar", "four_bar_imposed")
STATES = [State()]
ENTRIES: dict[str, Callable[[Formalism, System], Any]] = {
    "derive": lambda f, s: f.derive(s),
    "derive_whole": lambda f, s: f.derive_whole(s),
    "derive_asked": lambda f, s: f.derive_asked(s, ["M"]),
    "listing": lambda f, s: f.listing(s),
    "divide": lambda f, s: f.divide(s, {"all": s.coordinate_names}),
    "recursion": lambda f, s: f.recursion(s),
    "evaluate": lambda f, s: f.evaluate(s, STATES),
    "joint_forces": lambda f, s: f.joint_forces(s),
    "forces_in_joints": lambda f, s: f.forces_in_joints(s),
    "poses": lambda f, s: f.poses(s),
    "constrained_motion": lambda f, s: f.constrained_motion(s, STATES),
    "derive_closed": lambda f, s: f.derive_closed(s),
    "solve_closed": lambda f, s: f.solve_closed(s, STATES),
    "constrained_forces": lambda f, s: f.constrained_forces(s, STATES),
    "forces_with_constraints": lambda f, s: f.forces_with_constraints(s, STATES),
    "linkage_forces": lambda f, s: f.linkage_forces(s, STATES),
    "walker": lambda f, s: f.walker(s),
}
OF_TREES = {"derive", "evaluate", "joint_forces", "forces_in_joints", "poses", "divide", "recursion"}


@pytest.mark.parametrize("entry", ENTRIES)
def test_no_entry_point_answers_for_a_model_that_its_formalism_does_not_take(entry: str) -> None:
    refused = 0
    for name in MODELS:
        system = mb.read(FOLDER / f"{name}.mbs.json").system
        for by in map(formalism, BUILT_IN):
            tree = entry in OF_TREES or not system.constraints
            if not (by.obstacles(system) if tree else by.constraint_obstacles(system)):
                continue
            try:
                found = ENTRIES[entry](by, system)
            except FormalismError:
                found = None
            assert found in (None, (None, None)), (name, by.name)
            refused += 1
    assert refused > 5
