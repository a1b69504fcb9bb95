"""Passes over the links for given accelerations: outward accelerations, inward wrenches, composite links.

They are the paper's recursion when all accelerations are known: they give inverse dynamics, its parts h, gravity and
applied forces, and the mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mbconcord.records import dataclass

from .kinematics import Kinematics
from .links import Inertias
from .vectors import Array, dot, symmetrize, times, transpose


@dataclass(frozen=True, slots=True)
class Forces:
    """Forces of a state of motion: F_j (6) at every joint, and along the modes of every link (N)."""

    joints: list[Array]
    modal: list[Array]


def outward(k: Kinematics, base: Array, own: Callable[[int], Array], modal: bool = False) -> list[Array]:
    """Compute V̇_j of every link: V̇_j = T_j V̇_i + own(j) and, if ``modal``, + B_j q̈^e_i; ``base`` is V̇_0."""
    found: list[Array] = []
    for j, link in enumerate(k.links):
        i = link.at.link
        A = times(k.across[j], found[i] if i >= 0 else base)
        if modal and i >= 0 and (n := len(k.links[i].names)):
            A = A + times(k.bends[j][..., :n], k.a[i][..., :n])
        found.append(A + own(j))
    return found


def inward(k: Kinematics, forces: Forces) -> Forces:
    """Add to each link the forces of the links it carries: F_i += T_jᵀ F_j, and B_jᵀ F_j along its modes."""
    F, g = list(forces.joints), list(forces.modal)
    for j in range(len(F) - 1, -1, -1):
        i = k.links[j].at.link
        if i >= 0:
            F[i] = F[i] + k.transmit_wrench(j, F[j])
            if n := len(k.links[i].names):
                g[i] = g[i] + times(transpose(k.bends[j][..., :n]), F[j])
    return Forces(F, g)


def inertial(k: Kinematics, J: Inertias, accelerations: Sequence[Array], modal: bool = False) -> Forces:
    """Compute J_rr V̇ + J_re q̈^e and J_er V̇ + J_ee q̈^e of every link by itself; q̈^e = 0 unless ``modal``."""
    F, g = [], []
    for j, A in enumerate(accelerations):
        n = len(k.links[j].names)
        force, along = times(J.rr[j], A), A[..., :0]
        if n:
            along = times(transpose(J.re[j][..., :n]), A)
            if modal:
                own = k.a[j][..., :n]
                force = force + times(J.re[j][..., :n], own)
                along = along + times(J.ee[j][..., :n, :n], own)
        F.append(force)
        g.append(along)
    return Forces(F, g)


def weights(k: Kinematics, J: Inertias, g: Array) -> Forces:
    """Compute the weight of every link by itself: J of (1) times an acceleration g without rotation."""
    falls: list[Array] = []
    F, along = [], []
    for j, link in enumerate(k.links):
        i = link.at.link
        fall = times(k.across[j][..., :3, :3], falls[i] if i >= 0 else g)
        falls.append(fall)
        F.append(times(J.rr[j][..., :3], fall))
        n = len(link.names)
        along.append(times(transpose(J.re[j][..., :3, :n]), fall) if n else fall[..., :0])
    return Forces(F, along)


@dataclass(frozen=True, slots=True)
class Composites:
    """Inertia of links with all links they carry, whose joints rest: K (6×6), L (6×N), and along the modes (N×N)."""

    rr: list[Array]
    re: list[Array]
    ee: list[Array]


def composites(k: Kinematics, J: Inertias) -> Composites:
    """Sum J_rr + Σ Tᵀ K T, J_re + Σ Tᵀ K B, J_ee + Σ Bᵀ K B over the links carried: (2) with given accelerations."""
    sizes = [len(link.names) for link in k.links]
    rr = [J.rr[j] for j in range(len(sizes))]
    re = [J.re[j][..., :n] for j, n in enumerate(sizes)]
    ee = [J.ee[j][..., :n, :n] for j, n in enumerate(sizes)]
    for j in range(len(sizes) - 1, -1, -1):
        i = k.links[j].at.link
        if i < 0:
            continue
        T = k.across[j]
        rr[i] = rr[i] + symmetrize(transpose(T) @ (rr[j] @ T))
        if n := sizes[i]:
            B = k.bends[j][..., :n]
            held = rr[j] @ B
            re[i] = re[i] + transpose(T) @ held
            ee[i] = ee[i] + symmetrize(transpose(B) @ held)
    return Composites(rr, re, ee)


def mass_matrix(k: Kinematics, found: Composites, put: Callable[[str, str, Array], None]) -> None:
    """Call ``put(row, column, value)`` for the elements of M: at least one of each symmetric pair, link by link."""
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
            along = times(transpose(k.bends[j][..., :n]), F)
            for other, value in zip(k.links[i].names, _last(along), strict=True):
                put(other, name, value)
        F = k.transmit_wrench(j, F)
        own = k.links[i].name
        if own is not None:
            put(own, name, dot(k.joints.screw[i], F))
        j, i = i, k.links[i].at.link


def _last(values: Array) -> list[Array]:
    return [values[..., m][()] for m in range(values.shape[-1])]
