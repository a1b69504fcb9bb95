"""Contributions of the bodies to M, h and the weights: linear in ten numbers of each body.

φ = (m, m c, J) with the first moment m c and the tensor J about the origin of the body's frame, both in its axes.

    M = m J_vᵀJ_v + J_vᵀ(J_ω × m c) + (J_ω × m c)ᵀJ_v + J_ωᵀ J J_ω
    h = J_vᵀ f + J_ωᵀ n ,   gravity = J_vᵀ m g + J_ωᵀ (m c × g)

    f = m a + α × m c + ω × (ω × m c) ,   n = m c × a + J α + ω × J ω

with the motion of the frame's origin and axes at q'' = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mbconcord.model.body import Body, Inertia
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ...judge.kinematics import TreeKinematics
from ...judge.motion import Array, MotionNumbers, norm, rotate

#: Numbers of a body: mass, first moment, tensor xx yy zz xy xz yz.
TEN: Final = 10
_PLACES: Final = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True)
class Regressor:
    """Columns (rows, 10) of every body of a model, in the order and the units of :meth:`.pair.Pair.gap`."""

    columns: dict[str, Array]
    kinematics: TreeKinematics

    def numbers(self, inertia: Inertia) -> Array:
        """Return the ten numbers of an inertia, which are independent of the state."""
        values = (inertia.mass, *(inertia.mass * c for c in inertia.centre), *inertia.tensor_about_origin())
        return np.asarray(self.kinematics.vectors(values)[0])

    def change(self, body: Body, inertia: Inertia) -> Array:
        """Compute the change of the quantities if a body gets another inertia."""
        return np.asarray(self.columns[body.name] @ (self.numbers(inertia) - self.numbers(body.inertia)))


def regressor(k: TreeKinematics, names: Sequence[str], units: dict[str, Array]) -> Regressor:
    """Compute the regressor of the quantities of these names."""
    g = k.vectors(k.system.gravity_vector)
    columns = {}
    for body in k.system.bodies:
        if not body.modal:
            parts = [_unit(k.frame(body.name), number, g) for number in range(TEN)]
            rows = [np.concatenate([(part[n] / units[n]).ravel() for n in names]) for part in parts]
            columns[body.name] = np.stack(rows, axis=1)
    return Regressor(columns, k)


def efforts(k: TreeKinematics, masses: Sequence[str]) -> Array:
    """Return regressor columns (N, n, 10 b) of M a + h - gravity; ``masses`` are labels of b bodies' first columns."""
    count, n = k.count, k.n
    sizes = {"M": (count, n, n), "h": (count, n), "gravity": (count, n)}
    found = regressor(k, list(sizes), {name: np.ones(size) for name, size in sizes.items()})
    blocks = [np.zeros((count, n, 0))]
    for label in masses:
        columns = found.columns[label.rpartition(".")[0]]
        M, h, gravity = np.split(columns, [count * n * n, count * n * (n + 1)])
        moved = np.einsum("sijp,sj->sip", M.reshape(count, n, n, TEN), k.a)
        blocks.append(moved + (h - gravity).reshape(count, n, TEN))
    return np.concatenate(blocks, axis=2)


def size_efforts(k: TreeKinematics, masses: Sequence[str]) -> Array:
    """Compute the sums of absolute values (N, n, 10 b) of the terms of the columns of :func:`efforts`."""
    blocks, a = [np.zeros((k.count, k.n, 0))], np.abs(k.a)
    for label in masses:
        frame = k.frame(label.rpartition(".")[0])
        pulled = np.einsum("sn,sn->s", frame.lever, a) + frame.shaking + norm(k.vectors(k.system.gravity_vector))
        turned = np.einsum("sn,sn->s", frame.turns, a) + frame.turn_shaking + frame.turn_speed**2
        mass, tensor = frame.lever * pulled[:, None], frame.turns * turned[:, None]
        moment = frame.lever * turned[:, None] + frame.turns * pulled[:, None]
        blocks.append(np.stack([mass, *[moment] * 3, *[tensor] * 6], axis=2))
    return np.concatenate(blocks, axis=2)


def bodies_alone(system: System) -> bool:
    """Return True if bodies are the only inertia in a model."""
    more = any(body.flywheels or body.added_inertia is not None for body in system.bodies)
    return not (more or system.armatures) and system.lump_masses() == system


def _unit(frame: MotionNumbers, number: int, g: Array) -> dict[str, Array]:
    """Compute M, h and gravity of a body with one of the ten numbers 1 and the others 0."""
    mass = float(number == 0)
    moment, tensor = np.zeros(3), np.zeros((3, 3))
    if 1 <= number <= 3:
        moment[number - 1] = 1.0
    elif number > 3:
        i, j = _PLACES[number - 4]
        tensor[i, j] = tensor[j, i] = 1.0
    R, v, w = frame.rotation, frame.moving, frame.turning
    mc = R @ moment
    J = R @ tensor @ np.swapaxes(R, 1, 2)
    crossed = np.cross(w, mc[:, :, None], axis=1)  # ω × m c for unit rates
    mixed = np.einsum("sai,saj->sij", v, crossed)
    M = mass * np.einsum("sai,saj->sij", v, v) + mixed + np.swapaxes(mixed, 1, 2)
    M += np.einsum("sai,sab,sbj->sij", w, J, w)
    spin, alpha, a = frame.spin, frame.spin_rate, frame.acceleration
    f = mass * a + np.cross(alpha, mc) + np.cross(spin, np.cross(spin, mc))
    n = np.cross(mc, a) + rotate(J, alpha) + np.cross(spin, rotate(J, spin))
    return {
        "M": M,
        "h": _project(v, f) + _project(w, n),
        "gravity": _project(v, mass * g) + _project(w, np.cross(mc, g)),
        "applied": np.zeros(f.shape[:1] + v.shape[2:]),
    }


def _project(columns: Array, vector: Array) -> Array:
    return np.asarray(np.einsum("sai,sa->si", columns, vector))
