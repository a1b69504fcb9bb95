"""The order in which bodies and forces are listed changes nothing."""

from __future__ import annotations

from dataclasses import replace

from mbconcord.model.system import System

from ..judge.evidence import Comparison
from ..judge.states import Drawn
from ..judge.trial import Trial
from .claim import same_after

SENTENCE = "Listing bodies and forces in another order changes nothing."


def claim(made: Trial) -> list[Comparison]:
    """The model with bodies and forces in reverse, as far as parents must come first."""
    return same_after(made, Drawn(permuted(made.system), tuple(made.states)), "bodies permuted")


def permuted(system: System) -> System:
    """Bodies in the order of a walk that takes the last child first; forces reversed."""
    order, waiting = [], list(system.children(None))
    while waiting:
        body = waiting.pop()
        order.append(body)
        waiting += system.children(body.name)
    return replace(system, bodies=tuple(order), forces=system.forces[::-1])
