"""How free a closed model is: rank and degrees of freedom at drawn states, rows that repeat others, what that opens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.system import System

from .closed_states import closed_states
from .measure import measured

#: At how many drawn states.
STATES = 3


@dataclass(frozen=True)
class Freedom:
    """What the constraints of a model leave, at most of the drawn states that satisfy them.

    Attributes
    ----------
    states : at how many; 0 where none is found, and nothing is known
    rows : names of the rows, by the formalism ``by``; empty where none solves the model
    rank : of D, by validation's own kinematics
    degrees : of freedom, coordinates less rank; drives that impose accelerations take theirs
    redundant : rows that depend on rows before them
    open : rows whose multipliers are not determined, as rows that depend on each other share them
    """

    states: int
    rank: int = 0
    degrees: int = 0
    by: str = ""
    rows: tuple[str, ...] = ()
    redundant: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def freedom(system: System, formalisms: Iterable[Formalism], seed: int = 0) -> Freedom:
    """The freedom of a system with constraints; rows are named by the first formalism that solves it."""
    closed = closed_states(system, STATES, seed)
    if closed.assembly is None:
        return Freedom(0)
    with np.errstate(all="ignore"):
        measure = measured(closed.system, closed.assembly)
    ranks = measure.rank.astype(int).tolist()
    rank = Counter(ranks).most_common(1)[0][0]
    found = Freedom(len(ranks), rank, len(system.coordinates) - rank)
    s = ranks.index(rank)
    for formalism in formalisms:
        if formalism.constraint_obstacles(closed.system):
            continue
        motion = formalism.constrained_motion(closed.system, [closed.states[s]])
        if motion is not None:
            unknown = np.isnan(motion.multipliers[0]) & np.isfinite(motion.acceleration[0]).all()
            names = tuple(name for name, no in zip(motion.rows, unknown, strict=True) if no)
            return Freedom(
                len(ranks), rank, found.degrees, formalism.name, motion.rows, motion.redundant[0], names
            )
    return found
