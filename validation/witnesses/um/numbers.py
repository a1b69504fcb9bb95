"""Numbers of generated equations at states of a model, and of the model's bodies at the same states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from mbconcord.model.equations import GeneratedEquations, GeneratedMotion, Row
from mbconcord.model.expressions import ZERO, Expression, evaluate, numpy_arithmetic, symbols
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.records import dataclass
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.motion import Array, MotionNumbers
from mbconcord.validation.judge.solutions import Bounded
from mbconcord.validation.judge.uncertainty import find_uncertainties, generation_error

from .pairing import CoordinatePair, Pairing

#: Components as entries of a comparison name them.
AXES = ("x", "y", "z")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")

#: Name of the model's side in comparisons of the motion of bodies: validation's own kinematics.
KINEMATICS = "kinematics"

#: Quantities of a body's motion, in the order of reports.
QUANTITIES = (
    "position", "orientation", "velocity", "angular_velocity", "acceleration", "angular_acceleration",
    "jacobian", "screws",
)  # fmt: skip


#: Label, generated formula, expected numbers (N,) and their scale (N,).
Entry: TypeAlias = tuple[str, Expression, Array, Array]


@dataclass(frozen=True)
class Entries:
    """K entries of a quantity at N states: their bodies, labels, formulas, numbers (N, K) of both sides, and scale.

    Formulas are in symbols of the generated equations; signs of columns of Jacobians are the model's.
    """

    bodies: tuple[str | None, ...]
    labels: tuple[str, ...]
    formulas: tuple[Expression, ...]
    generated: Bounded
    expected: Array
    scale: Array


def generated_numbers(roots: Sequence[Expression], values: Mapping[str, Any], count: int) -> Bounded:
    """Compute numbers (N, K) of K formulas, with error bounds that include the rounding of printed digits."""
    plan = levels(program(roots))
    found = run_bounds(plan, values, numbers=find_uncertainties(plan, generation_error))
    return Bounded(*(np.broadcast_to(x.T, (count, len(roots))) for x in found))


def generated_values(roots: Sequence[Expression], values: Mapping[str, Any], count: int) -> Array:
    """Compute numbers (N, K) of K formulas at N values of their symbols."""
    with np.errstate(all="ignore"):
        found = evaluate(roots, values, numpy_arithmetic())
    columns = [np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in found]
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


def symbol_values(k: TreeKinematics, pairing: Pairing, equations: GeneratedEquations) -> dict[str, Any]:
    """Return values of the symbols of generated equations at the states of k; symbols of forces are zero."""
    keys, formulas = zip(*pairing.replacements.items(), strict=True) if pairing.pairs else ((), ())
    numbers = k.scalars(formulas)
    present = symbols(equations.expressions())
    values: dict[str, Any] = dict.fromkeys(present, 0.0)
    values |= {name: k.values[name] for name in present if name in k.values}
    return values | {str(key.data): x for key, x in zip(keys, numbers, strict=True)}


def entries(
    quantity: str, k: TreeKinematics, equations: GeneratedEquations, bodies: Mapping[int, str | None],
    values: Mapping[str, Any], pairing: Pairing, centred: bool,
) -> Entries | None:  # fmt: skip
    """Return the entries of a quantity of all matched bodies; None if the equations do not deliver it."""
    owners: list[str | None] = []
    labels: list[str] = []
    formulas: list[Expression] = []
    expected: list[Array] = []
    scales: list[Array] = []
    for number, name in bodies.items():
        motion = equations.bodies.get(number)
        if motion is None:
            continue
        for label, formula, number_there, size in _of_body(
            quantity, motion, _frame(k, name, centred), k, pairing, name
        ):
            owners.append(name)
            labels.append(label)
            formulas.append(formula)
            expected.append(number_there)
            scales.append(size)
    if not labels:
        return None
    own = generated_numbers(formulas, values, k.count)
    ours, size = np.stack(expected, axis=1), np.stack(scales, axis=1)
    return Entries(tuple(owners), tuple(labels), tuple(formulas), own, ours, size)


def _frame(k: TreeKinematics, name: str | None, centred: bool) -> MotionNumbers:
    if name is None or not centred:
        return k.frame(name)
    return k.centre(k.system.body(name))


def _of_body(
    quantity: str, motion: GeneratedMotion, frame: MotionNumbers, k: TreeKinematics, pairing: Pairing, name: str | None
) -> Iterator[Entry]:
    if quantity == "jacobian":
        yield from _jacobian(motion, frame, k, pairing, name)
    elif quantity == "screws":
        yield from _screws(motion, frame, k, pairing, name)
    elif getattr(motion, quantity) is not None:
        found = getattr(motion, quantity)
        number, size = expected_motion(quantity, frame, k)
        for i in range(3):
            if quantity == "orientation":
                yield from ((f"{AXES[i]}{AXES[j]}", found[i][j], number[:, i, j], size) for j in range(3))
            else:
                yield AXES[i], found[i], number[:, i], size


def expected_motion(quantity: str, m: MotionNumbers, k: TreeKinematics) -> tuple[Array, Array]:
    """Compute a quantity of a frame's motion by validation's own kinematics, and its scale (N,)."""
    to_body = np.swapaxes(m.rotation, 1, 2)
    if quantity == "position":
        return m.position, m.path
    if quantity == "orientation":
        return to_body, np.ones(k.count)
    if quantity == "velocity":
        return m.velocity, m.speed
    if quantity == "angular_velocity":
        return np.einsum("sij,sj->si", to_body, m.spin), m.turn_speed
    size = np.abs(k.a)
    if quantity == "acceleration":
        total = m.acceleration + np.einsum("sij,sj->si", m.moving, k.a)
        return total, m.shaking + m.turn_speed * m.speed + np.einsum("sj,sj->s", m.lever, size)
    total = m.spin_rate + np.einsum("sij,sj->si", m.turning, k.a)
    rates = m.turn_shaking + m.turn_speed**2 + np.einsum("sj,sj->s", m.turns, size)
    return np.einsum("sij,sj->si", to_body, total), rates


def _jacobian(
    motion: GeneratedMotion, m: MotionNumbers, k: TreeKinematics, pairing: Pairing, name: str | None
) -> Iterator[Entry]:
    """Yield entries of a Jacobian: columns of coordinates on the body's path (absent: zero), and surplus columns."""
    if not motion.jacobian or name is None:
        return
    turning = np.einsum("sji,sjk->sik", m.rotation, m.turning)
    path = {c for body in k.system.path(name) for c in body.coordinates}
    columns = _columns(motion.jacobian, [p.number for p in pairing.pairs if p.coordinate in path])
    for pair in pairing.pairs:
        if pair.coordinate not in path and pair.number not in columns:
            continue
        j = k.system.coordinate_names.index(pair.coordinate)
        expected = np.concatenate([m.moving[:, :, j], turning[:, :, j]], axis=1)
        sizes = [m.lever[:, j]] * 3 + [m.turns[:, j]] * 3
        yield from _twist(pair, columns.get(pair.number, (ZERO,) * 6), expected, sizes)


def _columns(delivered: Mapping[int, Row], own: Sequence[int]) -> Mapping[int, Row]:
    """Return columns by number of the coordinate; those delivered may be counted along the body's path instead."""
    if set(delivered) <= set(own) or max(delivered) >= len(own):
        return delivered
    return {sorted(own)[place]: column for place, column in delivered.items()}


def _screws(
    motion: GeneratedMotion, m: MotionNumbers, k: TreeKinematics, pairing: Pairing, name: str | None
) -> Iterator[Entry]:
    """Yield entries of screws: a row for every coordinate of the body's joint (absent: zero); surplus rows are zero."""
    if motion.screws is None or name is None:
        return
    own = [pair for pair in pairing.pairs if pair.coordinate in k.system.body(name).coordinates]
    origin = np.cross(m.turning, -m.position[:, :, None], axis=1) + m.moving
    for i, pair in enumerate(own):
        j = k.system.coordinate_names.index(pair.coordinate)
        expected = np.concatenate([origin[:, :, j], m.turning[:, :, j]], axis=1)
        sizes = [m.lever[:, j] + m.turns[:, j] * m.path] * 3 + [m.turns[:, j]] * 3
        yield from _twist(pair, motion.screws[i] if i < len(motion.screws) else (ZERO,) * 6, expected, sizes)
    nothing = np.zeros(k.count)
    for i, row in enumerate(motion.screws[len(own) :], len(own) + 1):
        yield from ((f"{label} row {i}", x, nothing, nothing) for label, x in zip(TWIST, row, strict=True))


def _twist(pair: CoordinatePair, column: Row, expected: Array, sizes: Sequence[Array]) -> Iterator[Entry]:
    for i, label in enumerate(TWIST):
        own = column[i] if pair.sign > 0 else -column[i]
        yield f"{label} {pair.coordinate}", own, expected[:, i], sizes[i]
