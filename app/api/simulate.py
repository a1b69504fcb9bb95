"""Motion of a model in time, as a table that displays, draws and saves itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbconcord.converters.registry import run_defaults
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.contact import omit_rigid, split_elements
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.kinematics import KinematicQuantity
from mbconcord.model.limits import html_table
from mbconcord.model.numbers import has_varying, watched
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import KW_ONLY, dataclass, field, fields, replace
from mbconcord.reports.animation.page import AnimatedMotion
from mbconcord.reports.animation.times import States as Times
from mbconcord.reports.description import units
from mbconcord.reports.extras import optional
from mbconcord.reports.plots.motion import motion_figure, motion_plot
from mbconcord.reports.summary import list_conditions
from mbconcord.simulation.motion.trajectory import (
    DEFAULT,
    IMPACTS,
    LOST,
    PACKAGES,
    SCALARS,
    SLIP,
    Trajectory,
    TrajectoryRow,
    name_columns,
    quickest,
)
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.left_out import LeftOut
from mbconcord.validation.judge.trial import plausible
from mbconcord.validation.witnesses.evaluated import check_numbers, choose_places

from .actuated import actuate_along
from .animate import DRAWN, Animation, judged_page, with_total
from .evaluate import FREE_MOTION, find_normal_forces, report_given
from .files import write
from .joint_forces import forces_along
from .kinematics import kinematics_along, read_along
from .request import ModelRequest, list_names, require, takes
from .source import Model, Source, locate_errors
from .states import RESULTS, States, is_result, one_state
from .tables import read_table, write_table

if TYPE_CHECKING:
    from pandas import DataFrame

#: Rows of a table in a notebook.
SHOWN: Final = 12
#: Largest number of dead points that a message names.
NAMED: Final = 3
#: Rows that a table may have.
MOST_ROWS: Final = 1_000_000
#: The tolerance of a step where none is given.
TOLERANCE: Final = 1e-9
#: Number of times of a run at which masses that vary are checked.
INSTANTS: Final = 101


@dataclass(frozen=True, repr=False)
class Simulation(Trajectory):
    """A motion, a row for each time; :meth:`to_frame` is the table of pandas.

    ``stopped`` says why the run ended early, None if it did not; ``last`` is the state from which a run may continue.
    ``model`` is the simulated model, ``parameters`` the values that were given for the run; ``witnesses`` are the
    comparisons of the numbers with witnesses, empty unless requested.
    """

    model: System = field(default_factory=lambda: System("", ()))
    parameters: Mapping[str, float] = field(default_factory=dict)
    witnesses: tuple[Comparison, ...] = ()

    @cached_property
    def left_out(self) -> LeftOut:
        """Forces and inertias that act on the motion and that the model lacks; a stop acts if the motion passes it."""
        if not self.found or not self.model.omissions:
            return LeftOut(self.model.omissions)
        from mbconcord.simulation.motion.reached import find_instants

        symbols = dict.fromkeys((*self.coordinates, "t"), 0.0)
        omissions, values = watched(self.model, {**self.parameters, **symbols})
        reached = find_instants(omissions, self, values, self.passed)
        if self.passed is not None:  # a run has the forces of rigid elements
            own = {o.place for o in omit_rigid(split_elements(self.model)[0])}
            left = [i for i, o in enumerate(omissions) if o.place not in own]
            reached = {k: reached[i] for k, i in enumerate(left) if i in reached}
            omissions = tuple(omissions[i] for i in left)
        return LeftOut.from_motion(omissions, reached)

    def __repr__(self) -> str:
        without = self.left_out.without
        return f"{super().__repr__()[:-1]}{without and f', {without}'}>"

    def as_states(self) -> Mapping[str, Any]:
        """Return the columns of the table and the parameters by name: a form of states that other functions take."""
        return {**self.parameters, **dict(self._columns())}

    def _repr_html_(self) -> str:
        table = self.to_frame()
        step = max(1, len(table) // SHOWN)
        columns = [c for c in table.columns if not c.startswith(RESULTS) and c != "event"]
        rows = ([f"{x:.6g}" for x in row] for row in table[columns][::step].itertuples(index=False))
        said = [*self.diagnostics, *([self.stopped] if self.stopped else [])]
        return html_table(repr(self)[1:-1], columns, rows, [*list_conditions(self.left_out), *map(str, said)])

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the table (.csv; .parquet) or a drawing of the motion (.svg; .html), chosen by the suffix.

        Raises
        ------
        MbconcordError
            Another suffix; a package that is not installed; the file cannot be written. If only a part of a table fits
            on the disk, that part is kept in another file, which the message names.
        """
        path = Path(fspath(file))
        if path.suffix == ".svg":
            return write(path, motion_plot(self, units(self.model)).encode("utf-8"))
        if path.suffix == ".html":
            return self.animate().save(path)
        return write_table(path, self.to_frame())

    def plot(self) -> Any:
        """Plot coordinates, rates and energies over time: a figure of matplotlib.

        Raises
        ------
        MbconcordError
            matplotlib, of the extra ``[plot]``, is not installed.
        """
        return motion_figure(self, units(self.model))

    def animate(self) -> Animation:
        """Make a page that plays the motion, shown in notebooks and saved by :meth:`Animation.save`."""
        how = f"By {self.formalism}, {self.method}, tolerance {self.tolerance:g}; {self.evaluations:,} evaluations."
        said = [*self.diagnostics, *([self.stopped] if self.stopped else [])]
        energies = {name: [getattr(row, name) for row in self.found] for name in DRAWN}
        states = Times(self.t, self.q, self.v, self.a)
        heading = f"Motion of {self.system}"
        remarks = [how, *list_conditions(self.left_out), *map(str, said)]
        motion = AnimatedMotion(
            states, heading, remarks, self.parameters, with_total(energies), [row.event for row in self.found]
        )
        html, more, judged = judged_page(self.model, motion)
        return Animation(self.system, len(self.found), html, (*said, *more), self.left_out, judged)


@dataclass(frozen=True)
class SimulateRequest(ModelRequest):
    """Options of :func:`simulate`, documented there."""

    until: float | None = None
    _: KW_ONLY
    q: States | None = None
    v: States | None = None
    t: float | None = None
    formalism: str | Formalism | None = None
    method: str | None = None
    tolerance: float | None = None
    step_out: float | None = None
    slip: float = SLIP
    impacts: str = IMPACTS[0]
    events: str | Iterable[str] = ()
    stops: str | Iterable[str] = ()
    motion: DataFrame | str | PathLike[str] | None = None
    driven: str | Sequence[str] | None = None
    actuated: str | Sequence[str] | None = None
    forces: bool = False
    quantities: str | Sequence[str] = ()
    witness: bool = True
    resume: Trajectory | DataFrame | str | PathLike[str] | None = None
    progress: Callable[[float, float, float], None] | None = None


@takes(SimulateRequest)
def simulate(model: Model, request: SimulateRequest) -> Simulation:
    """Simulate a model in time: ``M q'' + h = gravity + applied + Dᵀ λ`` with constraints, from a state to an end.

    A start off the constraints is moved onto them. A keyboard interrupt ends the run and keeps its results.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    until : the end, s; not with a motion, which has its own. In a folder of Universal Mechanism ``last.icf`` supplies
        the end, method, tolerance and step that are not given; a note among ``diagnostics`` names them
    q, v, t : the start, as for :func:`mbconcord.evaluate`: positions, rates, seconds; missing values are the model's
    formalism : formalism whose equations are used; None: one that solves the model fastest
    method : ``dop853``, explicit; ``radau``, implicit, for stiff models; ``lsoda``, implicit while the motion is stiff,
        for friction that sticks; ``cvode``, of SUNDIALS, if evaluations are expensive; ``ida``, of SUNDIALS, for stiff
        models away from singular positions; ``auto``, ``lsoda`` for models that are stiff at the start, else ``dop853``
        (None: ``dop853``)
    tolerance : of a step, relative and absolute, m and rad; None: 1e-9
    step_out : time between rows of the table, s, the last of which is the end; None: 200 such intervals
    slip : speed below which dry friction, a ``sign`` of rates, slips instead of jumping: v/√(v² + slip²), m/s or rad/s
    impacts : where several impacts at once have results that depend on their order: ``refuse`` ends the run,
        ``simultaneous`` and ``sequential`` take one of them
    events : formulas of coordinates ``z1``, rates ``z1'`` and ``t``, such as ``"z1 - 0.5"``: a row where one changes
        its sign
    stops : formulas like those of ``events``; the run ends where one changes its sign
    motion : a table of a given motion, or its file: ``t``, coordinates, and optionally their rates ``z1'`` and
        accelerations ``z1''``. Then nothing is integrated: the result is the efforts of the drives and the reactions
        along it
    driven : the driven coordinates of that table; None: all of them
    actuated : coordinates, or parameters in which the applied forces are linear, whose efforts move the driven
        coordinates as given, as many as these: columns ``effort[z1]``; None: efforts act along the driven coordinates
    forces : whether the table has columns of the forces in joints and at cuts: ``joint_forces[body, Fx]`` …, in the
        axes of the bodies, about their origins
    quantities : kinematic quantities of :func:`mbconcord.evaluate` for which the table has columns, one for each entry:
        ``velocity(hand)[x]``, ``kinetic_energy``
    resume : the result of an earlier run of the model, or the file of its table: it continues from the last row
    witness : let witnesses judge the results; a disagreement is an error among ``diagnostics``
    progress : called now and then with the current time, that of the start and the end
    parameters : parameter values for the model
    physics : treatment of physically impossible masses and inertias; None: that of the format's record
    format : of the file, if its name does not determine it

    Returns
    -------
    Simulation

    Raises
    ------
    FormalismError
        The formalism does not take the model, and why.
    NumbersError
        No state near the start satisfies the constraints; a parameter has no value; a given motion jumps (and when).
    MbconcordError
        SciPy, of the extra ``[sim]``, is not installed.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z°90 -j1 $1 [0,0,0] g9.81-y", format="mbsd")
    >>> motion = mbconcord.simulate(pendulum, 1.0, tolerance=1e-11)
    >>> motion.to_frame()["z1"].iloc[-1].round(8)
    np.float64(-1.4050002)
    """
    found = request.source(model).plausible()
    request, taken = take_defaults(found, request)
    with locate_errors(found, request.q):
        start = one_state(found.system, request.q, request.v, request.t, "a motion starts from one")
        if request.actuated is not None and request.motion is None:
            raise NumbersError(error("actuated", "nothing is driven without a motion", "give one"))
        if (request.motion is None) == (request.until is None):
            raise NumbersError(error("until", "give the end of a simulation, or a motion", "one of both"))
        asked = read_along(found.system, list_names(request.quantities))
        go = _follow if request.until is None else _integrate
        made = go(found, start, request, asked)
    return replace(made, diagnostics=(*taken, *made.diagnostics)) if taken else made


def take_defaults(found: Source, request: SimulateRequest) -> tuple[SimulateRequest, tuple[Diagnostic, ...]]:
    """Return the request with open options filled from settings in the model's folder, or by defaults; and a note.

    Raises
    ------
    ReadError, NumbersError
        The file of settings cannot be read, or contains wrong settings.
    """
    given = {name: getattr(request, name) for name in ("until", "step_out", "tolerance", "method")}
    free = [name for name, value in given.items() if value is None and request.motion is None]
    run = run_defaults(found.folder) if free else None
    own = {name: value for name in free if (value := getattr(run, name, None)) is not None}
    fixed = {name: value for name, value in given.items() if value is not None}
    settled = replace(request, **{"method": DEFAULT, "tolerance": TOLERANCE, **own, **fixed})
    theirs = run.settings.get("method", "") if run is not None and "method" in free else ""
    said = [f"{name} {value:g}{' s' if name != 'tolerance' else ''}" for name, value in own.items() if name != "method"]
    if theirs:
        said.append(
            f"method {theirs}, here {settled.method}{'' if 'method' in own else ', as it is none of those seen'}"
        )
    if run is None or not said:
        return settled, ()
    return settled, (
        Diagnostic("note", "simulate", f"{run.file} says: {', '.join(said)}", "what is given goes before"),
    )


def _follow(
    found: Source, start: State, request: SimulateRequest, asked: Mapping[str, KinematicQuantity]
) -> Simulation:
    """Compute efforts and reactions along the given motion of a table, with the columns that the request adds."""
    table = _table(request.motion)
    _require_packages()
    from mbconcord.simulation.motion.prescribed import follow_prescribed
    from mbconcord.validation.witnesses.runs.run import along_checked, judge

    from .tables import given_motion

    require_ranges(found.system)
    given = given_motion(table, found.system, None if request.driven is None else list_names(request.driven))
    names = list_names(request.actuated or ())
    sought = {p.name: 0.0 for p in found.system.parameters if p.name in names}
    given_numbers = {name: x for name, x in start.parameters.items() if name not in names}
    start = replace(start, parameters={**start.parameters, **sought})
    by = _formalism(request.formalism, found.system)
    require(by, found.system)
    witnesses: tuple[Comparison, ...] = ()
    if request.witness:
        made, witnesses = along_checked(found.system, by, start, given)
    else:
        made = follow_prescribed(found.system, by, start, given)
    if names:
        made, witnesses = _actuate(found.system, by, start, made, witnesses, request, given.driven, names)
    elif request.forces:
        made, witnesses = _with_forces(found.system, by, start, made, witnesses, request, given.driven)
    made, witnesses = _with_quantities(found.system, by, start, made, witnesses, request.witness, asked)
    kept = {name: x for name, x in start.parameters.items() if name not in names}
    if request.witness and kept != given_numbers:
        why = "the motion has other numbers of parameters than those given"
        witnesses = (*witnesses, Comparison("table", "the request", "parameters", "disagrees", explanation=why))
    made = replace(made, diagnostics=(*made.diagnostics, *judge(witnesses)))
    return replace(_locate_findings(found, made, start), witnesses=witnesses)


def _with_forces(
    system: System, by: Formalism, start: State, made: Trajectory, witnesses: tuple[Comparison, ...],
    request: SimulateRequest, driven: Sequence[str] = (),
) -> tuple[Trajectory, tuple[Comparison, ...]]:  # fmt: skip
    """Add the forces in joints and at cuts to the rows of a motion, and their comparisons to the others."""
    forces, said, compared = forces_along(system, _states_of(made, start), by, driven)
    made = replace(made, forces=forces, diagnostics=(*made.diagnostics, *said))
    return made, (*witnesses, *(compared if request.witness else ()))


def _with_quantities(
    system: System, by: Formalism, start: State, made: Trajectory, witnesses: tuple[Comparison, ...], witness: bool,
    asked: Mapping[str, KinematicQuantity],
) -> tuple[Trajectory, tuple[Comparison, ...]]:  # fmt: skip
    """Add kinematic quantities to the rows of a motion, and their comparisons to the others."""
    if not asked or not made.found:
        return made, witnesses
    columns, said, compared = kinematics_along(system, _states_of(made, start), by, asked, witness)
    return replace(made, quantities=columns, diagnostics=(*made.diagnostics, *said)), (*witnesses, *compared)


def _states_of(made: Trajectory, start: State) -> list[State]:
    """Return the states of the rows of a motion."""
    q, v, a = ([dict(zip(made.coordinates, x, strict=True)) for x in y.tolist()] for y in (made.q, made.v, made.a))
    given = [
        {**start.parameters, **dict(zip(made.normal_forces, row.normal_forces, strict=False))} for row in made.found
    ]
    rows = zip(made.t.tolist(), q, v, a, given, strict=True)
    return [State(t, own, rates, rest, parameters) for t, own, rates, rest, parameters in rows]


def _actuate(
    system: System, by: Formalism, start: State, made: Trajectory, witnesses: tuple[Comparison, ...],
    request: SimulateRequest, driven: Sequence[str], names: Sequence[str],
) -> tuple[Trajectory, tuple[Comparison, ...]]:  # fmt: skip
    """Replace efforts along driven coordinates by those along actuated ``names``; solve for multipliers with these.

    So are joint forces. At dead points, where the efforts do not act on the driven coordinates, all are NaN.
    """
    from mbconcord.validation.witnesses.runs.made import EQUATIONS

    states = [replace(s, a={name: s.a[name] for name in driven}) for s in _states_of(made, start)]
    u, moving, places = actuate_along(system, states, by, driven, names)
    dead = sorted({*range(len(states))} - {*places})
    if moving is None:
        message = f"the effort along {', '.join(names)} acts on {', '.join(driven)} at none of the rows"
        raise NumbersError(error(f"actuated/{names[0]}", message, "name another coordinate"))
    said = list(moving.findings)
    if dead:
        when = ", ".join(f"{made.t[i]:.6g}" for i in dead[:NAMED]) + (" and later" if len(dead) > NAMED else "")
        message = f"does not act on {', '.join(driven)} at t = {when}: dead points, without efforts and reactions"
        said.append(Diagnostic("warning", f"actuated/{names[0]}", f"the effort along {', '.join(names)} {message}"))
    motion = by.constrained_motion(moving.system, moving.states) if system.constraints else None
    multipliers = np.full((len(states), len(motion.rows) if motion else 0), np.nan)
    numbers = {"acceleration": moving.acceleration}
    if motion:
        multipliers[places] = motion.multipliers
        numbers |= {"D": motion.D, "lambda": motion.multipliers, "reactions": motion.reactions}
    rows = tuple(replace(row, multipliers=x) for row, x in zip(made.found, multipliers, strict=True))
    forces: dict[str, Array] = {}
    compared = list(check_numbers(moving.system, by.name, moving.states, numbers))
    if request.forces:
        full = [moving.accelerate([i])[0] for i in range(len(places))]
        found, more, judged = forces_along(moving.system, full, by)
        said += more
        compared += judged
        for name, values in found.items():
            forces[name] = np.full(len(states), np.nan)
            forces[name][places] = values
    made = replace(
        made, rows=motion.rows if motion else (), found=rows, actuated=dict(zip(names, u.T, strict=True)),
        forces=forces, diagnostics=(*made.diagnostics, *said),
    )  # fmt: skip
    kept = tuple(c for c in witnesses if c.quantity != EQUATIONS)
    return made, (*kept, *compared) if request.witness else witnesses


def _integrate(
    found: Source, start: State, request: SimulateRequest, asked: Mapping[str, KinematicQuantity]
) -> Simulation:
    """Integrate a model's motion and record its provenance."""
    system, before = found.system, _rows_before(request.resume, found.system)
    _require_packages(request.method or DEFAULT)
    from mbconcord.simulation.motion.events import Event
    from mbconcord.simulation.motion.run import RunSettings
    from mbconcord.simulation.motion.run import simulate as run
    from mbconcord.validation.witnesses.runs.run import judge, run_checked

    until, method, tolerance = request.until, request.method, request.tolerance
    assert until is not None and method is not None and tolerance is not None
    require_ranges(system)
    if has_varying(system):  # masses are positive as long as the run goes on
        times = np.linspace(start.t, until, INSTANTS)
        plausible(system, [replace(start, t=float(x)) for x in times], found.physics)
    if before:
        last = before[-1]
        names = system.coordinate_names
        q, v = (dict(zip(names, x.tolist(), strict=True)) for x in (last.q, last.v))
        start = State(last.t, q, v, {}, start.parameters)
    _require(request, until, start)
    by = _formalism(request.formalism, system)
    require(by, system)
    given = tuple(report_given(system, [start]))
    normals = find_normal_forces(system, [replace(start, a={})], by, FREE_MOTION, witness=False)
    start = normals.states[0] if normals else start
    wanted = tuple(
        Event(text, _formula(text, system), stops)
        for stops, texts in ((False, request.events), (True, request.stops))
        for text in list_names(texts)
    )
    settings = RunSettings(
        until, method, tolerance, request.step_out, wanted, slip=request.slip, impacts=request.impacts
    )
    tell, begun = request.progress, start.t
    told = None if tell is None else lambda t, _: tell(t, begun, until)
    last_row = before[-1] if before else None
    witnesses: tuple[Comparison, ...] = ()
    if request.witness:
        made, witnesses = run_checked(system, by, start, settings, told, last_row)
    else:
        made = run(system, by, start, settings, told, last_row)
    if normals and request.witness:
        witnesses += _judge_normal_forces(system, by, start, made, request.slip)
    made = replace(made, found=(*before, *made.found[1:]) if before else made.found)
    if request.forces:
        made, witnesses = _with_forces(system, by, start, made, witnesses, request)
    made, witnesses = _with_quantities(system, by, start, made, witnesses, request.witness, asked)
    said = (*given, *made.diagnostics, *judge(witnesses))
    own = {name: x for name, x in start.parameters.items() if name not in made.normal_forces}
    start = replace(start, parameters=own)
    return replace(_locate_findings(found, replace(made, diagnostics=said), start), witnesses=witnesses)


def _judge_normal_forces(
    system: System, by: Formalism, start: State, made: Trajectory, slip: float
) -> tuple[Comparison, ...]:
    """Compare the normal forces at some rows with those that other formalisms' reactions give there."""
    from mbconcord.validation.witnesses.runs.made import smooth_signs

    rows = [row for row in made.found if np.isfinite(row.a).all()]
    rows = [rows[i] for i in choose_places(len(rows))]
    given = {n: x for n, x in start.parameters.items() if n not in made.normal_forces}
    states = [replace(x, a={}, parameters=given) for x in _states_of(replace(made, found=tuple(rows)), start)]
    shown = np.array([row.normal_forces for row in rows])
    found = find_normal_forces(smooth_signs(system, slip), states, by, FREE_MOTION, shown=shown) if rows else None
    return found.comparisons if found else ()


def _table(table: DataFrame | str | PathLike[str] | None) -> Any:
    return read_table(Path(fspath(table))) if isinstance(table, str | PathLike) else table


def _require_packages(method: str = DEFAULT) -> None:
    for package in ("scipy", "threadpoolctl", *PACKAGES.get(method, ())):
        optional(package, "sim", "simulation")


def _locate_findings(found: Source, made: Trajectory, start: State) -> Simulation:
    """Return a run as a Simulation with its model and parameters; its findings get places in the model's file."""
    warned = tuple(d for d in found.diagnostics if d.severity != "note")
    made = replace(made, diagnostics=tuple(map(found.locate, (*warned, *made.diagnostics))))
    run_of = {each.name: getattr(made, each.name) for each in fields(made)}
    return Simulation(**run_of, model=found.system, parameters=start.parameters)


def _require(request: SimulateRequest, until: float, start: State) -> None:
    """Refuse an end, tolerance, output step, slip speed or method with which nothing can be integrated."""
    assert request.tolerance is not None and request.method is not None
    findings = []
    for name, value in (
        ("until", until),
        ("tolerance", request.tolerance),
        ("step_out", request.step_out),
        ("slip", request.slip),
    ):
        if value is not None and not np.isfinite(value):
            findings.append(error(name, f"{value} is not a finite number", "give seconds, for example 10"))
    if until <= start.t:
        findings.append(error("until", f"the end {until:g} s is not after the start {start.t:g} s", "give a later end"))
    if not 1e-14 <= request.tolerance <= 1e-1:
        findings.append(error("tolerance", f"found {request.tolerance:g}", "1e-14 to 0.1; 1e-9 is usual"))
    if not 1e-9 <= request.slip <= 1e3:
        findings.append(error("slip", f"found {request.slip:g}", "1e-9 to 1000; 0.001 is usual"))
    if request.step_out is not None and not request.step_out > 0:
        findings.append(error("step_out", f"found {request.step_out:g} s", "give a positive step, for example 0.01"))
    elif request.step_out is not None and (until - start.t) / request.step_out > MOST_ROWS:
        message = f"found {request.step_out:g} s: that is more than {MOST_ROWS:,} rows"
        findings.append(error("step_out", message, "give a longer step"))
    if request.method not in PACKAGES:
        findings.append(error("method", f"there is no method {request.method!r}", among(request.method, PACKAGES)))
    if request.impacts not in IMPACTS:
        findings.append(error("impacts", f"found {request.impacts!r}", among(request.impacts, IMPACTS)))
    if findings:
        raise NumbersError(findings)


def _formalism(asked: str | Formalism | None, system: System) -> Formalism:
    """Return the requested formalism; without a request the one that solves the model fastest."""
    if isinstance(asked, Formalism):
        return asked
    return quickest(system) if asked is None else registry.formalism(asked)


def _formula(text: str, system: System) -> Expression:
    return parse_formula(text, file="events", functions=[f.name for f in system.functions])


def _rows_before(resume: Any, system: System) -> tuple[TrajectoryRow, ...]:
    """Return the rows of the run that ``resume`` continues, from its result, its table or the table's file."""
    if resume is None:
        return ()
    if isinstance(resume, Trajectory):
        return resume.found
    return rows_of(_table(resume), system)


def rows_of(table: DataFrame, system: System) -> tuple[TrajectoryRow, ...]:
    """Convert the table of an earlier run back to its rows.

    Raises
    ------
    NumbersError
        A column is missing or belongs to another model, or there is no row.
    """
    names = system.coordinate_names
    label = name_columns(names)
    wanted = ["t", *(f"{n}{dot}" for dot in ("", "'", "''") for n in names), *(label[name] for name in SCALARS)]
    missing = [name for name in wanted if name not in table.columns]
    if missing or not len(table):
        what = f"the table has no column {missing[0]!r}" if missing else "the table has no rows"
        raise NumbersError(error("resume", what, "give what simulate has written of this model"))
    others = [str(c) for c in table.columns if c not in wanted and not is_result(str(c))]
    if others:
        what = f"the table has the column {others[0]!r}: it is of another model"
        raise NumbersError(error("resume", what, "give what simulate has written of this model"))
    blocks = [table[[f"{n}{dot}" for n in names]].to_numpy(dtype=float) for dot in ("", "'", "''")]
    multipliers = table[[c for c in table.columns if c.startswith("lambda[")]].to_numpy(dtype=float)
    scalars = table[["t", *(label[name] for name in SCALARS)]].to_numpy(dtype=float)
    told = table[label["event"]].tolist() if label["event"] in table.columns else [""] * len(table)
    events = [x if isinstance(x, str) else "" for x in told]
    fields: list[list[Any]] = [
        [t, q, v, a, m, *more, event]
        for (t, *more), q, v, a, m, event in zip(scalars, *blocks, multipliers, events, strict=True)
    ]
    lost = table[LOST].tolist() if LOST in table.columns else [0.0] * len(table)
    return tuple(replace(TrajectoryRow(*row), lost=x) for row, x in zip(fields, lost, strict=True))
