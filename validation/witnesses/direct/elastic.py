"""Elastic bodies by d'Alembert's principle: a point is at r + Σ A_k φ_k, with A_k = q_k R, φ_0 = r0 and q_0 = 1.

    M a + h = ∫ (r_q + Σ A_k,q φ_k)·(r̈ + Σ Ä_l φ_l) dm = r_q·(m r̈ + Σ Ä_l S_l) + Σ A_k,q S_k·r̈ + Σ tr(A_k,q P_kl
Ä_lᵀ)

with S_k = ∫φ_k dm and P_kl = ∫φ_k φ_lᵀ dm from the model. The rotary inertia of sections is the quadratic form of (ω;
q') in the body's axes. A section turns by the power series of its rotation vector.
"""

from __future__ import annotations

import numpy as np

from mbconcord.model.body import Body
from mbconcord.model.elastic import ElasticNode, Matrix
from mbconcord.records import dataclass, replace

from .formulas import SeriesFormulas
from .motion import FrameMotion
from .series import Array

#: Number of terms of a rotation's power series, and its largest angle (rad); larger ones are halved, results squared.
TERMS, PART = 44, 4.0


@dataclass(frozen=True)
class DirectElasticBody:
    """One elastic body at S states.

    Attributes
    ----------
    frame : motion of the body's frame
    q, dq, ddq (S, k) : 1, the modal coordinates and those products of them that move points, with two rates
    by_mode (S, modes, k) : derivatives of q by the modal coordinates
    numbers : places of the modal coordinates among all coordinates
    mass (S,), S (S, k, 3), P (S, k, k, 3, 3) : integrals over the body: mass, S_k and P_kl
    sections (S, 3 + modes, 3 + modes) : rotary inertia of sections [I_s D; Dᵀ R_ee], a quadratic form of (ω; q')
    stiffness, damping (S, modes, modes) : modal stiffness K and damping D
    """

    frame: FrameMotion
    q: Array
    dq: Array
    ddq: Array
    by_mode: Array
    numbers: tuple[int, ...]
    mass: Array
    S: Array
    P: Array
    sections: Array
    stiffness: Array
    damping: Array

    @property
    def moving_coordinates(self) -> tuple[int, ...]:
        """Numbers of the coordinates that move points of the body: those of its frame, then the modal ones."""
        return (*self.frame.moved, *(i for i in self.numbers if i not in self.frame.moved))

    def slopes(self) -> tuple[Array, Array]:
        """Compute r_q (S, m, 3) and A_k,q (S, m, k, 3, 3) by ``moving_coordinates``."""
        f, m = self.frame, len(self.moving_coordinates)
        count, k = self.q.shape
        r_q, A_q = np.zeros((count, m, 3)), np.zeros((count, m, k, 3, 3))
        r_q[:, : len(f.moved)] = f.r_q
        A_q[:, : len(f.moved)] = np.einsum("sk,smij->smkij", self.q, f.R_q)
        for mode, number in enumerate(self.numbers):
            A_q[:, self.moving_coordinates.index(number)] += np.einsum("sk,sij->skij", self.by_mode[:, mode], f.R)
        return r_q, A_q

    def force(self, second: Array, accelerations: Array) -> Array:
        """Compute generalized forces (S, m) for accelerations ``second`` + Σ ``accelerations``_l φ_l of points."""
        r_q, A_q = self.slopes()
        whole = self.mass[:, None] * second + np.einsum("slij,slj->si", accelerations, self.S)
        rows = np.einsum("sma,sa->sm", r_q, whole)
        rows = rows + np.einsum("smkij,skj,si->sm", A_q, self.S, second)
        inner = np.einsum("sklij,slaj->skia", self.P, accelerations)
        return np.asarray(rows + np.einsum("smkai,skia->sm", A_q, inner))

    def inertial(self) -> Array:
        """Return M a + h (S, m) along the motion."""
        f = self.frame
        second = (
            np.einsum("sk,sij->skij", self.ddq, f.R)
            + 2 * np.einsum("sk,sij->skij", self.dq, f.dR)
            + np.einsum("sk,sij->skij", self.q, f.ddR)
        )
        turned, faster, columns = self._spins()
        momentum = np.einsum("sab,sb->sa", self.sections, turned)
        moment = np.einsum("sab,sb->sa", self.sections, faster)
        moment[:, :3] += np.cross(turned[:, :3], momentum[:, :3])
        return np.asarray(self.force(f.ddr, second) + np.einsum("sam,sa->sm", columns, moment))

    def mass_matrix(self) -> Array:
        """Compute M (S, m, m): column i is the generalized force for points that accelerate by their slopes by q_i."""
        r_q, A_q = self.slopes()
        columns = [self.force(r_q[:, i], A_q[:, i]) for i in range(len(self.moving_coordinates))]
        *_, turning = self._spins()
        rotary = np.einsum("sai,sab,sbj->sij", turning, self.sections, turning)
        return np.asarray(np.stack(columns, axis=2) + rotary)

    def weight(self, g: Array) -> Array:
        """Return generalized forces of weight (S, m)."""
        r_q, A_q = self.slopes()
        rows = self.mass[:, None] * np.einsum("sma,sa->sm", r_q, g)
        return np.asarray(rows + np.einsum("smkij,skj,si->sm", A_q, self.S, g))

    def kinetic_energy(self) -> Array:
        """Compute the kinetic energy (S,): ½ ∫ |ṙ + Σ Ȧ_k φ_k|² dm, plus that of the turning sections."""
        f = self.frame
        rates = np.einsum("sk,sij->skij", self.dq, f.R) + np.einsum("sk,sij->skij", self.q, f.dR)
        turned = self._spins()[0]
        doubled = self.mass * np.einsum("sa,sa->s", f.dr, f.dr)
        doubled = doubled + 2 * np.einsum("sa,skai,ski->s", f.dr, rates, self.S)
        doubled = doubled + np.einsum("skai,sklij,slaj->s", rates, self.P, rates)
        return np.asarray(doubled + np.einsum("sa,sab,sb->s", turned, self.sections, turned)) / 2

    def first_moment(self) -> Array:
        """Compute the first moment of mass about the fixed origin ∫ (r + Σ q_k R φ_k) dm (S, 3)."""
        f = self.frame
        return np.asarray(self.mass[:, None] * f.r + np.einsum("sk,sij,skj->si", self.q, f.R, self.S))

    def resistance(self) -> Array:
        """Return the elastic and damping forces -K q - D q' along the modes (S, modes)."""
        own = np.einsum("sij,sj->si", self.stiffness, self.q[:, 1 : len(self.numbers) + 1])
        return np.asarray(-own - np.einsum("sij,sj->si", self.damping, self.dq[:, 1 : len(self.numbers) + 1]))

    def _spins(self) -> tuple[Array, Array, Array]:
        """Return (ω; q') in body axes (S, 3 + modes), its rate, and its derivatives by rates (S, 3 + modes, m)."""
        f, back = self.frame, np.swapaxes(self.frame.R, 1, 2)
        spin, rate = (np.einsum("sij,sj->si", back, w) for w in (f.spin, f.spin_rate))
        columns = np.zeros((len(spin), 3 + len(self.numbers), len(self.moving_coordinates)))
        columns[:, :3, : len(f.moved)] = back @ f.turns
        for mode, number in enumerate(self.numbers):
            columns[:, 3 + mode, self.moving_coordinates.index(number)] += 1
        turned = np.concatenate([spin, self.dq[:, 1 : len(self.numbers) + 1]], axis=1)
        return turned, np.concatenate([rate, self.ddq[:, 1 : len(self.numbers) + 1]], axis=1), columns


def soft(body: Body, frame: FrameMotion, names: list[str], f: SeriesFormulas) -> DirectElasticBody:
    """Build an elastic body at the states of f from the fields of the model's body; ``frame`` is its motion."""
    assert body.modes is not None
    modes, count, n = body.modes, f.count, len(body.modes.coordinates)
    series = [f.symbols[name] for name in modes.coordinates]
    series += [f.symbols[a] * f.symbols[b] for a, b in modes.products]
    slopes = np.zeros((count, n, 1 + len(series)))
    slopes[:, range(n), range(1, n + 1)] = 1.0
    for k, pair in enumerate(modes.products, n + 1):
        for one_of, other in (pair, pair[::-1]):
            slopes[:, modes.coordinates.index(one_of), k] += f.symbols[other].c[0]
    one = [np.ones(count), np.zeros(count), np.zeros(count)]
    q, dq, half = (np.stack([one[i], *(s.c[i] for s in series)], axis=1) for i in range(3))
    mass = f.value(body.inertia.mass)
    S = np.stack([f.values(body.inertia.centre) * mass[:, None], *map(f.values, modes.first_moments)], axis=1)
    P = np.stack([np.stack([_matrix(f, x) for x in row], axis=1) for row in modes.second_moments], axis=1)
    sections = np.zeros((count, 3 + n, 3 + n))
    if modes.section_inertia:
        own, mixed, twisting = (_matrix(f, part) for part in modes.section_inertia)
        sections[:, :3, :3], sections[:, 3:, 3:] = own, twisting
        sections[:, :3, 3:], sections[:, 3:, :3] = mixed, np.swapaxes(mixed, 1, 2)
    numbers = tuple(names.index(name) for name in modes.coordinates)
    return DirectElasticBody(
        frame, q, dq, 2 * half, slopes, numbers, mass, S, P, sections, _matrix(f, modes.stiffness),
        _matrix(f, modes.damping),
    )  # fmt: skip


def at_node(frame: FrameMotion, body: Body, node: ElasticNode, names: list[str], f: SeriesFormulas) -> FrameMotion:
    """Return the motion of a section's frame: the body's frame moved by r0 + Φ q and rotated by exp(Ψ q)."""
    assert body.modes is not None
    series = [(names.index(name), f.symbols[name]) for name in body.modes.coordinates]
    moved = frame.point(f.values(node.position))
    columns = [f.values(column) for column in zip(*node.translation, strict=True)]
    for (number, q), column in zip(series, columns, strict=False):
        moved = moved.shift(column, q, number)
    for (a, b), column in zip(body.modes.products, columns[len(series) :], strict=True):
        first, second = f.symbols[a], f.symbols[b]
        moved = moved.shift(column, first * second, None)
        along = np.einsum("sij,sj->si", frame.R, column)
        for name, factor in ((a, second), (b, first)):
            moved.r_q[:, moved.moved.index(names.index(name))] += along * factor.c[0][:, None]
    turns = [_hat(f.values(column)) for column in zip(*node.rotation, strict=True)]
    hats = [
        sum((t * q.c[i][:, None, None] for t, (_, q) in zip(turns, series, strict=True)), np.zeros_like(frame.R))
        for i in range(3)
    ]
    E, dE, ddE = _powers(hats[0], hats[1], 2 * hats[2])
    R_q = moved.R_q @ E[:, None]
    for (number, _), turn in zip(series, turns, strict=True):
        R_q[:, moved.moved.index(number)] += moved.R @ _powers(hats[0], turn, 0 * turn)[1]
    return replace(
        moved,
        R=moved.R @ E,
        dR=moved.dR @ E + moved.R @ dE,
        ddR=moved.ddR @ E + 2 * moved.dR @ dE + moved.R @ ddE,
        R_q=R_q,
    )


def _powers(x: Array, dx: Array, ddx: Array) -> tuple[Array, Array, Array]:
    """Compute the exponential of matrices x (S, 3, 3) and its two rates: Σ y^k/k! with y = x / 2^s, squared s times."""
    size = np.sqrt(np.einsum("sij,sij->s", x, x) / 2)
    halvings = np.ceil(np.log2(np.maximum(np.where(np.isfinite(size), size, 0.0), PART) / PART))
    x, dx, ddx = (np.ldexp(part, -halvings.astype(int)[:, None, None]) for part in (x, dx, ddx))
    term = np.broadcast_to(np.eye(3), x.shape)
    rate, second = np.zeros_like(x), np.zeros_like(x)
    E, dE, ddE = term, rate, second
    for k in range(1, TERMS + 1):
        second = (second @ x + 2 * rate @ dx + term @ ddx) / k
        rate = (rate @ x + term @ dx) / k
        term = term @ x / k
        E, dE, ddE = E + term, dE + rate, ddE + second
    for k in range(int(np.max(halvings, initial=0))):
        more = (k < halvings)[:, None, None]
        ddE = np.where(more, ddE @ E + 2 * dE @ dE + E @ ddE, ddE)
        dE = np.where(more, dE @ E + E @ dE, dE)
        E = np.where(more, E @ E, E)
    return E, dE, ddE


def _hat(w: Array) -> Array:
    x, y, z = w.T
    o = np.zeros_like(x)
    return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=1).reshape(-1, 3, 3)


def _matrix(f: SeriesFormulas, rows: Matrix) -> Array:
    return np.stack([f.values(row) for row in rows], axis=1)
