"""Long elastic chains: the recursion that keeps its matrices symmetric does not lose its digits over the links."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from laboratory.machines import elastic_chain, small_state
from mbconcord.formalisms.flexible import Flexible
from mbconcord.formalisms.flexible.equations import Equations, Machine
from mbconcord.formalisms.flexible.vectors import Batch
from mbconcord.model import Effort, Motion, State, System
from mbconcord.model.numbers import bind_states

MIXED = Flexible()


def residual(system: System, at: State) -> float:
    """The largest force that inverse dynamics still asks for at the accelerations found, over the largest that acts.

    The forces that drives of imposed accelerations give are taken off: nothing may be left.
    """
    found = MIXED.solve(system, [at])
    a = dict(zip(system.coordinate_names, found.accelerations[0], strict=True))
    kept = tuple(replace(c, drive=None if isinstance(c.drive, Motion) else c.drive) for c in system.coordinates)
    free = replace(system, coordinates=kept)
    moved = replace(at, a=a)
    batch = Batch(free, bind_states(free, [moved]).values)
    eq = Equations(Machine(free, batch), batch)
    left = np.array([float(x[0]) for x in eq.inverse_dynamics])
    for i, name in enumerate(system.coordinate_names):
        left[i] -= found.efforts[name][0] if name in found.efforts else 0.0
    size = max(float(np.abs(F).max()) for F in eq.required_forces.joints)
    return float(np.abs(left).max()) / size


@pytest.mark.slow
@pytest.mark.parametrize("count", [64, 256])
def test_the_accelerations_of_a_long_chain_satisfy_its_equations(count: int) -> None:
    system = elastic_chain(count)
    assert residual(system, small_state(system, 3)) <= 1e-9


def test_without_symmetry_the_recursion_loses_every_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The obvious saving: J_er* taken for the transpose of J_re*, K and J_ee* as round-off leaves them."""
    system = elastic_chain(64)
    at = small_state(system, 3)
    right = MIXED.solve(system, [at]).accelerations

    def general(A: Any, rows: Any, vector: Any) -> tuple[Any, Any]:
        return np.linalg.solve(A, rows + 0 * A[..., :1]), np.linalg.solve(A, vector[..., None])[..., 0]

    monkeypatch.setattr("mbconcord.formalisms.flexible.recursion.symmetrize", lambda m: m)
    monkeypatch.setattr("mbconcord.formalisms.flexible.recursion.solve_ldl", general)
    wrong = MIXED.solve(system, [at]).accelerations
    assert not np.abs(wrong - right).max() <= np.abs(right).max()


def test_forward_dynamics_of_a_chain_agree_with_its_mass_matrix() -> None:
    system = elastic_chain(16)
    free = replace(system, coordinates=tuple(replace(c, drive=Effort(0.5)) for c in system.coordinates))
    at = small_state(free, 3)
    q = {name: x[0] for name, x in MIXED.evaluate(free, [at]).quantities.items()}
    units = 1 / np.sqrt(np.diag(q["M"]))
    scaled = q["M"] * np.outer(units, units)
    expected = units * np.linalg.solve(scaled, units * (q["gravity"] + q["applied"] - q["h"]))
    gap = np.abs((q["acceleration"] - expected) / units).max() / np.abs(expected / units).max()
    assert gap <= 100 * np.finfo(float).eps * np.linalg.cond(scaled)
