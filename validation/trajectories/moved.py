"""A model that moved from one start by several formalisms, as far as the motion is evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array
from .horizon import Growth, allowed
from .runs import Run, Runner


@dataclass(frozen=True)
class Moved:
    """Motions from one start.

    Attributes
    ----------
    runner, start
    formalisms, runs : by name, those that move it
    spread : how neighbouring starts move apart
    count : rows that are evidence
    """

    runner: Runner
    start: State
    formalisms: Mapping[str, Formalism]
    runs: Mapping[str, Run]
    spread: Growth
    count: int

    @property
    def system(self) -> System:
        """The model."""
        return self.runner.system

    def states(self, run: Run) -> list[State]:
        """The states of the rows of a run."""
        names = self.system.coordinate_names
        return [
            State(
                row.t, dict(zip(names, row.q.tolist(), strict=True)), dict(zip(names, row.v.tolist(), strict=True)),
                {}, self.start.parameters,
            )
            for row in run.trajectory.found[: self.count]
        ]  # fmt: skip

    def tolerances(self, *runs: Run, growing: bool = True) -> Array:
        """N ε √(2n) of runs together at the rows (K,), with G where errors grow."""
        found = allowed(runs, self.spread, self.count)
        return found if growing else found / self.spread.factor[: self.count]

    def sizes(self, *runs: Run) -> Array:
        """1 + |y|, the largest so far (K, 2 n)."""
        every = np.stack([np.abs(run.y[: self.count]) for run in runs]).max(axis=0)
        return 1.0 + np.maximum.accumulate(every, axis=0)


def joined(
    a: str, b: str, quantity: str, claim: str, parts: list[tuple[Array, Array, Array, Array, list[State]]],
    names: tuple[str, ...], why: str = "",
) -> Comparison:  # fmt: skip
    """The worst entry over several starts: values of both sides (K, …), scale, tolerance (K,), states of each."""
    x, y, scale, tolerance = (np.concatenate([part[i] for part in parts]) for i in range(4))
    states = [state for part in parts for state in part[4]]
    difference = Difference(
        x, y, np.broadcast_to(scale.reshape(x.shape), x.shape), tolerance, np.ones(len(x))
    )
    found = worst(a, b, quantity, difference, states, names)
    explanation = "; ".join(filter(None, (found.explanation, why if found.verdict == "disagrees" else "")))
    return replace(found, claim=claim, explanation=explanation)
