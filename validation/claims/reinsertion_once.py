"""The mixed problem undone for one part of the coordinates: ``reinsertion`` at a fraction of its price."""

from __future__ import annotations

from ..judge.evidence import Comparison
from ..judge.trial import Trial
from .reinsertion import choices, reinserted

SENTENCE = "Re-insertion with a drawn part of the accelerations imposed, another one than the model imposes."


def claim(made: Trial) -> list[Comparison]:
    """What ``reinsertion`` says of the last of its choices, which is the drawn one unless that is no other."""
    return reinserted(made, list(choices(made))[-1:])
