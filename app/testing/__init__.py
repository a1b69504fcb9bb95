"""Test for wrong formalisms: seeds faults into a private copy in memory, and compares it with others.

For authors of formalisms outside this project: their tests call :func:`try_faults`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mbconcord.formalisms import registry
from mbconcord.model import System
from mbconcord.records import dataclass, replace
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import trial
from mbconcord.validation.strategies.special_trees import ball_joints, gyrostats, planar_system, sprung_system
from mbconcord.validation.strategies.trees import random_system

from .injection import Fault, inject
from .noticing import Catch, catch

__all__ = ["Catch", "Fault", "Tried", "inject", "try_faults"]

#: States at which every model is compared.
STATES = 3


@dataclass(frozen=True)
class Tried:
    """A fault and the disagreement that detects it; None: it survived."""

    fault: Fault
    catch: Catch | None


def try_faults(
    formalism: str, faults: Iterable[Fault], models: Sequence[System] | None = None, seed: int = 0
) -> tuple[Tried, ...]:
    """Seed faults into a formalism one after another, and find the claim that notices each.

    Parameters
    ----------
    formalism : its name, as ``mbconcord formalisms`` lists it
    faults : places in its modules, each with the original and the faulty text
    models : for the trials, at three random states each (default: :func:`default_models`)
    seed : of the states

    Raises
    ------
    MbconcordError
        There is no such formalism, or a fault has no place in it.
    """
    drawn = (draw(model, STATES, seed) for model in models or default_models())
    honest = [trial(d.system, d.states, map(registry.formalism, registry.BUILT_IN)) for d in drawn]
    honest.sort(key=lambda made: len(made.system.coordinates))
    owned = (replace(fault, owner=formalism) for fault in faults)
    return tuple(Tried(fault, catch(fault, honest)) for fault in owned)


def default_models() -> tuple[System, ...]:
    """Return models without symmetry: trees, ball joints, springs between frames, flywheels, a planar linkage."""
    trees = random_system(2, 4), random_system(11, 5)
    return (*trees, ball_joints(), sprung_system(9, 3), gyrostats(), planar_system(5, 6))
