"""Motions of one model by formalisms' equations, at equally spaced times, up to the last time where they are evidence.

Every step of the integrator has an error up to its tolerance ε, relative to 1 + |y| (m, rad, and per second), and an
error made at a time s grows until t as neighbouring motions do between s and t. With N steps to t

    |error(t)| ≤ (N + I) ε √(2n) G(t) (1 + |y|) ,    G(t) = max over s ≤ r ≤ t of |Δ(r)| / |Δ(s)| ,

√(2n) because the test uses the root of the mean of squares; I accounts for the row itself, which is interpolated within
its step. Δ is measured: motions from starts a small distance apart, in every coordinate and rate. If this leaves too
few digits the evidence ends: a chaotic motion is never compared once it has forgotten its start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.keeping import place_state
from mbconcord.simulation.motion.formulas import MotionFormulas, formulas
from mbconcord.simulation.motion.run import EnoughError, RunSettings, simulate
from mbconcord.simulation.motion.trajectory import Trajectory

from ..judge.comparison import ArrayDifference, worst
from ..judge.evidence import Comparison
from ..judge.formalism import FormalismWitness
from ..judge.motion import Array
from ..judge.tolerances import APART, MOTION, MOTION_NOTICED
from ..judge.witness import Answer, Labelled, Question

#: Rows of a motion after its start; steps after which a run ends.
SAMPLES: Final = 50
STEPS: Final = 2_000


@dataclass(frozen=True)
class FormalismRun:
    """A motion by one formalism from one start.

    Attributes
    ----------
    formalism : name of the formalism
    trajectory : rows at the start and at equally spaced times
    ends (s,) : times at which accepted steps of the integrator ended
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
    def stop_reason(self) -> Diagnostic | None:
        """Reason for ending before the intended last time; None if the run reached it."""
        return self.trajectory.stopped

    def answer(self, names: Sequence[str], count: int | None = None) -> Answer:
        """Return positions and rates of the first ``count`` rows, with the scale 1 + |y|, its largest value so far."""
        y, n = self.y[:count], len(names)
        size = 1.0 + np.maximum.accumulate(np.abs(y), axis=0)
        parts = {POSITIONS: slice(0, n), RATES: slice(n, 2 * n)}
        beside = {what: Labelled(y[:, part], names, size[:, part]) for what, part in parts.items()}
        return Answer(Evaluation(self.formalism, {}), beside=beside)

    def steps(self, t: Array) -> Array:
        """Count the integrator's steps until each of the times t (K,), including the step that passes it."""
        return np.asarray(np.searchsorted(self.ends, t, side="left") + 1.0)


class Runner:
    """Runs of a system from states with the same parameters; equations of each formalism are generated once."""

    def __init__(self, system: System, span: float, parameters: Mapping[str, float]) -> None:
        self.system, self.span, self._parameters = system, span, dict(parameters)
        self._formulas: dict[str, MotionFormulas] = {}

    def formulas(self, by: Formalism) -> MotionFormulas:
        """Return the equations of motion by a formalism, derived at the first call."""
        if by.name not in self._formulas:
            self._formulas[by.name] = formulas(self.system, by, self._parameters)
        return self._formulas[by.name]

    def run(self, by: Formalism, start: State, span: float | None = None) -> FormalismRun:
        """Integrate the motion from a start over ``span`` seconds (None: those of the runner), at most STEPS steps."""
        length = self.span if span is None else span
        ends: list[float] = []

        def note_step(t: float, work: float) -> None:
            ends.append(t)
            if len(ends) >= STEPS:
                raise EnoughError(f"{STEPS:,} steps")

        settings = RunSettings(start.t + length, tolerance=MOTION, step_out=length / SAMPLES)
        found = simulate(self.system, by, start, settings, note_step, made=self.formulas(by))
        return FormalismRun(by.name, without_events(found), np.array(ends))


#: Names of the compared quantities of motions.
POSITIONS, RATES = "motion: positions", "motion: rates"


@dataclass(frozen=True)
class MotionWitness:
    """A formalism's motion in time: its equations, integrated from a state."""

    formalism: Formalism
    runner: Runner
    shares: ClassVar[frozenset[str]] = FormalismWitness.shares | {"integration"}

    @property
    def name(self) -> str:
        """The formalism's name."""
        return self.formalism.name

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return the obstacles that keep the formalism from moving a model."""
        by = self.formalism
        return by.constraint_obstacles(model) if model.constraints else by.obstacles(model)

    def answer(self, question: Question) -> Answer:
        """Return positions and rates at equally spaced times from the first state of a question."""
        return self.run(question.states[0]).answer(question.names)

    def run(self, start: State) -> FormalismRun:
        """Return the motion from a start."""
        return self.runner.run(self.formalism, start)


def without_events(found: Trajectory) -> Trajectory:
    """Remove rows of events from the trajectory."""
    return replace(found, found=tuple(row for row in found.found if not row.event))


def common(runs: Sequence[FormalismRun]) -> int:
    """Count the rows that all runs have."""
    return min((len(run.trajectory.found) for run in runs), default=0)


#: Number of neighbouring motions.
NEIGHBOURS: Final = 2
#: I: error of interpolation, in errors of one step.
INTERPOLATED: Final = 20


@dataclass(frozen=True)
class Growth:
    """Growth factor G (K,), at least 1, of the distance between neighbouring motions, at times t (K,) of a run."""

    t: Array
    factor: Array


def growth(runner: Runner, by: Formalism, start: State, own: FormalismRun, seed: int) -> Growth:
    """Measure the growth of distances between a run and runs from neighbouring starts."""
    names, random = runner.system.coordinate_names, Random(seed)
    first = own.trajectory.found[0]
    q, v = (dict(zip(names, x.tolist(), strict=True)) for x in (first.q, first.v))
    largest = np.zeros(len(own.trajectory.found))
    count = len(largest)
    for _ in range(NEIGHBOURS):
        near = replace(
            start,
            q={n: x + APART * random.choice((-1, 1)) * random.uniform(0.5, 1) * (1 + abs(x)) for n, x in q.items()},
            v={n: x + APART * random.choice((-1, 1)) * random.uniform(0.5, 1) * (1 + abs(x)) for n, x in v.items()},
        )
        run = runner.run(by, replace(place_state(runner.system, near, (), ()).state, parameters=start.parameters))
        count = min(count, len(run.trajectory.found))
        apart = np.abs(run.y[:count] - own.y[:count]) / (1 + np.abs(own.y[:count]))
        largest = np.maximum(largest[:count], apart.max(axis=1, initial=0.0))
    return Growth(own.t[:count], factor_of(largest[:count]))


def factor_of(apart: Array) -> Array:
    """Compute G(t), the maximum over s ≤ r ≤ t of apart(r)/apart(s), at least 1 (K,), from distances ``apart`` (K,)."""
    found, least, best = np.ones(len(apart)), np.inf, 1.0
    for i, x in enumerate(apart.tolist()):
        least = min(least, x) if x > 0 else least
        best = max(best, x / least) if np.isfinite(least) else best
        found[i] = best
    return found


def find_tolerances(runs: Sequence[FormalismRun], spread: Growth, count: int) -> Array:
    """Compute the sum of (N + I) ε √(2n) G over several runs at their first ``count`` rows (count,)."""
    t, n = runs[0].t[:count], runs[0].trajectory.q.shape[1]
    steps = sum((run.steps(t) + INTERPOLATED for run in runs), np.zeros(count))
    return np.asarray(steps * MOTION * np.sqrt(2.0 * max(n, 1)) * spread.factor[:count])


def count_known(tolerances: Array) -> int:
    """Count the leading rows whose tolerance is small enough for evidence."""
    beyond = np.flatnonzero(~(tolerances <= MOTION_NOTICED))
    return int(beyond[0]) if beyond.size else len(tolerances)


@dataclass(frozen=True)
class Moved:
    """Motions from one start.

    Attributes
    ----------
    runner, start : runs of the system, and their common first state
    formalisms, runs : by name, the formalisms that integrated the motion, and their runs
    spread : divergence of neighbouring motions
    count : number of leading rows that are evidence
    """

    runner: Runner
    start: State
    formalisms: Mapping[str, Formalism]
    runs: Mapping[str, FormalismRun]
    spread: Growth
    count: int

    @property
    def system(self) -> System:
        """The model."""
        return self.runner.system

    def states(self, run: FormalismRun) -> list[State]:
        """List the states of the rows of a run."""
        names = self.system.coordinate_names
        return [
            State(
                row.t, dict(zip(names, row.q.tolist(), strict=True)), dict(zip(names, row.v.tolist(), strict=True)),
                {}, self.start.parameters,
            )
            for row in run.trajectory.found[: self.count]
        ]  # fmt: skip

    def tolerances(self, *runs: FormalismRun, growing: bool = True) -> Array:
        """Compute the tolerances (K,) of the rows for runs together, (N + I) ε √(2n), times G if errors grow."""
        found = find_tolerances(runs, self.spread, self.count)
        return found if growing else found / self.spread.factor[: self.count]

    def sizes(self, *runs: FormalismRun) -> Array:
        """Compute the scale 1 + |y| (K, 2 n), where |y| is the running maximum over rows and runs."""
        every = np.stack([np.abs(run.y[: self.count]) for run in runs]).max(axis=0)
        return 1.0 + np.maximum.accumulate(every, axis=0)


def join_starts(
    a: str, b: str, quantity: str, claim: str, parts: list[tuple[Array, Array, Array, Array, list[State]]],
    names: tuple[str, ...],
) -> Comparison:  # fmt: skip
    """Compare the worst entry over all starts; each part has a start's x, y (K, …), scale, tolerance (K,), states."""
    x, y, scale, tolerance = (np.concatenate([part[i] for part in parts]) for i in range(4))
    states = [state for part in parts for state in part[4]]
    difference = ArrayDifference(x, y, np.broadcast_to(scale.reshape(x.shape), x.shape), tolerance, np.ones(len(x)))
    return replace(worst(a, b, quantity, difference, states, names), claim=claim)
