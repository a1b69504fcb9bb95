"""Natural modes of a linearised motion: eigenvalues s of its state space, and the shapes of its coordinates.

    x' = A x ,   s = σ ± i ω_d ,   natural frequency |s| ,   damping ratio -σ / |s|

Without damping, gyroscopic and circulatory forces the modes are those of K_r - ω² M_r, found accurately by a symmetric
eigenproblem.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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


@dataclass(frozen=True)
class LinearMode:
    """A mode of n coordinates.

    Attributes
    ----------
    eigenvalue : s (1/s), that of a pair whose imaginary part is positive
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
        """The same in Hz."""
        return self.omega / (2 * np.pi)

    @property
    def damping(self) -> float:
        """Damping ratio -σ/|s|; NaN of a mode at frequency zero."""
        return 0.0 - self.eigenvalue.real / self.omega if self.omega else float("nan")

    @property
    def kind(self) -> str:
        """``oscillates``, ``decays``, ``grows``, both, or ``indifferent``."""
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
    A (d + p, d + p) : of x = (z, w)
    M (p, p), C (p, p), K (p, d) : reduced
    shapes (n, d) : δq = N_h z
    plain : whether w = z'
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
    found = []
    for i, s in enumerate(values):
        vectors[:, i] = _refine(A, s, vectors[:, i])
        if abs(s) <= least:
            s = 0j
        if abs(s.imag) <= ROUNDING * size:
            s = complex(s.real, 0.0)
        if s.imag >= 0:
            found.append(LinearMode(complex(s), _normal(shapes @ vectors[:d, i])))
    return tuple(found)


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
    left, before = (np.linalg.norm(A @ x - s * x) for x in (found, vector))
    return np.asarray(found) if left < before else vector


def is_stable(found: Sequence[LinearMode], C: Array, K: Array) -> bool | None:
    """Return whether no mode grows; None where one is at frequency zero, or may grow or decay within rounding.

    An oscillation neither grows nor decays where nothing feeds it: damping takes energy, and K (p, d) is symmetric.
    """
    kinds = [mode.kind for mode in found]
    if any(kind.endswith("grows") for kind in kinds):
        return False
    if "indifferent" in kinds or ("oscillates" in kinds and (feeds_energy(C) or is_twisted(K))):
        return None
    return True


def feeds_energy(C: Array) -> bool:
    """Return whether a motion gains energy by C (p, p) beyond rounding."""
    return bool(np.linalg.eigvalsh((C + C.T) / 2).min(initial=0.0) < -ROUNDING * np.abs(C).max(initial=0.0))


def is_twisted(K: Array) -> bool:
    """Return whether K (p, d) has forces without a potential beyond rounding; False where it is not square."""
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
    """List stiffnesses (1/s²), with directions (p,), that :func:`indifferent` takes for none beside the largest.

    They are more than rounding of the largest, and of what each is summed of.
    """
    none, largest = indifferent(M, K), float(np.abs(in_metric(M, K)).max(initial=0.0))
    values, turned = np.linalg.eigh(none.T @ ((K + K.T) / 2) @ none)
    every = [(float(value), np.asarray(none @ u)) for value, u in zip(values, turned.T, strict=True)]
    least = 4 * float(np.finfo(float).eps) * largest
    return [(x, v) for x, v in every if abs(x) > max(least, TWISTED * float(np.abs(v) @ np.abs(K) @ np.abs(v)))]


def _solve_undamped(M: Array, K: Array, shapes: Array) -> tuple[LinearMode, ...]:
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    values, vectors = np.linalg.eigh(inverse @ ((K + K.T) / 2) @ inverse.T)
    size = float(np.abs(values).max(initial=0.0))
    found = []
    for value, vector in zip(values, (inverse.T @ vectors).T, strict=True):
        shape = _normal((shapes @ vector).astype(complex))
        if abs(value) <= INDIFFERENT * size:
            found.append(LinearMode(0j, shape))
        elif value > 0:
            found.append(LinearMode(complex(0.0, np.sqrt(value)), shape))
        else:
            found += [LinearMode(complex(s, 0.0), shape) for s in (np.sqrt(-value), -np.sqrt(-value))]
    return tuple(sorted(found, key=lambda mode: (mode.omega, -mode.eigenvalue.real)))


def _normal(shape: Complex) -> Complex:
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
