"""Certificates of random machines are proved, closed and elastic ones too: no right equations are refused."""

from __future__ import annotations

import pytest

from mbconcord.certificate import verify_certificate
from mbconcord.certificate.emit import write_certificate
from mbconcord.certificate.programs import WordsError
from mbconcord.model.system import System
from mbconcord.validation.judge.exact.proof import approximate
from mbconcord.validation.judge.states import draw as draw_states
from mbconcord.validation.strategies.machines import elastic_tree, random_constraints
from mbconcord.validation.strategies.trees import random_system

COUNT = 400


def draw(seed: int) -> System:
    """Draw a tree, a closed machine, one with elastic bodies, or one with flywheels and added inertia."""
    kind, bodies = seed % 4, 1 + seed // 4 % 3
    if kind == 2:
        return elastic_tree(seed, bodies)
    system = random_system(seed, bodies, flywheels=kind == 3, added_inertia=kind == 3 and seed % 8 == 3)
    if kind == 1:
        drawn = draw_states(system, 1, seed)
        return random_constraints(seed, drawn.system, drawn.states[0])
    return system


@pytest.mark.parametrize("seed", (1, 22, 180))
def test_angles_of_lengths_series_of_nodes_and_inclined_planes(seed: int) -> None:
    test_a_random_machine_is_certified(seed)


@pytest.mark.slow
@pytest.mark.sampled(40)
@pytest.mark.parametrize("seed", range(COUNT))
def test_a_random_machine_is_certified(seed: int) -> None:
    system = draw(seed)
    try:
        text = write_certificate(system, witness=False)[0]
    except WordsError as problem:  # of a piece, which is named
        assert "the format has no words for" in str(problem)
        return
    try:
        said = verify_certificate.verify(text.encode(), (), bytes(32))
    except verify_certificate.RefusedError:
        why = approximate(system)  # series that formalisms break off after different terms
        assert "turn is a power series" in why and any(body.modes for body in system.bodies)
        return
    proved = [line.partition(":")[0] for line in said.splitlines() if " = " in line]
    assert {"M", "h", "gravity", "applied"} <= {*proved}
    if "note without mechanics" not in text:
        assert f"M: mechanics of {system.name}" in said
