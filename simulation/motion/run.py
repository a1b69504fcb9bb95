"""A run: equations of a model integrated in time, from a state on the constraints to an end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.contact import list_rigid, split_elements
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, error
from mbconcord.model.elastic.rigid import beyond
from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.limits import count
from mbconcord.model.mixed import CLOSER, describe_singular, find_imposed_accelerations, find_singular_map
from mbconcord.model.normal_forces import list_normal_forces
from mbconcord.model.numbers import parameter_values, watched
from mbconcord.model.omission import Omission
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..keeping import Placed, describe_moves, place_state
from ..poses import branches, describe_far, list_sides
from .arrays import FINE_RANK, RANK, Array, NoInertiaError
from .charted import Charts
from .charts import Ball
from .events import (
    Crossings,
    Event,
    Events,
    Happened,
    Pattern,
    Switches,
    Touches,
    frictions,
    require_continuous,
    require_smooth_ends,
    smooth_friction,
)
from .events import describe_friction as friction_told
from .explicit import Explicit, choose_method
from .formulas import EquationNumbers, MotionFormulas, formulas
from .projection import largest
from .reached import Watch
from .stretch import ContactEvent, IntegrationProblem, IntegrationStep, StoppedError, Stretch
from .trajectory import DEFAULT, SLIP, Trajectory, TrajectoryRow, UnsettledError
from .undefined import find_undefined

#: Rows of a table, where nothing is said.
ROWS: Final = 200
#: Rows closer than this part of their step are one.
TOGETHER: Final = 1e-9
#: After a lock-up rows with larger gaps are left out.
OPEN: Final = 1e-10
#: So many stiff steps, with no more than so few others between two of them, and it is said.
MANY, FEW = 15, 5
STIFF: Final = "the motion is stiff for an explicit method"
#: Methods that begin a new step where a contact begins or ends to act: slopes at the kink keep others from it.
BEGUN_ANEW: Final = ("dop853", "lsoda", "cvode")
#: Methods that cannot begin a step after an impact.
WITHOUT_IMPACTS: Final = ("ida", "cvode")
#: So many events of contacts in a row within this part of 1 + t are too many.
SETTLED, SAME_INSTANT = 100, 1e-14
#: A change of rates that is no jump.
SMOOTH: Final = 1e-12
#: Times ahead of a state without a next step at which accelerations are looked at (s), and how far it moves by then.
AHEAD: Final = tuple(10.0**i for i in range(-15, -2))
NEAR: Final = 1e-2
#: A normal force that was not found so near an end (s) is why the run ends.
BESIDE: Final = 1e-6


class EnoughError(Exception):
    """Exception that ``told`` may raise: the run ends and keeps its rows; the message says why."""


@dataclass(frozen=True)
class RunSettings:
    """Settings of a run.

    Attributes
    ----------
    until : end of the run (s)
    method : name of an integrator in :mod:`.trajectory`
    tolerance : relative and absolute, of positions in m and rad and of rates
    step_out : time between rows of the table (s), the last of which is at the end; None: :data:`ROWS` such steps
    events : events to detect
    balanced : also integrate the work of forces, to balance energies
    slip : the speed below which dry friction slips, :mod:`.events` (m/s, rad/s)
    impacts : which of :data:`.impacts.IMPACTS` is done where several impacts at once are not unique
    """

    until: float
    method: str = DEFAULT
    tolerance: float = 1e-9
    step_out: float | None = None
    events: tuple[Event, ...] = ()
    balanced: bool = True
    slip: float = SLIP
    impacts: str = "refuse"


def simulate(
    system: System, by: Formalism, state: State, settings: RunSettings,
    told: Callable[[float, float], None] | None = None, before: TrajectoryRow | None = None,
    made: MotionFormulas | None = None, placed: Placed | None = None,
) -> Trajectory:  # fmt: skip
    """Simulate the motion of a system from a state to an end.

    Parameters
    ----------
    system, by : the model, and the formalism that gives its equations
    state : the start; missing values are the model's own
    settings : settings of the run
    told : called with the time after each step and the work until then (J); if it raises :class:`EnoughError` the
        run ends
    before : the last row of a run to be continued: works and balances are counted from it
    made : :func:`.formulas.formulas` of the same system, if already computed
    placed : the start on the constraints, if already found

    Returns
    -------
    Trajectory
        Its ``stopped`` says where a run ended that could not continue; a keyboard interrupt leaves the rows so far.

    Raises
    ------
    FormalismError
        The formalism does not take the model.
    NumbersError
        No state satisfies the constraints, a number is missing, or a motion jumps.
    """
    with threadpool_limits(1, "blas"), np.errstate(invalid="ignore", over="ignore"):  # of trial steps
        return _Run(system, by, state, settings, told, before, made, placed).run()


class _Run:
    def __init__(
        self, system: System, by: Formalism, state: State, settings: RunSettings,
        told: Callable[[float, float], None] | None, before: TrajectoryRow | None, made: MotionFormulas | None,
        placed: Placed | None,
    ) -> None:  # fmt: skip
        self.system, self.settings, self.told, self.before = system, settings, told, before
        self.method = settings.method
        self.begun = time.process_time()
        self.kept = tuple(p.name for p in list_normal_forces(system))
        self.numbers = EquationNumbers(system, state.parameters, kept=self.kept)
        self.names = system.coordinate_names
        self.by, self.parameters = by, state.parameters
        self.values = parameter_values(system, dict(state.parameters), t=state.t)
        sharp = made or formulas(system, by, state.parameters, self.kept)
        signs = frictions(sharp, [f"{name}'" for name in self.names])
        self.formulas = smooth_friction(sharp, signs, settings.slip)
        self.start = placed or place_state(system, state)
        self.rows: list[TrajectoryRow] = []
        self.notes = list(describe_moves(system, self.start))
        self.notes += describe_far(system, [replace(self.start.state, parameters=state.parameters)])
        if signs:
            self.notes.append(friction_told(signs, settings.slip))
        self.stiff = self.smooth = 0
        self.t, self.threshold, self.reference = state.t, RANK, 0.0
        self.last, self.settled = state.t, 0
        self.moving = any(map(_changes, self.formulas.flow)) or bool(find_imposed_accelerations(system))
        energies = self.formulas.energies
        self.rigid = bool(list_rigid(split_elements(system)[0]))
        works = self.moving or self.rigid or any(map(_changes, self.formulas.applied))
        self.balanced = settings.balanced and energies is not None and (works or _changes(energies.explicit))
        q, v = (np.array([x[name] for name in self.names]) for x in (self.start.state.q, self.start.state.v))
        self.y = np.concatenate([q, v, [before.work if before else 0.0] if self.balanced else []])
        self.charts = Charts(system, q, self.formulas, self._smooth)
        self.amounts = list(self._amounts())
        outputs = [*self.formulas.every(), *(amount for _, amount in self.amounts)]
        self.switches = Switches(outputs, self.t, settings.until)
        if self.switches.rows:
            message = f"tables of time have {count(self.switches.rows, 'row')} here: steps do not end at them"
            self.notes.append(Diagnostic("note", "functions", message, "a smaller tolerance, or fewer rows"))
        self.edges = [self.t, *self.switches.times, settings.until]
        if self.rigid and self.method in WITHOUT_IMPACTS:
            message = f"{self.method} is not for models with rigid contacts"
            raise NumbersError(error("method", message, "take dop853, radau or lsoda"))
        self.stretches: dict[tuple[Pattern, tuple[Ball, ...]], Stretch] = {}
        inputs = ("t", *self.names, *(f"{n}'" for n in self.names))
        self.events = Events(settings.events, self.numbers, inputs, self.charts.own)
        sides = tuple(Event(name, formula) for name, formula in list_sides(system))
        self.touches, self.touched = Touches(sides, self.numbers, inputs, self.charts.own), False
        self.crossings = Crossings([*branches(system)])
        self.jumps, self.besides = (
            Events(events, self.numbers, inputs, self.charts.own) for events in self.crossings.events
        )
        self.watch = Watch(*self._watchable(state))
        step = settings.step_out or (settings.until - self.t) / ROWS
        times = self.t + step * np.arange(1 + int((settings.until - self.t) / step * (1 + 1e-12)))
        inner = times[times < settings.until - TOGETHER * step]
        self.times = np.array([*inner, settings.until])  # its end is told, whole steps or not

    def _watchable(self, state: State) -> tuple[Sequence[Omission], Sequence[str], Mapping[str, Any]]:
        """Return omissions, names of coordinates and values of parameters for :class:`.reached.Watch`."""
        given = {**state.parameters, **dict.fromkeys((*self.names, "t"), 0.0)}
        omissions, values = watched(self.system, given)
        return omissions, self.names, values

    def _amounts(self) -> Iterator[tuple[str, Expression]]:
        """Yield pairs of a place and its prescribed position, or constraint function without auxiliary coordinates."""
        for body in self.system.bodies:
            for amount in self.numbers.apply(step.amount for step in body.joint if not step.coordinate):
                yield f"bodies/{body.name}", amount
        known = {*self.names, "t"}
        for row, position in zip(self.formulas.closing.rows, self.formulas.position, strict=True):
            if symbols([position]) <= known:
                yield f"constraints/{row.constraint}", position

    def run(self) -> Trajectory:
        """Compute the trajectory."""
        q = self.y[: len(self.names)].tolist()
        require_continuous(self.switches, self.edges, self.amounts, self.names, q)
        require_smooth_ends(self.amounts, self.t, self.settings.until)
        stopped: Diagnostic | None = None
        try:
            for a, b in pairwise(self.edges):
                stopped = self._run_between(a, b)
                if stopped is not None:
                    break
        except EnoughError as enough:
            stopped = Diagnostic("note", "simulate", f"ended at t = {self.t:.9g}: {enough}")
        except KeyboardInterrupt:
            message = f"interrupted at t = {self.t:.9g}"
            stopped = Diagnostic("warning", "simulate", message, "what was computed is kept: it can be resumed")
        evaluations = sum(s.problem.equations.evaluations for s in self.stretches.values())
        return Trajectory(
            self.system.name, self.names, self.formulas.rows, tuple(self.rows), self.t, stopped,
            (*self.notes, *self.crossings.notes(), *self.charts.notes()), self.method, self.formulas.formalism,
            self.settings.tolerance, evaluations, time.process_time() - self.begun, self.watch.finish(),
            normal_forces=self.kept,
        )  # fmt: skip

    def _stretch(self, a: float, b: float) -> Stretch:
        """Return the equations between two switches, in the current charts, generated once for each pattern."""
        pattern, charts = self.switches.pattern(a, b), self.charts.turned
        if (pattern, charts) not in self.stretches:
            here = self.switches.apply(self.charts.formulas, pattern)
            contacts = None
            if self.rigid:
                from .impacts import RigidContacts  # of what few models have

                contacts = RigidContacts(self.charts.here, self.numbers, self.settings.impacts)
            made = Stretch(self.charts.here, here, self.start, self.moving, self.balanced, contacts)
            self.stretches[pattern, charts] = made
        return self.stretches[pattern, charts].judging(self.threshold)

    def _smooth(self, system: System) -> MotionFormulas:
        """Derive the equations of the system in other coordinates, with smooth friction."""
        sharp = formulas(system, self.by, self.parameters, self.kept)
        return smooth_friction(sharp, frictions(sharp, [f"{name}'" for name in self.names]), self.settings.slip)

    def _rechart(self, before: Stretch, a: float, b: float) -> Stretch:
        """Switch the joints near a singular position to their other charts, and return the equations."""
        self.y = self.charts.enter(self.t, self.y, self.charts.find_near_singular(self.y))
        after = self._stretch(a, b)
        after.follow(before)
        return after

    def _run_between(self, a: float, b: float) -> Diagnostic | None:
        """Run from a to b, between which no formula switches; return why the run stopped on the way, or None."""
        stretch = self._stretch(a, b)
        if a == self.edges[0]:
            if self.charts.find_near_singular(self.y):
                stretch = self._rechart(stretch, a, b)
            self._begin(stretch)
        else:
            before = self._stretch(self.edges[self.edges.index(a) - 1], a)
            stretch.follow(before)
            self._enter(before, stretch)
        try:
            while True:
                self.touched = False
                stop = self._steps(stretch, b)
                if stop is not None or not (self.touched or self.charts.find_near_singular(self.y)):
                    break
                stretch = stretch if self.touched else self._rechart(stretch, a, b)
        except NoInertiaError as singular:
            return self._find_singular(stretch, self.t, self.y) or self._without_inertia(str(singular), self.t)
        except FormalismError as refused:
            message = f"stopped at t = {self.t:.9g}: {self.by.name} takes no other angles: {refused}"
            return error("simulate", message, "take another formalism; what was computed is kept")
        except UnsettledError as unsettled:
            said, remedy = self._describe_state(unsettled), f"{unsettled.remedy}; what was computed is kept"
            return error(unsettled.place, f"stopped at {said}", remedy)
        except StoppedError as stopped:
            press = stretch.problem.equations.normal_forces
            when, why = press.refused if press and press.refused else (np.inf, None)
            if why is not None and abs(when - stopped.t) <= BESIDE * (1 + abs(when)):
                return replace(why, message=f"stopped at t = {stopped.t:.9g}: {why.message}")
            return self._find_singular(stretch, self.t, self.y) or self._stuck(stretch, stopped)
        if stop is None:
            self.t = b
        return stop

    def _steps(self, stretch: Stretch, b: float) -> Diagnostic | None:
        """Run to b, or until a joint comes near the singular position of its chart; return why it stopped, or None."""
        slow = self._is_slow(stretch)
        for step in self._integrator(stretch, slow).steps(self.t, self.y, b):
            if step.back is not None:
                self._back(step.back)
                stretch = stretch.judging(self.threshold)
                continue
            for part in self.charts.follow(step, self.y, stretch.problem.project_state):
                for piece, touch in self._cut(part, stretch.problem):
                    stop = self._find_singular(stretch, piece.end, piece.y) or self._tabulate(stretch, piece)
                    if stop is not None:
                        return stop
                    self.t, self.y = piece.end, piece.y
                    self.charts.pass_state(self.y)
                    if isinstance(touch, ContactEvent):
                        self._settle(stretch, touch.place)
                        self.touched = True
                        break
                    if touch is not None:
                        self._row(stretch, touch.t, touch.y, touch.event.name)
                        self.touched = touch.t < b and self.method in BEGUN_ANEW
                        if self.touched:
                            break
                if self.touched:
                    break
            self._watch(step)
            if self.told is not None:
                self.told(self.t, float(self.y[-1]) if self.balanced else 0.0)
            self.touched |= slow and not self._is_slow(stretch)
            if self.touched or self.charts.find_near_singular(self.y):
                break
        return None

    def _cut(
        self, step: IntegrationStep, problem: IntegrationProblem
    ) -> Iterator[tuple[IntegrationStep, Happened | ContactEvent | None]]:
        """Yield a step in pieces, with the contact, rope or stop that begins or ends to act at the end of each."""
        y = self.y
        while True:
            touch = self.touches.find_first(step, y, problem.project_state)
            first = self._find_contact(problem, step, y)
            if first is not None and (touch is None or first.t <= touch.t):
                self.touches.back(first.t)
                yield replace(step, end=first.t, y=first.y), first
                return
            if touch is None:
                yield step, None
                return
            yield replace(step, end=touch.t, y=touch.y), touch
            step, y = replace(step, start=touch.t), touch.y

    def _find_contact(self, problem: IntegrationProblem, step: IntegrationStep, y: Array) -> ContactEvent | None:
        """Return the first change of a rigid contact in a step from y; None if there is none."""
        between = step.between
        if problem.contacts is None or between is None:
            return None

        def at(t: float) -> Array:
            return problem.project_state(t, between(t))

        found = problem.contacts.find_first(problem, step.start, y, step.end, step.y, at)
        return ContactEvent(found[0], at(found[0]) if found[0] > step.start else y, found[1]) if found else None

    def _settle(self, stretch: Stretch, place: int | None) -> None:
        """Pass an instant at which rigid contacts close or open: rates after impacts, rows of the events."""
        problem = stretch.problem
        assert problem.contacts is not None
        lost, told = problem.contacts.lost, len(problem.contacts.notes)
        self.y, events = problem.contacts.settle(problem, self.t, self.y, place)
        self.reference -= problem.contacts.lost - lost
        self.notes += problem.contacts.notes[told:]
        self.settled = self.settled + 1 if self.t - self.last <= SAME_INSTANT * (1 + abs(self.t)) else 0
        self.last = self.t
        if self.settled > SETTLED:
            remedy = "rigid contacts have no motion there; take a law with a stiffness"
            raise UnsettledError("contacts", f"{SETTLED} events at one instant", remedy)
        for event in events if place is not None or self.before is None else ():
            self._row(stretch, self.t, self.y, event)

    def _find_singular(self, stretch: Stretch, t: float, y: Array) -> Diagnostic | None:
        """Report why the run stops at a state: a turn without another chart is singular, a section turns too far."""
        return self.charts.stuck(t, y, stretch.problem.equations.mass) or self._find_turned_sections(t, y)

    def _without_inertia(self, names: str, t: float | None = None) -> Diagnostic:
        """Report why there are no accelerations along coordinates: a map of these that is singular, or no inertia."""
        n = len(self.names)
        at = dict(zip(self.names, self.y[:n].tolist(), strict=True)) | {"t": self.t}
        found = find_singular_map(self.system, self.values | at)
        if found is None or t is None:
            return found or no_inertia(names, t)
        return replace(found, message=f"stopped at t = {t:.9g}: {found.message}")

    def _find_turned_sections(self, t: float, y: Array) -> Diagnostic | None:
        found = next(iter(beyond(self.system, self.values | dict(zip(self.names, y.tolist(), strict=False)))), None)
        return found and replace(found, message=f"stopped at t = {t:.9g}: {found.message}")

    def _describe_state(self, unsettled: UnsettledError) -> str:
        """Return the time, why nothing follows at contacts, and the state."""
        names = (*self.names, *(f"{name}'" for name in self.names))
        values = self.charts.own(self.y)[: len(names)]
        at = ", ".join(f"{name} = {value:.9g}" for name, value in zip(names, values, strict=True))
        return f"t = {self.t:.12g}: {unsettled}; the state: {at}"

    def _begin(self, stretch: Stretch) -> None:
        """Record the first row, if there is inertia."""
        try:
            stretch.problem.equations.require_inertia(self.t, self.y[: len(self.names)])
        except NoInertiaError as singular:
            found = self._find_singular(stretch, self.t, self.y) or self._without_inertia(str(singular))
            raise NumbersError(found) from None
        self.y = stretch.problem.project_state(self.t, self.y)
        if turned := self._find_turned_sections(self.t, self.y):
            raise NumbersError(turned)
        self.reference = stretch.hamiltonian(self.t, self.y)
        contacts = stretch.problem.contacts
        if contacts is not None:
            contacts.begin(self.t, self.y)
        if (acting := self.touches.begin(self.t, self.y)) and self.before is None:
            message = "it is beyond at the start: it presses or pulls from the start"
            self.notes += (Diagnostic("note", f"contacts/{name}", message, "") for name in acting)
        if self.before is not None:
            self.reference -= self.before.work + self.before.balance
            if contacts is not None:
                contacts.lost = self.before.lost
        self._row(stretch, self.t, self.y)
        row = self.rows[-1]
        if not np.isfinite([*row.a, row.power if self.settings.balanced else 0.0]).all():
            undefined = self._find_undefined(stretch, self.t, self.y)
            if undefined is not None:
                raise NumbersError(undefined)
        if contacts is not None:
            try:
                self._settle(stretch, None)
            except UnsettledError as unsettled:
                found = error(unsettled.place, f"at {self._describe_state(unsettled)}", unsettled.remedy)
                raise NumbersError(found) from None
        self._look(stretch, self.t, self.y)
        if self.method == "auto":
            self.method, why = choose_method(stretch.problem, self.t, self.y, self.settings.until)
            self.notes.append(Diagnostic("note", "method", f"auto chose {self.method}: {why}"))

    def _find_undefined(
        self, stretch: Stretch, t: float, y: Array, ahead: Sequence[float] = ()
    ) -> Diagnostic | None:  # fmt: skip
        """Report what has no number at a state, or soon after it; None if the accelerations have one."""
        problem, count = stretch.problem, 2 * stretch.problem.n
        rate = problem.rate(t, y)
        for h in (0.0, *ahead):
            there = y + h * rate if h else y
            if largest(there - y) > NEAR * (1 + largest(y)):
                break
            if not np.isfinite(problem.rate(t + h, there)).all():
                x, charts = [t + h, *there[:count].tolist()], self.charts
                place, what, remedy = find_undefined(charts.here, charts.formulas, self.numbers, x)
                when = f"stopped at t = {t:.12g}: just after it" if h else f"at t = {t:.12g}"
                kept = "; what was computed is kept" if ahead else ""
                return error(place, f"{when} the accelerations have no number: {what}", remedy + kept)
        return None

    def _look(self, stretch: Stretch, t: float, y: Array) -> None:
        """Add a state to the watch for omissions that the motion may reach."""
        if self.watch.left:
            row = self.charts.to_model_row(stretch.row(t, y, self.reference, ""))
            self.watch.add(t, row.q, row.v, row.a)

    def _is_slow(self, stretch: Stretch) -> bool:
        contacts = stretch.problem.contacts
        return contacts is not None and self.method == DEFAULT and contacts.is_slow(self.y, self.t)

    def _integrator(self, stretch: Stretch, slow: bool) -> Any:
        if self.method == "ida":
            from .implicit import Implicit  # of another package than the others

            return Implicit(stretch.problem, self.settings.tolerance, self._is_needed)
        if self.method in ("lsoda", "cvode"):
            from .explicit import Multistep

            return Multistep(stretch.problem, self.method, self.settings.tolerance, self._is_needed)
        return Explicit(stretch.problem, "radau" if slow else self.method, self.settings.tolerance, self._is_needed)

    def _is_needed(self, t: float, y: Array, after: float, there: Array) -> bool:
        """Return True if any row or event is needed between two states; what jumps makes steps short by itself."""
        wanted = bool(self.charts.turned or self.watch.left or self.touches or self.rigid or self.events)
        return wanted or self._rows_within(t, after).size > 0 or self.jumps.any(t, y, after, there)

    def _rows_within(self, t: float, after: float) -> Array:
        """Return the times of table rows after t, up to another time."""
        first, last = np.searchsorted(self.times, [t, after], side="right")
        return np.asarray(self.times[first:last], dtype=float)

    def _row(self, stretch: Stretch, t: float, y: Array, event: str = "") -> None:
        row = stretch.row(t, y, self.reference, event)
        if not self.settings.balanced:
            row = replace(row, work=np.nan, power=np.nan, balance=np.nan)
        self.rows.append(self.charts.to_model_row(row))

    def _back(self, t: float) -> None:
        """Go back: drop later rows, and judge constraint rows with the fine threshold."""
        while self.rows and self.rows[-1].t > t:
            self.rows.pop()
        self.watch.back(t)
        self.crossings.back(t)
        self.touches.back(t)
        self.threshold = FINE_RANK
        message = f"constraints that almost depend on each other: from t = {t:.9g} on they are told apart finely"
        self.notes.append(Diagnostic("note", "constraints", message))

    def _watch(self, step: IntegrationStep) -> None:
        """Note once that stability, not accuracy, makes the steps of an explicit method short."""
        self.smooth = 0 if step.stiff else self.smooth + 1
        if self.smooth > FEW and self.stiff < MANY:
            self.stiff = 0
        self.stiff += step.stiff
        if step.stiff and self.stiff == MANY:
            length = step.end - step.start
            message = f"{STIFF} from about t = {step.end:.4g} on: its steps are {length:.1e} s"
            remedy = "friction that sticks and stiff springs are for --method lsoda or radau"
            self.notes.append(Diagnostic("note", "simulate", message, remedy))

    def _tabulate(self, stretch: Stretch, step: IntegrationStep) -> Diagnostic | None:
        """Put the rows and events of a step into the table; return why the run stops within the step, or None."""
        happened = self.events.find_in_step(step, self.y, stretch.problem.project_state)
        stop = next((h for h in happened if h.event.stops), None)
        end = step.end if stop is None else stop.t
        for jump in self.jumps.find_in_step(step, self.y, stretch.problem.project_state):
            if jump.t <= end:
                self.crossings.add(jump, self.besides.values(jump.t, jump.y))
        moments: list[tuple[float, Array, str]] = []
        for t in self._rows_within(step.start, end).tolist():
            moments.append((t, step.y if t == step.end or step.between is None else step.between(t), ""))
        moments += [(h.t, h.y, h.event.name) for h in happened if h.t <= end]
        for t, y, name in sorted(moments, key=lambda moment: moment[0]):
            self._row(stretch, t, y, name)
        if step.between is not None and self.watch.left:
            middle = (step.start + end) / 2
            self._look(stretch, middle, step.between(middle))
        self._look(stretch, end, step.y if stop is None else stop.y)
        if stop is None:
            return None
        self.t, self.y = stop.t, stop.y
        message = f"stopped at t = {stop.t:.12g}: {stop.event.name} is zero and changes its sign"
        return Diagnostic("note", "events", message)

    def _enter(self, before: Stretch, behind: Stretch) -> None:
        """Compute the rates after a switch; if prescribed rates jump, they follow from the impulse of the jump.

        M Δq' + Δ(∂T/∂q' of prescribed motions) = Dᵀ Λ, D q' + γ = 0 with the rates after the switch.
        """
        problem, n, t = behind.problem, behind.problem.n, self.t
        q, v = self.y[:n], self.y[n : 2 * n]
        free, metric = problem.equations.free, problem.equations.metric(t, q)
        rates = v.copy()
        rates[free] += metric.upper(metric.lower((before.momenta(t, q) - behind.momenta(t, q))[free]))
        found = problem.projection(t, q, rates, problem.threshold)
        change = found.v - v
        H = before.hamiltonian(t, self.y)
        self.y = np.concatenate([found.q, found.v, self.y[2 * n :]])
        self.reference += behind.hamiltonian(t, self.y) - H
        self._look(behind, t, self.y)
        if largest(change) > SMOOTH * (1 + largest(v)):
            i = int(np.abs(change).argmax())
            message = f"a prescribed motion jumps in its rate at t = {t:.9g}: its impulse changes the rates"
            self.notes.append(
                Diagnostic("warning", "simulate", f"{message}, that of {self.names[i]} by {change[i]:.6g}")
            )
            self._row(behind, t, self.y, "impulse")

    def _stuck(self, stretch: Stretch, stopped: StoppedError) -> Diagnostic:
        """Report why no step is possible: what is fast, and which constraint is least satisfied."""
        projection, n = stretch.problem.projection, stretch.problem.n
        self.t = stopped.t
        while len(self.rows) > 1 and self.rows[-1].gap > OPEN:
            self.rows.pop()
        undefined = self._find_undefined(stretch, stopped.t, stopped.y, AHEAD)
        if undefined is not None:
            return undefined
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
    """Return True unless a formula is the number zero."""
    return formula.op != "num" or bool(formula.data)


def no_inertia(names: str, t: float | None = None) -> Diagnostic:
    """Return the error that coordinates have no inertia, so that there are no accelerations along them."""
    when = "" if t is None else f" at t = {t:.9g}"
    message = describe_singular(names, when)
    remedy = f"give the bodies it moves a mass or an inertia, impose its acceleration by a drive, or {CLOSER}"
    return error(f"coordinates/{names.split(',')[0]}", message, remedy)
