"""Everything that changes nothing, at once: four claims at the price of one, where no fault is expected."""

from __future__ import annotations

from dataclasses import replace

from ..judge.evidence import Comparison
from ..judge.trial import Trial
from .changed_units import changed, factors
from .claim import same_after
from .moved_world import moved
from .permuted_bodies import permuted
from .welded_bodies import welded

SENTENCE = (
    "The world moved, bodies permuted, split and welded, and units changed, all at once, change every quantity by the "
    "factor of its dimension."
)


def claim(made: Trial) -> list[Comparison]:
    """What the four claims say, of one changed model."""
    system = moved(welded(permuted(made.system)))
    return same_after(made, changed(replace(made, system=system)), "all changed", factors(made))
