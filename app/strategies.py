"""Hypothesis strategies of models, states and texts, for property tests.

>>> from hypothesis import given, settings
>>> import mbconcord
>>> from mbconcord.strategies import systems
>>> @settings(max_examples=3)
... @given(systems(max_bodies=2))
... def test_agreement(system):
...     assert mbconcord.check(system, states=2, exact="off").verdict != "disagrees"
>>> test_agreement()

Failures shrink to few bodies and simple numbers; ``hypothesis.note(Line(system))`` prints a model as one line.
"""

from __future__ import annotations

from mbconcord.reports.extras import require

require("hypothesis", "drawing random models")

from mbconcord.validation.strategies.machines import Reproducer  # noqa: E402
from mbconcord.validation.strategies.strategies import states, systems, systems_and_states, texts  # noqa: E402

__all__ = ["Reproducer", "states", "systems", "systems_and_states", "texts"]
