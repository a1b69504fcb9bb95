"""The mixed problem (the paper's (2)-(5)): for every joint either the effort or the acceleration is given.

The inward pass eliminates, link by link, modal accelerations and unknown joint accelerations; the outward pass
computes all of them. The inertia passed to the parent is symmetrized at every link, and J_ee* is factorised
from one triangle. Without that, the shortcut J_er* = J_re*ᵀ lets antisymmetric round-off grow with every elastic
link, and a chain of 64 links has no correct digit left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbconcord.records import dataclass

from .kinematics import Kinematics
from .links import Inertias
from .vectors import Array, dot, outer, scale, symmetrize, times, transpose


@dataclass(frozen=True, slots=True)
class Eliminated:
    """A link after the second pass: K_j, p_j, u_j = K_j a_j, Z_j (None: q̈_j is given), and its eliminated modes."""

    K: Array
    p: Array
    u: Array
    Z: Array | None
    modes: Modes


@dataclass(frozen=True, slots=True)
class Modes:
    """Eliminated modes of a link: q̈^e = -X V̇ - x; J_re*, J_ee* and C_e* give efforts of modes with imposed q̈^e."""

    X: Array
    x: Array
    re: Array
    ee: Array
    C: Array

    def accelerations(self, V: Array) -> Array:
        """Return q̈^e for the motion V̇."""
        return -times(self.X, V) - self.x

    def effort(self, m: int, V: Array, a: Array) -> Array:
        """Compute the effort that mode m needs for V̇ and q̈^e beyond the given efforts: row m of (1)."""
        return dot(self.re[..., m], V) + dot(self.ee[..., m], a) + self.C[..., m][()]


@dataclass(frozen=True, slots=True)
class Motion:
    """Solution of the mixed problem: q̈_j and a_jᵀF_j of every link, V̇_j, F_j and q̈^e, and the second pass.

    ``resisted`` has for each link the efforts of modes with given accelerations, by the index of the mode.
    """

    accelerations: list[Array]
    efforts: list[Array]
    V: list[Array]
    F: list[Array]
    modal: list[Array]
    resisted: list[dict[int, Array]]
    eliminated: list[Eliminated]


def inwards(
    k: Kinematics,
    J: Inertias,
    r: Sequence[Array],
    e: Sequence[Array],
    efforts: Sequence[Array | None],
    given: Sequence[Array | None],
    bent: Sequence[Mapping[int, Array]],
    rotors: Mapping[int, Array],
) -> list[Eliminated]:
    """Run the second pass. ``r``, ``e``: C_r, C_e with all forces; each link has a given effort or acceleration.

    ``bent``: given accelerations of modes, for each link by the index of the mode. ``rotors``: moments of inertia
    along joints, by link, in addition to inertia of the links.
    """
    count = len(k.links)
    sizes = [len(link.names) for link in k.links]
    rr = [J.rr[j] for j in range(count)]
    re = [J.re[j][..., :n] for j, n in enumerate(sizes)]
    ee = [J.ee[j][..., :n, :n] for j, n in enumerate(sizes)]
    C, c = list(r), list(e)
    found: list[Eliminated] = [None] * count  # type: ignore[list-item]
    for j in range(count - 1, -1, -1):
        a, K, m = k.joints.screw[j], rr[j], C[j]
        modes = Modes(re[j], c[j], re[j], ee[j], c[j])
        if sizes[j]:
            modes = eliminate_modes(re[j], ee[j], c[j], bent[j])
            K = K - re[j] @ modes.X
            m = m - times(re[j], modes.x)
        K = symmetrize(K)
        p = times(K, k.bias[j]) + m
        u = times(K, a)
        acceleration, effort = given[j], efforts[j]
        if acceleration is not None or effort is None:
            Z, reduced = None, K
            handed = p if acceleration is None else p + scale(u, acceleration)
        else:
            along = dot(a, u)
            Z = 1 / (along + rotors[j] if j in rotors else along)
            w = scale(u, Z)
            reduced = K - outer(w, u)
            handed = p + scale(w, effort - dot(a, p))
        found[j] = Eliminated(K, p, u, Z, modes)
        i = k.links[j].at.link
        if i >= 0:
            T = k.across[j]
            back = transpose(T)
            rr[i] = rr[i] + symmetrize(back @ (reduced @ T))
            C[i] = C[i] + times(back, handed)
            if n := sizes[i]:
                B = k.bends[j][..., :n]
                held = reduced @ B
                re[i] = re[i] + back @ held
                ee[i] = ee[i] + symmetrize(transpose(B) @ held)
                c[i] = c[i] + times(transpose(B), handed)
    return found


def eliminate_modes(re: Array, ee: Array, C: Array, given: Mapping[int, Array]) -> Modes:
    """Compute X and x of the modes; modes with given accelerations have a zero row in X and -q̈^e in x."""
    if not given:
        return Modes(*solve_ldl(ee, transpose(re), C), re, ee, C)
    size = ee.shape[-1]
    free = [m for m in range(size) if m not in given]
    rest = C
    for m, acceleration in given.items():
        rest = rest + scale(ee[..., m], acceleration)
    rows = [transpose(re)[..., m, :] * 0 for m in range(size)]
    values: list[Any] = [given.get(m) for m in range(size)]
    if free:
        X, x = solve_ldl(ee[..., free, :][..., free], transpose(re)[..., free, :], rest[..., free])
        for place, m in enumerate(free):
            rows[m], values[m] = X[..., place, :], -x[..., place][()]
    return Modes(_stack(rows, 2), _stack([-value for value in values], 1), re, ee, C)


def outwards(
    k: Kinematics,
    found: list[Eliminated],
    base: Array,
    efforts: Sequence[Array | None],
    given: Sequence[Array | None],
    bent: Sequence[Mapping[int, Array]],
) -> Motion:
    """Run the third pass: q̈_j, F_j, V̇_j, q̈^e from the base to the tips."""
    result = Motion([], [], [], [], [], [], found)
    for j, link in enumerate(k.links):
        i, a, own = link.at.link, k.joints.screw[j], found[j]
        y = times(k.across[j], result.V[i] if i >= 0 else base)
        if i >= 0 and (n := len(k.links[i].names)):
            y = y + times(k.bends[j][..., :n], result.modal[i])
        F = times(own.K, y) + own.p
        acceleration, effort = given[j], efforts[j]
        if own.Z is not None and effort is not None:
            acceleration = own.Z * (effort - dot(a, F))
        V = y + k.bias[j]
        if acceleration is not None:
            V, F = V + scale(a, acceleration), F + scale(own.u, acceleration)
        result.accelerations.append(y[..., 0] * 0 if acceleration is None else acceleration)
        result.efforts.append(dot(a, F))
        result.V.append(V)
        result.F.append(F)
        modal = own.modes.accelerations(V) if link.names else own.modes.x
        result.modal.append(modal)
        result.resisted.append({m: own.modes.effort(m, V, modal) for m in bent[j]})
    return result


def solve_ldl(A: Array, right: Array, vector: Array) -> tuple[Array, Array]:
    """Compute A⁻¹ right and A⁻¹ vector of a symmetric positive definite A (…, N, N), by L D Lᵀ in any arithmetic."""
    n = A.shape[-1]
    rows = [right[..., i, :] for i in range(n)]
    values = [vector[..., i][()] for i in range(n)]
    left = [[A[..., i, k][()] for k in range(i + 1)] for i in range(n)]
    factors = [[left[i][k] for k in range(i)] for i in range(n)]
    for i in range(n):
        for k in range(i):  # of row i: L_ik D_k stands in left, L_ik in factors
            for m in range(k):
                left[i][k] = left[i][k] - left[i][m] * factors[k][m]
            factors[i][k] = left[i][k] / left[k][k]
        for m in range(i):
            left[i][i] = left[i][i] - left[i][m] * factors[i][m]
        for m in range(i):
            rows[i] = rows[i] - scale(rows[m], factors[i][m])
            values[i] = values[i] - factors[i][m] * values[m]
    for i in range(n - 1, -1, -1):
        rows[i] = scale(rows[i], 1 / left[i][i])
        values[i] = values[i] / left[i][i]
        for m in range(i + 1, n):
            rows[i] = rows[i] - scale(rows[m], factors[m][i])
            values[i] = values[i] - factors[m][i] * values[m]
    return _stack(rows, 2), _stack(values, 1)


def _stack(parts: list[Array], axes: int) -> Array:
    if any(np.shape(p) != np.shape(parts[0]) for p in parts):
        parts = [*np.broadcast_arrays(*parts)]
    return np.stack(parts, axis=-axes)
