"""Elastic bodies as finitely many points, in world axes at N states at once: validation's own.

The integrals m, S_k, P_kl of a body are the Gram matrix of the field (1, φ_0, …, φ_N). Its eigenvectors are points p
of signed weight with a share a_p of the body's translation and displacements φ_kp, which together have the same
integrals: the kinetic energy is Σ ± ½ |a_p v + ω × ρ_p + Σ q'_k φ_kp|², ρ_p = Σ q_k φ_kp, and every law of a point
holds for them. Rotary inertia of the sections is the quadratic form of (ω; q').
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mbconcord.model.body import Body
from mbconcord.model.elastic import ElasticModes
from mbconcord.records import dataclass

from .kinematics import TreeKinematics
from .motion import Array, MotionNumbers
from .sections import weights


@dataclass(frozen=True)
class ElasticBody:
    """One elastic body.

    Attributes
    ----------
    frame : motion of the body's frame
    at (N,) : places of the body's modal coordinates among all coordinates
    signs (N, P) ; shares (N, P) : sign and a_p of the points
    shapes (N, P, k, 3) : φ_kp, k = 0 … modes and products of them, world axes
    q, v, pull (N, k) : q has 1, the modal coordinates and those products of them that move points; v has their rates,
        pull their second rates at q'' = 0
    slopes (N, k, modes) : derivatives of q by the modal coordinates
    sections (N, 3 + modes, 3 + modes) : [I_s D; Dᵀ R_ee], its first three axes those of the world
    stiffness, damping (N, modes, modes)
    """

    frame: MotionNumbers
    at: Array
    signs: Array
    shares: Array
    shapes: Array
    q: Array
    v: Array
    pull: Array
    slopes: Array
    sections: Array
    stiffness: Array
    damping: Array

    @property
    def modal(self) -> Array:
        """The modal coordinates (N, modes)."""
        return self.q[:, 1 : len(self.at) + 1]

    @property
    def rates(self) -> Array:
        """Rates of the modal coordinates (N, modes)."""
        return self.v[:, 1 : len(self.at) + 1]

    def points(self) -> tuple[Array, Array, Array]:
        """Compute ρ_p, its rate in the body (N, P, 3), and columns of the velocity by q' (N, P, 3, n)."""
        f = self.frame
        rho = np.einsum("sk,spka->spa", self.q, self.shapes)
        rate = np.einsum("sk,spka->spa", self.v, self.shapes)
        columns = self.shares[..., None, None] * f.moving[:, None]
        columns = columns + np.cross(f.turning[:, None], rho[..., None], axisa=2, axisb=2, axisc=2)
        columns[..., self.at] += np.einsum("spka,skm->spam", self.shapes, self.slopes)
        return rho, rate, columns

    @property
    def _rotary(self) -> Array:
        """Columns of (ω; q') by q' (N, 3 + modes, n)."""
        count, _, n = self.frame.turning.shape
        own = np.zeros((count, len(self.at), n))
        own[:, range(len(self.at)), self.at] = 1
        return np.concatenate([self.frame.turning, own], axis=1)

    def mass(self) -> Array:
        """Return its part of M (N, n, n)."""
        _, _, columns = self.points()
        own = np.einsum("sp,spai,spaj->sij", self.signs, columns, columns)
        return np.asarray(own + np.einsum("sai,sab,sbj->sij", self._rotary, self.sections, self._rotary))

    def inertia(self, accelerations: Array) -> Array:
        """Return its part of M a + h (N, n) at accelerations a."""
        f = self.frame
        rho, rate, columns = self.points()
        w = f.spin[:, None]
        acceleration = self.shares[..., None] * f.acceleration[:, None]
        acceleration = acceleration + np.cross(f.spin_rate[:, None], rho) + 2 * np.cross(w, rate)
        acceleration = acceleration + np.cross(w, np.cross(w, rho))
        acceleration = acceleration + np.einsum("sk,spka->spa", self.pull, self.shapes)
        acceleration = acceleration + np.einsum("spai,si->spa", columns, accelerations)
        total = np.einsum("sp,spai,spa->si", self.signs, columns, acceleration)
        turned = np.concatenate([f.spin, self.rates], axis=1)
        faster = np.concatenate([f.spin_rate, 0 * self.rates], axis=1)
        faster = faster + np.einsum("sai,si->sa", self._rotary, accelerations)
        moment = np.einsum("sab,sb->sa", self.sections, faster)
        momentum = np.einsum("sab,sb->sa", self.sections, turned)
        moment[:, :3] += np.cross(f.spin, momentum[:, :3])
        return np.asarray(total + np.einsum("sai,sa->si", self._rotary, moment))

    def weight(self, g: Array) -> Array:
        """Return its part of gravity (N, n)."""
        _, _, columns = self.points()
        return np.asarray(np.einsum("sp,sp,spai,sa->si", self.signs, self.shares, columns, g))

    def resistance(self) -> Array:
        """Return -K q - D q' (N, modes)."""
        return np.asarray(
            -np.einsum("sij,sj->si", self.stiffness, self.modal) - np.einsum("sij,sj->si", self.damping, self.rates)
        )

    def resistance_size(self) -> Array:
        """Sum the absolute products in stiffness times modes and damping times rates (N, k)."""
        return np.asarray(
            np.einsum("sij,sj->si", np.abs(self.stiffness), np.abs(self.modal))
            + np.einsum("sij,sj->si", np.abs(self.damping), np.abs(self.rates))
        )

    def _levers(self) -> tuple[Array, Array, Array]:
        """Return absolute sums: |ρ_p| and |ρ'_p| (N, P), and those of the columns (N, P, n)."""
        f, size = self.frame, np.linalg.norm(self.shapes, axis=3)
        rho = np.einsum("sk,spk->sp", np.abs(self.q), size)
        rate = np.einsum("sk,spk->sp", np.abs(self.v), size)
        levers = np.abs(self.shares)[..., None] * f.lever[:, None] + rho[..., None] * f.turns[:, None]
        levers[..., self.at] += np.einsum("spk,skm->spm", size, np.abs(self.slopes))
        return rho, rate, levers

    def mass_contributions(self) -> Array:
        """Return M with every product taken absolutely (N, n, n)."""
        _, _, levers = self._levers()
        rotary, sizes = self._rotary_levers()
        return np.asarray(
            np.einsum("spi,spj->sij", levers, levers) + np.einsum("sai,sab,sbj->sij", rotary, sizes, rotary)
        )

    def _rotary_levers(self) -> tuple[Array, Array]:
        own = self._rotary[:, 3:]
        turns = np.repeat(self.frame.turns[:, None], 3, axis=1)
        return np.concatenate([turns, own], axis=1), np.abs(self.sections)

    def inertial_size(self) -> Array:
        """Return the scale of the body's part of h (N, n), as for rigid ones: accelerations along levers, energies."""
        f = self.frame
        rho, rate, levers = self._levers()
        w = f.turn_speed[:, None]
        shares = np.abs(self.shares)
        shaking = shares * f.shaking[:, None] + (f.turn_shaking[:, None] + w**2) * rho + 2 * w * rate
        size = np.linalg.norm(self.shapes, axis=3)
        shaking = shaking + np.einsum("sk,spk->sp", np.abs(self.pull), size)
        speed = shares * f.speed[:, None] + w * rho + rate
        total = np.einsum("sp,spi->si", shaking + w * speed, levers)
        total += np.einsum("sp->s", speed**2)[:, None] * f.turns
        total[:, self.at] += np.einsum("sp,spk,skm->sm", w * speed, size, np.abs(self.slopes))
        rotary, sizes = self._rotary_levers()
        turned = np.concatenate([np.repeat(f.turn_speed[:, None], 3, axis=1), np.abs(self.rates)], axis=1)
        faster = np.concatenate(
            [np.repeat((f.turn_shaking + f.turn_speed**2)[:, None], 3, axis=1), 0 * self.rates], axis=1
        )
        moment = np.einsum("sab,sb->sa", sizes, faster + f.turn_speed[:, None] * turned)
        return np.asarray(total + np.einsum("sai,sa->si", rotary, moment))

    def weight_size(self, g: Array) -> Array:
        """Return gravity with every product taken absolutely; ``g`` (N,)."""
        _, _, levers = self._levers()
        return np.asarray(np.einsum("sp,spi,s->si", np.abs(self.shares), levers, g))


def soft_bodies(k: TreeKinematics) -> Iterator[ElasticBody]:
    """Yield the elastic bodies of a system."""
    for body in k.system.bodies:
        if body.modes and body.modes.coordinates:
            yield _soft(k, body, body.modes)


def _soft(k: TreeKinematics, body: Body, modes: ElasticModes) -> ElasticBody:
    frame, n, w = k.frame(body.name), len(modes.coordinates), len(modes.first_moments)
    gram = np.zeros((k.count, 1 + 3 * (w + 1), 1 + 3 * (w + 1)))
    (m,) = k.scalars([body.inertia.mass])
    first = np.stack([k.vectors(body.inertia.centre) * m[:, None], *(k.vectors(r) for r in modes.first_moments)], 1)
    gram[:, 0, 0] = m
    gram[:, 0, 1:] = gram[:, 1:, 0] = first.reshape(k.count, -1)
    for i, row in enumerate(modes.second_moments):
        for j, block in enumerate(row):
            gram[:, 1 + 3 * i : 4 + 3 * i, 1 + 3 * j : 4 + 3 * j] = k.matrix(block)
    units = np.sqrt(np.abs(np.einsum("sii->si", gram)))
    units = np.where(units > 0, units, 1.0)
    values, vectors = np.linalg.eigh((gram + np.swapaxes(gram, 1, 2)) / 2 / (units[:, :, None] * units[:, None]))
    points = np.swapaxes(vectors * np.sqrt(np.abs(values))[:, None], 1, 2) * units[:, None]
    shapes = points[:, :, 1:].reshape(k.count, points.shape[1], w + 1, 3)
    shapes = np.einsum("sab,spkb->spka", frame.rotation, shapes)
    sections = np.zeros((k.count, 3 + n, 3 + n))
    if modes.section_inertia:
        own, mixed, twisting = (k.matrix(part) for part in modes.section_inertia)
        r = frame.rotation
        sections[:, :3, :3] = r @ own @ np.swapaxes(r, 1, 2)
        sections[:, :3, 3:] = r @ mixed
        sections[:, 3:, :3] = np.swapaxes(r @ mixed, 1, 2)
        sections[:, 3:, 3:] = twisting
    names = k.system.coordinate_names
    at = np.array([names.index(name) for name in modes.coordinates])
    q, v, pull, slopes = (
        np.concatenate([np.full_like(x[:, :1], first), x], axis=1)
        for first, x in zip((1.0, 0.0, 0.0, 0.0), weights(modes, k.q[:, at], k.v[:, at]), strict=True)
    )
    return ElasticBody(
        frame, at, np.sign(values), points[:, :, 0], shapes, q, v, pull, slopes, sections, k.matrix(modes.stiffness),
        k.matrix(modes.damping),
    )  # fmt: skip


@dataclass(frozen=True)
class Medium:
    """The fluid about one body.

    Attributes
    ----------
    frame : motion of the body's frame
    matrix (N, 6, 6) : Λ about the frame's origin, world axes, (v; ω)
    sizes (N, 2, 2) : norms of the 3×3 blocks of ``matrix``
    """

    frame: MotionNumbers
    matrix: Array
    sizes: Array

    @property
    def columns(self) -> Array:
        """(v; ω) of unit rates (N, 6, n)."""
        return np.concatenate([self.frame.moving, self.frame.turning], axis=1)

    @property
    def levers(self) -> Array:
        """Sums of the absolute values of the columns' terms (N, 2, n)."""
        return np.stack([self.frame.lever, self.frame.turns], axis=1)

    def mass(self) -> Array:
        """Return its part of M (N, n, n)."""
        columns = self.columns
        return np.asarray(np.einsum("sai,sab,sbj->sij", columns, self.matrix, columns))

    def mass_contributions(self) -> Array:
        """Sum the absolute products that the mass matrix (N, k, k) is made of."""
        levers = self.levers
        return np.asarray(np.einsum("sai,sab,sbj->sij", levers, self.sizes, levers))

    def wrench(self, accelerations: Array) -> Array:
        """Return (f; m) (N, 6) at accelerations q'' (N, n)."""
        v, w = self.frame.velocity, self.frame.spin
        twist = np.concatenate([v, w], axis=1)
        rate = np.concatenate([self.frame.acceleration - np.cross(w, v), self.frame.spin_rate], axis=1)
        rate = rate + np.einsum("sai,si->sa", self.columns, accelerations)
        p = np.einsum("sab,sb->sa", self.matrix, twist)
        turned = np.concatenate([np.cross(w, p[:, :3]), np.cross(w, p[:, 3:]) + np.cross(v, p[:, :3])], axis=1)
        return np.asarray(np.einsum("sab,sb->sa", self.matrix, rate) + turned)

    def inertial_size(self) -> Array:
        """Return the scale of the fluid's part of h (N, n): the absolute terms of the wrench at q'' = 0, summed."""
        m = self.frame
        v, w = m.speed, m.turn_speed
        rate = np.stack([m.shaking + w * v, m.turn_shaking], axis=1)
        p = np.einsum("sab,sb->sa", self.sizes, np.stack([v, w], axis=1))
        size = np.einsum("sab,sb->sa", self.sizes, rate) + w[:, None] * p
        size[:, 1] += v * p[:, 0]
        return np.asarray(np.einsum("sa,sai->si", size, self.levers))


def media(k: TreeKinematics) -> Iterator[Medium]:
    """Yield the fluid around every body that has added inertia."""
    for body in k.system.bodies:
        if body.added_inertia:
            frame = k.frame(body.name)
            own = np.stack([k.vectors(row) for row in body.added_inertia.rows], axis=1)
            blocks = own.reshape(-1, 2, 3, 2, 3)
            r = frame.rotation
            turned = np.einsum("sij,sajbk,slk->saibl", r, blocks, r)
            sizes = np.linalg.norm(blocks.transpose(0, 1, 3, 2, 4), axis=(3, 4))
            yield Medium(frame, turned.reshape(-1, 6, 6), sizes)
