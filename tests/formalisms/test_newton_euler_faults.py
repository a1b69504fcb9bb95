"""Seeded faults of Newton–Euler change its numbers."""

from __future__ import annotations

from functools import cache

import pytest

from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.validation.faults.injection import injected
from mbconcord.validation.faults.models import subjects
from mbconcord.validation.faults.tables.newton_euler import FAULTS

from .numbers import close

NE = NewtonEuler()
ALL = ("M", "h", "gravity", "applied", "inverse_dynamics", "acceleration")


@cache
def honest(i):
    return evaluate_derivation(NE.derive(subjects()[i].system), subjects()[i].states).quantities


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.title)
def test_every_fault_changes_some_quantity(fault):
    """So a fault that nothing catches is a gap in the claims, not in the fault."""
    with injected(fault) as faulty:
        for i, subject in enumerate(subjects()):
            if NE.obstacles(subject.system):
                continue
            found = evaluate_derivation(faulty.derive(subject.system), subject.states).quantities
            if any(not close(found[name], honest(i)[name], 1e-9) for name in ALL):
                return
    pytest.fail("it changes nothing")
