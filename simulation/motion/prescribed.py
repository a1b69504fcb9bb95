"""Efforts and reactions along a given motion: inverse dynamics of trees and of closed mechanisms.

Positions of the driven coordinates are given at N times; missing rates and accelerations are those of a quintic spline
through the positions. They must determine the motion: the constraints give the other coordinates and rates, and the
multipliers of the drives' rows are the efforts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
from scipy.interpolate import make_interp_spline
from threadpoolctl import threadpool_limits

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Motion
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.elastic.rigid import require_within
from mbconcord.model.expressions import ZERO
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..assembly import SINGULAR, complete, with_auxiliary
from ..batch import RowsAtStates
from ..keeping import open_rows, place_state
from ..levenberg_marquardt import ACCEPTED, solve, units_of, weight_rows
from ..rows import constraint_rows
from .arrays import FINE_RANK, Array, NoInertiaError
from .formulas import formulas
from .run import no_inertia
from .stretch import Stretch
from .trajectory import Trajectory, TrajectoryRow

#: Degree of the spline.
DEGREE = 5
#: Times that are named.
NAMED = 3


@dataclass(frozen=True)
class PrescribedTable:
    """A motion at N times (s) of k driven coordinates, in the order of the system: positions, rates, accelerations."""

    t: Array
    driven: tuple[str, ...]
    q: Array
    v: Array
    a: Array
    splined: tuple[str, ...] = ()

    @classmethod
    def from_columns(
        cls, t: Array, positions: Mapping[str, Array], rates: Mapping[str, Array], accelerations: Mapping[str, Array]
    ) -> PrescribedTable:
        """Make a table; a spline supplies missing rates and accelerations.

        Raises
        ------
        NumbersError
            Times do not increase; a value is not a number.
        """
        table = np.array([t, *positions.values(), *rates.values(), *accelerations.values()], dtype=float)
        if not np.isfinite(table).all():
            raise NumbersError(error("motion", "something in the table is no number", "give a number in every row"))
        late = np.flatnonzero(~(np.diff(t) > 0))
        if late.size or len(t) < 2:
            where = f"row {late[0] + 2} is not later than the one before" if late.size else "it has one row"
            raise NumbersError(error("motion", f"times must grow: {where}", "sort the rows"))
        names, columns = tuple(positions), []
        for name in names:
            spline = make_interp_spline(t, positions[name], k=min(DEGREE, (len(t) - 1) // 2 * 2 + 1, len(t) - 1))
            columns.append((positions[name], rates.get(name, spline(t, 1)), accelerations.get(name, spline(t, 2))))
        q, v, a = (np.array(part, dtype=float).T for part in zip(*columns, strict=True))
        splined = tuple(name for name in names if name not in rates or name not in accelerations)
        return cls(np.asarray(t, dtype=float), names, q, v, a, splined)


def follow_prescribed(system: System, by: Formalism, state: State, given: PrescribedTable) -> Trajectory:
    """Compute the efforts and reactions of a motion.

    Parameters
    ----------
    system, by : the model, and the formalism that gives its equations
    state : initial guesses of the other coordinates at the first time; parameters
    given : the motion of the model's drives; no other drive may impose an acceleration

    Raises
    ------
    NumbersError
        A coordinate is left free, or is given twice; the mechanism does not close, and when.
    """
    with threadpool_limits(1, "blas"):
        return _PrescribedAlong(system, by, state, given).run()


def driven(system: System, names: Collection[str], drive: Motion | None) -> System:
    """Return the system with this drive in place of those of some coordinates."""
    coordinates = (replace(c, drive=drive) if c.name in names else c for c in system.coordinates)
    return replace(system, coordinates=tuple(coordinates))


class _PrescribedAlong:
    def __init__(self, system: System, by: Formalism, state: State, given: PrescribedTable) -> None:
        self.given, self.names = given, system.coordinate_names
        self.places = [self.names.index(name) for name in given.driven]
        self.system = driven(system, given.driven, Motion(ZERO))
        self.by, self.state = by, replace(state, t=float(given.t[0]))
        self.rows = constraint_rows(self.system)
        self.singular: list[float] = []
        self.free = np.array([name not in given.driven for name in self.rows.coordinates], dtype=bool)

    def run(self) -> Trajectory:
        given, by = self.given, self.by
        made = formulas(self.system, by, self.state.parameters)
        states = [replace(self.state, t=t, q={}, v={}) for t in given.t.tolist()]
        self.at = RowsAtStates(self.rows, self.system, states)
        q, v = self._motion()
        require_within(self.system, Instance(self.system, [self._state(i, q, v) for i in range(len(q))]))
        first = self._state(0, q, v)
        start = place_state(self.system, first, first.q, first.v)
        stretch = Stretch(self.system, made, start, moving=True, balanced=True)
        equations = stretch.problem.equations
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
        """Compute all coordinates and rates (N, k), at each time from those of the time before."""
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
            rates = complete(part, [self.state], found, moving=self.free)
            if not rates.is_closed[0]:
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
        J = weight_rows(part.positions(q), units, np.ones(len(self.free))).J[0]
        open_ = _null(J[:, self.free])
        moves = np.abs(open_).max(axis=1, initial=0.0)
        loose = np.array(self.rows.coordinates)[self.free][moves > SINGULAR].tolist()
        if loose:
            names = ", ".join(map(str, loose))
            raise NumbersError(error("motion", f"it leaves {names} free", "give their motion too, or simulate"))
        admitted = _null(J)[~self.free]
        fixed = len(self.places) - np.linalg.matrix_rank(admitted, tol=SINGULAR) if self.places else 0
        if fixed:
            message = f"{', '.join(self.given.driven)} cannot all be given: the constraints tie them"
            raise NumbersError(error("motion", message, f"leave {fixed} of them out, see --driven"))

    def _row(self, stretch: Stretch, i: int, q: Array, v: Array) -> TrajectoryRow:
        equations, t, accelerations = stretch.problem.equations, float(self.given.t[i]), self.given.a[i]
        n = len(self.names)
        stretch.problem.projection.p = q[n:].copy()
        q, v = q[:n], v[:n]
        found = equations.evaluate_at(t, q, v, FINE_RANK, accelerations)
        kinetic, potential, _ = stretch.energies(t, np.concatenate([q, v])).tolist()
        gap, rate_gap = stretch.problem.projection.gaps(t, q, v)
        power = stretch.problem.power(found.applied, found.reactions, found.explicit, v)
        multipliers = equations.multipliers(t, q, v, FINE_RANK, accelerations)
        return TrajectoryRow(t, q, v, found.a, multipliers, kinetic, potential, np.nan, power, np.nan, gap, rate_gap)


def _null(J: Array) -> Array:
    """Return the directions (k, ·) that rows (m, k) admit."""
    if not J.size:
        return np.eye(J.shape[1])
    _, sizes, right = np.linalg.svd(J)
    rank = int((sizes > SINGULAR * max(sizes.max(initial=0.0), 1e-3)).sum())
    return np.asarray(right[rank:].T)
