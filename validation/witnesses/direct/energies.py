"""Energies and momenta of an open tree, summed over its bodies."""

from __future__ import annotations

import numpy as np

from .series import Array
from .tree import DirectTree

#: Shares of an energy below this are rounding of the other shares.
HIDDEN = 1e-12


def kinetic_energy(tree: DirectTree) -> tuple[Array, Array]:
    """Return the kinetic energy (S,), Σ ½ (m ṙ² + ω·I ω) with fluids, sections and armatures; and its size."""
    f = tree.f
    total = np.zeros(f.count)
    for solid in tree.solids:
        w = solid.frame.spin
        total += 0.5 * solid.mass * np.einsum("sa,sa->s", solid.frame.dr, solid.frame.dr)
        total += 0.5 * np.einsum("sa,sab,sb->s", w, solid.tensor, w)
    for frame, added in tree.media():
        twist = np.concatenate([frame.dr, frame.spin], axis=1)
        total += 0.5 * np.einsum("sa,sab,sb->s", twist, added, twist)
    for soft in tree.soft:
        total += soft.kinetic_energy()
    v = np.array([f.symbols[name].c[1] for name in tree.names]).reshape(len(tree.names), f.count).T
    for inertia, row, _ in tree.rotors():
        total += 0.5 * inertia * np.einsum("si,si->s", row, v) ** 2
    return total, np.abs(total)


def share_energy(tree: DirectTree, shapes: Array) -> tuple[Array, dict[str, Array]]:
    """Return shares of coordinates and of bodies in the kinetic energy of motions along complex mode shapes x (k, n).

    They are Re(x̄_i (M x)_i) / x̄ᵀM x (k, n), and x̄ᵀM_b x / x̄ᵀM x by body b (k,); NaN for a shape without energy.
    """
    along, energies = np.zeros(shapes.shape), {body.name: np.zeros(len(shapes)) for body in tree.system.bodies}
    for body, places, M in tree.split_mass():
        x = shapes[:, list(places)]
        parts = (x.conj() * (x @ M[0].T)).real
        along[:, list(places)] += parts
        if body is not None:
            energies[body] += parts.sum(axis=1)
    total = along.sum(axis=1)
    total = np.where(total > 0, total, np.nan)
    return _clear(along / total[:, None]), {name: _clear(x / total) for name, x in energies.items() if x.any()}


def _clear(shares: Array) -> Array:
    """Replace shares that are rounding by zero."""
    return np.where(np.abs(shares) <= HIDDEN, 0.0, shares)


def potential_energy(tree: DirectTree) -> tuple[Array, Array]:
    """Return the potential energy of weight -Σ m g·r (S,), and the sum of its terms' largest sizes Σ m |g| |r|."""
    total, size = np.zeros(tree.f.count), np.zeros(tree.f.count)
    if tree.system.gravity is None:
        return total, size
    g = tree.f.value(tree.system.gravity.value)[:, None] * tree.f.values(tree.system.gravity.direction)
    moments = [*(s.mass[:, None] * s.frame.r for s in tree.solids), *(soft.first_moment() for soft in tree.soft)]
    for moment in moments:
        total -= np.einsum("sa,sa->s", g, moment)
        size += np.linalg.norm(g, axis=1) * np.linalg.norm(moment, axis=1)
    for element in tree.system.massive():  # what one has on the ground counts nowhere
        for end in (element.first, element.second):
            if end.body is None:
                total += tree.f.value(element.mass) / 2 * np.einsum("sa,sa->s", g, tree.locate(end).r)
    return total, size


def momenta(tree: DirectTree) -> tuple[Array, Array]:
    """Return linear momentum Σ m ṙ, and angular momentum Σ r × m ṙ + I ω about the fixed origin (S, 3 each)."""
    linear, angular = np.zeros((tree.f.count, 3)), np.zeros((tree.f.count, 3))
    for solid in tree.solids:
        p = solid.mass[:, None] * solid.frame.dr
        linear += p
        angular += np.cross(solid.frame.r, p) + np.einsum("sab,sb->sa", solid.tensor, solid.frame.spin)
    return linear, angular


def mass_centre(tree: DirectTree) -> Array:
    """Return the mass centre Σ m r / Σ m of rigid bodies and lumped masses (S, 3)."""
    masses = [s.mass[:, None] for s in tree.solids]
    moment = sum((m * s.frame.r for m, s in zip(masses, tree.solids, strict=True)), np.zeros((tree.f.count, 3)))
    return np.asarray(moment / sum(masses, np.zeros((tree.f.count, 1))))


def carried_mass(tree: DirectTree) -> tuple[Array, Array]:
    """Return the total mass (S,) that coordinates move, and its first moment Σ m r about the fixed origin (S, 3)."""
    parts = [(s.mass, s.mass[:, None] * s.frame.r) for s in tree.solids if s.frame.moved]
    parts += [(soft.mass, soft.first_moment()) for soft in tree.soft if soft.moving_coordinates]
    masses, moments = ([part[k] for part in parts] for k in (0, 1))
    return sum(masses, np.zeros(tree.f.count)), sum(moments, np.zeros((tree.f.count, 3)))
