"""Efforts and reactions along a motion that is given: inverse dynamics, of trees and of closed mechanisms.

Of the driven coordinates positions are given at N times, with rates and accelerations or without: then these are
those of a spline of fifth degree through the positions. They must leave nothing free: the other coordinates and rates
are what the constraints make of them, and the multipliers of the drives' rows are the efforts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import make_interp_spline
from threadpoolctl import threadpool_limits

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Motion
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import ZERO
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..assembly import SINGULAR, completed, with_auxiliary
from ..batch import RowsAtStates
from ..keeping import open_rows, placed
from ..levenberg_marquardt import ACCEPTED, solve, units_of, weighted
from ..rows import constraint_rows
from .algebra import FINE_RANK, NoInertiaError
from .arrays import Array
from .formulas import formulas
from .run import no_inertia
from .stretch import Stretch
from .trajectory import Row, Trajectory

#: Degree of the spline.
DEGREE = 5
#: Times that are named.
NAMED = 3


@dataclass(frozen=True)
class Given:
    """A motion at N times (s) of k driven coordinates, in the order of the system: positions, rates, accelerations."""

    t: Array
    driven: tuple[str, ...]
    q: Array
    v: Array
    a: Array
    splined: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        t: Array,
        positions: Mapping[str, Array],
        rates: Mapping[str, Array],
        accelerations: Mapping[str, Array],
    ) -> Given:
        """What is missing of rates and accelerations are a spline's.

        Raises
        ------
        NumbersError
            Times do not grow; something is no number.
        """
        table = np.array([t, *positions.values(), *rates.values(), *accelerations.values()], dtype=float)
        if not np.isfinite(table).all():
            raise NumbersError(
                error("motion", "something in the table is no number", "give a number in every row")
            )
        late = np.flatnonzero(~(np.diff(t) > 0))
        if late.size or len(t) < 2:
            where = f"row {late[0] + 2} is not later than the one before" if late.size else "it has one row"
            raise NumbersError(error("motion", f"times must grow: {where}", "sort the rows"))
        names, columns = tuple(positions), []
        for name in names:
            spline = make_interp_spline(
                t, positions[name], k=min(DEGREE, (len(t) - 1) // 2 * 2 + 1, len(t) - 1)
            )
            columns.append(
                (positions[name], rates.get(name, spline(t, 1)), accelerations.get(name, spline(t, 2)))
            )
        q, v, a = (np.array(part, dtype=float).T for part in zip(*columns, strict=True))
        splined = tuple(name for name in names if name not in rates or name not in accelerations)
        return cls(np.asarray(t, dtype=float), names, q, v, a, splined)


def along(system: System, by: Formalism, state: State, given: Given) -> Trajectory:
    """The efforts and reactions of a motion.

    Parameters
    ----------
    system, by : the equations of a model by a formalism
    state : coordinates near which the others are looked for at the first time; parameters
    given : the motion of its drives; of other drives none may impose an acceleration

    Raises
    ------
    NumbersError
        Something is left free, or is given twice; the mechanism does not close, and when.
    """
    with threadpool_limits(1, "blas"):
        return _Along(system, by, state, given).made()


class _Along:
    def __init__(self, system: System, by: Formalism, state: State, given: Given) -> None:
        self.given, self.names = given, system.coordinate_names
        self.places = [self.names.index(name) for name in given.driven]
        coordinates = tuple(
            replace(c, drive=Motion(ZERO)) if c.name in given.driven else c for c in system.coordinates
        )
        self.system = replace(system, coordinates=coordinates)
        self.by, self.state = by, replace(state, t=float(given.t[0]))
        self.rows = constraint_rows(self.system)
        self.singular: list[float] = []
        self.free = np.array([name not in given.driven for name in self.rows.coordinates], dtype=bool)

    def made(self) -> Trajectory:
        given, by = self.given, self.by
        made = formulas(self.system, by, self.state.parameters)
        states = [replace(self.state, t=t, q={}, v={}) for t in given.t.tolist()]
        self.at = RowsAtStates(self.rows, self.system, states)
        q, v = self._motion()
        first = self._state(0, q, v)
        start = placed(self.system, first, first.q, first.v)
        stretch = Stretch(self.system, made, start, moving=True, balanced=True)
        equations = stretch.problem.equations
        equations.threshold = FINE_RANK
        try:
            equations.require_inertia(float(given.t[0]), q[0, : len(self.names)])
            rows = tuple(self._row(stretch, i, q[i], v[i]) for i in range(len(q)))
        except NoInertiaError as singular:
            raise NumbersError(no_inertia(str(singular))) from None
        return Trajectory(
            self.system.name, self.names, made.rows, rows, float(given.t[-1]), None, tuple(self._notes()),
            "inverse dynamics", made.formalism, 0.0, equations.evaluations, 0.0,
        )  # fmt: skip

    def _notes(self) -> Iterator[Diagnostic]:
        if self.given.splined:
            message = f"rates and accelerations of {', '.join(self.given.splined)} are those of a spline"
            yield Diagnostic("note", "motion", f"{message} of degree {DEGREE} through the positions")
        if self.singular:
            when = ", ".join(f"{t:.6g}" for t in self.singular[:NAMED])
            when += " and later" if len(self.singular) > NAMED else ""
            message = f"the position is folded or singular at t = {when}: efforts and reactions there are not unique"
            yield Diagnostic("warning", "motion", message)

    def _state(self, i: int, q: Array, v: Array) -> State:
        named = (dict(zip(self.names, x[i].tolist(), strict=False)) for x in (q, v))
        return replace(self.state, t=float(self.given.t[i]), **dict(zip("qv", named, strict=True)))

    def _motion(self) -> tuple[Array, Array]:
        """All coordinates and rates (N, k): of every time from those of the time before."""
        count, k = len(self.given.t), len(self.rows.coordinates)
        q, v = np.zeros((count, k)), np.zeros((count, k))
        here = RowsAtStates(self.rows, self.system, [self.state]).q[0]
        for i in range(count):
            here = here.copy()
            here[self.places] = self.given.q[i]
            part = self.at.only(np.array([i]))
            start = here[None]
            if not i:
                start = with_auxiliary(part, start)
            found = solve(part, start, units_of(part, start), self.free)
            if part.positions(found).gaps[0] > ACCEPTED:
                self._open(part, found, i)
            if not i:
                self._require_determined(part, found)
            part.v = np.zeros((1, k))
            part.v[0, self.places] = self.given.v[i]
            rates = completed(part, [self.state], found, moving=self.free)
            if not rates.closed[0]:
                message = f"no rates satisfy the constraints at t = {self.given.t[i]:.9g}"
                raise NumbersError(error("motion", message, "the motion comes to a singular position there"))
            if not rates.regular[0]:
                self.singular.append(float(self.given.t[i]))
            q[i] = here = found[0]
            v[i] = [rates.extended[0].v[name] for name in self.rows.coordinates]
        return q, v

    def _open(self, part: RowsAtStates, q: Array, i: int) -> None:
        findings = list(open_rows(part, self.system, q))
        when = f"with the motion as it is given at t = {self.given.t[i]:.9g}: "
        raise NumbersError([replace(d, message=when + d.message) for d in findings])

    def _require_determined(self, part: RowsAtStates, q: Array) -> None:
        """Refuse a motion that leaves something free, or gives what the constraints fix."""
        units = units_of(part, q)
        J = weighted(part.positions(q), units, np.ones(len(self.free))).J[0]
        open_ = _null(J[:, self.free])
        moves = np.abs(open_).max(axis=1, initial=0.0)
        loose = np.array(self.rows.coordinates)[self.free][moves > SINGULAR].tolist()
        if loose:
            names = ", ".join(map(str, loose))
            raise NumbersError(
                error("motion", f"it leaves {names} free", "give their motion too, or simulate")
            )
        admitted = _null(J)[~self.free]
        fixed = len(self.places) - np.linalg.matrix_rank(admitted, tol=SINGULAR) if self.places else 0
        if fixed:
            message = f"{', '.join(self.given.driven)} cannot all be given: the constraints tie them"
            raise NumbersError(error("motion", message, f"leave {fixed} of them out, see --driven"))

    def _row(self, stretch: Stretch, i: int, q: Array, v: Array) -> Row:
        equations, t, accelerations = stretch.problem.equations, float(self.given.t[i]), self.given.a[i]
        n = len(self.names)
        stretch.problem.projection.p = q[n:].copy()
        q, v = q[:n], v[:n]
        found = equations.at(t, q, v, accelerations)
        kinetic, potential, _ = stretch.energies(t, np.concatenate([q, v])).tolist()
        gap, rate_gap = stretch.problem.projection.gaps(t, q, v)
        power = stretch.problem.power(found.applied, found.reactions, found.explicit, v)
        multipliers = equations.multipliers(t, q, v, accelerations)
        return Row(t, q, v, found.a, multipliers, kinetic, potential, np.nan, power, np.nan, gap, rate_gap)


def _null(J: Array) -> Array:
    """Directions (k, ·) that rows (m, k) admit."""
    if not J.size:
        return np.eye(J.shape[1])
    _, sizes, right = np.linalg.svd(J)
    rank = int((sizes > SINGULAR * max(sizes.max(initial=0.0), 1e-3)).sum())
    return np.asarray(right[rank:].T)
