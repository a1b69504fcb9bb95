"""Applied forces as generalized forces (S, n), written out from the fields of every law.

A drive or joint effort acts along its coordinate; a bipolar force F repels its two points along the line between them,
Q = F (∂r₂/∂q - ∂r₁/∂q)·u; a wrench does F·∂r/∂q + M·ω_q, F in world axes or the body's, M in the body's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import TIME, Expression
from mbconcord.model.force import Bipolar, Bushing, JointEffort, LinearLaw, Point, PointForce, Torsion, Wrench
from mbconcord.model.system import System
from mbconcord.model.turns import sum_of_turns

from .formulas import SeriesFormulas
from .motion import FrameMotion, follow_joint, rotate
from .series import Array, Series, constant, each, exact, sine

At = Callable[[Point], FrameMotion]


def sum_applied_forces(
    system: System, formulas: SeriesFormulas, at: At, frames: Mapping[str | None, FrameMotion]
) -> Array:
    """Return the generalized forces (S, n) of drives and of all forces; ``at`` gives frames of points."""
    names = [c.name for c in system.coordinates]
    total = np.zeros((formulas.count, len(names)))
    for i, coordinate in enumerate(system.coordinates):
        if isinstance(coordinate.drive, Effort):
            total[:, i] += formulas.value(coordinate.drive.value)
    for force in system.forces:
        if isinstance(force, JointEffort):
            q = formulas.symbols[force.coordinate]
            total[:, names.index(force.coordinate)] += law(force.effort, formulas, q.c[0], q.c[1])
        elif isinstance(force, Bipolar):
            _bipolar(total, force, formulas, at)
        elif isinstance(force, (Bushing, Torsion)):
            first, second = (
                follow_joint(frames[end.body], end.transformations, names, formulas)
                for end in (force.first, force.second)
            )
            if isinstance(force, Bushing):
                _bushing(total, force, formulas, first, second)
            else:
                _torsion(total, force, formulas, first, second, sum_of_turns(system, force))
        elif isinstance(force, (PointForce, Wrench)):
            point, axes = at(force.point), frames[force.point.body].R
            push = formulas.values(force.force)
            _put(total, point, rotate(axes, push) if force.follows else push, point.moves)
            if isinstance(force, Wrench):
                _put(total, point, rotate(axes, formulas.values(force.moment)), point.turns)
    return total


def law(effort: Expression | LinearLaw, formulas: SeriesFormulas, x: Array, v: Array) -> Array:
    """Return the force or effort of a law at the length or coordinate x and its rate v (S,).

    UM's linear law acts towards l0 and against v: f0 - k (x - l0) - d v + q sin(w t + a).
    """
    if isinstance(effort, LinearLaw):
        pull, k, d, q = (formulas.exact(e).c[0] for e in (effort.f0, effort.k, effort.d, effort.q))
        if k.any():
            pull = pull - k * (each(exact)(x) - formulas.exact(effort.l0).c[0])
        if d.any():
            pull = pull - d * each(exact)(v)
        if q.any():
            w, a, t = (formulas.exact(e).c[0] for e in (effort.w, effort.a, TIME))
            pull = pull + q * sine(w * t + a)
        return np.broadcast_to(np.asarray(pull, dtype=float), (formulas.count,))
    return formulas.value(effort)


def line(first: FrameMotion, second: FrameMotion) -> tuple[Array, Array, Array]:
    """Return distance of two points (S,), its rate (S,), and the unit vector from first to second (S, 3)."""
    apart = second.r - first.r
    length = np.sqrt(np.sum(apart * apart, axis=1))
    with np.errstate(all="ignore"):
        unit = apart / length[:, None]
        rate = np.sum(unit * (second.dr - first.dr), axis=1)
    return length, rate, unit


def _bipolar(total: Array, force: Bipolar, formulas: SeriesFormulas, at: At) -> None:
    first, second = at(force.first), at(force.second)
    length, rate, unit = line(first, second)
    parting = np.linalg.norm(second.dr - first.dr, axis=1)  # from where they coincide, points move apart so fast
    size = _evaluate_law(force.law, formulas, length, np.where(length > 0, rate, parting))
    with np.errstate(invalid="ignore"):
        push = np.where(size == 0, 0.0, size * unit)  # a force that vanishes needs no direction
    _put(total, second, push, second.moves)
    _put(total, first, -push, first.moves)


def _evaluate_law(effort: Expression | LinearLaw, formulas: SeriesFormulas, x: Array, v: Array) -> Array:
    """Return the value (S, 1) of a force law in which @ is the length or angle x, and @' its rate v."""
    given = {"@": _series(x, formulas), "@'": _series(v, formulas)}
    own = SeriesFormulas(
        {**formulas.symbols, **given}, tuple(formulas.functions.values()), formulas.orders, formulas.count
    )
    return law(effort, own, x, v)[:, None]


def _torsion(
    total: Array, force: Torsion, formulas: SeriesFormulas, first: FrameMotion, second: FrameMotion,
    turns: Expression | None,
) -> None:  # fmt: skip
    """Add the moment of a torsion spring about the third column of R₁, by the angle of R₂'s first column to R₁'s.

    If joints keep the axis (``turns``), whole turns are added to the angle, to be nearest to the sum of joint angles.
    """
    x, y, n = (first.R[:, :, k] for k in range(3))
    e = second.R[:, :, 0]
    angle = np.arctan2(np.sum(y * e, axis=1), np.sum(x * e, axis=1))
    if turns is not None:
        angle += 2 * np.pi * np.round((formulas.value(turns) - angle) / (2 * np.pi))
    moment = _evaluate_law(force.law, formulas, angle, np.sum(n * (second.spin - first.spin), axis=1)) * n
    _put(total, second, moment, second.turns)
    _put(total, first, -moment, first.turns)


def _bushing(total: Array, force: Bushing, formulas: SeriesFormulas, first: FrameMotion, second: FrameMotion) -> None:
    """Add generalized forces of the wrench p - K u - D u' of a bushing; u = (R₁ᵀ (r₂ - r₁); axial vector of R₁ᵀ R₂)."""
    K, D = (np.stack([formulas.values(row) for row in rows], axis=1) for rows in (force.stiffness, force.damping))
    back = np.swapaxes(first.R, 1, 2)
    apart = second.r - first.r
    T = back @ second.R
    s = np.stack([T[:, 2, 1] - T[:, 1, 2], T[:, 0, 2] - T[:, 2, 0], T[:, 1, 0] - T[:, 0, 1]], axis=1) / 2
    u = np.concatenate([rotate(back, apart), s], axis=1)
    x_rate = rotate(np.swapaxes(first.dR, 1, 2), apart) + rotate(back, second.dr - first.dr)
    rates = np.concatenate([x_rate, rotate(back, second.spin - first.spin)], axis=1)
    w = formulas.values(force.preload) - rotate(K, u) - rotate(D, rates)
    push, moment = (rotate(first.R, part) for part in np.hsplit(w, 2))
    _put(total, second, push, second.moves)
    _put(total, first, -push, first.moves)
    for i, number in enumerate(first.moved):  # d is seen in axes that turn
        total[:, number] += np.einsum("si,sij,sj->s", w[:, :3], np.swapaxes(first.R_q[:, i], 1, 2), apart)
    _put(total, second, moment, second.turns)
    _put(total, first, -moment, first.turns)


def _series(value: Array, formulas: SeriesFormulas) -> Series:
    return constant(value, formulas.orders)


def _put(total: Array, frame: FrameMotion, vector: Array, columns: Array) -> None:
    """Add a vector's generalized forces: its products with a Jacobian's columns, for coordinates of the frame."""
    total[:, list(frame.moved)] += np.einsum("si,sik->sk", vector, columns)
