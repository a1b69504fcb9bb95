"""Accelerations of a system by generated code of a formalism's equations: M q'' = F + Dᵀ λ, D q'' + γ̃ = 0.

With y = Lᵀ q'' the answer of Gauss's principle is y = y₀ + A⁺(-γ̃ - A y₀), y₀ = L⁻¹ F: of all accelerations that the
rows admit the one that is nearest to the free ones in the metric of M. Rows that depend on each other need no choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbconcord.model.expressions import ZERO
from mbconcord.model.mixed import coordinates_without_inertia, drive_row, free, imposed
from mbconcord.model.system import System

from ..multipliers import unique
from .algebra import RANK, Lengths, Metric, NoInertiaError, factorised
from .arrays import Array, generated
from .formulas import Formula, Formulas


@dataclass(frozen=True)
class Accelerations:
    """At one state.

    Attributes
    ----------
    a (n,) : q''
    reactions (n,) : Dᵀ λ
    applied (n,) : generalized forces but weight
    explicit : ∂L/∂t (W)
    """

    a: Array
    reactions: Array
    applied: Array
    explicit: float


class Equations:
    """Equations of motion of a system, ready to be evaluated at one state after the other.

    Attributes
    ----------
    names, rows : of the n coordinates, of the m rows
    free : places of the coordinates along which no drive imposes an acceleration
    driven : places of the other coordinates -> the live row of their drive
    threshold : by which rows are judged to depend on each other
    highest : the largest rank of the run
    deficient : whether at any state since this was reset the rank was lower
    evaluations : how many accelerations were asked for
    augmented : whether some coordinate has inertia by the constraints alone
    """

    def __init__(self, system: System, formulas: Formulas, balanced: bool = True) -> None:
        self.names, self.free = system.coordinate_names, free(system)
        self.inputs = ("t", *self.names, *(f"{name}'" for name in self.names))
        self.threshold, self.highest, self.evaluations = RANK, 0, 0
        self.augmented = self.deficient = False
        self._lengths = Lengths()
        live = [i for i, row in enumerate(formulas.D) if any(x is not ZERO for x in row)]
        self.live, self.rows = live, formulas.rows
        places = {formulas.rows[i]: place for place, i in enumerate(live)}
        self.driven = {self.names.index(name): places[drive_row(name)] for name in imposed(system)}
        energies = formulas.energies if balanced else None
        explicit = ZERO if energies is None else energies.explicit
        self._direct = formulas.acceleration is not None
        head = formulas.acceleration if formulas.acceleration is not None else formulas.force
        lower = _lower(formulas.mass)
        mass = np.empty(0, dtype=object) if self._direct else lower
        wanted: list[Formula] = [mass, head, formulas.D[live], formulas.rest[live]]
        if energies is not None:
            wanted += [formulas.applied, np.array([explicit], dtype=object)]
        self._balanced = energies is not None
        self._all = generated(wanted, self.inputs)
        self._mass = generated([lower, formulas.D[live]], self.inputs)
        #: (t, q) of the last evaluation, with the lower triangle of M and D there.
        self._last: tuple[list[float], Array, Array] = ([], np.zeros(0), np.zeros(0))

    def mass(self, t: float, q: Array) -> Array:
        """M (n, n) at a position."""
        return _whole(self._mass([t, *q.tolist(), *[0.0] * len(q)])[0])

    def metric(self, t: float, q: Array) -> Metric:
        """Of M at a position among the free coordinates; with σ DᵀD where some have inertia by constraints alone."""
        place = [t, *q.tolist()]
        at, M, D = self._last
        if place != at:  # an integrator's step often ends where it was evaluated last
            M, D = self._mass([*place, *[0.0] * len(q)])
        M = self._regular(M, D)[0]
        return self._metric(M if len(self.free) == len(M) else M[np.ix_(self.free, self.free)])

    def _regular(self, M: Array, D: Array) -> tuple[Array, float]:
        """M + σ DᵀD, and σ; M itself where every coordinate has inertia."""
        if not self.augmented or not len(D):
            return M, 0.0
        sigma = float(np.trace(M) / max(np.einsum("ij,ij->", D, D), 1e-300))
        return M + sigma * D.T @ D, sigma

    def _metric(self, M: Array) -> Metric:
        try:
            return Metric.of(M)
        except NoInertiaError:
            M = _whole(M)
            names = self.names if len(M) == len(self.names) else [self.names[i] for i in self.free]
            raise NoInertiaError(coordinates_without_inertia(M, names) or ", ".join(names)) from None

    def require_inertia(self, t: float, q: Array) -> None:
        """Find out whether M is regular, or regular with the constraints alone.

        Raises
        ------
        NoInertiaError
            Neither: the coordinates.
        """
        M, D = self._mass([t, *q.tolist(), *[0.0] * len(q)])
        M = _whole(M)
        self.augmented = bool(coordinates_without_inertia(M, self.names)) and len(D) > 0
        regular = self._regular(M, D)[0]
        without = coordinates_without_inertia(regular, self.names)
        if without:
            raise NoInertiaError(without)

    def at(self, t: float, q: Array, v: Array, given: Array | None = None) -> Accelerations:
        """Accelerations at a state; :class:`NoInertiaError` where M is singular.

        ``given`` accelerations of the driven coordinates stand in place of what their drives impose.
        """
        return self.of([t, *q.tolist(), *v.tolist()], given)

    def of(self, x: Sequence[float], given: Array | None = None) -> Accelerations:
        """The same at (t, q, q') in one list."""
        self.evaluations += 1
        M, F, D, rest, *power = self._all(x)
        if given is not None:
            rest[list(self.driven.values())] = -given
        self._last = list(x[: 1 + len(self.names)]), M, D
        applied, explicit = (power[0], float(power[1][0])) if power else (F, 0.0)
        if self._direct:
            return Accelerations(F, np.zeros(len(F)), applied, explicit)
        if not len(D):
            metric = self._metric(M)
            return Accelerations(metric.upper(metric.lower(F)), np.zeros(len(F)), applied, explicit)
        M, sigma = self._regular(M, D)
        metric = self._metric(M)
        if sigma:
            F = F - sigma * D.T @ rest
        both = metric.lower(np.column_stack([F, D.T]))
        y0, columns = both[:, 0], both[:, 1:]
        factor = factorised(columns, self._lengths, self.threshold)
        self.highest = max(self.highest, factor.rank)
        self.deficient |= factor.rank < self.highest
        forced = factor.least(-rest - y0 @ columns)
        return Accelerations(metric.upper(y0 + forced), metric.L @ forced, applied, explicit)

    def unconstrained(self, t: float, q: Array, v: Array) -> tuple[Array, Array, Array, float]:
        """M, F, the applied forces, ∂L/∂t at a state; of coordinates that are driven 1 and the imposed acceleration."""
        x = [t, *q.tolist(), *v.tolist()]
        self.evaluations += 1
        M, F, _, rest, *power = self._all(x)
        applied, explicit = (power[0], float(power[1][0])) if power else (F, 0.0)
        M = _whole(self._mass(x)[0] if self._direct else M)
        if self._direct:
            F = M @ F
        for i, row in self.driven.items():
            M[i], F[i] = np.eye(len(M))[i], -rest[row]
        return M, F, applied, explicit

    def multipliers(self, t: float, q: Array, v: Array, given: Array | None = None) -> Array:
        """λ (m,) of all rows; NaN where they leave it open, or there are no numbers."""
        found = np.full(len(self.rows), np.nan)
        if not self.live:
            return found
        _, _, D, _, *_ = self._all([t, *q.tolist(), *v.tolist()])
        reactions = self.at(t, q, v, given).reactions
        if np.isfinite(D).all() and np.isfinite(reactions).all():
            found[self.live] = unique(D, reactions, self.threshold * 1e-2)
        return found


def _lower(M: Formula) -> Formula:
    """The lower triangle (n, n), which is all that a factor asks for."""
    found = M.copy()
    found[np.triu_indices(len(M), 1)] = ZERO
    return found


def _whole(M: Array) -> Array:
    """The symmetric matrix of a lower triangle."""
    return np.asarray(np.tril(M) + np.tril(M, -1).T)
