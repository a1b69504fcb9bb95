"""Results of a run, row by row, and as a table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import Array
from mbconcord.model.limits import count, line
from mbconcord.model.mixed import drive_row
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field

if TYPE_CHECKING:
    from pandas import DataFrame


#: Columns with one number for each row, in their order.
ENERGIES = ("kinetic", "potential", "work", "power", "balance")
SCALARS = (*ENERGIES, "position error", "rate error")
#: Column of models with rigid contacts.
LOST: Final = "lost in impacts"
#: By this part of all energies it is rounding.
NOTHING: Final = 1e-12
#: What is done about several impacts at once whose results depend on their order.
IMPACTS: Final = ("refuse", "simultaneous", "sequential")


def name_columns(coordinates: Collection[str]) -> dict[str, str]:
    """Map energies, gaps and ``event`` to column names: their own, followed by ``_`` if a coordinate has it too."""
    return {name: f"{name}_" if name in coordinates else name for name in (*SCALARS, "event")}


class UnsettledError(ArithmeticError):
    """Failure to find what happens at rigid contacts: place, reason and remedy."""

    def __init__(self, place: str, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.place, self.remedy = place, remedy


@dataclass(frozen=True)
class TrajectoryRow:
    """The motion at one time; see :class:`Trajectory`."""

    t: float
    q: Array
    v: Array
    a: Array
    multipliers: Array
    kinetic: float
    potential: float
    work: float
    power: float
    balance: float
    gap: float
    rate_gap: float
    event: str = ""
    normal_forces: tuple[float, ...] = ()
    loads: tuple[float, ...] = ()
    lost: float = 0.0


@dataclass(frozen=True, repr=False)
class Trajectory:
    """A motion of a system with n coordinates and m constraint rows at N times.

    Attributes
    ----------
    coordinates, rows : names of the coordinates and of the constraint rows
    found : the rows of the table
    reached : time to which the run came (s)
    stopped : why the run ended before its end; None where it did not
    diagnostics : other notes and warnings
    method, formalism : names of the integrator and of the formalism that gave the equations
    tolerance : relative and absolute
    evaluations, seconds : number of evaluations of the accelerations; processor time (s)
    forces : by the name of its column, each component of the forces in joints and at cuts (N,), where they were asked
        for
    quantities : name of a column -> an entry of a kinematic quantity (N,), where such were asked for
    actuated : if driven coordinates are moved by efforts elsewhere: these efforts (N,), by name of the coordinate or
        parameter; NaN at dead points
    normal_forces : names of the normal forces that were solved for together with the accelerations
    passed : index of an omission -> time (s) at which steps of the run first reach it; None where there were no steps
    """

    system: str
    coordinates: tuple[str, ...]
    rows: tuple[str, ...]
    found: tuple[TrajectoryRow, ...]
    reached: float
    stopped: Diagnostic | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    method: str = ""
    formalism: str = ""
    tolerance: float = 0.0
    evaluations: int = 0
    seconds: float = 0.0
    passed: Mapping[int, float] | None = None
    forces: Mapping[str, Array] = field(default_factory=dict)
    actuated: Mapping[str, Array] = field(default_factory=dict)
    quantities: Mapping[str, Array] = field(default_factory=dict)
    normal_forces: tuple[str, ...] = ()

    def __repr__(self) -> str:
        end = f"stopped at t = {self.reached:.9g}" if self.stopped else f"to t = {self.reached:.9g}"
        return line(
            type(self).__name__,
            f"of {self.system} by {self.formalism}, {self.method}",
            count(len(self.found), "row"),
            end,
        )

    @property
    def t(self) -> Array:
        """Times (N,)."""
        return np.array([row.t for row in self.found])

    @property
    def q(self) -> Array:
        """Positions (N, n), m and rad."""
        return np.array([row.q for row in self.found]).reshape(len(self.found), len(self.coordinates))

    @property
    def v(self) -> Array:
        """Rates (N, n), per second."""
        return np.array([row.v for row in self.found]).reshape(len(self.found), len(self.coordinates))

    @property
    def a(self) -> Array:
        """Accelerations (N, n), per second squared."""
        return np.array([row.a for row in self.found]).reshape(len(self.found), len(self.coordinates))

    @property
    def efforts(self) -> dict[str, int]:
        """Coordinates with imposed accelerations, each with the number of the row whose multiplier is its effort."""
        return {name: self.rows.index(drive_row(name)) for name in self.coordinates if drive_row(name) in self.rows}

    @property
    def last(self) -> State:
        """The state at the end, from which another run goes on."""
        row = self.found[-1]
        q, v = (dict(zip(self.coordinates, x.tolist(), strict=True)) for x in (row.q, row.v))
        return State(row.t, q, v)

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table, a row for each time.

        Columns: ``t`` (s); positions ``z1`` (m, rad), rates ``z1'`` and accelerations ``z1''`` (by seconds);
        ``lambda[row]``, multipliers of the formalism's rows (N, N m), NaN for rows whose load sharing is undetermined;
        ``effort[z1]``, where efforts act elsewhere than along the driven coordinates;
        ``joint_forces[body, Fx]`` and ``cut_forces[constraint, Fx]``, where forces were asked for;
        ``velocity(hand)[x]`` …, kinematic quantities that were asked for; ``normal_force(N)`` of laws of friction;
        ``kinetic`` and ``potential`` energy (J); ``work`` since the start of all forces but weight, and its ``power``
        (W); ``balance``, the difference of the energies from it (J); ``lost in impacts`` of rigid contacts (J), which
        the balance counts; ``position error`` and ``rate error``, largest
        gaps of the constraints relative to their scales; ``event``, its name. Any of these that is called like a
        coordinate has ``_`` behind.
        """
        import pandas

        return pandas.DataFrame(dict(self._columns()))

    def _columns(self) -> Iterator[tuple[str, object]]:
        yield "t", self.t
        for order, values in (("", self.q), ("'", self.v), ("''", self.a)):
            yield from ((f"{name}{order}", values[:, i]) for i, name in enumerate(self.coordinates))
        multipliers = np.array([row.multipliers for row in self.found]).reshape(len(self.found), len(self.rows))
        yield from ((f"lambda[{name}]", multipliers[:, i]) for i, name in enumerate(self.rows))
        yield from ((f"effort[{name}]", values) for name, values in self.actuated.items())
        yield from self.forces.items()
        yield from self.quantities.items()
        for i, name in enumerate(self.normal_forces):
            every = (row.normal_forces for row in self.found)
            yield f"normal_force({name})", np.array([x[i] if x else np.nan for x in every], dtype=float)
        label = name_columns(self.coordinates)
        for name in ENERGIES:
            yield label[name], np.array([getattr(row, name) for row in self.found], dtype=float)
        yield label[SCALARS[-2]], np.array([row.gap for row in self.found])
        yield label[SCALARS[-1]], np.array([row.rate_gap for row in self.found])
        if any(row.loads for row in self.found):
            yield LOST, np.array([row.lost for row in self.found])
        yield label["event"], [row.event for row in self.found]


# Integrators by name with the packages other than SciPy that each needs, and the defaults of a run.


# By whose equations a model is simulated where nobody is asked for.


def quickest(system: System) -> Formalism:
    """Return the formalism with the fastest equations: for a tree one that solves them; the default if none can."""
    able = [by for by in map(registry.formalism, registry.names()) if not by.constraint_obstacles(system)]
    if not system.constraints:
        for by in able:
            if by.solves:
                return by
    return able[0] if able else registry.formalism(registry.DEFAULT)


PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "dop853": (),
    "radau": (),
    "lsoda": (),
    "cvode": ("sksundae",),
    "ida": ("sksundae",),
    "auto": (),
}
#: What each is for.
PURPOSES: Final[Mapping[str, str]] = {
    "dop853": "explicit (default)",
    "radau": "implicit, for stiff models",
    "lsoda": "multistep, stiff where the motion is, for friction that sticks",
    "cvode": "Adams of SUNDIALS, with few evaluations where these are dear",
    "ida": "of SUNDIALS, for stiff models away from singular positions",
    "auto": "lsoda where an estimate at the start calls the model stiff, else dop853",
}
DEFAULT: Final = "dop853"
#: The speed below which dry friction slips (m/s, rad/s).
SLIP: Final = 1e-3
