"""Seeded faults of Lagrange's equations change their numbers."""

from __future__ import annotations

from importlib import import_module
from inspect import getsource

import numpy as np
import pytest

from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.validation.faults.injection import altered, injected
from mbconcord.validation.faults.tables.lagrange import FAULTS, FEATURE_FAULTS
from mbconcord.validation.judge.states import draw
from mbconcord.validation.models.trees import random_system

LAGRANGE = Lagrange()


#: Those of flywheels and the medium have their own tests, on models that have them.
PLAIN_FAULTS = [fault for fault in FAULTS if fault not in FEATURE_FAULTS]


def test_each_fault_stands_once_and_there_are_enough():
    assert len(FAULTS) >= 12
    assert len({f.title for f in FAULTS}) == len(FAULTS)
    for fault in FAULTS:
        assert fault.formalism == "lagrange"
        source = getsource(import_module(fault.module))
        assert altered(source, fault) != source


@pytest.mark.parametrize("fault", PLAIN_FAULTS, ids=lambda fault: fault.title)
def test_each_fault_changes_the_numbers(fault):
    """At some state of some random model a quantity is wrong by a thousandth of its size or more."""
    worst = 0.0
    for seed in range(25):
        d = draw(random_system(seed, 3), 2, seed)
        right = LAGRANGE.evaluate(d.system, d.states).quantities
        with injected(fault) as faulty:
            wrong = faulty.evaluate(d.system, d.states).quantities
        for name in ("M", "h", "gravity", "applied"):
            size = np.abs(right[name]).max(initial=1e-9)
            worst = max(worst, np.abs(wrong[name] - right[name]).max(initial=0) / size)
        if worst > 1e-3:
            return
    pytest.fail(f"largest change {worst}")
