"""Thousands of motions of a model at once: Runge-Kutta's fourth order over arrays of states, on the constraints."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from math import fsum
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.operands import ResultArray
from mbconcord.kernels.routine import Pass, Repeat, Routine
from mbconcord.model.checks.physics import Policy
from mbconcord.model.contact import add_elements, add_rows, list_rigid, split_elements
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, MbconcordError, NumbersError, Severity, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import ONE, TIME, number, rate, symbol
from mbconcord.model.limits import count, frame, line
from mbconcord.model.numbers import known_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.reports.description import units
from mbconcord.reports.plots.motion import QUARTILES as LABELS
from mbconcord.reports.plots.motion import fan_figure, fan_page, fan_plot
from mbconcord.reports.summary import list_conditions
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.motion.trajectory import SLIP
from mbconcord.simulation.rows import constraint_rows
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.judge.left_out import LeftOut
from mbconcord.validation.witnesses.screen import read_fan

from .compiling.closed import SOUND
from .compiling.closing import GAP, TURN, Closing, regularity
from .compiling.compile import compile
from .compiling.compiled import Compiled
from .compiling.direct import find_operands
from .files import write
from .request import require_kinds
from .source import Model, source
from .states import States, read_states
from .tables import write_table

if TYPE_CHECKING:
    from pandas import DataFrame

#: Default number of times that a motion is kept at.
ROWS: Final = 101
#: Largest number of steps of a motion.
MOST_STEPS: Final = 10_000_000
#: Largest number of moves of positions onto the constraints in a step; part of its terms at which moving stops.
TURNS, CLOSED = 4, 1e-12
#: Number of motions compared with simulate's; its tolerance; allowed multiple of the step difference; absolute part.
COMPARED, TOLERANCE, BEYOND, ROOM = 3, 1e-10, 10.0, 1e-7
#: Runge-Kutta's table, which witnesses the steps written out: for each stage time and weights of slopes; final weights.
PARTS: Final = ((0.0, ()), (0.5, (0.5,)), (0.5, (0.0, 0.5)), (1.0, (0.0, 0.0, 1.0)))
WEIGHTS: Final = (1 / 6, 1 / 3, 1 / 3, 1 / 6)
#: Stages of a step as machine code runs them: weight of the slope, part of the step from the start to the next stage.
STAGES: Final = ((1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0))
#: Names of further numbers of a step; largest number of motions whose first two steps are compared with the table's.
STEP, STEPS, NUMBER = "length of a step", "number of steps", "number of the step"
WEIGHT, NEXT = "weight of a slope", "part of a step"
FIRST: Final = 12
#: Parts of the motions that are below the columns of a table; end of what is said of motions that were compared.
QUARTILES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
ALONGSIDE: Final = f"compared with simulate's at {TOLERANCE:g}"
#: Tolerance of the difference from half as many steps: as a part of itself, and of the state.
ALIKE, ROUNDED = 0.01, 1e-10
#: Part of a motion's largest coordinate or rate from which its difference from half as many steps is a warning.
FAR = 1e-3


@dataclass(frozen=True, repr=False)
class Ensemble:
    """Motions of n states over N coordinates, at k times.

    Attributes
    ----------
    system, formalism, backend : the model; names of the formalism that gave the equations and of what evaluated them
    t (k,) : times, s
    q, v (k, n, N) : positions and rates; NaN from the time at which a motion could not go on
    difference (n,) : largest difference at the end from the motion of twice the step, in positions and rates; NaN if
        one of both does not reach the end
    gap (n,) : largest violation of a constraint on positions on the way; zeros without constraints
    step : length of the steps, s
    diagnostics : motions that stopped, and the result of the comparison with ``simulate``
    left_out : omissions of the model that act on the motions; stops and contacts act if a row passes them
    """

    system: System
    formalism: str
    backend: str
    t: Array
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    difference: Array = field(repr=False)
    gap: Array = field(repr=False)
    step: float
    diagnostics: tuple[Diagnostic, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut, repr=False)

    def __repr__(self) -> str:
        errors = [d for d in self.diagnostics if d.severity == "error"]
        return line(
            "Ensemble", f"of {self.system.name} by {self.formalism}", count(self.q.shape[1], "motion"),
            f"t = {self.t[0]:g} to {self.t[-1]:g} s in steps of {self.step:g} s", self.backend,
            f"difference from half as many steps {self.distance}",
            count(len(errors), "error") if errors else "", self.left_out.without,
        )  # fmt: skip

    @property
    def has_comparison(self) -> bool:
        """True if motions were compared with those of ``simulate``."""
        return any(d.message.endswith(ALONGSIDE) for d in self.diagnostics)

    @property
    def farthest(self) -> float:
        """Largest difference from half as many steps, of motions that reach the end; NaN if one has none."""
        ended = self.difference[_find_ended(self.q, self.v)]
        return float(ended.max()) if len(ended) else np.nan

    @property
    def distance(self) -> str:
        """Text of the largest difference from half as many steps."""
        return "not known" if np.isnan(self.farthest) else f"{self.farthest:.2g} at most"

    def motions(self) -> Iterator[tuple[str, Array]]:
        """Yield each coordinate and rate with its values (k, n)."""
        for mark, values in (("", self.q), ("'", self.v)):
            for i, name in enumerate(self.system.coordinate_names):
                yield name + mark, values[:, :, i]

    def end(self) -> dict[str, tuple[float, float, float]]:
        """Return least, mean and largest value of each coordinate and rate at the end, of motions that reach it."""
        found = ((name, x[-1][np.isfinite(x[-1])]) for name, x in self.motions())
        return {name: (float(x.min()), fsum(x / len(x)), float(x.max())) for name, x in found if len(x)}

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table: the quartiles and the ends of every coordinate and rate at each time."""
        columns: dict[str, Any] = {"t": self.t}
        for name, found in self._quartiles().items():
            columns |= {f"{name} {label}": x for label, x in zip(LABELS, found, strict=True)}
        return frame((dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)), [*columns])

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the table (.csv; .parquet) or a picture of the quartiles over time (.svg; .html), by the suffix.

        Raises
        ------
        DisagreementError
            The picture shows other quartiles than the motions have.
        MbconcordError
            Another suffix; a package that is not installed; the file cannot be written.
        """
        path = Path(fspath(file))
        if path.suffix not in (".svg", ".html"):
            return write_table(path, self.to_frame())
        drawn = fan_plot(self._title, self.t, self._quartiles(), units(self.system))
        read = read_fan(self.formalism, drawn, self.system, self.t, dict(self.motions()))
        if wrong := list(contradict([read], "ensemble")):
            raise DisagreementError(wrong)
        if path.suffix == ".html":
            far = f"At the end, from half as many steps: {self.distance}"
            remarks = (far, *list_conditions(self.left_out), *map(str, self.diagnostics))
            drawn = fan_page(self._title, remarks, drawn)
        return write(path, drawn.encode("utf-8"))

    def plot(self) -> Any:
        """Plot the quartiles of every coordinate and rate over time: a figure of matplotlib.

        Raises
        ------
        MbconcordError
            matplotlib, of the extra ``[plot]``, is not installed.
        """
        return fan_figure(self._title, self.t, self._quartiles(), units(self.system))

    @property
    def _title(self) -> str:
        made = f"{self.formalism}, steps of {self.step:g} s"
        return f"{count(self.q.shape[1], 'motion')} of {self.system.name}: {made}"

    def _quartiles(self) -> dict[str, Array]:
        """Return quartiles and ends (5, k) of each coordinate and rate, of the motions that still go on."""
        with catch_warnings():
            simplefilter("ignore", RuntimeWarning)  # no motion may be left
            return {name: np.nanquantile(values, QUARTILES, axis=1) for name, values in self.motions()}


@require_kinds
def ensemble(
    model: Model,
    states: States,
    until: float,
    step: float,
    *,
    parameters: Mapping[str, ArrayLike] | None = None,
    rows: int = ROWS,
    formalism: str | Formalism | None = None,
    backend: str = "auto",
    slip: float = SLIP,
    witness: bool = True,
    physics: Policy | None = None,
    format: str | None = None,
) -> Ensemble:
    """Integrate many motions of a model at once, by steps of one length.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    states : starts, as of :func:`mbconcord.evaluate`: (n, 2N) of positions, then rates, or by names
    until, step : end and length of the steps, s; ``until`` is an even number of steps
    parameters : values by name, numbers or arrays (n,): one for each motion
    rows : largest number of times that are kept, evenly spaced
    formalism, backend : as for :func:`mbconcord.compile`
    slip : speed below which dry friction slips instead of jumping, as of :func:`mbconcord.simulate`
    witness : whether some of the motions are compared with :func:`mbconcord.simulate`, which needs the extra ``[sim]``
    physics, format : as of :func:`mbconcord.read`

    Returns
    -------
    Ensemble
        Motions, and for each the difference from the motion of twice the step, which indicates its error.

    Raises
    ------
    NumbersError
        Steps that do not fit; a machine whose positions cannot be kept on the constraints without the coordinates of
        its cut joints.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z j-2 $3 g9.81", format="mbsd")
    >>> many = mbconcord.ensemble(pendulum, [[0.5, 0.0], [1.5, 0.0]], until=1.0, step=0.01)
    >>> many.q[-1].round(4).tolist()
    [[-0.2843], [0.2049]]
    """
    steps = _count_steps(until, step, rows)
    found = source(model, format, physics, None).plausible()
    system = found.system
    smooth, noted = _smooth_friction(system, slip)
    wanted = ("acceleration", SOUND) if system.constraints else ("acceleration",)
    made = compile(replace(found, system=smooth), wanted, formalism, backend, physics=physics)
    at = read_states(system, states, parameters=parameters)
    values, at = made._values(at)
    start = [
        np.stack([np.broadcast_to(values[x + m], (at.count,)) for x in made.coordinates], axis=-1) for m in ("", "'")
    ]
    own = (
        np.stack([np.broadcast_to(values[x], (at.count,)) for x in made.parameters], axis=-1)
        if made.parameters
        else None
    )
    stepper = _Stepper(made, own)
    stepper.compare(start, step)
    keep = max(1, -(-steps // (rows - 1)))
    kept = [*range(0, steps, keep), steps]
    q, v, gap = stepper.run(start[0], start[1], step, steps, kept)
    coarse = stepper.run(start[0], start[1], 2 * step, steps // 2, [steps // 2])
    over = np.logical_or.accumulate(~(np.isfinite(q) & np.isfinite(v)).all(axis=-1))
    q[over], v[over] = np.nan, np.nan  # numbers that overflow are no motion
    last = np.concatenate([q[-1], v[-1]], axis=-1)
    other = np.concatenate([coarse[0][-1], coarse[1][-1]], axis=-1)
    with np.errstate(invalid="ignore"):
        difference = np.abs(last - other).max(axis=-1, initial=0.0)
    difference[~np.isfinite(difference)] = np.nan
    said = [*noted, *_report_stopped(q), *_report_starts(start, (q[0], v[0]), values["t"])]
    said += _report_far(q, v, difference)
    t = step * np.array(kept)
    if witness:
        chosen = _choose(q, v)
        without, motions = _omit_rigid(system), stepper.only(chosen)
        said += _compare(
            without, slip, motions, made, start, values, t, chosen, (q, v), difference, gap, step
        )  # fmt: skip
    left_out = _find_left_out(system, made, values, t, q, v)
    return Ensemble(system, made.formalism, made.backend, t, q, v, difference, gap, step, tuple(said), left_out)


def _find_left_out(system: System, made: Compiled, values: Mapping[str, Any], t: Array, q: Array, v: Array) -> LeftOut:
    """Return omissions of the model that act on the motions: of stops and contacts those that a motion passes."""
    times = np.repeat(t, q.shape[1])
    rows = {name: np.tile(np.broadcast_to(values[name], q.shape[1:2]), len(t)) for name in made.parameters}
    for mark, x in (("", q), ("'", v)):
        rows |= {f"{name}{mark}": x[:, :, i].ravel() for i, name in enumerate(made.coordinates)}
    return LeftOut.at_states(system, {**rows, "t": times}, times=times.tolist())


def _count_steps(until: float, step: float, rows: int) -> int:
    """Return the number of steps; refuse one that is not a whole even number, or fewer than two rows."""
    if not step > 0 or not until > 0 or not np.isfinite(until):
        raise NumbersError(error("step", f"found until = {until} and step = {step}", "give both in seconds, above 0"))
    if not until / step <= MOST_STEPS:
        message = f"until = {until:g} s takes {until / step:.1g} steps of {step:g} s, expected {MOST_STEPS:.0e} at most"
        raise NumbersError(error("step", message, "take longer steps, or an earlier end"))
    steps = round(until / step)
    if abs(steps * step - until) > 1e-9 * until or steps < 2 or steps % 2:
        close = max(2, 2 * round(until / step / 2))
        message = f"until = {until:g} s is not an even number of steps of {step:g} s"
        raise NumbersError(
            error("step", message, f"for example step={until / close:.9g}, which makes {count(close, 'step')}")
        )
    if rows < 2:
        raise NumbersError(error("rows", f"found {rows}", "2 or more"))
    return steps


class _Stepper:
    """Steps of a compiled model's motions as one routine; n motions at once."""

    def __init__(self, made: Compiled, parameters: Array | None) -> None:
        self._made, self._closed = made, made._closed
        steps = Closing(made._closed, CLOSED, TURNS).compile(made) if made._closed else None
        self._closing = steps.give(parameters) if steps else None
        names, system = made.coordinates, made.system
        routine = Routine(tuple(self._passes()), (*names, *(f"{x}'" for x in names), GAP))
        used = routine.symbols - {*routine.made} | {NUMBER}
        operands = find_operands(system, used, known_values(system), ("q", "v"), (STEP, STEPS, NUMBER, TURN))
        results = ResultArray("q", (len(names),)), ResultArray("v", (len(names),)), ResultArray(GAP, ())
        self._function = ArrayFunction(operands, results, routine, made.backend, made._options)
        self._given = {} if parameters is None else {"parameters": parameters}

    def _passes(self) -> Iterator[Pass | Repeat]:
        """Yield the passes of steps of Runge and Kutta's fourth order, each with its moves onto the constraints."""
        made, expand = self._made, self._made._expand
        accelerations: Any = made._formula("acceleration")
        if self._closed:
            sound: Any = made._formula(SOUND)
            accelerations = [a * regularity(sound, self._closed.sound) for a in accelerations]
        names = (*made.coordinates, *(f"{x}'" for x in made.coordinates))
        point, start, total = ([symbol(f"{x}{mark}") for x in names] for mark in ("", " at the start", " in all"))
        slopes = expand([*map(rate, made.coordinates), *accelerations])
        step, number_, weight, part = map(symbol, (STEP, NUMBER, WEIGHT, NEXT))
        sums = [x + weight * k for x, k in zip(total, slopes, strict=True)]
        moved = [x + part * step * k for x, k in zip(start, slopes, strict=True)]
        stage = (*sums, *moved, step * number_ + part * step)
        places = (*(x.data for x in total), *names, TIME.data)
        begin = Pass(
            (*point, step * number_), (*(x.data for x in start), TIME.data), (), tuple((x.data, 0.0) for x in total)
        )
        stages = (Pass(stage, places, (), ((WEIGHT, w), (NEXT, p))) for w, p in STAGES)
        ended = [x + step / number(6) * y for x, y in zip(start, total, strict=True)]
        end = Pass((*ended, number_ + ONE, step * (number_ + ONE)), (*names, NUMBER, TIME.data))
        onto = self._closing.passes(expand, symbol(GAP)) if self._closing else ()
        yield Pass((number_,), (NUMBER,), (), ((GAP, 0.0),))
        yield Repeat((begin, *stages, end, *onto), STEPS)

    def only(self, chosen: Sequence[int]) -> _Stepper:
        """Return a copy of this stepper for some of the motions."""
        other = copy(self)
        other._given = {name: x[chosen] for name, x in self._given.items()}
        if other._closing and (own := other._closing.parameters) is not None:
            other._closing = other._closing.give(own[chosen])
        return other

    def run_by_table(self, start: Array, step: float, steps: int) -> list[Array]:
        """Integrate by Runge-Kutta's table; return positions and rates (2, n, N) at the start and after every step."""
        found, y = [start], start
        with np.errstate(all="ignore"):
            for n in range(steps + 1):
                if self._closing:
                    y = np.stack(self._closing(y[0], y[1], step * n)[:2])
                if n:
                    found.append(y)
                slopes: list[Array] = []
                for part, row in PARTS if n < steps else ():
                    q, v = y + step * sum((a * k for a, k in zip(row, slopes, strict=True)), np.zeros(y.shape))
                    slopes.append(np.stack([v, np.broadcast_to(self._at(step * (n + part), q, v), v.shape)]))
                y = y + step * sum((b * k for b, k in zip(WEIGHTS, slopes, strict=False)), np.zeros(y.shape))
        return found

    def run(self, q: Array, v: Array, step: float, steps: int, kept: Sequence[int]) -> tuple[Array, Array, Array]:
        """Integrate, and return positions and rates (k, n, N) after the kept steps, and the largest gap (n,)."""
        if self._closing:
            q, v, *_ = self._closing(q, v, 0.0)
        found, gap, done = list[tuple[Array, Array]](), np.zeros(len(q)), 0
        given: dict[str, Any] = self._given | {STEP: step, TURN: float(TURNS)}
        for n in kept:
            if n > done:
                given |= {"q": q, "v": v, NUMBER: float(done), STEPS: float(n - done)}
                q, v, off = *(np.empty(q.shape, order="F") for _ in "qv"), np.empty(len(q))
                with np.errstate(all="ignore"):
                    self._function(**{o.name: given[o.name] for o in self._function.operands}, out=(q, v, off))
                gap, done = np.fmax(gap, off), n
            found.append((q, v))
        return *(np.stack([x[i] for x in found]) for i in (0, 1)), gap  # type: ignore[return-value]

    def compare(self, start: Sequence[Array], step: float) -> None:
        """Compare the first two steps of some motions with those by the table.

        Raises
        ------
        DisagreementError
            A difference is larger than rounding explains, or a motion goes on that the table ends.
        """
        some = self.only([*range(min(FIRST, len(start[0])))])
        at = np.stack([x[:FIRST] for x in start])
        known, found = some.run_by_table(at, step, 2)[-1], np.stack(some.run(at[0], at[1], step, 2, [2])[:2])[:, 0]
        size = np.fmax(1.0, np.abs(known).max(axis=(0, 2), initial=0.0, keepdims=True))
        off = np.where(np.isfinite(found), np.abs(found - known) / size, 0.0)
        if not (off <= ROOM).all():
            message = f"two steps are {np.max(off):.2g} of the state from those by their table"
            raise DisagreementError(error("witness/steps", message, "do not use these numbers"))

    def _at(self, t: float, q: Array, v: Array) -> Array:
        operands: dict[str, Any] = {"q": q, "v": v, "t": t, **self._given}
        arrays = self._made.arrays
        found = arrays(**{o.name: operands[o.name] for o in arrays.operands})
        if self._closed is None:
            return np.asarray(found)
        a, sound = found
        return np.where(sound[..., None] == self._closed.sound, a, np.nan)


def _report_stopped(q: Array) -> Iterator[Diagnostic]:
    """Yield an error if motions stopped: how many, and the first."""
    stopped = np.flatnonzero(~np.isfinite(q[-1]).all(axis=-1))
    if stopped.size:
        first = count(len(stopped), "motion")
        message = f"{first} of {q.shape[1]} could not go on, the first is number {stopped[0]}: a number is none"
        remedy = "mbconcord.simulate of its start says where and why"
        yield Diagnostic("error", "states", message, remedy)


def _report_starts(start: Sequence[Array], begun: Sequence[Array], t: Array) -> Iterator[Diagnostic]:
    """Yield a warning if starts were moved onto the constraints: how many, and how far; or if they have times."""
    size = np.maximum(1.0, np.abs(np.concatenate(start, axis=-1)).max(axis=-1, initial=0.0))
    moves = [np.abs(x - y).max(axis=-1, initial=0.0) for x, y in zip(start, begun, strict=True)]
    if moved := int((np.maximum(*moves) > ROUNDED * size).sum()):
        far = ", ".join(f"{what} by {np.nanmax(x):.3g}" for what, x in zip(("positions", "rates"), moves, strict=True))
        message = f"{count(moved, 'start')} of {len(size)} moved onto the constraints: {far} at most"
        yield Diagnostic("warning", "states", message, "mbconcord.assemble moves states before")
    if np.any(t):
        yield Diagnostic("warning", "states", "times of the states are not taken: motions begin at t = 0")


def _report_far(q: Array, v: Array, difference: Array) -> Iterator[Diagnostic]:
    """Yield an error if motions have no difference from half as many steps, and a warning if it is large."""
    whole = np.concatenate([q, v], axis=-1)[:, ended := _find_ended(q, v)]
    found, size = difference[ended], np.abs(whole).max(axis=(0, 2), initial=0.0)
    kinds: tuple[tuple[Severity, Array, str], ...] = (
        ("error", np.isnan(found), "is not reached by half as many steps"),
        ("warning", found > FAR * size + ROOM, f"is more than {FAR:.1%} from that of half as many steps"),
    )
    for severity, wrong, how in kinds:
        if wrong.any():
            first, several = np.flatnonzero(ended)[wrong][0], count(int(wrong.sum()), "motion")
            message = f"the end of {several} of {q.shape[1]} {how}, first number {first}"
            yield Diagnostic(severity, "step", message, "take smaller steps")


def _find_ended(q: Array, v: Array) -> Array:
    """Return (n,) where motions reach the end."""
    return np.asarray(np.isfinite(q[-1]).all(axis=-1) & np.isfinite(v[-1]).all(axis=-1))


def _choose(q: Array, v: Array) -> list[int]:
    """Choose the motions to compare with ``simulate``: the first, middle and last of those that reach the end."""
    ended = np.flatnonzero(_find_ended(q, v))
    places = np.linspace(0, len(ended) - 1, COMPARED).astype(int).tolist() if len(ended) else []
    return [int(ended[i]) for i in dict.fromkeys(places)]


def _smooth_friction(system: System, slip: float) -> tuple[System, list[Diagnostic]]:
    """Return a model whose dry friction slips as in ``simulate``, and a note if it has any."""
    from mbconcord.validation.witnesses.runs.made import smooth_signs  # not before: it needs what integrates

    if not 1e-9 <= slip <= 1e3:
        raise NumbersError(error("slip", f"found {slip:g}", "1e-9 to 1000; 0.001 is usual"))
    smooth = smooth_signs(system, slip)
    message = f"dry friction jumps at rest: v/sqrt(v^2 + s^2) stands for sign(v), s = {slip:g} (m/s, rad/s)"
    said = Diagnostic("note", "friction", message, "steps longer than it takes to stop cannot follow it")
    return (smooth, [said]) if smooth != system else (system, [])


def _omit_rigid(system: System) -> System:
    """Return a model without its rigid contacts, ropes and stops, whose impacts only ``simulate`` has."""
    elements, forces, points, constraints = split_elements(system)
    if not (rigid := list_rigid(elements)):
        return system
    kept = [x for x in elements if x not in rigid]
    forces, points = add_elements(kept, forces, points)
    return replace(system, forces=forces, points=points, constraints=add_rows(kept, constraints))


def _find_open(system: System, parameters: Mapping[str, float], rows: Array, t: Array) -> float:
    """Return the largest violation of constraints on positions at all rows but the first, without cut joints."""
    if not system.constraints:
        return 0.0
    names = system.coordinate_names
    states = [
        State(time, dict(zip(names, row, strict=False)), parameters=parameters)
        for time, row in zip(t[1:].tolist(), rows[1:].tolist(), strict=True)
    ]
    at = RowsAtStates(constraint_rows(system), system, states)
    found = at.positions(at.q)
    cut = (found.D[:, :, at.rows.own :] != 0).any(axis=(0, 2))
    return float(np.abs(found.f[:, ~cut]).max(initial=0.0))


def _compare(
    system: System, slip: float, stepper: _Stepper, made: Compiled, start: Sequence[Array],
    values: Mapping[str, Any], t: Array, chosen: Sequence[int], rows: tuple[Array, Array], difference: Array,
    gap: Array, step: float,
) -> Iterator[Diagnostic]:  # fmt: skip
    """Compare some motions with ``simulate``, their differences with the table's, their gaps; yield what is found.

    ``simulate`` has another method, steps and projection, and begins where the motion does. The differences from half
    as many steps are computed again by Runge-Kutta's table.
    """
    from .simulate import simulate  # not before: it needs the extra [sim]

    kept = np.rint(t / step).astype(int).tolist()
    coarse = stepper.run_by_table(np.stack([x[chosen] for x in start]), 2 * step, kept[-1] // 2)
    even, compared = [r for r, n in enumerate(kept) if n % 2 == 0], 0
    for place, i in enumerate(chosen):
        own = {name: float(np.broadcast_to(values[name], (len(difference),))[i]) for name in made.parameters}
        ours = np.concatenate([x[:, i] for x in rows], axis=-1)
        state = dict(zip((x + dot for dot in ("", "'") for x in made.coordinates), ours[0].tolist(), strict=True))
        off = np.array([np.abs(ours[r] - coarse[kept[r] // 2][:, place].ravel()).max(initial=0.0) for r in even])
        size = max(1.0, np.abs(ours).max(initial=0.0))
        if not abs(off[-1] - difference[i]) <= ALIKE * off[-1] + ROUNDED * size and np.isfinite(off[-1]):
            message = f"motion {i} is {difference[i]:.2g} from half as many steps, and {off[-1]:.2g} by their table"
            yield Diagnostic("error", "witness", message, "do not use these numbers")
        if not (left := _find_open(system, own, ours, t)) <= gap[i] + CLOSED:
            message = f"positions of motion {i} are open by {left:.2g}, and its gap is {gap[i]:.2g}"
            yield Diagnostic("error", "witness", message, "do not use these numbers")
        end, between = float(t[-1]), float(t[1])
        try:
            run = simulate(
                system, q=state, until=end, step_out=between, tolerance=TOLERANCE, slip=slip, parameters=own,
                witness=False,
            )  # fmt: skip
        except MbconcordError as problem:
            yield Diagnostic("note", "witness", f"motion {i} is not compared with simulate's: {problem}")
            continue
        if run.stopped is not None:
            message = f"motion {i} is not compared with simulate's, which ends at {run.reached:g} s"
            yield Diagnostic("note", "witness", message)
            continue
        rest = {round(row.t / step): np.array([*row.q, *row.v]) for row in run.found if not row.event}
        grown = [*np.maximum.accumulate(off)[:-1].tolist(), difference[i]]
        if not system.constraints:
            grown[0] = 0.0  # both begin at the start as it is given
        for r, n in enumerate(kept):
            most = BEYOND * grown[bisect_left(even, r)] + ROOM * size
            apart = float(np.abs(ours[r] - rest.get(n, ours[r])).max(initial=0.0))
            if not apart <= most and np.isfinite(most):
                message = f"motion {i} at {t[r]:g} s is {apart:.2g} from simulate's, twice the step explains {most:.2g}"
                remedy = "do not use these numbers: take smaller steps, or simulate"
                yield Diagnostic("error", "witness", message, remedy)
                break
        compared += bool(np.isfinite(grown[-1]) and kept[-1] in rest)
    if compared:
        yield Diagnostic("note", "witness", f"{count(compared, 'motion')} {ALONGSIDE}")
    elif not chosen:
        yield Diagnostic("note", "witness", "not compared: no motion reaches the end")
