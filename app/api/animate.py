"""A motion as a page that plays it: of a run, of a table of states, of states as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import Diagnostic, NumbersError, WriteError, among, error
from mbconcord.model.limits import listed
from mbconcord.model.numbers import environment
from mbconcord.model.shown import count, line
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.reports.animation.page import Motion, page
from mbconcord.reports.animation.times import States as Times
from mbconcord.simulation.motion.trajectory import ENERGIES, SCALARS

from .models import Model, Parameters, source
from .source import Source, located
from .states import Given, States, Table, given
from .writing import write

#: Height of an animation in a notebook, pixels.
HEIGHT: Final = 760
#: Energies that are drawn of what a run has found, in their order.
DRAWN: Final = ENERGIES[:3]


@dataclass(frozen=True, repr=False)
class Animation:
    """A page that plays a motion and loads nothing: :meth:`save` writes it, a notebook shows it.

    Attributes
    ----------
    system : name of the model
    frames : how many states were given
    html : the page
    diagnostics : what was remarked
    """

    system: str
    frames: int
    html: str = field(repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        return line(
            "Animation", f"of {self.system}", count(self.frames, "state"), f"{len(self.html) // 1000:,} kB"
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
            raise WriteError(error("", f"{path}: an animation has no suffix {path.suffix!r}", "name a .html"))
        return write(path, self.html.encode("utf-8"))


def animate(
    model: Model,
    q: States,
    t: ArrayLike | None = None,
    *,
    title: str | None = None,
    parameters: Parameters | None = None,
    physics: Policy | None = None,
    format: str | None = None,
) -> Animation:
    """A page that plays states of a model over time: a motion of another program, of a test rig, a mode.

    Parameters
    ----------
    model : path, what :func:`mbconcord.read` gave, System or Mechanism
    q : the states, as for :func:`mbconcord.evaluate`. In a table (a DataFrame, a mapping) the column ``t`` has the
        times; coordinates that it does not have stay where the model begins, and other columns are not drawn: both
        are told
    t : times (n,), s, where q does not hold them
    title : the heading of the page
    parameters, physics, format : as for :func:`mbconcord.evaluate`

    Returns
    -------
    Animation

    Raises
    ------
    NumbersError
        There are no times, or they go back; a state is not made of numbers.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read_text("z°90 -j1 $1 [0,0,0] g9.81-y", format="mbsd")
    >>> mbconcord.animate(pendulum, {"t": [0, 1, 2], "z1": [0.0, 0.5, 0.0]}, title="swing").frames
    3
    """
    found = source(model, format, physics, parameters)
    with located(found):
        return animated(found, q, t, title)


def animated(found: Source, q: States, t: ArrayLike | None = None, title: str | None = None) -> Animation:
    """:func:`animate` of a model with what is known of where it came from."""
    system = found.system
    said: list[Diagnostic] = []
    energies: dict[str, Any] = {}
    if isinstance(q, Mapping) or (isinstance(q, Table) and not hasattr(q, "dtype")):
        q, energies, said = _columns(system, q, t is not None)
    at = given(system, q, None, None, t, None)
    parameters = _parameters(at)
    times, states = _states(at, parameters)
    remarks = [f"{d.message}." for d in said]
    motion = Motion(states, title or f"Motion of {system.name}", remarks, parameters, with_total(energies))
    return Animation(system.name, len(times), page(system, motion), tuple(map(found.locate, said)))


def with_total(energies: Mapping[str, Any]) -> dict[str, Any]:
    """Energies with the sum of the kinetic and the potential one; work that is none is left out."""
    known = {name: np.asarray(x, dtype=float) for name, x in energies.items()}
    if "kinetic" in known and "potential" in known:
        known["total"] = known["kinetic"] + known["potential"]
    if "work" in known and not known["work"].any():
        del known["work"]
    return known


def _columns(system: System, table: Any, timed: bool) -> tuple[Any, dict[str, Any], list[Diagnostic]]:
    """What of a table are states, what are energies, and what is remarked."""
    names = [str(name) for name in (table.columns if isinstance(table, Table) else table)]
    coordinates = system.coordinate_names
    known = {
        *(n + dot for n in coordinates for dot in ("", "'", "''")),
        "t",
        *(p.name for p in system.parameters),
    }
    if not set(names) & set(coordinates):
        raise NumbersError(
            error(
                "q", "the table has no coordinate of the model", f"its coordinates are {listed(coordinates)}"
            )
        )
    if "t" not in names and not timed:
        raise NumbersError(error("t", "the table has no column of times", "give a column t, s"))
    said = []
    missing = [n for n in coordinates if n not in names]
    if missing:
        said.append(_warning("q", f"{listed(missing)} not in the table: drawn where the model begins"))
    own = {*SCALARS, "event"}
    for name in names:
        if name not in known and name not in own and not name.startswith("lambda["):
            said.append(
                _warning(f"q/{name}", f"the column {name!r} is not drawn", among(name, sorted(known)))
            )
    states = {name: np.asarray(table[name]) for name in names if name in known}
    return states, {name: table[name] for name in DRAWN if name in names}, said


def _warning(place: str, message: str, remedy: str = "") -> Diagnostic:
    return Diagnostic("warning", place, message, remedy)


def _parameters(at: Given) -> Mapping[str, float]:
    """Values of the parameters that stand with the states."""
    for p in at.system.parameters:
        if p.name in at.values and np.ptp(at.values[p.name]):
            message = "its value changes from state to state"
            raise NumbersError(error(f"q/{p.name}", message, "draw the states of each value by themselves"))
    return at.states()[0].parameters


def _states(at: Given, parameters: Mapping[str, float]) -> tuple[Any, Times]:
    """Times and positions; rates and accelerations where a table has all of them."""
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
