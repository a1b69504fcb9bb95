"""Accelerations of a system by generated code of a formalism's equations: M q'' = F + Dᵀ λ, D q'' + γ̃ = 0.

With y = Lᵀ q'' the solution of Gauss's principle is y = y₀ + A⁺(-γ̃ - A y₀), y₀ = L⁻¹ F: of all accelerations that the
rows admit, the nearest to the free ones in the metric of M. Dependent rows need no choice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbconcord.kernels.motion import MotionFactors, NoPivotError
from mbconcord.model.diagnostics import Diagnostic, NumbersError
from mbconcord.model.expressions import ZERO, ExpressionError
from mbconcord.model.limits import format_names
from mbconcord.model.mixed import coordinates_without_inertia, drive_row, find_imposed_accelerations, free
from mbconcord.model.normal_forces import solve_normal_forces
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ..rows import find_formulas, unique
from .arrays import FINE_RANK, Array, Arrays, Lengths, Metric, NoInertiaError, factorise, generate_arrays
from .formulas import Formula, MotionFormulas, PressedFormulas, array

#: Largest number of rows with which the motion is solved as formulas.
MOST = 24
#: Rows of which this part is beyond the others are independent by any threshold.
CLEAR = 1e-2


@dataclass(frozen=True)
class Accelerations:
    """Accelerations and forces at one state.

    Attributes
    ----------
    a (n,) : q''
    reactions (n,) : Dᵀ λ
    applied (n,) : generalized forces without weight
    explicit : ∂L/∂t (W)
    whole : True if the rows had no larger rank at any state of the run before
    """

    a: Array
    reactions: Array
    applied: Array
    explicit: float
    whole: bool = True


class MotionEquations:
    """Equations of motion of a system, ready for repeated evaluation at single states.

    Attributes
    ----------
    names, rows : names of the n coordinates and of the m rows
    free : indices of the coordinates along which no drive imposes an acceleration
    driven : index of each other coordinate -> index of its drive's row among the rows that are not zero
    highest : the largest rank of the rows in the run so far
    evaluations : number of evaluated accelerations
    augmented : True if some coordinate has inertia only through the constraints
    normal_forces : solver for normal forces on which applied forces depend, None if they depend on none; names that
        are ``given`` are inputs that follow t, q, q' among the numbers of a state
    """

    def __init__(
        self, system: System, formulas: MotionFormulas, balanced: bool = True, given: tuple[str, ...] = ()
    ) -> None:
        self.names, self.free = system.coordinate_names, free(system)
        self.inputs = ("t", *self.names, *(f"{name}'" for name in self.names))
        self.highest, self.evaluations, self.augmented = 0, 0, False
        live = [i for i, row in enumerate(formulas.D) if any(x is not ZERO for x in row)]
        self.of_formulas = find_formulas(system, [formulas.rows[i] for i in live])
        self._lengths = Lengths(self.of_formulas)
        self.live, self.rows = live, formulas.rows
        places = {formulas.rows[i]: place for place, i in enumerate(live)}
        self.driven = {self.names.index(name): places[drive_row(name)] for name in find_imposed_accelerations(system)}
        energies = formulas.energies if balanced else None
        explicit = ZERO if energies is None else energies.explicit
        self._direct = formulas.acceleration is not None
        head = formulas.acceleration if formulas.acceleration is not None else formulas.force
        lower = _lower(formulas.mass)
        mass = np.empty(0, dtype=object) if self._direct else lower
        wanted: list[Formula] = [mass, head, formulas.D[live], formulas.rest[live]]
        if energies is not None:
            wanted += [formulas.applied, np.array([explicit], dtype=object)]
        self.normal_forces = NormalForces(formulas.pressed) if formulas.pressed else None
        known = self.normal_forces.names if self.normal_forces else given
        self._all = generate_arrays(wanted, (*self.inputs, *known))
        if self.normal_forces:
            run, press = self._all, self.normal_forces
            self._all = lambda x: run([*x, *press(x)])
        self._mass = generate_arrays([lower, formulas.D[live]], self.inputs)
        self._solved = None if self._direct or known or not 0 < len(live) <= MOST else self._solve(formulas, wanted[4:])
        #: (t, q) of the last evaluation, with the lower triangle of M and D there.
        self._last: tuple[list[float], Array, Array] = ([], np.zeros(0), np.zeros(0))

    def _solve(self, formulas: MotionFormulas, power: Sequence[Formula]) -> Arrays | None:
        """Return a function of the motion solved as formulas, with what judges the rows.

        None if M has a zero pivot, or rows that are constant depend on each other.
        """
        D, n = formulas.D[self.live].tolist(), len(self.names)
        try:
            factors = MotionFactors(formulas.mass.tolist(), D)
            a, loads = factors.solve(formulas.force.tolist(), formulas.rest[self.live].tolist())
            reactions = [sum((row[i] * x for row, x in zip(D, loads, strict=True)), ZERO) for i in range(n)]
            own = (a, reactions, [factors.sound], factors.lengths, factors.sizes)
            return generate_arrays([*(array(x, (len(x),)) for x in own), *power], self.inputs)
        except (NoPivotError, ExpressionError):
            return None

    def mass(self, t: float, q: Array) -> Array:
        """Compute M (n, n) at a position."""
        return _whole(self._mass([t, *q.tolist(), *[0.0] * len(q)])[0])

    def slopes(self, t: float, q: Array) -> Array:
        """Compute D (m, n) of the live rows at a position."""
        return np.asarray(self._mass([t, *q.tolist(), *[0.0] * len(q)])[1])

    def mobility(self, x: Sequence[float], threshold: float) -> Array:
        """Compute the accelerations (n, n) that unit forces along the coordinates add, with the rows closed."""
        n = len(self.names)
        M, D = self._mass([*x[: 1 + n], *[0.0] * n])
        metric = self._metric(self._regular(M, D)[0])
        made = metric.lower(np.eye(n))
        if len(D):
            columns = metric.lower(D.T)
            U, sizes, _ = np.linalg.svd(columns / self._lengths.update(columns), full_matrices=False)
            U = U[:, sizes > threshold * sizes.max(initial=0.0)]
            made = made - U @ (U.T @ made)
        return np.asarray(made.T @ made)

    def metric(self, t: float, q: Array) -> Metric:
        """Return the metric of M for the free coordinates; of M + σ DᵀD if some have inertia by constraints only."""
        place = [t, *q.tolist()]
        at, M, D = self._last
        if place != at:  # an integrator's step often ends where it was evaluated last
            M, D = self._mass([*place, *[0.0] * len(q)])
        M = self._regular(M, D)[0]
        return self._metric(M if len(self.free) == len(M) else M[np.ix_(self.free, self.free)])

    def _regular(self, M: Array, D: Array) -> tuple[Array, float]:
        """Return M + σ DᵀD, and σ; M itself if every coordinate has inertia."""
        if not self.augmented or not len(D):
            return M, 0.0
        sigma = (float(np.trace(M)) or 1.0) / max(float(np.einsum("ij,ij->", D, D)), 1e-300)
        return M + sigma * D.T @ D, sigma

    def _metric(self, M: Array) -> Metric:
        try:
            return Metric.from_matrix(M)
        except NoInertiaError:
            M = _whole(M)
            names = self.names if len(M) == len(self.names) else [self.names[i] for i in self.free]
            raise NoInertiaError(coordinates_without_inertia(M, names) or format_names(names)) from None

    def require_inertia(self, t: float, q: Array) -> None:
        """Set ``augmented``: False if M is regular by itself, True if it is regular only with the constraints.

        Raises
        ------
        NoInertiaError
            M is singular in both cases: the text names the coordinates, and the freedom that the constraints leave.
        """
        M, D = self._mass([t, *q.tolist(), *[0.0] * len(q)])
        M = _whole(M)
        self.augmented = bool(coordinates_without_inertia(M, self.names)) and len(D) > 0
        regular = self._regular(M, D)[0]
        without = coordinates_without_inertia(regular, self.names)
        if without:
            left = len(M) - int(np.linalg.matrix_rank(D)) if self.augmented else 0
            some = f"{left} degree{'s' if left > 1 else ''} of freedom"
            raise NoInertiaError(f"{without}, and the rows leave {some}" if left else without)

    def evaluate_at(self, t: float, q: Array, v: Array, threshold: float, given: Array | None = None) -> Accelerations:
        """Compute accelerations at a state; :class:`NoInertiaError` if M is singular.

        ``threshold`` decides which rows depend on each other; ``given`` accelerations of driven coordinates replace
        those that their drives impose.
        """
        return self.evaluate([t, *q.tolist(), *v.tolist()], threshold, given)

    def evaluate(self, x: Sequence[float], threshold: float, given: Array | None = None) -> Accelerations:
        """Solve for the accelerations at (t, q, q') in one list."""
        self.evaluations += 1
        if self._solved and given is None and not self.augmented:
            a, reactions, sound, lengths, sizes, *power = self._solved(x)
            if sound[0] == len(a) + len(sizes) and (sizes > (CLEAR * self._lengths.grow(np.sqrt(lengths))) ** 2).all():
                self.highest = len(sizes)
                explicit = float(power[1][0]) if power else 0.0
                return Accelerations(a, reactions, power[0] if power else np.zeros(len(a)), explicit)
            if self.evaluations == 1:  # rows that depend on each other everywhere
                self._solved = None
        M, F, D, rest, *power = self._all(x)
        if given is not None:
            rest[list(self.driven.values())] = -given
        if not self._direct:
            self._last = list(x[: 1 + len(self.names)]), M, D
        applied, explicit = (power[0], float(power[1][0])) if power else (F, 0.0)
        if self._direct:
            return Accelerations(F, np.zeros(len(F)), applied, explicit)
        if not len(D):
            metric = self._metric(M)
            return Accelerations(metric.upper(metric.lower(F)), np.zeros(len(F)), applied, explicit)
        regular, sigma = self._regular(M, D)
        metric = self._metric(regular)
        both = metric.lower(np.column_stack([F - sigma * D.T @ rest if sigma else F, D.T]))
        y0, columns = both[:, 0], both[:, 1:]
        factor = factorise(columns, self._lengths, threshold)
        self.highest = max(self.highest, factor.rank)
        whole = factor.rank == self.highest
        forced = factor.least(-rest - y0 @ columns)
        a = metric.upper(y0 + forced)
        # With σ the rounding of σ DᵀD a, which nothing in the model measures, would stand in the reactions.
        reactions = _whole(M) @ a - F if sigma else metric.L @ forced
        return Accelerations(a, reactions, applied, explicit, whole)

    def evaluate_unconstrained(self, t: float, q: Array, v: Array) -> tuple[Array, Array, Array, float]:
        """Compute M, F, applied forces, ∂L/∂t at a state; rows of driven coordinates say q'' = its imposed value."""
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

    def multipliers(
        self, t: float, q: Array, v: Array, threshold: float, given: Array | None = None, reactions: Array | None = None
    ) -> Array:
        """Compute λ (m,) of all rows; NaN where it is undetermined, or there are no numbers."""
        return self.solve_multipliers([t, *q.tolist(), *v.tolist()], threshold, given, reactions)

    def solve_multipliers(
        self, x: Sequence[float], threshold: float, given: Array | None = None, reactions: Array | None = None
    ) -> Array:
        """Compute λ (m,) as :meth:`multipliers` does, from (t, q, q') in one list, or from Dᵀ λ = ``reactions``."""
        found = np.full(len(self.rows), np.nan)
        if not self.live:
            return found
        _, _, D, _, *_ = self._all(x)
        reactions = self.evaluate(x, threshold, given).reactions if reactions is None else reactions
        if np.isfinite(D).all() and np.isfinite(reactions).all():
            sizes = np.where(self.of_formulas, np.abs(D).max(axis=1, initial=0.0), 1.0)
            sizes[sizes == 0] = 1.0
            found[self.live] = unique(D / sizes[:, None], reactions, threshold * 1e-2) / sizes
        return found


class NormalForces:
    """Solver for normal forces at single states, from the multipliers of the rows that press.

    Attributes
    ----------
    refused : time at which there was no solution, or more than one, and the reason; None until then
    """

    def __init__(self, pressed: PressedFormulas) -> None:
        self.names, own = pressed.of.names, pressed.formulas
        self._equations = MotionEquations(pressed.of.system, own, False, self.names)
        self._rows = [[own.rows.index(row) for row in rows] for rows in pressed.of.rows]
        self._last: tuple[list[float], Array] = ([], np.zeros(0))
        self.refused: tuple[float, Diagnostic] | None = None

    def __call__(self, x: Sequence[float]) -> Array:
        """Return the normal forces (k,) at (t, q, q'); NaN without a unique solution, so that no step goes there."""
        place = list(x)
        if place != self._last[0]:
            self._last = place, self._solve(place)
        return self._last[1]

    def _solve(self, x: Sequence[float]) -> Array:
        n, k = (len(x) - 1) // 2, len(self.names)
        more = [0.0] * (len(self._equations.names) - n)
        place = [*x[: 1 + n], *more, *x[1 + n :], *more]
        if not self._last[0]:
            self._equations.require_inertia(x[0], np.array(place[1 : 1 + n + len(more)]))

        def press(values: Array) -> list[Array]:
            found = self._equations.solve_multipliers([*place, *values.tolist()], FINE_RANK)
            return [found[rows] for rows in self._rows]

        free = press(np.zeros(k))
        if not all(np.isfinite(a).all() for a in free):
            return np.full(k, np.nan)
        step = max((float(np.abs(a).max()) for a in free), default=0.0) or 1.0
        columns = [press(step * e) for e in np.eye(k)]
        slopes = [np.stack([(y[i] - a) / step for y in columns], axis=-1) for i, a in enumerate(free)]
        try:
            return solve_normal_forces(free, slopes, self.names, f" at t = {x[0]:.9g}")
        except NumbersError as unsolved:
            self.refused = x[0], unsolved.diagnostics[0]
            return np.full(k, np.nan)


def _lower(M: Formula) -> Formula:
    """Return M (n, n) with zeros above the diagonal: a factorisation needs the lower triangle only."""
    found = M.copy()
    found[np.triu_indices(len(M), 1)] = ZERO
    return found


def _whole(M: Array) -> Array:
    """Complete the symmetric matrix from its lower triangle."""
    return np.asarray(np.tril(M) + np.tril(M, -1).T)
