"""A run: equations of a model followed in time, from a state on the constraints to an end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, error
from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.mixed import imposed
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..keeping import placed
from ..shifts import moved
from .algebra import RANK, NoInertiaError
from .arrays import Array
from .charted import Charts
from .charts import Ball
from .events import Event, Events
from .explicit import Explicit
from .formulas import Formulas, Numbers, formulas
from .friction import frictions, smoothed
from .friction import told as friction_told
from .jumps import require_continuous
from .methods import DEFAULT, SLIP
from .projection import largest
from .step import Step, StoppedError
from .stretch import Stretch
from .switches import Pattern, Switches
from .trajectory import Row, Trajectory

#: Rows of a table, where nothing is said.
ROWS: Final = 200
#: Rows closer than this part of their step are one.
TOGETHER: Final = 1e-9
#: After a lock-up rows with larger gaps are left out.
OPEN: Final = 1e-10
#: So many stiff steps, with no more than so few others between two of them, and it is said.
MANY, FEW = 15, 5
STIFF: Final = "the motion is stiff for an explicit method"
#: A change of rates that is no jump.
SMOOTH: Final = 1e-12


class EnoughError(Exception):
    """Raised by who is told of the time: the run ends and keeps its rows; its words say why."""


@dataclass(frozen=True)
class Settings:
    """How a run is made.

    Attributes
    ----------
    until : its end (s)
    method : of those in :mod:`.methods`
    tolerance : relative and absolute, of positions in m and rad and of rates
    step_out : between rows of the table (s), the last of which is the end; None: :data:`ROWS` of them
    events : what is looked for
    balanced : whether the work of forces is integrated beside, so that energies can be balanced
    slip : the speed below which dry friction slips, :mod:`.friction` (m/s, rad/s)
    """

    until: float
    method: str = DEFAULT
    tolerance: float = 1e-9
    step_out: float | None = None
    events: tuple[Event, ...] = ()
    balanced: bool = True
    slip: float = SLIP


def simulate(
    system: System, by: Formalism, state: State, settings: Settings, told: Callable[[float], None] | None = None,
    before: Row | None = None, made: Formulas | None = None,
) -> Trajectory:  # fmt: skip
    """The motion of a system from a state to an end.

    Parameters
    ----------
    system, by : the equations of a model by a formalism
    state : the start; what is missing is the model's own
    settings : how
    told : called with the time after each step; where it raises :class:`EnoughError` the run ends
    before : the last row of a run that goes on here: works and balances are counted on from it
    made : :func:`.formulas.formulas` of the same, where they are known

    Returns
    -------
    Trajectory
        Its ``stopped`` says where a run that cannot go on ended; interrupted from the keyboard, it has the rows so far.

    Raises
    ------
    FormalismError
        The formalism does not take the model.
    NumbersError
        No state satisfies the constraints, something has no number, or a motion jumps.
    """
    with threadpool_limits(1, "blas"):
        return _Run(system, by, state, settings, told, before, made).made()


class _Run:
    def __init__(
        self, system: System, by: Formalism, state: State, settings: Settings,
        told: Callable[[float], None] | None, before: Row | None, made: Formulas | None,
    ) -> None:  # fmt: skip
        self.system, self.settings, self.told, self.before = system, settings, told, before
        self.begun = time.process_time()
        self.numbers = Numbers(system, state.parameters)
        self.names = system.coordinate_names
        self.by, self.parameters = by, state.parameters
        sharp = made or formulas(system, by, state.parameters)
        signs = frictions(sharp, [f"{name}'" for name in self.names])
        self.formulas = smoothed(sharp, signs, settings.slip)
        self.start = placed(system, state)
        self.rows: list[Row] = []
        self.notes = list(moved(system, self.start))
        if signs:
            self.notes.append(friction_told(signs, settings.slip))
        self.stiff = self.smooth = 0
        self.t, self.threshold, self.reference = state.t, RANK, 0.0
        self.moving = any(map(_changes, self.formulas.flow)) or bool(imposed(system))
        energies = self.formulas.energies
        works = self.moving or any(map(_changes, self.formulas.applied))
        self.balanced = settings.balanced and energies is not None and (works or _changes(energies.explicit))
        q, v = (np.array([x[name] for name in self.names]) for x in (self.start.state.q, self.start.state.v))
        self.y = np.concatenate([q, v, [before.work if before else 0.0] if self.balanced else []])
        self.charts = Charts(system, q, self.formulas, self._smooth)
        self.amounts = list(self._amounts())
        outputs = [*self.formulas.every(), *(amount for _, amount in self.amounts)]
        self.switches = Switches(outputs, self.t, settings.until)
        self.edges = [self.t, *self.switches.times, settings.until]
        self.stretches: dict[tuple[Pattern, tuple[Ball, ...]], Stretch] = {}
        inputs = ("t", *self.names, *(f"{n}'" for n in self.names))
        self.events = Events(settings.events, self.numbers, inputs, self.charts.own)
        step = settings.step_out or (settings.until - self.t) / ROWS
        times = self.t + step * np.arange(1 + int((settings.until - self.t) / step * (1 + 1e-12)))
        inner = times[times < settings.until - TOGETHER * step]
        self.times = np.array([*inner, settings.until])  # its end is told, whole steps or not

    def _amounts(self) -> Iterator[tuple[str, Expression]]:
        """Places, and prescribed positions and constraint functions of which every coordinate is known."""
        for body in self.system.bodies:
            for amount in self.numbers.of(step.amount for step in body.joint if not step.coordinate):
                yield f"bodies/{body.name}", amount
        known = {*self.names, "t"}
        for row, position in zip(self.formulas.closing.rows, self.formulas.position, strict=True):
            if symbols([position]) <= known:
                yield f"constraints/{row.constraint}", position

    def made(self) -> Trajectory:
        """The trajectory."""
        q = self.y[: len(self.names)].tolist()
        require_continuous(self.switches, self.edges, self.amounts, self.names, q)
        stopped: Diagnostic | None = None
        try:
            for a, b in pairwise(self.edges):
                stopped = self._between(a, b)
                if stopped is not None:
                    break
        except EnoughError as enough:
            stopped = Diagnostic("note", "simulate", f"ended at t = {self.t:.9g}: {enough}")
        except KeyboardInterrupt:
            message = f"interrupted at t = {self.t:.9g}"
            stopped = Diagnostic(
                "warning", "simulate", message, "what was computed is kept: it can be resumed"
            )
        evaluations = sum(s.problem.equations.evaluations for s in self.stretches.values())
        return Trajectory(
            self.system.name, self.names, self.formulas.rows, tuple(self.rows), self.t, stopped,
            (*self.notes, *self.charts.notes()), self.settings.method, self.formulas.formalism,
            self.settings.tolerance, evaluations, time.process_time() - self.begun,
        )  # fmt: skip

    def _stretch(self, a: float, b: float) -> Stretch:
        """The equations between two neighbouring switches, in the charts of now; those of one pattern are made once."""
        pattern, charts = self.switches.pattern(a, b), self.charts.turned
        if (pattern, charts) not in self.stretches:
            here = self.switches.applied(self.charts.formulas, pattern)
            made = Stretch(self.charts.here, here, self.start, self.moving, self.balanced)
            self.stretches[pattern, charts] = made
        return self.stretches[pattern, charts]

    def _smooth(self, system: System) -> Formulas:
        """The equations of the system in other coordinates."""
        sharp = formulas(system, self.by, self.parameters)
        return smoothed(sharp, frictions(sharp, [f"{name}'" for name in self.names]), self.settings.slip)

    def _rechart(self, before: Stretch, a: float, b: float) -> Stretch:
        """The equations in other charts of the joints that come near the singular positions of theirs."""
        self.y = self.charts.entered(self.t, self.y, self.charts.left(self.y))
        after = self._stretch(a, b)
        after.follow(before, before.problem.equations.threshold)
        return after

    def _between(self, a: float, b: float) -> Diagnostic | None:
        """Go from a to b, between which nothing switches; why it stopped on the way."""
        stretch = self._stretch(a, b)
        if a == self.edges[0]:
            if self.charts.left(self.y):
                stretch = self._rechart(stretch, a, b)
            self._begin(stretch)
        else:
            before = self._stretch(self.edges[self.edges.index(a) - 1], a)
            stretch.follow(before, self.threshold)
            self._enter(before, stretch)
        try:
            while True:
                stop = self._steps(stretch, b)
                if stop is not None or not self.charts.left(self.y):
                    break
                stretch = self._rechart(stretch, a, b)
        except NoInertiaError as singular:
            return self._tied(stretch, self.t, self.y) or no_inertia(str(singular), self.t)
        except FormalismError as refused:
            message = f"stopped at t = {self.t:.9g}: {self.by.name} takes no other angles: {refused}"
            return error("simulate", message, "take another formalism; what was computed is kept")
        except StoppedError as stopped:
            return self._tied(stretch, self.t, self.y) or self._stuck(stretch, stopped)
        if stop is None:
            self.t = b
        return stop

    def _steps(self, stretch: Stretch, b: float) -> Diagnostic | None:
        """Go to b, or to where a joint comes near the singular position of its chart; why it stopped on the way."""
        for step in self._integrator(stretch).steps(self.t, self.y, b):
            if step.back is not None:
                self._back(stretch, step.back)
                continue
            for part in self.charts.followed(step, self.y, stretch.problem.projected):
                stop = self._tied(stretch, part.end, part.y) or self._tabulated(stretch, part)
                if stop is not None:
                    return stop
                self.t, self.y = part.end, part.y
                self.charts.passed(self.y)
            self._watch(step)
            if self.told is not None:
                self.told(self.t)
            if self.charts.left(self.y):
                break
        return None

    def _tied(self, stretch: Stretch, t: float, y: Array) -> Diagnostic | None:
        """Why the run stops at a state: turns that have no other chart are singular."""
        return self.charts.stuck(t, y, stretch.problem.equations.mass)

    def _begin(self, stretch: Stretch) -> None:
        """The first row, if there is inertia."""
        try:
            stretch.problem.equations.require_inertia(self.t, self.y[: len(self.names)])
        except NoInertiaError as singular:
            raise NumbersError(self._tied(stretch, self.t, self.y) or no_inertia(str(singular))) from None
        self.y = stretch.problem.projected(self.t, self.y)
        self.reference = stretch.hamiltonian(self.t, self.y)
        if self.before is not None:
            self.reference -= self.before.work + self.before.balance
        self._row(stretch, self.t, self.y)

    def _integrator(self, stretch: Stretch) -> Any:
        if self.settings.method == "ida":
            from .implicit import Implicit  # of another package than the others

            return Implicit(stretch.problem, self.settings.tolerance, self._needed)
        if self.settings.method in ("lsoda", "cvode"):
            from .multistep import Multistep

            return Multistep(stretch.problem, self.settings.method, self.settings.tolerance, self._needed)
        return Explicit(stretch.problem, self.settings.method, self.settings.tolerance, self._needed)

    def _needed(self, t: float, y: Array, after: float, there: Array) -> bool:
        """Whether anything is asked for between two states."""
        asked = self._rows_within(t, after).size > 0 or bool(self.charts.turned)
        return asked or self.events.any(t, y, after, there)

    def _rows_within(self, t: float, after: float) -> Array:
        """Times of rows of the table later than t, up to another time."""
        first, last = np.searchsorted(self.times, [t, after], side="right")
        return np.asarray(self.times[first:last], dtype=float)

    def _row(self, stretch: Stretch, t: float, y: Array, event: str = "") -> None:
        row = stretch.row(t, y, self.reference, event)
        if not self.settings.balanced:
            row = replace(row, work=np.nan, power=np.nan, balance=np.nan)
        self.rows.append(self.charts.told(row))

    def _back(self, stretch: Stretch, t: float) -> None:
        """The run goes back: rows that are later do not count."""
        while self.rows and self.rows[-1].t > t:
            self.rows.pop()
        self.threshold = stretch.problem.equations.threshold
        message = (
            f"constraints that almost depend on each other: from t = {t:.9g} on they are told apart finely"
        )
        self.notes.append(Diagnostic("note", "constraints", message))

    def _watch(self, step: Step) -> None:
        """Say once where stability and not accuracy makes the steps of an explicit method short."""
        self.smooth = 0 if step.stiff else self.smooth + 1
        if self.smooth > FEW and self.stiff < MANY:
            self.stiff = 0
        self.stiff += step.stiff
        if step.stiff and self.stiff == MANY:
            length = step.end - step.start
            message = f"{STIFF} from about t = {step.end:.4g} on: its steps are {length:.1e} s"
            remedy = "friction that sticks and stiff springs are for --method lsoda or radau"
            self.notes.append(Diagnostic("note", "simulate", message, remedy))

    def _tabulated(self, stretch: Stretch, step: Step) -> Diagnostic | None:
        """Put the rows and the events of a step into the table; why the run stops within it."""
        happened = self.events.within(step, self.y, stretch.problem.projected)
        stop = next((h for h in happened if h.event.stops), None)
        end = step.end if stop is None else stop.t
        moments: list[tuple[float, Array, str]] = []
        for t in self._rows_within(step.start, end).tolist():
            moments.append((t, step.y if t == step.end or step.between is None else step.between(t), ""))
        moments += [(h.t, h.y, h.event.name) for h in happened if h.t <= end]
        for t, y, name in sorted(moments, key=lambda moment: moment[0]):
            self._row(stretch, t, y, name)
        if stop is None:
            return None
        self.t, self.y = stop.t, stop.y
        message = f"stopped at t = {stop.t:.12g}: {stop.event.name} is zero and changes its sign"
        return Diagnostic("note", "events", message)

    def _enter(self, before: Stretch, behind: Stretch) -> None:
        """The rates behind a switch: where prescribed motions jump in their rates, by the impulse of that.

        M Δq' + Δ(∂T/∂q' of prescribed motions) = Dᵀ Λ, D q' + γ = 0 with the rates behind the switch.
        """
        problem, n, t = behind.problem, behind.problem.n, self.t
        q, v = self.y[:n], self.y[n : 2 * n]
        free, metric = problem.equations.free, problem.equations.metric(t, q)
        rates = v.copy()
        rates[free] += metric.upper(metric.lower((before.momenta(t, q) - behind.momenta(t, q))[free]))
        found = problem.projection(t, q, rates)
        change = found.v - v
        H = before.hamiltonian(t, self.y)
        self.y = np.concatenate([found.q, found.v, self.y[2 * n :]])
        self.reference += behind.hamiltonian(t, self.y) - H
        if largest(change) > SMOOTH * (1 + largest(v)):
            i = int(np.abs(change).argmax())
            message = f"a prescribed motion jumps in its rate at t = {t:.9g}: its impulse changes the rates"
            self.notes.append(
                Diagnostic("warning", "simulate", f"{message}, that of {self.names[i]} by {change[i]:.6g}")
            )
            self._row(behind, t, self.y, "impulse")

    def _stuck(self, stretch: Stretch, stopped: StoppedError) -> Diagnostic:
        """Why no step can be made: what is fast, and which constraint is least closed."""
        projection, n = stretch.problem.projection, stretch.problem.n
        self.t = stopped.t
        while len(self.rows) > 1 and self.rows[-1].gap > OPEN:
            self.rows.pop()
        rates = np.abs(stopped.y[n : 2 * n] / projection.units)
        i = int(rates.argmax())
        message = f"stopped at t = {stopped.t:.12g}: {stopped}; fastest is {self.names[i]}, {rates[i]:.3g} per second"
        if projection:
            f = projection.rows(stopped.t, stopped.y[:n])[0]
            row = self.formulas.closing.rows[int(np.abs(f).argmax())]
            message += f"; least closed is {row.constraint}, by {largest(f):.3g} of what it is made of"
        remedy = "the mechanism may lock here, or come to a singular position; what was computed is kept"
        return Diagnostic("error", "simulate", message, remedy)


def _changes(formula: Expression) -> bool:
    """Whether a formula is none of the number zero."""
    return formula.op != "num" or bool(formula.data)


def no_inertia(names: str, t: float | None = None) -> Diagnostic:
    """Why there are no accelerations."""
    when = "" if t is None else f" at t = {t:.9g}"
    message = f"the mass matrix is singular{when}: no inertia along {names}"
    return error(
        f"coordinates/{names.split(',')[0]}", message, "give the bodies it moves a mass or an inertia"
    )
