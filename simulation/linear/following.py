"""Steady motions near a state with values that are given: f(x) = Σ c_k X_k(x) solved for the state x and the factors c.

    r = S f(x) - Σ c_k S X̂_k(x) ,   ∂r/∂x = A_rel ,   ∂r/∂c_k = -S X̂_k

by a Levenberg-Marquardt method with exact slopes. X_k are the symmetries of the equations, and S takes rates and
accelerations of the independent coordinates. Steady motions come in families: values not given stay near the start.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.limits import count, format_names
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from ..keeping import Placed, describe_moves, place_state
from ..motion.arrays import Array
from ..poses import describe_far
from .equations import SlopeEquations, equations
from .equilibrium import NoEquilibriumError
from .linearised import Surroundings, find_moves
from .modes import without_rounding
from .reduction import Basis, accelerations, choice, reduce_equations, state_space, units_of
from .relative import STEADY, ZERO_PART, FieldNumbers, bound_rounding, complement, describe_generator, word_field
from .smooth import require_smooth
from .symmetry import Symmetries, find_symmetries

#: Steps before no steady motion is said to be near; what is left of x' then, as a part of rates, and where steps end.
STEPS, SOLVED, SMALLEST = 300, 1e-11, 1e-15
#: No independent coordinate moves farther in a step (in its unit); damping is no less than this, nor more.
LONGEST, DAMPING = 0.5, (1e-12, 1e6)
#: Singular values below this part of the largest are directions of neighbours; so much of one is across symmetries.
FREE, ACROSS = 1e-9, 1e-6
#: The mass matrix in units of the coordinates has no smaller eigenvalue.
SINGULAR: Final = 1e-12


@dataclass(frozen=True)
class RelativeEquilibrium:
    """A steady motion of a system with n coordinates.

    Attributes
    ----------
    system, formalism : names of the system and of the formalism
    state : positions and rates, on the constraints
    coordinates : names of all coordinates
    generator, along : the symmetries along which the motion goes on, in words, and their factors by name
    given : values that were asked for, by coordinate or rate
    accelerations (n,) : q'' of the motion
    residual : the largest part of x' that is no sum of symmetries, relative to rates
    families : number of families of neighbouring steady motions with the same given values
    steps : number of steps of the search
    diagnostics : remarks
    fields : the same symmetries with their factors, to be evaluated in numbers
    """

    system: str
    formalism: str
    state: State
    coordinates: tuple[str, ...]
    generator: str
    along: Mapping[str, float]
    given: Mapping[str, float]
    accelerations: Array
    residual: float
    families: int
    steps: int
    diagnostics: tuple[Diagnostic, ...] = ()
    fields: FieldNumbers | None = field(default=None, repr=False)


def find_relative_equilibrium(
    system: System, by: Formalism, state: State, given: Mapping[str, float], hold: Collection[str] = (),
    timed: bool = False,
) -> RelativeEquilibrium:  # fmt: skip
    """Find the steady motion near a state that has given positions (``a``) and rates (``a'``).

    Parameters
    ----------
    system, by : the model, and the formalism that gives its equations
    state : start of the search; a start at rest without given rates stays at rest
    given : values by coordinate or rate
    hold : coordinates that stay fixed
    timed : True if the time of the state was given, which a model needs whose equations depend on it

    Raises
    ------
    NoEquilibriumError
        No steady motion is near; the finding names the largest residual and its coordinate.
    NumbersError
        The constraints do not admit the values; the equations depend on a time that was not given.
    FormalismError
        The formalism does not take the model.
    """
    made = equations(system, by, state.parameters, (), sorted(hold))
    if not made.names:
        raise NumbersError(error("coordinates", "the model has no coordinates", "nothing in it moves"))
    if made.rheonomic and not timed:
        raise NumbersError(error("t", "the equations depend on the time", "state it: --time 0, in Python t=0"))
    made.require_undriven()
    search = SteadySearch(system, by, made, hold)
    start = search.place(state, given)
    return search.describe(search.find(start, given), given, tuple(describe_moves(system, start)))


@dataclass(frozen=True)
class _Iterate:
    """A state on the constraints with its linear equations, and the part of x' that symmetries leave."""

    near: Surroundings
    A: Array
    shifts: Array
    take: Sequence[int]
    weights: Array
    size: float
    left: Array
    factors: Array
    steps: int = 0

    @property
    def residual(self) -> float:
        """The largest residual of x' and of the given values, relative to rates."""
        return float(np.abs(self.left).max(initial=0.0))


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of a steady motion across its symmetries (1/s), and how far rounding may move each.

    ``family`` further ones are zero; ``generator`` and ``along`` describe the moving frame of imaginary parts.
    """

    values: tuple[complex, ...]
    bounds: tuple[float, ...]
    family: int
    generator: str
    along: Mapping[str, float]

    @property
    def without_rounding(self) -> list[complex]:
        """The values, with zero for real parts that are rounding, which would name one of several as rightmost."""
        return [without_rounding(s) for s in self.values]

    @property
    def growing(self) -> int:
        """Number of eigenvalues whose real parts are positive beyond rounding."""
        return sum(s.real > bound for s, bound in zip(self.values, self.bounds, strict=True))

    def sort_growth(self, family: int, part: float) -> list[tuple[float, complex]]:
        """Return pairs of a real part, less ``part`` of its bound, and the eigenvalue, the largest first.

        Of the zeros of families, as many as ``family`` are left out.
        """
        known = [(s.real - part * bound, s) for s, bound in zip(self.values, self.bounds, strict=True)]
        return sorted([*known, *[(0.0, 0j)] * (self.family - family)], key=lambda x: (-x[0], x[1].imag))


class SteadySearch:
    """Search by a Levenberg-Marquardt method on the constraints, for a state and factors of symmetries together."""

    def __init__(
        self, system: System, by: Formalism, made: SlopeEquations, hold: Collection[str] = (),
        symmetries: Symmetries | None = None,
    ) -> None:  # fmt: skip
        self.system, self.by, self.made, self.hold = system, by, made, frozenset(hold)
        self._symmetries = symmetries
        self._fields: FieldNumbers | None = None

    def place(self, state: State, given: Mapping[str, float]) -> Placed:
        """Put a state with its given values onto the constraints.

        Raises
        ------
        NumbersError
            The constraints do not admit them.
        """
        rates = {name[:-1]: x for name, x in given.items() if name.endswith("'")}
        positions = {name: x for name, x in given.items() if not name.endswith("'")}
        start = replace(state, q={**state.q, **positions}, v={**state.v, **rates})
        placed = place_state(self.system, start, set(positions) | self.hold, set(rates))
        released = [*(x for x in placed.released if x in positions), *(f"{x}'" for x in placed.rates_released)]
        if released:
            message = (
                f"the constraints do not admit {format_names(f'{x} = {given[x]:g}' for x in released if x in given)}"
            )
            raise NumbersError(error("steady", message, "give other values, or fewer"))
        require_smooth(self.system, self.made, self._values(placed.state))
        return replace(placed, state=replace(placed.state, parameters=state.parameters))

    def find(self, start: Placed, given: Mapping[str, float]) -> _Iterate:
        """Find the steady motion with given values near a start that has them.

        Raises
        ------
        NoEquilibriumError
            No steady motion is near.
        NumbersError
            A state on the way has no numbers.
        """
        state = start.state
        resting = not any(state.v.values()) and not any(name.endswith("'") for name in given)
        fixed = dict(given) | ({f"{name}'": 0.0 for name in self.made.names} if resting else {})
        try:
            self._know_symmetries(state)
            here = self._search(self._look(state, fixed), fixed)
            if resting:  # rates are rounding
                there = replace(here.near.state, v=dict.fromkeys(self.made.names, 0.0))
                here = replace(self._look(there, fixed), steps=here.steps)
        except (ExpressionError, np.linalg.LinAlgError) as problem:
            raise NumbersError(error(self.made.formalism, str(problem), "begin elsewhere")) from None
        if not here.residual <= SOLVED:
            raise NoEquilibriumError(list(self._report(here)), here.near.state)
        return here

    def look(self, state: State) -> _Iterate:
        """Return a state with its linear equations, and the part of x' that symmetries leave there."""
        self._know_symmetries(state)
        return self._look(state, {})

    def _know_symmetries(self, state: State) -> None:
        """Find the symmetries near a state, once."""
        if self._symmetries is None:
            self._symmetries = find_symmetries(self.system, self.by, self.made, state)
        if self._fields is None:
            fields = self._symmetries.fields
            self._fields = FieldNumbers(self.made.names, fields, [1.0] * len(fields))
            self._times = np.array([FieldNumbers(self.made.names, [x], [1.0]).time for x in fields])

    def _values(self, state: State, a: Sequence[float] = (), loads: Sequence[float] = ()) -> dict[str, float]:
        made = self.made
        q, v = ([x[name] for name in made.names] for x in (state.q, state.v))
        zeros = ([0.0] * len(made.names), [0.0] * len(made.rows))
        return made.values(state.t, q, v, a or zeros[0], loads or zeros[1])

    def _look(self, state: State, fixed: Mapping[str, float]) -> _Iterate:
        """Return a state with its linear equations, and the residuals of x' and of the ``fixed`` values."""
        made, n = self.made, len(self.made.names)
        at = made.numbers(self._values(state))
        units = units_of(at.M)
        chosen = choice(at.lines, made.holonomic, units)
        basis = Basis(at.D, chosen, np.linalg.solve)
        places, moving = list(chosen.positions), list(chosen.rates)
        inertia = basis.rates.T @ at.M @ basis.rates * np.outer(units[moving], units[moving])
        if not np.linalg.eigvalsh(inertia).min(initial=1.0) > SINGULAR:
            names = format_names([made.names[i] for i in moving])
            message = f"the mass matrix is not positive on what the constraints leave free, {names}"
            raise NumbersError(error("M", message, "give what moves a positive mass or inertia"))
        a, loads = accelerations(at, basis, np.linalg.solve)
        found = reduce_equations(at.M, made.slopes(self._values(state, a.tolist(), loads.tolist())), basis)
        A, B = state_space(found, chosen)
        moves = find_moves(found, A, B)
        near = Surroundings(self.system, self.by, made, state, at, chosen, found, a, moves)
        v = np.array([state.v[name] for name in made.names])
        size = float(max(np.abs(np.linalg.eigvals(A)).max(initial=0.0), np.abs(v / units).max(initial=0.0))) or 1.0
        weights = np.concatenate([1 / units[places], 1 / units[moving] / size])
        take = [*places, *(n + i for i in moving)]
        left, factors = self._leave(state, a, take, weights, size, fixed)
        return _Iterate(near, A, np.vstack(moves[:2]), take, weights, size, left, factors)

    def _leave(
        self, state: State, a: Array, take: Sequence[int], weights: Array, size: float, fixed: Mapping[str, float]
    ) -> tuple[Array, Array]:
        """Return the residuals of x' and of fixed values, and the factors of symmetries that make them least."""
        X = self._columns(state, take, weights)
        v = np.array([state.v[name] for name in self.made.names])
        right = np.concatenate([np.concatenate([v, a])[take] * weights / size, [1 / size] * self.made.rheonomic])
        factors = np.linalg.lstsq(X, right, rcond=1e-10)[0] if X.size else np.zeros(X.shape[1])
        given = [(self._value(state, name) - x) / self._unit(name, take, weights) for name, x in fixed.items()]
        return np.concatenate([right - X @ factors, given]), factors * size

    def _value(self, state: State, name: str) -> float:
        return state.v[name[:-1]] if name.endswith("'") else state.q[name]

    def _unit(self, name: str, take: Sequence[int], weights: Array) -> float:
        n, i = len(self.made.names), self.made.names.index(name.rstrip("'"))
        place = i + n * name.endswith("'")
        return float(1 / weights[list(take).index(place)]) if place in take else 1.0

    def _columns(self, state: State, take: Sequence[int], weights: Array) -> Array:
        """Return X̂ of every symmetry, weighted (d + p, k); with a last row of c, if equations depend on time."""
        assert self._fields is not None
        q, v = ([x[name] for name in self.made.names] for x in (state.q, state.v))
        each = [np.concatenate([x[0], x[2]])[take] * weights for x in self._fields.evaluate_each(q, v)]
        columns = np.array(each).reshape(len(each), len(take)).T
        return np.vstack([columns, self._times[None]]) if self.made.rheonomic else columns

    def _slopes(self, here: _Iterate, fixed: Mapping[str, float]) -> Array:
        """Return the derivatives of the residuals by x and by the factors c, both scaled."""
        assert self._fields is not None
        state, n, weights = here.near.state, len(self.made.names), here.weights
        q, v = ([x[name] for name in self.made.names] for x in (state.q, state.v))
        by_x = here.A.copy()
        for c, (_, DX, _, bent) in zip(here.factors, self._fields.evaluate_each(q, v), strict=True):
            if c:
                by_x -= c * (np.block([[DX, np.zeros(DX.shape)], [bent, DX]]) @ here.shifts)[here.take]
        by_x = by_x * np.outer(weights, 1 / weights) / here.size
        X = self._columns(state, here.take, weights)
        by_x = np.vstack([by_x, np.zeros((len(X) - len(by_x), by_x.shape[1]))])
        rows = [
            here.shifts[self.made.names.index(name.rstrip("'")) + n * name.endswith("'")]
            / weights / self._unit(name, here.take, weights)
            for name in fixed
        ]  # fmt: skip
        given = np.hstack([np.array(rows).reshape(len(fixed), len(weights)), np.zeros((len(fixed), X.shape[1]))])
        return np.vstack([np.hstack([by_x, -X]), given])

    def _search(self, here: _Iterate, fixed: Mapping[str, float]) -> _Iterate:
        steps, damping = 0, 1.0
        while steps < STEPS and here.residual > SMALLEST and damping < DAMPING[1]:
            J = self._slopes(here, fixed)
            least = max(damping * float(np.linalg.norm(here.left)), DAMPING[0])
            whole = np.vstack([J, least * np.eye(J.shape[1])])
            step = np.linalg.lstsq(whole, np.concatenate([-here.left, np.zeros(J.shape[1])]), rcond=None)[0]
            dx = step[: len(here.weights)]
            dx = dx * min(1.0, LONGEST / max(float(np.abs(dx).max(initial=0.0)), 1e-300))
            steps += 1
            there = here.near.place(dx / here.weights)
            left = None if there is None else self._leave(*there, here.take, here.weights, here.size, fixed)[0]
            if there is None or left is None or not np.linalg.norm(left) < np.linalg.norm(here.left):
                if here.residual <= SOLVED:
                    break
                damping *= 10
                continue
            damping = max(damping / 10, 1e-3)
            here = self._look(there[0], fixed)
        return replace(here, steps=steps)

    def find_eigenvalues(self, here: _Iterate, family: int | None = None) -> Spectrum:
        """Return the eigenvalues of A_rel across the symmetries, along constant fields alone if these suffice.

        ``family`` is the number of further null directions; None: one for each singular value that is rounding.
        """
        assert self._fields is not None and self._symmetries is not None
        state, width = here.near.state, len(here.weights)
        X = self._columns(state, here.take, here.weights)
        v = np.array([state.v[name] for name in self.made.names])
        right = np.concatenate([v, here.near.a])[here.take] * here.weights / here.size
        right = np.concatenate([right, [1 / here.size] * self.made.rheonomic])
        plain = [one.c.constant and all(x.constant for x in one.X) for one in self._symmetries.fields]
        factors = here.factors
        if any(plain):
            own = np.zeros(len(plain))
            own[plain] = np.linalg.lstsq(X[:, plain], right, rcond=1e-10)[0]
            factors = own * here.size if np.abs(right - X @ own).max() <= SOLVED else factors
        factors = np.where(np.abs(factors) > STEADY * np.abs(factors).max(initial=0.0), factors, 0.0)
        A = self._slopes(replace(here, factors=factors), {})[:width, :width] * here.size
        still = self._times == 0
        G = np.linalg.svd(X[:width, still])[0][:, : np.linalg.matrix_rank(X[:width, still])] if still.any() else None
        Q = np.eye(width) if G is None else complement(G, width)
        across = Q.T @ A @ Q
        left, sizes, _ = np.linalg.svd(across)
        null = int((sizes <= ZERO_PART * max(sizes.max(initial=0.0), np.abs(A).max(initial=0.0))).sum())
        null = null if family is None else family
        W = complement(left[:, len(across) - null :], len(across))
        inner = W.T @ across @ W
        values, vectors = np.linalg.eig(inner) if inner.size else (np.zeros(0), np.zeros((0, 0)))
        bounds = bound_rounding(inner, values, vectors)
        kept = [(one, c) for one, c in zip(self._symmetries.fields, factors.tolist(), strict=True) if c]
        return Spectrum(
            tuple(complex(x) for x in values), tuple(bounds.tolist()), len(across) - len(inner),
            ", ".join(f"{c:.6g} {word_field(one.name)}" for one, c in kept) or "rest", {one.name: c for one, c in kept},
        )  # fmt: skip

    def _report(self, here: _Iterate) -> Iterator[Diagnostic]:
        """Report the largest residual of x', and its coordinate."""
        names, n = self.made.names, len(self.made.names)
        i = int(np.argmax(np.abs(here.left[: len(here.take)])))
        place = here.take[i]
        label = f"{names[place % n]}{chr(39) * (1 + place // n)}"
        x = float(here.left[i] * here.size / here.weights[i])
        known = self._symmetries.fields if self._symmetries else ()
        symmetries = format_names([one.name for one in known]) if known else "none"
        message = f"no steady motion near the start: {x:.6g} of {label} is left beside the symmetries, {symmetries}"
        remedy = "begin nearer to one (--state), give other values or fewer, or hold the coordinate"
        yield error(f"coordinates/{names[place % n]}", message, remedy)

    def describe(
        self, here: _Iterate, given: Mapping[str, float], notes: tuple[Diagnostic, ...] = ()
    ) -> RelativeEquilibrium:
        """Return the motion through the state that was found."""
        assert self._symmetries is not None
        made, state = self.made, here.near.state
        names, fields = made.names, self._symmetries.fields
        least = STEADY * float(np.abs(here.factors).max(initial=0.0))
        kept = [(one, c) for one, c in zip(fields, here.factors.tolist(), strict=True) if abs(c) > least]
        along = FieldNumbers(names, [one for one, _ in kept], [c for _, c in kept])
        free = self._count_families(here, given)
        notes = (*notes, *describe_far(self.system, [state]))
        if free:
            families = count(free, "family", "families")
            message = f"{families} of steady motions have these values: this one is near the start"
            remedy = "name more positions or rates to choose another"
            notes = (*notes, Diagnostic("note", "steady", message, remedy))
        return RelativeEquilibrium(
            self.system.name, made.formalism, state, names, describe_generator(along),
            {one.name: c for one, c in kept}, dict(given), here.near.a, here.residual, free,
            here.steps, notes, along,
        )  # fmt: skip

    def _count_families(self, here: _Iterate, given: Mapping[str, float]) -> int:
        """Count directions, across the symmetries, to steady motions with the same given values."""
        J = self._slopes(here, given)
        _, sizes, right = np.linalg.svd(J)
        rank = int((sizes > FREE * sizes.max(initial=0.0)).sum())
        x = right[rank:, : len(here.weights)].T
        still = self._times == 0 if len(self._times) else np.zeros(0, dtype=bool)
        G = self._columns(here.near.state, here.take, here.weights)[: len(here.weights)][:, still]
        Q = np.linalg.svd(G)[0][:, : np.linalg.matrix_rank(G)] if G.size else np.zeros((len(here.weights), 0))
        return int((np.linalg.svd(x - Q @ (Q.T @ x), compute_uv=False) > ACROSS).sum()) if x.size else 0
