"""Motions of one model by one formalism's equations: generated, integrated, and kept at equally spaced times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.motion.formulas import Formulas, formulas
from mbconcord.simulation.motion.run import EnoughError, Settings, simulate
from mbconcord.simulation.motion.trajectory import Trajectory

from ..judge.motion import Array
from ..judge.tolerances import MOTION

#: Rows of a motion after its start; steps after which a run ends.
SAMPLES: Final = 50
STEPS: Final = 2_000


@dataclass(frozen=True)
class Run:
    """A motion by one formalism from one start.

    Attributes
    ----------
    formalism : its name
    trajectory : rows at the start and at equally spaced times
    ends (s,) : times at which its accepted steps ended
    """

    formalism: str
    trajectory: Trajectory
    ends: Array

    @property
    def t(self) -> Array:
        """Times (K,)."""
        return self.trajectory.t

    @property
    def y(self) -> Array:
        """Positions and rates (K, 2 n)."""
        return np.hstack([self.trajectory.q, self.trajectory.v])

    @property
    def stopped(self) -> Diagnostic | None:
        """Why it ended before its time; None where it did not."""
        return self.trajectory.stopped

    def steps(self, t: Array) -> Array:
        """How many steps were made until times (K,), the one that goes beyond among them."""
        return np.asarray(np.searchsorted(self.ends, t, side="left") + 1.0)


class Runner:
    """Runs of a system from states whose parameters are the same; equations of each formalism are generated once."""

    def __init__(self, system: System, span: float, parameters: Mapping[str, float]) -> None:
        self.system, self.span, self._parameters = system, span, dict(parameters)
        self._formulas: dict[str, Formulas] = {}

    def formulas(self, by: Formalism) -> Formulas:
        """The equations of a formalism."""
        if by.name not in self._formulas:
            self._formulas[by.name] = formulas(self.system, by, self._parameters)
        return self._formulas[by.name]

    def run(self, by: Formalism, start: State, span: float | None = None) -> Run:
        """The motion from a start, over so many seconds."""
        length = self.span if span is None else span
        ends: list[float] = []

        def told(t: float) -> None:
            ends.append(t)
            if len(ends) >= STEPS:
                raise EnoughError(f"{STEPS:,} steps")

        settings = Settings(start.t + length, tolerance=MOTION, step_out=length / SAMPLES)
        found = simulate(self.system, by, start, settings, told, made=self.formulas(by))
        return Run(by.name, without_events(found), np.array(ends))


def without_events(found: Trajectory) -> Trajectory:
    """The trajectory without rows of events."""
    return replace(found, found=tuple(row for row in found.found if not row.event))


def common(runs: Sequence[Run]) -> int:
    """How many rows all of them have."""
    return min((len(run.trajectory.found) for run in runs), default=0)
