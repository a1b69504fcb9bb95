"""Animations: pages that play the motion of a run, of a table of states, or of arrays of states."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.model.diagnostics import Diagnostic, DisagreementError, NumbersError, WriteError, among, error
from mbconcord.model.limits import count, format_names, line
from mbconcord.model.numbers import environment
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import KW_ONLY, dataclass, field
from mbconcord.reports.animation.page import AnimatedMotion, page
from mbconcord.reports.animation.times import States as Times
from mbconcord.reports.description import units
from mbconcord.reports.summary import list_conditions
from mbconcord.simulation.motion.trajectory import ENERGIES, Trajectory, name_columns
from mbconcord.validation.judge.comparison import contradict, note_unchecked
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.left_out import LeftOut
from mbconcord.validation.witnesses.tracks import check_page

from .files import write
from .request import ModelRequest, takes
from .source import Model, Source, locate_errors
from .states import GivenNumbers, States, Table, read_states

#: Height of an animation in a notebook, pixels.
HEIGHT: Final = 760
#: Amplitude, seconds and number of frames of each joint's movement if no states are given.
SWINGS: Final = {"rad": 0.5, "m": 0.1}
SECONDS_OF_A_JOINT, FRAMES_OF_A_JOINT = 2.0, 24
#: Names of a run's energies that are drawn, in their order.
DRAWN: Final = ENERGIES[:3]


@dataclass(frozen=True, repr=False)
class Animation:
    """A self-contained page that plays a motion: :meth:`save` writes it, a notebook shows it.

    Attributes
    ----------
    system : name of the model
    frames : number of given states
    html : text of the page
    diagnostics : remarks on the states and on the page
    left_out : omissions of the model that act on the motion
    comparisons : what is drawn, with the model's fields
    """

    system: str
    frames: int
    html: str = field(repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut, repr=False)
    comparisons: tuple[Comparison, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return line(
            "Animation",
            f"of {self.system}",
            count(self.frames, "state"),
            f"{len(self.html) // 1000:,} kB",
            self.left_out.without,
        )

    def _repr_html_(self) -> str:
        text = escape(self.html)
        return (
            f'<iframe srcdoc="{text}" title="{escape(self.system)}, animated" width="100%" height="{HEIGHT}" '
            'style="border:0"></iframe>'
        )

    def save(self, file: str | PathLike[str]) -> Path:
        """Write the page.

        Raises
        ------
        WriteError
            The suffix is not .html; the file cannot be written.
        """
        path = Path(fspath(file))
        if path.suffix != ".html":
            raise WriteError(error(str(path), f"an animation has no suffix {path.suffix!r}", "name a .html"))
        return write(path, self.html.encode("utf-8"))


@dataclass(frozen=True)
class AnimateRequest(ModelRequest):
    """Options of :func:`animate`, documented there."""

    q: States | None = None
    _: KW_ONLY
    t: ArrayLike | None = None
    title: str | None = None


@takes(AnimateRequest)
def animate(model: Model, request: AnimateRequest) -> Animation:
    """Make a page that plays states of a model over time: a motion of another program, of a test rig, a mode.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    q : the states, as for :func:`mbconcord.evaluate`. In a table (a DataFrame, a mapping) the column ``t`` has the
        times; missing coordinates stay at the initial state, and other columns are not drawn: both are reported. None:
        each joint of a tree in turn moves by half a radian or a tenth of a metre and back; a closed model shows its
        initial position alone; a note says that this is no motion of the model
    t : times (n,), s, if q does not contain them
    title : the heading of the page
    parameters, physics, format : as for :func:`mbconcord.evaluate`

    Returns
    -------
    Animation

    Raises
    ------
    NumbersError
        There are no times, or they go back; a state is not made of numbers.
    DisagreementError
        A point is drawn elsewhere than the model's fields say.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z°90 -j1 $1 [0,0,0] g9.81-y", format="mbsd")
    >>> mbconcord.animate(pendulum, {"t": [0, 1, 2], "z1": [0.0, 0.5, 0.0]}, title="swing").frames
    3
    """
    found, q, t = request.source(model), request.q, request.t
    with locate_errors(found):
        return _animate(found, q, t, request.title)


def _animate(found: Source, q: States | None, t: ArrayLike | None, title: str | None) -> Animation:
    system = found.system
    said: list[Diagnostic] = []
    energies: dict[str, Any] = {}
    events: list[str] = []
    shown = ""
    if q is None:
        q, shown = _joint_by_joint(system)
        said.append(Diagnostic("note", "q", shown))
    if isinstance(q, Trajectory):
        q = q.to_frame()
    if isinstance(q, Mapping) or (isinstance(q, Table) and not hasattr(q, "dtype")):
        q, energies, events, unread = _columns(system, q, t is not None)
        said += [] if shown else unread
    at = read_states(system, q, None, None, t, None)
    parameters = _parameters(at)
    times, states = _states(at, parameters)
    values = {**parameters, **dict(zip(system.coordinate_names, states.q.T, strict=True)), "t": np.asarray(times)}
    left_out = LeftOut.at_states(system, values, (), times)
    remarks = [*list_conditions(left_out), *(f"{d.message}." for d in said)]
    heading = title or f"{'Joints' if shown else 'Motion'} of {system.name}"
    motion = AnimatedMotion(states, heading, remarks, parameters, with_total(energies), events)
    html, more, judged = judged_page(system, motion)
    return Animation(system.name, len(times), html, tuple(map(found.locate, (*said, *more))), left_out, judged)


def judged_page(
    system: System, motion: AnimatedMotion
) -> tuple[str, tuple[Diagnostic, ...], tuple[Comparison, ...]]:  # fmt: skip
    """Return the page of a motion, notes on parts of it that no witness could check, and all comparisons.

    Raises
    ------
    DisagreementError
        A point is drawn elsewhere than the model's fields say.
    """
    html, states = page(system, motion), motion.states
    found = list(check_page(system, html, states.t, states.q, motion.parameters, motion.energies, motion.events))
    wrong = list(contradict(found, "animate"))
    if wrong:
        raise DisagreementError(wrong)
    return html, tuple(note_unchecked(found, "animate")), tuple(found)


def with_total(energies: Mapping[str, Any]) -> dict[str, Any]:
    """Return the energies as arrays, with the total of kinetic and potential energy; drop work that is zero."""
    known = {name: np.asarray(x, dtype=float) for name, x in energies.items()}
    if "kinetic" in known and "potential" in known:
        known["total"] = known["kinetic"] + known["potential"]
    if "work" in known and not known["work"].any():
        del known["work"]
    return known


def _joint_by_joint(system: System) -> tuple[dict[str, Any], str]:
    """Return a table of states in which each joint coordinate moves in turn, and a remark on that."""
    begin = environment(system, [State()])[0]
    still = {*(name for body in system.bodies for name in body.modal)}
    moving = [] if system.constraints else [name for name in system.coordinate_names if name not in still]
    if not moving:
        why = "the loops would open" if system.constraints else "no joint moves"
        still_table = {name: [float(begin[name])] for name in system.coordinate_names} | {"t": [0.0]}
        return still_table, f"the initial position alone, as no table was given and {why}"
    unit_of, swing = units(system), np.sin(np.linspace(0, 2 * np.pi, FRAMES_OF_A_JOINT + 1)[:-1])
    times = np.linspace(0, SECONDS_OF_A_JOINT * len(moving), FRAMES_OF_A_JOINT * len(moving))
    table: dict[str, Any] = {"t": times}
    for i, name in enumerate(moving):
        table[name] = np.full(times.shape, float(begin[name]))
        own = slice(i * FRAMES_OF_A_JOINT, (i + 1) * FRAMES_OF_A_JOINT)
        table[name][own] += SWINGS[unit_of[name]] * swing
    told = " or ".join(f"{SWINGS[unit]:g} {unit}" for unit in dict.fromkeys(unit_of[name] for name in moving))
    return table, f"no table was given: each joint in turn moves by {told} and back, which is no motion of the model"


def _columns(system: System, table: Any, timed: bool) -> tuple[Any, dict[str, Any], list[str], list[Diagnostic]]:
    """Split a table into columns of states, of energies and of events; return them, and remarks on other columns."""
    names = [str(name) for name in (table.columns if isinstance(table, Table) else table)]
    coordinates = system.coordinate_names
    known = {*(n + dot for n in coordinates for dot in ("", "'", "''")), "t", *(p.name for p in system.parameters)}
    if not set(names) & set(coordinates):
        raise NumbersError(
            error("q", "the table has no coordinate of the model", f"its coordinates are {format_names(coordinates)}")
        )
    if "t" not in names and not timed:
        raise NumbersError(error("t", "the table has no column of times", "give a column t, s"))
    said = []
    missing = [n for n in coordinates if n not in names]
    if missing:
        said.append(_warning("q", f"{format_names(missing)} not in the table: drawn where the model begins"))
    label = name_columns(coordinates)
    for name in names:
        if name not in known and name not in label.values() and not name.startswith("lambda["):
            said.append(_warning(f"q/{name}", f"the column {name!r} is not drawn", among(name, sorted(known))))
    states = {name: np.asarray(table[name]) for name in names if name in known}
    events = [x if isinstance(x, str) else "" for x in table[label["event"]]] if label["event"] in names else []
    return states, {name: table[label[name]] for name in DRAWN if label[name] in names}, events, said


def _warning(place: str, message: str, remedy: str = "") -> Diagnostic:
    return Diagnostic("warning", place, message, remedy)


def _parameters(at: GivenNumbers) -> Mapping[str, float]:
    """Return the given values of parameters; refuse values that change between states."""
    for p in at.system.parameters:
        if p.name in at.values and np.ptp(at.values[p.name]):
            message = "its value changes from state to state"
            raise NumbersError(error(f"q/{p.name}", message, "draw the states of each value by themselves"))
    return at.states()[0].parameters


def _states(at: GivenNumbers, parameters: Mapping[str, float]) -> tuple[Any, Times]:
    """Return times and positions; also rates and accelerations if a table has all of them."""
    names = at.system.coordinate_names
    begin = environment(at.system, [State(parameters=parameters)])[0]

    def column(name: str) -> Any:
        return np.broadcast_to(np.asarray(at.values.get(name, begin[name]), dtype=float), (at.count,))

    def block(dot: str) -> Any:
        if dot and (at.own or not all(f"{n}{dot}" in at.values for n in names)):
            return None
        return np.stack([column(f"{n}{dot}") for n in names], axis=-1)

    times = column("t")
    back = np.flatnonzero(np.diff(times) < 0)
    if len(back):
        i = int(back[0])
        message = f"the time goes back from {times[i]:g} s to {times[i + 1]:g} s, after row {i + 1}"
        raise NumbersError(error("t", message, "sort the states by their times"))
    if at.count > 1 and times[-1] == times[0]:
        raise NumbersError(error("t", f"all times are {times[0]:g} s", "give each state its time, s"))
    return times, Times(times, block(""), block("'"), block("''"))
