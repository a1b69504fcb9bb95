"""Steady motions: x' = Σ c_k X_k(x) along symmetries X_k, and the linear equations in the frame that moves with them.

    A_rel = A - S DX̂ T ,   X = Σ c_k X_k ,   DX̂ = [[DX, 0], [D²X(v, ·), DX]]

T are all shifts of positions and rates by x = (z, w), and S takes those of z and w out of them: A_rel is constant along
the motion, and A of one moment is not. Symmetries themselves are neutral directions: with Q across them QᵀA_rel Q
decides. Its null vectors are directions of neighbouring steady motions, if there are such.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.model.expressions import evaluate, symbol
from mbconcord.model.expressions.calculus import jacobian
from mbconcord.model.state import State
from mbconcord.records import dataclass, field

from ..motion.arrays import Array
from ..motion.formulas import array
from .equations import SlopeEquations
from .modes import LinearMode, coincide, normal, resonate, without_rounding
from .reduction import Arrays, IndependentCoordinates, LinearNumbers, units_of
from .symmetry import Symmetries, SymmetryField, lift

#: A motion is steady to this part of its rates, and of the forces; beyond the other it is not nearly steady.
STEADY, NEARLY = 1e-9, 1e-3
#: Singular values of A_rel below this part of the largest are zero; so much of a symmetry leaves the symmetries.
ZERO_PART, LEAVES = 1e-9, 1e-8
#: A part of an eigenvalue that is growth or decay, and one that is rounding.
GROWS, ROUNDING = 1e-6, 1e-9
#: Left and right null vectors below this are one chain: zero is a defective eigenvalue.
CHAINED: Final = 1e-6
#: Then so small a part is zero: a fourfold zero is found to ε to the 1/4.
DEFECT: Final = 1e-4
#: So far neighbours are sought, the next where no step leads on, in so many steps; found to this part of rates.
ASIDE, STEPS, FOUND = (0.1, 0.02, 0.004), 25, 1e-10

#: Rounding of inertial forces, as a part of those that the fastest rate would cause: a free body has no other forces.
ROUNDED: Final = 1e-15

ASYMPTOTIC: Final = "asymptotically stable, up to the neutral directions"
LINEARLY: Final = "stable in the linear equations: no mode grows; nonlinear stability is not decided"
UNSTABLE: Final = "unstable"
NEUTRAL: Final = "neutral: nothing moves but along symmetries and families"
DEFECTIVE: Final = "not decided: zero is a defective eigenvalue across the symmetries"
HIGHER_ALONE: Final = (
    "not decided: along a mode at frequency zero no neighbouring steady motions are found; higher orders may decide"
)
WITHIN: Final = "stable but for modes whose growth or decay is within rounding"
COINCIDENT: Final = "not decided: two frequencies coincide within rounding, and such a pair may grow"
FEEDS: Final = "stable in the linear equations alone: forces of higher order decide"


@dataclass(frozen=True)
class RelativeMotion:
    """A steady motion, or an equilibrium that moves with the symmetries; d positions and p rates.

    Attributes
    ----------
    generator : the field along which the motion goes on, in words
    A (d + p, d + p) : A_rel
    symmetry : names of independent symmetries at the state, which are neutral directions
    family : number of families of neighbouring steady motions
    names : for each family the coordinate or rate that changes most along it
    eigenvalues : eigenvalues of QᵀA_rel Q, with zeros for the families
    modes : the same eigenvalues with the shapes of the modes
    stable, stability : True if no mode grows, None if that is not decided; the same in words
    rests : True if the state itself stays where it is
    along : the field along which the motion goes on, to be evaluated in numbers
    """

    generator: str
    A: Array
    symmetry: tuple[str, ...]
    family: int
    names: tuple[str, ...]
    eigenvalues: tuple[complex, ...]
    modes: tuple[LinearMode, ...]
    stable: bool | None
    stability: str
    rests: bool
    along: FieldNumbers = field(repr=False)
    fields: tuple[SymmetryField, ...] = field(repr=False, default=())


class FieldNumbers:
    """Numbers of Σ c_k X_k and of its derivatives."""

    def __init__(self, names: Sequence[str], fields: Sequence[SymmetryField], factors: Sequence[float]) -> None:
        self.names, self.fields, self.factors = names, tuple(fields), tuple(factors)
        n, q = len(names), [symbol(x) for x in names]
        lifted = [lift(one, names) for one in fields]
        parts = [
            (list(one.X), [x for row in jacobian(one.X, q) for x in row], w, [x for row in jacobian(w, q) for x in row])
            for one, w in zip(fields, lifted, strict=True)
        ]
        flat = [x for part in parts for group in part for x in group]
        self._program, self._width = Arrays([array(flat, (len(flat),))]), 2 * n + 2 * n * n
        self.time = sum(evaluate([one.c], {})[0] * c for one, c in zip(fields, factors, strict=True))

    def evaluate_each(self, q: Sequence[float], v: Sequence[float]) -> list[tuple[Array, Array, Array, Array]]:
        """Return X (n,), DX (n, n), DX v (n,), D²X(v, ·) (n, n) of every field."""
        n = len(self.names)
        values = dict(zip(self.names, q, strict=True)) | {f"{x}'": y for x, y in zip(self.names, v, strict=True)}
        (flat,) = self._program.evaluate(values)
        parts = (np.split(line, [n, n + n * n, 2 * n + n * n]) for line in flat.reshape(-1, self._width))
        return [(X, DX.reshape(n, n), w, bent.reshape(n, n)) for X, DX, w, bent in parts]

    def evaluate(self, q: Sequence[float], v: Sequence[float]) -> tuple[Array, Array, Array, Array]:
        """Return the same four arrays of the sum of the fields with their factors."""
        n, each = len(self.names), self.evaluate_each(q, v)
        made: list[Any] = [np.zeros(n), np.zeros((n, n)), np.zeros(n), np.zeros((n, n))]
        for c, parts in zip(self.factors, each, strict=True):
            made = [x + c * y for x, y in zip(made, parts, strict=True)]
        return made[0], made[1], made[2], made[3]

    def slope(self, q: Sequence[float], v: Sequence[float]) -> Array:
        """Return DX̂ (2n, 2n) of that sum."""
        _, DX, _, bent = self.evaluate(q, v)
        return np.block([[DX, np.zeros(DX.shape)], [bent, DX]])


#: Makes a state near by, shifted by x, and its accelerations.
Place = Callable[[Array], "tuple[State, Array] | None"]


def find_generator(
    made: SlopeEquations, state: State, a: Array, at: LinearNumbers, made_of: float, found: Symmetries
) -> tuple[FieldNumbers, float]:
    """Return the symmetries, with factors, along which a motion goes on, and the part of it that they leave.

    ``a`` (n,) are the accelerations of the state, ``made_of`` the largest of the forces in units of the coordinates.
    """
    names = made.names
    q, v = ([x[name] for name in names] for x in (state.q, state.v))
    none = FieldNumbers(names, (), ())
    best = (none, np.inf)
    plain = [one for one in found.fields if one.c.constant and all(x.constant for x in one.X)]
    for fields in (plain, list(found.fields)):
        values = [FieldNumbers(names, [one], [1.0]) for one in fields]
        each = [x.evaluate(q, v) for x in values]
        units = units_of(at.M)
        size = max(float(np.abs(np.array(v) / units).max(initial=0.0)), 1e-300)
        weight = max(float(np.abs(a / units).max(initial=0.0)), size**2 if size > 1e-200 else 1.0)
        columns = [np.concatenate([x[0] / units / size, x[2] / units / weight]) for x in each]
        right = np.concatenate([np.array(v) / units / size, a / units / weight])
        if made.rheonomic:
            columns = [np.append(x, one.time) for x, one in zip(columns, values, strict=True)]
            right = np.append(right, 1.0)
        factors = np.linalg.lstsq(np.array(columns).T, right, rcond=1e-10)[0] if fields else np.zeros(0)
        factors = np.where(np.abs(factors) > 1e-13 * np.abs(factors).max(initial=0.0), factors, 0.0)
        kept = [(one, c) for one, c in zip(fields, factors.tolist(), strict=True) if c]
        along = FieldNumbers(names, [one for one, _ in kept], [c for _, c in kept])
        X, _, w, _ = along.evaluate(q, v)
        missing = float(np.abs((np.array(v) - X) / units).max(initial=0.0)) / size if any(v) or X.any() else 0.0
        noise = 10 * ROUNDED * size**2 * float(np.abs(at.M * np.outer(units, units)).max(initial=0.0))
        forced = max(0.0, float(np.abs(at.M @ (a - w) * units).max(initial=0.0)) - noise) / made_of if made_of else 0.0
        late = abs(1.0 - along.time) if made.rheonomic else 0.0
        gap = max(missing, forced, late)
        if gap < best[1]:
            best = (along, gap)
        if best[1] <= STEADY:
            break
    return best


def describe_generator(along: FieldNumbers) -> str:
    """Return a field in words: ``5 along x, -16.67 along rear``."""
    return (
        ", ".join(f"{c:.6g} {word_field(one.name)}" for one, c in zip(along.fields, along.factors, strict=True))
        or "rest"
    )


def word_field(name: str) -> str:
    """Return the name of a field as it is written after its factor: ``along x``, ``rotation about z``."""
    return name if " " in name or name == "time" else f"along {name}"


def judge_relative(
    made: SlopeEquations, state: State, found: Symmetries, along: FieldNumbers, A: Array, T: tuple[Array, Array],
    chosen: IndependentCoordinates, units: Array, fed: Callable[[], bool],
    place: Place,
) -> RelativeMotion:  # fmt: skip
    """Judge a steady motion by A_rel.

    Parameters
    ----------
    made, state, found, along : equations, the state, its symmetries and those along which it goes on
    A (d + p, d + p), T : the matrix of this moment; shifts of positions (n, d + p) and of rates (n, d + p)
    chosen, units (n,) : the independent coordinates, and units of all
    fed : function that returns True if forces of higher order may feed an oscillation
    place : makes a state on the constraints that is shifted by x, and its accelerations; None where there is none
    """
    names = made.names
    q, v = ([x[name] for name in names] for x in (state.q, state.v))
    places, moving = list(chosen.positions), list(chosen.rates)
    n = len(names)
    take = [*places, *(n + i for i in moving)]
    shifts = np.vstack(T)
    relative = A - (along.slope(q, v) @ shifts)[take]
    size = float(np.abs(np.linalg.eigvals(relative)).max(initial=0.0)) or 1.0
    weights = np.concatenate([1 / units[places], 1 / units[moving] / size])
    scaled = relative * np.outer(weights, 1 / weights)
    still = [one for one in found.fields if not evaluate([one.c], {})[0]]
    every = [FieldNumbers(names, [one], [1.0]).evaluate(q, v) for one in still]
    columns = [np.concatenate([x[0], x[2]])[take] * weights for x in every]
    symmetry, G = pick_independent([one.name for one in still], columns, len(take))
    Q = complement(G, len(take))
    across = Q.T @ scaled @ Q
    largest = float(max(np.linalg.norm(across, 2) if across.size else 0.0, np.abs(scaled).max(initial=0.0))) or 1.0
    invariant = not G.size or float(np.abs(Q.T @ scaled @ G).max(initial=0.0)) <= LEAVES * largest
    left, sizes, right = np.linalg.svd(across) if across.size else (across, np.zeros(0), across)
    null = sizes <= ZERO_PART * largest
    family = int(null.sum())
    L, R = left[:, null], right[null].T
    chained = family and float(np.linalg.svd(L.T @ R, compute_uv=False).min(initial=1.0)) <= CHAINED
    W = complement(L, len(across))
    values, vectors = np.linalg.eig(W.T @ across @ W) if W.size else (np.zeros(0), np.zeros((0, 0)))
    shape_of = T[0] / weights
    order = np.argsort(np.abs(values), kind="stable")
    flat = [np.where(np.abs(x) > ZERO_PART * np.abs(x).max(), x, 0.0) for x in (Q @ R).T]
    every_mode = [LinearMode(0j, normal((shape_of @ x).astype(complex))) for x in flat]
    rounding = bound_rounding(W.T @ across @ W, values, vectors)
    signs = []
    for i in order:
        s = complex(values[i])
        s = complex(s.real, 0.0) if abs(s.imag) <= 1e-12 * abs(s) else without_rounding(s)
        if chained and abs(s) <= DEFECT * largest:
            s = 0j
        signs.append((s, max(ROUNDING * abs(s), float(rounding[i]))))
        if s.imag >= 0:
            x = Q @ W @ vectors[:, i]
            if G.size and not (np.abs(shape_of @ x) > LEAVES * np.abs(shape_of).max()).any():  # it moves along them
                x = x + G @ np.linalg.lstsq(s * np.eye(G.shape[1]) - G.T @ scaled @ G, G.T @ scaled @ x, rcond=None)[0]
            every_mode.append(LinearMode(s, normal(shape_of @ x)))
    moved = [_along(x, names, places, moving) for x in (x / weights for x in flat)]
    stable, words = _decide(signs)
    if stable is not False:
        near = _Neighbours(made, found.fields, take, weights, Q, W, W.T @ across @ W, place)
        if not invariant or chained:
            stable, words = None, DEFECTIVE
        elif family and not all(map(near.exist, _cross_directions(flat))):
            stable, words = None, HIGHER_ALONE
        elif stable and words == LINEARLY and (fed() or resonate(every_mode)):
            stable, words = None, FEEDS
    eigenvalues = sorted([*(s for s, _ in signs), *[0j] * family], key=lambda s: (s.real, s.imag))
    X = along.evaluate(q, v)
    rests = not np.any(v) and not np.any(np.abs(X[0]) > 0) and not np.any(np.abs(X[2]) > 0)
    return RelativeMotion(
        describe_generator(along), relative + 0.0, symmetry, family, tuple(moved), tuple(eigenvalues),
        tuple(every_mode), stable, words, rests, along, found.fields,
    )  # fmt: skip


def _decide(signs: Sequence[tuple[complex, float]]) -> tuple[bool | None, str]:
    if any(s.real > max(GROWS * abs(s), rounding) for s, rounding in signs):
        return False, UNSTABLE
    if not signs:
        return True, NEUTRAL
    if all(s.real < -max(ROUNDING * abs(s), rounding) for s, rounding in signs):
        return True, ASYMPTOTIC
    if coincide(s for s, _ in signs):
        return None, COINCIDENT
    even = all(
        s.real < -rounding or abs(s.real) <= max(ROUNDING * abs(s), rounding) <= GROWS * abs(s) for s, rounding in signs
    )
    return (True, LINEARLY) if even else (None, WITHIN)


def bound_rounding(A: Array, values: Array, vectors: Array) -> Array:
    """Return how far rounding may move each eigenvalue: ε |A| times its condition number."""
    if not len(values):
        return np.zeros(0)
    try:
        left = np.linalg.inv(vectors)
    except np.linalg.LinAlgError:
        return np.full(len(values), np.inf)
    return np.asarray(100 * np.finfo(float).eps * np.linalg.norm(A) * np.linalg.norm(left, axis=1))


def pick_independent(names: Sequence[str], columns: Sequence[Array], size: int) -> tuple[tuple[str, ...], Array]:
    """Return names of independent columns, and an orthonormal basis of them (size, g)."""
    kept, G = [], np.zeros((size, 0))
    for name, column in zip(names, columns, strict=True):
        left = column - G @ (G.T @ column)
        left = left - G @ (G.T @ left)
        if np.linalg.norm(left) > LEAVES * np.linalg.norm(column):
            kept.append(name)
            G = np.hstack([G, (left / np.linalg.norm(left))[:, None]])
    return tuple(kept), G


def complement(G: Array, size: int) -> Array:
    """Return an orthonormal basis (size, size - g) across orthonormal columns."""
    if not G.shape[1]:
        return np.eye(size)
    return np.asarray(np.linalg.svd(G, full_matrices=True)[0][:, G.shape[1] :])


def _cross_directions(flat: Sequence[Array]) -> list[Array]:
    """Return directions, and sums of several: neighbours along each alone may lie on lines that cross."""
    if len(flat) < 2:
        return list(flat)
    factors = np.random.default_rng(4).standard_normal((len(flat) + 1, len(flat)))
    return [*flat, *(factors @ np.array([x / np.abs(x).max() for x in flat]))]


def _along(x: Array, names: Sequence[str], places: Sequence[int], moving: Sequence[int]) -> str:
    labels = [*(names[i] for i in places), *(f"{names[i]}'" for i in moving)]
    return labels[int(np.argmax(np.abs(x)))] if len(x) else ""


class _Neighbours:
    """Search for steady motions near a given one, by Newton's method with the matrix of that one."""

    def __init__(
        self, made: SlopeEquations, fields: Sequence[SymmetryField], take: Sequence[int], weights: Array, Q: Array,
        W: Array, matrix: Array, place: Place,
    ) -> None:  # fmt: skip
        self._made, self._take, self._weights, self._place = made, list(take), weights, place
        self._fields = FieldNumbers(made.names, fields, [1.0] * len(fields))
        self._times = [FieldNumbers(made.names, [one], [1.0]).time for one in fields]
        self._W = Q @ W
        self._inverse = np.linalg.pinv(matrix)
        self._rate = float(np.abs(matrix).max(initial=0.0)) or 1.0

    def exist(self, direction: Array) -> bool:
        """Return True if there are steady motions on both sides along a direction, scaled by the weights."""
        return all(self._is_found(sign * direction / np.abs(direction).max()) for sign in (1.0, -1.0))

    def _is_found(self, direction: Array) -> bool:
        for far in ASIDE:
            x, inverse = far * direction, self._inverse
            step: Array = np.zeros(0)
            before: Array = step
            for _ in range(STEPS):
                there = self._place(x / self._weights)
                left = self._leave(*there) if there else np.array([np.inf])
                if not float(np.abs(left).max()) <= self._rate:
                    break
                if float(np.abs(left).max()) <= FOUND * self._rate:
                    return True
                y = self._W.T @ left
                if float(np.abs(y).max(initial=0.0)) <= FOUND * self._rate / 10:
                    return False  # balanced but for what no step along other directions takes away
                if len(step) and (along := step @ inverse @ (y - before)):  # Broyden's method
                    inverse = inverse + np.outer(step - inverse @ (y - before), step @ inverse) / along
                step, before = np.asarray(-inverse @ y), np.asarray(y)
                x = x + self._W @ step
        return False

    def _leave(self, state: State, a: Array) -> Array:
        """Return the part (d + p,) of x' that is no sum of symmetries."""
        names = self._made.names
        q, v = ([x[name] for name in names] for x in (state.q, state.v))
        each, here = self._fields.evaluate_each(q, v), np.concatenate([v, a])[self._take] * self._weights
        columns = [np.concatenate([x[0], x[2]])[self._take] * self._weights for x in each]
        if self._made.rheonomic:
            columns = [np.append(x, c * self._rate) for x, c in zip(columns, self._times, strict=True)]
            here = np.append(here, self._rate)
        if columns:
            M = np.array(columns).T
            here = here - M @ np.linalg.lstsq(M, here, rcond=1e-10)[0]
        return np.asarray(here[: len(self._take)])
