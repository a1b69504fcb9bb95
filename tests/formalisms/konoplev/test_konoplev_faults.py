"""Seeded faults of Konoplev's aggregates change numbers that are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.model import State, System
from mbconcord.validation.faults.injection import injected
from mbconcord.validation.faults.models import subjects
from mbconcord.validation.faults.tables import konoplev as faults

from ...reference.konoplev import OPEN
from ...reference.table import differences
from ..numbers import close
from .konoplev_numbers import everything


@pytest.mark.slow
def test_honest_code_is_right_where_faults_are_not():
    assert _right(Konoplev())


@pytest.mark.parametrize("fault", faults.FAULTS, ids=lambda fault: fault.title)
def test_faults_are_caught(fault):
    with injected(fault) as wrong:
        assert not _right(wrong)


def _right(formalism: Any) -> bool:
    """Whether the canonical quantities are those of the vectors, and of Lagrange for what the vectors lack."""
    return (
        not any(differences(formalism, f"konoplev/{name}") for name in OPEN)
        and all(_like_lagrange(formalism, x.system, x.states) for x in subjects())
        and _like_lagrange(formalism, *everything())
    )


def _like_lagrange(formalism: Any, model: System, states: Sequence[State]) -> bool:
    found = Formalism.evaluate(formalism, model, states).quantities
    expected = registry.formalism("lagrange").evaluate(model, states).quantities
    return all(close(found[key], expected[key], 1e-11) for key in ("M", "h", "gravity", "applied"))
