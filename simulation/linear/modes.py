"""Natural modes of a linearised motion: eigenvalues s of its state space, and the shapes of its coordinates.

    x' = A x ,   s = σ ± i ω_d ,   natural frequency |s| ,   damping ratio -σ / |s|

Without damping, gyroscopic and circulatory forces the modes are those of K_r - ω² M_r, found accurately by a symmetric
eigenproblem.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.records import dataclass

from ..motion.arrays import Array

Complex = NDArray[np.complex128]
#: Parts of matrices below this are rounding.
ROUNDING: Final = 1e-13
#: A skew part of K below this part of K is rounding.
TWISTED: Final = 1e-9
#: Singular values of K_r below this part of the largest are zero, coordinates in the metric of M_r.
INDIFFERENT: Final = 1e-13
#: An eigenvalue that a zero of K_r makes may be off by this part of the largest: a double zero is found to √ε.
ZERO: Final = 1e-6
#: Eigenvalues all below this part of the rates in C and K are rounding: a fourfold zero is found to ε to the 1/4.
NOTHING_BUT_ROUNDING: Final = 1e-4
#: Modes slower than this part of the fastest, squares of frequencies without damping, keep too few digits in floats.
WIDE: Final = 1e-8
#: Frequencies whose sum is one of them up to this part of the smallest may feed each other.
RESONANT: Final = 1e-3
#: Frequencies that differ by this part of them may be one, split by rounding: a double one is found to √ε.
TOGETHER: Final = 1e-6
#: Digits in which those are found, and the parts of the largest s² and s below which one is zero there.
DIGITS: Final = 60
NOTHING: Final = (1e-36, 1e-26)
#: The most coordinates whose modes are found in these digits: without damping, and with it.
MOST: Final = (40, 10)


@dataclass(frozen=True)
class LinearMode:
    """A mode of n coordinates.

    Attributes
    ----------
    eigenvalue : s (1/s); of a conjugate pair the one with a positive imaginary part
    shape (n,) : complex amplitudes; the largest is 1, in m or rad
    """

    eigenvalue: complex
    shape: Complex

    @property
    def omega(self) -> float:
        """|s|, the natural frequency (rad/s)."""
        return abs(self.eigenvalue)

    @property
    def hertz(self) -> float:
        """Natural frequency in Hz."""
        return self.omega / (2 * np.pi)

    @property
    def damping(self) -> float:
        """Damping ratio -σ/|s|; NaN of a mode at frequency zero."""
        return 0.0 - self.eigenvalue.real / self.omega if self.omega else float("nan")

    @property
    def time(self) -> float:
        """Time (s) in which the mode grows or decays by a factor of e, 1/|σ|; NaN where it does neither."""
        changes = self.kind.endswith(("grows", "decays"))
        return float(1 / abs(self.eigenvalue.real)) if changes else float("nan")

    @property
    def kind(self) -> str:
        """``oscillates``, ``decays``, ``grows``, ``oscillates and`` one of these, or ``indifferent``."""
        s = self.eigenvalue
        if s == 0:
            return "indifferent"
        small = 1e-9 * abs(s)
        change = "" if abs(s.real) <= small else "grows" if s.real > 0 else "decays"
        if abs(s.imag) <= small:
            return change
        return f"oscillates and {change}" if change else "oscillates"


def modes(A: Array, M: Array, C: Array, K: Array, shapes: Array, plain: bool) -> tuple[LinearMode, ...]:
    """Compute all modes, slowest first; one of each conjugate pair.

    Parameters
    ----------
    A (d + p, d + p) : matrix of x' = A x, x = (z, w)
    M (p, p), C (p, p), K (p, d) : the reduced matrices
    shapes (n, d) : δq = N_h z
    plain : True if w = z'
    """
    d = shapes.shape[1]
    if not d:
        return ()
    if plain and _conservative(M, C, K):
        return _solve_undamped(M, K, shapes)
    values, vectors = np.linalg.eig(A)
    order = np.argsort(np.abs(values), kind="stable")
    values, vectors = values[order], vectors[:, order]
    size = float(np.abs(values).max(initial=0.0))
    zeros = 2 * indifferent(M, K).shape[1] if plain else len(values)
    # of conjugates that are as small both are zero, or neither
    least = min(ZERO * size, float(np.abs(values[zeros - 1])) * (1 + ROUNDING)) if zeros else -1.0
    least = size if plain and size <= NOTHING_BUT_ROUNDING * _rate(M, C, K) else max(least, ROUNDING * size)
    found = []
    for i, s in enumerate(values):
        exact = s
        if abs(s) <= least:
            s = 0j
        s = without_rounding(complex(s.real, s.imag * (abs(s.imag) > ROUNDING * size)))
        if s.imag >= 0:
            found.append(LinearMode(s, normal(shapes @ _refine(A, exact, vectors[:, i])[:d])))
    return tuple(found)


def without_rounding(s: complex) -> complex:
    """Return an eigenvalue with zero for a real part that is rounding of the whole."""
    return complex(s.real if abs(s.real) > ROUNDING * abs(s) else 0.0, s.imag)


def _rate(M: Array, C: Array, K: Array) -> float:
    """Return the largest rate (1/s) in C and K, coordinates in the metric of M."""
    return float(max(np.abs(in_metric(M, C)).max(), np.sqrt(np.abs(in_metric(M, K)).max())))


def is_wide(A: Array, M: Array, C: Array, K: Array) -> bool:
    """Return True if floats lose digits of slow modes beside fast ones; the equations must have w = z'.

    Coordinates without any stiffness make modes at frequency zero exactly; they are no reason.
    """
    none = int((~K.any(axis=0) & ~K.any(axis=1)).sum())
    stiffness = np.linalg.svd(in_metric(M, K), compute_uv=False)
    if (stiffness <= WIDE * stiffness.max(initial=0.0)).sum() > none:
        return True
    sizes = np.abs(np.linalg.eigvals(A))
    return not _conservative(M, C, K) and bool((sizes <= WIDE * sizes.max(initial=0.0)).sum() > 2 * none)


def find_in_digits(M: Any, C: Any, K: Any, none: float = 0.0) -> tuple[LinearMode, ...] | None:
    """Compute all modes of matrices (n, n) of many digits, slowest first; one of each conjugate pair.

    Damping and forces without a potential are left out only if they are rounding even relative to the least stiffness.
    A stiffness below ``none`` (1/s², coordinates of unit mass) counts as zero. None for too many if damped.
    """
    from mpmath import MPContext

    mp, n = MPContext(), len(M)
    mp.dps = DIGITS
    mass, damping, stiffness = (
        mp.matrix([[mp.convert(x) for x in row] for row in matrix]) for matrix in (M, C, (K + K.T) / 2)
    )
    pairs: list[tuple[complex, int]] = []
    inverse = mp.inverse(mp.cholesky(mass))
    squares, vectors = mp.eigsy(inverse * stiffness * inverse.T)
    nothing = max(none, NOTHING[0] * max(map(abs, squares)))
    least = min((abs(x) for x in squares if abs(x) > nothing), default=mp.mpf(0))
    rate, twist = (max(map(abs, inverse * mp.matrix(x.tolist()) * inverse.T)) for x in (C, (K - K.T) / 2))
    if rate <= ROUNDING * mp.sqrt(least) and twist <= ROUNDING * least:
        vectors = inverse.T * vectors
        for i, square in enumerate(squares):
            if abs(square) <= nothing:
                pairs.append((0j, i))
            elif square > 0:
                pairs.append((complex(0.0, float(mp.sqrt(square))), i))
            else:
                pairs += [(complex(sign * float(mp.sqrt(-square)), 0.0), i) for sign in (1, -1)]
    elif n > MOST[1]:
        return None
    else:
        stiffness = mp.matrix([[mp.convert(x) for x in row] for row in K])
        A, inverse = mp.zeros(2 * n), mp.inverse(mass)
        by_z, by_w = -inverse * stiffness, -inverse * damping
        for i in range(n):
            A[i, n + i] = 1
            for j in range(n):
                A[n + i, j], A[n + i, n + j] = by_z[i, j], by_w[i, j]
        values, vectors = mp.eig(A)
        small = NOTHING[1] * max(map(abs, values))
        for i, value in enumerate(values):
            z = vectors[:n, i]
            of_mass, along = (abs((z.H * matrix * z)[0]) for matrix in (mass, damping))
            if abs(value) * (abs(value) * of_mass + along) <= none * of_mass:
                value = mp.mpf(0)
            s = complex(*(0.0 if abs(part) <= small else float(part) for part in (mp.re(value), mp.im(value))))
            if s.imag >= 0:
                pairs.append((s, i))
    found = []
    for s, i in pairs:
        shape = [vectors[j, i] for j in range(n)]
        largest = max(shape, key=abs)
        scaled = np.array([complex(x / largest) if largest else 0j for x in shape])
        first = scaled[int(np.argmax(np.abs(scaled)))]
        found.append(LinearMode(s, np.array(scaled / first if first else scaled)))
    return tuple(sorted(found, key=lambda mode: (mode.omega, -mode.eigenvalue.real)))


def _refine(A: Array, s: complex, vector: Complex) -> Complex:
    """Refine an eigenvector by a step of inverse iteration, if that reduces the residual.

    LAPACK balances a matrix first, even by its rounding where an entry is zero; that may cost half of the digits.
    """
    unit = np.eye(len(A))
    try:
        with np.errstate(all="ignore"):
            found = np.linalg.solve(A - s * unit, vector)
            found = found / np.linalg.norm(found)
    except np.linalg.LinAlgError:
        return vector
    left, before = (np.linalg.norm(np.einsum("ij,j->i", A, x) - s * x) for x in (found, vector))  # threads cost more
    return np.asarray(found) if left < before else vector


def is_stable(found: Sequence[LinearMode], C: Array, K: Array) -> bool | None:
    """Return whether no mode grows; None where one is at frequency zero, or may grow or decay within rounding.

    An oscillation neither grows nor decays where nothing feeds it: damping takes energy, and K (p, d) is symmetric.
    Two modes of one frequency may be a chain, which grows like t, unless K is positive: a minimum of the energy.
    """
    kinds = [mode.kind for mode in found]
    if any(kind.endswith("grows") for kind in kinds):
        return False
    if "indifferent" in kinds or ("oscillates" in kinds and (feeds_energy(C) or is_twisted(K))):
        return None
    values = np.linalg.eigvalsh((K + K.T) / 2) if K.shape[0] == K.shape[1] else np.zeros(1)
    held = values.size and values.min() <= INDIFFERENT * np.abs(values).max()
    return None if held and coincide(mode.eigenvalue for mode in found) else True


def coincide(values: Iterable[complex]) -> bool:
    """Return True if two eigenvalues next to the imaginary axis have one frequency within rounding."""
    w = np.sort([s.imag for s in values if s.imag > 0 and abs(s.real) <= TOGETHER * s.imag])
    return bool((np.diff(w) <= TOGETHER * w[1:]).any())


def is_held_by_rates(found: Sequence[LinearMode], M: Array, K: Array) -> bool:
    """Return True if a mode oscillates though K (p, p) is not positive: gyroscopic forces hold it, not stiffness."""
    if K.shape[0] != K.shape[1] or not any(mode.kind == "oscillates" for mode in found):
        return False
    values = np.linalg.eigvalsh(in_metric(M, (K + K.T) / 2))
    return bool(values.min() <= INDIFFERENT * np.abs(values).max())


def resonate(found: Sequence[LinearMode]) -> bool:
    """Return whether frequencies without damping are in a ratio of 2 or 3, or one is the sum of two others."""
    w = np.array([mode.omega for mode in found if mode.kind == "oscillates"])
    sums = np.concatenate([np.add.outer(w, w).ravel(), 3 * w])
    return bool((np.abs(np.subtract.outer(sums, w)) <= RESONANT * w.min(initial=np.inf)).any())


def feeds_energy(C: Array) -> bool:
    """Return whether a motion gains energy by C (p, p) beyond rounding."""
    return bool(np.linalg.eigvalsh((C + C.T) / 2).min(initial=0.0) < -ROUNDING * np.abs(C).max(initial=0.0))


def is_twisted(K: Array) -> bool:
    """Return True if K (p, d) is unsymmetric beyond rounding (no potential); False if it is not square."""
    return K.shape[0] == K.shape[1] and bool((np.abs(K - K.T) > TWISTED * np.abs(K).max(initial=0.0)).any())


def _conservative(M: Array, C: Array, K: Array) -> bool:
    roots = np.sqrt(np.diag(M))
    size = np.outer(roots, roots)
    k = float(np.abs(K / size).max(initial=0.0))
    damped = float(np.abs(C / size).max(initial=0.0)) > ROUNDING * np.sqrt(k)
    return not damped and float(np.abs((K - K.T) / size).max(initial=0.0)) <= ROUNDING * k


def in_metric(M: Array, K: Array) -> Array:
    """Return L⁻¹ K L⁻ᵀ with M = L Lᵀ: K for coordinates of unit mass (1/s²)."""
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    return np.asarray(inverse @ K @ inverse.T)


def indifferent(M: Array, K: Array) -> Array:
    """Return directions (p, k) without stiffness in K, orthonormal in the metric of M."""
    _, sizes, right = np.linalg.svd(in_metric(M, K))
    none = sizes <= INDIFFERENT * sizes.max(initial=0.0)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(M)).T @ right[none].T)


def soft(M: Array, K: Array) -> list[tuple[float, Array]]:
    """List stiffnesses (1/s²) that :func:`indifferent` takes for zero but that are not, with directions (p,).

    They exceed the rounding of the largest stiffness, and of the terms of which each is the sum.
    """
    none, largest = indifferent(M, K), float(np.abs(in_metric(M, K)).max(initial=0.0))
    values, turned = np.linalg.eigh(none.T @ ((K + K.T) / 2) @ none)
    every = [(float(value), np.asarray(none @ u)) for value, u in zip(values, turned.T, strict=True)]
    least = 4 * float(np.finfo(float).eps) * largest
    return [(x, v) for x, v in every if abs(x) > max(least, TWISTED * float(np.abs(v) @ np.abs(K) @ np.abs(v)))]


def name_undetermined(M: Array, K: Array) -> list[tuple[float, Array]]:
    """List a frequency (rad/s) and a direction (p,) for each mode below that frequency that rounding hides.

    Directions along which all entries of K are exactly zero are not among them.
    """
    none, largest = indifferent(M, K), float(np.abs(in_metric(M, K)).max(initial=0.0))
    known = [v for _, v in soft(M, K)]
    return [
        (float(np.sqrt(INDIFFERENT * largest)), np.asarray(v))
        for v in none.T
        if (np.abs(K) @ np.abs(v)).any() and not any(np.allclose(v, other) for other in known)
    ]


def _solve_undamped(M: Array, K: Array, shapes: Array) -> tuple[LinearMode, ...]:
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    values, vectors = np.linalg.eigh(inverse @ ((K + K.T) / 2) @ inverse.T)
    size = float(np.abs(values).max(initial=0.0))
    found = []
    for value, vector in zip(values, (inverse.T @ vectors).T, strict=True):
        shape = normal((shapes @ vector).astype(complex))
        if abs(value) <= INDIFFERENT * size:
            found.append(LinearMode(0j, shape))
        elif value > 0:
            found.append(LinearMode(complex(0.0, np.sqrt(value)), shape))
        else:
            found += [LinearMode(complex(s, 0.0), shape) for s in (np.sqrt(-value), -np.sqrt(-value))]
    return tuple(sorted(found, key=lambda mode: (mode.omega, -mode.eigenvalue.real)))


def normal(shape: Complex) -> Complex:
    """Scale the shape to 1 at its largest amplitude."""
    i = int(np.argmax(np.abs(shape)))
    if not abs(shape[i]) > 0:
        return shape
    made = np.array(shape / shape[i], dtype=complex)
    made.imag[np.abs(made.imag) <= 1e-12] = 0.0
    made.real[np.abs(made.real) <= 1e-12] = 0.0
    return np.asarray(made)


def motion(mode: LinearMode, amplitude: float, count: int, periods: float = 1.0) -> tuple[Array, Array]:
    """Return times (N,) of some periods, and shifts of the coordinates (N, n): amplitude · Re(shape e^{i ω t}).

    A mode that does not oscillate is shown going out and back within a second.
    """
    omega = abs(mode.eigenvalue.imag) or 2 * np.pi
    t = np.linspace(0.0, periods * 2 * np.pi / omega, count)
    return t, amplitude * np.real(np.exp(1j * omega * t)[:, None] * mode.shape)
