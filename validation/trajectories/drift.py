"""Constraints hold along a motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mbconcord.simulation.assembly import assembled
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.rows import constraint_rows as simulated_rows

from ..claims.claim import not_checked
from ..constraints.rows import constraint_rows
from ..judge.evidence import Comparison
from ..judge.tolerances import DRIFT, RATE_DRIFT
from .moved import Moved, joined

SENTENCE = "Positions and rates satisfy the constraints along the motion."
CLAIM = "drift"


def claim(starts: Sequence[Moved]) -> Iterator[Comparison]:
    """Gaps of every formalism's motion, by validation's own rows, as parts of what they are made of.

    Positions are put onto the constraints after every step, to 1e-12; rates to 1e-10, where rows may die.
    """
    system = starts[0].system
    if not system.constraints:
        yield not_checked("motion", "drift of constraints", "the model has none")
        return
    rows = simulated_rows(system)
    for name in starts[0].runs:
        found: dict[str, list[tuple]] = {"position": [], "rates": []}  # type: ignore[type-arg]
        for moved in starts:
            states = moved.states(moved.runs[name])
            extended = assembled(RowsAtStates(rows, system, states), states, held=True).extended
            gaps = constraint_rows(system, extended)
            m = gaps.gap.shape[1]
            none = np.zeros(len(states))
            for what, part, limit in (
                ("position", gaps.missed[:, :m], DRIFT), ("rates", gaps.missed[:, m:], RATE_DRIFT),
            ):  # fmt: skip
                worst = part.max(axis=1, initial=0.0)
                found[what].append((worst, none, none + 1.0, none + limit, states))
        for what, parts in found.items():
            yield joined(name, "constraints", f"drift of constraints, {what}", CLAIM, parts, ())
