"""Passes over the links for given accelerations: outward accelerations, inward wrenches, composite links.

They are the paper's recursion with nothing unknown: inverse dynamics, whose parts are h, gravity and the applied
forces, and the mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .kinematics import Kinematics
from .links import Inertias
from .vectors import Array, dot, symmetrised, times, transposed


@dataclass(frozen=True, slots=True)
class Forces:
    """What holds a state of motion: F_j (6) at every joint, and along the modes of every link (N)."""

    joints: list[Array]
    modal: list[Array]


def outward(k: Kinematics, base: Array, own: Callable[[int], Array], modal: bool = False) -> list[Array]:
    """V̇_j of every link: V̇_j = T_j V̇_i + own(j) and, where ``modal``, + B_j q̈^e_i; ``base`` is V̇_0."""
    found: list[Array] = []
    for j, link in enumerate(k.links):
        i = link.at.link
        A = times(k.across[j], found[i] if i >= 0 else base)
        if modal and i >= 0 and (n := len(k.links[i].names)):
            A = A + times(k.bends[j][..., :n], k.a[i][..., :n])
        found.append(A + own(j))
    return found


def inward(k: Kinematics, forces: Forces) -> Forces:
    """F_j with what the links beyond need: F_i += T_jᵀ F_j, and along the modes B_jᵀ F_j."""
    F, g = list(forces.joints), list(forces.modal)
    for j in range(len(F) - 1, -1, -1):
        i = k.links[j].at.link
        if i >= 0:
            F[i] = F[i] + k.handed(j, F[j])
            if n := len(k.links[i].names):
                g[i] = g[i] + times(transposed(k.bends[j][..., :n]), F[j])
    return Forces(F, g)


def inertial(k: Kinematics, J: Inertias, accelerations: Sequence[Array], modal: bool = False) -> Forces:
    """J_rr V̇ + J_re q̈^e and J_er V̇ + J_ee q̈^e of every link by itself."""
    F, g = [], []
    for j, A in enumerate(accelerations):
        n = len(k.links[j].names)
        force, along = times(J.rr[j], A), A[..., :0]
        if n:
            along = times(transposed(J.re[j][..., :n]), A)
            if modal:
                own = k.a[j][..., :n]
                force = force + times(J.re[j][..., :n], own)
                along = along + times(J.ee[j][..., :n, :n], own)
        F.append(force)
        g.append(along)
    return Forces(F, g)


def weights(k: Kinematics, J: Inertias, g: Array) -> Forces:
    """Weight of every link by itself: what J of (1) makes of an acceleration g that turns nothing."""
    falls: list[Array] = []
    F, along = [], []
    for j, link in enumerate(k.links):
        i = link.at.link
        fall = times(k.across[j][..., :3, :3], falls[i] if i >= 0 else g)
        falls.append(fall)
        F.append(times(J.rr[j][..., :3], fall))
        n = len(link.names)
        along.append(times(transposed(J.re[j][..., :3, :n]), fall) if n else fall[..., :0])
    return Forces(F, along)


@dataclass(frozen=True, slots=True)
class Composites:
    """Links with all they carry, nothing moving at the joints beyond: K (6×6), L (6×N), and along the modes (N×N)."""

    rr: list[Array]
    re: list[Array]
    ee: list[Array]


def composites(k: Kinematics, J: Inertias) -> Composites:
    """J_rr + Σ Tᵀ K T, J_re + Σ Tᵀ K B, J_ee + Σ Bᵀ K B over the links carried: (2) with all accelerations given."""
    sizes = [len(link.names) for link in k.links]
    rr = [J.rr[j] for j in range(len(sizes))]
    re = [J.re[j][..., :n] for j, n in enumerate(sizes)]
    ee = [J.ee[j][..., :n, :n] for j, n in enumerate(sizes)]
    for j in range(len(sizes) - 1, -1, -1):
        i = k.links[j].at.link
        if i < 0:
            continue
        T = k.across[j]
        rr[i] = rr[i] + symmetrised(transposed(T) @ (rr[j] @ T))
        if n := sizes[i]:
            B = k.bends[j][..., :n]
            held = rr[j] @ B
            re[i] = re[i] + transposed(T) @ held
            ee[i] = ee[i] + symmetrised(transposed(B) @ held)
    return Composites(rr, re, ee)


def mass_matrix(k: Kinematics, found: Composites, put: Callable[[str, str, Array], None]) -> None:
    """Hand every element of M to ``put``, once or with its mirror image: rows are read off on the way to the base."""
    for j, link in enumerate(k.links):
        a = k.joints.screw[j]
        if link.name is not None:
            F = times(found.rr[j], a)
            put(link.name, link.name, dot(a, F))
            _towards_base(k, j, link.name, F, put)
        for m, name in enumerate(link.names):
            for other, value in zip(link.names[m:], _last(found.ee[j][..., m, m:]), strict=True):
                put(other, name, value)
            F = found.re[j][..., m]
            if link.name is not None:
                put(link.name, name, dot(a, F))
            _towards_base(k, j, name, F, put)


def _towards_base(k: Kinematics, j: int, name: str, F: Array, put: Callable[[str, str, Array], None]) -> None:
    i = k.links[j].at.link
    while i >= 0:
        if n := len(k.links[i].names):
            along = times(transposed(k.bends[j][..., :n]), F)
            for other, value in zip(k.links[i].names, _last(along), strict=True):
                put(other, name, value)
        F = k.handed(j, F)
        own = k.links[i].name
        if own is not None:
            put(own, name, dot(k.joints.screw[i], F))
        j, i = i, k.links[i].at.link


def _last(values: Array) -> list[Array]:
    return [values[..., m][()] for m in range(values.shape[-1])]
