"""Motion of a model in time, as a table that shows, draws and saves itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.ranges import require_ranges
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.elastic.turns import beyond
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.numbers import parameter_values
from mbconcord.model.shown import html_table
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.reports.animation.page import Motion, page
from mbconcord.reports.animation.times import States as Times
from mbconcord.reports.description import units
from mbconcord.reports.extras import optional
from mbconcord.reports.plots.motion import motion_plot
from mbconcord.simulation.motion.choice import quickest
from mbconcord.simulation.motion.methods import DEFAULT, PACKAGES, SLIP
from mbconcord.simulation.motion.trajectory import SCALARS, Row, Trajectory

from .animate import DRAWN, Animation, with_total
from .models import Model, Parameters, source
from .obstacles import require
from .source import Source, located
from .states import States, given
from .tables import read_table, write_table
from .writing import write

if TYPE_CHECKING:
    from pandas import DataFrame

#: Rows of a table in a notebook.
SHOWN: Final = 12
#: Rows that a table may have.
MOST_ROWS: Final = 1_000_000


@dataclass(frozen=True, repr=False)
class Simulation(Trajectory):
    """A motion, a row for each time; :meth:`to_frame` is the table of pandas.

    ``stopped`` says why it ended before its time, None where it did not; ``last`` is the state from which it goes on.
    ``model`` is what moves, with ``parameters`` that have no value in it.
    """

    model: System = field(default_factory=lambda: System("", ()))
    parameters: Mapping[str, float] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        table = self.to_frame()
        step = max(1, len(table) // SHOWN)
        columns = [c for c in table.columns if not c.startswith("lambda[") and c != "event"]
        rows = ([f"{x:.6g}" for x in row] for row in table[columns][::step].itertuples(index=False))
        said = [*self.diagnostics, *([self.stopped] if self.stopped else [])]
        return html_table(repr(self)[1:-1], columns, rows, map(str, said))

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the table (.csv; .parquet) or a drawing of the motion (.svg; .html), told by the suffix.

        Raises
        ------
        MbconcordError
            Another suffix; a package that is not installed; the file cannot be written. Of a table of which a part
            fits on the disk that part is kept beside it, and where is said.
        """
        path = Path(fspath(file))
        if path.suffix == ".svg":
            return write(path, motion_plot(self, units(self.model)).encode("utf-8"))
        if path.suffix == ".html":
            return self.animate().save(path)
        return write_table(path, self.to_frame())

    def animate(self) -> Animation:
        """A page that plays the motion, which a notebook shows and :meth:`Animation.save` writes."""
        how = f"By {self.formalism}, {self.method}, tolerance {self.tolerance:g}; {self.evaluations:,} evaluations."
        said = [*self.diagnostics, *([self.stopped] if self.stopped else [])]
        energies = {name: [getattr(row, name) for row in self.found] for name in DRAWN}
        states = Times(self.t, self.q, self.v, self.a)
        heading = f"Motion of {self.system}"
        motion = Motion(states, heading, [how, *map(str, said)], self.parameters, with_total(energies))
        return Animation(self.system, len(self.found), page(self.model, motion), tuple(said))


def simulate(
    model: Model,
    until: float | None = None,
    *,
    q: States | None = None,
    v: States | None = None,
    t: float | None = None,
    formalism: str | Formalism | None = None,
    method: str = DEFAULT,
    tolerance: float = 1e-9,
    step_out: float | None = None,
    slip: float = SLIP,
    events: Iterable[str] = (),
    stops: Iterable[str] = (),
    motion: DataFrame | str | PathLike[str] | None = None,
    driven: Sequence[str] | None = None,
    resume: Trajectory | DataFrame | str | PathLike[str] | None = None,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> Simulation:
    """The motion of a model in time: ``M q'' + h = gravity + applied + Dᵀ λ`` with constraints, from a state to an end.

    The start is moved onto the constraints where it is off them. An interrupt from the keyboard ends the run and keeps
    what there is.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    until : the end, s; not with a motion, which has its own
    q, v, t : the start, as for :func:`mbconcord.evaluate`: positions, rates, seconds; what is missing is the model's
    formalism : by whose equations; None: one that solves the model fastest
    method : ``dop853``, explicit; ``radau``, implicit, for stiff models; ``lsoda``, stiff where the motion is, for
        friction that sticks; ``cvode``, of SUNDIALS, where evaluations are dear; ``ida``, of SUNDIALS, for stiff models
        away from singular positions
    tolerance : of a step, relative and absolute, m and rad
    step_out : between rows of the table, s, the last of which is the end; None: 200 of them
    slip : speed below which dry friction, a ``sign`` of rates, slips instead of jumping: v/√(v² + slip²), m/s or rad/s
    events : formulas of coordinates ``z1``, rates ``z1'`` and ``t``, such as ``"z1 - 0.5"``: a row where one changes
        its sign
    stops : the same; the run ends there
    motion : a table of a motion that is given, or its file: ``t``, coordinates, and their rates ``z1'`` and
        accelerations ``z1''`` where they are known. Then nothing is integrated: the result is the efforts of the
        drives and the reactions along it
    driven : which coordinates of that table are driven; None: all of them
    resume : what an earlier run of the model has found, or the file of its table: it goes on from the last row
    parameters : values that shall be in the model
    physics : what is made of masses and inertias that no body has; None: what the format's record says
    format : of the file, where its name does not tell

    Returns
    -------
    Simulation

    Raises
    ------
    FormalismError
        The formalism does not take the model, and why.
    NumbersError
        No state near the start satisfies the constraints; a parameter without value; a motion that jumps, and when.
    MbconcordError
        SciPy, of the extra ``[sim]``, is not installed.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read_text("z°90 -j1 $1 [0,0,0] g9.81-y", format="mbsd")
    >>> motion = mbconcord.simulate(pendulum, 1.0, tolerance=1e-11)
    >>> motion.to_frame()["z1"].iloc[-1].round(8)
    np.float64(-1.4050002)
    """
    found = source(model, format, physics, parameters).plausible()
    with located(found):
        start = _start(found.system, q, v, t)
        if (motion is None) == (until is None):
            raise NumbersError(error("until", "give the end of a simulation, or a motion", "one of both"))
    if motion is not None:
        table = read_table(Path(fspath(motion))) if isinstance(motion, str | PathLike) else motion
        return followed(found, start, table, driven, formalism)
    assert until is not None
    request = Request(
        until, formalism, method, tolerance, step_out, tuple(events), tuple(stops), _before(resume, found.system),
        slip,
    )  # fmt: skip
    return simulated(found, start, request)


@dataclass(frozen=True)
class Request:
    """What is asked of a run; see :func:`simulate`. ``before`` are the rows of a run that goes on."""

    until: float
    formalism: str | Formalism | None = None
    method: str = DEFAULT
    tolerance: float = 1e-9
    step_out: float | None = None
    events: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    before: tuple[Row, ...] = ()
    slip: float = SLIP


def followed(
    found: Source,
    start: State,
    table: DataFrame,
    driven: Sequence[str] | None = None,
    formalism: str | Formalism | None = None,
) -> Simulation:
    """Efforts and reactions along the motion of a table."""
    _require_packages()
    from mbconcord.simulation.motion.prescribed import along

    from .given.prescribed import given_motion

    with located(found):
        require_ranges(found.system)
        given = given_motion(table, found.system, driven)
        by = _formalism(formalism, found.system)
        require(by, found.system)
        return _located(found, along(found.system, by, start, given), start)


def simulated(
    found: Source, start: State, request: Request, told: Callable[[float], None] | None = None
) -> Simulation:
    """:func:`simulate` of a model with what is known of where it came from."""
    _require_packages(request.method)
    from mbconcord.simulation.motion.events import Event
    from mbconcord.simulation.motion.run import Settings
    from mbconcord.simulation.motion.run import simulate as run

    system = found.system
    with located(found):
        require_ranges(system)
        if request.before:
            last = request.before[-1]
            names = system.coordinate_names
            q, v = (dict(zip(names, x.tolist(), strict=True)) for x in (last.q, last.v))
            start = State(last.t, q, v, {}, start.parameters)
        _require(request, start)
        by = _formalism(request.formalism, system)
        require(by, system)
        wanted = tuple(
            Event(text, _formula(text, system), stops)
            for stops, texts in ((False, request.events), (True, request.stops))
            for text in texts
        )
        settings = Settings(
            request.until, request.method, request.tolerance, request.step_out, wanted, slip=request.slip
        )  # fmt: skip
        before = request.before[-1] if request.before else None
        made = run(system, by, start, settings, told, before)
    rows = (*request.before, *made.found[1:]) if request.before else made.found
    made = replace(made, found=rows)
    return _located(
        found, replace(made, diagnostics=(*made.diagnostics, *_beyond(system, made, start))), start
    )


def _beyond(system: System, made: Trajectory, start: State) -> Iterator[Diagnostic]:
    """Warnings of sections of elastic bodies that were turned beyond what their equations hold for."""
    given = dict(zip(system.coordinate_names, made.q.T, strict=True))
    for finding in beyond(system, parameter_values(system, dict(start.parameters)) | given):
        yield replace(finding, severity="warning")


def _require_packages(method: str = DEFAULT) -> None:
    for package in ("scipy", "threadpoolctl", *PACKAGES.get(method, ())):
        optional(package, "sim", "simulation")


def _located(found: Source, made: Trajectory, start: State) -> Simulation:
    """With places in the model's file, and the model with its numbers."""
    warned = tuple(d for d in found.diagnostics if d.severity != "note")
    made = replace(made, diagnostics=tuple(map(found.locate, (*warned, *made.diagnostics))))
    run_of = {each.name: getattr(made, each.name) for each in fields(made)}
    return Simulation(**run_of, model=found.system, parameters=start.parameters)


def _require(request: Request, start: State) -> None:
    """Refuse what cannot be integrated."""
    findings = []
    for name, value in (
        ("until", request.until),
        ("tolerance", request.tolerance),
        ("step_out", request.step_out),
        ("slip", request.slip),
    ):
        if value is not None and not np.isfinite(value):
            findings.append(error(name, f"{value} is not a finite number", "give seconds, for example 10"))
    if request.until <= start.t:
        findings.append(
            error(
                "until",
                f"the end {request.until:g} s is not after the start {start.t:g} s",
                "give a later end",
            )
        )
    if not 1e-14 <= request.tolerance <= 1e-1:
        findings.append(error("tolerance", f"found {request.tolerance:g}", "1e-14 to 0.1; 1e-9 is usual"))
    if not 1e-9 <= request.slip <= 1e3:
        findings.append(error("slip", f"found {request.slip:g}", "1e-9 to 1000; 0.001 is usual"))
    if request.step_out is not None and not request.step_out > 0:
        findings.append(
            error("step_out", f"found {request.step_out:g} s", "give a positive step, for example 0.01")
        )
    elif request.step_out is not None and (request.until - start.t) / request.step_out > MOST_ROWS:
        message = f"found {request.step_out:g} s: that is more than {MOST_ROWS:,} rows"
        findings.append(error("step_out", message, "give a longer step"))
    if request.method not in PACKAGES:
        findings.append(
            error("method", f"there is no method {request.method!r}", among(request.method, PACKAGES))
        )
    if findings:
        raise NumbersError(findings)


def _formalism(asked: str | Formalism | None, system: System) -> Formalism:
    """The formalism that is asked for, or the quickest."""
    if isinstance(asked, Formalism):
        return asked
    return quickest(system) if asked is None else registry.formalism(asked)


def _formula(text: str, system: System) -> Expression:
    return parse_formula(text, file="events", functions=[f.name for f in system.functions])


def _start(system: System, q: States | None, v: States | None, t: ArrayLike | None) -> State:
    at = given(system, q, v, None, t, None)
    if at.count != 1:
        raise NumbersError(error("q", f"{at.count} states were given", "a motion starts from one"))
    return at.states()[0]


def _before(resume: Any, system: System) -> tuple[Row, ...]:
    """The rows of a run that goes on."""
    if resume is None:
        return ()
    if isinstance(resume, Trajectory):
        return resume.found
    table = read_table(Path(fspath(resume))) if isinstance(resume, str | PathLike) else resume
    return rows_of(table, system)


def rows_of(table: DataFrame, system: System) -> tuple[Row, ...]:
    """The rows of a table that a run has made.

    Raises
    ------
    NumbersError
        A column is missing, or there is no row.
    """
    names = system.coordinate_names
    wanted = ["t", *(f"{n}{dot}" for dot in ("", "'", "''") for n in names), *SCALARS]
    missing = [name for name in wanted if name not in table.columns]
    if missing or not len(table):
        what = f"the table has no column {missing[0]!r}" if missing else "the table has no rows"
        raise NumbersError(error("resume", what, "give what simulate has written of this model"))
    known = {*wanted, "event"}
    others = [str(c) for c in table.columns if c not in known and not str(c).startswith("lambda[")]
    if others:
        what = f"the table has the column {others[0]!r}: it is of another model"
        raise NumbersError(error("resume", what, "give what simulate has written of this model"))
    blocks = [table[[f"{n}{dot}" for n in names]].to_numpy(dtype=float) for dot in ("", "'", "''")]
    multipliers = table[[c for c in table.columns if c.startswith("lambda[")]].to_numpy(dtype=float)
    scalars = table[["t", *SCALARS]].to_numpy(dtype=float)
    told = table["event"].tolist() if "event" in table.columns else [""] * len(table)
    events = [x if isinstance(x, str) else "" for x in told]
    fields: list[list[Any]] = [
        [t, q, v, a, m, *more, event]
        for (t, *more), q, v, a, m, event in zip(scalars, *blocks, multipliers, events, strict=True)
    ]
    return tuple(Row(*row) for row in fields)
