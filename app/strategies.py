"""Hypothesis strategies of models, states and texts, for properties of your own.

>>> from hypothesis import given, settings
>>> import mbconcord
>>> from mbconcord.strategies import systems
>>> @settings(max_examples=3)
... @given(systems(max_bodies=2))
... def test_agreement(system):
...     assert mbconcord.check(system, states=2, exact="off").verdict != "disagrees"
>>> test_agreement()

What fails shrinks to few bodies and simple numbers; ``hypothesis.note(Line(system))`` prints it as one line.
"""

from __future__ import annotations

from mbconcord.reports.extras import needed

needed("hypothesis", "drawing random models")

from mbconcord.validation.models.strategies import states, systems, systems_and_states  # noqa: E402
from mbconcord.validation.models.texts import texts  # noqa: E402
from mbconcord.validation.reproducer import Line  # noqa: E402

__all__ = ["Line", "states", "systems", "systems_and_states", "texts"]
