"""Arrays of expressions as generated code: constants are in place, the rest is computed at one state.

Linear algebra of the motion: the metric of M, and constraint rows factorised in it.

In the metric of M metres and radians are comparable: with M = L Lᵀ and A = D L⁻ᵀ a motion δq costs |Lᵀ δq|², and A⁺ b
is the cheapest solution of D δq = b. Each row is scaled by its largest length in the run, not by its present one, which
would make a row that vanishes at a singular position look sound; then rows beyond the rank, dependent or vanishing, are
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgeqp3, dormqr, dpotrf, dtrtrs
from scipy.optimize import brentq

from mbconcord.kernels.llvm.build import BuildTask, build
from mbconcord.kernels.llvm.engine import missing
from mbconcord.kernels.llvm.options import Options
from mbconcord.kernels.registry import Scalar, scalar
from mbconcord.model.expressions import Expression, evaluate_float
from mbconcord.model.expressions.node import NUM
from mbconcord.model.expressions.program import program
from mbconcord.records import dataclass

from .formulas import Formula

# Where values change their signs within a step: 9 instants are looked at, more where values turn between these.


#: Intervals are divided so often at the most, there: at equal distances a swing of that period would look still.
DIVIDED: Final = 12
ASIDE: Final = (0.382, 0.618)
#: The values before predict new ones to this part of the largest value, or this; where not, so many intervals on each
#: side are divided too.
PREDICTED, NOTHING, BESIDE = 0.05, 1e-12, 2
FIRST: Final = np.linspace(0.0, 1.0, 5)
SECOND: Final = FIRST[:-1] + np.resize(ASIDE, 4) * np.diff(FIRST)
#: The quartic through values at the first instants, at the second ones.
PREDICTS: Final = np.vander(SECOND, 5) @ np.linalg.inv(np.vander(FIRST))


def look_within(
    t: float, y: Array, end: float, there: Array, between: Callable[[float], Array],
    values: Callable[[float, Array], Array],
) -> tuple[list[float], Array]:  # fmt: skip
    """Return instants of a step from y to the state ``there``, and the values (K, k) at them."""
    times = np.append(t + FIRST[:-1] * (end - t), end)
    found = np.array([values(t, y), *(values(s, between(s)) for s in times[1:-1].tolist()), values(end, there)])
    at = np.arange(4)  # intervals to be divided
    for level in range(DIVIDED):
        new = times[at] + np.resize(ASIDE, len(at)) * (times[at + 1] - times[at])
        more = np.array([values(s, between(s)) for s in new.tolist()])
        told, known = (np.where(np.isfinite(x), x, 0.0) for x in (found, more))
        sizes = np.maximum(np.abs(told).max(axis=0), np.abs(known).max(axis=0))
        predicted = _predict(times, told, new) if level else PREDICTS @ told
        odd = (np.abs(known - predicted) > PREDICTED * sizes + NOTHING).any(axis=1)
        times, found = np.insert(times, at + 1, new), np.insert(found, at + 1, more, axis=0)
        if not odd.any() or not np.diff(times).all():
            break
        near = np.zeros(len(times) - 1)
        near[(at + np.arange(len(at)))[odd]] = 1.0
        at = np.flatnonzero(np.convolve(near, np.ones(2 * BESIDE + 2), "full")[BESIDE : BESIDE + len(near)] > 0)
    return times.tolist(), found


def _predict(times: Array, values: Array, at: Array) -> Array:
    from scipy.interpolate import CubicSpline  # of what few steps need

    return np.asarray(CubicSpline(times, values)(at))


def find_root(value: Callable[[float], float], a: float, b: float, otherwise: float) -> float:
    """Return the time between two at which a value is zero; ``otherwise`` if it has no opposite signs there."""
    return float(brentq(value, a, b, xtol=1e-300, rtol=1e-15)) if value(a) * value(b) < 0 else otherwise


# One state after the other, thousands of times: generated Python first, then machine code that gives the same bits.


#: After so many calls machine code is made: by then Python has taken as long as LLVM takes.
CALLS: Final = 2_000
#: Of programs of fewer steps a call of NumPy's costs as much as they do.
STEPS: Final = 100
#: Nothing is rounded otherwise than in Python: the numbers do not tell which of the two computed them.
EXACT: Final = Options(fma=False, accuracy="library", width=1, reciprocals=False)
#: Crossings of one force that are told.
TOLD: Final = 3


class Repeated:
    """Function that computes the outputs from numbers of the inputs, bit for bit as :func:`.scalar.scalar` does.

    Machine code takes over where llvmlite is installed and the function was called :data:`CALLS` times, if at that
    state it gives the same numbers; where it does not, Python goes on.

    Attributes
    ----------
    machine : True once machine code computes the outputs
    """

    def __init__(self, outputs: Sequence[Expression], inputs: Sequence[str]) -> None:
        self._outputs, self._inputs = tuple(outputs), tuple(inputs)
        self._python = scalar(self._outputs, self._inputs)
        self._run: Scalar = self._count_and_run
        self._calls = 0
        self.machine = False

    def __call__(self, values: Sequence[float]) -> Sequence[float]:
        """Compute the outputs; see :func:`.scalar.scalar`."""
        return self._run(values)

    def _count_and_run(self, values: Sequence[float]) -> Sequence[float]:
        self._calls += 1
        found = self._python(values)
        if self._calls >= CALLS:
            made = self._compile()
            self.machine = made is not None and np.array_equal(made(values), found, equal_nan=True)
            self._run = made if made is not None and self.machine else self._python
        return found

    def _compile(self) -> Scalar | None:
        """Compile machine code of the same steps, if possible and worthwhile."""
        lines = program(self._outputs)
        if len(lines.steps) < STEPS or missing():
            return None
        ufunc = build(BuildTask(lines, (self._inputs,), (len(self._outputs),), EXACT)).ufunc

        def function(values: Sequence[float]) -> Any:
            with np.errstate(all="ignore"):
                found: NDArray[np.float64] = ufunc(np.array(values, dtype=float))
            return found

        return function


Array = NDArray[np.float64]
#: Values of t, q and q' in this order -> the arrays.
Arrays = Callable[[Sequence[float]], Sequence[Any]]


def generate_arrays(values: Sequence[Formula], inputs: Sequence[str]) -> Arrays:
    """Generate one function of the inputs for several arrays, allocated anew by every call."""
    moulds: list[Any] = []
    outputs: list[Any] = []
    for value in values:
        flat: list[Expression] = value.ravel().tolist()
        places = [i for i, x in enumerate(flat) if not x.constant]
        still = np.array([_number(x) if x.constant else 0.0 for x in flat]).reshape(value.shape)
        first = len(outputs)
        outputs += [flat[i] for i in places]
        whole = len(places) == len(flat)
        moulds.append((still, None if whole else np.array(places, dtype=np.intp), slice(first, len(outputs))))
    function = Repeated(outputs, inputs)

    def arrays(x: Sequence[float]) -> list[Array]:
        numbers = np.asarray(function(x))
        found = []
        for still, places, part in moulds:
            if places is None:
                found.append(numbers[part].reshape(still.shape))
            else:
                made = still.copy()
                made.ravel()[places] = numbers[part]
                found.append(made)
        return found

    return arrays


def _number(constant: Expression) -> float:
    return float(constant.data) if constant.op == NUM else evaluate_float(constant, {})


#: A row that never was longer than this part of the longest is rounding.
NOTHING = 1e-12
#: Pivots below this part of the largest are zero: so a stage that lies δ off the constraints near a singular position
#: errs by δ/τ at most, and the integrator passes it.
RANK = 1e-4
#: The same where rows almost depend on each other and must all be kept.
FINE_RANK = 1e-9


class NoInertiaError(ArithmeticError):
    """M is not positive definite."""


@dataclass(frozen=True)
class Metric:
    """Cholesky factor L of M = L Lᵀ (n, n)."""

    L: Array

    @classmethod
    def from_matrix(cls, M: Array) -> Metric:
        """Factorise by Cholesky; :class:`NoInertiaError` if impossible."""
        L, info = dpotrf(M, lower=1)
        if info or not np.isfinite(L[-1:, -1:]).all():
            raise NoInertiaError
        return cls(L)

    def lower(self, b: Array) -> Array:
        """Return L⁻¹ b."""
        return np.asarray(dtrtrs(self.L, b, lower=1)[0]) if len(self.L) else b

    def upper(self, y: Array) -> Array:
        """Return L⁻ᵀ y."""
        return np.asarray(dtrtrs(self.L, y, lower=1, trans=1)[0]) if len(self.L) else y


class Lengths:
    """The largest length so far of each of m rows; short rows are rounding unless marked in ``of_formulas`` (m,)."""

    def __init__(self, of_formulas: NDArray[np.bool_] | bool = False) -> None:
        self._any = of_formulas
        self._longest: Array | None = None
        self._scale = np.zeros(0)

    def update(self, columns: Array) -> Array:
        """Return lengths (m,) by which to divide the columns of Aᵀ (n, m); infinite for rounding."""
        return self.grow(np.sqrt(np.einsum("ij,ij->j", columns, columns)))

    def grow(self, now: Array) -> Array:
        """Return the same for rows that have these lengths (m,) at a state."""
        if self._longest is None or (now > self._longest).any():
            self._longest = now if self._longest is None else np.fmax(self._longest, now)
            least = NOTHING * self._longest.max(initial=0.0)
            sound = (self._longest > least) | (self._any & (self._longest > 0))
            self._scale = np.where(sound, self._longest, np.inf)
        return self._scale


@dataclass(frozen=True)
class Factor:
    """Aᵀ / s = Q R with column pivoting: Householder vectors and R, pivots, the rank."""

    qr: Array
    tau: Array
    pivots: Array
    lengths: Array
    rank: int

    def least(self, b: Array) -> Array:
        """Compute A⁺ b (n,) by the rows within the rank."""
        r, n = self.rank, len(self.qr)
        y = np.zeros((n, 1))
        if r:
            scaled = (b / self.lengths)[self.pivots[:r]]
            y[:r, 0] = dtrtrs(self.qr[:r, :r], scaled, trans=1)[0]
            y = dormqr("L", "N", self.qr[:, :r], self.tau[:r], y, 32 * n)[0]
        return np.asarray(y[:, 0])


def factorise(columns: Array, lengths: Lengths, threshold: float) -> Factor:
    """Factorise rows A given as the columns of Aᵀ (n, m)."""
    s = lengths.update(columns)
    qr, pivots, tau, _, _ = dgeqp3(columns / s)
    sizes = np.abs(np.diagonal(qr))
    rank = int(np.count_nonzero(sizes > threshold * sizes[0])) if sizes.size and sizes[0] > 0 else 0
    return Factor(qr, tau, pivots - 1, s, rank)
