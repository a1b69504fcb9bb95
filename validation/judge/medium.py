"""Added inertia of an ideal fluid: Kirchhoff's equations of a body, in world axes at N states at once.

The momentum is p = Λ (v; ω) with v of the frame's origin, and with the rates in the body's axes, v̊ = a - ω × v,

    f = Λ_f (v̊; α) + ω × p_f ,    m = Λ_m (v̊; α) + ω × p_m + v × p_f ,

the force at the origin and the moment that accelerate the fluid. The fluid is at rest at infinity and has no weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .kinematics import Kinematics
from .motion import Array, Motion


@dataclass(frozen=True)
class Medium:
    """The fluid about one body.

    Attributes
    ----------
    frame : motion of the body's frame
    matrix (N, 6, 6) : Λ about the frame's origin, world axes, (v; ω)
    sizes (N, 2, 2) : norms of its 3×3 blocks
    """

    frame: Motion
    matrix: Array
    sizes: Array

    @property
    def columns(self) -> Array:
        """(v; ω) of unit rates (N, 6, n)."""
        return np.concatenate([self.frame.moving, self.frame.turning], axis=1)

    @property
    def levers(self) -> Array:
        """Sums of absolute values that the columns are made of (N, 2, n)."""
        return np.stack([self.frame.lever, self.frame.turns], axis=1)

    def mass(self) -> Array:
        """Its part of M (N, n, n)."""
        columns = self.columns
        return np.asarray(np.einsum("sai,sab,sbj->sij", columns, self.matrix, columns))

    def mass_contributions(self) -> Array:
        """The same with every product taken absolutely."""
        levers = self.levers
        return np.asarray(np.einsum("sai,sab,sbj->sij", levers, self.sizes, levers))

    def wrench(self, accelerations: Array) -> Array:
        """(f; m) (N, 6) at accelerations q'' (N, n)."""
        v, w = self.frame.velocity, self.frame.spin
        twist = np.concatenate([v, w], axis=1)
        rate = np.concatenate([self.frame.acceleration - np.cross(w, v), self.frame.spin_rate], axis=1)
        rate = rate + np.einsum("sai,si->sa", self.columns, accelerations)
        p = np.einsum("sab,sb->sa", self.matrix, twist)
        turned = np.concatenate(
            [np.cross(w, p[:, :3]), np.cross(w, p[:, 3:]) + np.cross(v, p[:, :3])], axis=1
        )
        return np.asarray(np.einsum("sab,sb->sa", self.matrix, rate) + turned)

    def inertial_size(self) -> Array:
        """What its part of h is made of (N, n): the terms of the wrench at q'' = 0, each taken absolutely."""
        m = self.frame
        v, w = m.speed, m.turn_speed
        rate = np.stack([m.shaking + w * v, m.turn_shaking], axis=1)
        p = np.einsum("sab,sb->sa", self.sizes, np.stack([v, w], axis=1))
        size = np.einsum("sab,sb->sa", self.sizes, rate) + w[:, None] * p
        size[:, 1] += v * p[:, 0]
        return np.asarray(np.einsum("sa,sai->si", size, self.levers))


def media(k: Kinematics) -> Iterator[Medium]:
    """The fluid about every body that has added inertia."""
    for body in k.system.bodies:
        if body.added_inertia:
            frame = k.frame(body.name)
            own = np.stack([k.vectors(row) for row in body.added_inertia.rows], axis=1)
            blocks = own.reshape(-1, 2, 3, 2, 3)
            r = frame.rotation
            turned = np.einsum("sij,sajbk,slk->saibl", r, blocks, r)
            sizes = np.linalg.norm(blocks.transpose(0, 1, 3, 2, 4), axis=(3, 4))
            yield Medium(frame, turned.reshape(-1, 6, 6), sizes)
